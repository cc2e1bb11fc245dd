"""Calls of the package's functions as torch.compile traces them: what it runs in their place while it makes a graph.

Each becomes an operation of torch/library.py. The functions here are traced themselves, so that all that they read is
guarded, and tensors become inputs of the graph. What has no operation breaks the graph, and then runs as it is.
This file imports PyTorch and its compiler.
"""

import functools
import inspect
import json
import sys
import types

import numpy as np
import torch

from . import library  # noqa: F401
from .._arrays import sparse_operand
from .._masks import block_masks
from .._masks.block_masks import BlockMask
from .._ops import bsr_attention, flex_attention, flex_attention_operation
from .._ops.spec import SPECS
from . import abstract_values, dynamo_private

#: Values that tracing one function reads, at most.
READS_LIMIT = 500
SMALL, LARGE, SMALL_END, LARGE_END = abstract_values.SMALL, abstract_values.LARGE, 2**24, 2**31
LIBRARIES, OPENED = abstract_values.LIBRARIES, abstract_values.OPENED
_constant = torch.compiler.assume_constant_result


@_constant
def _next(kind, *described):
    return abstract_values.trace_step(kind, described)


@_constant
def _options_text(*items):
    return json.dumps(dict(items))


def _read(parent, how, key):
    """As capturing.READS says."""
    if how == "closure":
        return parent.__closure__[key].cell_contents
    if how == "global":
        # The names of functions that are made in the graph are not to be had otherwise.
        return getattr(sys.modules[parent.__module__], key)
    if how == "default":
        return parent.__defaults__[key]
    if how == "keyword default":
        return parent.__kwdefaults__[key]
    if how == "function":
        return parent.__func__
    if how == "self":
        return parent.__self__
    if how == "partial":
        return parent.func
    if how == "argument":
        return parent.args[key]
    if how == "keyword":
        return parent.keywords[key]
    if how == "attribute":
        return getattr(parent, key)
    if how == "method":
        return getattr(parent, key).__func__
    if how == "special":
        return getattr(type(parent), key)
    if how == "class":
        return type(parent)
    if how == "builtin":  # The function's globals may hide them.
        return key in sys.modules[parent.__module__].__dict__
    return parent[key]


def _fixed(number):
    """The integer, on which the graph depends then."""
    return len(range(number)) if number >= 0 else -len(range(-number))


def _kind_of(value, parent):
    """(kind, details) of a value, for torch/abstract_values.py."""
    if isinstance(value, torch.Tensor):
        return "tensor", (value.dtype, value.dim())
    if isinstance(value, np.ndarray):
        return "tensor", (torch.from_numpy(value).dtype, value.ndim)
    if isinstance(value, bool) or value is None or isinstance(value, (str, bytes)):
        return "same", (value,)
    if type(value) is int:
        if -SMALL_END <= value <= SMALL_END:
            return "number", (SMALL, False)
        if -LARGE_END <= value < LARGE_END:
            return "number", (LARGE, False)
        return "same", (value,)
    if isinstance(value, float):
        return "number", (0.5, False)
    if isinstance(value, types.FunctionType):
        module = value.__module__
        if module in OPENED or module is not None and module.partition(".")[0] not in LIBRARIES:
            defaults, names = value.__defaults__, value.__kwdefaults__
            return "function", (value.__code__, module, 0 if defaults is None else len(defaults),
                                () if names is None else tuple(names))
        return "same", (value,)
    if isinstance(value, types.MethodType):
        return "method", (value.__self__ is parent,)
    if isinstance(value, functools.partial):
        return "partial", (len(value.args), tuple(value.keywords))
    if type(value) is list or type(value) is tuple:
        return "sequence", (type(value), len(value))
    if type(value) is dict:
        return "dict", (tuple(value),)
    if isinstance(value, (types.ModuleType, type, types.BuiltinFunctionType, np.generic)):
        return "same", (value,)
    return "object", (type(value),)


