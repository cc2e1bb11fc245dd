"""NumPy's and PyTorch's arrays under one set of functions. Neither library is imported before it is needed."""

import functools
import sys

import numpy as np


class NumpyArrays:
    """Arrays of NumPy. bf16 is that of ml_dtypes."""

    device = None
    description = "a numpy.ndarray"

    @staticmethod
    @functools.cache
    def dtype(array_dtype):
        """Our name of an element type, or "" for one that is not taken."""
        names = {np.dtype(np.float16): "f16", np.dtype(np.float32): "f32", np.dtype(np.int32): "i32",
                 np.dtype(np.int64): "i64"}
        return "bf16" if array_dtype.name == "bfloat16" else names.get(array_dtype, "")

    @staticmethod
    def passed(array):
        """The same memory in a form that DLPack takes: writable, bf16 as its bits."""
        if array.dtype.kind == "V" and array.dtype.name == "bfloat16":  # Names take time.
            array = array.view(np.uint16)
        if not array.flags.writeable:
            address = array.__array_interface__["data"][0]
            holder = type("Memory", (), {"__array_interface__": {**array.__array_interface__,
                                                                 "data": (address, False),
                                                                 "strides": array.strides}})
            array = np.asarray(holder())
        return array

    @staticmethod
    def empty(shape, like):
        return np.empty(shape, like.dtype)

    expand = staticmethod(np.broadcast_to)
    copy = staticmethod(np.copy)
    host = staticmethod(np.asarray)

    @staticmethod
    def needs_gradient(array):
        return False

    @staticmethod
    def release_kept_memory():
        return False


class TorchArrays:
    """Tensors of PyTorch on one device."""

    def __init__(self, device):
        self.device = device
        self.description = f"a torch.Tensor on {device}"

    @staticmethod
    @functools.cache
    def dtype(tensor_dtype):
        import torch

        return {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.int32: "i32",
                torch.int64: "i64"}.get(tensor_dtype, "")

    @staticmethod
    def passed(tensor):
        return tensor

    @staticmethod
    def empty(shape, like):
        return like.new_empty(shape)

    @staticmethod
    def expand(tensor, shape):
        return tensor.expand(shape)

    @staticmethod
    def copy(tensor):
        return tensor.clone()

    @staticmethod
    def host(tensor):
        return tensor.cpu()

    @staticmethod
    def needs_gradient(tensor):
        return tensor.requires_grad

    def release_kept_memory(self):
        """Gives memory that PyTorch keeps, but does not use, back to the CUDA device: others can have it then.

        Returns whether it could: not while a graph is captured.
        """
        import torch

        if self.device.type != "cuda":
            return False
        with torch.cuda.device(self.device):
            if torch.cuda.is_current_stream_capturing():
                return False
            torch.cuda.empty_cache()
        return True


NUMPY = NumpyArrays()
# Of a view such as the imaginary part of a conjugate; DLPack would pass the memory without the sign.
LAZY_NEGATION = ("expected a tensor whose memory has its elements, but got one that is negated when read; use "
                 "resolve_neg()")
_torch = functools.cache(TorchArrays)


def is_torch(value):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def require_memory(arguments):
    """Raises ValueError for a tensor of PyTorch whose memory is not what it says it is."""
    for number, value in enumerate(arguments):
        is_neg = getattr(value, "is_neg", None)
        if is_neg is not None and is_neg():
            raise ValueError(f"argument {number}: {LAZY_NEGATION}")


def require_element(name, array, arrays, allowed):
    """Our name of an argument's element type. Raises ValueError where it is not among those allowed."""
    dtype = arrays.dtype(array.dtype)
    if dtype not in allowed:
        raise ValueError(f"argument '{name}': expected elements of {' or '.join(allowed)}, but got {array.dtype}")
    return dtype


def require_same(name, value, arrays, other):
    """Raises ValueError for an array of another library or device than `other`, which has `arrays`."""
    own = arrays_of(name, value)
    if own is not arrays:
        raise ValueError(f"argument '{name}': expected an array of the same library and device as {other}, "
                         f"{arrays.description}, but got {own.description}")


def arrays_of(name, value):
    """The functions for an array. Raises TypeError for anything else; `name` is the argument's."""
    if isinstance(value, np.ndarray):
        return NUMPY
    if is_torch(value):
        if str(value.layout) != "torch.strided":
            raise TypeError(f"argument '{name}': expected a dense tensor, but got one of layout {value.layout}")
        if value.device.type not in ("cpu", "cuda"):
            raise ValueError(f"argument '{name}': expected a tensor on the CPU or a CUDA device, but got one on "
                             f"{value.device}")
        if value.is_neg():
            raise ValueError(f"argument '{name}': {LAZY_NEGATION}")
        return _torch(value.device)
    raise TypeError(f"argument '{name}': expected a numpy.ndarray or a torch.Tensor, but got {type(value).__name__}")
