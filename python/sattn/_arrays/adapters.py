"""NumPy's and PyTorch's arrays under one set of functions. Neither library is imported before it is needed."""

import functools
import math
import sys

import numpy as np

from . import autograd, dtypes, lazy_torch as torch, stand_ins


def _is_transposed(shape, strides):
    """Whether a matrix lies in memory as its transpose: the columns, not the rows, are contiguous. The binding knows
    products that were made before by the same rule (GuardedCalls.cpp)."""
    return len(shape) > 1 and strides[-2] == 1 and (strides[-1] != 1 or shape[-1] == 1)


def _split(shape, rows, columns):
    """The shape (*, R / rows, rows, C / columns, columns) of a (*, R, C) matrix in tiles of rows x columns."""
    *batch, height, width = shape
    return *batch, height // rows, rows, width // columns, columns


class NumpyArrays:
    """Arrays of NumPy. bf16 and 8-bit floats are those of ml_dtypes."""

    device, on_gpu, description = None, False, "a numpy.ndarray"

    @staticmethod
    @functools.cache
    def dtype(array_dtype):
        """Our name of an element type, or "" for one that is not taken."""
        names = {np.dtype(np.float16): "f16", np.dtype(np.float32): "f32", np.dtype(np.float64): "f64",
                 np.dtype(np.int8): "i8", np.dtype(np.int32): "i32", np.dtype(np.int64): "i64"}
        if array_dtype.name == "bfloat16":
            return "bf16"
        return names.get(array_dtype) or dtypes.LIBRARY_NAMES.get(array_dtype.name, "")

    @staticmethod
    def passed(array):
        """The same memory in a form that DLPack takes: writable, bf16 and 8-bit floats as their bits."""
        if array.dtype.kind == "V" and array.dtype.name == "bfloat16":  # The name is slow to compute.
            array = array.view(np.uint16)
        elif array.dtype.itemsize == 1 and array.dtype.kind in "Vf":
            array = array.view(np.uint8)
        if not array.flags.writeable:
            address = array.__array_interface__["data"][0]
            interface = {**array.__array_interface__, "data": (address, False), "strides": array.strides}
            array = np.asarray(type("Memory", (), {"__array_interface__": interface})())
        return array

    @staticmethod
    def rows_of(array):
        """The array as a matrix of its last dimension's rows, or None where its memory is none."""
        if array.ndim == 2:
            return array
        rows = array.view()
        try:
            rows.shape = math.prod(array.shape[:-1]), array.shape[-1]
        except AttributeError:
            return None
        return rows

    @staticmethod
    def snapshot(array):
        """A copy that cannot be written."""
        array = np.copy(array)
        array.setflags(write=False)
        return array.view()

    @staticmethod
    def add_at(array, places, values):
        if len(np.unique(places)) == len(places):
            array[places] = values
        else:
            np.add.at(array, places, values)

    @staticmethod
    def dropout(array, probability):
        """The array, which is overwritten: elements are 0 with this probability, and the others grow by as much."""
        kept = np.random.random(array.shape) >= probability
        array *= array.dtype.type(1 / (1 - probability) if probability < 1 else 0)
        array[~kept] = 0
        return array

    @staticmethod
    def release_kept_memory():
        return False


@functools.cache
def _is_float8(tensor_dtype):
    return str(tensor_dtype).startswith("torch.float8")