def _taken(kind, function, arrays, floats, integers):
    """(the text of a function, "") and what it captures, added to the lists; or ("", why it cannot be traced)."""
    values, described = [function], [(-1, "", None, *_kind_of(function, None))]
    for _ in range(READS_LIMIT):
        step = _next(kind, *described)
        if step[0] == "read":
            parent, how, key = step[1:]
            if how == "attribute" and not dynamo_private.GUARDS_CLASSES and isinstance(values[parent], type):
                return "", f"argument '{kind}': an attribute of a class, which this PyTorch does not guard"
            value = _read(values[parent], how, key)
            values.append(value)
            described.append((parent, how, key, *_kind_of(value, values[parent])))
        elif step[0] == "fix":
            place = step[1]
            value = values[place]
            fixed = float(value) if isinstance(value, float) else _fixed(value)
            described[place] = (*described[place][:4], (fixed, True))
        elif step[0] == "refused":
            return "", step[1]
        else:
            for place, dimension in step[2]:
                value = values[place]
                if dimension >= 0:
                    integers.append(value.shape[dimension])
                elif isinstance(value, np.ndarray):
                    arrays.append(_of_one(torch.from_numpy(value)))
                elif isinstance(value, torch.Tensor):
                    arrays.append(_of_one(value))
                elif isinstance(value, float):
                    floats.append(value)
                else:
                    integers.append(value)
            return step[1], ""
    return "", f"argument '{kind}': the function captures more than {READS_LIMIT} values"


def _of_one(tensor):
    return tensor if tensor.dim() else tensor.view(1)


def _mask_parts(block_mask):
    """(lists, numbers, mask_mod or None) of a BlockMask, as attention_mask.parts_of."""
    lengths, block = block_mask.seq_lengths, block_mask.BLOCK_SIZE
    if isinstance(block_mask, BlockMask):
        if block_mask._given is None:
            batch = block_mask._batch
            return [], [*lengths, *block, *batch, int(block_mask._separate)], block_mask._mask_mod
        given, mask_mod = block_mask._given, block_mask._mask_mod
    else:
        given = (block_mask.kv_num_blocks, block_mask.kv_indices, block_mask.full_kv_num_blocks,
                 block_mask.full_kv_indices)
        mask_mod = block_mask.mask_mod
    lists = [array for array in given if array is not None]
    if mask_mod is not None and mask_mod.__name__ == block_masks.SLICED:
        mask_mod = None
    return lists, [*lengths, *block, 1, 1, 1], mask_mod


@torch.compiler.substitute_in_graph(block_masks.create_block_mask)
def _create_block_mask_call(mask_mod, B, H, Q_LEN, KV_LEN, device=None, BLOCK_SIZE=128, _compile=False,
                            separate_full_blocks=True, compute_dq_write_order=False, dq_kv_order=True):
    block = tuple(BLOCK_SIZE) if isinstance(BLOCK_SIZE, (tuple, list)) else (BLOCK_SIZE, BLOCK_SIZE)
    if device is not None or len(block) != 2:
        torch._dynamo.graph_break(msg="sattn.create_block_mask: a device, or no size of blocks")
        return block_masks.create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN, device, BLOCK_SIZE, _compile,
                                             separate_full_blocks, compute_dq_write_order, dq_kv_order)
    mask = object.__new__(BlockMask)
    mask.seq_lengths, mask.BLOCK_SIZE = (Q_LEN, KV_LEN), block
    mask._mask_mod, mask._given, mask._transposed, mask._made = mask_mod, None, None, {}
    mask._batch, mask._separate, mask._device = (1 if B is None else B,
                                                 1 if H is None else H), separate_full_blocks, None
    for name in block_masks.ORDERS:
        setattr(mask, name, None)
    return mask


def _end(number):
    return None if number is None else _fixed(number)


def _is_scalar(number):
    return isinstance(number, (int, float)) and not isinstance(number, bool)


def _flex_reason(query, key, value, block_mask, scale, kernel_options, return_aux, window):
    """Why a call of flex_attention has no operation, or ""."""
    if not (isinstance(query, torch.Tensor) and isinstance(key, torch.Tensor) and isinstance(value, torch.Tensor)):
        return "query, key and value are no tensors"
    if query.dim() != 4 or value.dim() != 4 or key.dim() != 4:
        return "query, key and value have not four dimensions"
    if scale is not None and not _is_scalar(scale):
        return "scale is no number of Python"
    if block_mask is not None and not hasattr(block_mask, "BLOCK_SIZE"):
        return "block_mask is no BlockMask"
    if window is not None and not (isinstance(window, (list, tuple)) and len(window) == 2):
        return "window is no pair"
    return ""


