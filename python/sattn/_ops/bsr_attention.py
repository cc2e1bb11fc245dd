"""scaled_dot_product_attention of a block-sparse mask."""

import dataclasses
import math
import typing

import numpy as np

from .._arrays import adapters, autocast, autograd, dtypes, lazy_torch as torch, plain, sparse_operand
from .._arrays import stand_ins, storage
from .._compiler import compiler, program_text, tuning
from .._compiler.program_text import meta_and_precision
from .._call import cache, dispatch, guard, launch_hints, memory
from .._call.meta import program_with, tile_of
from .._call.scalars import number
from . import bsr_addmm
from .bsr_mm import bsr_dense_mm
from .bsr_softmax import bsr_softmax, explained as softmax_explained
from .sampled_addmm import call_of as sampled_call_of, sampled_addmm

# Most columns of query, key and value that one kernel takes, and the multiple that block columns must be.
_MOST_COLUMNS, _KEY_MULTIPLE = 512, 16
#: Upper bound of seeds and offsets of dropout.
LARGEST_SEED = 2**63 - 1


@dataclasses.dataclass(frozen=True)
class BsrAttention:
    """One `sattn.bsr_attention` on tensors of dynamic shapes: what a kernel is compiled for.

    dtype: element type of query, key, value and the result: "f16", "bf16", "f32" or "f64".
    columns: of query and key, and of value. block: rows and columns of a stored block. index: "i32" or "i64".
    batch: batch dimensions of crow, col, query, key, value and the result.
    dropout: whether weights are dropped. precision: "ieee", or of f32 "tf32". meta: the inside of #sattn.meta<...>, or
    "" for the compiler's choice. lse: whether logarithms of sums are a second result.
    """

    dtype: str
    columns: tuple
    block: tuple
    index: str
    batch: tuple
    dropout: bool
    precision: str
    meta: str = ""
    lse: bool = False

    @property
    def arguments(self):
        """Names of the function's arguments, in order, and their types."""
        depth, width = self.columns

        def matrix(batch, columns):
            return f"tensor<{'?x' * (batch + 1)}{columns}x{self.dtype}>"

        def indices(batch):
            return f"tensor<{'?x' * (batch + 1)}{self.index}>"

        crow, col, query, key, value, out = self.batch
        scalar = dtypes.scalar_of(self.dtype)
        return {"scale": scalar, **({"dropout_p": scalar} if self.dropout else {}),
                "crow": indices(crow), "col": indices(col), "query": matrix(query, depth), "key": matrix(key, depth),
                "value": matrix(value, width), **({"random": "tensor<2xi64>"} if self.dropout else {}),
                "out": matrix(out, width), **({"lse": f"tensor<{'?x' * (out + 1)}{scalar}>"} if self.lse else {})}

    def text(self):
        """The module: one function @bsr_attention, which returns the new contents of its last arguments."""
        types = self.arguments
        dropout = f"\n      dropout(%dropout_p, %random : {types['random']})" if self.dropout else ""
        block = f"block_size = array<i64: {self.block[0]}, {self.block[1]}>"
        return program_text.program(
            "bsr_attention", types,
            " scale(%scale)\n      "
            f"ins({program_text.listed(['crow', 'col', 'query', 'key', 'value'], types)}){dropout}",
            [block, *meta_and_precision(self)], outs=("out", "lse")[:1 + self.lse])


def _parts_of(attn_mask):
    """(crow, col, values, own shape or None)."""
    if attn_mask is None:
        raise ValueError("argument 'attn_mask': expected a block-sparse matrix, but got None")
    if not isinstance(attn_mask, sparse_operand.Prepared):
        return sparse_operand.parts_of(attn_mask, "attn_mask")
    attn_mask.require_unwritten("attn_mask")
    shape = None if attn_mask.shape[-1] is None else attn_mask.shape
    return attn_mask.crow, attn_mask.col, attn_mask.values, shape


