"""sattn.flex_attention against its definition: masks and scores as users write them, captures that change, refusals."""

import functools
import warnings

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
import masks  # noqa: E402
from masks import LENGTH, MASKS, SCORES, attention, operands, scores_of, seen  # noqa: E402

TOLERANCE = {np.float32: 4e-6, np.float16: 2e-3, ml_dtypes.bfloat16: 1.6e-2}
SHAPE = 2, 4, LENGTH, LENGTH


def close(found, expected, dtype=np.float32):
    found = found.astype(np.float64)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max(initial=0) <= TOLERANCE[dtype] * np.abs(expected).max(initial=1)


@pytest.mark.parametrize("name, block", [*((name, 16) for name in MASKS), ("document", 128), ("sinks", (32, 16)),
                                         ("tree", (7, 100))])
def test_masks(sattn, name, block):
    """Sizes of blocks do not matter."""
    arrays = operands()
    mask = sattn.create_block_mask(MASKS[name], None, None, LENGTH, LENGTH, BLOCK_SIZE=block)
    out, lse = sattn.flex_attention(*arrays, block_mask=mask, return_lse=True)
    expected, expected_lse = attention(*arrays, seen(MASKS[name], SHAPE))
    close(out, expected)
    np.testing.assert_allclose(lse, expected_lse, rtol=3e-6, atol=1e-5)


@pytest.mark.parametrize("name, dtype", [*((name, np.float32) for name in SCORES), ("alibi", np.float16),
                                         ("softcap", ml_dtypes.bfloat16), ("head_scale", np.float16)])
def test_scores(sattn, name, dtype):
    arrays = operands(dtype=dtype)
    close(sattn.flex_attention(*arrays, SCORES[name], causal=True),
          attention(*arrays, seen(masks.causal, SHAPE), SCORES[name])[0], dtype)


def test_score_and_mask(sattn):
    arrays = operands()
    mask = sattn.create_block_mask(masks.document, 2, 4, LENGTH, LENGTH, BLOCK_SIZE=32)
    out, aux = sattn.flex_attention(*arrays, masks.alibi, mask, return_aux=sattn.AuxRequest(lse=True))
    expected, lse = attention(*arrays, seen(masks.document, SHAPE), masks.alibi)
    close(out, expected)
    np.testing.assert_allclose(aux.lse, lse, rtol=3e-6, atol=1e-5)
    assert aux.max_scores is None
    assert sattn.flex_attention(*arrays, return_aux=sattn.AuxRequest())[1] == (None, None)


@pytest.mark.parametrize("scale", [None, 0.3, -0.3, 0])
@pytest.mark.parametrize("score_mod", [None, masks.alibi])
def test_max_scores(sattn, score_mod, scale):
    """By themselves, and with lse; a query without keys has -inf."""
    arrays = operands()

    def mask_mod(b, h, q_idx, kv_idx):
        return (q_idx % 3 > 0) & (kv_idx > q_idx)

    mask = sattn.create_block_mask(mask_mod, None, None, LENGTH, LENGTH, BLOCK_SIZE=32)
    expected = scores_of(*arrays[:2], seen(mask_mod, SHAPE), score_mod, scale).max(axis=-1)
    assert np.isneginf(expected).any()
    for lse in (False, True):
        _, aux = sattn.flex_attention(*arrays, score_mod, mask, scale, return_aux=sattn.AuxRequest(lse, True))
        assert (aux.lse is not None) == lse
        np.testing.assert_allclose(aux.max_scores, expected, rtol=3e-6, atol=1e-5)


def band(queries, keys, left=None, right=None, prefix=0, bottom_right=False):
    distance = np.arange(keys) - np.arange(queries)[:, None] - (keys - queries if bottom_right else 0)
    visible = np.ones((queries, keys), bool)
    if left is not None:
        visible &= distance >= -left
    if right is not None:
        visible &= distance <= right
    return visible | (np.arange(keys) < prefix)


