"""The plan of one kind of call of flex_attention: the checks of types and shapes, and its program."""

import dataclasses
import math

import numpy as np

from .._arrays import adapters, lazy_torch as torch
from .._compiler import compiler, tuning
from .._call import cache, memory
from .._call.kernel_options import NONE, Options
from .._trace import bands, regions
from .flex_attention_layout import new_in_order_of, packed
from .flex_attention_program import FlexAttention

#: Rows of tiles for few queries on the CPU, and their keys.
FEW_ROWS = 16, 64
FEW_ROWS_KEYS = 128


@dataclasses.dataclass(frozen=True)
class Plan:
    """The plan of one kind of call. packed_heads: heads of key, if those of query are packed; else 0. key: what its key
    names by identity."""

    program: object
    launch: object
    takes_scale: bool
    shape: tuple
    rows: tuple
    arrays: object
    packed_heads: int
    key: tuple
    wide: str

    def packed(self, array):
        """An array of each query as the program takes it, where it lies: heads that are packed are rows of one."""
        if not self.packed_heads:
            return array
        return packed(array, self.packed_heads)

    def result(self, query):
        """A new array, whose batches, heads and queries lie in memory as query's do."""
        return new_in_order_of(query, self.shape)

    def new_rows(self, query):
        """A new array of one number for each query of each head, in the type of scores."""
        if self.arrays is adapters.NUMPY:
            return np.empty(self.rows, np.float64 if self.wide == "f64" else np.float32)
        return query.new_empty(self.rows, dtype=torch.float64 if self.wide == "f64" else torch.float32)


def _keys_within(band, queries, keys):
    """How many keys some query may see: where positions count from the first, those after the last query's are not
    read."""
    if band is None or band.bottom_right or band.right is None:
        return keys
    return min(keys, max(queries + band.right, band.prefix, 0))


def keys_read(mask, band, queries, keys):
    """How many keys the kernel gets: rows of value after those that some query may see may be anything. mask: a Mask or
    None; lists of others may name blocks that no query sees."""
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


def shapes_of(query, key, value, enable_gqa):
    """(sizes (B, H, M, N), group), after checking that the operands fit."""
    for name, array in (("query", query), ("key", key), ("value", value)):
        if array.ndim != 4:
            raise ValueError(f"argument '{name}': expected shape (B, H, length, columns), but got {tuple(array.shape)}")
    batch, heads, queries, depth = query.shape
    kv_batch, kv_heads, keys, key_depth = key.shape
    if key_depth != depth:
        raise ValueError(f"argument 'key': expected {depth} columns, as query has, but got {key_depth}")
    if tuple(value.shape[:3]) != (kv_batch, kv_heads, keys):
        raise ValueError(f"argument 'value': expected shape ({kv_batch}, {kv_heads}, {keys}, columns), as key has, but "
                         f"got {tuple(value.shape)}")
    if kv_batch not in (1, batch):
        raise ValueError(f"argument 'key': expected 1 or {batch} batches, as query has, but got {kv_batch}")
    for name, size in (("query", depth), ("value", value.shape[3])):
        if not 1 <= size <= 512:
            raise ValueError(f"argument '{name}': expected 1 to 512 columns, but got {size}")
    if heads != kv_heads and not enable_gqa:
        raise ValueError(f"argument 'key': expected {heads} heads, as query has, but got {kv_heads}; with "
                         "enable_gqa=True heads of query share one of key and value")
    if heads != kv_heads and (not kv_heads or heads % kv_heads):
        raise ValueError(f"argument 'key': expected a number of heads that divides query's {heads}, but got {kv_heads}")
    return (batch, heads, queries, keys), heads // kv_heads if kv_heads else 1


def _of_few_rows(rows, mask):
    """Options with a tile for few queries on the CPU, where all rows of a tile cost the same; or NONE."""
    tile = next(((few, FEW_ROWS_KEYS) for few in FEW_ROWS if rows <= few), None)
    if tile is None or mask.lists is not None and any(size % own for size, own in zip(mask.block, tile)):
        return NONE
    return Options(tile)


def source_of(request, arrays, mask, is_packed):
    """(the FlexAttention, its target): checks types and shapes. Lists of the mask may be Expected."""
    query, key, value, score, scale, wanted = (request.query, request.key, request.value, request.score, request.scale,
                                               request.wanted)
    options = request.options or NONE
    sizes, group = shapes_of(query, key, value, request.enable_gqa)
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
    tile = options if options.tile or on_gpu else _of_few_rows(sizes[2] * (group if is_packed else 1), mask)
    source = FlexAttention(
        dtype=dtype, head_dim=query.shape[3], value_dim=value.shape[3], group=1 if is_packed else group, packed=group
        if is_packed else 1, one_kv_batch=key.shape[0] == 1 and sizes[0] != 1, lse=any(wanted),
        max_scores=wanted.max_scores, scale=default if scale is None or scale == default else None,
        partial=_sharing(mask.lists and mask.lists.kv_num_blocks, own),
        full=_sharing(mask.lists and mask.lists.full_kv_num_blocks, own), block_size=mask.block,
        band="" if mask.band is None else mask.band.text(), score_mod=texts.get("score_mod", ""),
        mask_mod=texts.get("mask_mod", ""), captures=tuple(types), names=tuple(names), precision=precision,
        meta=tile.meta(value.shape[3]))
    target = (arrays.device.index or 0) if on_gpu else compiler.CPU
    if not source.meta:
        # One program serves all lengths for which the parameters are the same.
        rows, heads = (sizes[2] * group, sizes[1] // group) if is_packed else (sizes[2], sizes[1])
        is_causal = mask.band is not None and mask.band.right is not None and mask.band.left is None
        chosen, is_own = tuning.choose_flex(cache.tables(), source, target, rows, sizes[0] * heads, is_causal)
        if is_own:
            source = dataclasses.replace(source, meta=chosen)
    return source, target


def plan_of(request, arrays, mask, is_packed):
    """Checks types and shapes, and finds the program: once for each kind of call."""
    source, target = source_of(request, arrays, mask, is_packed)
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
    return Plan(program, launch, source.scale is None, shape, rows, arrays, key.shape[1] if is_packed else 0,
                (request.score, mask.function, mask.band), source.wide)
