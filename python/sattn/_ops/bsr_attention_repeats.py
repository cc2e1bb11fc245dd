"""Calls of scaled_dot_product_attention that were made before: with PyTorch's tensors of the same shapes and the same mask,
by identity. Whatever is new takes the long way (_ops/bsr_attention.py), which checks it."""

import dataclasses
import weakref

from .._arrays import adapters, plain, sparse_operand
from .._arrays.plain import TYPES
from .._call import cache, guard, launch_hints, memory


@dataclasses.dataclass(slots=True)
class _Call:
    """A call: what its key does not tell, and what it launches. mask: weak references to the mask, or its three tensors."""

    mask: tuple
    #: Of crow, col, and the mask itself or its values.
    shapes: tuple
    device: object
    arrays: object
    scale: float
    result: tuple
    launch: object
    hints: object

    def launcher(self, crow, col, query):
        """What launches the call's program."""
        launch = None if self.hints is None else self.hints.launcher(launch_hints.versions_of((crow, col)), query)
        return self.launch if launch is None else launch


def _key(query, key, value, mask, parts, scale, check, precision, tile):
    return query.shape, key.shape, value.shape, query.dtype, type(mask), *map(id, parts), scale, check, precision, tile


def _mask_of(attn_mask):
    """What a mask is known by: itself, or three tensors; None where it is of another kind."""
    if type(attn_mask) is tuple:
        return attn_mask if len(attn_mask) == 3 else None
    if type(attn_mask) is sparse_operand.Prepared:
        attn_mask.require_unwritten("attn_mask")
        return attn_mask.crow, attn_mask.col, attn_mask.values
    return (attn_mask,)


def _takes(dropout_p, is_causal, scale, check, meta, tile):
    """Whether such arguments may be those of a repetition. tile: the text of `meta`, None of None."""
    return type(dropout_p) in (int, float) and dropout_p == 0 and is_causal is False and type(scale) in (type(None), float) \
        and (check is None or check is False) and (meta is None or tile is not None)


def repeatable(query, key, value, attn_mask, dropout_p, is_causal, given_scale, check, precision, meta, mask, scale, call):
    """(the place of a call that was checked, its _Call) to keep; None where it cannot be kept. mask: its indices
    (_ops/bsr_attention.py); call: the program and its result."""
    tile = guard.text_of(meta)
    if mask.arrays is adapters.NUMPY or not _takes(dropout_p, is_causal, given_scale, check, meta, tile):
        return None
    plain.see()
    parts = _mask_of(attn_mask)
    if parts is None or any(type(one) not in TYPES for one in (query, *parts)):
        return None
    on_gpu, program = mask.arrays.on_gpu, call.program
    place = _key(query, key, value, attn_mask, parts, given_scale, check, precision, tile)
    calls = cache.sdpa_repeats
    try:
        references = tuple([weakref.ref(one, lambda _: calls.pop(place, None)) for one in parts])
    except TypeError:
        return None
    hints = None if program._keep is None else launch_hints.Hints(program, launch_hints.versions_of((mask.crow, mask.col)))
    launch = program._launch if on_gpu or check is False else program._launch_checked
    shapes = mask.crow.shape, mask.col.shape, parts[-1].shape
    return place, _Call(references, shapes, query.device, mask.arrays, scale, tuple(call.result.shape), launch, hints)


def repeated(query, key, value, attn_mask, dropout_p, is_causal, scale, check, precision, meta):
    """The result; None where this is no repetition, and nothing was done."""
    types = TYPES
    tile = None if meta is None else guard.text_of(meta)
    if type(query) not in types or type(key) not in types or type(value) not in types \
            or not _takes(dropout_p, is_causal, scale, check, meta, tile):
        return None
    parts = _mask_of(attn_mask)
    if parts is None:
        return None
    try:
        call = cache.sdpa_repeats.get(_key(query, key, value, attn_mask, parts, scale, check, precision, tile))
        if call is None:
            return None
        for reference, part in zip(call.mask, parts):
            if reference() is not part:
                return None
        dtype, device = query.dtype, call.device
        if key.dtype is not dtype or value.dtype is not dtype or query.device != device or key.device != device \
                or value.device != device or not plain.are_plain((query, key, value)):
            return None
        crow, col = parts[:2] if len(parts) == 3 else (parts[0].crow_indices(), parts[0].col_indices())
        if (crow.shape, col.shape, parts[-1].shape) != call.shapes or crow.device != device or col.device != device:
            return None
    except (RuntimeError, TypeError):  # Of nested tensors, transforms, and arguments that have no hash.
        return None
    result = call.arrays.empty(call.result, query)
    launch = call.launcher(crow, col, query)
    given = call.scale, crow, col, query, key, value, result
    try:
        memory.with_memory(call.arrays, launch, *given)
    except BufferError as error:
        adapters.raise_refusal({"crow": crow, "col": col, "query": query, "key": key, "value": value}, error)
    return result
