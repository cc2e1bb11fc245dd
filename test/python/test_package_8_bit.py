"""Products of int8 and float8 on the CPU, against NumPy, and what they refuse."""

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("tvm_ffi")

E4M3, E5M2, BF16 = (np.dtype(getattr(ml_dtypes, name)) for name in ("float8_e4m3fn", "float8_e5m2", "bfloat16"))
KINDS = [(np.int8, np.int8), (E4M3, E4M3), (E5M2, E5M2), (E4M3, E5M2)]


def random(rng, shape, dtype):
    if np.dtype(dtype) == np.int8:
        return rng.integers(-128, 128, shape, np.int8)
    return rng.standard_normal(shape).astype(dtype)


def matrix(rng, dtype, block=(16, 32), rows=4, columns=5):
    """(crow, col, values) with an empty first row, and the matrix in float64."""
    mask = rng.random((rows, columns)) < 0.5
    mask[0] = False
    mask[-1, :2] = True
    crow = np.concatenate([[0], np.cumsum(mask.sum(1))]).astype(np.int32)
    values = random(rng, (int(mask.sum()), *block), dtype)
    dense = np.zeros((rows, columns, *block))
    dense[mask] = values.astype(np.float64)
    dense = np.moveaxis(dense, -2, -3).reshape(rows * block[0], columns * block[1])
    return (crow, np.nonzero(mask)[1].astype(np.int32), values), dense


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_sums_of_integers_are_exact(sattn, rng):
    bsr, a = matrix(rng, np.int8)
    dense = random(rng, (160, 37), np.int8)
    result = sattn.bsr_dense_addmm(None, bsr, dense, beta=0)
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result, (a @ dense).astype(np.int64))
    added = rng.integers(-1 << 30, 1 << 30, (64, 37), np.int32)
    np.testing.assert_array_equal(sattn.bsr_dense_addmm(added, bsr, dense), (added + a @ dense).astype(np.int64))


def test_layouts_agree(sattn, rng):
    bsr, a = matrix(rng, np.int8)
    dense = random(rng, (160, 37), np.int8)
    columns = np.ascontiguousarray(dense.T).T
    out = np.empty((37, 64), np.int32).T
    expected = a @ dense
    np.testing.assert_array_equal(sattn.bsr_dense_addmm(None, bsr, columns, beta=0, out=out), expected)
    np.testing.assert_array_equal(sattn.linear(columns.T, bsr), expected.T)
    wide = np.zeros((160, 74), np.int8)
    wide[:, ::2] = dense
    np.testing.assert_array_equal(sattn.bsr_dense_addmm(None, bsr, wide[:, ::2], beta=0), expected)


@pytest.mark.parametrize("alpha, beta", [(0.5, 0), (0.25, -1.5), (1, 0.5), (-3, 1), (0, 1)])
def test_scaled_integers_are_rounded_once(sattn, rng, alpha, beta):
    bsr, a = matrix(rng, np.int8)
    dense = random(rng, (160, 21), np.int8)
    added = rng.integers(-1 << 20, 1 << 20, (64, 21), np.int32)
    left, right = (rng.uniform(0.1, 2, size).astype(np.float32) for size in (64, 21))
    result = sattn.bsr_dense_addmm(added, bsr, dense, alpha=alpha, beta=beta)
    np.testing.assert_array_equal(result, np.rint(beta * added + alpha * (a @ dense)))
    result = sattn.bsr_dense_addmm(added, bsr, dense, alpha=alpha, beta=beta, left_alpha=left, right_alpha=right)
    expected = beta * added + left[:, None].astype(float) * (alpha * (a @ dense)) * right
    assert np.abs(result - expected).max() <= 0.5 + 1e-6


def test_integers_saturate(sattn, rng):
    bsr, a = matrix(rng, np.int8)
    dense = random(rng, (160, 21), np.int8)
    largest = np.full((64, 21), np.iinfo(np.int32).max, np.int32)
    exact = largest.astype(np.int64) + (a @ dense).astype(np.int64)
    for beta in (1, 1.0000001, -1.0000001):
        result = sattn.bsr_dense_addmm(largest, bsr, dense, beta=beta)
        expected = exact if beta > 0 else (a @ dense - largest.astype(float) * np.float32(1.0000001))
        limits = np.iinfo(np.int32)
        if beta == 1:
            np.testing.assert_array_equal(result, np.clip(exact, limits.min, limits.max))
        else:
            assert np.abs(result - np.clip(expected, limits.min, limits.max)).max() <= 300
    scaled = sattn.bsr_dense_addmm(None, bsr, dense, beta=0, alpha=1e9)
    np.testing.assert_array_equal(scaled, np.clip(np.sign(a @ dense) * 2.0**40, limits.min, limits.max))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("out", [np.float32, BF16])
