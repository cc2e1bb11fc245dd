"""flex_attention as an operation of PyTorch: functions travel as text (_trace/function_text.py), their captures as
arguments."""

import functools
import json

import numpy as np

from .._arrays import autograd, lazy_torch as torch
from .._call.kernel_options import options_of
from .._trace import function_text
from .._masks import attention_mask, mask_functions
from .._masks.block_masks import BlockMask
from .flex_attention import AuxRequest, Request, attend, explained, flex_attention
from .flex_attention_layout import new_in_order_of
from .spec import OpSpec, register, wide_of

# arrays, floats, integers: what score_mod and mask_mod capture, in order; floats is None where there are none, since
# PyTorch does not save an empty list of numbers. mask: lengths, block sizes, batches, heads and whether full blocks
# have lists, of a mask; with lists, or made of mask_mod. band: of flex_attention's named masks.
_SCHEMA = ("(Tensor query, Tensor key, Tensor value, str score_mod, str mask_mod, Tensor[] arrays, Scalar[]? floats, "
           "SymInt[] integers, Tensor[] lists, SymInt[] mask, SymInt[] band, Scalar? scale, bool enable_gqa, bool lse, "
           "bool max_scores, str kernel_options) -> (Tensor, Tensor, Tensor)")
# Arguments of the operation by their place, for its gradient.
_PLACES = {"arrays": 5, "lists": 8, "lse": 13}
#: Types of parameters in the stub, of flex_attention and of its backward pass.
TYPES = {"score_mod": "_ScoreMod | None", "block_mask": "Any", "enable_gqa": "bool",
         "kernel_options": "Mapping[str, Any] | None", "causal": 'bool | Literal["top_left", "bottom_right"] | None',
         "window": "tuple[int | None, int | None] | None", "prefix": "int | None"}


class _GivenMask:
    """A mask of given lists, with the names of a BlockMask."""

    def __init__(self, lists, mask, mask_mod):
        self.kv_num_blocks, self.kv_indices, self.full_kv_num_blocks, self.full_kv_indices = (*lists, None, None)[:4]
        self.seq_lengths, self.BLOCK_SIZE, self.mask_mod = tuple(mask[:2]), tuple(mask[2:4]), mask_mod


@functools.lru_cache(256)
def _mask_of_function(_, mask):
    """The BlockMask, which keeps its lists, of a function's text."""
    return BlockMask._of_function(None, mask[4:6], mask[:2], mask[2:4], bool(mask[6]), None)


@functools.lru_cache(256)
def _band(left, right, prefix, bottom_right):
    return mask_functions.Band(None if left < 0 else left, None if right < 0 else right, prefix, bool(bottom_right))


def request_of(query, key, value, score_mod, mask_mod, arrays, floats, integers, lists, mask, band, scale,
               enable_gqa, lse, max_scores, kernel_options):
    """The Request of the operation's arguments."""
    given = iter(arrays), iter(floats or ()), iter(integers)
    score = score_values = known = found = None
    if score_mod:
        score = function_text.deserialize(score_mod)
        score_values = function_text.values_of(score, *given)
    if mask_mod:
        function = function_text.deserialize(mask_mod)
        known = function, function_text.values_of(function, *given)
    if lists:
        found = _GivenMask(lists, mask, None if known is None else mask_functions.noop_mask)
    elif mask:
        found = _mask_of_function(mask_mod, tuple(mask))

    def mask_of(given, band, arrays, sizes, begin):
        if lists:
            return attention_mask.of_lists(given, band, arrays, sizes, known)
        attention_mask.require_fit(given, sizes)
        return attention_mask.of_function(given, *known, band, arrays, sizes, begin)

    return Request(query, key, value, score, score_values, found, _band(*band) if band else None,
                   None if scale is None else float(scale), enable_gqa, AuxRequest(lse, max_scores),
                   options_of(json.loads(kernel_options)) if kernel_options else None, mask_of)


def _kernel(query, *arguments):
    out, *rows = attend(request_of(query, *arguments))
    return out, *(query.new_empty((0,), dtype=wide_of(query)) if row is None else row for row in rows)


def _fake(query, key, value, score_mod, mask_mod, arrays, floats, integers, lists, mask, band, scale,
          enable_gqa, lse, max_scores, kernel_options):
    batch, heads, queries, columns = *query.shape[:3], value.shape[3]
    rows = (query.new_empty((batch, heads, queries) if wanted else (0,), dtype=wide_of(query))
            for wanted in (lse, max_scores))
    return new_in_order_of(query, (batch, heads, queries, columns)), *rows


def _leaves(function, values, arrays, floats, integers):
    """The text of a Function; its captures' values go to the lists."""
    if function is None:
        return ""
    for capture, value in zip(function.captures, values):
        if capture.kind == "array":
            arrays.append(torch.from_numpy(value) if isinstance(value, np.ndarray) else value)
        else:
            (floats if capture.kind == "float" else integers).append(value)
    return function_text.serialize(function)