@torch.compiler.substitute_in_graph(flex_attention.flex_attention)
def _flex_attention_call(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False,
                         return_lse=False,
                         kernel_options=None, *, return_aux=None, causal=None, window=None, prefix=None):
    reason = _flex_reason(query, key, value, block_mask, scale, kernel_options, return_aux, window)
    arrays, floats, integers, lists, mask = [], [], [], [], []
    score = mask_text = ""
    if not reason and score_mod is not None:
        score, reason = _taken("score_mod", score_mod, arrays, floats, integers)
    if not reason and block_mask is not None:
        lists, mask, mask_mod = _mask_parts(block_mask)
        if mask_mod is not None:
            mask_text, reason = _taken("mask_mod", mask_mod, arrays, floats, integers)
    band = []
    if causal is not None or window is not None or prefix is not None:
        band = list(_band_of(causal, None if prefix is None else _fixed(prefix),
                             *(() if window is None else (_end(window[0]), _end(window[1])))))
    if reason:
        torch._dynamo.graph_break(msg=f"sattn.flex_attention: {reason}")
        return flex_attention.flex_attention(query, key, value, score_mod, block_mask, scale, enable_gqa, return_lse,
                                             kernel_options, return_aux=return_aux, causal=causal, window=window,
                                             prefix=prefix)
    with_lse = bool(return_lse) if return_aux is None else bool(return_aux.lse)
    with_scores = return_aux is not None and bool(return_aux.max_scores)
    options = "" if kernel_options is None else _options_text(*kernel_options.items())
    if torch.is_autocast_enabled(query.device.type) and query.dtype != torch.float64:
        element = torch.get_autocast_dtype(query.device.type)
        query, key, value = query.to(element), key.to(element), value.to(element)
    out, lse, largest = torch.ops.sattn.flex_attention(
        query, key, value, score, mask_text, arrays, floats if floats else None, integers, lists, mask, band, scale,
        bool(enable_gqa), with_lse, with_scores, options)
    if return_aux is not None:
        return out, flex_attention.AuxOutput(lse=lse if with_lse else None, max_scores=largest if with_scores else None)
    return (out, lse) if return_lse else out


@_constant
def _band_of(causal, prefix, *window):
    return tuple(flex_attention_operation.band_of(abstract_values.band(causal, prefix, window)))


def _operand_parts(bsr):
    """(crow, col, matrix, columns) of an operand, or None."""
    if isinstance(bsr, tuple):
        return (*bsr, None) if len(bsr) == 3 else None
    if isinstance(bsr, sparse_operand.Prepared):
        return None if bsr.leaf is not None else (bsr._crow, bsr._col, bsr.values, bsr.shape[-1])
    if isinstance(bsr, torch.Tensor) and bsr.layout == torch.sparse_bsr:  # As in torch.export.
        return None, None, bsr, None
    if isinstance(bsr, torch.nn.Module) and isinstance(getattr(bsr, "operand", None), sparse_operand.Prepared):
        return bsr.crow, bsr.col, bsr.values, bsr.operand.shape[-1]
    return None


@_constant
def _is_one_operation(rows, *columns):
    return bsr_attention.is_one_operation((rows, columns[0]), *columns[1:])


@torch.compiler.substitute_in_graph(bsr_attention.scaled_dot_product_attention)
def _attention_call(query, key, value, attn_mask, dropout_p=0.0, is_causal=False, scale=None, *, check=None,
                    precision=None, meta=None):
    reason = _attention_reason(query, key, value, attn_mask, dropout_p, is_causal, scale, check, meta)
    if reason:
        torch._dynamo.graph_break(msg=f"sattn.scaled_dot_product_attention: {reason}")
        return bsr_attention.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale,
                                                          check=check, precision=precision, meta=meta)
    crow, col, values, _ = _operand_parts(attn_mask)
    random = None
    if dropout_p:
        random = torch.randint(bsr_attention.LARGEST_SEED, (2,), device=query.device)
    return torch.ops.sattn.bsr_attention(
        query, key, value, crow, col, [values.shape[-2], values.shape[-1]], random, float(dropout_p),
        query.shape[-1] ** -0.5 if scale is None else float(scale), precision or "", False)[0]


def _attention_reason(query, key, value, attn_mask, dropout_p, is_causal, scale, check, meta):
    """Why a call of scaled_dot_product_attention has no operation, or ""."""
    if not (isinstance(query, torch.Tensor) and isinstance(key, torch.Tensor) and isinstance(value, torch.Tensor)):
        return "query, key and value are no tensors"
    if is_causal or check or meta is not None or not _is_scalar(dropout_p) or not 0 <= dropout_p <= 1:
        return "is_causal, check or meta is given, or dropout_p is no probability"
    if scale is not None and not _is_scalar(scale):
        return "scale is no number of Python"
    parts = _operand_parts(attn_mask)
    if parts is None or parts[0] is None:
        return "attn_mask is no (crow, col, values) and not prepared"
    if not _is_one_operation(_fixed(parts[2].shape[-2]), _fixed(parts[2].shape[-1]), _fixed(query.shape[-1]),
                             _fixed(value.shape[-1])):
        return "several kernels compute it"
    return ""


