"""Tensors that say they are on a CUDA device, over a NumPy array's memory: for the stub driver."""

import ctypes

import numpy as np

CUDA = 2


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device_id", ctypes.c_int),
                ("ndim", ctypes.c_int), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


CODES = {"i": 0, "u": 1, "f": 2}
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def aligned(shape, dtype):
    """Zeros at an address that TMA takes."""
    memory = np.zeros(int(np.prod(shape)) * np.dtype(dtype).itemsize + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start:start + len(memory) - 64].view(dtype).reshape(shape)


class CudaTensor:
    """A stand-in for torch.Tensor that the binding takes. bf16 is given as uint16."""

    def __init__(self, array, device=0):
        self.array, self.device = array, device
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        strides = (ctypes.c_int64 * array.ndim)(*(stride // array.itemsize for stride in array.strides))
        self.managed = DLManagedTensor(
            DLTensor(array.ctypes.data, CUDA, device, array.ndim, CODES[array.dtype.kind], array.itemsize * 8, 1,
                     shape, strides, 0), None, None)

    def __dlpack_device__(self):
        return CUDA, self.device

    def __dlpack__(self, **_):
        return new_capsule(ctypes.addressof(self.managed), b"dltensor", None)
