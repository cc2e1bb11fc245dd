"""sattn.bsr_softmax on the CPU, against NumPy in double precision."""

import copy
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from softmax_cases import softmax  # noqa: E402

pytest.importorskip("tvm_ffi")
scipy_sparse = pytest.importorskip("scipy.sparse")
TOLERANCE = {np.float16: 1e-3, np.float32: 2e-6, np.float64: 1e-14}


def matrix_of(rng, block, dtype, batch=(), index=np.int32):
    """(crow, col, values) of 6 x 5 blocks: one block row is full, one empty."""
    present = rng.random((6, 5)) < 0.4
    present[2], present[4] = True, False
    crow = np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(index)
    col = np.nonzero(present)[1].astype(index)
    values = (rng.standard_normal((*batch, len(col), *block)) * 3).astype(dtype)
    return crow, col, values


def check(result, expected, dtype):
    assert result.shape == expected.shape and result.dtype == dtype
    np.testing.assert_allclose(result.astype(np.float64), expected, atol=TOLERANCE[dtype], rtol=0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("block", [(1, 1), (2, 3), (15, 15), (16, 32), (64, 64), (67, 9), (8, 200)])
def test_blocks_of_any_size(sattn, block, dtype):
    crow, col, values = matrix_of(np.random.default_rng(0), block, dtype)
    result = sattn.bsr_softmax((crow, col, values))
    assert result[0] is crow and result[1] is col
    check(result[2], softmax(crow, values), dtype)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("batch", [(1,), (3,), (2, 3)])
def test_batches(sattn, batch, index):
    crow, col, values = matrix_of(np.random.default_rng(0), (4, 6), np.float32, batch, index)
    expected = softmax(crow, values)
    check(sattn.bsr_softmax((crow, col, values))[2], expected, np.float32)
    own = np.broadcast_to(crow, (*batch, len(crow))), np.broadcast_to(col, (*batch, len(col)))
    check(sattn.bsr_softmax((*own, values))[2], expected, np.float32)


def test_offsets_of_each_batch(sattn):
    crow = np.array([[0, 1, 4], [0, 3, 4]], np.int32)
    col = np.zeros((2, 4), np.int32)
    values = np.random.default_rng(0).standard_normal((4, 3, 5)).astype(np.float32)
    result = sattn.bsr_softmax((crow, col, values))[2]
    check(result, softmax(crow, np.broadcast_to(values, (2, 4, 3, 5))), np.float32)


def test_extreme_elements(sattn):
    inf, nan = np.inf, np.nan
    crow, col = np.array([0, 0, 2], np.int32), np.array([1, 0], np.int32)
    values = np.array([[[-inf, -inf], [1, -inf], [1, 2], [1, inf], [3e38, -3e38], [1e4, 1e4 + 1]],
                       [[-inf, -inf], [-inf, 2], [nan, 2], [1, 2], [3e38, 0], [0, -1e4]]], np.float32)
    result = sattn.bsr_softmax((crow, col, values))[2]
    np.testing.assert_allclose(result, softmax(crow, values), atol=1e-6)
    assert (result[:, 0] == 0).all() and np.isnan(result[:, 2:4]).all()
    for dtype in (np.float16, np.float32):
        lowest = np.full((2, 3, 4), -inf, dtype)
        assert (sattn.bsr_softmax((crow, col, lowest))[2] == 0).all()


def test_a_long_row(sattn):
    for block in ((1, 1), (2, 50)):
        count = 150_000 // block[1]
        crow, col = np.array([0, count], np.int64), np.arange(count)
        values = np.random.default_rng(0).uniform(1, 3, (count, *block)).astype(np.float32)
        result = sattn.bsr_softmax((crow, col, values), 150_000)[2]
        np.testing.assert_allclose(result, softmax(crow, values), rtol=2e-5)


def test_kinds_of_matrices(sattn):
    crow, col, values = matrix_of(np.random.default_rng(0), (8, 16), np.float32)
    expected = softmax(crow, values)
    matrix = scipy_sparse.bsr_array((values, col, crow), shape=(48, 80))
    result = sattn.bsr_softmax(matrix)
    assert type(result) is type(matrix) and result.shape == (48, 80)
    assert np.array_equal(result.indices, col) and np.array_equal(result.indptr, crow)
    check(result.data, expected, np.float32)
    prepared = sattn.prepare(matrix)
    result = sattn.bsr_softmax(prepared)
    check(result.values, expected, np.float32)
    assert result.crow is prepared.crow and prepared.values is matrix.data
    dense = np.random.default_rng(1).standard_normal((80, 8)).astype(np.float32)
    np.testing.assert_allclose(result @ dense, sattn.bsr_softmax(matrix) @ dense, atol=1e-5)
    assert isinstance(copy.copy(result), sattn.Prepared)


def test_any_strides(sattn):
    crow, col, values = matrix_of(np.random.default_rng(0), (12, 20), np.float32)
    expected = softmax(crow, values)
    for strided in (values.swapaxes(1, 2).copy().swapaxes(1, 2), np.asfortranarray(values),
                    np.repeat(values, 2, axis=2)[:, :, ::2]):
        assert not strided.flags.c_contiguous
        check(sattn.bsr_softmax((crow, col, strided))[2], expected, np.float32)
    values.flags.writeable = False
    check(sattn.bsr_softmax((crow, col, values))[2], expected, np.float32)


def test_nothing_stored(sattn):
    for rows in (0, 3):
        crow, col = np.zeros(rows + 1, np.int32), np.zeros(0, np.int32)
        result = sattn.bsr_softmax((crow, col, np.zeros((0, 4, 4), np.float32)))
        assert result[2].shape == (0, 4, 4)


def test_refusals(sattn):
    crow, col, values = matrix_of(np.random.default_rng(0), (4, 4), np.float32)
    cases = [((crow, col, values.astype(np.int32)), ValueError, "argument 'input': expected elements of f16 or bf16 or f32 or f64"),
             (values, TypeError, "argument 'input': expected a torch.sparse_bsr tensor, a SciPy BSR array or"),
             (scipy_sparse.csr_array((3, 3)), TypeError, r"argument 'input': .*use \.tobsr"),
             ((crow, col[1:], values), ValueError, "argument 'col': expected dimension 0 .stored blocks."),
             ((crow, col, values[:, :0]), NotImplementedError, "argument 'input': expected blocks of a positive size"),
             ((crow[::-1].copy(), col, values), ValueError, "argument 'crow': expected offsets that do not decrease"),
             ((crow + 1, col, values), ValueError, "argument 'crow': expected offsets in"),
             ((crow, col - 9, values), ValueError, "argument 'col'")]
    for matrix, kind, message in cases:
        with pytest.raises(kind, match=message):
            sattn.bsr_softmax(matrix)
    for bound, kind in ((-1, ValueError), (1.5, TypeError), (True, TypeError)):
        with pytest.raises(kind, match="argument 'max_row_nnz': expected"):
            sattn.bsr_softmax((crow, col, values), bound)
    # A bound that is too small changes nothing.
    check(sattn.bsr_softmax((crow, col, values), max_row_nnz=1)[2], softmax(crow, values), np.float32)
