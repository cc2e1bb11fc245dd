"""sattn.to_bsr, bsr_to_dense, bsr_transpose: NumPy and SciPy; PyTorch in test_package_conversions_torch.py."""

import ml_dtypes
import numpy as np
import pytest
import scipy.sparse

pytest.importorskip("tvm_ffi")

bf16 = np.dtype(ml_dtypes.bfloat16)
BLOCKS = [(1, 1), (2, 3), (15, 15), (8, 16), (30, 5)]
DTYPES = [np.float32, np.float64, np.float16, bf16, np.int8, np.bool_, np.complex64]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def sparse_matrix(rng, block, dtype=np.float32, rows=4, columns=5):
    """A dense matrix some of whose blocks are zero, its first block row among them."""
    mask = rng.random((rows, columns)) < 0.4
    mask[0], mask[-1, 0] = False, True
    elements = rng.integers(1, 9, (rows * block[0], columns * block[1]))
    elements *= rng.random(elements.shape) < 0.7
    elements[-block[0], 0] = 1
    return (elements * np.kron(mask, np.ones(block, int))).astype(dtype)


def dense_of(crow, col, values, columns):
    """The definition, block by block."""
    height, width = values.shape[1:]
    result = np.zeros(((len(crow) - 1) * height, columns), values.dtype)
    for row in range(len(crow) - 1):
        for place in range(crow[row], crow[row + 1]):
            result[row * height:(row + 1) * height, col[place] * width:(col[place] + 1) * width] += values[place]
    return result