NAMED = [
    ({"causal": True}, {"right": 0}), ({"causal": "top_left"}, {"right": 0}),
    ({"causal": "bottom_right"}, {"right": 0, "bottom_right": True}), ({"causal": False}, {}),
    ({"window": (9, 3)}, {"left": 9, "right": 3}), ({"window": (None, 3)}, {"right": 3}), ({"window": (9, None)}, {"left": 9}),
    ({"window": (None, None)}, {}), ({"causal": True, "window": (9, 5)}, {"left": 9, "right": 0}),
    ({"causal": "bottom_right", "window": (9, 5)}, {"left": 9, "right": 0, "bottom_right": True}),
    ({"causal": True, "prefix": 20}, {"right": 0, "prefix": 20}), ({"causal": True, "prefix": 0}, {"right": 0}),
    ({"window": (9, 3), "prefix": 20}, {"left": 9, "right": 3, "prefix": 20})]


@pytest.mark.parametrize("arguments, numbers", NAMED)
def test_named_masks(sattn, arguments, numbers):
    for queries, keys in ((LENGTH, LENGTH), (40, LENGTH), (LENGTH, 40)):
        arrays = operands(queries=queries, keys=keys)
        close(sattn.flex_attention(*arrays, **arguments), attention(*arrays, band(queries, keys, **numbers))[0])


@pytest.mark.parametrize("arguments, numbers", [NAMED[place] for place in (0, 2, 4, 12)])
@pytest.mark.parametrize("queries, keys", [(40, LENGTH), (LENGTH, 40)])
def test_named_masks_beside_others(sattn, arguments, numbers, queries, keys):
    """A block_mask of a function, and one of given lists."""
    arrays = operands(queries=queries, keys=keys)
    visible = band(queries, keys, **numbers)
    both = visible & seen(masks.dilated, (1, 1, queries, keys))
    made = sattn.create_block_mask(masks.dilated, None, None, queries, keys, BLOCK_SIZE=16)
    given = sattn.BlockMask.from_kv_blocks(*made._read(), 16, masks.dilated, (queries, keys))
    window = sattn.create_block_mask(masks.constant_window, None, None, queries, keys, BLOCK_SIZE=16)
    fixed = sattn.BlockMask.from_kv_blocks(*window._read(), 16, masks.constant_window, (queries, keys))
    for mask in (made, given):
        close(sattn.flex_attention(*arrays, block_mask=mask, **arguments), attention(*arrays, both)[0])
    both = visible & seen(masks.constant_window, (1, 1, queries, keys))
    for mask in (window, fixed):
        close(sattn.flex_attention(*arrays, block_mask=mask, **arguments), attention(*arrays, both)[0])


@pytest.mark.parametrize("arguments, error, message", [
    ({"causal": "left"}, ValueError, "argument 'causal': expected 'top_left', 'bottom_right', True or False, but got 'left'"),
    ({"causal": 1}, ValueError, "argument 'causal': expected .* but got 1"),
    ({"window": 5}, TypeError, r"argument 'window': expected \(left, right\), .* but got 5"),
    ({"window": (-1, 0)}, ValueError, "argument 'window': expected numbers from 0 to 2.30, or None for no limit, but got -1"),
    ({"window": (1.5, 0)}, TypeError, "argument 'window': expected an integer, but got float"),
    ({"prefix": 5}, ValueError, "argument 'prefix': expected causal or window beside it"),
    ({"causal": np.ones(2, bool)}, ValueError, r"argument 'causal': expected .* but got array\(\[ True,  True\]\)"),
    ({"window": ([1], 0)}, TypeError, "argument 'window': expected an integer, but got list"),
    ({"window": (1.0, 0)}, TypeError, "argument 'window': expected an integer, but got float"),
    ({"window": (True, 0)}, TypeError, "argument 'window': expected an integer, but got bool"),
    ({"causal": True, "prefix": True}, TypeError, "argument 'prefix': expected an integer, but got bool"),
    ({"causal": True, "prefix": np.False_}, TypeError, "argument 'prefix': expected an integer, but got bool"),
])
def test_named_masks_that_are_none(sattn, arguments, error, message):
    """Also after equal arguments of other types, whose masks are kept."""
    sattn.flex_attention(*operands(), causal=True)
    sattn.flex_attention(*operands(), window=(1, 0))
    with pytest.raises(error, match=message):
        sattn.flex_attention(*operands(), **arguments)


