"""Scores beyond 2.36e38 in size, which are infinite to the base 2: masks by addition have the lowest number of f32."""

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")

LENGTH = 4
LOWEST = float(np.finfo(np.float32).min)
QUERY = np.zeros((1, 1, LENGTH, 16), np.float32)
VALUE = np.broadcast_to(np.arange(LENGTH, dtype=np.float32)[:, None], QUERY.shape).copy()
#: Row 0 is wholly masked, row 1 but for key 0.
BIAS = np.zeros((LENGTH, LENGTH), np.float32)
BIAS[0] = LOWEST
BIAS[1, 1:] = LOWEST
ROW, NUMBER, BY_HEAD = BIAS[:, 1].copy(), np.float32(-3e38), np.array([LOWEST], np.float32)
SEEN = np.array([True, False, True, True])

SCORES = {
    "lowest": lambda s, b, h, i, j: s * 0 + LOWEST,
    "-3e38 and -2.4e38": lambda s, b, h, i, j: s + np.where(j == 0, -2.4e38, -3e38),
    "3e38": lambda s, b, h, i, j: s + 3e38,
    "3e38 and 2.4e38": lambda s, b, h, i, j: s + np.where(j == 0, 2.4e38, 3e38),
    "bias": lambda s, b, h, i, j: s + BIAS[i, j],
    "a bias, and twice the score": lambda s, b, h, i, j: BIAS[i, j] + s * 2,
    "a bias times a constant": lambda s, b, h, i, j: s + 0.75 * BIAS[i, j],
    "a bias of queries": lambda s, b, h, i, j: s + ROW[i],
    "a bias of heads": lambda s, b, h, i, j: s + BY_HEAD[h],
    "a captured number": lambda s, b, h, i, j: s + NUMBER,
    "a condition times a captured number": lambda s, b, h, i, j: s + NUMBER * (i < j),
    "a difference times a captured number": lambda s, b, h, i, j: s + (1.0 - SEEN[j]) * NUMBER,
    "an integer times a captured number": lambda s, b, h, i, j: s + (1 - SEEN[j].astype(np.int32)) * NUMBER,
    "positions": lambda s, b, h, i, j: s - 1e38 * (j + 0.5),
    "the greatest of two": lambda s, b, h, i, j: np.maximum(s + LOWEST, BIAS[i, j]),
    "-inf besides": lambda s, b, h, i, j: np.where(j > i, -np.inf, s + NUMBER),
}


@pytest.mark.share(4)
@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_huge_scores(sattn, name, dtype):
    i, j = np.ogrid[:LENGTH, :LENGTH]
    with np.errstate(over="ignore"):
        scores = np.broadcast_to(SCORES[name](np.float32(0), 0, 0, i, j), (LENGTH, LENGTH)).astype(np.float32).astype(np.float64)
    most = scores.max(-1)
    weights = np.exp(scores - most[:, None])
    out, aux = sattn.flex_attention(*(array.astype(dtype) for array in (QUERY, QUERY, VALUE)), SCORES[name],
                                    return_aux=sattn.AuxRequest(lse=True, max_scores=True))
    np.testing.assert_allclose(out[0, 0, :, 0], weights @ np.arange(LENGTH) / weights.sum(-1), rtol=2e-3 if dtype == np.float16 else 1e-5)
    np.testing.assert_allclose(aux.max_scores[0, 0], most, rtol=3e-7)
    np.testing.assert_allclose(aux.lse[0, 0], most + np.log(weights.sum(-1)), rtol=1e-6)


#: The derivatives of SCORES that are not 1.
DERIVATIVES = {"lowest": 0, "a bias, and twice the score": 2}
#: Scores of which the logarithm of the sum of exponentials hides the sum.
HIDDEN = {**{name: SCORES[name] for name in ("lowest", "-3e38 and -2.4e38", "3e38 and 2.4e38", "a bias, and twice the score", "-inf besides")},
          "-1e9": lambda s, b, h, i, j: s - 1e9, "some -1e9": lambda s, b, h, i, j: s + np.where((i == 0) | (j > i), -1e9, 0.0),
          "1e30": lambda s, b, h, i, j: s * 0 + 1e30, "1e5, in steps": lambda s, b, h, i, j: s + 1e5 + np.where(j % 2 == 0, 1.0, 0.0)}
DERIVATIVES["1e30"] = 0


def gradients_of(query, key, value, grad_out, grad_lse, score, derivative):
    """By the definition in float64, of scores that are rounded as f32 is."""
    i, j = np.ogrid[:LENGTH, :LENGTH]
    wide = np.float64 if query.dtype == np.float64 else np.float32
    query, key, value, grad_out = (array.astype(np.float64) for array in (query, key, value, grad_out))
    with np.errstate(over="ignore"):
        scores = score((query @ key.swapaxes(-1, -2) / 4).astype(wide), 0, 0, i, j).astype(wide).astype(np.float64)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    delta = (grad_out * (weights @ value)).sum(-1) - grad_lse
    products = derivative / 4 * weights * (grad_out @ value.swapaxes(-1, -2) - delta[..., None])
    return products @ key, products.swapaxes(-1, -2) @ query, weights.swapaxes(-1, -2) @ grad_out


@pytest.mark.parametrize("name, dtype", [*((name, np.float32) for name in HIDDEN), *(
    (name, dtype) for name in ("some -1e9", "1e30") for dtype in (np.float16, np.float64))])
def test_gradients(sattn, name, dtype):
    rng = np.random.default_rng(0)
    query, key, value, grad_out = (rng.standard_normal(QUERY.shape).astype(dtype) for _ in range(4))
    grad_lse = rng.standard_normal(QUERY.shape[:3]).astype(np.float64 if dtype == np.float64 else np.float32)
    if "1e5" in name or dtype == np.float64:
        query *= 0  # Else the last bit of a product decides.
    out, lse = sattn.flex_attention(query, key, value, HIDDEN[name], return_lse=True)
    found = sattn.flex_attention_backward(grad_out, query, key, value, out, lse, HIDDEN[name], grad_lse=grad_lse)
    expected = gradients_of(query, key, value, grad_out, grad_lse, HIDDEN[name], DERIVATIVES.get(name, 1))
    tolerance = {np.float32: 2e-6, np.float16: 3e-3, np.float64: 1e-13}[dtype]
    for one, other in zip(found, expected):
        np.testing.assert_allclose(one.astype(np.float64), other, rtol=tolerance, atol=tolerance * max(np.abs(other).max(), 1e-3))


def test_scores_that_are_not_huge_take_no_other_way(sattn, monkeypatch):
    from sattn._ops import huge_scores

    rng = np.random.default_rng(0)
    query, key, value, grad_out = (rng.standard_normal(QUERY.shape, np.float32) for _ in range(4))
    out, lse = sattn.flex_attention(query, key, value, return_lse=True)
    monkeypatch.setattr(huge_scores, "attend", lambda *_: pytest.fail("the forward runs again"))
    sattn.flex_attention_backward(grad_out, query, key, value, out, lse)
