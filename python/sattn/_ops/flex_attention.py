"""flex_attention."""

import dataclasses
import logging
import math
import sys
import typing

import numpy as np

from .._arrays import adapters, autocast, autograd, plain, stand_ins
from .._compiler import compiler, explanation, program_text
from .._compiler.program_text import meta_and_precision
from .._call import cache, dispatch, memory
from .._call.kernel_options import NONE, Options, options_of
from .._call.numbers import number
from .._trace import bands, direct_reads, regions, user_functions
from .._trace.captured_arguments import captured
from .._masks import mask_functions
from .._masks.attention_mask import Mask, mask_of
from . import flex_attention_repeats, whole_columns

#: Queries up to which heads that share a head of key and value are packed into the rows of a tile.
PACKED_QUERIES = 16
#: Rows of tiles for few queries on the CPU, and their keys.
FEW_ROWS = 16, 64
FEW_ROWS_KEYS = 128


@dataclasses.dataclass(frozen=True)
class FlexAttention:
    """One `sattn.flex_attention` on tensors of dynamic lengths: what a kernel is compiled for.

    dtype: element type of query, key and value. head_dim, value_dim: columns of query and key, and of value. group:
    query heads that share a head of key and value. packed: heads in the rows of one head of query's tensor. one_kv_batch: whether all batches share key and value. lse,
    max_scores: whether they are computed, the second only with the first. scale: the number that is known now, or None for an argument. partial, full: whether (batches, heads)
    share a list, or None where there is none; block_size: of the lists. band: the text of #sattn.mask<...>. score_mod,
    mask_mod: texts of regions. captures: types of their captures. names: of the captures, for messages. precision:
    "ieee", or of f32 "tf32". meta: the inside of #sattn.meta<...>, or "" for the compiler's choice.
    """

    dtype: str
    head_dim: int
    value_dim: int
    group: int = 1
    packed: int = 1
    one_kv_batch: bool = False
    lse: bool = False
    max_scores: bool = False
    scale: float | None = None
    partial: tuple | None = None
    full: tuple | None = None
    block_size: tuple = ()
    band: str = ""
    score_mod: str = ""
    mask_mod: str = ""
    captures: tuple = ()
    names: tuple = ()
    precision: str = "ieee"
    meta: str = ""

    @property
    def wide(self):
        """The type of scores, of numbers of queries and of captured numbers."""
        return "f64" if self.dtype == "f64" else "f32"

    def _lists(self, kind):
        """(types of the numbers and of the indices of a list)."""
        batch, head = ("1" if shared else "?" for shared in getattr(self, kind))
        return f"tensor<{batch}x{head}x?xi32>", f"tensor<{batch}x{head}x?x?xi32>"

    def text(self):
        """The module: one function @flex_attention, whose last arguments are the results."""
        lead, shared = "?x?x?x", "1x?x?x" if self.one_kv_batch else "?x?x?x"
        query, key = (f"tensor<{own}{self.head_dim}x{self.dtype}>" for own in (lead, shared))
        value, out = (f"tensor<{own}{self.value_dim}x{self.dtype}>" for own in (shared, lead))
        types = {} if self.scale is not None else {"scale": self.wide}
        types |= {"q": query, "k": key, "v": value}
        names = {"q": "query", "k": "key", "v": "value"}
        operands = f" scale(%scale)\n      ins({program_text.listed('qkv', types)})"
        for kind, name in (("partial", "kv"), ("full", "full_kv")):
            if getattr(self, kind) is not None:
                own = f"{kind}_counts", f"{kind}_indices"
                types |= zip(own, self._lists(kind))
                names |= zip(own, (f"{name}_num_blocks", f"{name}_indices"))
                operands += f" {kind}({program_text.listed(own, types)})"
        if self.captures:
            own = [f"captured{place}" for place in range(len(self.captures))]
            types |= zip(own, self.captures)
            names |= zip(own, self.names)
            operands += f" captures({program_text.listed(own, types)})"
        outs = ["out", *(name for name in ("lse", "max_scores") if getattr(self, name))]
        types |= {name: out if name == "out" else f"tensor<?x?x?x{self.wide}>" for name in outs}
        attributes = [f"group = {self.group} : i64"] * (self.group != 1)
        attributes += [f"packed_heads = {self.packed} : i64"] * (self.packed != 1)
        if self.block_size:
            attributes.append(f"block_size = array<i64: {self.block_size[0]}, {self.block_size[1]}>")
        attributes += [f"mask = {self.band}"] * bool(self.band) + meta_and_precision(self)
        scale = "" if self.scale is None else f"  %scale = arith.constant {float(self.scale)!r} : {self.wide}\n"
        return program_text.program("flex_attention", types, operands, attributes, outs=outs, names=names, constants=scale,
                                    tail=" ".join(region for region in (self.score_mod, self.mask_mod) if region))