def _pairs(data):
    """The operation's arguments of lists of pairs, or None."""
    if not isinstance(data, tuple) or len(data) < 3:
        return None
    format, *members = data
    if format == "scatter_mm" and len(members) == 2 and members[1].dim() == 2:
        return format, members[0], members[1][:, 1], members[1][:, 0], None, 1
    if format == "bsr_strided_mm" and len(members) == 5:
        offsets, r, p, q, meta = members
        return format, offsets, q, p, r, meta["SPLIT_N"]
    if format == "bsr_strided_mm_compressed" and len(members) == 4:
        offsets, r, q, meta = members
        return format, offsets, q, None, r, meta["SPLIT_N"]
    return None


def _requires_grad(*tensors):
    if not torch.is_grad_enabled():
        return False
    for tensor in tensors:
        if isinstance(tensor, torch.Tensor) and tensor.requires_grad:
            return True
    return False


# Operations of tensors and numbers, by their specs

#: For each function with such an operation: (the operation's name, the number of its positional parameters, whether the
#: result has crow and col of a pattern, whether it has gradients, the keyword that the result is written to or "",
#: (name, kind or "", default) of each parameter).
_FORMS = {}
_FUNCTIONS = {name: spec.function for name, spec in SPECS.items()}
_MISSING = "no argument"


def _flat(kind, value):
    """The operation's arguments of one of its function, or None where they cannot be made of it."""
    if kind == "matrix":
        return _operand_parts(value)
    if kind == "pattern":
        return value if isinstance(value, tuple) and len(value) == 3 and isinstance(value[2], torch.Tensor) else None
    if kind == "tensor":
        return (value,) if isinstance(value, torch.Tensor) else None
    if kind == "tensor?":
        return (value,) if value is None or isinstance(value, torch.Tensor) else None
    if kind == "number":
        return (value,) if _is_scalar(value) else None
    if kind == "pairs":
        return _pairs(value)
    return ("" if value is None else value,)  # A precision.


def _operation_arguments(positional, has_gradients, parameters, given, named):
    """(the operation's arguments in order, those by name, "") or (..., why a call has no operation)."""
    flat, tensors, taken = [], {}, 0
    if len(given) > positional:
        return flat, tensors, "too many arguments"
    for place, (name, kind, default) in enumerate(parameters):
        value = default
        if place < len(given):
            value = given[place]
        elif name in named:
            taken += 1
            value = named[name]
        if kind == "number" and isinstance(value, torch.Tensor) and value.dim() == 0 and value.device.type == "cpu":
            tensors[name + "_tensor"] = value
            value = 1
        if kind:
            parts = _flat(kind, value)
            if parts is None:
                return flat, tensors, f"'{name}' is no operand of a graph"
            flat.extend(parts)
        elif value is not None and value is not False:
            return flat, tensors, f"'{name}' is given"
    if taken != len(named):
        return flat, tensors, "other arguments"
    return flat, tensors, "a tensor requires a gradient" if not has_gradients and _requires_grad(*flat) else ""


def _traced_call(function, given, named):
    operation, positional, has_pattern, has_gradients, written, parameters = _FORMS[function]
    flat, tensors, reason = _operation_arguments(positional, has_gradients, parameters, given, named)
    if reason:
        torch._dynamo.graph_break(msg=f"sattn.{function}: {reason}")
        return _FUNCTIONS[function](*given, **named)
    result = getattr(torch.ops.sattn, operation)(*flat, **tensors)
    if written and named.get(written) is not None:
        return named[written].copy_(result)
    return (flat[0], flat[1], result) if has_pattern else result


def _form_of(spec):
    """The function that torch.compile traces in the place of a spec's."""
    function = spec.function.__name__
    parameters = inspect.signature(spec.function).parameters
    names = tuple(name for name, one in parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD)
    if spec.form_of is not None:
        other, fixed = spec.form_of

        def form(*given, **named):
            return _traced_call(other, (), {**dict(zip(names, given)), **named, **fixed})
        return form
    _FORMS[function] = (spec.name, len(names), bool(spec.pattern), bool(spec.gradients), spec.written, tuple(
        (name, spec.parameters.get(name, ""), _MISSING if one.default is one.empty else one.default)
        for name, one in parameters.items()))

    def form(*given, **named):
        return _traced_call(function, given, named)
    return form


for _spec in SPECS.values():
    if _spec.parameters or _spec.form_of:
        torch.compiler.substitute_in_graph(_spec.function)(_form_of(_spec))
