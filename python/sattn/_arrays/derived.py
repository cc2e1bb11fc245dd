"""Values that follow from the contents of index tensors, kept while these live and are not written."""

import collections

from . import lazy_torch as torch

LIMIT = 256
# (the value, weak references to the tensors' storages) by key, the oldest first.
_kept = collections.OrderedDict()


def is_captured(tensor):
    """Whether work on a tensor is recorded for a CUDA graph: it computes nothing before that is replayed."""
    return tensor.is_cuda and torch.cuda.is_current_stream_capturing()


def _key_of(name, tensors):
    """A key that tensors with the same contents share, or None where nothing tells them."""
    parts = []
    for tensor in tensors:
        if tensor.is_inference():  # PyTorch counts no writes into these.
            return None
        parts.append((tensor.untyped_storage()._cdata, tensor.storage_offset(), tuple(tensor.shape), tensor.stride(),
                      tensor.dtype, tensor._version))
    device = tensors[0].device
    stream = 0
    if is_captured(tensors[0]):
        return None
    if device.type == "cuda":  # On another stream a value may not be computed yet.
        stream = torch.cuda.current_stream(device).cuda_stream
    return name, stream, *parts


def of(name, tensors, make):
    """make(), or what it gave before for tensors of PyTorch of the same memory that was not written since, as far as
    PyTorch counts that. name: says what is made, beside the tensors' contents. The value holds none of them."""
    key = _key_of(name, tensors)
    if key is None:
        return make()
    found = _kept.get(key)
    # A storage that is weakly referred to keeps its address: none of the same key is another.
    if found is not None:
        return found[0]
    value = make()
    references = torch.multiprocessing.reductions.StorageWeakRef
    for other, (_, storages) in list(_kept.items()):
        if any(storage.expired() for storage in storages):
            _kept.pop(other, None)
    while len(_kept) >= LIMIT:
        _kept.popitem(last=False)
    _kept[key] = value, tuple(references(tensor.untyped_storage()) for tensor in tensors)
    return value