def test_numbers_of_named_masks_in_arrays(sattn):
    """Which may change where they lie."""
    arrays, left = operands(), np.array(3)
    for number in (3, 40):
        left[...] = number
        close(sattn.flex_attention(*arrays, window=(left, np.int64(2))),
              attention(*arrays, band(LENGTH, LENGTH, left=number, right=2))[0])


@pytest.mark.parametrize("case", [
    {"kv_heads": 2}, {"kv_heads": 1}, {"columns": 33}, {"queries": 1, "keys": 70}, {"queries": 70, "keys": 1},
    {"queries": 0, "keys": 9}, {"queries": 9, "keys": 0}, {"batch": 0}, {"queries": 129, "keys": 257, "batch": 1}])
def test_shapes(sattn, case):
    arrays = operands(**case)
    shape = (*arrays[0].shape[:3], arrays[1].shape[2])
    mask = sattn.create_block_mask(masks.neighbourhood, None, None, *shape[2:], BLOCK_SIZE=16)
    out, lse = sattn.flex_attention(*arrays, masks.softcap, mask, enable_gqa=True, return_lse=True)
    expected, expected_lse = attention(*arrays, seen(masks.neighbourhood, shape), masks.softcap)
    close(out, expected)
    np.testing.assert_allclose(lse, expected_lse, rtol=3e-6, atol=1e-5)


def test_other_columns_of_value_and_one_batch_of_keys(sattn):
    query, _, _ = operands(batch=3)
    _, key, _ = operands(batch=1, seed=1)
    _, _, value = operands(batch=1, columns=24, seed=2)
    expected = attention(query, np.repeat(key, 3, 0), np.repeat(value, 3, 0))[0]
    close(sattn.flex_attention(query, key, value), expected)


@pytest.mark.parametrize("scale", [0.5, -0.3, 0, np.float32(2), 16 ** -0.5])
def test_scale(sattn, scale):
    arrays = operands()
    close(sattn.flex_attention(*arrays, scale=scale, causal=True), attention(*arrays, band(LENGTH, LENGTH, right=0), scale=float(scale))[0])


def test_results_lie_as_query(sattn):
    """Heads and queries in the order of query's memory, so that joining heads copies nothing."""
    arrays = [np.ascontiguousarray(array.swapaxes(1, 2)).swapaxes(1, 2) for array in operands()]
    out = sattn.flex_attention(*arrays)
    assert out.swapaxes(1, 2).flags.c_contiguous
    close(out, attention(*arrays)[0])
    assert sattn.flex_attention(*operands()).flags.c_contiguous


def test_permuted_heads_and_split_batches(sattn):
    """Neither changes a bit."""
    arrays = operands(batch=3)
    mask = sattn.create_block_mask(masks.document, None, None, LENGTH, LENGTH, BLOCK_SIZE=16)
    whole = sattn.flex_attention(*arrays, block_mask=mask)
    order = [2, 0, 3, 1]
    assert (sattn.flex_attention(*(array[:, order] for array in arrays), block_mask=mask) == whole[:, order]).all()
    parts = [sattn.flex_attention(*(array[b:b + 1] for array in arrays), block_mask=mask) for b in range(3)]
    assert (np.concatenate(parts) == whole).all()


def test_queries_that_see_nothing(sattn):
    arrays = operands()
    out, lse = sattn.flex_attention(*arrays, return_lse=True, block_mask=sattn.create_block_mask(
        masks.nothing_for_some, None, None, LENGTH, LENGTH))
    assert (out[:, :, ::3] == 0).all() and np.isneginf(lse[:, :, ::3]).all()


