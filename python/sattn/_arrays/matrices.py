"""Matrices that conversions take: shapes, blocks, and the elements of sparse ones."""

import numpy as np

from . import lazy_torch as torch


def is_scipy(matrix):
    """Whether it is a sparse matrix of SciPy."""
    return hasattr(matrix, "tobsr") and isinstance(getattr(matrix, "format", None), str)


def block_of(block):
    """(BM, BK). Raises ValueError for anything but a positive integer or two of them."""
    sizes = (block, block) if isinstance(block, (int, np.integer)) else block
    try:
        sizes = tuple(sizes)
    except TypeError:
        sizes = ()
    if len(sizes) != 2 or any(isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1
                              for size in sizes):
        raise ValueError(f"argument 'block': expected a positive integer or two, (BM, BK), but got {block!r}")
    return tuple(map(int, sizes))


def require_whole_blocks(shape, block):
    """Raises ValueError where a matrix (*, M, K) is not one of whole blocks."""
    if len(shape) < 2:
        raise ValueError(f"argument 'matrix': expected shape (*, M, K), but got {tuple(shape)}")
    if shape[-2] % block[0] or shape[-1] % block[1]:
        raise ValueError(f"argument 'matrix': expected rows and columns in whole blocks of {block[0]} x {block[1]}, "
                         f"but got shape {tuple(shape)}")


def index_type(*sizes):
    """The type of NumPy that holds indices up to these sizes: int32 where it does."""
    return np.int32 if max(sizes) < 2**31 else np.int64


def tensor_of(crow, col, values, shape):
    """A torch.sparse_bsr tensor of arrays that are known to be one."""
    return torch.sparse_bsr_tensor(crow, col, values, shape, check_invariants=False)


def _compressed(matrix):
    """(offsets, the other indices, whether offsets are of rows) of a compressed matrix of PyTorch."""
    if matrix.layout in (torch.sparse_csr, torch.sparse_bsr):
        return matrix.crow_indices(), matrix.col_indices(), True
    return matrix.ccol_indices(), matrix.row_indices(), False


def elements_of(matrix):
    """(rows, columns, values) of the elements that a sparse matrix of PyTorch stores, on its device. In COO each place
    comes once. Of blocks only what is not zero comes. Raises ValueError for batches and dense dimensions.
    """
    is_coo = matrix.layout == torch.sparse_coo
    is_blocked = matrix.layout in (torch.sparse_bsr, torch.sparse_bsc)
    if matrix.ndim != 2 or is_coo and matrix.sparse_dim() != 2:
        raise ValueError("argument 'matrix': expected one sparse matrix without batches and dense dimensions, but got "
                         f"shape {tuple(matrix.shape)} in layout {matrix.layout}")
    if is_coo:
        matrix = matrix.coalesce()
        return *matrix.indices(), matrix.values()
    offsets, others, is_by_rows = _compressed(matrix)
    stored = torch.arange(len(others), device=others.device, dtype=offsets.dtype)
    # The range of offsets that each stored one lies in.
    owners = torch.searchsorted(offsets, stored, right=True) - 1
    rows, columns = (owners, others.long()) if is_by_rows else (others.long(), owners)
    values = matrix.values()
    if is_blocked:
        height, width = values.shape[1:]
        which, down, across = values.nonzero(as_tuple=True)
        return rows[which] * height + down, columns[which] * width + across, values[which, down, across]
    return rows, columns, values
