"""sattn.bsr_dense_addmm and sattn.prepare on the CPU, against the same in float64."""

import ml_dtypes
import numpy as np
import pytest
import scipy.sparse

pytest.importorskip("tvm_ffi")

TOLERANCES = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 2e-2}
bf16 = np.dtype(ml_dtypes.bfloat16)


def matrix(rng, block=(16, 16), rows=4, columns=5, dtype=np.float32, index=np.int32, batch=(), density=0.4):
    """(crow, col, values) with an empty first row, and the dense matrix in float64."""
    mask = rng.random((rows, columns)) < density
    mask[0] = False
    mask[-1, :2] = True
    crow = np.concatenate([[0], np.cumsum(mask.sum(1))]).astype(index)
    col = np.nonzero(mask)[1].astype(index)
    values = rng.standard_normal((*batch, len(col), *block)).astype(dtype)
    dense = np.zeros((*batch, rows, columns, *block))
    dense[..., mask, :, :] = values
    dense = np.moveaxis(dense, -2, -3).reshape(*batch, rows * block[0], columns * block[1])
    crow, col = (np.broadcast_to(array, (*batch, len(array))).copy() for array in (crow, col))
    return (crow, col, values), dense


def near(result, expected, dtype=None):
    dtype = np.dtype(dtype or result.dtype)
    scale = np.abs(expected).max() + 1e-9
    assert result.shape == expected.shape
    assert np.abs(result.astype(np.float64) - expected).max() <= TOLERANCES[dtype.name] * scale


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bf16])
@pytest.mark.parametrize("block, index", [((16, 16), np.int32), ((24, 40), np.int64), ((128, 8), np.int32)])
def test_products(sattn, rng, dtype, block, index):
    bsr, a = matrix(rng, block, dtype=dtype, index=index)
    dense = rng.standard_normal((a.shape[1], 37)).astype(dtype)
    result = sattn.bsr_dense_addmm(None, bsr, dense, beta=0, alpha=-1.5)
    assert result.dtype == dtype
    near(result, -1.5 * a @ dense.astype(np.float64), dtype)


@pytest.mark.parametrize("dtype", [np.float32, bf16])
def test_the_cpu_computes_in_f32_whatever_the_precision(sattn, rng, dtype):
    bsr, a = matrix(rng, dtype=dtype)
    dense = rng.standard_normal((80, 21)).astype(dtype)
    results = [sattn.bsr_dense_addmm(None, bsr, dense, beta=0, precision=precision)
               for precision in (None, "ieee", "tf32")]
    near(results[0], a @ dense.astype(np.float64), dtype)
    assert (results[1] == results[0]).all() and (results[2] == results[0]).all()


@pytest.mark.parametrize("shape", [(64, 21), (21,), (1, 21), (64, 1), ()])
def test_input_broadcasts(sattn, rng, shape):
    bsr, a = matrix(rng)
    dense = rng.standard_normal((80, 21), np.float32)
    added = rng.standard_normal(shape).astype(np.float32) if shape else np.array(2.5, np.float32)
    before = added.copy()
    near(sattn.bsr_dense_addmm(added, bsr, dense, beta=0.5), 0.5 * added + a @ dense)
    assert (added == before).all()


def test_scales(sattn, rng):
    bsr, a = matrix(rng)
    dense, left, right = (rng.standard_normal(shape).astype(np.float32) for shape in ((80, 21), 64, 21))
    result = sattn.bsr_dense_addmm(None, bsr, dense, beta=0, alpha=2, left_alpha=left, right_alpha=right)
    near(result, left[:, None] * (2 * a @ dense) * right)


def test_batches(sattn, rng):
    bsr, a = matrix(rng, batch=(3,))
    dense = rng.standard_normal((2, 1, 80, 9), np.float32)
    near(sattn.bsr_dense_addmm(None, bsr, dense, beta=0), a @ dense)


def test_scipy(sattn, rng):
    (crow, col, values), a = matrix(rng)
    bsr = scipy.sparse.bsr_array((values, col, crow), shape=(64, 80))
    dense = rng.standard_normal((80, 21), np.float32)
    near(sattn.bsr_dense_addmm(None, bsr, dense, beta=0), a @ dense)
    with pytest.raises(TypeError, match="argument 'bsr': expected a torch.sparse_bsr tensor.*but got csr"):
        sattn.bsr_dense_addmm(None, bsr.tocsr(), dense, beta=0)