def test_very_low_scores_are_seen(sattn):
    """The lowest number of f32 as well, by which masks are added: as a constant, as a number and in an array; -inf is not."""
    arrays = operands(queries=20, keys=70)
    low = float(np.finfo(np.float32).min)
    bias = np.full(70, low, np.float32)
    for function in (lambda s, b, h, i, j: np.where(i < 5, s, low), lambda s, b, h, i, j: s + bias[j],
                     lambda s, b, h, i, j: np.where(i < 5, s, -3.4028234663852886e38),
                     lambda s, b, h, i, j: np.where(i < 5, -1e30, s)):
        close(sattn.flex_attention(*arrays, function), attention(*arrays, True, function)[0])
    bias[:40] = -np.inf
    function = lambda s, b, h, i, j: np.where(i < 5, -np.inf, s + bias[j])  # noqa: E731
    out, lse = sattn.flex_attention(*arrays, function, return_lse=True)
    assert (out[:, :, :5] == 0).all() and np.isneginf(lse[:, :, :5]).all()
    close(out[:, :, 5:], np.broadcast_to(arrays[2][:, :, 40:].astype(np.float64).mean(2, keepdims=True), out[:, :, 5:].shape))


def test_nothing_is_compiled_for_what_changes(sattn):
    """100 changes of batch, lengths, captured numbers and arrays, and functions that are made anew."""
    sattn.cache.clear()

    def run(change):
        batch, queries, keys = 1 + change % 3, 20 + change, 30 + 2 * change
        window, rate = 3 + change, 0.01 * (change + 1)
        documents = np.random.default_rng(change).integers(0, 3, max(queries, keys)).astype(np.int32)
        slopes = np.linspace(0, rate, 4, dtype=np.float32)

        def mask_mod(b, h, q_idx, kv_idx):
            return (documents[q_idx] == documents[kv_idx]) & (q_idx - kv_idx < window)

        def score_mod(score, b, h, q_idx, kv_idx):
            return score * rate + slopes[h] * (kv_idx - q_idx)

        arrays = operands(batch=batch, queries=queries, keys=keys, columns=8, seed=change)
        mask = sattn.create_block_mask(mask_mod, None, None, queries, keys, BLOCK_SIZE=32)
        out = sattn.flex_attention(*arrays, score_mod, mask)
        if change % 10 == 0:
            shape = batch, 4, queries, keys
            expected = attention(*arrays, seen(mask_mod, shape), score_mod)[0]
            assert np.abs(out - expected).max() <= 1e-4

    run(0)
    compilations = sattn.cache.info().compilations
    for change in range(1, 101):
        run(change)
    assert sattn.cache.info().compilations == compilations


@pytest.mark.parametrize("queries, keys", [(1, 1), (63, 65), (129, 127), (200, 1000)])
def test_masks_that_need_no_lists(sattn, monkeypatch, queries, keys):
    """Blocks of few comparisons with constants and captured integers are the kernel's to find, also of large ones."""
    def made(*arguments):
        raise AssertionError("a list was made")

    monkeypatch.setattr(sattn.BlockMask, "made", made)
    for window, first in ((5, 0), (70, 4), (1 << 25, 64), (-3, 100)):
        functions = {
            "sinks": lambda b, h, q, k: ((q - k < window) & (q >= k)) | (k < first),
            "window": lambda b, h, q, k: (q - k <= window) & (k - q < 20),
            "not": lambda b, h, q, k: ~((q - k > window) | (k >= first)),
            "queries": lambda b, h, q, k: sattn.or_masks(masks.causal, lambda b, h, q, k: q < first)(b, h, q, k),
        }
        for name, mask_mod in functions.items():
            arrays = operands(batch=1, queries=queries, keys=keys, columns=8)
            mask = sattn.create_block_mask(mask_mod, None, None, queries, keys)
            out, lse = sattn.flex_attention(*arrays, block_mask=mask, return_lse=True)
            expected, expected_lse = attention(*arrays, seen(mask_mod, (1, 4, queries, keys)))
            assert np.abs(out - expected).max() <= 1e-5, (name, window, first)
            np.testing.assert_allclose(lse, expected_lse, rtol=3e-6, atol=1e-5)


