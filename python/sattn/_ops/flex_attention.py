"""flex_attention."""

import dataclasses
import logging
import typing

import numpy as np

from .._arrays import adapters, autocast, autograd, lazy_torch as torch, plain, stand_ins
from .._compiler import explanation
from .._call import cache, dispatch, guard, launch_hints, memory
from .._call.kernel_options import NONE, Options, options_of
from .._call.scalars import number
from .._trace import direct_reads, user_functions
from .._trace.captured_arguments import captured
from .._masks import mask_functions
from .._masks.attention_mask import Mask, mask_of
from .._masks.kept_mask import kept_mask
from . import whole_columns
from .flex_attention_layout import new_in_order_of, packs
from .flex_attention_plan import Plan, keys_read, plan_of, shapes_of, source_of


class AuxRequest(typing.NamedTuple):
    """The results that flex_attention returns beside the output."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(typing.NamedTuple):
    """Results of flex_attention beside the output, (B, Hq, M) in f32, or None where not asked for.

    lse: the natural logarithm of the sum of exponentials of a query's scores. max_scores: the greatest of them, after
    score_mod; -inf for a query without visible keys.
    """

    lse: object = None
    max_scores: object = None


class Request(typing.NamedTuple):
    """A call of flex_attention, checked but for its arrays. score: the Function of score_mod, or None, and the values
    that it captures. block_mask, mask_of: mask_of(block_mask, band, arrays, sizes, begin) gives the Mask
    (attention_mask.of_function).
    band: of named masks, or None. wanted: an AuxRequest. options: Options, or None."""

    query: object
    key: object
    value: object
    score: object
    score_values: object
    block_mask: object
    band: object
    scale: float | None
    enable_gqa: bool
    wanted: AuxRequest
    options: Options | None
    mask_of: typing.Callable = mask_of


def _require_memory(query, key, value, arrays):
    """Raises for operands that a kernel cannot use where they lie, or of which PyTorch wants a gradient."""
    for name, array in (("query", query), ("key", key), ("value", value)):
        adapters.require_same(name, array, arrays, "query")
        adapters.require_no_derivative(name, array)


# Functions for the tensors on a device, as they were found for plain ones.
_on_device = {}
_LOGGER = logging.getLogger("sattn")


def _arrays_of(query, key, value):
    """(the functions for query, whether key and value are plain arrays of the same library and device)."""
    if type(query) is np.ndarray:
        return adapters.NUMPY, type(key) is type(value) is np.ndarray
    if not plain.see() or not plain.is_in_memory(query):
        return adapters.arrays_of("query", query), False
    device = query.device
    arrays = _on_device.get(device)
    if arrays is None:
        arrays = _on_device[device] = adapters.arrays_of("query", query)
    return arrays, plain.is_in_memory(key) and plain.is_in_memory(value) and key.device == device \
        and value.device == device


def _parsed(query, key, value, score_mod, block_mask, scale, enable_gqa, return_lse, kernel_options, return_aux, named):
    """The Request of flex_attention's arguments. named: (causal, window, prefix)."""
    wanted = _LSE if return_lse else _OUTPUT_ALONE
    if return_aux is not None:
        wanted = _requested(return_aux, return_lse)
    if scale is not None:
        scale = number("scale", scale)
    band = mask_functions.named(*named)
    options = None if kernel_options is None else options_of(kernel_options)
    score = score_values = None
    if score_mod is not None:
        score, score_values = user_functions.traced("score_mod", score_mod)
    return Request(query, key, value, score, score_values, block_mask, band, scale, bool(enable_gqa), wanted, options)