def _require_pattern(attn_mask, query):
    """(crow, col, values, own shape or None) of the mask, of booleans or of query's element type, which is the last."""
    crow, col, values, shape = _parts_of(attn_mask)
    arrays = adapters.arrays_of("attn_mask", values)
    for name, array in (("crow", crow), ("col", col), ("query", query)):
        adapters.require_same(name, array, arrays, "attn_mask")
    if values.ndim < 3 or crow.ndim < 1 or col.ndim < 1:
        raise ValueError("argument 'attn_mask': expected crow (*, M / BM + 1) and values (*, nnz, BM, BN), but got "
                         f"shapes {tuple(crow.shape)} and {tuple(values.shape)}")
    if values.shape[-3] != col.shape[-1]:
        raise ValueError(f"argument 'attn_mask': expected values of {col.shape[-1]} blocks, as many as col has "
                         f"entries, but got {values.shape[-3]}")
    if any(size % 8 or size <= 0 for size in values.shape[-2:]):
        raise NotImplementedError("argument 'attn_mask': expected blocks of positive multiples of 8, but got "
                                  f"{values.shape[-2]} x {values.shape[-1]}")
    dtype = adapters.require_element("query", query, arrays, dtypes.FLOATS)
    if not str(values.dtype).endswith("bool"):
        adapters.require_element("attn_mask", values, arrays, (dtype,))
    crow, col, values = storage.with_equal_ranks(crow, col, values)
    if shape is not None:
        storage.require_own_shape(shape, storage.batch_of(crow, col, values), crow, values, "attn_mask")
    return crow, col, values, shape, dtype


def _require_operands(query, key, value, crow, col, values, own, dtype, is_recorded=False):
    """The batch dimensions, broadcast. Raises for query (*, M, D), key (*, N, D) and value (*, N, E) that fit neither
    each other nor the mask, M x N."""
    arrays = adapters.arrays_of("query", query)
    for name, array, wanted in (("query", query, "(*, M, D)"), ("key", key, "(*, N, D)"),
                                ("value", value, "(*, N, E)")):
        adapters.require_same(name, array, arrays, "query")
        adapters.require_element(name, array, arrays, (dtype,))
        if not is_recorded:
            adapters.require_no_derivative(name, array)
        if array.ndim < 2:
            raise ValueError(f"argument '{name}': expected shape {wanted}, but got {tuple(array.shape)}")
    rows, columns = (crow.shape[-1] - 1) * values.shape[-2], key.shape[-2]
    if own is not None and own[-1] != columns:
        raise ValueError(f"argument 'key': expected {own[-1]} rows, the columns of attn_mask, but got {columns}")
    if columns % values.shape[-1]:
        raise ValueError(f"argument 'key': expected rows for whole blocks of {values.shape[-1]} columns of attn_mask, "
                         f"but got {columns}")
    for name, got, wanted, what in (("query", query.shape[-2], rows, "rows, those of attn_mask"),
                                    ("key", key.shape[-1], query.shape[-1], "columns, those of query"),
                                    ("value", value.shape[-2], columns, "rows, those of key")):
        if got != wanted:
            raise ValueError(f"argument '{name}': expected {wanted} {what}, but got {got}")
    batch = tuple(query.shape[:-2])
    for name, other in (("key", key.shape[:-2]), ("value", value.shape[:-2]), ("attn_mask", values.shape[:-3]),
                        ("attn_mask", crow.shape[:-1]), ("attn_mask", col.shape[:-1])):
        batch = storage.broadcast_batch(batch, name, other)
    return batch


def _require_dropout(dropout_p):
    """The probability."""
    probability = number("dropout_p", dropout_p)
    if not 0 <= probability <= 1:
        raise ValueError(f"argument 'dropout_p': expected a probability in [0, 1], but got {probability}")
    return probability


def _require_no_causality(is_causal):
    if is_causal:
        raise ValueError("argument 'is_causal': expected False, since attn_mask says which blocks count, but got True")


def _scale_of(query, scale):
    """The factor of scores."""
    depth = query.shape[-1]
    if scale is None and depth == 0:
        raise ValueError("argument 'scale': expected a number where query has no columns, but got None")
    return 1 / math.sqrt(depth) if scale is None else number("scale", scale)


class _Mask(typing.NamedTuple):
    """The indices of a mask, whose contents a launch may check."""

    arrays: object
    crow: object
    col: object
    # Stored blocks of the block row that has most of them, where the choice of a tile takes it.
    longest: int | None = None


def _room(arrays):
    """A placeholder for a seed and an offset."""
    if arrays is adapters.NUMPY:
        return np.zeros(2, np.int64)
    return torch.empty(2, dtype=torch.int64, device=arrays.device)


