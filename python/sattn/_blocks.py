"""Which blocks of a mask are empty, partly and wholly visible, by the values of its elements."""

import typing

import numpy as np

from . import _evaluation

#: Elements whose values are in memory at a time.
AT_A_TIME = 2**24


class Lists(typing.NamedTuple):
    """Blocks of keys that each block of queries sees: partly masked ones, and (or None) those wholly visible."""

    kv_num_blocks: object
    kv_indices: object
    full_kv_num_blocks: object
    full_kv_indices: object


def ceil_div(a, b):
    return -(-a // b)


def depends_on(node, name):
    """Whether an expression depends on the argument of this name."""
    return any(leaf.op == "argument" and leaf.payload == name for leaf in node.leaves())


def counts(node, values, band, shape, lengths, block, device=None):
    """Visible elements of each block: an array (B, H, blocks of queries, blocks of keys), in NumPy or on a device.

    node: of the mask_mod; values: of its captures; band: to be seen too, or None. shape: (B, H) of the array, each 1 or
    the whole number. block: (queries, keys).
    """
    arrays = _evaluation.library(device)
    queries, keys = lengths
    rows, columns = ceil_div(queries, block[0]), ceil_div(keys, block[1])
    at_once = max(1, AT_A_TIME // max(1, block[0] * keys))
    if device is None:
        result = np.zeros((*shape, rows, columns), np.int32)
    else:
        result = arrays.module.zeros((*shape, rows, columns), dtype=arrays.module.int32, device=device)
    if not result.size if device is None else not result.numel():
        return result
    key = _positions(arrays, device, 0, keys)[None, :]
    for b in range(shape[0]):
        for h in range(shape[1]):
            for row in range(0, rows, at_once):
                first, last = row * block[0], min((row + at_once) * block[0], queries)
                query = _positions(arrays, device, first, last)[:, None]
                seen = _evaluation.evaluate(node, {"b": arrays.of(b, "i32"), "h": arrays.of(h, "i32"), "q_idx": query,
                                                   "kv_idx": key}, values, arrays)
                if band is not None:
                    seen = seen & band.seen(query, key, lengths)
                seen = arrays.module.broadcast_to(seen, (last - first, keys))
                result[b, h, row:row + at_once] = _sums(seen, block, device)
    return result


def _positions(arrays, device, first, last):
    if device is None:
        return np.arange(first, last, dtype=np.int32)
    return arrays.module.arange(first, last, dtype=arrays.module.int32, device=device)


def _sums(seen, block, device):
    """Numbers of what is true in each block of a matrix; blocks at its end may be smaller."""
    rows, columns = seen.shape
    if device is None:
        by_column = np.add.reduceat(seen, np.arange(0, columns, block[1]), axis=1, dtype=np.int32)
        return np.add.reduceat(by_column, np.arange(0, rows, block[0]), axis=0, dtype=np.int32)
    import torch

    padded = torch.nn.functional.pad(seen, (0, -columns % block[1], 0, -rows % block[0]))
    return padded.view(-(-rows // block[0]), block[0], -(-columns // block[1]), block[1]).sum((1, 3), dtype=torch.int32)


def sizes(lengths, block):
    """How many elements each block has: (blocks of queries, blocks of keys)."""
    ends = [np.minimum(np.arange(1, ceil_div(length, size) + 1) * size, length) for length, size in zip(lengths, block)]
    return np.diff(ends[0], prepend=0)[:, None] * np.diff(ends[1], prepend=0)[None, :]


def lists_of(number, lengths, block, separate=True, device=None):
    """The Lists of blocks with these counts of visible elements."""
    whole = sizes(lengths, block)
    if device is not None:
        import torch

        whole = torch.as_tensor(whole, device=device)
    some, full = number > 0, (number == whole) & (number > 0)
    if not separate:
        return Lists(*ordered(some), None, None)
    return Lists(*ordered(some & ~full), *ordered(full))


def ordered(dense):
    """(how many blocks of each row are true, their columns in order and then those of the others)."""
    if isinstance(dense, np.ndarray):
        columns = np.argsort(~dense, axis=-1, kind="stable").astype(np.int32)
        return dense.sum(-1, dtype=np.int32), columns
    import torch

    columns = torch.argsort(dense.to(torch.int32), dim=-1, descending=True, stable=True)
    return dense.sum(-1, dtype=torch.int32), columns.to(torch.int32)


def dense_of(numbers, indices, columns):
    """Which blocks a list has, as a boolean array (*, rows, columns) in host memory.

    Entries after the number, and those that are no block, do not count.
    """
    numbers, indices = np.asarray(numbers), np.asarray(indices)
    listed = np.arange(indices.shape[-1]) < numbers[..., None]
    listed &= (indices >= 0) & (indices < columns)
    dense = np.zeros((*indices.shape[:-1], columns + 1), bool)
    np.put_along_axis(dense, np.where(listed, indices, columns).astype(np.int64), True, -1)
    return dense[..., :columns]