def test_results_of_floats(sattn, rng, kind, out):
    bsr, a = matrix(rng, kind[0], block=(24, 8))
    dense = random(rng, (40, 50), kind[1])
    added = rng.standard_normal((96, 50)).astype(out)
    result = np.empty((96, 50), out)
    assert sattn.bsr_dense_addmm(added, bsr, dense, alpha=0.5, beta=2, out=result) is result
    expected = 2 * added.astype(float) + 0.5 * (a @ dense.astype(float))
    tolerance = 2e-2 if out == BF16 else 1e-6
    assert np.abs(result.astype(float) - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("dtype", [E4M3, E5M2], ids=str)
def test_every_float8_is_read(sattn, dtype):
    """All 256 patterns, subnormal numbers, infinities and NaNs among them."""
    values = np.arange(256, dtype=np.uint8).view(dtype).reshape(1, 16, 16)
    bsr = np.array([0, 1], np.int32), np.array([0], np.int32), values
    for column in range(16):
        dense = np.zeros((16, 1), dtype)
        dense[column] = 1
        one = values[0].astype(np.float32)
        rest = np.where(np.isfinite(np.delete(one, column, 1)).all(1), 0, np.nan)
        result = sattn.bsr_dense_addmm(None, bsr, dense, beta=0)
        assert result.dtype == np.float32
        np.testing.assert_array_equal(result[:, 0], one[:, column] + rest)


def test_prepared_and_batches(sattn, rng):
    bsr, a = matrix(rng, np.int8)
    dense = random(rng, (3, 160, 9), np.int8)
    operand = sattn.prepare(bsr)
    for _ in range(2):
        np.testing.assert_array_equal(operand @ dense, a @ dense)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_sampled(sattn, rng, kind):
    element = np.int32 if kind[0] == np.int8 else np.float32
    (crow, col, _), _ = matrix(rng, kind[0], block=(16, 24))
    values = rng.integers(-1000, 1000, (len(col), 16, 24)).astype(element)
    mat1, mat2 = random(rng, (64, 70), kind[0]), random(rng, (70, 120), kind[1])
    product = mat1.astype(float) @ mat2.astype(float)
    blocks = np.stack([product[16 * i:16 * i + 16, 24 * j:24 * j + 24]
                       for i, j in zip(np.repeat(np.arange(4), np.diff(crow)), col)])
    result = sattn.sampled_addmm((crow, col, values), mat1, mat2)[2]
    assert result.dtype == element
    np.testing.assert_allclose(result, values + blocks, rtol=0 if element == np.int32 else 1e-5, atol=1e-3)
    mask = np.ones(values.shape, bool)
    result = sattn.sampled_addmm((crow, col, mask), mat1, np.ascontiguousarray(mat2.T).T, beta=0)[2]
    assert result.dtype == element
    np.testing.assert_allclose(result, blocks, rtol=0 if element == np.int32 else 1e-5, atol=1e-3)


def test_refusals(sattn, rng):
    bsr, _ = matrix(rng, np.int8)
    integers, floats = random(rng, (160, 8), np.int8), random(rng, (160, 8), E4M3)
    multiply = sattn.bsr_dense_addmm
    with pytest.raises(ValueError, match="'dense': expected elements of i8, but got float8_e4m3fn"):
        multiply(None, bsr, floats, beta=0)
    with pytest.raises(ValueError, match="'out': expected elements of i32 or bf16 or f32, but got int8"):
        multiply(None, bsr, integers, beta=0, out=np.empty((64, 8), np.int8))
    with pytest.raises(ValueError, match="'input': expected elements of i32, but got int8"):
        multiply(np.zeros((64, 8), np.int8), bsr, integers)
    with pytest.raises(ValueError, match="'left_alpha': expected elements of f32, but got bfloat16"):
        multiply(None, bsr, integers, beta=0, left_alpha=np.ones(64, BF16))
    of_floats = (*bsr[:2], bsr[2].astype(E5M2))
    with pytest.raises(ValueError, match="'dense': expected elements of f8E4M3FN or f8E5M2, but got int8"):
        multiply(None, of_floats, integers, beta=0)
    with pytest.raises(ValueError, match="'out': expected elements of bf16 or f32, but got float16"):
        multiply(None, of_floats, floats, beta=0, out=np.empty((64, 8), np.float16))
    with pytest.raises(ValueError, match="'input': expected elements of f16 or bf16 or f32 or f64, but got int8"):
        sattn.bsr_softmax(bsr)
    with pytest.raises(ValueError, match="'input': expected elements of"):
        sattn.sampled_addmm(bsr, integers.T.copy(), integers)