def _draw(arrays):
    """A seed and an offset, of the library's generator for the device: on CUDA nothing waits for it."""
    if arrays is adapters.NUMPY:
        return np.random.randint(0, LARGEST_SEED, size=2, dtype=np.int64)
    return torch.randint(LARGEST_SEED, (2,), device=arrays.device)


def _program(mask, block, query, key, value, batch, dropout, precision, meta, lse):
    """The program of one kind of call. meta: the caller's, or ""."""
    arrays = mask.arrays
    target = arrays.device.index if arrays.on_gpu else compiler.CPU
    dtype = arrays.dtype(query.dtype)
    dtypes.require_kernels("query", dtype, target != compiler.CPU)
    precision = dtypes.precision_of(dtype, precision, target != compiler.CPU)
    index = adapters.require_element("crow", mask.crow, arrays, ("i32", "i64"))
    adapters.require_element("col", mask.col, arrays, (index,))
    source = BsrAttention(dtype=dtype, columns=(query.shape[-1], value.shape[-1]), block=block, index=index,
                          batch=(mask.crow.ndim - 1, mask.col.ndim - 1, query.ndim - 2, key.ndim - 2, value.ndim - 2,
                                 len(batch)),
                          dropout=dropout, precision=precision, meta=meta, lse=lse)
    if not meta:
        chosen, is_of_table = tuning.choose_attention(
            cache.tables(), source, target, query.shape[-2], mask.col.shape[-1], math.prod(batch), mask.longest,
            math.prod(mask.crow.shape[:-1]) == 1)
        # Else it is what the compiler chooses without the longest row.
        if is_of_table or (mask.longest is not None and "split_k" in chosen):
            source = dataclasses.replace(source, meta=chosen)
    return program_with(meta, source, target, arrays)


class _Call(typing.NamedTuple):
    """A call of the kernel: the program, its scalars, its arrays by name, and of these the result and, where they are
    computed, the logarithms of sums."""

    program: object
    scalars: tuple
    named: dict
    result: object
    lse: object

    @property
    def arguments(self):
        return [*self.scalars, *self.named.values()]


def _call_of(mask, block, query, key, value, batch, scale, probability, precision, meta, draw, lse=False):
    """The call of one kernel: neither scores nor weights are in memory. draw: gives the seed and the offset of a
    dropout. lse: whether logarithms of sums are computed."""
    arrays = mask.arrays
    known = None if mask.longest is None or meta else (mask.longest, mask.col.shape[-1], math.prod(batch),
                                                       mask.crow.shape[:-1])
    kind = ("bsr_attention", id(arrays), block, probability != 0, precision, meta, known, lse, len(batch),
            *((array.ndim, array.dtype) for array in (mask.crow, mask.col)),
            *((array.ndim, array.shape[-1], array.dtype) for array in (query, key, value)))
    program = cache.calls.get(kind)
    if program is None:
        program = _program(mask, block, query, key, value, batch, probability != 0, precision, meta, lse)
        cache.calls[kind] = program
    result = memory.with_memory(arrays, arrays.empty, (*batch, query.shape[-2], value.shape[-1]), query)
    named = {"crow": mask.crow, "col": mask.col, "query": query, "key": key, "value": value}
    if probability:
        named["random"] = draw(arrays)
    named["out"] = result
    sums = None
    if lse:
        wide = None if arrays.dtype(query.dtype) == "f64" else "f32"
        named["lse"] = sums = memory.with_memory(arrays, arrays.empty, (*batch, query.shape[-2]), query, wide)
    named = {name: arrays.passed(array) for name, array in named.items()}
    scalars = (scale, probability) if probability else (scale,)
    return _Call(program, scalars, named, result, sums)


def _fused(call, mask, check, launch=None):
    """The result of a call. launch: what launches it, if that is known."""
    checks = check or check is None and not mask.arrays.on_gpu
    memory.launched(call.program, mask, call.named, call.scalars, checks, launch)
    return call.result