def test_out_is_written_in_place(sattn, rng):
    bsr, a = matrix(rng)
    dense = rng.standard_normal((80, 21), np.float32)
    wide = np.full((64, 50), 7, np.float32)
    out = wide[:, 3:45:2]
    assert sattn.bsr_dense_addmm(None, bsr, dense, beta=0, out=out) is out
    near(out, a @ dense)
    assert (wide[:, 4:45:2] == 7).all() and (wide[:, :3] == 7).all() and (wide[:, 45:] == 7).all()
    # out may be input.
    former = out.astype(np.float64)
    sattn.bsr_dense_addmm(out, bsr, dense, beta=2, out=out)
    near(out, 2 * former + a @ dense)


def test_read_only_and_transposed_arrays(sattn, rng):
    bsr, a = matrix(rng)
    dense = rng.standard_normal((21, 80), np.float32).T
    for array in (*bsr, dense):
        array.setflags(write=False)
    near(sattn.bsr_dense_addmm(None, bsr, dense, beta=0), a @ dense)
    out = np.zeros((64, 21), np.float32)
    out.setflags(write=False)
    with pytest.raises(ValueError, match="argument 'out': expected an array that can be written"):
        sattn.bsr_dense_addmm(None, bsr, dense, beta=0, out=out)
    assert not out.any()


def test_input_is_not_read_where_beta_is_0(sattn, rng):
    bsr, a = matrix(rng)
    dense = rng.standard_normal((80, 21), np.float32)
    nan = np.full((64, 21), np.nan, np.float32)
    near(sattn.bsr_dense_addmm(nan, bsr, dense, beta=0, out=nan.copy()), a @ dense)


def changed(arrays, place, change):
    arrays = [array.copy() for array in arrays]
    change(arrays[place])
    return tuple(arrays)


@pytest.mark.parametrize("arguments, error, message", [
    (lambda i, b, d: (i, b, d[:70]), ValueError, "argument 'dense': expected rows for whole blocks"),
    (lambda i, b, d: (i, b, d.astype(np.float16)), ValueError, "argument 'dense': expected elements of f32, but got"),
    (lambda i, b, d: (i, b, d.astype(">f4")), ValueError, "argument 'dense': expected elements of f32"),
    (lambda i, b, d: (i, b, d.tolist()), TypeError, "argument 'dense': expected a numpy.ndarray or a torch.Tensor"),
    (lambda i, b, d: (i[:3], b, d), ValueError, "argument 'input': expected a shape that broadcasts to"),
    (lambda i, b, d: (np.zeros((2, 64, 21), np.float32), b, d), ValueError, "argument 'input': expected a shape that"),
    (lambda i, b, d: (None, b, d), ValueError, "argument 'input': expected an array, since beta is not 0"),
    (lambda i, b, d: (i, (b[0], b[1].astype(np.int64), b[2]), d), ValueError, "argument 'col'"),
    (lambda i, b, d: (i, (b[0], b[1], b[2][:, :12]), d), NotImplementedError, "argument 'bsr': .*blocks of positive multiples"),
    (lambda i, b, d: (i, changed(b, 1, lambda col: col.__setitem__(0, 5)), d), ValueError, "argument 'col': .*but got 5"),
    (lambda i, b, d: (i, changed(b, 0, lambda crow: crow.__setitem__(1, 99)), d), ValueError, "argument 'crow'"),
])
def test_refusals(sattn, rng, arguments, error, message):
    bsr, _ = matrix(rng)
    given = arguments(np.zeros((64, 21), np.float32), bsr, rng.standard_normal((80, 21), np.float32))
    with pytest.raises(error, match=message):
        sattn.bsr_dense_addmm(*given)


