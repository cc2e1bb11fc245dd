"""As much of PyTorch as the package uses, with tensors on the CPU that are NumPy's arrays."""

import sys

import fake_torch
import numpy as np


class Device:
    type, index = "cpu", None

    def __repr__(self):
        return "cpu"


DEVICE = Device()


class Tensor:
    device, is_cuda, requires_grad = DEVICE, False, False
    negated = False

    def __init__(self, array):
        torch = sys.modules["torch"]
        self.array, self.layout, self.dtype = array, torch.strided, getattr(torch, array.dtype.name)
        self.shape, self.ndim = array.shape, array.ndim

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **_):
        return self.array.__dlpack__()

    def is_neg(self):
        return self.negated

    def dim(self):
        return self.ndim

    def new_empty(self, shape):
        return Tensor(np.empty(shape, self.array.dtype))

    def expand(self, shape):
        return Tensor(np.broadcast_to(self.array, shape))

    def clone(self):
        return Tensor(self.array.copy())

    def cpu(self):
        return self.array


def module():
    """To be put into sys.modules as torch."""
    torch = fake_torch.module()
    torch.Tensor = Tensor
    torch.nn.Parameter = type("Parameter", (Tensor,), {})
    return torch
