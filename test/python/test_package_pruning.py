"""sattn.prune_to_bsr of NumPy's arrays; PyTorch in test_package_conversions_torch.py."""

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("tvm_ffi")

bf16 = np.dtype(ml_dtypes.bfloat16)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def norms_of(matrix, block):
    grid = matrix.astype(np.float64).reshape(matrix.shape[0] // block[0], block[0], matrix.shape[1] // block[1], block[1])
    return np.linalg.norm(grid, axis=(1, 3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, bf16, np.int8, np.uint16])
@pytest.mark.parametrize("block", [(1, 1), (2, 3), (15, 15), (8, 16)])
@pytest.mark.parametrize("sparsity", [0, 0.3, 0.5, 1])
def test_sparsity(sattn, rng, block, dtype, sparsity):
    matrix = (rng.standard_normal((4 * block[0], 5 * block[1])) * 30).astype(dtype)
    crow, col, values = sattn.prune_to_bsr(matrix, block, sparsity=sparsity)
    assert values.dtype == matrix.dtype and crow.dtype == col.dtype == np.int32
    norms = norms_of(matrix, block)
    kept = np.zeros(20, bool)
    kept[np.argsort(norms, axis=None, kind="stable")[round(20 * sparsity):]] = True
    kept = kept.reshape(4, 5)
    assert crow.tolist() == [0, *np.cumsum(kept.sum(1))] and (col == np.nonzero(kept)[1]).all()
    wanted = np.where(np.kron(kept, np.ones(block, bool)), matrix, np.zeros((), dtype))
    assert (sattn.bsr_to_dense((crow, col, values), matrix.shape[1]) == wanted).all()


@pytest.mark.parametrize("stays", [0, 1, 3, 5])
def test_blocks_per_row(sattn, rng, stays):
    matrix = rng.standard_normal((8, 15)).astype(np.float32)
    crow, col, values = sattn.prune_to_bsr(matrix, (2, 3), blocks_per_row=stays)
    assert crow.tolist() == [row * stays for row in range(5)]
    norms = norms_of(matrix, (2, 3))
    assert col.reshape(4, stays).tolist() == np.sort(np.argsort(norms, axis=1)[:, 5 - stays:]).tolist()
    assert len(values) == 4 * stays


def test_batches(sattn, rng):
    matrix = rng.standard_normal((2, 3, 8, 15)).astype(np.float32)
    for options in ({"sparsity": 0.6}, {"blocks_per_row": 2}):
        bsr = sattn.prune_to_bsr(matrix, (2, 3), **options)
        assert [part.shape for part in bsr] == [(2, 3, 5), (2, 3, 8), (2, 3, 8, 2, 3)]
        for batch in np.ndindex(2, 3):
            for found, part in zip(bsr, sattn.prune_to_bsr(matrix[batch], (2, 3), **options)):
                assert (found[batch] == part).all()
        assert [part.shape for part in sattn.prune_to_bsr(matrix[:0], (2, 3), **options)] == [
            (0, 3, 5), (0, 3, 8), (0, 3, 8, 2, 3)]


def test_equal_norms_nan_and_large_ones(sattn):
    matrix = np.ones((4, 4), np.float32)
    assert sattn.prune_to_bsr(matrix, 2, sparsity=0.5)[0].tolist() == [0, 0, 2]
    assert sattn.prune_to_bsr(matrix, 2, blocks_per_row=1)[1].tolist() == [1, 1]
    matrix[0, 0], matrix[3, 0] = np.nan, 3e38  # A number whose square f32 does not hold.
    crow, col, _ = sattn.prune_to_bsr(matrix, 2, sparsity=0.5)
    assert crow.tolist() == [0, 1, 2] and col.tolist() == [0, 0]
    tall = np.full((4, 4), 6e4, np.float16)
    tall[0, 0] = 5e4
    assert sattn.prune_to_bsr(tall, 2, sparsity=0.25)[0].tolist() == [0, 1, 3]


def test_as_many_as_asked_for_though_they_are_zero(sattn):
    crow, col, values = sattn.prune_to_bsr(np.zeros((4, 6), np.float32), (2, 3), sparsity=0.5)
    assert crow[-1] == len(col) == 2 and not values.any()


@pytest.mark.parametrize("shape", [(0, 6), (4, 0), (0, 0)])
def test_empty(sattn, shape):
    for options in ({"sparsity": 0.5}, {"blocks_per_row": 0}):
        crow, col, values = sattn.prune_to_bsr(np.zeros(shape, np.float32), (2, 3), **options)
        assert crow.tolist() == [0] * (shape[0] // 2 + 1) and col.shape == (0,) and values.shape == (0, 2, 3)


@pytest.mark.parametrize("options, message", [
    ({}, "'sparsity': expected either it or 'blocks_per_row', but got neither"),
    ({"sparsity": 0.5, "blocks_per_row": 1}, "'sparsity': expected either it or 'blocks_per_row', but got both"),
    ({"sparsity": 1.5}, "'sparsity': expected a number from 0 to 1, but got 1.5"),
    ({"sparsity": float("nan")}, "'sparsity': expected a number from 0 to 1, but got nan"),
    ({"sparsity": True}, "'sparsity': expected a number from 0 to 1, but got True"),
    ({"sparsity": "0.5"}, "'sparsity': expected a number from 0 to 1, but got '0.5'"),
    ({"blocks_per_row": 3}, "'blocks_per_row': expected an integer from 0 to 2, the block columns, but got 3"),
    ({"blocks_per_row": -1}, "'blocks_per_row': expected an integer from 0 to 2, the block columns, but got -1"),
    ({"blocks_per_row": 1.0}, "'blocks_per_row': expected an integer from 0 to 2, the block columns, but got 1.0")])
def test_options(sattn, options, message):
    with pytest.raises(ValueError, match=f"argument {message}"):
        sattn.prune_to_bsr(np.ones((4, 6), np.float32), (2, 3), **options)


def test_other_matrices(sattn):
    for dtype in (bool, complex):
        with pytest.raises(TypeError, match="argument 'matrix': expected integers or floating-point numbers, but got"):
            sattn.prune_to_bsr(np.ones((4, 6), dtype), (2, 3), sparsity=0.5)
    with pytest.raises(ValueError, match="argument 'matrix': expected rows and columns in whole blocks of 4 x 4"):
        sattn.prune_to_bsr(np.ones((4, 6)), 4, sparsity=0.5)