def test_writes_into_captured_arrays_show(sattn):
    arrays = operands()
    documents, bias = np.zeros(LENGTH, np.int32), np.zeros(LENGTH)

    def mask_mod(b, h, q_idx, kv_idx):
        return documents[q_idx] == documents[kv_idx]

    def score_mod(score, b, h, q_idx, kv_idx):
        return score + bias[kv_idx]

    mask = sattn.create_block_mask(mask_mod, None, None, LENGTH, LENGTH, BLOCK_SIZE=16)
    for change in range(3):
        documents[:] = np.arange(LENGTH) // (30 + change)
        bias[change::2] += 1
        close(sattn.flex_attention(*arrays, score_mod, mask), attention(*arrays, seen(mask_mod, SHAPE), score_mod)[0])


CAPTURED = [np.bool_, np.int8, np.uint8, np.uint16, np.uint32, np.int64, np.float16, ml_dtypes.bfloat16, np.float64]


@pytest.mark.parametrize("dtype", CAPTURED)
def test_types_of_captured_arrays(sattn, dtype):
    table = np.arange(200, 300).astype(np.uint8).astype(dtype)
    table.flags.writeable = False
    arrays = operands()
    close(sattn.flex_attention(*arrays, lambda s, b, h, i, j: s + table[j] * 0.01),
          attention(*arrays, True, lambda s, b, h, i, j: s + table.astype(np.float64)[j] * 0.01)[0])


def test_captured_arrays_of_any_strides(sattn):
    wide = np.random.default_rng(0).standard_normal((2 * LENGTH, 8), np.float32)
    table = wide[::-2, 3]
    arrays = operands()
    function = functools.partial(lambda table, s, b, h, i, j: s + table[j], table)
    close(sattn.flex_attention(*arrays, function), attention(*arrays, True, function)[0])


def changed(name, change):
    names = "query", "key", "value"
    return [change(array) if own == name else array for own, array in zip(names, operands())]


@pytest.mark.parametrize("name, change, error, message", [
    ("query", lambda a: a[0], ValueError, r"argument 'query': expected shape \(B, H, length, columns\), but got \(4, 100, 16\)"),
    ("key", lambda a: a[0], ValueError, r"argument 'key': expected shape \(B, H, length, columns\)"),
    ("query", lambda a: a.tolist(), TypeError, "argument 'query': expected a numpy.ndarray or a torch.Tensor, but got list"),
    ("key", lambda a: a[..., :8], ValueError, "argument 'key': expected 16 columns, as query has, but got 8"),
    ("value", lambda a: a[:, :, :8], ValueError, r"argument 'value': expected shape \(2, 4, 100, columns\), as key has"),
    ("key", lambda a: a.astype(np.float16), ValueError, "argument 'key': expected elements of f32, but got float16"),
    ("query", lambda a: a.astype(np.int32), ValueError, "argument 'query': expected elements of f16 or bf16 or f32 or f64, but got int32"),
    ("query", lambda a: a.astype(np.float64), ValueError, "argument 'key': expected elements of f64, but got float32"),
    ("query", lambda a: a[:, :2], ValueError, "argument 'key': expected 2 heads, as query has, but got 4; with enable_gqa"),
    ("query", lambda a: np.repeat(a, 2, 0), ValueError, "argument 'key': expected 1 or 4 batches, as query has, but got 2"),
    ("value", lambda a: np.ma.masked_array(a), TypeError, "argument 'value': expected an array without a mask"),
])
def test_operands_that_do_not_fit(sattn, name, change, error, message):
    with pytest.raises(error, match=message):
        sattn.flex_attention(*changed(name, change))


def test_heads_that_do_not_divide(sattn):
    query, _, _ = operands(heads=4)
    _, key, value = operands(heads=3)
    with pytest.raises(ValueError, match="argument 'key': expected a number of heads that divides query's 4, but got 3"):
        sattn.flex_attention(query, key, value, enable_gqa=True)


def test_too_many_columns(sattn):
    with pytest.raises(ValueError, match="argument 'query': expected 1 to 512 columns, but got 520"):
        sattn.flex_attention(*operands(columns=520))


