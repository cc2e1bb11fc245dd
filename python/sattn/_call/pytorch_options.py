"""Arguments of PyTorch's block-sparse functions that ours take besides, and what those functions refuse."""

import collections.abc

import numpy as np

from .._arrays import adapters, sparse_operand


def check_of(skip_checks, max_grid, check):
    """The value of `check` in a call with PyTorch's skip_checks and max_grid. Raises TypeError or ValueError for what
    cannot be.

    max_grid limits the grids of PyTorch's launches; ours split or flatten any grid by themselves.
    """
    if not isinstance(skip_checks, (bool, np.bool_)):
        raise TypeError(f"argument 'skip_checks': expected a bool, but got {type(skip_checks).__name__}")
    if max_grid is not None:
        sizes = tuple(max_grid) if isinstance(max_grid, collections.abc.Sequence) else None
        if sizes is None or len(sizes) > 3 or not all(
                size is None or isinstance(size, (int, np.integer)) and not isinstance(size, bool) and size > 0
                for size in sizes):
            raise ValueError("argument 'max_grid': expected at most three sizes, each a positive integer or None, but "
                             f"got {max_grid!r}")
    if not skip_checks:
        return check
    if check:
        raise ValueError("argument 'skip_checks': expected False where check is true, but got True")
    return False


def _is_contiguous(matrix):
    return matrix.flags.c_contiguous if isinstance(matrix, np.ndarray) else matrix.is_contiguous()


def _require_accepted_block(name, block):
    if any(size < 16 or size & (size - 1) for size in block):
        raise ValueError(f"argument '{name}': expected blocks of powers of 2 from 16 on, since strict is true, but got "
                         f"{' x '.join(map(str, block))}")


def require_accepted_sampled(input, out):
    """Raises ValueError for blocks and an out that sampled_addmm of torch.sparse has no code for (strict=True)."""
    values = sparse_operand.parts_of(input, "input")[2]
    adapters.arrays_of("input", values)
    _require_accepted_block("input", tuple(values.shape[-2:]))
    if out is not None:
        own = sparse_operand.parts_of(out, "out")[2]
        if own.dtype != values.dtype:
            raise ValueError(f"argument 'out': expected elements of {values.dtype}, as input has, since strict is "
                             f"true, but got {own.dtype}")


def require_accepted(bsr, dense, out):
    """Raises ValueError for blocks, columns and strides that bsr_dense_mm of torch.sparse refuses (strict=True).

    Devices do not count: what PyTorch would take on a GPU may be checked on the CPU.
    """
    values = bsr.values if isinstance(bsr, sparse_operand.Operand) else sparse_operand.parts_of(bsr)[2]
    for name, array in (("bsr", values), ("dense", dense), ("out", out)):
        if array is not None or name == "dense":
            adapters.arrays_of(name, array)
    _require_accepted_block("bsr", tuple(values.shape[-2:]))
    if dense.ndim >= 2 and dense.shape[-1] % 16:
        raise ValueError("argument 'dense': expected a multiple of 16 columns, since strict is true, but got "
                         f"{dense.shape[-1]}")
    if out is not None and out.ndim >= 2 and not _is_contiguous(out) and not _is_contiguous(out.swapaxes(-1, -2)):
        raise ValueError("argument 'out': expected contiguous rows or columns without gaps, since strict is true, but "
                         f"got shape {tuple(out.shape)} with other strides")
