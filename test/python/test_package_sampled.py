"""sattn.sampled_addmm on the CPU, against NumPy in double precision, and what it refuses."""

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
scipy_sparse = pytest.importorskip("scipy.sparse")


def pattern_of(rng, block, dtype, blocks=(4, 5)):
    """(crow, col, values) of a random pattern."""
    present = rng.random(blocks) < 0.5
    present[1] = False
    crow = np.concatenate([[0], np.cumsum(present.sum(1))]).astype(np.int32)
    col = np.nonzero(present)[1].astype(np.int32)
    return crow, col, rng.standard_normal((len(col), *block)).astype(dtype)


def expected_of(pattern, mat1, mat2, alpha=1.0, beta=1.0):
    """The values in double precision, of one batch."""
    crow, col, values = pattern
    height, width = values.shape[-2:]
    product = mat1.astype(np.float64) @ mat2.astype(np.float64)
    result = np.zeros(values.shape) if beta == 0 else beta * values.astype(np.float64)
    for p, (i, j) in enumerate(zip(np.repeat(np.arange(len(crow) - 1), np.diff(crow)), col)):
        result[p] += alpha * product[i * height:(i + 1) * height, j * width:(j + 1) * width]
    return result


def matrices(rng, pattern, k, dtype, blocks=(4, 5)):
    height, width = pattern[2].shape[-2:]
    return (rng.standard_normal((blocks[0] * height, k)).astype(dtype),
            rng.standard_normal((k, blocks[1] * width)).astype(dtype))


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 1e-5), (np.float16, 2e-3), (ml_dtypes.bfloat16, 2e-2)])
@pytest.mark.parametrize("block", [(8, 8), (16, 32), (64, 64)])
def test_values(sattn, dtype, tolerance, block):
    rng = np.random.default_rng(0)
    pattern = pattern_of(rng, block, dtype)
    mat1, mat2 = matrices(rng, pattern, 37, dtype)
    crow, col, values = sattn.sampled_addmm(pattern, mat1, mat2, alpha=0.5, beta=2)
    assert crow is pattern[0] and col is pattern[1] and values.dtype == dtype
    expected = expected_of(pattern, mat1, mat2, 0.5, 2)
    assert np.abs(values.astype(np.float64) - expected).max() <= tolerance * np.abs(expected).max()


def test_layouts_share_a_result(sattn):
    rng = np.random.default_rng(1)
    pattern = pattern_of(rng, (16, 16), np.float32)
    mat1, mat2 = matrices(rng, pattern, 40, np.float32)
    expected = expected_of(pattern, mat1, mat2)
    wide = np.zeros((64, 80), np.float32)
    wide[:, ::2] = mat1
    for left in (mat1, np.asfortranarray(mat1), wide[:, ::2]):
        for right in (mat2, np.ascontiguousarray(mat2.T).T):
            values = sattn.sampled_addmm(pattern, left, right)[2]
            np.testing.assert_allclose(values, expected, rtol=1e-4, atol=1e-4)


def test_batches_broadcast(sattn):
    rng = np.random.default_rng(2)
    pattern = pattern_of(rng, (16, 16), np.float32)
    mat1 = rng.standard_normal((3, 1, 64, 24)).astype(np.float32)
    mat2 = rng.standard_normal((2, 24, 80)).astype(np.float32)
    values = sattn.sampled_addmm(pattern, mat1, mat2)[2]
    assert values.shape == (3, 2, *pattern[2].shape)
    for i in range(3):
        for j in range(2):
            np.testing.assert_allclose(values[i, j], expected_of(pattern, mat1[i, 0], mat2[j]), rtol=1e-4, atol=1e-4)


def test_scipy(sattn):
    rng = np.random.default_rng(3)
    pattern = pattern_of(rng, (16, 8), np.float32)
    mat1, mat2 = matrices(rng, pattern, 24, np.float32)
    given = scipy_sparse.bsr_array((pattern[2].copy(), pattern[1], pattern[0]), shape=(64, 40))
    result = sattn.sampled_addmm(given, mat1, mat2, beta=0.5)
    assert isinstance(result, scipy_sparse.bsr_array) and result.shape == (64, 40) and result.blocksize == (16, 8)
    expected = expected_of(pattern, mat1, mat2, beta=0.5)
    np.testing.assert_allclose(result.data, expected, rtol=1e-4, atol=1e-4)
    assert sattn.sampled_addmm(given, mat1, mat2, beta=0.5, out=given) is given
    np.testing.assert_allclose(given.data, expected, rtol=1e-4, atol=1e-4)


def test_out_takes_the_pattern(sattn):
    rng = np.random.default_rng(4)
    pattern = pattern_of(rng, (16, 16), np.float16)
    mat1, mat2 = matrices(rng, pattern, 24, np.float16)
    out = np.zeros_like(pattern[0]), np.zeros_like(pattern[1]), np.full(pattern[2].shape, np.nan, np.float32)
    assert sattn.sampled_addmm(pattern, mat1, mat2, out=out) is out
    np.testing.assert_array_equal(out[0], pattern[0])
    np.testing.assert_array_equal(out[1], pattern[1])
    np.testing.assert_allclose(out[2], expected_of(pattern, mat1, mat2), rtol=2e-3, atol=2e-3)


def test_reads_nothing_that_is_scaled_by_zero(sattn):
    rng = np.random.default_rng(5)
    crow, col, values = pattern_of(rng, (16, 16), np.float32)
    mat1, mat2 = matrices(rng, (crow, col, values), 24, np.float32)
    nothing = np.full_like(values, np.nan)
    expected = expected_of((crow, col, values), mat1, mat2, beta=0)
    for given in (nothing, values.astype(bool)):
        result = sattn.sampled_addmm((crow, col, given), mat1, mat2, beta=0)[2]
        assert result.dtype == np.float32
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)
    result = sattn.sampled_addmm((crow, col, values), mat1 * np.nan, mat2 * np.nan, alpha=0, beta=2)[2]
    np.testing.assert_array_equal(result, 2 * values)


