"""The package's functions as operations of PyTorch, torch.ops.sattn: one node of a graph each. This file imports PyTorch.

Each has a kernel that runs the function, one for fake tensors, which gives the result's shape, type and strides, and one
that refuses gradients. A score_mod travels as text (_trace/portable.py), its captures as arguments.
"""

import functools
import json

import numpy as np
import torch

from .._arrays import adapters, sparse_operand
from .._call.kernel_options import options_of
from .._trace import portable
from .._masks import attention_mask, mask_functions
from .._masks.block_masks import BlockMask
from .._ops import bsr_addmm, bsr_softmax, linear, sampled_addmm
from .._ops.flex_attention import AuxRequest, attend, in_order_of

_LIBRARY = torch.library.Library("sattn", "DEF")
# Where crow and col are None, the matrix is a torch.sparse_bsr tensor, else its values; columns: of the matrix, or None.
_BSR = "Tensor? crow, Tensor? col, Tensor {}, SymInt? columns"
_SCHEMAS = {
    "linear": f"(Tensor x, {_BSR.format('weight')}, Tensor? bias, str precision) -> Tensor",
    "bsr_addmm": f"(Tensor? input, {_BSR.format('bsr')}, Tensor dense, Scalar beta, Scalar alpha, Tensor? left_alpha, "
                 "Tensor? right_alpha, str precision) -> Tensor",
    "sampled_addmm": "(Tensor crow, Tensor col, Tensor input, Tensor mat1, Tensor mat2, Scalar beta, Scalar alpha, "
                     "str precision) -> Tensor",
    "bsr_softmax": "(Tensor crow, Tensor col, Tensor input) -> Tensor",
    # arrays, floats, integers: what score_mod and mask_mod capture, in order; floats is None where there are none, since
    # PyTorch does not save an empty list of numbers. mask: lengths, block sizes, batches, heads and
    # whether full blocks have lists, of a mask; with lists, or made of mask_mod. band: of flex_attention's named masks.
    "flex_attention": "(Tensor query, Tensor key, Tensor value, str score_mod, str mask_mod, Tensor[] arrays, "
                      "Scalar[]? floats, SymInt[] integers, Tensor[] lists, SymInt[] mask, SymInt[] band, Scalar? scale, "
                      "bool enable_gqa, bool lse, bool max_scores, str kernel_options) -> (Tensor, Tensor, Tensor)"}


# Kernels


def _matrix(crow, col, matrix, columns):
    """The operand of a product, as the package's functions take it."""
    if crow is None:
        return matrix
    prepared = sparse_operand.prepared_of(crow, col, matrix)
    if prepared is not None:
        return prepared
    if columns is None:
        return crow, col, matrix
    batch = matrix.shape[:-3]
    return sparse_operand.Operand(crow, col, matrix, (*batch, (crow.shape[-1] - 1) * matrix.shape[-2], columns))


def _linear_kernel(x, crow, col, weight, columns, bias, precision):
    return linear.linear(x, _matrix(crow, col, weight, columns), bias, precision=precision or None)


def _bsr_addmm_kernel(input, crow, col, bsr, columns, dense, beta, alpha, left_alpha, right_alpha, precision):
    return bsr_addmm.bsr_dense_addmm(input, _matrix(crow, col, bsr, columns), dense, beta=beta, alpha=alpha,
                                left_alpha=left_alpha, right_alpha=right_alpha, precision=precision or None)


def _sampled_addmm_kernel(crow, col, input, mat1, mat2, beta, alpha, precision):
    return sampled_addmm.sampled_addmm((crow, col, input), mat1, mat2, beta=beta, alpha=alpha, precision=precision or None)[2]


def _bsr_softmax_kernel(crow, col, input):
    return bsr_softmax.bsr_softmax((crow, col, input))[2]


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