class TorchArrays:
    """Tensors of PyTorch on one device. Functions on whole tensors never wait for it."""

    def __init__(self, device):
        self.device, self.on_gpu, self.description = device, device.type == "cuda", f"a torch.Tensor on {device}"

    @staticmethod
    @functools.cache
    def dtype(tensor_dtype):
        names = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int8": "i8",
                 "int32": "i32", "int64": "i64"}
        return (names | dtypes.LIBRARY_NAMES).get(str(tensor_dtype).removeprefix("torch."), "")

    @staticmethod
    def passed(tensor):
        """The same memory in a form that DLPack takes, 8-bit floats as their bits."""
        if tensor.requires_grad:
            tensor = tensor.detach()
        return tensor.view(torch.uint8) if _is_float8(tensor.dtype) else tensor

    @staticmethod
    def rows_of(tensor):
        if tensor.ndim == 2:
            return tensor
        try:
            return tensor.view(math.prod(tensor.shape[:-1]), tensor.shape[-1])
        except RuntimeError:
            return None

    @staticmethod
    def snapshot(tensor):
        """A copy whose later writes PyTorch counts, which it does not of a tensor made in inference mode."""
        with torch.inference_mode(False):
            return tensor.clone()

    @staticmethod
    def add_at(tensor, places, values):
        # Sums of the same order in each run, and booleans, which index_put_ does not add.
        if tensor.dtype == torch.bool:
            counts = tensor.to(torch.uint8).index_add_(0, places, values.to(torch.uint8).clamp_(max=1))
            tensor.copy_(counts != 0)
        else:
            tensor.index_put_((places,), values, accumulate=True)

    @staticmethod
    def dropout(tensor, probability):
        return torch.nn.functional.dropout(tensor, probability, inplace=not tensor.requires_grad)

    def release_kept_memory(self):
        """Gives memory that PyTorch keeps, but does not use, back to the CUDA device: others can have it then.

        Returns whether it could: not while a graph is captured.
        """
        if not self.on_gpu:
            return False
        with torch.cuda.device(self.device):
            if torch.cuda.is_current_stream_capturing():
                return False
            torch.cuda.empty_cache()
        return True


def _new_type(library, element):
    return element and getattr(library, {"i32": "int32", "f32": "float32"}[element])


def _moved(array, device=None, dtype=None):
    if device is not None and str(device) != "cpu":
        raise ValueError(f"argument 'device': expected 'cpu' for a numpy.ndarray, but got {str(device)!r}")
    return array if dtype is None else array.astype(dtype, copy=False)


def _range_of(tensor):
    """The address of the tensor, and that after its last element."""
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return tensor.data_ptr(), tensor.data_ptr() + (last + 1) * tensor.element_size()


def _may_overlap(tensor, other):
    """Whether the ranges of bytes do."""
    (begin, end), (other_begin, other_end) = _range_of(tensor), _range_of(other)
    return tensor.numel() != 0 != other.numel() and begin < other_end and other_begin < end


def _norms(tensor, axes):
    tensor = tensor if tensor.is_floating_point() else tensor.double()
    return torch.linalg.vector_norm(tensor, dim=axes, dtype=torch.float64)