def explained(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False,
              kernel_options=None, *, return_aux=None, causal=None, window=None, prefix=None):
    """([(the program that flex_attention would call, its arguments, False)], where the tile is from, remarks). It
    launches nothing; lists of the mask are made, if it needs any."""
    request = _parsed(query, key, value, score_mod, block_mask, scale, enable_gqa, return_lse, kernel_options,
                      return_aux, (causal, window, prefix))
    if adapters.is_torch(query):
        stand_ins.refuse("query", query)
    plan, mask, given, *_ = _arguments(whole_columns.filled_request(request) or request)
    remarks = ()
    if block_mask is not None:
        size = " x ".join(map(str, mask.block))
        remarks = ("the blocks that the mask leaves are computed in the kernel, without lists" if mask.lists is None
                   else
                   f"the mask has block lists with blocks of {size}, made from its function" if mask.is_ours else
                   f"the mask has given block lists with blocks of {size}"),
    # Parameters that the package chose stand in the program, as those of kernel_options do.
    chosen = "the choice by shape and device" if plan.program._parameters else None
    return [(plan.program, given, False)], "kernel_options" if (request.options or NONE).tile else chosen, remarks


# Arguments of torch.nn.functional.scaled_dot_product_attention, and what to write in their place.
_FOREIGN = {
    "is_causal": "causal=True",
    "attn_mask": "block_mask=create_block_mask(lambda b, h, q_idx, kv_idx: mask[q_idx, kv_idx], None, None, M, N) for "
                 "a mask of booleans, score_mod=lambda score, b, h, q_idx, kv_idx: score + mask[q_idx, kv_idx] for a "
                 "bias",
    "dropout_p": "scaled_dot_product_attention of a block-sparse attn_mask, which has it",
}


def _refuse_others(names):
    name = next(iter(names))
    hint = f"; write {_FOREIGN[name]}" if name in _FOREIGN else ""
    raise TypeError(f"flex_attention() got an unexpected keyword argument '{name}'{hint}")


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False,
                   kernel_options=None, *, return_aux=None, causal=None, window=None, prefix=None, **others):
    """Attention: the softmax of score_mod(scale * (query @ key^T)) over each query's visible keys, @ value.

    query: (B, Hq, M, D); key: (B or 1, Hkv, N, D); value: (B or 1, Hkv, N, E): f16, bf16 (ml_dtypes in NumPy), f32 or,
    on the CPU, f64, any strides, D and E from 1 to 512. With enable_gqa, Hq may be a multiple of Hkv.
    score_mod: (score, b, h, q_idx, kv_idx) -> score, a function of Python that is traced once (docs/Masks.md); its
    score is f32. What it captures may change from call to call, without compiling anew. block_mask: a BlockMask, of
    create_block_mask here or in PyTorch. scale: a number, by default 1 / sqrt(D).
    causal: "top_left" (or True) or "bottom_right": no key after a query's own position is visible to it; positions
    count from the first key or to the last. window: (left, right), the number of visible keys before and after that
    position, None for all. prefix: the number of first keys that are visible in any case. All of them hold in addition
    to block_mask.
    return_lse: whether lse is returned too, (B, Hq, M) in f32, the natural logarithm of the sum of exponentials; or
    return_aux: an AuxRequest, which has max_scores too. kernel_options: "tile_queries" and "tile_keys" (or PyTorch's
    BLOCK_M and BLOCK_N), with them "stages", "warps" and "raster_group", and "precision" of f32, "ieee" (slow on CUDA,
    where no MMA has it) or "tf32"; PyTorch's others change nothing, with a remark.

    Returns the output (B, Hq, M, E) in query's type, in the order of query's memory; with return_lse (output, lse),
    with return_aux (output, AuxOutput). A query without visible keys has 0, and lse and max_scores of -inf. Arrays are
    of NumPy or PyTorch, used where they lie, on PyTorch's current stream. Raises ValueError or TypeError for arguments
    that do not fit or functions that cannot be traced, NotImplementedError for what has no code yet, before anything is
    written. It has gradients (docs/Training.md). Under torch.autocast query, key and value are cast to its type.
    """
    if others:
        _refuse_others(others)
    if plain.may_autocast is None or plain.may_autocast():
        query, key, value = autocast.cast(query, key, value)
    kind = None
    if return_aux is None and kernel_options is None:
        kind = "flex_attention", id(score_mod), id(block_mask), scale, enable_gqa, return_lse, causal, window, prefix
        try:
            known = cache.guarded_calls.get(kind)
        except TypeError:  # An argument has no hash.
            known = None
        if known is not None:
            found = known.own.repeat(known, query, key, value, score_mod, block_mask, scale, causal, window, prefix)
            if found is not None:
                return found if return_lse else found[0]
    named = causal, window, prefix
    request = _parsed(query, key, value, score_mod, block_mask, scale, enable_gqa, return_lse, kernel_options,
                      return_aux, named)
    if stand_ins.stands_for_others(query) or _is_differentiated(query, key, value, request.score_values):
        out, lse, largest = dispatch.call("flex_attention", request=request, kernel_options=kernel_options)
    elif (whole := whole_columns.filled_request(request)) is not None:
        out, lse, largest = _attend_whole(request, whole)
    else:
        plan, mask, given, out, lse, largest = _arguments(request)
        kept = None if kind is None else _kept(kind, plan, mask, request, score_mod, return_lse, named)
        hints = ready = None
        lists = [] if mask is None or mask.lists is None else [array for array in mask.lists if array is not None]
        if kept is not None and lists and plan.program._keep is not None:
            hints = launch_hints.Hints(plan.program, lists if kept.mask.are_given else ())
            ready = hints.ready(query)
        _run(plan, given, query, key, value, plan.launch if ready is None else ready.launch)
        if kept is not None:
            _remember(kind, plan, kept, lists, query, key, value, given, (out, lse) if return_lse else (out,), hints)
    if return_aux is not None:
        return out, AuxOutput(lse=lse, max_scores=largest)
    return (out, lse) if return_lse else out


