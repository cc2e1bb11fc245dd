"""Calls of flex_attention that were made before: with PyTorch's tensors of the same shapes, the same functions and the same
mask, by identity.

What such a call was found to need is kept. What may have changed since is looked at again: values that the functions
capture, lists of a mask, where tensors lie. Whatever is new takes the long way (_ops/flex_attention.py), which checks it.
"""

import dataclasses
import weakref

from .._arrays import autograd, plain
from .._arrays.plain import TYPES, is_cut
from .._call import cache, launch_hints
from .._trace import direct_reads
from .._trace.captured_arguments import captured
from .._masks import attention_mask, mask_functions


@dataclasses.dataclass(slots=True)
class _Call:
    """A call: its plan (_ops/flex_attention.py), what its key does not tell, and what it needs of its functions and its mask."""

    plan: object
    device: object
    dtype: object
    #: Arguments that stand for a band, and the Band.
    named: tuple
    band: object
    #: A weak reference to score_mod, and its Function; or None.
    score: object = None
    score_function: object = None
    #: A weak reference to block_mask, the Function of its mask_mod, its Lists; or None.
    mask: object = None
    mask_function: object = None
    lists: object = None
    #: Of a mask that keeps its function: (lengths, block size), and the snapshot of the values that its lists were made of,
    #: if it has any. Of given lists: what of_lists read.
    made_of: tuple = ()
    snapshot: object = None
    members: tuple = ()
    #: Hints that such calls share, or None: where the program has none, or the mask no lists.
    hints: object = None

    def versions(self):
        """Of the lists: those that were made here do not change."""
        return launch_hints.versions_of(self.lists) if self.members else ()

    def launcher(self, query):
        """What launches the call's program."""
        launch = None if self.hints is None else self.hints.launcher(self.versions(), query)
        return self.plan.launch if launch is None else launch


def _key(query, key, value, score_mod, block_mask, scale, enable_gqa, return_lse, named):
    return (query.shape, key.shape, value.shape, query.dtype, id(score_mod), id(block_mask), scale, enable_gqa, return_lse,
            named)


def _is_constant(one):
    """Whether it is a named mask's argument, or a part of one, that cannot change where it lies."""
    return one is None or type(one) in (bool, int, str) or type(one) is tuple and all(map(_is_constant, one))


def repeatable(plan, mask, request, score_mod, scale, return_lse, named):
    """(the place of a call that was checked, its _Call) to keep; None where it cannot be kept. mask: its Mask
    (_masks/attention_mask.py), or None; request: the call's (_ops/flex_attention.py); scale: as it was given."""
    query, score, block_mask, enable_gqa = request.query, request.score, request.block_mask, request.enable_gqa
    if not all(map(_is_constant, (*named, return_lse))) or type(scale) not in (type(None), float):
        return None
    plain.see()
    if type(query) not in TYPES:
        return None
    call = _Call(plan, query.device, query.dtype, named, request.band)
    place = _key(query, request.key, request.value, score_mod, block_mask, scale, enable_gqa, return_lse, named)
    calls = cache.flex_repeats
    try:
        # What a function or a mask holds is not kept longer than it.
        if score is not None:
            call.score, call.score_function = weakref.ref(score_mod, lambda _: calls.pop(place, None)), score
        if mask is not None:
            call.mask, call.mask_function = weakref.ref(block_mask, lambda _: calls.pop(place, None)), mask.function
            if not _keep_mask(call, block_mask, mask):
                return None
    except TypeError:  # Of what has no weak references.
        return None
    if call.lists is not None and plan.program._keep is not None:
        call.hints = launch_hints.Hints(plan.program, call.versions())
    return place, call


def _keep_mask(call, block_mask, mask):
    """Whether the call knows of the mask all that it needs."""
    call.lists = mask.lists
    if getattr(block_mask, "_given", call) is not None:
        if mask.lists is None or not mask.are_given:
            return False
        call.members = attention_mask._members(block_mask)
        return True
    call.made_of = block_mask.seq_lengths, block_mask.BLOCK_SIZE
    if mask.lists is not None:
        call.snapshot = next((kept[0] for kept in block_mask._made.values() if kept[1] is mask.lists), None)
    return mask.lists is None or call.snapshot is not None


def _values_of_mask(call, block_mask):
    """What the mask's function captures now, or None where its lists may be others."""
    if call.mask() is not block_mask:
        return None
    if call.members:
        members = attention_mask._members(block_mask)
        for one, kept in zip(members, call.members):
            if one is not kept:
                return None
        return call.mask_function.bind(members[-1])
    if block_mask._given is not None or block_mask.seq_lengths is not call.made_of[0] \
            or block_mask.BLOCK_SIZE is not call.made_of[1]:
        return None
    values = call.mask_function.bind(block_mask._mask_mod)
    if values is None or call.snapshot is not None and not call.snapshot.holds(values):
        return None
    return values


def repeated(query, key, value, score_mod, block_mask, scale, enable_gqa, return_lse, named, run):
    """The output, or (output, lse); None where this is no repetition, and nothing was done. named: (causal, window, prefix).
    run(plan, arguments, query, key, value, launch) launches, by a function of the plan's program."""
    types = TYPES
    if type(query) not in types or type(key) not in types or type(value) not in types \
            or scale is not None and type(scale) is not float:
        return None
    try:
        call = cache.flex_repeats.get(_key(query, key, value, score_mod, block_mask, scale, enable_gqa, return_lse, named))
        # The last three: a tensor without memory of its own raises or has no address.
        if call is None or key.dtype is not call.dtype or value.dtype is not call.dtype or query.device != call.device \
                or key.device != call.device or value.device != call.device \
                or query.requires_grad or key.requires_grad or value.requires_grad or query.is_neg() or key.is_neg() \
                or value.is_neg() or not query.data_ptr() or not key.data_ptr() or not value.data_ptr() \
                or is_cut(query) or is_cut(key) or is_cut(value):
            return None
    except (RuntimeError, TypeError):  # Of nested tensors, transforms, and arguments that have no hash.
        return None
    if autograd.may_have_tangents():
        return None
    for one, kept in zip(named, call.named):
        # Equal arguments of other types may be none.
        if one is not kept and mask_functions.named(*named) is not call.band:
            return None
    plan = call.plan
    arrays = plan.arrays
    out = plain.empty_like(query) if plan.is_like and query.is_contiguous() else plan.result(query)
    try:
        rows, out_rows = plan.packed(query), plan.packed(out)
    except RuntimeError:  # Its heads lie otherwise than the other's.
        return None
    given = [scale, rows, key, value] if plan.takes_scale else [rows, key, value]
    lists = call.lists
    if lists is not None:
        given += lists if lists[2] is not None else lists[:2]
    if call.score is not None:
        values = call.score_function.bind(score_mod) if call.score() is score_mod else None
        if values is None:
            return None
        if values:
            direct_reads.require(call.score_function, values, (query.shape[2], key.shape[2]))
            given += captured(call.score_function, values, arrays, call.plan.wide)
    if call.mask is not None:
        values = _values_of_mask(call, block_mask)
        if values is None:
            return None
        if values:
            direct_reads.require(call.mask_function, values, (query.shape[2], key.shape[2]))
            given += captured(call.mask_function, values, arrays, call.plan.wide)
    given.append(out_rows)
    launch = call.launcher(query)
    if not return_lse:
        run(plan, given, query, key, value, launch)
        return out
    lse = plan.new_rows(query)
    given.append(plan.packed(lse))
    run(plan, given, query, key, value, launch)
    return out, lse
