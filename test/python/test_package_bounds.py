"""Blocks of masks by bounds of their expressions, against all elements, and attention over lists that are made of them."""

import math

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
import masks  # noqa: E402
from masks import LENGTH, MASKS  # noqa: E402
from sattn import and_masks, create_block_mask, or_masks  # noqa: E402
from sattn._masks import bounds, mask_functions, mask_lists  # noqa: E402
from sattn._trace import user_functions  # noqa: E402

SHAPE = 1, 1, LENGTH, LENGTH - 9


def found(mask_mod, block, band=None, shape=SHAPE):
    """(may be visible, wholly visible), or None."""
    function, values = user_functions.traced("mask_mod", mask_mod)
    arrays = bounds.visible(function, values, band, shape[2:], block)
    return None if arrays is None else [array[0, 0] for array in arrays]


def exact(mask_mod, block, shape=SHAPE):
    seen = masks.seen(mask_mod, shape)[0, 0]
    some, every = (np.zeros([-(-length // size) for length, size in zip(shape[2:], block)], bool) for _ in range(2))
    for row in range(some.shape[0]):
        for column in range(some.shape[1]):
            part = seen[row * block[0]:(row + 1) * block[0], column * block[1]:(column + 1) * block[1]]
            some[row, column], every[row, column] = part.any(), part.all()
    return some, every


DOC = np.sort(np.random.default_rng(1).integers(-3, 4, LENGTH)).astype(np.int64)
FLAG = np.random.default_rng(2).random(LENGTH) < 0.5
BYTES = np.random.default_rng(3).integers(0, 256, LENGTH).astype(np.uint8)
WIDTH, STEP = 9, 7
# Bounds are exact of each of these, and of no others here.
EXACT = {
    "causal": lambda b, h, i, j: i >= j,
    "window": lambda b, h, i, j: (i >= j) & (i - j < WIDTH),
    "sinks": lambda b, h, i, j: (i >= j) & ((j < 4) | (i - j <= WIDTH)),
    "document": lambda b, h, i, j: (DOC[i] == DOC[j]) & (i >= j),
    "distance": lambda b, h, i, j: abs(i - j) <= WIDTH,
    "flags": lambda b, h, i, j: FLAG[i] | FLAG[j],
    "neither": lambda b, h, i, j: ~(FLAG[i] & (DOC[j] > 0)),
    "bytes": lambda b, h, i, j: BYTES[i].astype(np.int32) + STEP > 2 * BYTES[j].astype(np.int32),
    "chunks": lambda b, h, i, j: i // STEP >= j // STEP,
    "least": lambda b, h, i, j: np.minimum(i, 50) > np.maximum(3 * j, -j)}
OTHERS = {
    "dilated": lambda b, h, i, j: (i >= j) & ((i - j) % 4 == 1),
    "rows": lambda b, h, i, j: abs(i // 8 - j // 8) + abs(i % 8 - j % 8) < 4,
    "where": lambda b, h, i, j: np.where(FLAG[i], i + STEP, 5 - j) > DOC[j],
    "odd": lambda b, h, i, j: FLAG[i] ^ (j < i),
    "sum": lambda b, h, i, j: (i > 20).astype(np.int32) + (j > 30) == 1,
    "none": lambda b, h, i, j: (i < j) & (i - j > 3)}
BLOCKS = [(16, 16), (16, 48), (7, 30), (1, 1), (128, 128)]


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("name", [*EXACT, *OTHERS])
def test_bounds(name, block):
    """Never wrong; and exact of masks whose comparisons do not depend on each other, and of elements but for `where`, which
    may be either of its values."""
    mask_mod = {**EXACT, **OTHERS}[name]
    (may, every), (some, whole) = found(mask_mod, block), exact(mask_mod, block)
    assert (may >= some).all() and (every <= whole).all() and may.dtype == every.dtype == bool
    if name in EXACT or block == (1, 1) and name != "where":
        assert (may == some).all() and (every == whole).all()


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("name", MASKS)
def test_masks_of_other_tests(name, block):
    bounds = found(MASKS[name], block)
    if bounds is not None:
        some, whole = exact(MASKS[name], block)
        assert (bounds[0] >= some).all() and (bounds[1] <= whole).all()
    function, _ = user_functions.traced("mask_mod", MASKS[name])
    assert (bounds is None) == (function.needs_batch or function.needs_head or name in ("tree",))


@pytest.mark.parametrize("seed", range(60))
def test_random_masks(seed):
    rng = np.random.default_rng(seed)

    def number(depth):
        kind, c = rng.integers(9 if depth else 3), int(rng.integers(-9, 60))
        if kind < 2:
            return (lambda i, j: i) if kind else (lambda i, j: j)
        if kind == 2:
            return (lambda i, j: DOC[i]) if c % 2 else (lambda i, j: DOC[j].astype(np.int32))
        one, other = number(depth - 1), number(depth - 1)
        size = abs(c) + 1
        return [lambda i, j: one(i, j) + other(i, j), lambda i, j: one(i, j) - other(i, j), lambda i, j: one(i, j) * (c // 9),
                lambda i, j: np.maximum(one(i, j), other(i, j)), lambda i, j: abs(one(i, j) - c),
                (lambda i, j: one(i, j) // size) if seed % 2 else (lambda i, j: one(i, j) % size)][kind - 3]

    def leaf():
        one, other, c, kind = number(2), number(1), int(rng.integers(-40, 40)), rng.integers(4)
        how = [np.less, np.greater_equal, np.equal, np.not_equal][kind]
        return lambda b, h, i, j: how(one(i, j), other(i, j) + c)

    first, second, third = leaf(), leaf(), leaf()
    either = or_masks(and_masks(first, second), third)
    block = tuple(map(int, rng.integers(1, 40, 2)))
    for mask_mod in (first, and_masks(first, second), either, lambda b, h, i, j: ~either(b, h, i, j)):
        bounds = found(mask_mod, block)
        if bounds is None:  # Integers of 64 bits may have wrapped.
            continue
        some, whole = exact(mask_mod, block)
        assert (bounds[0] >= some).all() and (bounds[1] <= whole).all()


def test_bands_beside():
    band = mask_functions.Band(left=9, right=0, prefix=3)
    seen = and_masks(EXACT["document"], lambda b, h, i, j: (j < 3) | (i >= j) & (i - j <= 9))
    (may, every), (some, whole) = found(EXACT["document"], (16, 16), band), exact(seen, (16, 16))
    assert (may >= some).all() and (every <= whole).all() and not may.all()


SHORT, LARGE, REAL = DOC[:40], 2**31 - 5, 0.5
WIDE = np.arange(LENGTH, dtype=np.int64) - 2**40


@pytest.mark.parametrize("mask_mod", [
    lambda b, h, i, j: SHORT[i] == j, lambda b, h, i, j: i + LARGE > j, lambda b, h, i, j: i * REAL > j,
    lambda b, h, i, j: DOC[i + 1] == j, lambda b, h, i, j: DOC[i] + 1 == j, lambda b, h, i, j: (i & 3) == (j & 3),
    lambda b, h, i, j: i << 2 > j, lambda b, h, i, j: i // (j + 1) > 2, lambda b, h, i, j: (i > j) & (b == 0),
    lambda b, h, i, j: WIDE[i].astype(np.int32) > j])
def test_what_has_no_bounds(mask_mod):
    """Clamped indices, integers that may wrap, floats, other operations, batches."""
    assert found(mask_mod, (16, 16)) is None


@pytest.mark.parametrize("band", [None, {"causal": True, "window": (20, 0)}])
@pytest.mark.parametrize("name", ["document", "flags", "rows", "dilated"])
def test_attention_over_lists_by_bounds(sattn, monkeypatch, name, band):
    """As long masks have them. Lists that are read are exact all the same, and are taken once they are there."""
    mask_mod = {**EXACT, **OTHERS}[name]
    rng = np.random.default_rng(0)
    query, key, value = (rng.standard_normal((1, 2, LENGTH, 16), np.float32) for _ in range(3))
    visible = masks.seen(mask_mod, (1, 1, LENGTH, LENGTH))[0, 0]
    if band is not None:
        distance = np.arange(LENGTH)[:, None] - np.arange(LENGTH)
        visible = visible & (distance >= 0) & (distance <= 20)
    scores = np.where(visible, query[0].astype(float) @ key[0].swapaxes(1, 2) / math.sqrt(16), -np.inf)
    most = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(most), 0, most))
    expected = weights @ value[0] / np.maximum(weights.sum(-1, keepdims=True), 1e-30)
    monkeypatch.setattr(mask_lists, "MOST_EVALUATED", 0)
    mask = create_block_mask(mask_mod, None, None, LENGTH, LENGTH, BLOCK_SIZE=16)
    with monkeypatch.context() as patch:
        patch.setattr(mask_lists, "counts", lambda *_: pytest.fail("elements were evaluated"))
        out = sattn.flex_attention(query, key, value, block_mask=mask, **(band or {}))
        np.testing.assert_allclose(out[0], expected, rtol=0, atol=1e-5)
        sattn.flex_attention(query, key, value, block_mask=mask, **(band or {}))
    some, whole = exact(mask_mod, (16, 16), (1, 1, LENGTH, LENGTH))
    assert (mask.to_dense() == some).all() and mask.full_kv_num_blocks.sum() == whole.sum()


def test_bounds_follow_captured_values(sattn, monkeypatch):
    monkeypatch.setattr(mask_lists, "MOST_EVALUATED", 0)
    doc = np.zeros(LENGTH, np.int32)
    mask = create_block_mask(lambda b, h, i, j: doc[i] == doc[j], None, None, LENGTH, LENGTH, BLOCK_SIZE=16)
    value = np.arange(LENGTH, dtype=np.float32)[None, None, :, None].repeat(16, 3)
    for size in (LENGTH, 20, 5):
        doc[:] = np.arange(LENGTH) // size
        out = sattn.flex_attention(0 * value, 0 * value, value, block_mask=mask)
        expected = [np.flatnonzero(doc == number).mean() for number in doc]
        np.testing.assert_allclose(out[0, 0, :, 0], expected, rtol=1e-5)