@dataclasses.dataclass(slots=True)
class _Kept:
    """The data of guarded calls of a kind beside the tensors. score, block_mask: weak references to score_mod and to
    the mask, or None; mask: a KeptMask, or None. arrays, wide: as of Plan."""

    causal: object
    window: object
    prefix: object
    #: The Band that these stand for.
    band: object
    scale: float | None
    score: typing.Callable | None = dataclasses.field(compare=False)
    score_function: object
    block_mask: typing.Callable | None = dataclasses.field(compare=False)
    mask: object
    arrays: object
    wide: str

    def repeat(self, known, query, key, value, score_mod, block_mask, scale, causal, window, prefix):
        """The results of a call whose kind is `known`; None where this is no repetition, and nothing was done.

        What may have changed since the first call is looked at again: here values that the functions capture and lists
        of a mask, in the binding where tensors lie.
        """
        # Equal arguments of other types may be none.
        if causal is not self.causal or window is not self.window or prefix is not self.prefix:
            if mask_functions.named(causal, window, prefix) is not self.band:
                return None
        # So are 0.0 and -0.0.
        if scale is not self.scale and (type(scale) is not float or scale == 0):
            return None
        try:
            captures = () if self.score is None and self.mask is None else self._captures(score_mod, block_mask)
        except Exception:  # The way of a first call takes the captures, or says what is wrong.
            return None
        if captures is None:
            return None
        results = known.call(None, query, key, value, *captures)  # As guard.run, without its frame.
        return results if type(results) is tuple else guard.rest(known, results, (query, key, value, *captures))

    def _captures(self, score_mod, block_mask):
        """The program's arguments for captures of functions, which the binding will look at; None where one of these
        is another one."""
        found = []
        if self.score is not None:
            values = self.score_function.bind(score_mod) if self.score() is score_mod else None
            if values is None:
                return None
            if values:
                found += captured(self.score_function, values, self.arrays, self.wide, is_guarded=True)
        if self.mask is not None:
            values = self.mask.values(block_mask) if self.block_mask() is block_mask else None
            if values is None:
                return None
            if values:
                found += captured(self.mask.function, values, self.arrays, self.wide, is_guarded=True)
        return found


def _is_constant(one):
    """Whether it is a named mask's argument, or a part of one, that cannot change where it lies."""
    return one is None or type(one) in (bool, int, str) or type(one) is tuple and all(map(_is_constant, one))


