"""flex_attention as an operation of PyTorch: functions travel as text (_trace/function_text.py), their captures as
arguments."""

import functools
import json

import numpy as np

from .._arrays import lazy_torch as torch
from .._call.kernel_options import options_of
from .._trace import function_text
from .._masks import attention_mask, mask_functions
from .._masks.block_masks import BlockMask
from .flex_attention import AuxRequest, Request, attend, explained, flex_attention
from .flex_attention_layout import in_order_of
from .flex_attention_autograd import with_gradient
from .spec import OpSpec, register

# arrays, floats, integers: what score_mod and mask_mod capture, in order; floats is None where there are none, since
# PyTorch does not save an empty list of numbers. mask: lengths, block sizes, batches, heads and whether full blocks
# have lists, of a mask; with lists, or made of mask_mod. band: of flex_attention's named masks.
_SCHEMA = ("(Tensor query, Tensor key, Tensor value, str score_mod, str mask_mod, Tensor[] arrays, Scalar[]? floats, "
           "SymInt[] integers, Tensor[] lists, SymInt[] mask, SymInt[] band, Scalar? scale, bool enable_gqa, bool lse, "
           "bool max_scores, str kernel_options) -> (Tensor, Tensor, Tensor)")


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


def _wide(query):
    """The type of numbers of queries."""
    return torch.float64 if query.dtype == torch.float64 else torch.float32


def _kernel(query, *arguments):
    out, *rows = attend(request_of(query, *arguments))
    return out, *(query.new_empty((0,), dtype=_wide(query)) if row is None else row for row in rows)


def _fake(query, key, value, score_mod, mask_mod, arrays, floats, integers, lists, mask, band, scale,
          enable_gqa, lse, max_scores, kernel_options):
    batch, heads, queries, columns = *query.shape[:3], value.shape[3]
    shape, places = in_order_of(query.stride(), (batch, heads, queries, columns))
    out = query.new_empty(shape)
    rows = (query.new_empty((batch, heads, queries) if wanted else (0,), dtype=_wide(query))
            for wanted in (lse, max_scores))
    return out if places is None else out.permute(places), *rows


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


register(OpSpec(
    flex_attention, "flex_attention", schema=_SCHEMA, kernel=_kernel, fake=_fake, arguments=arguments_of,
    result=_result, explained=explained, backward=with_gradient, returns="Any", types={
        "query": "_Array", "key": "_Array", "value": "_Array", "score_mod": "_ScoreMod | None", "block_mask": "Any",
        "scale": "_Number | None", "enable_gqa": "bool", "return_lse": "bool",
        "kernel_options": "Mapping[str, Any] | None", "return_aux": "Any",
        "causal": 'bool | Literal["top_left", "bottom_right"] | None', "window": "tuple[int | None, int | None] | None",
        "prefix": "int | None"}))
