"""Patterns of block-sparse matrices: the block rows of stored blocks, and transposed patterns. Nothing waits for a
device."""


def rows_of(arrays, crow, col, across):
    """(B, nnz) block rows of the stored blocks, and whether a row refers to them and they are inside the matrix.

    crow: (B, M / BM + 1). col: (B, nnz). across: block columns of the matrix.
    """
    (count, stored), down = col.shape, crow.shape[-1] - 1
    # One ascending list of all offsets: those of a batch are after those of the one before.
    first = arrays.arange(count, col)[:, None]
    offsets = arrays.int64(crow) + first * (stored + 1)
    places = arrays.arange(stored, col) + first * (stored + 1)
    rows = arrays.count_below(offsets.reshape(-1), places.reshape(-1), or_equal=True).reshape(count, stored)
    rows = rows - 1 - first * (down + 1)
    return rows, (rows >= 0) & (rows < down) & (col >= 0) & (col < across)


def transposed(arrays, crow, col, across):
    """(crow, col, order) of the transpose: its block i is the block order[i] of the matrix. Its block columns ascend in
    each row, and blocks in the same place stay in their order.

    crow, col, across: as of rows_of. What no row refers to, or is outside of the matrix, is after all others, where
    offsets do not reach. Indices have the types of crow and col, order is of 64 bits.
    """
    down = crow.shape[-1] - 1
    rows, is_inside = rows_of(arrays, crow, col, across)
    rows = arrays.where(is_inside, rows, 0)
    keys = arrays.where(is_inside, arrays.int64(col), across)
    order = arrays.stable_order(keys * max(down, 1) + rows)
    first = arrays.arange(col.shape[0], order)[:, None]
    offsets = offsets_of(arrays, keys[first, order], across)
    return arrays.of_type(offsets, crow.dtype), arrays.of_type(rows[first, order], col.dtype), order


def offsets_of(arrays, keys, limit):
    """(B, limit + 1): how many keys are below each number from 0 to limit. keys: (B, n), each batch's ascending, from 0
    to limit."""
    count, size = keys.shape
    # One ascending list of all: the keys of a batch are after those of the one before.
    first = arrays.arange(count, keys)[:, None]
    bounds = arrays.arange(limit + 1, keys)
    found = arrays.count_below((keys + first * (limit + 1)).reshape(-1), (bounds + first * (limit + 1)).reshape(-1))
    return found.reshape(count, limit + 1) - first * size
