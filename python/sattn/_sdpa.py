"""scaled_dot_product_attention of a block-sparse mask."""

import math
import sys

from . import _arrays, _operand, _storage
from ._dense_mm import bsr_dense_mm
from ._numbers import number
from ._sampled import sampled_addmm
from ._softmax import bsr_softmax


def _require_pattern(attn_mask, query):
    """(crow, col, values, own shape or None) of the mask, of booleans or of query's element type, which is the last."""
    if attn_mask is None:
        raise ValueError("argument 'attn_mask': expected a block-sparse matrix, but got None")
    crow, col, values, shape = _operand.parts_of(attn_mask, "attn_mask")
    arrays = _arrays.arrays_of("attn_mask", values)
    for name, array in (("crow", crow), ("col", col), ("query", query)):
        _arrays.require_same(name, array, arrays, "attn_mask")
    if values.ndim < 3 or crow.ndim < 1:
        raise ValueError("argument 'attn_mask': expected crow (*, M / BM + 1) and values (*, nnz, BM, BN), but got shapes "
                         f"{tuple(crow.shape)} and {tuple(values.shape)}")
    if any(size % 8 or size <= 0 for size in values.shape[-2:]):
        raise NotImplementedError("argument 'attn_mask': expected blocks of positive multiples of 8, but got "
                                  f"{values.shape[-2]} x {values.shape[-1]}")
    dtype = _arrays.require_element("query", query, arrays, ("f16", "bf16", "f32"))
    if not str(values.dtype).endswith("bool"):
        _arrays.require_element("attn_mask", values, arrays, (dtype,))
    return crow, col, values, shape, dtype


def _require_operands(query, key, value, crow, values, own, dtype):
    """Raises for query (*, M, D), key (*, N, D) and value (*, N, E) that fit neither each other nor the mask, M x N."""
    arrays = _arrays.arrays_of("query", query)
    for name, array, wanted in (("query", query, "(*, M, D)"), ("key", key, "(*, N, D)"), ("value", value, "(*, N, E)")):
        _arrays.require_same(name, array, arrays, "query")
        _arrays.require_element(name, array, arrays, (dtype,))
        _arrays.require_no_derivative(name, array)
        if array.ndim < 2:
            raise ValueError(f"argument '{name}': expected shape {wanted}, but got {tuple(array.shape)}")
    rows, columns = (crow.shape[-1] - 1) * values.shape[-2], key.shape[-2]
    if own is not None and own[-1] != columns:
        raise ValueError(f"argument 'key': expected {own[-1]} rows, the columns of attn_mask, but got {columns}")
    if columns % values.shape[-1]:
        raise ValueError(f"argument 'key': expected rows for whole blocks of {values.shape[-1]} columns of attn_mask, but "
                         f"got {columns}")
    for name, got, wanted, what in (("query", query.shape[-2], rows, "rows, those of attn_mask"),
                                    ("key", key.shape[-1], query.shape[-1], "columns, those of query"),
                                    ("value", value.shape[-2], columns, "rows, those of key")):
        if got != wanted:
            raise ValueError(f"argument '{name}': expected {wanted} {what}, but got {got}")
    batch = tuple(query.shape[:-2])
    for name, other in (("key", key.shape[:-2]), ("value", value.shape[:-2]), ("attn_mask", values.shape[:-3])):
        batch = _storage.broadcast_batch(batch, name, other)


def _require_dropout(dropout_p, query):
    """The probability. Raises for what is none, and for arrays that have no dropout."""
    probability = number("dropout_p", dropout_p)
    if not 0 <= probability <= 1:
        raise ValueError(f"argument 'dropout_p': expected a probability in [0, 1], but got {probability}")
    if probability and not _arrays.is_torch(query):
        raise NotImplementedError(f"argument 'dropout_p': expected 0 without PyTorch, but got {probability}")
    return probability


def scaled_dot_product_attention(query, key, value, attn_mask, dropout_p=0.0, is_causal=False, scale=None, *, check=None,
                                 precision=None):
    """softmax(scale * query @ key^T) @ value, where a score counts only at the stored blocks of attn_mask.

    query: (*, M, D); key: (*, N, D); value: (*, N, E), any strides, of one element type: f16, bf16 or f32 (on CUDA with
    precision "tf32"). attn_mask: M x N with blocks of multiples of 8, a torch.sparse_bsr tensor, a SciPy BSR array or
    (crow, col, values) of one library; its values, booleans or of query's type, are not read: every element of a stored
    block counts. * are batch dimensions, which broadcast. dropout_p: with PyTorch's tensors, the probability that a weight
    becomes 0 and the others grow by 1 / (1 - dropout_p), by PyTorch's generator. is_causal: False, as in PyTorch's
    function. scale: None: 1 / sqrt(D). check: whether the contents of index arrays are checked; by default on the CPU. On
    CUDA that synchronizes.

    The products and the softmax are sampled_addmm, bsr_softmax and bsr_dense_mm, one after the other: scores and weights
    of stored blocks are in memory, of query's type. sattn.flex_attention has neither, and is faster.

    Returns (*, M, E). Rows without a stored block are 0. Raises ValueError or TypeError for arguments that do not fit,
    NotImplementedError for what has no code yet (gradients among it), before anything is computed.
    """
    if is_causal:
        raise ValueError("argument 'is_causal': expected False, since attn_mask says which blocks count, but got True")
    probability = _require_dropout(dropout_p, query)
    crow, col, values, own, dtype = _require_pattern(attn_mask, query)
    _require_operands(query, key, value, crow, values, own, dtype)
    depth = query.shape[-1]
    if scale is None and depth == 0:
        raise ValueError("argument 'scale': expected a number where query has no columns, but got None")
    scale = 1 / math.sqrt(depth) if scale is None else number("scale", scale)
    keys = key.swapaxes(-1, -2)
    scores = sampled_addmm((crow, col, values), query, keys, beta=0, alpha=scale, check=check, precision=precision)
    weights = bsr_softmax(scores, check=False)
    if probability:
        functional = sys.modules["torch"].nn.functional
        weights = *weights[:2], functional.dropout(weights[2], probability, inplace=True)
    return bsr_dense_mm(weights, value, check=False, precision=precision)