def _flex_attention_kernel(query, key, value, score_mod, mask_mod, arrays, floats, integers, lists, mask, band, scale,
                           enable_gqa, lse, max_scores, kernel_options):
    given = iter(arrays), iter(floats or ()), iter(integers)
    score = score_values = known = found = None
    if score_mod:
        score = portable.function_of(score_mod)
        score_values = portable.values_of(score, *given)
    if mask_mod:
        function = portable.function_of(mask_mod)
        known = function, portable.values_of(function, *given)
    if lists:
        found = _GivenMask(lists, mask, None if known is None else mask_functions.noop_mask)
    elif mask:
        found = _mask_of_function(mask_mod, tuple(mask))

    def mask_of(given, band, arrays, sizes, begin):
        if lists:
            return attention_mask.of_lists(given, band, arrays, sizes, known)
        attention_mask.require_fit(given, sizes)
        return attention_mask.of_function(given, *known, band, arrays, sizes, begin)

    out, *rows = attend(query, key, value, score, score_values, found, mask_of, _band(*band) if band else None,
                        None if scale is None else float(scale), enable_gqa, AuxRequest(lse, max_scores),
                        options_of(json.loads(kernel_options)) if kernel_options else None)
    return out, *(query.new_empty((0,), dtype=torch.float32) if row is None else row for row in rows)


# Shapes


def _rows(crow, matrix):
    return matrix.shape[-2] if crow is None else (crow.shape[-1] - 1) * matrix.shape[-2]


def _batch(crow, matrix):
    return matrix.shape[:-2] if crow is None else torch.broadcast_shapes(crow.shape[:-1], matrix.shape[:-3])


def _linear_fake(x, crow, col, weight, columns, bias, precision):
    return x.new_empty((*x.shape[:-1], _rows(crow, weight)))


def _bsr_addmm_fake(input, crow, col, bsr, columns, dense, beta, alpha, left_alpha, right_alpha, precision):
    batch = torch.broadcast_shapes(_batch(crow, bsr), dense.shape[:-2])
    return dense.new_empty((*batch, _rows(crow, bsr), dense.shape[-1]))


def _sampled_addmm_fake(crow, col, input, mat1, mat2, beta, alpha, precision):
    batch = torch.broadcast_shapes(_batch(crow, input), col.shape[:-1], mat1.shape[:-2], mat2.shape[:-2])
    return mat1.new_empty((*batch, *input.shape[-3:]))


def _bsr_softmax_fake(crow, col, input):
    return input.new_empty((*torch.broadcast_shapes(_batch(crow, input), col.shape[:-1]), *input.shape[-3:]))


def _flex_attention_fake(query, key, value, score_mod, mask_mod, arrays, floats, integers, lists, mask, band, scale,
                         enable_gqa, lse, max_scores, kernel_options):
    batch, heads, queries, columns = *query.shape[:3], value.shape[3]
    shape, places = in_order_of(query.stride(), (batch, heads, queries, columns))
    out = query.new_empty(shape)
    return out if places is None else out.permute(places), *(query.new_empty((batch, heads, queries) if wanted else (0,), dtype=torch.float32)
                  for wanted in (lse, max_scores))


# Gradients


def _refusing(operation, names):
    """The kernel for tensors of which PyTorch may want a gradient: it refuses those, and calls the operation for others."""
    def refuse(name, value):
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, torch.Tensor):
                adapters.require_no_derivative(name, one)

    def kernel(*arguments, **options):
        for name, value in (*zip(names, arguments), *options.items()):
            refuse(name, value)
        with torch._C._AutoDispatchBelowAutograd():
            return operation(*arguments, **options)

    return kernel


def _define():
    for name, schema in _SCHEMAS.items():
        _LIBRARY.define(name + schema, tags=(torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides))
        kernel, fake = globals()[f"_{name}_kernel"], globals()[f"_{name}_fake"]
        _LIBRARY.impl(name, kernel, "CompositeExplicitAutograd")
        torch.library.register_fake(f"sattn::{name}", fake, lib=_LIBRARY)
        operation = getattr(torch.ops.sattn, name).default
        _LIBRARY.impl(name, _refusing(operation, [argument.name for argument in operation._schema.arguments]), "Autograd")