@pytest.mark.parametrize("make", [lambda sattn, *sizes: sattn.create_block_mask(masks.dilated, *sizes),
                                  lambda sattn, *sizes: sattn.BlockMask.from_kv_blocks(
                                      *sattn.create_block_mask(masks.dilated, *sizes)._read(), 128, masks.dilated, sizes[2:])])
@pytest.mark.parametrize("sizes, message", [
    ((None, None, LENGTH, 99), "expected a mask of 100 x 100 queries and keys, but got one of 100 x 99"),
    ((None, None, 101, LENGTH), "expected a mask of 100 x 100 queries and keys, but got one of 101 x 100"),
    ((3, None, LENGTH, LENGTH), "expected 1 or 2 batches, as query has, but got 3"),
    ((2, 2, LENGTH, LENGTH), "expected 1 or 4 heads, as query has, but got 2")])
def test_masks_of_other_problems(sattn, make, sizes, message):
    with pytest.raises(ValueError, match=f"argument 'block_mask': {message}"):
        sattn.flex_attention(*operands(), block_mask=make(sattn, *sizes))


def test_a_mask_of_several_batches_for_one(sattn):
    mask = sattn.create_block_mask(masks.causal, 2, None, LENGTH, LENGTH)
    with pytest.raises(ValueError, match="argument 'block_mask': expected 1 of the batches, as query has, but got 2"):
        sattn.flex_attention(*operands(batch=1), block_mask=mask)


def test_given_lists(sattn):
    """Lists in any order, for some heads and batches, and checked."""
    arrays = operands()
    rng = np.random.default_rng(0)
    blocks = rng.integers(0, 2, (2, 4, 7, 7)).astype(bool)
    numbers = blocks.sum(-1, dtype=np.int32)
    indices = np.argsort(~blocks, axis=-1, kind="stable").astype(np.int32)
    for place in np.ndindex(2, 4, 7):
        indices[place][:numbers[place]] = rng.permutation(indices[place][:numbers[place]])
        indices[place][numbers[place]:] = 2**30
    visible = np.repeat(np.repeat(blocks, 16, 2), 16, 3)[:, :, :LENGTH, :LENGTH]
    for batch, heads in ((2, 4), (1, 4), (2, 1), (1, 1)):
        part = slice(0, batch), slice(0, heads)
        mask = sattn.BlockMask.from_kv_blocks(numbers[part], indices[part], BLOCK_SIZE=16, mask_mod=masks.causal,
                                              seq_lengths=(LENGTH, LENGTH))
        close(sattn.flex_attention(*arrays, block_mask=mask),
              attention(*arrays, np.broadcast_to(visible[part], SHAPE) & seen(masks.causal, SHAPE))[0])
    flat = sattn.BlockMask.from_kv_blocks(numbers[0, 0], indices[0, 0], BLOCK_SIZE=16, seq_lengths=(LENGTH, LENGTH))
    close(sattn.flex_attention(*arrays, block_mask=flat), attention(*arrays, visible[0, 0])[0])
    wrong = sattn.BlockMask.from_kv_blocks(numbers, indices + 7, BLOCK_SIZE=16, seq_lengths=(LENGTH, LENGTH))
    with pytest.raises(ValueError, match="argument 'kv_indices': expected blocks of keys"):
        sattn.flex_attention(*arrays, block_mask=wrong)


class ForeignMask:
    """As much of PyTorch's BlockMask as a call reads."""

    def __init__(self, mask):
        self.kv_num_blocks, self.kv_indices, self.full_kv_num_blocks, self.full_kv_indices = mask._read()
        self.BLOCK_SIZE, self.seq_lengths, self.mask_mod = mask.BLOCK_SIZE, mask.seq_lengths, mask.mask_mod