@pytest.mark.parametrize("options, error, message", [
    ({"out": np.zeros((64, 22), np.float32)}, ValueError, "argument 'out': expected shape"),
    ({"out": np.zeros((64, 21), np.int32)}, ValueError, "argument 'out': expected elements of f16 or bf16 or f32"),
    ({"out": np.broadcast_to(np.zeros(21, np.float32), (64, 21))}, ValueError, "argument 'out'"),
    ({"alpha": "1"}, TypeError, "argument 'alpha': expected a real number"),
    ({"alpha": 1j}, TypeError, "argument 'alpha': expected a real number"),
    ({"alpha": 10**400}, ValueError, "argument 'alpha': expected a number that a float holds, but got a larger one"),
    ({"meta": 5}, TypeError, "argument 'meta': expected a dict, but got int"),
    ({"left_alpha": np.zeros(21, np.float32)}, ValueError, "argument 'left_alpha'"),
    ({"right_alpha": np.zeros(1, np.float32)}, ValueError, "argument 'right_alpha': expected 21 elements"),
    ({"precision": "fast"}, ValueError, "argument 'precision': expected None, 'ieee' or 'tf32', but got 'fast'"),
    ({"precision": ["tf32"]}, ValueError, r"argument 'precision': .*but got \['tf32'\]"),
    ({"meta": {"tiles": 1}}, ValueError, "argument 'meta': expected keys out of"),
    ({"meta": {"tile": (16, 128)}}, ValueError, "argument 'meta': expected 'tile' of three"),
    ({"meta": {"tile": (16, 128, 16), "stages": 0}}, ValueError, "argument 'meta': expected 'stages'"),
])
def test_refused_options(sattn, rng, options, error, message):
    bsr, _ = matrix(rng)
    with pytest.raises(error, match=message):
        sattn.bsr_dense_addmm(None, bsr, rng.standard_normal((80, 21), np.float32), beta=0, **options)


def test_a_multiplicand_as_out_is_refused(sattn, rng):
    bsr, _ = matrix(rng, rows=5)
    dense = rng.standard_normal((80, 21), np.float32)
    before = dense.copy()
    with pytest.raises(ValueError, match="argument 'out'"):
        sattn.bsr_dense_addmm(None, bsr, dense, beta=0, out=dense)
    assert (dense == before).all()


def test_prepared_operands_are_snapshots_of_indices(sattn, rng):
    (crow, col, values), a = matrix(rng)
    prepared = sattn.prepare((crow, col, values))
    dense = rng.standard_normal((80, 21), np.float32)
    expected = a @ dense
    col[:] = 0
    near(sattn.bsr_dense_addmm(None, prepared, dense, beta=0), expected)
    values *= 2  # Values are used where they lie.
    near(sattn.bsr_dense_addmm(None, prepared, dense, beta=0), 2 * expected)
    prepared.update(values / 2)
    near(sattn.bsr_dense_addmm(None, prepared, dense, beta=0), expected)
    with pytest.raises(ValueError, match="argument 'values': expected shape"):
        prepared.update(values[:-1])


@pytest.mark.parametrize("given, what", [("bsr", "str"), (5, "int"), ([1, 2, 3], "list")])
def test_prepare_says_what_it_got(sattn, given, what):
    with pytest.raises(TypeError, match=f"argument 'bsr': expected a torch.sparse_bsr tensor.*, but got {what}$"):
        sattn.prepare(given)


def test_prepare_checks_contents(sattn, rng):
    (crow, col, values), _ = matrix(rng)
    bad = col.copy()
    bad[0] = -1
    with pytest.raises(ValueError, match="argument 'col': expected block columns of at least 0, but got -1 at"):
        sattn.prepare((crow, bad, values))
    with pytest.raises(ValueError, match="argument 'crow': expected offsets that do not decrease"):
        sattn.prepare((crow[::-1].copy(), col, values))
    prepared = sattn.prepare((crow, col, values))
    with pytest.raises(ValueError, match="argument 'dense': expected rows for whole blocks"):
        sattn.bsr_dense_addmm(None, prepared, np.zeros((16, 8), np.float32), beta=0)


def test_few_kernels_serve_many_calls(sattn, rng):
    sattn.cache.clear()
    before = sattn.cache.info().compilations
    for index in range(20):
        bsr, a = matrix(rng, density=rng.random())
        dense = rng.standard_normal((80, int(rng.integers(1, 300))), np.float32)
        near(sattn.bsr_dense_addmm(None, bsr, dense, beta=0, alpha=1 + index), (1 + index) * a @ dense)
    assert 1 <= sattn.cache.info().compilations - before <= 4
    before = sattn.cache.info().compilations
    for columns in (5, 50, 200):
        sattn.bsr_dense_addmm(None, bsr, rng.standard_normal((80, columns), np.float32), beta=0,
                              meta={"tile": (16, 40, 16)})
    assert sattn.cache.info().compilations - before == 1