def _kept(kind, plan, mask, request, score_mod, return_lse, named):
    """The _Kept of a call that was checked; None where it cannot be repeated. mask: its Mask
    (_masks/attention_mask.py), or None; request: the call's."""
    queries, keys = request.query.shape[2], request.key.shape[2]
    if not all(map(_is_constant, (*named, return_lse))) or keys_read(mask, request.band, queries, keys) < keys \
            or not plain.TYPES.issuperset(map(type, (request.query, request.key, request.value))):
        return None
    score = block_mask = known = None
    try:
        known = cache.guarded_calls.get(kind)
        # Objects that a function or a mask holds are not kept longer than it.
        if request.score is not None:
            score, = guard.forgetting(cache.guarded_calls, kind, score_mod)
        kept = _Kept(*named, request.band, request.scale, score, request.score, None, None, plan.arrays, plan.wide)
        if mask is not None:
            kept.block_mask, = guard.forgetting(cache.guarded_calls, kind, request.block_mask)
            kept.mask = kept_mask(request.block_mask, mask)
            if kept.mask is None:
                return None
    except TypeError:  # An object has no weak references, or an argument no hash.
        return None
    return known.own if known is not None and known.own == kept else kept


def _remember(kind, plan, kept, lists, query, key, value, given, results, hints):
    """Keeps a call for _Kept.repeat. given: the program's arguments."""
    own, count = [kept.scale] * plan.takes_scale + lists, len(given) - len(results)
    captures = given[len(own) + 3:count]
    first = 3 + len(captures)
    places = [*range(first, first + plan.takes_scale), 0, 1, 2, *range(first + plan.takes_scale, first + len(own)),
              *range(3, first), *range(first + len(own), first + len(own) + len(results))]
    packed = {0, *places[count:]} if plan.packed_heads else ()
    parts = [guard.Part(place, heads=plan.packed_heads if place in packed else 0) for place in places]
    guard.remember(cache.guarded_calls, kind, plan.launch, (query, key, value, *captures), parts, own, results, hints,
                   kept, strided=0)


def _is_differentiated(query, key, value, captures):
    """Whether PyTorch wants a gradient of a call."""
    return plain.see() and plain.is_recording() and any(
        getattr(array, "requires_grad", False) for array in (query, key, value, *(captures or ())))


def attend(request):
    """(output, lse or None, the greatest scores or None) of a Request."""
    whole = whole_columns.filled_request(request)
    if whole is not None:
        return _attend_whole(request, whole)
    plan, _, given, *results = _arguments(request)
    _run(plan, given, request.query, request.key, request.value, plan.launch)
    return results


def _attend_whole(request, whole):
    """The result of attend for a Request, by another Request whose rows are whole vectors."""
    out, *rows = attend(whole)
    shape = *out.shape[:3], request.value.shape[3]
    return whole_columns.copy(out, new_in_order_of(request.query, shape)), *rows


def _run(plan, given, query, key, value, launch):
    """Launches. given: the program's arguments, of these operands. launch: a function of its program."""
    program = plan.program
    if not program._is_logged and program._device is not None and _LOGGER.isEnabledFor(logging.INFO):
        explanation.log_generic(program, given)
    try:
        launch(*given)
    except BufferError as error:
        adapters.raise_refusal({"query": query, "key": key, "value": value}, error)
    except RuntimeError as error:
        if not memory.is_out_of_memory(error) or not plan.arrays.release_kept_memory():
            raise
        plan.launch(*given)