def _in_parts(mask, query, key, value, scale, probability, check, precision):
    """A sampled product, a softmax and a product, one after the other, with the weights in memory."""
    scores = sampled_addmm(mask, query, key.swapaxes(-1, -2), beta=0, alpha=scale, check=check, precision=precision)
    crow, col, weights = bsr_softmax(scores, check=False)
    if probability:
        weights = adapters.arrays_of("query", query).dropout(weights, probability)
    return bsr_dense_mm((crow, col, weights), value, check=False, precision=precision)


def attend(query, key, value, pattern, random, probability, scale, precision, lse):
    """(the result, the logarithms of sums or None) of tensors with a pattern (crow, col, block), as the operation of
    PyTorch has them. random: the seed and the offset of a dropout, or None."""
    crow, col, block = pattern
    mask = crow, col, query.new_empty(()).expand(*col.shape, *block)  # No element of the values is read.
    crow, col, values, own, dtype = _require_pattern(mask, query)
    batch = _require_operands(query, key, value, crow, col, values, own, dtype)
    mask = _Mask(adapters.arrays_of("query", query), crow, col)
    call = _call_of(mask, tuple(block), query, key, value, batch, scale, 0 if random is None else probability,
                    precision, "", lambda _: random, lse)
    return _fused(call, mask, None), call.lse


def _is_fused(block, *columns):
    """Whether one kernel takes blocks of this size, and heads of these columns."""
    return block[1] % _KEY_MULTIPLE == 0 and all(0 < own <= _MOST_COLUMNS for own in columns)


def is_one_operation(block, *columns):
    """Whether one operation of PyTorch takes these: its gradients take blocks with rows of the same multiple."""
    return _is_fused(block, *columns) and block[0] % _KEY_MULTIPLE == 0


def _is_recorded(query, key, value):
    """Whether PyTorch dispatches a call with these."""
    if not adapters.is_torch(query):
        return False
    return stand_ins.stands_for_others(query) or autograd.is_recorded(query, key, value) or (
        autocast.is_on() and autocast.casts(query, key, value))


def recorded_arguments(query, key, value, attn_mask, dropout_p, scale, precision):
    """The operation's arguments of a call that PyTorch dispatches."""
    crow, col, values, _ = attn_mask
    random = None
    if dropout_p:
        random = torch.randint(LARGEST_SEED, (2,), device=query.device)
    return query, key, value, crow, col, list(values.shape[-2:]), random, dropout_p, scale, precision or "", False


def _recorded(query, key, value, attn_mask, dropout_p, is_causal, scale, check, precision, meta):
    """A call that PyTorch dispatches: of tensors whose gradients are recorded, of fake ones, or under autocast."""
    _require_no_causality(is_causal)
    dtypes.require_precision(precision)
    for name, option in (("check", check), ("meta", meta)):
        if option is not None and option is not False:
            raise NotImplementedError(f"argument '{name}': expected None where gradients are recorded, for fake "
                                      f"tensors and under torch.autocast, but got {option!r}")
    probability = _require_dropout(dropout_p)
    scale = _scale_of(query, scale)
    mask = _parts_of(attn_mask)
    if not is_one_operation(mask[2].shape[-2:], query.shape[-1], value.shape[-1]):
        if autocast.is_on():
            query, key, value = autocast.cast(query, key, value)
        crow, col, values, own, dtype = _require_pattern(attn_mask, query)
        _require_operands(query, key, value, crow, col, values, own, dtype, is_recorded=True)
        return _in_parts((crow, col, values), query, key, value, scale, probability, check, precision)
    return dispatch.call("scaled_dot_product_attention", query=query, key=key, value=value, attn_mask=mask,
                         dropout_p=probability, scale=scale, precision=precision)