class AuxRequest(typing.NamedTuple):
    """Which results flex_attention gives beside the output."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(typing.NamedTuple):
    """Results of flex_attention beside the output, (B, Hq, M) in f32, or None where not asked for.

    lse: the natural logarithm of the sum of exponentials of a query's scores. max_scores: the greatest of them, after
    score_mod; -inf for a query that sees no key.
    """

    lse: object = None
    max_scores: object = None


def in_order_of(strides, shape):
    """(a shape, places): an array of that shape whose dimensions are taken from these places has the other shape, and its
    batches, heads and queries the order in memory that the strides have. places: None where they are in order."""
    if strides[0] >= strides[1] >= strides[2] or 0 in strides[:3]:  # What is repeated has no place in memory.
        return shape, None
    order = sorted(range(3), key=lambda place: -abs(strides[place]))
    return (*(shape[place] for place in order), shape[3]), (*map(order.index, range(3)), 3)


def new_in_order_of(array, shape):
    """A new array of a shape, whose batches, heads and queries lie in memory as the array's do."""
    if isinstance(array, np.ndarray):
        own, places = in_order_of(array.strides, shape)
        return np.empty(own, array.dtype).transpose(places or (0, 1, 2, 3))
    own, places = in_order_of(array.stride(), shape)
    return array.new_empty(own).permute(places) if places else array.new_empty(own)


class Request(typing.NamedTuple):
    """A call of flex_attention, checked but for its arrays. score: the Function of score_mod, or None, and the values that it
    captures. block_mask, mask_of: mask_of(block_mask, band, arrays, sizes, begin) gives the Mask (attention_mask.of_function).
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


@dataclasses.dataclass(frozen=True)
class _Plan:
    """What one kind of call runs. is_like: whether the result has query's shape. packed_heads: heads of key, if those of
    query are packed; else 0. key: what its key names by identity."""

    program: object
    launch: object
    takes_scale: bool
    shape: tuple
    is_like: bool
    rows: tuple
    arrays: object
    packed_heads: int
    key: tuple
    wide: str

    def packed(self, array):
        """An array of each query as the program takes it, where it lies: heads that are packed are rows of one."""
        if not self.packed_heads:
            return array
        return _packed(array, self.packed_heads)

    def result(self, query):
        """A new array, whose batches, heads and queries lie in memory as query's do."""
        return new_in_order_of(query, self.shape)

    def new_rows(self, query):
        """A new array of one number for each query of each head, in the type of scores."""
        if self.arrays is adapters.NUMPY:
            return np.empty(self.rows, np.float64 if query.dtype == np.float64 else np.float32)
        torch = sys.modules["torch"]
        return query.new_empty(self.rows, dtype=torch.float64 if query.dtype == torch.float64 else torch.float32)


def _packed(array, heads):
    """(B, H, M, ...) as (B, heads, H // heads * M, ...), where it lies."""
    shape = array.shape
    shape = shape[0], heads, shape[1] // heads * shape[2], *shape[3:]
    # Of PyTorch's a view raises where there is none; of NumPy's `_packs` has looked.
    return array.reshape(shape) if type(array) is np.ndarray else array.view(shape)


def _packs(query, heads, mask):
    """Whether the heads of query that share one of key's `heads` are packed: where queries are few, rows of q and of the result
    are at one distance, and lists say the same for all of them. mask: a Mask or None."""
    _, all_heads, queries, _ = query.shape
    if not 0 < queries <= PACKED_QUERIES or not 0 < heads < all_heads or all_heads % heads:
        return False
    if queries > 1:
        batch, head, row = (query.strides if type(query) is np.ndarray else query.stride())[:3]
        if head != queries * row or not row or query.shape[0] > 1 and abs(row) <= abs(batch) < abs(head):
            return False
    if mask is None or mask.function is None:
        return True
    if mask.lists is None:
        # The blocks that the compiler finds are those of all of a tile's rows.
        return not mask.function.needs_head
    return queries <= mask.block[0] and not (mask.is_ours and mask.function.needs_head) and all(
        array is None or array.shape[1] == 1 for array in mask.lists)


