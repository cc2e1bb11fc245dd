"""Patterns of block-sparse matrices: the block rows of stored blocks, and transposed patterns. Nothing waits for a
device."""

from . import array_functions


def rows_of(functions, crow, col, across):
    """(B, nnz) block rows of the stored blocks, and whether a row refers to them and they are inside the matrix.

    crow: (B, M / BM + 1). col: (B, nnz). across: block columns of the matrix.
    """
    (count, stored), down = col.shape, crow.shape[-1] - 1
    # One ascending list of all offsets: those of a batch are after those of the one before.
    first = functions.arange(count, col)[:, None]
    offsets = functions.int64(crow) + first * (stored + 1)
    places = functions.arange(stored, col) + first * (stored + 1)
    rows = functions.count_below(offsets.reshape(-1), places.reshape(-1), or_equal=True).reshape(count, stored)
    rows = rows - 1 - first * (down + 1)
    return rows, (rows >= 0) & (rows < down) & (col >= 0) & (col < across)


def transposed(functions, crow, col, across):
    """(crow, col, order) of the transpose: its block i is the block order[i] of the matrix. Its block columns ascend in
    each row, and blocks in the same place stay in their order.

    crow, col, across: as of rows_of. What no row refers to, or is outside of the matrix, is after all others, where
    offsets do not reach. Indices have the types of crow and col, order is of 64 bits.
    """
    down = crow.shape[-1] - 1
    rows, is_inside = rows_of(functions, crow, col, across)
    rows = functions.where(is_inside, rows, 0)
    keys = functions.where(is_inside, functions.int64(col), across)
    order = functions.stable_order(keys * max(down, 1) + rows)
    first = functions.arange(col.shape[0], order)[:, None]
    offsets = array_functions.offsets_of(functions, keys[first, order], across)
    return functions.of_type(offsets, crow.dtype), functions.of_type(rows[first, order], col.dtype), order