def scaled_dot_product_attention(query, key, value, attn_mask, dropout_p=0.0, is_causal=False, scale=None, *,
                                 check=None, precision=None, meta=None):
    """softmax(scale * query @ key^T) @ value, where a score counts only at the stored blocks of attn_mask.

    query: (*, M, D); key: (*, N, D); value: (*, N, E), any strides, of one element type: f16, bf16, f32 or, on the CPU,
    f64. attn_mask: M x N with blocks of multiples of 8, a torch.sparse_bsr tensor, a SciPy BSR array,
    (crow, col, values) of one library, or what `prepare` gives; its values, booleans or of query's type, are not read:
    every element of a stored block counts. * are batch dimensions, which broadcast: heads may share a mask. dropout_p:
    the probability that a weight becomes 0 and the others grow by 1 / (1 - dropout_p). The bits are Philox's of the
    weight's place; seed and offset come from PyTorch's generator for query's device, so that torch.manual_seed repeats
    them, or from numpy.random, with numpy.random.seed. is_causal: False, as in PyTorch's function. scale: None: 1 /
    sqrt(D). check: whether the contents of index arrays are checked; by default on the CPU, unless prepared. On CUDA
    that synchronizes.
    precision: of f32 alone, "ieee" (None is the same) or "tf32", as of bsr_dense_addmm. meta: "tile" (queries, columns
    of value, keys), and with it any of "stages", "raster_group" and, on CUDA, "split_k"; the compiler chooses else.
    With split_k block rows that are much longer than a part are computed in parts, of which the mask has about so many
    in all batches, and then combined. For a prepared mask, whose longest block row is known, the compiler may choose
    split_k.

    One kernel computes it, with scores and weights in registers, f32 (f64 of f64) up to the rounding of weights. With
    more than 512 columns of query or value, or blocks whose columns are no multiple of 16, it is sampled_addmm,
    bsr_softmax and bsr_dense_mm, one after the other, with weights in memory, and dropout is torch.nn.functional's,
    or of NumPy's arrays by numpy.random.

    Returns (*, M, E). Rows without a stored block are 0. Raises ValueError or TypeError for arguments that do not fit,
    NotImplementedError for what has no code yet, before anything is computed.
    """
    if check is None and type(attn_mask) is sparse_operand.Prepared:
        check = False  # It was when it was prepared.
    kind = None
    if (plain.may_autocast and not plain.may_autocast()) or not _is_recorded(query, key, value):
        kind = _kind(attn_mask, dropout_p, is_causal, scale, check, precision, meta)
        found = None if kind is None else _guarded_call(kind, query, key, value, attn_mask)
        if found is not None:
            return found
    if _is_recorded(query, key, value):
        return _recorded(query, key, value, attn_mask, dropout_p, is_causal, scale, check, precision, meta)
    probability, scale, pattern, call, mask = _checked(query, key, value, attn_mask, dropout_p, is_causal, scale,
                                                       precision, meta, _draw)
    if call is None:
        return _in_parts(pattern, query, key, value, scale, probability, check, precision)
    kept = None if kind is None else _kept(kind, attn_mask, mask)
    hints = ready = None
    if kept is not None and call.program._keep is not None:
        hints = launch_hints.Hints(call.program, (mask.crow, mask.col))
        ready = hints.ready(query)
    result = _fused(call, mask, check, None if ready is None else ready.launch)
    if kept is not None:
        launch = call.program._launch if mask.arrays.on_gpu or check is False else call.program._launch_checked
        scale, crow, col, *operands, out = call.arguments
        if type(attn_mask) is sparse_operand.Prepared:
            own, places = (scale, crow, col), (3, 4, 5, 0, 1, 2, 6)
        else:
            own, places = (scale,), (5, 3, 4, 0, 1, 2, 6)
            operands += crow, col
        guard.remember(cache.guarded_calls, kind, launch, operands, map(guard.Part, places), own, (out,), hints, kept,
                       strided=0)
    return result


class _Kept(typing.NamedTuple):
    """The data of guarded calls of a kind beside the tensors. mask: weak references to the mask, or to its three
    arrays. shape: of the mask, or of its values."""

    mask: tuple
    shape: tuple


def _known_by(attn_mask):
    """The identity of a mask: itself, or three tensors."""
    return attn_mask if type(attn_mask) is tuple else (attn_mask,)


def _kind(attn_mask, dropout_p, is_causal, scale, check, precision, meta):
    """The key of a guarded call beside its tensors; None if the call cannot be guarded."""
    tile = None if meta is None else guard.text_of(meta)
    if type(dropout_p) not in (int, float) or dropout_p != 0 or is_causal is not False \
            or type(scale) not in (type(None), float) or check is not None and check is not False \
            or meta is not None and tile is None:
        return None
    return "bsr_attention", *map(id, _known_by(attn_mask)), scale, check, precision, tile


def _values_of(attn_mask):
    """The mask, or its values, whose shape counts."""
    if type(attn_mask) is tuple:
        return attn_mask[-1]
    return attn_mask.values if type(attn_mask) is sparse_operand.Prepared else attn_mask