#: Functions on whole arrays, for each the forms of NumPy and of PyTorch.
_FORMS = {
    # A new array of the type of `like`, or of our name of one.
    "empty": (lambda shape, like, element=None: np.empty(shape, _new_type(np, element) or like.dtype),
              lambda shape, like, element=None: like.new_empty(shape) if element is None else like.new_empty(
                  shape, dtype=_new_type(torch, element))),
    "zeros": (lambda shape, like: np.zeros(shape, like.dtype), lambda shape, like: like.new_zeros(shape)),
    "arange": (lambda size, like: np.arange(size), lambda size, like: torch.arange(size, device=like.device)),
    # An array of NumPy in this library, where `like` is; and an array in host memory.
    "of_numpy": (lambda array, like: array, lambda array, like: torch.from_numpy(array).to(like.device)),
    "host": (np.asarray, lambda tensor: tensor.cpu()),
    "moved": (_moved, lambda tensor, device=None, dtype=None: tensor.to(device=device, dtype=dtype)),
    "of_type": (lambda array, dtype: array.astype(dtype, copy=False),
                lambda tensor, dtype: tensor if dtype is None else tensor.to(dtype)),
    "int64": (lambda array: array.astype(np.int64, copy=False), lambda tensor: tensor.long()),
    "expand": (np.broadcast_to, lambda tensor, shape: tensor.expand(shape)),
    "contiguous": (np.ascontiguousarray, lambda tensor: tensor.contiguous()),
    "transposed": (lambda array: array.swapaxes(-1, -2), lambda tensor: tensor.transpose(-1, -2)),
    "is_transposed": (lambda array: _is_transposed(array.shape, [stride // array.itemsize for stride in array.strides]),
                      lambda tensor: _is_transposed(tensor.shape, tensor.stride())),
    # A (*, R, C) matrix as (*, R / rows, C / columns, rows, columns), in the same memory: a dimension can always be
    # split where it lies.
    "grid": (lambda matrix, rows, columns: matrix.reshape(_split(matrix.shape, rows, columns)).swapaxes(-3, -2),
             lambda matrix, rows, columns: matrix.view(*_split(matrix.shape, rows, columns)).transpose(-3, -2)),
    "may_overlap": (np.may_share_memory, _may_overlap),
    # Numbers of writes to `snapshot`s, or None where none can be written.
    "versions": (lambda arrays: None, lambda tensors: tuple(tensor._version for tensor in tensors)),
    "count_write": (lambda array: None, autograd.count_write),
    "where": (np.where, lambda *given: torch.where(*given)),
    "sorted": (np.sort, lambda tensor: tensor.sort(dim=-1).values),
    # How many of the ascending ones are below each value, or equal to it.
    "count_below": (
        lambda ascending, values, or_equal=False: np.searchsorted(ascending, values, "right" if or_equal else "left"),
        lambda ascending, values, or_equal=False: torch.searchsorted(ascending, values, right=or_equal)),
    # Places of the keys along the last dimension, ascending; NaN last.
    "stable_order": (lambda keys: np.argsort(keys, axis=-1, kind="stable"),
                     lambda keys: torch.argsort(keys, dim=-1, stable=True)),
    "is_real": (lambda array: array.dtype.kind in "iuf" or NumpyArrays.dtype(array.dtype) == "bf16",
                lambda tensor: not tensor.is_complex() and tensor.dtype != torch.bool),
    "norms": (lambda array, axes: np.sqrt(np.square(array.astype(np.float64)).sum(axis=axes)), _norms),
}
for _name, _forms in _FORMS.items():
    for _library, _form in zip((NumpyArrays, TorchArrays), _forms):
        setattr(_library, _name, staticmethod(_form))


NUMPY = NumpyArrays()
# A view such as the imaginary part of a conjugate: DLPack would pass the memory without the sign.
LAZY_NEGATION = ("expected a tensor whose memory has its elements, but got one that is negated when read; use "
                 "resolve_neg()")
_torch = functools.cache(TorchArrays)


def is_torch(value):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def host_value(value):
    """A tensor's elements as an array of NumPy in host memory, bf16 as f32; anything else as it is."""
    if not is_torch(value):
        return value
    value = value.detach().cpu()
    return value.float().numpy() if str(value.dtype) == "torch.bfloat16" else value.numpy()


def without_gradient(value):
    """The value; of a tensor of PyTorch its elements alone."""
    return TorchArrays.passed(value) if is_torch(value) else value


def without_base(value):
    """The same memory, for a tensor of PyTorch that is a view of a sparse one, which torch.compile does not take as an
    input; as it is where autograd knows of it."""
    base = getattr(value, "_base", None) if is_torch(value) else None
    if base is None or str(base.layout) == "torch.strided" or value.requires_grad or autograd.is_dual(value):
        return value
    return value.data


def require_no_derivative(name, value):
    """Raises for a tensor of which PyTorch would want a gradient or a tangent, which nothing here computes."""
    if not is_torch(value):
        return
    if autograd.needs_gradient(value):
        raise NotImplementedError(f"argument '{name}': expected a tensor that requires no gradient, but got one that "
                                  "does, where gradients are recorded; use detach() or torch.no_grad()")
    if autograd.is_dual(value):
        raise NotImplementedError(f"argument '{name}': expected a tensor without a tangent, but got a dual of "
                                  "forward-mode differentiation, which has no derivative here")


def _require_own_elements(name, tensor):
    """Raises ValueError for a tensor of PyTorch whose memory is not what it says it is."""
    if tensor.is_neg():
        raise ValueError(f"argument '{name}': {LAZY_NEGATION}")
    stand_ins.refuse(name, tensor)


def _require_elements_in_place(name, array):
    """Raises for an array of NumPy whose memory is not a grid of its elements."""
    if type(array) is not np.ndarray and isinstance(array, np.ma.MaskedArray):  # Which is imported then.
        raise TypeError(f"argument '{name}': expected an array without a mask, but got a {type(array).__name__}; use "
                        "filled()")
    if array.flags.aligned:
        return
    width = array.itemsize
    if any(stride % width for stride in array.strides):
        raise ValueError(f"argument '{name}': expected strides of multiples of the {width} bytes of {array.dtype}, but "
                         f"got {array.strides}; use copy()")
    raise ValueError(f"argument '{name}': expected data aligned to the {width} bytes of {array.dtype}, but got an "
                     "address that is no multiple; use copy()")


def raise_refusal(arguments, error):
    """Raises ValueError for the first argument, of those by name, that DLPack refuses, as `error` says of one."""
    for name, value in arguments.items():
        try:
            if hasattr(value, "__dlpack__"):
                value.__dlpack__()
        except BufferError as own:
            raise ValueError(f"argument '{name}': expected an array that DLPack takes, but got one that it does not: "
                             f"{own}") from None
    raise ValueError(f"expected arrays that DLPack takes, but got one that it does not: {error}") from None


def require_memory(arguments):
    """Raises for an array, of those by name, that a compiled program cannot use where it lies."""
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            _require_elements_in_place(name, value)
        elif is_torch(value):
            _require_own_elements(name, value)
            require_no_derivative(name, value)


def require_element(name, array, arrays, allowed):
    """Our name of an argument's element type. Raises ValueError where it is not among those allowed."""
    dtype = arrays.dtype(array.dtype)
    if dtype not in allowed:
        raise ValueError(f"argument '{name}': expected elements of {' or '.join(allowed)}, but got {array.dtype}")
    return dtype


def require_shape(name, array, shape):
    """Raises ValueError for an array of another shape."""
    if tuple(array.shape) != shape:
        raise ValueError(f"argument '{name}': expected shape {shape}, but got {tuple(array.shape)}")


def require_writable(name, array):
    """Raises ValueError for an array of NumPy that is read-only."""
    if isinstance(array, np.ndarray) and not array.flags.writeable:
        raise ValueError(f"argument '{name}': expected an array that can be written, but got a read-only one")


def require_same(name, value, arrays, other):
    """Raises ValueError for an array of another library or device than `other`, which has `arrays`."""
    own = arrays_of(name, value)
    if own is not arrays:
        raise ValueError(f"argument '{name}': expected an array of the same library and device as {other}, "
                         f"{arrays.description}, but got {own.description}")


def arrays_of(name, value):
    """The functions for an array. Raises TypeError for anything else; `name` is the argument's."""
    if isinstance(value, np.ndarray):
        _require_elements_in_place(name, value)
        return NUMPY
    if is_torch(value):
        if value.is_nested:
            raise TypeError(f"argument '{name}': expected a dense tensor, but got a nested one")
        if str(value.layout) != "torch.strided":
            raise TypeError(f"argument '{name}': expected a dense tensor, but got one of layout {value.layout}")
        if value.device.type not in ("cpu", "cuda"):
            raise ValueError(f"argument '{name}': expected a tensor on the CPU or a CUDA device, but got one on "
                             f"{value.device}")
        _require_own_elements(name, value)
        return _torch(value.device)
    raise TypeError(f"argument '{name}': expected a numpy.ndarray or a torch.Tensor, but got {type(value).__name__}")
