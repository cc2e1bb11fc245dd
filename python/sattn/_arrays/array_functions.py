"""Functions on whole arrays of NumPy and of PyTorch under the same names. Those of PyTorch never wait for the
device."""

import numpy as np

from . import adapters


class _Numpy:
    where, sorted, expand = staticmethod(np.where), staticmethod(np.sort), staticmethod(np.broadcast_to)
    contiguous = staticmethod(np.ascontiguousarray)

    @staticmethod
    def arange(size, like):
        return np.arange(size)

    @staticmethod
    def zeros(shape, like):
        return np.zeros(shape, like.dtype)

    @staticmethod
    def of_type(array, dtype):
        return array.astype(dtype, copy=False)

    @staticmethod
    def int64(array):
        return array.astype(np.int64, copy=False)

    @staticmethod
    def count_below(ascending, values, or_equal=False):
        """How many of the ascending ones are below each value, or equal to it."""
        return np.searchsorted(ascending, values, side="right" if or_equal else "left")

    @staticmethod
    def stable_order(keys):
        """Places of the keys along the last dimension, ascending; NaN last."""
        return np.argsort(keys, axis=-1, kind="stable")

    @staticmethod
    def add_at(array, places, values):
        if len(np.unique(places)) == len(places):
            array[places] = values
        else:
            np.add.at(array, places, values)

    @staticmethod
    def is_real(array):
        return array.dtype.kind in "iuf" or adapters.NUMPY.dtype(array.dtype) == "bf16"

    @staticmethod
    def norms(array, axes):
        return np.sqrt(np.square(array.astype(np.float64)).sum(axis=axes))

    @staticmethod
    def dropout(array, probability):
        """The array, which is overwritten: elements are 0 with this probability, and the others grow by as much."""
        kept = np.random.random(array.shape) >= probability
        array *= array.dtype.type(1 / (1 - probability) if probability < 1 else 0)
        array[~kept] = 0
        return array


class _Torch:
    @staticmethod
    def where(condition, chosen, other):
        import torch

        return torch.where(condition, chosen, other)

    @staticmethod
    def sorted(tensor):
        return tensor.sort(dim=-1).values

    @staticmethod
    def expand(tensor, shape):
        return tensor.expand(shape)

    @staticmethod
    def contiguous(tensor):
        return tensor.contiguous()

    @staticmethod
    def arange(size, like):
        import torch

        return torch.arange(size, device=like.device)

    @staticmethod
    def zeros(shape, like):
        return like.new_zeros(shape)

    @staticmethod
    def of_type(tensor, dtype):
        return tensor if dtype is None else tensor.to(dtype)

    @staticmethod
    def int64(tensor):
        return tensor.long()

    @staticmethod
    def count_below(ascending, values, or_equal=False):
        import torch

        return torch.searchsorted(ascending, values, right=or_equal)

    @staticmethod
    def stable_order(keys):
        import torch

        return torch.argsort(keys, dim=-1, stable=True)

    @staticmethod
    def add_at(tensor, places, values):
        import torch

        # Sums of the same order in each run, and booleans, which index_put_ does not add.
        if tensor.dtype == torch.bool:
            counts = tensor.to(torch.uint8).index_add_(0, places, values.to(torch.uint8).clamp_(max=1))
            tensor.copy_(counts != 0)
        else:
            tensor.index_put_((places,), values, accumulate=True)

    @staticmethod
    def dropout(tensor, probability):
        import torch

        return torch.nn.functional.dropout(tensor, probability, inplace=not tensor.requires_grad)

    @staticmethod
    def is_real(tensor):
        import torch

        return not tensor.is_complex() and tensor.dtype != torch.bool

    @staticmethod
    def norms(tensor, axes):
        import torch

        if not tensor.is_floating_point():
            tensor = tensor.double()
        return torch.linalg.vector_norm(tensor, dim=axes, dtype=torch.float64)


def of(arrays):
    """The functions of NumpyArrays or of TorchArrays."""
    return _Numpy if arrays is adapters.NUMPY else _Torch


def offsets_of(functions, keys, limit):
    """(B, limit + 1): how many keys are below each number from 0 to limit. keys: (B, n), each batch's ascending, from 0
    to limit."""
    count, size = keys.shape
    # One ascending list of all: the keys of a batch are after those of the one before.
    first = functions.arange(count, keys)[:, None]
    bounds = functions.arange(limit + 1, keys)
    found = functions.count_below((keys + first * (limit + 1)).reshape(-1), (bounds + first * (limit + 1)).reshape(-1))
    return found.reshape(count, limit + 1) - first * size
