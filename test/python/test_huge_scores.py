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