def band_of(band):
    """A Band as the operation takes it."""
    if band is None:
        return []
    return [-1 if band.left is None else band.left, -1 if band.right is None else band.right, band.prefix,
            int(band.bottom_right)]


def arguments_of(request, kernel_options):
    """The operation's arguments of a Request."""
    arrays, floats, integers, lists, mask = [], [], [], [], []
    score_mod = _leaves(request.score, request.score_values, arrays, floats, integers)
    function = None
    if request.block_mask is not None:
        lists, mask, function, values = attention_mask.parts_of(request.block_mask)
    mask_mod = "" if function is None else _leaves(function, values, arrays, floats, integers)
    wanted = request.wanted
    return (request.query, request.key, request.value, score_mod, mask_mod, arrays, floats or None, integers, lists,
            mask, band_of(request.band), request.scale, request.enable_gqa, wanted.lse, wanted.max_scores,
            "" if kernel_options is None else json.dumps(dict(kernel_options)))


def _result(results, given):
    """(output, lse or None, the greatest scores or None)."""
    out, *rows = results
    return out, *(row if asked else None for row, asked in zip(rows, given["request"].wanted))


def _with_gradient(operation):
    """The function that runs in the place of the operation for tensors that may require a gradient."""
    class FlexAttention(torch.autograd.Function):
        """The operation. `arguments` are its own, of which arrays and lists are numbers of tensors; these follow."""

        @staticmethod
        def forward(ctx, query, key, value, *rest):
            own = [query, key, value, *rest[:13]]
            tensors = rest[13:]
            arrays, lists = tensors[:own[_PLACES["arrays"]]], tensors[own[_PLACES["arrays"]]:]
            own[_PLACES["arrays"]], own[_PLACES["lists"]] = list(arrays), list(lists)
            wants_lse, own[_PLACES["lse"]] = own[_PLACES["lse"]], True
            with torch._C._AutoDispatchBelowAutograd():
                out, lse, largest = operation(*own)
            ctx.save_for_backward(query, key, value, out, lse, *arrays, *lists)
            ctx.numbers, ctx.count = [*own[3:5], *own[6:8], *own[9:13], own[15]], len(arrays)
            ctx.set_materialize_grads(False)
            ctx.mark_non_differentiable(largest)
            if wants_lse:
                return out, lse, largest
            none = lse.new_empty((0,))
            ctx.mark_non_differentiable(none, largest)
            return out, none, largest

        @staticmethod
        def jvp(ctx, *_):
            autograd.refuse_tangent("flex_attention")

        @staticmethod
        def backward(ctx, grad_out, grad_lse, _):
            if any(map(autograd.is_batched, (grad_out, grad_lse))):
                autograd.refuse_transform("flex_attention")
            query, key, value, out, lse, *tensors = ctx.saved_tensors
            arrays, lists = tensors[:ctx.count], tensors[ctx.count:]
            score_mod, mask_mod, floats, integers, mask, band, scale, enable_gqa, kernel_options = ctx.numbers
            needs = ctx.needs_input_grad
            # Captures of a mask_mod have no gradient.
            captures = function_text.deserialize(score_mod).captures if score_mod else ()
            count = sum(capture.kind == "array" for capture in captures)
            of_arrays = [place < count and own for place, own in enumerate(needs[16:16 + ctx.count])]
            wanted = [*needs[:3], *of_arrays]
            nothing = [None] * (13 + len(tensors))
            if grad_out is None and grad_lse is None:
                return None, None, None, *nothing
            if grad_out is None:
                grad_out = torch.zeros_like(out)
            with torch.no_grad():
                found = torch.ops.sattn.flex_attention_backward(
                    grad_out, grad_lse, out, lse, query, key, value, score_mod, mask_mod, arrays, floats, integers,
                    lists, mask, band, scale, enable_gqa, kernel_options, wanted)
            gradients = [*found[:3], *found[3]]
            if torch.is_grad_enabled():
                gradients = autograd.once("flex_attention", gradients, (query, key, value, grad_out, *arrays))
            own = (gradient if is_needed else None for gradient, is_needed in zip(gradients, (*needs[:3], *of_arrays)))
            return next(own), next(own), next(own), *nothing[:13], *own, *[None] * len(lists)

    def kernel(query, key, value, score_mod, mask_mod, arrays, floats, integers, lists, *rest):
        return FlexAttention.apply(query, key, value, score_mod, mask_mod, len(arrays), floats, integers, len(lists),
                                   *rest, *arrays, *lists)

    return autograd.outside_transforms("flex_attention", kernel)


register(OpSpec(
    flex_attention, "flex_attention", schema=_SCHEMA, kernel=_kernel, fake=_fake, arguments=arguments_of,
    result=_result, explained=explained, backward=_with_gradient, returns="Any", types={
        **TYPES, "return_lse": "bool", "return_aux": "Any"}))