def _arguments(request):
    """(the request's Plan, its Mask or None, the program's arguments, and of those the output, lse or None, the
    greatest scores or None). Nothing is launched; lists of the mask are made, if it needs any."""
    query, key, value, score, score_values, block_mask, band, scale, enable_gqa, wanted, options, mask_of = request
    arrays, are_plain = _arrays_of(query, key, value)
    mask_function = mask_values = lists = None
    if not are_plain:
        _require_memory(query, key, value, arrays)
    q_shape, k_shape = query.shape, key.shape
    if len(q_shape) != 4 or len(k_shape) != 4:
        shapes_of(query, key, value, enable_gqa)
    mask = of_lists = None
    if score_values:
        direct_reads.require(score, score_values, (q_shape[2], k_shape[2]))
    if block_mask is not None:

        def begin(mask):
            """Begins to compile the program, while lists are made of the mask."""
            _require_memory(query, key, value, arrays)
            is_packed = q_shape[1] != k_shape[1] and packs(query, k_shape[1], mask)
            cache.begin(*source_of(request, arrays, mask, is_packed))

        mask = mask_of(block_mask, band, arrays, (q_shape[0], q_shape[1], q_shape[2], k_shape[2]), begin)
        mask_function, mask_values, lists, of_lists = mask.function, mask.values, mask.lists, mask.facts_of_lists()
        if mask_values:
            direct_reads.require(mask_function, mask_values, (q_shape[2], k_shape[2]))
    keys = keys_read(mask, band, q_shape[2], k_shape[2])
    if keys < k_shape[2] and value.shape[2:3] == k_shape[2:3]:
        key, value = key[:, :, :keys], value[:, :, :keys]
        request, k_shape = request._replace(key=key, value=value), key.shape
    is_packed = q_shape[1] != k_shape[1] and packs(query, k_shape[1], mask)
    signature = (is_packed, q_shape, k_shape, value.shape, query.dtype, key.dtype, value.dtype, id(arrays), id(score),
                 id(mask_function), of_lists, id(band), wanted, enable_gqa, scale, options)
    plan = cache.calls.get(signature)
    if plan is None:
        _require_memory(query, key, value, arrays)
        plan = plan_of(request, arrays, mask or Mask(band=band), is_packed)
        cache.calls[signature] = plan
    given = [scale] if plan.takes_scale else []
    packed_query = plan.packed(query)
    if arrays is adapters.NUMPY:
        given += _in_place(packed_query, key, value)
    else:
        requires_grad = query.requires_grad or key.requires_grad or value.requires_grad
        if requires_grad and torch.is_grad_enabled() or autograd.may_have_tangents():
            _require_memory(query, key, value, arrays)
        given += map(arrays.passed, (packed_query, key, value)) if requires_grad else (packed_query, key, value)
    if lists is not None:
        given += lists if lists[2] is not None else lists[:2]
    if score_values:
        given += captured(score, score_values, arrays, plan.wide)
    if mask_values:
        given += captured(mask_function, mask_values, arrays, plan.wide)
    out = plan.result(query)
    packed_out = plan.packed(out)
    given.append(packed_out if arrays is not adapters.NUMPY else arrays.passed(packed_out))
    lse = largest = None
    if any(wanted):
        # The maximum is the kernel's third result.
        rows = [plan.new_rows(query) for _ in range(1 + wanted.max_scores)]
        given += map(plan.packed, rows)
        lse, largest = rows[0] if wanted.lse else None, rows[1] if wanted.max_scores else None
    return plan, mask, given, out, lse, largest


_OUTPUT_ALONE, _LSE = AuxRequest(), AuxRequest(lse=True)


def _requested(return_aux, return_lse):
    """An AuxRequest, ours or PyTorch's, as ours."""
    if not all(hasattr(return_aux, name) for name in AuxRequest._fields):
        raise TypeError(f"argument 'return_aux': expected an AuxRequest, but got {type(return_aux).__name__}")
    if return_lse:
        raise ValueError("argument 'return_aux': expected return_lse or return_aux, but got both")
    return AuxRequest(bool(return_aux.lse), bool(return_aux.max_scores))


def _in_place(*operands):
    """Arrays of NumPy as DLPack takes them. Raises for those that are no grid of their elements."""
    for name, array in zip(("query", "key", "value"), operands):
        if not array.flags.aligned:
            adapters.arrays_of(name, array)
    return map(adapters.NUMPY.passed, operands)