def _kept(kind, attn_mask, mask):
    """The _Kept of a call that was checked; None where it cannot be repeated. mask: its indices."""
    parts, values = _known_by(attn_mask), _values_of(attn_mask)
    if not plain.see() or type(values) not in plain.TYPES:
        return None
    known = cache.guarded_calls.get(kind)
    if known is not None and known.own.shape == values.shape and all(
            reference() is part for reference, part in zip(known.own.mask, parts)):
        return known.own
    return _Kept(guard.forgetting(cache.guarded_calls, kind, *parts), values.shape)


def _guarded_call(kind, query, key, value, attn_mask):
    """The result; None where this is no repetition, and nothing was done."""
    try:
        known = cache.guarded_calls.get(kind)
    except TypeError:  # An argument has no hash.
        return None
    if known is None:
        return None
    for reference, part in zip(known.own.mask, _known_by(attn_mask)):
        if reference() is not part:
            return None
    if _values_of(attn_mask).shape != known.own.shape:
        return None
    if type(attn_mask) is sparse_operand.Prepared:
        attn_mask.require_unwritten("attn_mask")
        found = guard.run(known, query, key, value)
    else:
        parts = guard.parts_of(attn_mask)
        found = parts and guard.run(known, query, key, value, *parts[:2])
    return found and found[0]


def _checked(query, key, value, attn_mask, dropout_p, is_causal, scale, precision, meta, draw):
    """(dropout_p, scale, (crow, col, values) of attn_mask, the call of one kernel and the mask's indices, or None twice
    where the arguments need several)."""
    _require_no_causality(is_causal)
    dtypes.require_precision(precision)
    probability = _require_dropout(dropout_p)
    crow, col, values, own, dtype = _require_pattern(attn_mask, query)
    batch = _require_operands(query, key, value, crow, col, values, own, dtype)
    prepared = attn_mask if isinstance(attn_mask, sparse_operand.Prepared) else None
    if prepared is not None and key.shape[-2] < prepared.columns * values.shape[-1]:
        raise ValueError(f"argument 'key': expected at least {prepared.columns * values.shape[-1]} rows, for the "
                         f"blocks of attn_mask, but got {key.shape[-2]}")
    scale = _scale_of(query, scale)
    if _is_fused(values.shape[-2:], query.shape[-1], value.shape[-1]):
        arrays = adapters.arrays_of("query", query)
        on_gpu = arrays.on_gpu
        mask = _Mask(arrays, crow, col, prepared.longest if prepared is not None and on_gpu and not probability
                     else None)
        call = _call_of(mask, tuple(values.shape[-2:]), query, key, value, batch, scale, probability, precision,
                        tile_of(meta), draw)
        return probability, scale, (crow, col, values), call, mask
    if meta is not None:
        raise NotImplementedError(f"argument 'meta': expected None for more than {_MOST_COLUMNS} columns, or blocks of "
                                  f"other columns than multiples of {_KEY_MULTIPLE}, but got {meta}")
    return probability, scale, (crow, col, values), None, None


def explained(query, key, value, attn_mask, dropout_p=0.0, is_causal=False, scale=None, *, check=None, precision=None,
              meta=None):
    """([(a program that scaled_dot_product_attention would call, its arguments, False), ...], where the tile is from,
    remarks); calls nothing."""
    _, scale, pattern, call, mask = _checked(query, key, value, attn_mask, dropout_p, is_causal, scale, precision, meta,
                                             _room)
    if call is not None:
        chosen = None if mask.longest is None else "the choice by the mask's longest row"
        return [(call.program, call.arguments, False)], chosen if meta is None else "meta", ()
    sampled = sampled_call_of(pattern, query, key.swapaxes(-1, -2), 0.0, scale, None, precision, "")
    scores = sampled.result.matrix
    calls = [(sampled.program, sampled.arguments, False), *softmax_explained(scores, check=False)[0],
             *bsr_addmm.explained(None, scores, value, beta=0, check=False, precision=precision)[0]]
    return calls, None, ("scores and weights are in memory: one kernel takes up to "
                         f"{_MOST_COLUMNS} columns, and blocks with a multiple of {_KEY_MULTIPLE} columns",)