def _keys_within(band, queries, keys):
    """How many keys some query may see: where positions count from the first, those after the last query's are not read."""
    if band is None or band.bottom_right or band.right is None:
        return keys
    return min(keys, max(queries + band.right, band.prefix, 0))


def _keys_read(mask, band, queries, keys):
    """How many keys the kernel gets: rows of value after those that some query may see may be anything. mask: a Mask or None;
    lists of others may name blocks that no query sees."""
    if mask is not None and mask.lists is not None:
        return keys
    keys = _keys_within(band, queries, keys)
    if mask is None or mask.function is None:
        return keys
    end = bands.keys_seen(mask.function.result, queries)
    return keys if end is None else min(keys, end)


def _sharing(list_, batched):
    """(whether batches share the list, whether heads do). batched: of our lists, whether their dimensions are those of
    query even where that has one batch or head."""
    if list_ is None:
        return None
    return tuple(size == 1 and not own for size, own in zip(list_.shape[:2], batched))


def _shapes(query, key, value, enable_gqa):
    """(sizes (B, H, M, N), group), after checking that the operands fit."""
    for name, array in (("query", query), ("key", key), ("value", value)):
        if array.ndim != 4:
            raise ValueError(f"argument '{name}': expected shape (B, H, length, columns), but got {tuple(array.shape)}")
    batch, heads, queries, depth = query.shape
    kv_batch, kv_heads, keys, key_depth = key.shape
    if key_depth != depth:
        raise ValueError(f"argument 'key': expected {depth} columns, as query has, but got {key_depth}")
    if tuple(value.shape[:3]) != (kv_batch, kv_heads, keys):
        raise ValueError(f"argument 'value': expected shape ({kv_batch}, {kv_heads}, {keys}, columns), as key has, but got "
                         f"{tuple(value.shape)}")
    if kv_batch not in (1, batch):
        raise ValueError(f"argument 'key': expected 1 or {batch} batches, as query has, but got {kv_batch}")
    for name, size in (("query", depth), ("value", value.shape[3])):
        if not 1 <= size <= 512:
            raise ValueError(f"argument '{name}': expected 1 to 512 columns, but got {size}")
    if heads != kv_heads and not enable_gqa:
        raise ValueError(f"argument 'key': expected {heads} heads, as query has, but got {kv_heads}; with enable_gqa=True heads of "
                         "query share one of key and value")
    if heads != kv_heads and (not kv_heads or heads % kv_heads):
        raise ValueError(f"argument 'key': expected a number of heads that divides query's {heads}, but got {kv_heads}")
    return (batch, heads, queries, keys), heads // kv_heads if kv_heads else 1


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


def _of_few_rows(rows, mask):
    """Options with a tile for few queries on the CPU, where all rows of a tile cost the same; or NONE."""
    tile = next(((few, FEW_ROWS_KEYS) for few in FEW_ROWS if rows <= few), None)
    if tile is None or mask.lists is not None and any(size % own for size, own in zip(mask.block, tile)):
        return NONE
    return Options(tile)


def _source(request, arrays, mask, packs):
    """(the FlexAttention, its target): checks types and shapes. Lists of the mask may be Expected."""
    query, key, value, score, scale, wanted = (request.query, request.key, request.value, request.score, request.scale,
                                               request.wanted)
    options = request.options or NONE
    sizes, group = _shapes(query, key, value, request.enable_gqa)
    on_gpu = arrays.on_gpu
    dtype = adapters.require_element("query", query, arrays, ("f16", "bf16", "f32") + ("f64",) * (not on_gpu))
    wide = "f64" if dtype == "f64" else "f32"
    for name, array in (("key", key), ("value", value)):
        adapters.require_element(name, array, arrays, (dtype,))
    precision = options.precision or "ieee"
    if dtype != "f32" or not on_gpu:
        precision = "ieee"
    functions = [function for function in (score, mask.function) if function is not None]
    captures = [capture for function in functions for capture in function.captures]
    types = [name for own in regions.types_of(captures, wide) for name in own]
    names = [capture.name for capture in captures for _ in regions.types_of([capture])[0]]
    first, texts = 0, {}
    for function in functions:
        texts[function.kind] = regions.text(function, first, types, dtype in ("f16", "bf16"), wide=wide)
        first += sum(map(len, regions.types_of(function.captures)))
    own = (mask.function.needs_batch, mask.function.needs_head) if mask.is_ours and mask.function else (False, False)
    default = 1 / math.sqrt(query.shape[3])
    tile = options if options.tile or on_gpu else _of_few_rows(sizes[2] * (group if packs else 1), mask)
    source = FlexAttention(
        dtype=dtype, head_dim=query.shape[3], value_dim=value.shape[3], group=1 if packs else group, packed=group if packs else 1,
        one_kv_batch=key.shape[0] == 1 and sizes[0] != 1, lse=any(wanted), max_scores=wanted.max_scores,
        scale=default if scale is None or scale == default else None,
        partial=_sharing(mask.lists and mask.lists.kv_num_blocks, own),
        full=_sharing(mask.lists and mask.lists.full_kv_num_blocks, own), block_size=mask.block,
        band="" if mask.band is None else mask.band.text(), score_mod=texts.get("score_mod", ""),
        mask_mod=texts.get("mask_mod", ""), captures=tuple(types), names=tuple(names), precision=precision,
        meta=tile.meta(value.shape[3]))
    return source, (arrays.device.index or 0) if on_gpu else compiler.CPU


