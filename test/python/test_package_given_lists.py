"""Given lists of a mask: beside a band, and with the block that ends after the keys at any place."""

import itertools

import numpy as np
import pytest

import sattn


def _operands(queries, keys, heads=1, batch=1):
    rng = np.random.default_rng(queries * 1000 + keys)
    return [rng.standard_normal((batch, heads, size, 16)).astype(np.float32) for size in (queries, keys, keys)]


def _lists(*rows):
    """(counts, indices) of one batch and head, a list for each block of queries."""
    indices = np.zeros((1, 1, len(rows), max(1, *map(len, rows))), np.int32)
    for place, row in enumerate(rows):
        indices[0, 0, place, :len(row)] = row
    return np.array([[list(map(len, rows))]], np.int32), indices


def _expected(q, k, v, visible):
    scores = np.where(visible, (q.astype(np.float64) @ k.swapaxes(-1, -2)) / 4, -np.inf)
    with np.errstate(all="ignore"):
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return np.nan_to_num(weights / weights.sum(-1, keepdims=True)) @ v


@pytest.mark.parametrize("band", [{"causal": True}, {"causal": "bottom_right"}, {"window": (9, 3)},
                                  {"causal": True, "window": (20, 0), "prefix": 5}])
def test_a_full_block_that_a_band_cuts_is_not_masked_by_the_function(band):
    q, k, v = _operands(48, 48, heads=2, batch=2)
    rows, columns = np.arange(48)[:, None], np.arange(48)
    mask = sattn.BlockMask.from_kv_blocks(*_lists([2], [0], []), *_lists([0], [1], [2, 0]), BLOCK_SIZE=16,
                                          seq_lengths=(48, 48),
                                          mask_mod=lambda b, h, q, k: (q + k) % 3 == h)
    partial, full = (np.kron(np.array(dense, bool), np.ones((16, 16), bool)) for dense in
                     (([0, 0, 1], [1, 0, 0], [0, 0, 0]), ([1, 0, 0], [0, 1, 0], [1, 0, 1])))
    distance = columns - rows
    visible_in = {"causal": distance <= 0, "window": (distance >= -9) & (distance <= 3),
                  "prefix": (distance <= 0) & (distance >= -20) | (columns < 5)}
    of_band = visible_in["prefix" if "prefix" in band else "window" if "window" in band else "causal"]
    heads = np.stack([(partial & ((rows + columns) % 3 == head) | full) & of_band for head in range(2)])
    for _ in range(2):  # The second call takes what was kept.
        out = sattn.flex_attention(q, k, v, block_mask=mask, **band)
        np.testing.assert_allclose(out, _expected(q, k, v, heads), rtol=1e-5, atol=1e-5)


def test_each_band_beside_one_mask_has_its_blocks():
    q, k, v = _operands(48, 48)
    mask = sattn.BlockMask.from_kv_blocks(*_lists([], [], []), *_lists(*[[0, 1, 2]] * 3), BLOCK_SIZE=16,
                                          seq_lengths=(48, 48))
    distance = np.arange(48) - np.arange(48)[:, None]
    bands = (({"causal": True}, distance <= 0), ({"window": (9, 3)}, (distance >= -9) & (distance <= 3)))
    for band, visible in bands * 2:
        np.testing.assert_allclose(sattn.flex_attention(q, k, v, block_mask=mask, **band), _expected(q, k, v, visible),
                                   rtol=1e-5, atol=1e-5)


def test_lists_that_change_beside_a_band_are_read_again():
    q, k, v = _operands(32, 32)
    counts, indices = _lists([0], [0])
    mask = sattn.BlockMask.from_kv_blocks(counts, indices, BLOCK_SIZE=16, seq_lengths=(32, 32), compute_q_blocks=False)
    sattn.flex_attention(q, k, v, block_mask=mask, causal=True)
    indices[0, 0, 1, 0] = 1
    visible = np.kron(np.eye(2, dtype=bool), np.ones((16, 16), bool)) & np.tri(32, dtype=bool)
    np.testing.assert_allclose(sattn.flex_attention(q, k, v, block_mask=mask, causal=True), _expected(q, k, v, visible),
                               rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("entry", [-1, 2, 99])
def test_entries_beside_a_band_are_checked(entry):
    q, k, v = _operands(32, 32)
    counts, indices = _lists([0], [0])
    indices[0, 0, 1, 0] = entry
    mask = sattn.BlockMask.from_kv_blocks(counts, indices, BLOCK_SIZE=16, seq_lengths=(32, 32), compute_q_blocks=False)
    with pytest.raises(ValueError, match=rf"blocks of keys in \[0, 2\) in 'kv_indices', but got {entry} at \[0, 0, 1, 0\]"):
        sattn.flex_attention(q, k, v, block_mask=mask, causal=True)


def test_counts_beside_a_band_are_checked():
    q, k, v = _operands(32, 32)
    counts, indices = _lists([0], [0])
    counts[0, 0, 1] = 2
    mask = sattn.BlockMask.from_kv_blocks(counts, indices, BLOCK_SIZE=16, seq_lengths=(32, 32), compute_q_blocks=False)
    with pytest.raises(ValueError, match=r"counts in \[0, 1\].*but got 2 at \[0, 0, 1\]"):
        sattn.flex_attention(q, k, v, block_mask=mask, causal=True)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("keys", [33, 47, 48])
def test_the_full_block_that_ends_after_the_keys_is_at_any_place(order, keys):
    q, k, v = _operands(48, keys)
    mask = sattn.BlockMask.from_kv_blocks(*_lists([], [1], [2]), *_lists(order, [2, 0], [0, 1]), BLOCK_SIZE=16,
                                          seq_lengths=(48, keys), mask_mod=lambda b, h, q, k: k % 2 == 0)
    visible = np.kron(np.array([[1, 1, 1], [1, 0, 1], [1, 1, 0]], bool), np.ones((16, 16), bool))
    partial = np.kron(np.array([[0, 0, 0], [0, 1, 0], [0, 0, 1]], bool), np.ones((16, 16), bool))
    visible = (visible | partial & (np.arange(48) % 2 == 0))[:, :keys]
    np.testing.assert_allclose(sattn.flex_attention(q, k, v, block_mask=mask), _expected(q, k, v, visible), rtol=1e-5, atol=1e-5)
