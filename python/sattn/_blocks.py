"""Which blocks of a mask are empty, partly and wholly visible, by the values of its elements."""

import math
import typing

import numpy as np

from . import _evaluation, _functions
from ._block_counts import block_counts
from ._expression import Graph

#: Elements whose values are in memory, at most.
MOST_EVALUATED = 2**24


class Lists(typing.NamedTuple):
    """Blocks of keys that each block of queries sees: partly masked ones, and (or None) those wholly visible."""

    kv_num_blocks: object
    kv_indices: object
    full_kv_num_blocks: object
    full_kv_indices: object


def ceil_div(a, b):
    return -(-a // b)


def counts(function, values, band, shape, lengths, block, device=None):
    """Visible elements of each block: an array (B, H, blocks of queries, blocks of keys), in NumPy or on a device.

    function: of a mask_mod, with the values of its captures; band: to be seen too, or None. shape: (B, H) of the array,
    each 1 or the whole number. block: (queries, keys). Where there are few elements, all are computed, without a
    compiler.
    """
    if math.prod(shape) * math.prod(lengths) > MOST_EVALUATED:
        return block_counts(function, values, band, shape, lengths, block, device)
    arrays = _evaluation.library(device)
    if device is None:
        values = _functions.host_arrays(values)
    if not math.prod(shape) * math.prod(lengths):
        size = *shape, *map(ceil_div, lengths, block)
        return np.zeros(size, np.int32) if device is None else arrays.module.zeros(size, dtype=arrays.module.int32, device=device)
    query, key = _positions(arrays, device, lengths[0])[:, None], _positions(arrays, device, lengths[1])[None, :]
    node = function.result
    if band is not None:
        graph = Graph()
        node = graph.bitwise("and", node, band.node(graph, tuple(map(graph.constant, lengths))))
    found = []
    for b in range(shape[0]):
        for h in range(shape[1]):
            seen = _evaluation.evaluate(node, {"b": arrays.of(b, "i32"), "h": arrays.of(h, "i32"), "q_idx": query,
                                               "kv_idx": key}, values, arrays)
            found.append(_sums(arrays.module.broadcast_to(seen, lengths), block, device))
    return arrays.module.stack(found).reshape(*shape, *found[0].shape)


def _positions(arrays, device, length):
    if device is None:
        return np.arange(length, dtype=np.int32)
    return arrays.module.arange(length, dtype=arrays.module.int32, device=device)


def _sums(seen, block, device):
    """Numbers of what is true in each block of a matrix; blocks at its end may be smaller."""
    rows, columns = seen.shape
    if device is None:
        by_column = np.add.reduceat(seen, np.arange(0, columns, block[1]), axis=1, dtype=np.int32)
        return np.add.reduceat(by_column, np.arange(0, rows, block[0]), axis=0, dtype=np.int32)
    import torch

    padded = torch.nn.functional.pad(seen, (0, -columns % block[1], 0, -rows % block[0]))
    return padded.view(-(-rows // block[0]), block[0], -(-columns // block[1]), block[1]).sum((1, 3), dtype=torch.int32)


def sizes(lengths, block, device=None):
    """How many elements each block has: (blocks of queries, blocks of keys)."""
    arrays = _evaluation.library(device)
    rows, columns = (arrays.clip(length - _positions(arrays, device, ceil_div(length, size)) * size, 0, size)
                     for length, size in zip(lengths, block))
    return rows[:, None] * columns[None, :]


def lists_of(number, lengths, block, separate=True, device=None):
    """The Lists of blocks with these counts of visible elements."""
    whole = sizes(lengths, block, device)
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

    dense = dense.contiguous()
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
