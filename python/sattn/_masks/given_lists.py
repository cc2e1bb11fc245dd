"""Lists of a mask that were given, as a kernel takes them: within a band, and with the block that ends after the keys
last."""

import typing
import weakref

import numpy as np

from .._arrays import adapters, lazy_torch as torch
from .._trace import bands, user_functions
from .._trace.readers import Capture
from .._trace.expression import Graph, depends_on
from . import block_masks, mask_functions, mask_lists


class _Within(typing.NamedTuple):
    """Given lists and a band: blocks that the band leaves whole stay wholly visible, others become partly masked.

    cut: where a wholly visible block became partly masked, i32 (B, H, blocks of queries, blocks of keys), or None.
    """

    snapshot: object
    lists: object
    cut: object


class _WithCut(typing.NamedTuple):
    """A mask_mod that is true in blocks that were given as wholly visible, as a Function (_trace/user_functions.py)."""

    kind: str
    result: object
    captures: tuple
    is_derived: bool
    needs_batch: bool
    needs_head: bool
    direct_reads: tuple


# By a mask: its _Within by (band, lengths, size of blocks). By a Function: its _WithCut by what the text depends on.
_within = weakref.WeakKeyDictionary()
_with_cut = weakref.WeakKeyDictionary()
#: Bands that are kept of one mask, at most.
MOST_BANDS = 16


def _require_contents(name, counts, indices, columns):
    """Raises ValueError for counts and entries, in host memory, that are none."""
    length = indices.shape[-1]
    wrong = (counts < 0) | (counts > length)
    if wrong.any():
        place = tuple(map(int, np.argwhere(wrong)[0]))
        raise ValueError(f"argument 'block_mask': expected counts in [0, {length}], the length of a list, in "
                         f"'{name}_num_blocks', but got {counts[place]} at {list(place)}")
    wrong = (np.arange(length) < counts[..., None]) & ((indices < 0) | (indices >= columns))
    if wrong.any():
        place = tuple(map(int, np.argwhere(wrong)[0]))
        entry = np.broadcast_to(indices, wrong.shape)[place]
        raise ValueError(f"argument 'block_mask': expected blocks of keys in [0, {columns}) in '{name}_indices', but "
                         f"got {entry} at {list(place)}")


def _dense(name, counts, indices, columns, arrays):
    counts, indices = (np.asarray(arrays.host(array)) for array in (counts, indices))
    _require_contents(name, counts, indices, columns)
    return mask_lists.dense_of(counts, indices, columns)


def _found_within(lists, band, lengths, block, arrays):
    columns = mask_lists.ceil_div(lengths[1], block[1])
    partial = _dense("kv", lists.kv_num_blocks, lists.kv_indices, columns, arrays)
    full = np.zeros_like(partial)
    if lists.full_kv_num_blocks is not None:
        full = _dense("full_kv", lists.full_kv_num_blocks, lists.full_kv_indices, columns, arrays)
    everything, _ = user_functions.traced("mask_mod", mask_functions.noop_mask)
    number = mask_lists.counts(everything, (), band, (1, 1), lengths, block)
    some, whole = number > 0, number == mask_lists.sizes(lengths, block)
    cut = full & some & ~whole
    found = [*mask_lists.ordered((partial & some) | cut), *mask_lists.ordered(full & whole)]
    found = [arrays.of_numpy(array, lists.kv_indices) for array in found]
    cut = arrays.of_numpy(cut.astype(np.int32), lists.kv_indices) if cut.any() else None
    return mask_lists.Lists(*found), cut


def within(mask, lists, band, lengths, block, arrays):
    """(Lists of given ones within a band, the cut blocks as _Within has them). Raises ValueError for entries that are
    none."""
    kept = _within.setdefault(mask, {})
    key = band, lengths, block
    found = kept.get(key)
    if found is None or not found.snapshot.holds(lists):
        if len(kept) >= MOST_BANDS:
            kept.clear()
        # Before the lists are read: whoever writes them meanwhile is noticed.
        snapshot = block_masks._Snapshot(lists)
        found = kept[key] = _Within(snapshot, *_found_within(lists, band, lengths, block, arrays))
    return found.lists, found.cut


def with_cut(function, values, cut, block):
    """(the Function that is true in blocks of `cut` as well, its values)."""
    if bands.is_everything(function.result):
        return function, values
    shared = tuple(size == 1 for size in cut.shape[:2])
    kept = _with_cut.setdefault(function, {})
    found = kept.get((shared, block))
    if found is None:
        graph = Graph()
        number = len(function.captures)
        lead = [graph.constant(0) if own else graph.position(name) for own, name in zip(shared, ("b", "h"))]
        places = [graph.floor_divide(graph.position(name), graph.constant(size))
                  for name, size in zip(("q_idx", "kv_idx"), block)]
        is_cut = graph.compare("ne", graph.node("load", "i32", *lead, *places, payload=number), graph.constant(0))
        result = graph.bitwise("or", function.result, is_cut)
        captures = *function.captures, Capture("array", "full_kv_indices", -1, "i32", 4)
        found = kept[shared, block] = _WithCut(function.kind, result, captures, False, depends_on(result, "b"),
                                               depends_on(result, "h"), function.direct_reads)
    return found, [*values, cut]


def ragged_last(lists, lengths, block, arrays):
    """Lists in which the wholly visible block that ends after the keys, which may be at any place, is the last: kernels
    mask the last one alone. Nothing waits for a device."""
    whole, rest = divmod(lengths[1], block[1])
    counts, indices = lists.full_kv_num_blocks, lists.full_kv_indices
    if not rest or counts is None or indices.shape[-1] < 2:
        return lists
    if arrays is adapters.NUMPY:
        module, places = np, np.arange(indices.shape[-1])
    else:
        module = torch
        places = module.arange(indices.shape[-1], device=indices.device)
    shape = module.broadcast_to(counts[..., None], np.broadcast_shapes((*counts.shape, 1), tuple(indices.shape))).shape
    counts, found = counts[..., None], module.broadcast_to(indices, shape)
    is_ragged = (places < counts) & (found == whole)
    if arrays is adapters.NUMPY and not (is_ragged & (places != counts - 1)).any():
        return lists
    is_last = places == counts - 1
    # One entry of a row is its last, so that the sum is that.
    last = module.where(is_last, found, 0).sum(-1)[..., None]
    moved = module.where(is_ragged, last, found)
    has = is_ragged.any(-1)[..., None]
    return lists._replace(full_kv_indices=module.where(is_last & has, whole, moved).astype(np.int32) if module is np
                          else module.where(is_last & has, whole, moved).int())