def test_a_given_mask_that_changes(sattn, monkeypatch):
    """Its members are checked once; whatever is in their place later is seen, and so is another call."""
    def foreign(mask_mod):
        return ForeignMask(sattn.create_block_mask(mask_mod, None, None, LENGTH, LENGTH, BLOCK_SIZE=16))

    arrays = operands()
    mask, window = foreign(masks.causal), foreign(masks.sliding_window)
    expected = {name: attention(*arrays, seen(getattr(masks, name), SHAPE))[0] for name in ("causal", "sliding_window")}
    for _ in range(2):
        close(sattn.flex_attention(*arrays, block_mask=mask), expected["causal"])
    # The same members again need no other check.
    with monkeypatch.context() as patch:
        patch.setattr("sattn._arrays.adapters.require_same", None)
        close(sattn.flex_attention(*arrays, block_mask=mask), expected["causal"])
    for name in ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "mask_mod"):
        setattr(mask, name, getattr(window, name))
    close(sattn.flex_attention(*arrays, block_mask=mask), expected["sliding_window"])
    mask.kv_indices = mask.kv_indices.astype(np.int64)
    with pytest.raises(ValueError, match="argument 'block_mask': expected 'kv_indices' of int32, but got int64"):
        sattn.flex_attention(*arrays, block_mask=mask)
    with pytest.raises(ValueError, match="argument 'block_mask': expected a mask of 90 x 100 queries and keys"):
        sattn.flex_attention(arrays[0][:, :, :90], *arrays[1:], block_mask=window)
    close(sattn.flex_attention(*arrays, block_mask=window), expected["sliding_window"])
    window.kv_num_blocks[:] = window.full_kv_num_blocks[:] = 0
    assert not sattn.flex_attention(*arrays, block_mask=window).any()


@pytest.mark.parametrize("change, error, message", [
    ({"BLOCK_SIZE": 20}, ValueError, "expected given block lists with blocks of multiples of 16 queries and keys, but got 20 x 20"),
    ({"kv_indices": np.zeros((1, 1, 5, 5), np.int64)}, ValueError, "expected 'kv_indices' of int32, but got int64"),
])
def test_given_lists_that_no_kernel_takes(sattn, change, error, message):
    arguments = {"kv_num_blocks": np.zeros((1, 1, 5), np.int32), "kv_indices": np.zeros((1, 1, 5, 5), np.int32),
                 "BLOCK_SIZE": 32, "seq_lengths": (LENGTH, LENGTH)} | change
    with pytest.raises(error, match=f"argument 'block_mask': {message}"):
        sattn.flex_attention(*operands(), block_mask=sattn.BlockMask.from_kv_blocks(**arguments))


def test_parts_of_masks(sattn):
    """Have no function of their own: one with partly masked blocks needs one."""
    arrays = operands(queries=LENGTH)
    mask = sattn.create_block_mask(masks.causal, None, None, LENGTH, LENGTH, BLOCK_SIZE=16)
    part = mask[:, :, 2:4]
    query = arrays[0][:, :, 32:64]
    with pytest.raises(ValueError, match="argument 'block_mask': expected a mask with a mask_mod, but got a part of a mask"):
        sattn.flex_attention(query, *arrays[1:], block_mask=part)
    part.mask_mod = lambda b, h, q_idx, kv_idx: q_idx + 32 >= kv_idx
    close(sattn.flex_attention(query, *arrays[1:], block_mask=part), attention(*arrays, band(LENGTH, LENGTH, right=0))[0][:, :, 32:64])


@pytest.mark.parametrize("mask", [masks.causal, 5, np.ones((LENGTH, LENGTH), bool)])
def test_masks_of_other_types(sattn, mask):
    with pytest.raises(TypeError, match="argument 'block_mask': expected a BlockMask, but got"):
        sattn.flex_attention(*operands(), block_mask=mask)


