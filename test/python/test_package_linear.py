"""sattn.linear on the CPU, against NumPy in double precision."""

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
scipy_sparse = pytest.importorskip("scipy.sparse")


def weight_of(rng, block, dtype):
    """(crow, col, values) and the same matrix, dense."""
    rows, columns = block
    present = rng.random((4, 5)) < 0.6
    dense = (np.kron(present, np.ones(block)) * rng.standard_normal((4 * rows, 5 * columns))).astype(dtype)
    bsr = scipy_sparse.bsr_array(dense.astype(np.float64), blocksize=block)
    return (bsr.indptr, bsr.indices, bsr.data.astype(dtype)), dense


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("block", [(8, 8), (16, 32), (64, 64)])
@pytest.mark.parametrize("batch", [(), (1,), (7,), (3, 9), (0,)])
def test_linear(package, batch, block, dtype):
    rng = np.random.default_rng(0)
    weight, dense = weight_of(rng, block, dtype)
    x = rng.standard_normal((*batch, dense.shape[1])).astype(dtype)
    bias = rng.standard_normal(len(dense)).astype(dtype)
    for added in (None, bias):
        result = package.linear(x, weight, added)
        expected = x.astype(np.float64) @ dense.T.astype(np.float64) + (0 if added is None else added)
        assert result.shape == expected.shape and result.dtype == dtype
        assert np.abs(result - expected).max(initial=0) <= 5e-3 * np.abs(expected).max(initial=1)


def test_operands_of_any_kind(package):
    rng = np.random.default_rng(0)
    weight, dense = weight_of(rng, (16, 16), np.float32)
    every = np.asfortranarray(rng.standard_normal((6, 4, dense.shape[1])).astype(np.float32))
    out = np.zeros((4, 6, len(dense)), np.float32).transpose(1, 0, 2)
    expected = every @ dense.T
    for given in (weight, package.prepare(weight), scipy_sparse.bsr_array((weight[2], weight[1], weight[0]))):
        assert package.linear(every, given, out=out) is out
        np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)


def test_refusals(package):
    weight, dense = weight_of(np.random.default_rng(0), (16, 16), np.float32)
    with pytest.raises(ValueError, match="argument 'x': expected a multiple of 16 columns"):
        package.linear(np.zeros((2, 81), np.float32), weight)
    with pytest.raises(ValueError, match=r"argument 'x': expected shape \(\*, K\)"):
        package.linear(np.zeros((), np.float32), weight)
    with pytest.raises(ValueError, match="argument 'weight': expected one matrix"):
        package.linear(np.zeros((2, 80), np.float32), tuple(np.stack([part] * 2) for part in weight))
    with pytest.raises(ValueError, match="argument 'bias'"):
        package.linear(np.zeros((2, 80), np.float32), weight, np.zeros(80, np.float32))
    # Checks of bsr_dense_addmm, by the names that linear has.
    with pytest.raises(ValueError, match="argument 'x': expected elements of f32, but got float64"):
        package.linear(np.zeros((2, 80)), weight)
    with pytest.raises(ValueError, match="argument 'bias': expected elements of f32, but got float64"):
        package.linear(np.zeros((2, 80), np.float32), weight, np.zeros(64))
    with pytest.raises(TypeError, match="argument 'weight': expected a torch.sparse_bsr tensor, a SciPy BSR array"):
        package.linear(np.zeros((2, 80), np.float32), dense)


def test_a_dense_factor_that_is_transposed(package):
    weight, dense = weight_of(np.random.default_rng(0), (16, 16), np.float32)
    hint = r"but got 10, and 80 columns: for dense as \(\*, N, K\) write dense.mT, or sattn.linear\(dense, bsr\)"
    for given in (weight, scipy_sparse.bsr_array((weight[2], weight[1], weight[0]), shape=dense.shape)):
        with pytest.raises(ValueError, match=f"argument 'dense': expected .* {hint}"):
            package.bsr_dense_mm(given, np.zeros((10, 80), np.float32))
    with pytest.raises(ValueError, match="argument 'dense': expected .* but got 10$"):
        package.bsr_dense_mm(weight, np.zeros((10, 70), np.float32))
