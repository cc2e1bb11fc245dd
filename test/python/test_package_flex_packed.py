"""sattn.flex_attention of few queries: heads that share keys and values are rows of one tile, and nothing else changes."""

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
import masks  # noqa: E402
from masks import attention, operands, seen  # noqa: E402

KEYS = 90
SLOPES = np.linspace(0.1, 1, 8).astype(np.float32)
LENGTHS = np.array([17, 50], np.int32)
AUX = {"lse": True, "max_scores": True}


def alibi(score, b, h, q_idx, kv_idx):
    return score + SLOPES[h] * (kv_idx - q_idx)


def padding(b, h, q_idx, kv_idx):
    return kv_idx < LENGTHS[b]


def recent(b, h, q_idx, kv_idx):
    return (q_idx + 80 - kv_idx < 20) | (kv_idx < 4)


def by_head(b, h, q_idx, kv_idx):
    return (h % 2 == 0) | (kv_idx < 30)


def packed(sattn):
    """Programs so far whose heads are packed, and all."""
    texts = [source.text() for source, _ in sattn._call.cache._programs]
    return sum("packed_heads = 4" in text for text in texts), len(texts)


def close(found, expected):
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=3e-6, atol=1e-5)


@pytest.fixture
def package(sattn):
    sattn.cache.clear()
    yield sattn
    sattn.cache.clear()


@pytest.mark.parametrize("arguments, mask_mod, score_mod", [
    ({}, None, None), ({"causal": "bottom_right"}, None, alibi), ({"window": (9, 3)}, recent, None), ({}, padding, alibi)])
def test_few_queries_share_a_tile(package, arguments, mask_mod, score_mod):
    """A program for all numbers of few queries whose rows have tiles of the same size; they give what that for more gives."""
    for queries in (1, 5, 16, 17):
        arrays = operands(heads=8, kv_heads=2, queries=queries, keys=KEYS)
        mask = None if mask_mod is None else package.create_block_mask(mask_mod, None, None, queries, KEYS)
        out, aux = package.flex_attention(*arrays, score_mod, mask, enable_gqa=True, return_aux=package.AuxRequest(**AUX), **arguments)
        distance = np.arange(KEYS) - np.arange(queries)[:, None] - (KEYS - queries if "causal" in arguments else 0)
        visible = True if mask_mod is None else seen(mask_mod, (2, 8, queries, KEYS))
        if "causal" in arguments:
            visible = visible & (distance <= 0)
        if "window" in arguments:
            visible = visible & (distance >= -9) & (distance <= 3)
        expected, lse = attention(*arrays, visible, score_mod)
        close(out, expected)
        close(aux.lse, lse)
        close(aux.max_scores, masks.scores_of(*arrays[:2], visible, score_mod).max(axis=-1))
        # Four heads share a tile of 16 or of 64 rows.
        few = 1 + (4 * queries > 16)
        assert packed(package) == (few, few + (queries > 16))


def test_heads_that_are_not_packed(package):
    """A mask for each head, heads and queries that lie otherwise, and no shared keys."""
    queries = 5
    query, key, value = operands(heads=8, kv_heads=2, queries=queries, keys=KEYS)
    mask = package.create_block_mask(by_head, None, None, queries, KEYS)
    close(package.flex_attention(query, key, value, block_mask=mask, enable_gqa=True),
          attention(query, key, value, seen(by_head, (2, 8, queries, KEYS)))[0])
    across = np.ascontiguousarray(query.swapaxes(1, 2)).swapaxes(1, 2)
    out = package.flex_attention(across, key, value, enable_gqa=True)
    close(out, attention(query, key, value)[0])
    assert out.swapaxes(1, 2).flags.c_contiguous
    package.flex_attention(query[:, :2], key, value)
    assert packed(package)[0] == 0


@pytest.mark.parametrize("change", [lambda a: np.ascontiguousarray(a.swapaxes(1, 2)).swapaxes(1, 2), lambda a: a[::-1],
                                    lambda a: a[:, ::-1], lambda a: np.broadcast_to(a[:, :1], a.shape)])
def test_one_query_of_any_strides(package, change):
    query, key, value = operands(heads=8, kv_heads=2, queries=1, keys=KEYS)
    query = change(query)
    close(package.flex_attention(query, key, value, enable_gqa=True), attention(query, key, value)[0])
    assert packed(package)[0] == 1


def test_given_lists_of_few_queries(package):
    """Lists that all heads share; they are checked as ever."""
    arrays = operands(heads=8, kv_heads=2, queries=3, keys=KEYS)
    made = package.create_block_mask(masks.dilated, None, None, 3, KEYS, BLOCK_SIZE=16)
    numbers, indices = made._read()[:2]
    mask = package.BlockMask.from_kv_blocks(numbers, indices, BLOCK_SIZE=16, mask_mod=masks.dilated, seq_lengths=(3, KEYS))
    close(package.flex_attention(*arrays, block_mask=mask, enable_gqa=True),
          attention(*arrays, seen(masks.dilated, (2, 8, 3, KEYS)))[0])
    assert packed(package)[0] == 1
    wrong = package.BlockMask.from_kv_blocks(numbers, indices + 7, BLOCK_SIZE=16, seq_lengths=(3, KEYS))
    with pytest.raises(ValueError, match="argument 'kv_indices': expected blocks of keys"):
        package.flex_attention(*arrays, block_mask=wrong, enable_gqa=True)


def test_values_of_an_unfilled_cache_do_not_show(package):
    """A mask_mod that ends at a captured length: with lists of blocks and without, packed or not."""
    filled = 41

    def cache(b, h, q_idx, kv_idx):
        return kv_idx < filled + q_idx

    for mask_mod, ends in ((padding, LENGTHS), (cache, np.array([43, 43]))):
        for heads in (2, 8):
            query, key, value = operands(heads=heads, kv_heads=2, queries=3, keys=KEYS)
            visible = seen(mask_mod, (2, heads, 3, KEYS))
            expected = attention(query, key, value, visible)[0]
            for array in (key, value):
                array.swapaxes(1, 2)[np.arange(KEYS) >= ends[:, None]] = np.nan
            mask = package.create_block_mask(mask_mod, None, None, 3, KEYS)
            close(package.flex_attention(query, key, value, block_mask=mask, enable_gqa=True), expected)


def test_values_after_the_last_query_do_not_show(package):
    """A causal mask by name, with fewer queries than keys: nothing after them is read."""
    query, key, value = operands(queries=20, keys=KEYS)
    expected = {bound: attention(query, key[:, :, :end], value[:, :, :end],
                                 np.arange(end) <= np.maximum(np.arange(20)[:, None], prefix - 1))[0]
                for bound, end, prefix in (("causal", 20, 0), ("prefix", 33, 33))}
    for bound, end, options in (("causal", 20, {}), ("prefix", 33, {"prefix": 33})):
        key[:, :, end:] = value[:, :, end:] = np.nan
        close(package.flex_attention(query, key, value, causal=True, **options), expected[bound])
        query, key, value = operands(queries=20, keys=KEYS)
