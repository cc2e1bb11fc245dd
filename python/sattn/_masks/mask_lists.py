"""Lists of the partial and full blocks of a mask, from the values of its elements."""

import math
import typing

import numpy as np

from .._arrays import evaluation, lazy_torch as torch
from .._trace import direct_reads, user_functions
from . import bounds
from .block_counts import block_counts
from .block_lists import begin as begin_lists, block_lists, extents

#: Elements whose values are in memory, at most.
MOST_EVALUATED = 2**24


class Lists(typing.NamedTuple):
    """The block lists of each block of queries: partial blocks of keys and, unless they are None, full ones. Entries
    after the number of a row's indices do not count."""

    kv_num_blocks: object
    kv_indices: object
    full_kv_num_blocks: object
    full_kv_indices: object


def ceil_div(a, b):
    return -(-a // b)


def counts(function, values, band, shape, lengths, block, device=None, exact=True, out=None):
    """Visible elements of each block: an array (B, H, blocks of queries, blocks of keys), in NumPy or on a device.

    function: of a mask_mod, with the values of its captures; band: a Band that must hold too, or None. shape: (B, H) of
    the array, each 1 or the whole number. block: (queries, keys). exact: otherwise the numbers of partial blocks may
    be any between none and all. out: the array and the transposed one, of a CountsPair; or None. Where there are few
    elements, all are computed, without a compiler. Raises ValueError for captured arrays that are too short.
    """
    direct_reads.require(function, values, lengths)
    if math.prod(shape) * math.prod(lengths) > MOST_EVALUATED:
        return block_counts(function, values, band, shape, lengths, block, device, exact, out)
    arrays = evaluation.library(device)
    if device is None:
        values = user_functions.host_arrays(values)
    if not math.prod(shape) * math.prod(lengths):
        size = *shape, *map(ceil_div, lengths, block)
        if device is None:
            return np.zeros(size, np.int32)
        return arrays.module.zeros(size, dtype=arrays.module.int32, device=device)
    query, key = _positions(arrays, device, lengths[0])[:, None], _positions(arrays, device, lengths[1])[None, :]
    node, found = bounds.within(function, band, lengths), []
    for b in range(shape[0]):
        for h in range(shape[1]):
            visible = evaluation.evaluate(node, {"b": arrays.of(b, "i32"), "h": arrays.of(h, "i32"), "q_idx": query,
                                              "kv_idx": key}, values, arrays)
            found.append(_counts_of(arrays.module.broadcast_to(visible, lengths), block, device))
    return arrays.module.stack(found).reshape(*shape, *found[0].shape)


def bounded(function, values, band, lengths, block, device=None):
    """The result of bounds.visible for a long mask, in NumPy or on a device; None of others, whose elements are
    evaluated."""
    if math.prod(lengths) <= MOST_EVALUATED:
        return None
    direct_reads.require(function, values, lengths)
    return bounds.visible(function, values, band, lengths, block, device)


def _positions(arrays, device, length):
    if device is None:
        return np.arange(length, dtype=np.int32)
    return arrays.module.arange(length, dtype=arrays.module.int32, device=device)


def _counts_of(visible, block, device):
    """The number of visible elements in each block of a matrix; blocks at its end may be smaller."""
    rows, columns = visible.shape
    if device is None:
        by_column = np.add.reduceat(visible, np.arange(0, columns, block[1]), axis=1, dtype=np.int32)
        return np.add.reduceat(by_column, np.arange(0, rows, block[0]), axis=0, dtype=np.int32)
    padded = torch.nn.functional.pad(visible, (0, -columns % block[1], 0, -rows % block[0]))
    return padded.view(-(-rows // block[0]), block[0], -(-columns // block[1]), block[1]).sum((1, 3), dtype=torch.int32)


def sizes(lengths, block, device=None):
    """How many elements each block has: (blocks of queries, blocks of keys)."""
    rows, columns = (extents(length, size, device) for length, size in zip(lengths, block))
    return rows[:, None] * columns[None, :]


def _is_compiled(shape, block, device):
    """Whether the lists of counts of this shape are made by a compiled program."""
    return device is not None and device.type == "cuda" and math.prod(shape) * math.prod(block) > MOST_EVALUATED


def begin(shape, lengths, block, separate, device):
    """Begins to compile what `lists_of` will need for counts of this shape (B, H), if anything."""
    if _is_compiled((*shape, *map(ceil_div, lengths, block)), block, device):
        begin_lists(separate, device)


def expected(batch, separate):
    """Stands for Lists that are not made yet: their first dimensions."""
    numbers, columns = Expected((*batch, None)), Expected((*batch, None, None))
    return Lists(*(numbers, columns) * 2) if separate else Lists(numbers, columns, None, None)


class Expected(typing.NamedTuple):
    """An array that is not made yet. Extents that are None are unknown."""

    shape: tuple


class CountsPair:
    """Counts of a mask with as many blocks of queries as of keys, and the transposed ones, in one array: one launch
    makes the lists of both."""

    def __init__(self, pair):
        self._pair = pair

    @classmethod
    def room(cls, shape, lengths, block, device):
        """A pair with uninitialized counts; None where no single launch makes both lists. shape, lengths, block: as
        `counts` has them."""
        blocks = tuple(map(ceil_div, lengths, block))
        if (lengths[0] != lengths[1] or block[0] != block[1] or math.prod(shape) * math.prod(lengths) <= MOST_EVALUATED
                or not _is_compiled((*shape, *blocks), block, device)):
            return None
        return cls(torch.empty((2, *shape, *blocks), dtype=torch.int32, device=device))

    @property
    def counts(self):
        """The two arrays."""
        return self._pair.unbind()

    def lists(self, lengths, block, separate):
        """(Lists, the transposed ones), once the counts are computed."""
        found = lists_of(self._pair.flatten(0, 1), lengths, block, separate, self._pair.device)
        halves = [(None, None) if array is None else array.chunk(2) for array in found]
        return tuple(Lists(*(half[place] for half in halves)) for place in range(2))


def lists_of(number, lengths, block, separate=True, device=None):
    """The block Lists with these counts of visible elements. Many on a GPU are made by a compiled program."""
    if _is_compiled(number.shape, block, device):
        heights, widths = (extents(length, size, device) for length, size in zip(lengths, block))
        # Rows whose elements are not next to each other would need another kernel.
        found = block_lists(number if number.stride()[-1] == 1 else number.contiguous(), heights, widths, separate)
        return Lists(*found) if separate else Lists(*found, None, None)
    module = evaluation.library(device).module
    listed = _marks(module, 1 + separate, number)
    if separate:
        size = math.prod(block)
        # On a device a number costs less than an array of them.
        is_even = size < 2**31 and not any(length % one for length, one in zip(lengths, block))
        whole = listed[1, ..., 0, :]
        module.greater_equal(number, size if is_even else sizes(lengths, block, device), out=whole)
        module.logical_xor(number, whole, out=listed[0, ..., 0, :])
    else:
        module.not_equal(number, 0, out=listed[0, ..., 0, :])
    return _as_lists(*_columns(module, listed), separate)


def _as_lists(numbers, columns, separate):
    return Lists(numbers[0], columns[0], *((numbers[1], columns[1]) if separate else (None, None)))


def lists_of_visible(some, every, separate=True, device=None):
    """The Lists of blocks that may be visible, and of full blocks, which are among them."""
    module = evaluation.library(device).module
    listed = _marks(module, 1 + separate, some)
    if separate:
        listed[1, ..., 0, :] = every
        module.logical_xor(some, every, out=listed[0, ..., 0, :])
    else:
        listed[0, ..., 0, :] = some
    return _as_lists(*_columns(module, listed), separate)


def ordered(dense):
    """(how many blocks of each row of an array of booleans are true, their columns in order and then those of the
    others)."""
    listed = _marks(np, 1, dense)
    listed[0, ..., 0, :] = dense
    numbers, columns = _columns(np, listed)
    return numbers[0], columns[0]


def _marks(module, kinds, like):
    """Uninitialized marks of blocks (kinds, *, rows, 2, columns): whether each is listed, and then whether not."""
    shape = kinds, *like.shape[:-1], 2, like.shape[-1]
    return np.empty(shape, bool) if module is np else module.empty(shape, dtype=module.bool, device=like.device)


#: Marks that NumPy reads at a time, whose places stay in a cache.
MARKS_AT_ONCE = 2**17


def _columns(module, listed):
    """(how many blocks each row lists, their columns in order and then those of the others), of marks whose second half
    is still to be made.

    A row and its complement have as many true marks as there are columns, so the places of all true ones, in order, are
    the rows of the result. That is one pass, with an extent that does not depend on the data: nothing is sorted, and
    nothing waits for a device.
    """
    module.logical_not(listed[..., 0, :], out=listed[..., 1, :])
    shape = *listed.shape[:-2], listed.shape[-1]
    size, columns = math.prod(shape), shape[-1]

    def to_columns(places, out):
        if columns & (columns - 1):
            module.remainder(places, columns, out=out)
        else:
            module.bitwise_and(places, columns - 1, out=out)

    if module is np:
        numbers = listed[..., 0, :].sum(-1, dtype=np.int32)
        found = np.empty(shape, np.int32)
        if size:
            marks, rows = listed.reshape(-1, 2 * columns), found.reshape(-1, columns)
            step = max(MARKS_AT_ONCE // (2 * columns), 1)
            for first in range(0, len(rows), step):
                to_columns(np.flatnonzero(marks[first:first + step]), rows[first:first + step].reshape(-1))
        return numbers, found
    numbers = listed[..., 0, :].sum(-1, dtype=module.int32)
    found = module.empty(size, dtype=module.int32, device=listed.device)
    if size:  # The functions of devices have no case for nothing at all.
        to_columns(module.nonzero_static(listed.view(-1), size=size)[:, 0], found)
    return numbers, found.view(shape)


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