def stored_blocks(matrix, block):
    grid = matrix.reshape(matrix.shape[0] // block[0], block[0], matrix.shape[1] // block[1], block[1])
    return int((grid != 0).any(axis=(1, 3)).sum())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("block", BLOCKS)
def test_dense_arrays(sattn, rng, block, dtype):
    matrix = sparse_matrix(rng, block, dtype)
    crow, col, values = sattn.to_bsr(matrix, block)
    assert values.dtype == matrix.dtype and crow.dtype == col.dtype == np.int32
    assert len(col) == stored_blocks(matrix, block) == crow[-1] and values.shape == (len(col), *block)
    assert all((np.diff(col[start:end]) > 0).all() for start, end in zip(crow, crow[1:]))
    assert (dense_of(crow, col, values, matrix.shape[1]) == matrix).all()
    assert (sattn.bsr_to_dense((crow, col, values), matrix.shape[1]) == matrix).all()


def test_memory_of_any_kind(sattn, rng):
    matrix = sparse_matrix(rng, (2, 3))
    wanted = sattn.to_bsr(matrix, (2, 3))
    wide = np.zeros((matrix.shape[0], matrix.shape[1] * 2), np.float32)
    wide[:, ::2] = matrix
    frozen = matrix.copy()
    frozen.flags.writeable = False
    for form in (np.asfortranarray(matrix), wide[:, ::2], frozen):
        for found, part in zip(sattn.to_bsr(form, (2, 3)), wanted):
            assert (found == part).all()
    crow, col, values = sattn.to_bsr(np.broadcast_to(np.float32(2), (4, 6)), 2)
    assert (sattn.bsr_to_dense((crow, col, values), 6) == 2).all()


def test_nan_is_stored_and_minus_zero_is_not(sattn):
    matrix = np.zeros((4, 4), np.float32)
    matrix[0, 0], matrix[2, 2] = np.nan, -0.0
    crow, col, values = sattn.to_bsr(matrix, 2)
    assert crow.tolist() == [0, 1, 1] and col.tolist() == [0] and np.isnan(values[0, 0, 0])


def test_batches(sattn, rng):
    matrix = sparse_matrix(rng, (2, 3))
    batch = np.stack([np.stack([matrix, np.roll(matrix, 2, axis=0), np.roll(matrix, 3, axis=1)])] * 2)
    bsr = crow, col, values = sattn.to_bsr(batch, (2, 3))
    assert crow.shape == (2, 3, 5) and col.shape[:2] == values.shape[:2] == (2, 3)
    assert (sattn.bsr_to_dense(bsr, 15) == batch).all()
    assert (sattn.bsr_to_dense(sattn.bsr_transpose(bsr, 15), 8) == batch.swapaxes(-1, -2)).all()
    batch[1, 2] = 1
    with pytest.raises(ValueError, match="argument 'matrix': expected batches with equally many blocks that are not zero, "
                                         "but got 9 to 20|but got . to 20"):
        sattn.to_bsr(batch, (2, 3))
    assert [part.shape for part in sattn.to_bsr(batch[:0], (2, 3))] == [(0, 3, 5), (0, 3, 0), (0, 3, 0, 2, 3)]


@pytest.mark.parametrize("shape", [(0, 6), (4, 0), (0, 0)])
def test_empty_matrices(sattn, shape):
    bsr = sattn.to_bsr(np.zeros(shape, np.float32), (2, 3))
    assert [part.shape for part in bsr] == [(shape[0] // 2 + 1,), (0,), (0, 2, 3)]
    assert sattn.bsr_to_dense(bsr, shape[1]).shape == shape
    assert sattn.bsr_transpose(bsr, shape[1])[0].tolist() == [0] * (shape[1] // 3 + 1)
    theirs = sattn.to_bsr(scipy.sparse.csr_array(shape, dtype=np.float32), (2, 3))
    assert theirs.shape == shape and theirs.nnz == 0


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", ["coo", "csr", "csc", "bsr", "lil", "dok", "dia"])
@pytest.mark.parametrize("block", BLOCKS)
def test_scipy(sattn, rng, block, form, kind):
    matrix = sparse_matrix(rng, block)
    given = getattr(scipy.sparse, f"{form}_{kind}")(matrix)
    bsr = sattn.to_bsr(given, block)
    assert bsr.format == "bsr" and bsr.blocksize == block and isinstance(bsr, scipy.sparse.sparray) == (kind == "array")
    assert bsr.has_sorted_indices and len(bsr.indices) == stored_blocks(matrix, block)
    for found, part in zip((bsr.indptr, bsr.indices, bsr.data), sattn.to_bsr(matrix, block)):
        assert (found == part).all()
    assert (sattn.bsr_to_dense(bsr) == matrix).all()
    assert (sattn.to_bsr(given).toarray() == matrix).all() if not any(size % 8 for size in matrix.shape) else True


def test_scipy_adds_and_fills(sattn):
    coo = scipy.sparse.coo_array((np.array([1.0, 2.0, 0.0]), (np.array([1, 1, 3]), np.array([2, 2, 0]))), (4, 4))
    bsr = sattn.to_bsr(coo, 2)
    assert bsr.indptr.tolist() == [0, 1, 2] and bsr.data.tolist() == [[[0, 0], [3, 0]], [[0, 0], [0, 0]]]
    csr = scipy.sparse.csr_array((np.array([5.0, 1.0, 2.0]), np.array([3, 1, 3]), np.array([0, 3])), (1, 4))
    assert sattn.to_bsr(csr, (1, 2)).data.tolist() == [[[0, 1]], [[0, 7]]]
    # Zeros in blocks store no other blocks.
    again = sattn.to_bsr(bsr, 1)
    assert again.nnz == 1 and (again.toarray() == coo.toarray()).all()


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_transpose(sattn, rng, block, index):
    matrix = sparse_matrix(rng, block)
    crow, col, values = sattn.to_bsr(matrix, block)
    bsr = crow.astype(index), col.astype(index), values
    back = sattn.bsr_transpose(bsr, matrix.shape[1])
    assert back[0].dtype == back[1].dtype == index and back[2].flags.c_contiguous and back[2].shape[1:] == block[::-1]
    for found, part in zip(back, sattn.to_bsr(np.ascontiguousarray(matrix.T), block[::-1])):
        assert (found == part).all()
    theirs = sattn.bsr_transpose(scipy.sparse.bsr_array((values, col, crow), matrix.shape))
    assert theirs.blocksize == block[::-1] and theirs.has_sorted_indices and (theirs.toarray() == matrix.T).all()
    theirs.data[:] = 0
    assert values.any()


# Offsets that begin late and end early, unsorted and repeated columns.
ODD = (np.array([1, 4, 4, 5]), np.array([7, 1, 0, 1, 2, -3]), np.arange(1.0, 37.0).reshape(6, 2, 3))


def test_odd_patterns(sattn):
    wanted = dense_of(*ODD, 9)
    assert (sattn.bsr_to_dense(ODD, 9) == wanted).all()
    crow, col, values = sattn.bsr_transpose(ODD, 9)
    assert crow.tolist() == [0, 1, 3, 4] and col[:4].tolist() == [0, 0, 0, 2]
    assert (values[1:3] == ODD[2][[1, 3]].swapaxes(1, 2)).all()
    assert (sattn.bsr_to_dense((crow, col, values), 6) == wanted.T).all()


def test_batches_broadcast(sattn):
    crow, col, values = ODD
    values = np.stack([values, -values])[:, None]
    found = sattn.bsr_to_dense((crow, np.stack([col] * 3), values), 9)
    assert found.shape == (2, 3, 6, 9)
    assert (found == dense_of(*ODD, 9) * np.array([1, -1])[:, None, None, None]).all()


def test_prepared(sattn, rng):
    matrix = sparse_matrix(rng, (8, 16))
    operand = sattn.prepare(sattn.to_bsr(matrix, (8, 16)))
    columns = operand.columns * 16
    assert (sattn.bsr_to_dense(operand, 80) == matrix).all() and operand.shape[1] is None and columns <= 80
    back = sattn.bsr_transpose(operand, 80)
    assert isinstance(back, sattn.Prepared) and back.shape == (80, 32) and back.block == (16, 8)
    assert (sattn.bsr_to_dense(back) == matrix.T).all()
    dense = np.eye(32, dtype=np.float32)
    assert (back @ dense == matrix.T).all()


@pytest.mark.parametrize("crow, col, message", [
    ([0, 2, 1], [0, 1], "argument 'crow': expected ascending offsets from 0 to 2, the stored blocks, but got 0 to 2 that "
                        "descend"),
    ([-1, 1, 2], [0, 1], "argument 'crow': expected ascending offsets from 0 to 2"),
    ([0, 1, 3], [0, 1], "argument 'crow': expected ascending offsets from 0 to 2, the stored blocks, but got 0 to 3"),
    ([0, 1, 2], [0, 2], "argument 'col': expected block columns from 0 to 1, but got 0 to 2"),
    ([0, 1, 2], [-1, 0], "argument 'col': expected block columns from 0 to 1, but got -1 to 0"),
    ([0, 1, 2], [0, 1, 1], "argument 'col': expected an index for each of the 2 stored blocks, but got 3")])
def test_contents(sattn, crow, col, message):
    bsr = np.array(crow), np.array(col), np.ones((2, 2, 3))
    for function in (sattn.bsr_to_dense, sattn.bsr_transpose):
        with pytest.raises(ValueError, match=message):
            function(bsr, 6)
    if "index for each" not in message:
        assert sattn.bsr_to_dense(bsr, 6, check=False).shape == (4, 6)  # Outside memory is neither read nor written.
        assert sattn.bsr_transpose(bsr, 6, check=False)[0].shape == (3,)


@pytest.mark.parametrize("columns", [-3, 4, 6.0, True, "6"])
def test_columns(sattn, columns):
    with pytest.raises(ValueError, match="argument 'columns': expected a multiple of the 3 columns of a block, but got"):
        sattn.bsr_to_dense(ODD, columns)


def test_columns_are_the_matrix_own(sattn):
    with pytest.raises(ValueError, match="argument 'columns': expected the number of columns, which"):
        sattn.bsr_transpose(ODD)
    theirs = scipy.sparse.bsr_array(np.ones((4, 6)), blocksize=(2, 3))
    with pytest.raises(ValueError, match="argument 'columns': expected 6, the matrix's own, but got 9"):
        sattn.bsr_to_dense(theirs, 9)
    assert sattn.bsr_to_dense(theirs, 6).shape == (4, 6)


@pytest.mark.parametrize("block", [0, -2, (2,), (2, 3, 4), (2, 0), 2.0, (2, 3.5), "23", True, [None, 2]])
def test_blocks_that_are_none(sattn, block):
    for function in (sattn.to_bsr, lambda matrix, block: sattn.block_fill(matrix, [block]),
                     lambda matrix, block: sattn.prune_to_bsr(matrix, block, sparsity=0.5)):
        with pytest.raises(ValueError, match="argument 'block': expected a positive integer or two, .BM, BK., but got"):
            function(np.ones((4, 6), np.float32), block)


@pytest.mark.parametrize("matrix", [np.ones((4, 6)), scipy.sparse.csr_array(np.ones((4, 6)))])
def test_shapes_that_are_no_whole_blocks(sattn, matrix):
    with pytest.raises(ValueError, match="argument 'matrix': expected rows and columns in whole blocks of 4 x 4, but got "
                                         "shape .4, 6."):
        sattn.to_bsr(matrix, 4)
    with pytest.raises(ValueError, match="argument 'matrix': expected rows and columns in multiples of 8, since no block"):
        sattn.to_bsr(matrix)


@pytest.mark.parametrize("matrix", [5, None, [[1.0]], "matrix"])
def test_what_is_no_matrix(sattn, matrix):
    for function in (sattn.to_bsr, lambda matrix, block: sattn.block_fill(matrix),
                     lambda matrix, block: sattn.prune_to_bsr(matrix, block, sparsity=0.5)):
        with pytest.raises(TypeError, match="argument 'matrix': expected a numpy.ndarray or a torch.Tensor, but got"):
            function(matrix, 2)
    for function in (sattn.bsr_to_dense, sattn.bsr_transpose):
        with pytest.raises(TypeError, match="argument 'bsr': expected a torch.sparse_bsr tensor, a SciPy BSR array or"):
            function(matrix)


def test_vectors_are_no_matrices(sattn):
    with pytest.raises(ValueError, match="argument 'matrix': expected shape .., M, K., but got .4,."):
        sattn.to_bsr(np.ones(4), 2)
    with pytest.raises(ValueError, match="argument 'block': expected a size for a matrix of shape .2, 8, 8."):
        sattn.to_bsr(np.ones((2, 8, 8)))
    with pytest.raises(ValueError, match="argument 'matrix': expected one matrix, but got shape .2, 8, 8."):
        sattn.block_fill(np.ones((2, 8, 8)))


@pytest.mark.parametrize("column", [-1, 5, 99])
def test_unchecked_blocks_outside_are_left_out(sattn, rng, column):
    matrix = sparse_matrix(rng, (2, 3))
    crow, col, values = sattn.to_bsr(matrix, (2, 3))
    inside = values.copy()
    inside[0] = 0
    expected = dense_of(crow, col, inside, 15)
    col[0] = column
    assert (sattn.bsr_to_dense((crow, col, values), 15, check=False) == expected).all()
    with pytest.raises(ValueError, match="argument 'col': expected block columns from 0 to 4"):
        sattn.bsr_to_dense((crow, col, values), 15)


def test_products_of_conversions(sattn, rng):
    matrix = sparse_matrix(rng, (16, 8))
    dense = rng.standard_normal((40, 5)).astype(np.float32)
    assert np.allclose(sattn.bsr_dense_mm(sattn.to_bsr(matrix, (16, 8)), dense), matrix @ dense, atol=1e-4)