@pytest.mark.parametrize("k, alpha", [(0, 1.0), (0, np.inf), (1, 1.0), (8, 1.0), (65, 1.0)])
def test_any_length_of_sums(sattn, k, alpha):
    rng = np.random.default_rng(6)
    pattern = pattern_of(rng, (16, 16), np.float32)
    mat1, mat2 = matrices(rng, pattern, k, np.float32)
    values = sattn.sampled_addmm(pattern, mat1, mat2, alpha=alpha)[2]
    expected = pattern[2] if k == 0 else expected_of(pattern, mat1, mat2)
    np.testing.assert_allclose(values, expected, rtol=1e-4, atol=1e-4)


def test_nothing_stored(sattn):
    crow, col, values = np.zeros(5, np.int64), np.zeros(0, np.int64), np.zeros((0, 16, 16), np.float32)
    result = sattn.sampled_addmm((crow, col, values), np.ones((64, 8), np.float32), np.ones((8, 32), np.float32))
    assert result[2].shape == (0, 16, 16)


def test_refusals(sattn):
    rng = np.random.default_rng(7)
    pattern = crow, col, values = pattern_of(rng, (16, 16), np.float32)
    mat1, mat2 = matrices(rng, pattern, 24, np.float32)
    call = sattn.sampled_addmm

    def refused(message, *arguments, error=ValueError, **others):
        with pytest.raises(error, match=message):
            call(*arguments, **others)

    refused(r"argument 'mat1': expected 64 rows, those of input, but got 48", pattern, mat1[:48], mat2)
    refused("argument 'mat2': expected 24 rows, the columns of mat1, but got 23", pattern, mat1, mat2[:23])
    refused("argument 'mat2': expected columns for whole blocks of 16 columns of input, but got 79", pattern, mat1,
            mat2[:, :79])
    refused(r"argument 'mat1': expected shape \(\*, M, K\)", pattern, mat1[0], mat2)
    refused("argument 'mat1': expected elements of f32, but got float16", pattern, mat1.astype(np.float16), mat2)
    refused("argument 'input': expected elements of f16 or bf16 or f32 or f64 or i32, but got uint16",
            (crow, col, values.astype(np.uint16)), mat1, mat2)
    refused("argument 'input': expected blocks of positive multiples of 8, but got 12 x 16",
            (crow, col, values[:, :12]), mat1, mat2, error=NotImplementedError)
    refused("argument 'beta': expected 0 for an input of booleans, but got 1", (crow, col, values > 0), mat1, mat2)
    refused("argument 'input': expected a torch.sparse_bsr tensor, a SciPy BSR array or", mat1, mat1, mat2,
            error=TypeError)
    refused("argument 'precision': expected None, 'ieee' or 'tf32', but got 'fast'", pattern, mat1, mat2,
            precision="fast")
    refused(r"argument 'out': expected values of shape", pattern, mat1, mat2, out=(crow, col, values[1:]))
    refused(r"argument 'out': expected 'crow' of 5 entries, as in input, but got 4", pattern, mat1, mat2,
            out=(crow[1:], col, values))
    wrong = col.copy()
    wrong[0] = 5
    refused(r"argument 'col': expected block columns in \[0, 5\), but got 5", (crow, wrong, values), mat1, mat2)
    refused("argument 'mat1'.* batches that broadcast", tuple(np.stack([part] * 2) for part in pattern),
            np.stack([mat1] * 3), mat2)
    flat = values.reshape(-1)
    refused("out", pattern, flat[:64 * 4].reshape(64, 4), mat2[:4], out=(crow, col, values))


def test_what_pytorch_refuses(sattn):
    rng = np.random.default_rng(4)
    for block in ((8, 8), (24, 16)):
        pattern = pattern_of(rng, block, np.float32)
        operands = pattern, *matrices(rng, pattern, 8, np.float32)
        sattn.sampled_addmm(*operands)
        with pytest.raises(ValueError, match="argument 'input': expected blocks of powers of 2 from 16 on, since strict is true"):
            sattn.sampled_addmm(*operands, strict=True)
    pattern = pattern_of(rng, (16, 16), np.float32)
    operands = pattern, *matrices(rng, pattern, 8, np.float32)
    out = *pattern[:2], pattern[2].astype(np.float16)
    sattn.sampled_addmm(*operands, strict=True)
    sattn.sampled_addmm(*operands, out=out)
    with pytest.raises(ValueError, match="argument 'out': expected elements of float32, as input has, since strict is true"):
        sattn.sampled_addmm(*operands, out=out, strict=True)


def test_parameters(sattn):
    rng = np.random.default_rng(3)
    pattern = pattern_of(rng, (16, 16), np.float32)
    mat1, mat2 = matrices(rng, pattern, 40, np.float32)
    expected = expected_of(pattern, mat1, mat2)
    np.testing.assert_allclose(sattn.sampled_addmm(pattern, mat1, mat2, skip_checks=True, max_grid=(1, None))[2], expected,
                               atol=1e-4)
    for meta, message in (({"stages": 2}, "expected 'tile' among its keys, but got stages"), ({}, "'tile' among its keys, but got none"),
                          ({"TILE": 3}, "expected keys out of")):
        with pytest.raises(ValueError, match=f"argument 'meta': .*{message}"):
            sattn.sampled_addmm(pattern, mat1, mat2, meta=meta)
