"""sattn.bsr_dense_mm, and the arguments that PyTorch's functions have besides."""

import ml_dtypes
import numpy as np
import pytest
import scipy.sparse

pytest.importorskip("tvm_ffi")
from test_package_bsr import matrix, near  # noqa: E402

bf16 = np.dtype(ml_dtypes.bfloat16)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bf16])
@pytest.mark.parametrize("n", [1, 15, 32])
def test_products(sattn, rng, dtype, n):
    bsr, a = matrix(rng, (24, 40), dtype=dtype)
    dense = rng.standard_normal((a.shape[1], n)).astype(dtype)
    for operand in (bsr, sattn.prepare(bsr)):
        result = sattn.bsr_dense_mm(operand, dense)
        assert result.dtype == dtype
        near(result, a @ dense.astype(np.float64))


def test_batches_and_scipy(sattn, rng):
    bsr, a = matrix(rng, batch=(2, 1))
    dense = rng.standard_normal((3, a.shape[-1], 7)).astype(np.float32)
    near(sattn.bsr_dense_mm(bsr, dense), a @ dense.astype(np.float64))
    (crow, col, values), a = matrix(rng)
    theirs = scipy.sparse.bsr_array((values, col, crow), shape=a.shape)
    near(sattn.bsr_dense_mm(theirs, dense[0]), a @ dense[0].astype(np.float64))


def test_out_is_not_read(sattn, rng):
    bsr, a = matrix(rng)
    dense = rng.standard_normal((a.shape[1], 15)).astype(np.float32)
    out = np.full((a.shape[0], 30), np.nan, np.float32)[:, ::2]  # Strides that PyTorch refuses.
    assert sattn.bsr_dense_mm(bsr, dense, out=out) is out
    near(out, a @ dense.astype(np.float64))
    narrow = np.empty(out.shape, bf16)
    near(sattn.bsr_dense_mm(bsr, dense, out=narrow), a @ dense.astype(np.float64))


def test_no_stored_block(sattn):
    bsr = np.zeros(3, np.int32), np.zeros(0, np.int32), np.zeros((0, 16, 16), np.float32)
    out = np.full((32, 5), np.nan, np.float32)
    assert not sattn.bsr_dense_mm(bsr, np.ones((48, 5), np.float32), out=out).any()


@pytest.mark.parametrize("meta", [{"SPLIT_N": 4, "GROUP_SIZE_ROW": 2, "num_stages": 2, "num_warps": 4},
                                  {"tile": (16, 32, 16)}])
def test_meta_counts(sattn, rng, meta):
    bsr, a = matrix(rng)
    dense = rng.standard_normal((a.shape[1], 64)).astype(np.float32)
    near(sattn.bsr_dense_mm(bsr, dense, meta=meta), a @ dense.astype(np.float64))
    with pytest.raises(ValueError, match="argument 'meta': expected keys out of"):
        sattn.bsr_dense_mm(bsr, dense, meta={**meta, "tiles": 1})


@pytest.mark.parametrize("max_grid", [None, (), (None, 2, 4), [1], (np.int64(3), None)])
def test_max_grid_changes_nothing(sattn, rng, max_grid):
    bsr, a = matrix(rng)
    dense = rng.standard_normal((a.shape[1], 32)).astype(np.float32)
    wanted = sattn.bsr_dense_mm(bsr, dense)
    assert (sattn.bsr_dense_mm(bsr, dense, max_grid=max_grid) == wanted).all()
    assert (sattn.bsr_dense_addmm(None, bsr, dense, beta=0, max_grid=max_grid) == wanted).all()


@pytest.mark.parametrize("max_grid", [3, (1, 2, 3, 4), (0,), (-1, None), (1.5,), (True,), "abc", {1, 2}])
def test_other_grids(sattn, rng, max_grid):
    bsr, a = matrix(rng)
    with pytest.raises(ValueError, match="argument 'max_grid': expected at most three sizes"):
        sattn.bsr_dense_mm(bsr, np.ones((a.shape[1], 8), np.float32), max_grid=max_grid)


def test_skip_checks_leaves_out_the_contents_alone(sattn, rng):
    # The offsets of the second row descend: it is empty, and the third row begins inside the first.
    crow, col = np.array([0, 2, 1, 3], np.int32), np.array([0, 1, 0], np.int32)
    values = rng.standard_normal((3, 16, 16)).astype(np.float32)
    dense = rng.standard_normal((32, 8)).astype(np.float32)
    with pytest.raises(ValueError, match="argument 'crow'"):
        sattn.bsr_dense_mm((crow, col, values), dense)
    wanted = np.zeros((48, 8))
    wanted[:16] = np.hstack(values[:2]).astype(np.float64) @ dense
    wanted[32:] = np.hstack(values[2:0:-1]).astype(np.float64) @ dense
    near(sattn.bsr_dense_mm((crow, col, values), dense, skip_checks=True), wanted)
    with pytest.raises(ValueError, match="argument 'dense': expected rows for whole blocks of 16 columns"):
        sattn.bsr_dense_mm((crow, col, values), dense[:-1], skip_checks=True)
    with pytest.raises(ValueError, match="argument 'skip_checks': expected False where check is true, but got True"):
        sattn.bsr_dense_mm((crow, col, values), dense, skip_checks=True, check=True)
    with pytest.raises(TypeError, match="argument 'skip_checks': expected a bool, but got str"):
        sattn.bsr_dense_mm((crow, col, values), dense, skip_checks="no")


@pytest.mark.parametrize("block", [(15, 15), (30, 30), (24, 16), (16, 8)])
def test_strict_refuses_blocks(sattn, rng, block):
    bsr, a = matrix(rng, block)
    with pytest.raises(ValueError, match="argument 'bsr': expected blocks of powers of 2 from 16 on, since strict is true, "
                                         f"but got {block[0]} x {block[1]}"):
        sattn.bsr_dense_mm(bsr, np.ones((a.shape[1], 16), np.float32), strict=True)


def test_strict(sattn, rng):
    bsr, a = matrix(rng, (16, 32))
    dense = rng.standard_normal((a.shape[1], 16)).astype(np.float32)
    wanted = a @ dense.astype(np.float64)
    for operand in (bsr, sattn.prepare(bsr)):
        for out in (None, np.empty(wanted.shape, np.float32), np.empty(wanted.T.shape, np.float32).T):
            near(sattn.bsr_dense_mm(operand, dense, out=out, strict=True), wanted)
        with pytest.raises(ValueError, match="argument 'dense': expected a multiple of 16 columns, since strict is true, "
                                             "but got 15"):
            sattn.bsr_dense_mm(operand, dense[:, :15], strict=True)
        gaps = np.empty((wanted.shape[0], 32), np.float32)
        for out in (gaps[:, ::2], gaps[:, :16]):
            with pytest.raises(ValueError, match="argument 'out': expected contiguous rows or columns without gaps, since "
                                                 "strict is true"):
                sattn.bsr_dense_addmm(None, operand, dense, beta=0, out=out, strict=True)
    with pytest.raises(TypeError, match="argument 'dense': expected a numpy.ndarray or a torch.Tensor, but got list"):
        sattn.bsr_dense_mm(bsr, [[1.0]], strict=True)
    with pytest.raises(TypeError, match="argument 'bsr': expected a torch.sparse_bsr tensor"):
        sattn.bsr_dense_mm(a, dense, strict=True)
    wrong = np.empty((2, *wanted.shape), np.float32)
    with pytest.raises(ValueError, match="argument 'out': expected shape"):
        sattn.bsr_dense_mm(bsr, dense, out=wrong, strict=True)
