"""Attention by its definition, in float64: operands of a variant of attention_programs.py, and what they give."""

import math
from dataclasses import dataclass

import numpy as np

try:
    from ml_dtypes import bfloat16
except ImportError:
    bfloat16 = None

DTYPES = {"f32": np.float32, "f16": np.float16, "bf16": bfloat16}


@dataclass(frozen=True)
class Sizes:
    """Extents of a problem."""

    queries: int
    keys: int
    heads: int = 2  # of Q
    batch: int = 1


def _narrow(array, dtype):
    return array.astype(DTYPES[dtype])


def block_lists(rng, variant, sizes):
    """For each tile of queries: how many blocks of keys it reads, which, and how many of these, the first, have a
    mask. The first tile reads none."""
    tiles, blocks = math.ceil(sizes.queries / variant.block_q), math.ceil(sizes.keys / variant.block_kv)
    num, idx, partial = np.zeros(tiles, np.int32), np.zeros((tiles, blocks), np.int32), np.zeros(tiles, np.int32)
    for tile in range(1, tiles):
        chosen = rng.permutation(blocks)[:rng.integers(1, blocks + 1)]
        # Without a mask nothing hides what is beyond the last key.
        whole = [block for block in chosen if (block + 1) * variant.block_kv <= sizes.keys]
        others = [block for block in chosen if block not in whole]
        if variant.masked:
            cut = rng.integers(0, len(whole) + 1)
            others, whole = others + whole[:cut], whole[cut:]
            partial[tile] = len(others)
        else:
            others = []
        order = others + whole
        num[tile] = len(order)
        idx[tile, :len(order)] = order
    return num, idx, partial


def operands(variant, sizes, seed=0):
    """The arguments of a variant's program by name, in order. Results begin as what must be written over."""
    rng = np.random.default_rng(seed)
    lead = (sizes.batch, sizes.heads) if variant.batched else (sizes.batch * sizes.heads,)
    lead_kv = lead[:-1] + (lead[-1] // variant.group,)

    def normal(*shape):
        return _narrow(rng.standard_normal(shape, np.float32), variant.dtype)

    arrays = {
        "scale": 1 / math.sqrt(variant.head_dim),
        "q": normal(*lead, sizes.queries, variant.head_dim),
        "k": normal(*lead_kv, sizes.keys, variant.head_dim),
        "v": normal(*lead_kv, sizes.keys, variant.values),
        "o": _narrow(np.full((*lead, sizes.queries, variant.values), 7.0), variant.dtype),
    }
    if variant.lse:
        arrays["lse"] = np.full((*lead, sizes.queries), 7.0, np.float32)
    if variant.block_list:
        num, idx, partial = block_lists(rng, variant, sizes)
        arrays["num"], arrays["idx"] = num, idx
        if variant.masked:
            arrays["partial"] = partial
    if variant.alibi:
        arrays["slopes"] = (2.0 ** -np.arange(1, lead[-1] + 1)).astype(np.float32)
    return arrays


def _seen(variant, arrays, queries, keys):
    """Which keys each query sees."""
    query, key = np.arange(queries)[:, None], np.arange(keys)[None, :]
    by_mask = np.ones((queries, keys), bool)
    if variant.causal or variant.window is not None:
        by_mask &= key <= query
    if variant.window is not None:
        by_mask &= query - key < variant.window
    if not variant.block_list:
        return by_mask
    seen = np.zeros((queries, keys), bool)
    for tile, count in enumerate(arrays["num"]):
        rows = slice(tile * variant.block_q, (tile + 1) * variant.block_q)
        for place, block in enumerate(arrays["idx"][tile, :count]):
            columns = slice(block * variant.block_kv, (block + 1) * variant.block_kv)
            is_masked = variant.masked and place < arrays["partial"][tile]
            seen[rows, columns] = by_mask[rows, columns] if is_masked else True
    return seen


def attention(variant, arrays):
    """(o, lse) in float64; of a query that sees no key 0 and -inf."""
    q, k, v = (arrays[name].astype(np.float64) for name in "qkv")
    k, v = (np.repeat(array, variant.group, axis=-3) for array in (k, v))
    scores = q @ np.swapaxes(k, -1, -2) * np.float64(np.float32(arrays["scale"]))
    if variant.softcap is not None:
        scores = variant.softcap * np.tanh(scores / variant.softcap)
    queries, keys = scores.shape[-2:]
    if variant.alibi:
        distance = np.arange(keys)[None, :] - np.arange(queries)[:, None]
        scores += arrays["slopes"].astype(np.float64)[:, None, None] * distance
    scores = np.where(_seen(variant, arrays, queries, keys), scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isinf(largest), 0, largest))
    total = weights.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        lse = (np.log(total) + largest)[..., 0]
    return weights @ v / np.where(total == 0, 1, total), lse