def _plan(request, arrays, mask, packs):
    """Checks types and shapes, and finds the program: once for each kind of call."""
    source, target = _source(request, arrays, mask, packs)
    query, key, value = request.query, request.key, request.value
    rows, on_gpu = tuple(query.shape[:3]), target != compiler.CPU
    try:
        program = memory.with_memory(arrays, cache.program, source, target)
    except NotImplementedError as error:
        if (request.options or NONE).tile:
            raise ValueError(f"argument 'kernel_options': {error}") from None
        raise
    checked = not on_gpu and mask.lists is not None and not mask.is_ours
    launch = program._launch_checked if checked else program._launch
    shape = (*rows, value.shape[3])
    return _Plan(program, launch, source.scale is None, shape, tuple(query.shape) == shape, rows, arrays,
                 key.shape[1] if packs else 0, (request.score, mask.function, mask.band), source.wide)


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
    """([(the program that flex_attention would call, its arguments, False)], where the tile is from, remarks). It launches
    nothing; lists of the mask are made, if it needs any."""
    request = _parsed(query, key, value, score_mod, block_mask, scale, enable_gqa, return_lse, kernel_options, return_aux,
                      (causal, window, prefix))
    if adapters.is_torch(query):
        stand_ins.refuse("query", query)
    plan, mask, given, *_ = _arguments(whole_columns.filled_request(request) or request)
    remarks = ()
    if block_mask is not None:
        size = " x ".join(map(str, mask.block))
        remarks = ("the blocks that the mask leaves are computed in the kernel, without lists" if mask.lists is None else
                   f"the mask has lists of blocks of {size}, made of its function" if mask.is_ours else
                   f"the mask has lists of blocks of {size}, which were given"),
    return [(plan.program, given, False)], "kernel_options" if (request.options or NONE).tile else None, remarks


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False,
                   kernel_options=None, *, return_aux=None, causal=None, window=None, prefix=None):
    """softmax over the keys that each query sees of score_mod(scale * (query @ key^T)), @ value.

    query: (B, Hq, M, D); key: (B or 1, Hkv, N, D); value: (B or 1, Hkv, N, E): f16, bf16 (ml_dtypes in NumPy), f32 or, on the CPU, f64,
    any strides, D and E from 1 to 512. With enable_gqa, Hq may be a multiple of Hkv.
    score_mod: (score, b, h, q_idx, kv_idx) -> score, a function of Python that is traced once (docs/Masks.md); its score
    is f32. What it captures may change from call to call, without compiling anew. block_mask: a BlockMask, of
    create_block_mask here or in PyTorch. scale: a number, by default 1 / sqrt(D).
    causal: "top_left" (or True) or "bottom_right": a query sees no key after its own position, which counts from the first
    key or to the last. window: (left, right), how many keys before and after that position it sees, None for all.
    prefix: how many of the first keys it sees in any case. They hold beside block_mask.
    return_lse: whether lse is returned too, (B, Hq, M) in f32, the natural logarithm of the sum of exponentials; or
    return_aux: an AuxRequest, which has max_scores too. kernel_options: "tile_queries" and "tile_keys" (or PyTorch's BLOCK_M and BLOCK_N), with
    them "stages", "warps" and "raster_group", and "precision" of f32, "ieee" (slow on CUDA, where no MMA has it) or "tf32";
    PyTorch's others change nothing, with a remark.

    Returns the output (B, Hq, M, E) in query's type, in the order of query's memory; with return_lse (output, lse), with
    return_aux (output, AuxOutput). A query that sees no key has 0, and lse and max_scores -inf. Arrays are of NumPy or PyTorch, used where
    they lie, on PyTorch's current stream. Raises ValueError or TypeError for arguments that do not fit or functions that
    cannot be traced, NotImplementedError for what has no code yet, before anything is written. It has gradients (docs/Training.md).
    Under torch.autocast query, key and value are cast to its type.
    """
    query, key, value = autocast.cast(query, key, value)
    is_short = return_aux is None and kernel_options is None
    if is_short:
        found = flex_attention_repeats.repeated(query, key, value, score_mod, block_mask, scale, enable_gqa, return_lse,
                                                (causal, window, prefix), _run)
        if found is not None:
            return found
    request = _parsed(query, key, value, score_mod, block_mask, scale, enable_gqa, return_lse, kernel_options, return_aux,
                      (causal, window, prefix))
    if stand_ins.stands_for_others(query) or _is_differentiated(query, key, value, request.score_values):
        out, lse, largest = dispatch.call("flex_attention", request=request, kernel_options=kernel_options)
    elif (whole := whole_columns.filled_request(request)) is not None:
        out, lse, largest = _attend_whole(request, whole)
    else:
        plan, mask, given, out, lse, largest = _arguments(request)
        repeatable = None
        if is_short and plan.arrays is not adapters.NUMPY \
                and _keys_read(mask, request.band, query.shape[2], key.shape[2]) >= key.shape[2]:
            repeatable = flex_attention_repeats.repeatable(plan, mask, request, score_mod, scale, return_lse,
                                                           (causal, window, prefix))
        _run(plan, given, query, key, value, repeatable[1].launcher(query) if repeatable else plan.launch)
        if repeatable:
            cache.flex_repeats[repeatable[0]] = repeatable[1]
    if return_aux is not None:
        return out, AuxOutput(lse=lse, max_scores=largest)
    return (out, lse) if return_lse else out


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
    """What attend gives of a Request, by another one with whole vectors for rows."""
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
    """(the request's _Plan, its Mask or None, the program's arguments, and of those the output, lse or None, the greatest scores
    or None). Nothing is launched; lists of the mask are made, if it needs any."""
    query, key, value, score, score_values, block_mask, band, scale, enable_gqa, wanted, options, mask_of = request
    arrays, are_plain = _arrays_of(query, key, value)
    mask_function = mask_values = lists = None
    if not are_plain:
        _require_memory(query, key, value, arrays)
    q_shape, k_shape = query.shape, key.shape
    if len(q_shape) != 4 or len(k_shape) != 4:
        _shapes(query, key, value, enable_gqa)
    mask = of_lists = None
    if score_values:
        direct_reads.require(score, score_values, (q_shape[2], k_shape[2]))
    if block_mask is not None:

        def begin(mask):
            """Begins to compile the program, while lists are made of the mask."""
            _require_memory(query, key, value, arrays)
            packs = q_shape[1] != k_shape[1] and _packs(query, k_shape[1], mask)
            cache.begin(*_source(request, arrays, mask, packs))

        mask = mask_of(block_mask, band, arrays, (q_shape[0], q_shape[1], q_shape[2], k_shape[2]), begin)
        mask_function, mask_values, lists = mask.function, mask.values, mask.lists
        if mask_values:
            direct_reads.require(mask_function, mask_values, (q_shape[2], k_shape[2]))
        if lists is not None:
            of_lists = lists[0].shape, lists[2] is None, mask.block, mask.is_ours
    keys = _keys_read(mask, band, q_shape[2], k_shape[2])
    if keys < k_shape[2] and value.shape[2:3] == k_shape[2:3]:
        key, value = key[:, :, :keys], value[:, :, :keys]
        request, k_shape = request._replace(key=key, value=value), key.shape
    packs = q_shape[1] != k_shape[1] and _packs(query, k_shape[1], mask)
    signature = (packs, q_shape, k_shape, value.shape, query.dtype, key.dtype, value.dtype, id(arrays), id(score), id(mask_function),
                 of_lists, id(band), wanted, enable_gqa, scale, options)
    plan = cache.calls.get(signature)
    if plan is None:
        _require_memory(query, key, value, arrays)
        plan = _plan(request, arrays, mask or Mask(band=band), packs)
        cache.calls[signature] = plan
    given = [scale] if plan.takes_scale else []
    packed_query = plan.packed(query)
    if arrays is adapters.NUMPY:
        given += _in_place(packed_query, key, value)
    else:
        torch = sys.modules["torch"]
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
