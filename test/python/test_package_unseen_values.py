"""NaN and infinity in rows of value that no query sees."""

import numpy as np
import pytest

import sattn

LENGTH = 40


def _call(queries, keys, first_unseen, bad, **options):
    rng = np.random.default_rng(keys)
    q, k, v = (rng.standard_normal((1, 2, size, 16)).astype(np.float32) for size in (queries, keys, keys))
    expected = sattn.flex_attention(q, k, v, **options)
    assert np.isfinite(expected).all()
    k[:, :, first_unseen:] = v[:, :, first_unseen:] = bad
    return sattn.flex_attention(q, k, v, **options), expected


def _mask(mask_mod, queries, keys):
    return sattn.create_block_mask(mask_mod, None, None, queries, keys)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("queries, keys", [(17, 64), (100, 300), (130, 140)])
def test_past_the_last_query_of_a_diagonal(queries, keys, bad):
    window = {"window": (None, 3)}
    masks = [(queries, {"causal": True}), (queries + 3, window),
             (queries, {"block_mask": _mask(lambda b, h, q, k: q >= k, queries, keys)}),
             (queries, {"block_mask": _mask(lambda b, h, q, k: (k <= q) & (q - k < 50), queries, keys)}),
             (queries, {"block_mask": _mask(sattn.noop_mask, queries, keys), "causal": True}),
             (queries + 2, {"block_mask": _mask(lambda b, h, q, k: (q + 3 > k) | (k < 7), queries, keys)}),
             (queries - 1, {"block_mask": _mask(lambda b, h, q, k: (k - q) < 0, queries, keys)})]
    for end, options in masks:
        if end < keys:
            out, expected = _call(queries, keys, end, bad, **options)
            np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_past_the_end_of_the_keys_of_a_mask(bad):
    for mask_mod in (lambda b, h, q, k: k < 40, lambda b, h, q, k: k < LENGTH, lambda b, h, q, k: ~(k >= 40)):
        out, expected = _call(33, 200, 40, bad, block_mask=_mask(mask_mod, 33, 200))
        np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)
