"""As much of PyTorch as the package uses, with tensors on the CPU that are NumPy's arrays."""

import sys

import fake_torch
import numpy as np


class Device:
    type, index = "cpu", None

    def __repr__(self):
        return "cpu"


DEVICE = Device()


class Tensor(fake_torch.ArrayTensor):
    device, is_cuda = DEVICE, False

    def __init__(self, array):
        torch = sys.modules["torch"]
        self.array, self.layout, self.dtype = array, torch.strided, getattr(torch, array.dtype.name)
        self.shape, self.ndim = array.shape, array.ndim

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **_):
        self.require_no_gradient()
        return self.array.__dlpack__()

    def of(self, array):
        return Tensor(array)

    def new_empty(self, shape):
        return self.of(np.empty(shape, self.array.dtype))


def module():
    """To be put into sys.modules as torch."""
    torch = fake_torch.module()
    torch.Tensor = Tensor
    torch.nn.Parameter = type("Parameter", (Tensor,), {})
    return torch