_define()


# Calls with tensors that stand for others


def parts_of(bsr, name):
    """(crow, col, matrix, columns) of an operand, as the operations take it."""
    if isinstance(bsr, sparse_operand.Operand):
        return bsr.crow, bsr.col, bsr.values, None if bsr.shape is None else bsr.shape[-1]
    if adapters.is_torch(bsr) and bsr.layout == torch.sparse_bsr:
        return None, None, bsr, None
    return sparse_operand.parts_of(bsr, name)


def call_linear(x, weight, bias, out, precision):
    """linear by the operation."""
    refuse_options("linear", out=out)
    return torch.ops.sattn.linear(x, *parts_of(weight, "bsr"), bias, precision or "")


def call_bsr_addmm(input, bsr, dense, beta, alpha, left_alpha, right_alpha, precision, **options):
    """bsr_dense_addmm by the operation."""
    refuse_options("bsr_dense_addmm", **options)
    return torch.ops.sattn.bsr_addmm(input, *parts_of(bsr, "bsr"), dense, beta, alpha, left_alpha, right_alpha,
                                     precision or "")


def _require_tuple(name, input):
    if not isinstance(input, tuple) or len(input) != 3:
        raise NotImplementedError(f"argument 'input': expected (crow, col, values) where {name} is traced, for fake tensors, "
                                  f"but got {type(input).__name__}")
    return input


def call_sampled_addmm(input, mat1, mat2, beta, alpha, precision, **options):
    """sampled_addmm by the operation, of (crow, col, values)."""
    refuse_options("sampled_addmm", **options)
    crow, col, values = _require_tuple("sampled_addmm", input)
    return crow, col, torch.ops.sattn.sampled_addmm(crow, col, values, mat1, mat2, beta, alpha, precision or "")


def call_bsr_softmax(input, **options):
    """bsr_softmax by the operation, of (crow, col, values)."""
    refuse_options("bsr_softmax", **options)
    crow, col, values = _require_tuple("bsr_softmax", input)
    return crow, col, torch.ops.sattn.bsr_softmax(crow, col, values)


def refuse_options(name, **options):
    """Raises NotImplementedError for an argument, of those by name, that the operation does not have."""
    for option, value in options.items():
        if value is not None and value is not False:
            raise NotImplementedError(f"argument '{option}': expected none where {name} is traced, for fake tensors, but got "
                                      f"one of type {type(value).__name__}")


def _leaves(function, values, arrays, floats, integers):
    """The text of a Function; its captures' values go to the lists."""
    if function is None:
        return ""
    for capture, value in zip(function.captures, values):
        if capture.kind == "array":
            arrays.append(torch.from_numpy(value) if isinstance(value, np.ndarray) else value)
        else:
            (floats if capture.kind == "float" else integers).append(value)
    return portable.text_of(function)


def band_of(band):
    """A Band as the operation takes it."""
    if band is None:
        return []
    return [-1 if band.left is None else band.left, -1 if band.right is None else band.right, band.prefix,
            int(band.bottom_right)]


def call_flex_attention(query, key, value, score, score_values, block_mask, band, scale, enable_gqa, wanted, kernel_options):
    """(output, lse or None, the greatest scores or None) by the operation."""
    arrays, floats, integers, lists, mask = [], [], [], [], []
    score_mod = _leaves(score, score_values, arrays, floats, integers)
    function = None
    if block_mask is not None:
        lists, mask, function, values = attention_mask.parts_of(block_mask)
    mask_mod = "" if function is None else _leaves(function, values, arrays, floats, integers)
    out, *rows = torch.ops.sattn.flex_attention(
        query, key, value, score_mod, mask_mod, arrays, floats or None, integers, lists, mask, band_of(band), scale, enable_gqa,
        wanted.lse, wanted.max_scores, "" if kernel_options is None else json.dumps(dict(kernel_options)))
    return out, *(row if asked else None for row, asked in zip(rows, wanted))
