"""Transposes block lists: from blocks of keys for each block of queries to blocks of queries for each block of keys."""

import weakref

import numpy as np

from .._arrays import adapters, lazy_torch as torch
from . import mask_lists
from .mask_lists import ceil_div

# By the identity of an array of indices: (a weak reference to it, the versions of the arrays, the transposed Lists).
_kept = {}


def _dense(counts, indices, columns, module):
    """Which blocks a list has: booleans (*, rows, columns), where the list lies. Entries after the number do not
    count."""
    if module is np:
        return mask_lists.dense_of(counts, indices, columns)
    places = module.arange(indices.shape[-1], dtype=module.int32, device=indices.device)
    is_listed = (places < counts[..., None]) & (indices >= 0) & (indices < columns)
    found = module.zeros((*indices.shape[:-1], columns + 1), dtype=module.bool, device=indices.device)
    at = module.where(is_listed, indices, columns).long()
    return found.scatter_(-1, at, True)[..., :columns]


def _versions(lists):
    return tuple(None if array is None else (id(array), array._version) for array in lists)


def of(lists, lengths, block, arrays):
    """The Lists of blocks of queries, of which one that ends after the queries comes last. lists: Lists of blocks of
    keys, in NumPy or on a device. lengths: (queries, keys); block: the size of a block of them."""
    module = np if arrays is adapters.NUMPY else torch
    key = id(lists.kv_indices)
    if module is not np:
        found = _kept.get(key)
        if found is not None and found[0]() is lists.kv_indices and found[1] == (_versions(lists), lengths, block):
            return found[2]
    columns = ceil_div(lengths[1], block[1])
    some = _dense(lists.kv_num_blocks, lists.kv_indices, columns, module)
    separate = lists.full_kv_num_blocks is not None
    every = None
    if separate:
        every = _dense(lists.full_kv_num_blocks, lists.full_kv_indices, columns, module)
        if every.shape != some.shape:  # Batches or heads may share one of them.
            shape = module.broadcast_shapes(every.shape, some.shape)
            every, some = (module.broadcast_to(one, shape) for one in (every, some))
        some = some | every
        every = every.swapaxes(-1, -2)
    device = None if module is np else some.device
    result = mask_lists.lists_of_visible(some.swapaxes(-1, -2), every, separate, device)
    if module is not np:
        def drop(_, key=key):
            _kept.pop(key, None)

        _kept[key] = weakref.ref(lists.kv_indices, drop), (_versions(lists), lengths, block), result
    return result