@pytest.mark.parametrize("mask", [np.ones((LENGTH, LENGTH), bool), np.zeros((LENGTH, LENGTH), np.float32)])
def test_dense_masks_say_what_to_write(sattn, mask):
    """Both conversions are named, and both run."""
    arrays = operands()
    with pytest.raises(TypeError, match=r"but got ndarray of \w+; of a mask of booleans make create_block_mask\(.*, of a bias "
                                        "that is added to scores score_mod="):
        sattn.flex_attention(*arrays, block_mask=mask)
    seen = sattn.create_block_mask(lambda b, h, q_idx, kv_idx: mask[q_idx, kv_idx] == 1, None, None, LENGTH, LENGTH)
    biased = sattn.flex_attention(*arrays, score_mod=lambda score, b, h, q_idx, kv_idx: score + mask[q_idx, kv_idx])
    plain = sattn.flex_attention(*arrays)
    close(biased, plain.astype(np.float64))
    close(sattn.flex_attention(*arrays, block_mask=seen), plain.astype(np.float64) * mask.any())


@pytest.mark.parametrize("name, message", [("is_causal", "write causal=True"), ("attn_mask", "write block_mask=create_block_mask"),
                                           ("dropout_p", "write scaled_dot_product_attention"), ("caus", "'caus'$")])
def test_arguments_of_other_functions(sattn, name, message):
    with pytest.raises(TypeError, match=rf"flex_attention\(\) got an unexpected keyword argument '{name}'.*{message}|{message}"):
        sattn.flex_attention(*operands(), **{name: True})


def test_kernel_options(sattn, monkeypatch):
    from sattn._call import kernel_options

    monkeypatch.setattr(kernel_options, "_remarked", set())
    arrays = operands()
    expected = attention(*arrays)[0]
    for options in ({"BLOCK_M": 32, "BLOCK_N": 16, "num_stages": 2}, {"tile_queries": 16, "tile_keys": 8},
                    {"fwd_BLOCK_M": 64, "fwd_BLOCK_N": 64, "PRECISION": "'ieee'"}):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            close(sattn.flex_attention(*arrays, kernel_options=options), expected)
    texts = [source.text() for source, _ in sattn._call.cache._programs]
    assert any("tile = [32, 16, 16], stages = 2" in text for text in texts)
    for options, named in (({"PRESCALE_QK": True, "bwd_BLOCK_M1": 32}, "PRESCALE_QK, bwd_BLOCK_M1"), ({"num_stages": 2}, "stages")):
        with pytest.warns(UserWarning, match=f"kernel_options: {named} change nothing here"):
            close(sattn.flex_attention(*arrays, kernel_options=options), expected)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sattn.flex_attention(*arrays, kernel_options=options)


@pytest.mark.parametrize("options, error, message", [
    (5, TypeError, "expected a dict, but got int"), ({"BLOCK": 5}, ValueError, "expected keys out of .*, but got 'BLOCK'"),
    ({"bwd_BLOCK": 5}, ValueError, "expected keys out of .*, but got 'bwd_BLOCK'"),
    ({"BLOCK_M": 12}, ValueError, "expected 'tile_queries' from 1 to 1024, a multiple of 8, but got 12"),
    ({"BLOCK_M": 16, "tile_queries": 16}, ValueError, "expected one value of 'tile_queries', but got several"),
    ({"precision": "high"}, ValueError, "expected precision 'ieee' or 'tf32', but got 'high'"),
])
def test_kernel_options_that_are_none(sattn, options, error, message):
    with pytest.raises(error, match=f"argument 'kernel_options': {message}"):
        sattn.flex_attention(*operands(), kernel_options=options)


def test_what_has_no_code(sattn):
    arrays = operands()
    with pytest.raises(ValueError, match="argument 'return_aux': expected return_lse or return_aux, but got both"):
        sattn.flex_attention(*arrays, return_lse=True, return_aux=sattn.AuxRequest(lse=True))
    with pytest.raises(TypeError, match="argument 'return_aux': expected an AuxRequest, but got bool"):
        sattn.flex_attention(*arrays, return_aux=True)


def test_messages_name_captures(sattn):
    empty = np.zeros(0, np.float32)
    with pytest.raises(ValueError, match="argument 'score_mod': expected at least 100 elements along dimension 0 of the captured array "
                                         "'empty', which is read at kv_idx, but got 0"):
        sattn.flex_attention(*operands(), lambda s, b, h, i, j: s + empty[j])
