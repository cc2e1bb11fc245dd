"""prune_to_bsr."""

import numbers

import numpy as np

from . import adapters, matrices, patterns


def require_sparsity(sparsity):
    """Raises ValueError for what is no share of a matrix's blocks."""
    if isinstance(sparsity, bool) or not isinstance(sparsity, numbers.Real) or not 0 <= sparsity <= 1:
        raise ValueError(f"argument 'sparsity': expected a number from 0 to 1, but got {sparsity!r}")


def stays(count, sparsity):
    """How many of a matrix's blocks are stored."""
    return count - round(sparsity * count)


def _kept_of_matrix(arrays, norms, sparsity):
    """(crow, places): the largest of each matrix, as places in its grid of blocks, ascending."""
    count, down, across = norms.shape
    order = arrays.stable_order(norms.reshape(count, down * across))
    places = arrays.sorted(order[:, order.shape[1] - stays(down * across, sparsity):])
    return patterns.offsets_of(arrays, places // max(across, 1), down), places


def _kept_of_rows(arrays, norms, kept):
    """The blocks that are kept as by _kept_of_matrix, the largest of each block row."""
    count, down, across = norms.shape
    order = arrays.stable_order(norms)
    columns = arrays.sorted(order[:, :, across - kept:])
    places = columns + arrays.arange(down, order)[:, None] * across
    crow = arrays.arange(down + 1, order) * kept
    return arrays.expand(crow, (count, down + 1)), places.reshape(count, down * kept)


def prune_to_bsr(matrix, block, *, sparsity=None, blocks_per_row=None):
    """A dense matrix with only its blocks of the largest Frobenius norm, in BSR.

    matrix: (*, M, K) of NumPy or PyTorch, in whole blocks; integers or floating-point numbers. block: a size, or
    (BM, BK), any. One of sparsity: the share of a matrix's blocks that goes, 0 to 1, rounded to whole blocks; and
    blocks_per_row: how many stay in each block row. Of equal norms the later in the matrix stay, by rows; a NaN is the
    largest. Exactly as many blocks as asked for are stored, zeros among them.

    Returns (crow, col, values) of an array of NumPy, a torch.sparse_bsr tensor on the same device of one of PyTorch;
    nothing waits for the device. Raises TypeError for what is no matrix of numbers, ValueError for arguments that do
    not fit.
    """
    arrays = adapters.arrays_of("matrix", matrix)
    block = matrices.block_of(block)
    matrices.require_whole_blocks(matrix.shape, block)
    if not arrays.is_real(matrix):
        raise TypeError(f"argument 'matrix': expected integers or floating-point numbers, but got {matrix.dtype}")
    *batch, m, k = matrix.shape
    down, across = m // block[0], k // block[1]
    if (sparsity is None) == (blocks_per_row is None):
        raise ValueError("argument 'sparsity': expected either it or 'blocks_per_row', but got "
                         + ("neither" if sparsity is None else "both"))
    if sparsity is not None:
        require_sparsity(sparsity)
    if blocks_per_row is not None and (isinstance(blocks_per_row, bool)
                                       or not isinstance(blocks_per_row, (int, np.integer))
                                       or not 0 <= blocks_per_row <= across):
        raise ValueError(f"argument 'blocks_per_row': expected an integer from 0 to {across}, the block columns, but "
                         f"got {blocks_per_row!r}")
    count = int(np.prod(batch, dtype=np.int64))
    grid = matrix.reshape(count, down, block[0], across, block[1])
    norms = arrays.norms(grid, (2, 4))
    crow, places = (_kept_of_rows(arrays, norms, int(blocks_per_row)) if sparsity is None else
                    _kept_of_matrix(arrays, norms, sparsity))
    first = arrays.arange(count, places)[:, None]
    # With slices between the indices, the indexed dimensions come first: (B, nnz, BM, BK).
    values = grid[first, places // max(across, 1), :, places % max(across, 1), :]
    stored = places.shape[1]
    index = matrices.index_type(stored, down, across) if arrays is adapters.NUMPY else None
    parts = (arrays.of_type(crow, index).reshape(*batch, down + 1),
             arrays.of_type(places % max(across, 1), index).reshape(*batch, stored),
             values.reshape(*batch, stored, *block))
    return parts if arrays is adapters.NUMPY else matrices.tensor_of(*parts, tuple(matrix.shape))
