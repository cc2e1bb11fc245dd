"""As much of PyTorch as the package uses, with CUDA tensors over NumPy's memory: for the stub driver."""

import contextlib
import sys
import types

import ml_dtypes
import numpy as np
from fake_cuda import CudaTensor

DTYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32, "float64": np.float64, "int32": np.int32,
          "int64": np.int64}


class Device:
    type = "cuda"

    def __init__(self, index):
        self.index = index

    def __repr__(self):
        return f"cuda:{self.index}"


DEVICES = Device(0), Device(1)


class Named:
    """A dtype, or a layout."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


def aligned(shape, dtype):
    """Zeros at an address that TMA takes."""
    memory = np.zeros(int(np.prod(shape)) * np.dtype(dtype).itemsize + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start:start + len(memory) - 64].view(dtype).reshape(shape)


class ArrayTensor:
    """What tensors over NumPy's arrays have in common; `of` makes another one of the kind."""

    requires_grad = negated = inference = is_nested = False
    tangent = None
    _version = 0

    def is_neg(self):
        return self.negated

    def is_inference(self):
        return self.inference

    def dim(self):
        return self.ndim

    def stride(self):
        return tuple(stride // self.array.itemsize for stride in self.array.strides)

    def transpose(self, first, second):
        return self.of(self.array.swapaxes(first, second))

    def view(self, *shape):
        view = self.array.view()
        try:
            view.shape = shape
        except AttributeError as error:
            raise RuntimeError(str(error)) from None
        return self.of(view)

    def item(self):
        return self.array.item()

    def detach(self):
        return self.of(self.array)

    def require_no_gradient(self):
        """As DLPack of PyTorch does, where there is no faster way."""
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")

    def __getitem__(self, index):
        return self.of(self.array[index])

    def __setitem__(self, index, value):
        self.array[index] = value.array if isinstance(value, ArrayTensor) else value

    def reshape(self, *shape):
        return self.of(self.array.reshape(*shape))

    def max(self):
        return self.of(np.asarray(self.array.max()))

    def is_contiguous(self):
        return self.array.flags.c_contiguous

    def numel(self):
        return self.array.size

    def element_size(self):
        return self.array.itemsize

    def data_ptr(self):
        return self.array.ctypes.data

    def expand(self, shape):
        return self.of(np.broadcast_to(self.array, shape))

    def clone(self):
        return self.of(self.array.copy())

    def cpu(self):
        from fake_torch_cpu import Tensor

        return Tensor(self.array)

    def __array__(self, *_, **__):
        return self.array


class Tensor(ArrayTensor):
    is_cuda = True

    def __init__(self, array, layout="strided", device=0):
        self.device = DEVICES[device]
        self.array, self.layout = array, getattr(sys.modules["torch"], layout)
        self.dtype = getattr(sys.modules["torch"], array.dtype.name)
        self.shape, self.ndim = array.shape, array.ndim
        passed = CudaTensor(array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array, device)
        self.__dict__["passed"] = passed

    def __dlpack_device__(self):
        return self.passed.__dlpack_device__()

    def __dlpack__(self, **_):
        self.require_no_gradient()
        return self.passed.__dlpack__()

    def of(self, array):
        return Tensor(array, device=self.device.index)

    def new_empty(self, shape):
        return self.of(aligned(shape, self.array.dtype))

    new_zeros = new_empty  # Which are zeros, too.


class SparseTensor(Tensor):
    """In BSR. Its type is Tensor too."""

    def __new__(cls, crow, col, values, shape):
        tensor = Tensor(values.array, "sparse_bsr", values.device.index)
        tensor.shape, tensor.ndim = shape, 2
        tensor.crow_indices, tensor.col_indices, tensor.values = (lambda: crow), (lambda: col), (lambda: values)
        return tensor


class Cuda:
    """torch.cuda, which counts what it gives back. A test may say what happens then."""

    capturing, emptied = False, 0

    def device(self, device):
        return contextlib.nullcontext(device)

    def is_current_stream_capturing(self):
        return self.capturing

    def empty_cache(self):
        self.emptied += 1


class ForwardAD:
    """torch.autograd.forward_ad. Tensors have their tangents at level 0."""

    _current_level = -1

    @contextlib.contextmanager
    def dual_level(self):
        self._current_level += 1
        yield
        self._current_level -= 1

    def unpack_dual(self, tensor):
        return types.SimpleNamespace(tangent=tensor.tangent if self._current_level >= 0 else None)


def increment_version(tensor):
    if tensor.inference:
        raise RuntimeError("Inplace update to inference tensor")
    tensor._version += 1


def add_autograd(torch):
    """What autograd needs; grad mode is on."""
    modes = [True]

    @contextlib.contextmanager
    def no_grad():
        modes.append(False)
        yield
        modes.pop()

    torch.is_grad_enabled, torch.no_grad = lambda: modes[-1], no_grad
    torch.autograd = types.SimpleNamespace(forward_ad=ForwardAD(),
                                           graph=types.SimpleNamespace(increment_version=increment_version))


def module():
    """To be put into sys.modules as torch."""
    torch = types.ModuleType("torch")
    torch.Tensor = Tensor
    add_autograd(torch)
    torch.cuda = Cuda()
    torch.empty_like = lambda tensor: tensor.new_empty(tensor.shape)
    torch.sparse_bsr_tensor = lambda crow, col, values, size, check_invariants: SparseTensor(crow, col, values, size)
    torch.from_numpy = lambda array: types.SimpleNamespace(to=lambda device: Tensor(array, device=device.index))
    torch.nn = types.SimpleNamespace(Parameter=type("Parameter", (Tensor,), {}))
    for name in (*DTYPES, "strided", "sparse_bsr"):
        setattr(torch, name, Named(name))
    return torch


def zeros(*shape, dtype="bfloat16", device=0):
    return Tensor(aligned(shape, DTYPES[dtype]), device=device)


def sparse(crow, col, block, columns, dtype="bfloat16", device=0):
    """A BSR matrix of zeros with this structure."""
    crow, col = (Tensor(np.array(array, np.int32), device=device) for array in (crow, col))
    return SparseTensor(crow, col, zeros(len(col.array), *block, dtype=dtype, device=device),
                        ((len(crow.array) - 1) * block[0], columns))
