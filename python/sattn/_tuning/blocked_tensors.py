"""Random matrices of whole blocks, and dense ones, in the caller's library."""

import math
import sys

import numpy as np

from .._arrays import dtypes

#: NumPy's and PyTorch's names of element types by ours.
LIBRARY_NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "i32": "int32",
                 **{ours: theirs for theirs, ours in dtypes.LIBRARY_NAMES.items()}}
_OURS = {theirs: ours for ours, theirs in LIBRARY_NAMES.items()}


def is_torch_dtype(dtype):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(dtype, torch.dtype)


def element_of(dtype):
    """Our name of an element type: of PyTorch, of NumPy, or a name of either or of ours. Raises ValueError."""
    if is_torch_dtype(dtype):
        name = str(dtype).removeprefix("torch.")
    elif isinstance(dtype, str):
        name = dtype
    else:
        name = np.dtype(dtype).name
    if name in LIBRARY_NAMES:
        return name
    if name in _OURS:
        return _OURS[name]
    raise ValueError(f"argument 'dtype': expected one of {', '.join(LIBRARY_NAMES)}, but got {dtype!r}")


def _numpy_dtype(dtype):
    name = LIBRARY_NAMES[element_of(dtype)]
    if name == "bfloat16" or name.startswith("float8"):
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)


def is_on_host(dtype, device):
    """Whether matrices of the type on the device are NumPy's: on the CPU, unless the type is PyTorch's."""
    return str(device) == "cpu" and not is_torch_dtype(dtype)


def in_library(array, dtype, device):
    """An array of NumPy as one of the type on the device."""
    if is_on_host(dtype, device):
        return array.astype(_numpy_dtype(dtype))
    import torch

    wanted = dtype if is_torch_dtype(dtype) else getattr(torch, LIBRARY_NAMES[element_of(dtype)])
    return torch.from_numpy(array).to(device=device, dtype=wanted)


def _require_multiple(name, size, block):
    if block < 1 or size % block:
        raise ValueError(f"argument '{name}': expected a multiple of {block}, the size of a block, but got {size}")


def blocked(random, B, M, N, blocksize, sparsity, dtype, device):
    """create_blocked_tensor, with its generator: numpy.random or one of its Generators."""
    if not 0 <= sparsity <= 1:
        raise ValueError(f"argument 'sparsity': expected a number from 0 to 1, but got {sparsity}")
    rows, columns = blocksize
    _require_multiple("M", M, rows)
    _require_multiple("N", N, columns)
    grid = M // rows, N // columns
    stored = int((1 - sparsity) * M * N / (rows * columns))
    matrices = np.zeros((max(B, 1), math.prod(grid)), np.float32)
    for matrix in matrices:
        matrix[random.permutation(matrix.size)[:stored]] = 1
    blocks = matrices.reshape(*([B] if B else []), *grid)
    return in_library(blocks.repeat(rows, axis=-2).repeat(columns, axis=-1), dtype, device)


def create_blocked_tensor(B, M, N, blocksize, sparsity, dtype, device):
    """A random matrix of blocks that are 1 throughout or 0 throughout.

    B: matrices, or 0 for one without a dimension of batches. M, N: rows and columns, multiples of blocksize's.
    sparsity: from 0 to 1: each matrix has int((1 - sparsity) * M * N / elements of a block) blocks of 1.
    dtype: of PyTorch, of NumPy, or a name ("f16", "bfloat16"). device: "cpu", or one of PyTorch.

    Returns a tensor of PyTorch, or on the CPU, unless dtype is PyTorch's, an array of NumPy: (M, N) or (B, M, N). The
    library's global generator (torch.manual_seed, numpy.random.seed) decides where blocks are. Raises ValueError for
    sizes that do not fit.
    """
    random = np.random
    if not is_on_host(dtype, device):
        import torch

        random = np.random.default_rng(torch.randint(2**31, ()).item())
    return blocked(random, B, M, N, blocksize, sparsity, dtype, device)


def random_matrix(random, rows, columns, dtype, device):
    """A dense matrix of small whole numbers, which all types have, by a Generator of NumPy."""
    return in_library(random.integers(-4, 5, (rows, columns)).astype(np.float32), dtype, device)
