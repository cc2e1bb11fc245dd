"""examples/matrix_files.py: .npz and .mtx in, .npy out."""

import gzip
import zipfile

import ml_dtypes
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sparse

import matrix_files


def random_matrix(rows, columns, seed=0, density=0.05):
    return sparse.random_array((rows, columns), density=density, rng=np.random.default_rng(seed), format="csr")


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr", "dia"])
def test_loads_every_layout(tmp_path, layout):
    matrix = random_matrix(40, 24)
    sparse.save_npz(tmp_path / "a.npz", matrix.asformat(layout))
    loaded = matrix_files.load_matrix(tmp_path / "a.npz")
    assert (loaded.toarray() == matrix.toarray()).all()


def test_loads_old_matrices_and_integers(tmp_path):
    matrix = sparse.csr_matrix(np.array([[0, 3], [-4, 0]], np.int8))
    sparse.save_npz(tmp_path / "a.npz", matrix)
    loaded = matrix_files.load_matrix(tmp_path / "a.npz")
    assert loaded.dtype == np.float64
    assert loaded.toarray().tolist() == [[0, 3], [-4, 0]]


def test_missing_file(tmp_path):
    with pytest.raises(matrix_files.MatrixError, match="no matrix '.*none.npz'"):
        matrix_files.load_matrix(tmp_path / "none.npz")


@pytest.mark.parametrize("content", [b"", b"no zip at all", b"PK\x03\x04 cut short"])
def test_not_an_archive(tmp_path, content):
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    with pytest.raises(matrix_files.MatrixError, match="to be a file of scipy.sparse.save_npz, but got"):
        matrix_files.load_matrix(path)


def test_archive_of_something_else(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.arange(3))
    with pytest.raises(matrix_files.MatrixError, match="to be a file of scipy.sparse.save_npz, but got"):
        matrix_files.load_matrix(tmp_path / "a.npz")


def test_pickled_objects_are_not_loaded(tmp_path):
    np.savez(tmp_path / "a.npz", format=np.array(["coo"], dtype=object), x=np.array([{}], dtype=object))
    with pytest.raises(matrix_files.MatrixError, match="to be a file of scipy.sparse.save_npz, but got"):
        matrix_files.load_matrix(tmp_path / "a.npz")


@pytest.mark.parametrize("damage", [
    lambda path: np.savez(path, format=np.array("lil"), shape=np.array([2, 3]), data=np.ones(2)),
    lambda path: np.savez(path, format=np.array("bsr"), shape=np.array([2, 3]), data=np.ones((0, 0, 0)),
                          indices=np.zeros(0, int), indptr=np.zeros(1, int)),
    lambda path: np.savez(path, format=np.array("dia"), shape=np.array([2, 3]), data=np.ones((1, 1)),
                          offsets=np.array([[0]])),
    lambda path: damaged_in_the_middle(path),
], ids=["lil", "empty blocks", "dia", "deflated"])
def test_archives_that_scipy_fails_on(tmp_path, damage):
    damage(tmp_path / "a.npz")
    with pytest.raises(matrix_files.MatrixError, match="to be a file of scipy.sparse.save_npz, but got: ."):
        matrix_files.load_matrix(tmp_path / "a.npz")


def damaged_in_the_middle(path):
    sparse.save_npz(path, random_matrix(400, 400, density=0.5))
    content = bytearray(path.read_bytes())
    content[len(content) // 2:len(content) // 2 + 64] = b"\xff" * 64
    path.write_bytes(content)


def test_headers_of_more_than_the_file_holds(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive, archive.open("data.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "<f8", "fortran_order": False, "shape": (10**13,)})
    with pytest.raises(matrix_files.MatrixError, match="expected 10000000000000 numbers of float64 as 'data.npy' of "
                       "'.*a.npz', as its header says, but got a file of 128 bytes"):
        matrix_files.load_matrix(tmp_path / "a.npz")


@pytest.mark.parametrize("matrix, message", [
    (sparse.csr_array(np.array([[1j, 0], [0, 2]])), "expected real numbers in '.*', but got complex128"),
    (sparse.coo_array(np.array([1.0, 2.0])), "expected a matrix of 2 dimensions in '.*', but got 1"),
    (sparse.csr_array((3, 4)), "expected stored elements in '.*', but got none in 3 x 4"),
    (sparse.csr_array((0, 4)), "expected stored elements in '.*', but got none in 0 x 4"),
    (sparse.csr_array(np.array([[1.0, np.inf]])), "expected finite numbers in '.*', but got an infinity or NaN"),
])
def test_bad_matrices(tmp_path, matrix, message):
    sparse.save_npz(tmp_path / "a.npz", matrix)
    with pytest.raises(matrix_files.MatrixError, match=message):
        matrix_files.load_matrix(tmp_path / "a.npz")


@pytest.mark.parametrize("indices, indptr", [([0, 7], [0, 1, 2]), ([0, -1], [0, 1, 2]), ([0, 1], [0, 5, 2])])
def test_malformed_indices(tmp_path, indices, indptr):
    np.savez(tmp_path / "a.npz", format=np.array("csr"), shape=np.array([2, 3]), data=np.ones(2),
             indices=np.array(indices), indptr=np.array(indptr))
    with pytest.raises(matrix_files.MatrixError, match="expected"):
        matrix_files.load_matrix(tmp_path / "a.npz")


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_loads_matrix_market(tmp_path, symmetry):
    matrix = random_matrix(24, 24)
    matrix = matrix + matrix.T if symmetry == "symmetric" else matrix
    scipy.io.mmwrite(tmp_path / "a.mtx", matrix, symmetry=symmetry)
    assert (tmp_path / "a.mtx").read_text().split()[4] == symmetry
    loaded = matrix_files.load_matrix(tmp_path / "a.mtx")
    assert (loaded.toarray() == matrix.toarray()).all()


def test_loads_matrix_market_patterns_and_integers(tmp_path):
    for field, entry in [("pattern", ""), ("integer", "1"), ("real", "1e0")]:
        (tmp_path / "A.MTX").write_text(f"%%MatrixMarket matrix coordinate {field} general\n% note\n2 3 1\n2 3 {entry}\n")
        assert matrix_files.load_matrix(tmp_path / "A.MTX").toarray().tolist() == [[0, 0, 0], [0, 0, 1]]


HEADER = "%%MatrixMarket matrix coordinate real general\n"
SYMMETRIC = "%%MatrixMarket matrix coordinate real symmetric\n"
SKEW = "%%MatrixMarket matrix coordinate real skew-symmetric\n"


def test_words_of_the_banner_have_any_case(tmp_path):
    text = "%%matrixmarket MATRIX Coordinate Real General\n\n% note\n2 2 1\n% note\n\n 2\t1  -1.5e0 \r\n"
    (tmp_path / "a.mtx").write_text(text)
    assert matrix_files.load_matrix(tmp_path / "a.mtx").toarray().tolist() == [[0, 0], [-1.5, 0]]


def test_symmetries(tmp_path):
    (tmp_path / "a.mtx").write_text(SYMMETRIC + "2 2 2\n1 1 5\n2 1 3\n")
    assert matrix_files.load_matrix(tmp_path / "a.mtx").toarray().tolist() == [[5, 3], [3, 0]]
    (tmp_path / "a.mtx").write_text(SKEW + "2 2 1\n2 1 3\n")
    assert matrix_files.load_matrix(tmp_path / "a.mtx").toarray().tolist() == [[0, -3], [3, 0]]


@pytest.mark.parametrize("text, message", [
    ("", "line 0: expected %%MatrixMarket matrix coordinate FIELD SYMMETRY"),
    ("1 1 1\n1 1 1\n", "line 1: expected %%MatrixMarket matrix"),
    ("%%MatrixMarket tensor coordinate real general\n1 1 1\n1 1 1\n", "line 1: expected %%MatrixMarket matrix"),
    ("%%MatrixMarket matrix coordinate quaternion general\n1 1 1\n", "line 1: expected real or double or .*, but got"),
    ("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n",
     "line 1: expected general or symmetric or skew-symmetric, but got 'hermitian'"),
    (HEADER + "2 2\n1 1 1\n", "line 2: expected rows, columns and entries"),
    (HEADER + "2 2 2\n1 1 1\n", "line 3: expected 2 entries, as the line of sizes says, but got 1"),
    (HEADER + "2 2 1\n1 1 1\n2 2 1\n", "line 4: expected 1 entries, as the line of sizes says, but got 2"),
    (HEADER + "2 2 1\n3 1 1\n", "line 3: expected a row from 1 to 2, but got 3"),
    (HEADER + "2 2 2\n1 1 1\n% note\n1 0 1\n", "line 5: expected a column from 1 to 2, but got 0"),
    (HEADER + "2 2 1\n1 1 x\n", "line 3: could not convert string 'x' to float64, column 3$"),
    (HEADER + "2 2 1\n1 1 1D5\n", "line 3: could not convert string '1D5' to float64"),
    (HEADER + "2 2 1\n1 1 2,75\n", "line 3: could not convert string '2,75' to float64"),
    (HEADER + "2 2 1\n1 1 1_0\n", "line 3: could not convert string '1_0' to float64"),
    (HEADER + "2 2 1\n1.0 1 1\n", "line 3: could not convert string '1.0' to int64"),
    (HEADER + "2 2 1\n1 1 1 1\n", "line 3: the dtype passed requires 3 columns but 4 were found$"),
    (HEADER + "2 2 2\n1 1 1\n2 2\n", "line 4: the dtype passed requires 3 columns but 2 were found$"),
    (HEADER.replace("real", "integer") + "2 2 1\n1 1 1.5\n", "line 3: could not convert string '1.5' to int64"),
    (HEADER.replace("real", "pattern") + "2 2 1\n1 1 1\n", "line 3: .* 2 columns but 3 were found$"),
    (HEADER + "2 2 99999999999999999999\n1 1 1\n", r"line 2: expected sizes of less than 2\^63"),
    (HEADER + "2 2 1000000000000\n1 1 1\n", "line 3: expected 1000000000000 entries"),
    (HEADER + "2 2 1\n" + "1 " * 5000, "line 3: expected at most 4096 bytes, but got more"),
    (SYMMETRIC + "2 3 1\n1 1 1\n", "line 2: expected as many rows as columns of a symmetric matrix, but got 2 and 3"),
    (SYMMETRIC + "2 2 2\n2 1 1\n1 2 1\n",
     "line 4: expected entries below the diagonal or on it of a symmetric matrix, but got row 1, column 2"),
    (SKEW + "2 2 1\n1 1 1\n",
     "line 3: expected entries below the diagonal of a skew-symmetric matrix, but got row 1, column 1"),
    ("%%MatrixMarket matrix array real symmetric\n1 1\n1\n",
     r"line 1: expected a sparse matrix \(coordinate\), but got a dense one \(array\)"),
    ("%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 0\n",
     "line 1: expected real numbers, but got complex ones"),
])
def test_bad_matrix_market(tmp_path, text, message):
    (tmp_path / "a.mtx").write_text(text)
    with pytest.raises(matrix_files.MatrixError, match=f"expected '.*/a.mtx' to be a Matrix Market file, but got: {message}"):
        matrix_files.load_matrix(tmp_path / "a.mtx")


@pytest.mark.parametrize("text, message", [
    (HEADER + "2 2 1\n1 1 nan\n", "expected finite numbers in '.*', but got an infinity or NaN"),
    (HEADER + "2 2 1\n1 1 1e400\n", "expected finite numbers in '.*', but got an infinity or NaN"),
    (HEADER + "2 2 0\n", "expected stored elements in '.*', but got none in 2 x 2"),
])
def test_numbers_that_cannot_be_used(tmp_path, text, message):
    (tmp_path / "a.mtx").write_text(text)
    with pytest.raises(matrix_files.MatrixError, match=message):
        matrix_files.load_matrix(tmp_path / "a.mtx")


@pytest.mark.parametrize("name", ["a.csv", "a.npz.gz", "a.gz", "a"])
def test_other_files_are_refused_by_name(tmp_path, name):
    (tmp_path / name).write_text("1")
    with pytest.raises(matrix_files.MatrixError,
                       match=rf"expected a SciPy file \(.npz\) or a Matrix Market file \(.mtx, .mtx.gz\), but got '.*/{name}'"):
        matrix_files.load_matrix(tmp_path / name)


def compressed(path, text):
    path.write_bytes(gzip.compress(text.encode()))
    return path


ONE_ENTRY = "%%MatrixMarket matrix coordinate real general\n4 3 1\n2 3 1.5\n"


@pytest.mark.parametrize("name", ["a.mtx.gz", "A.MTX.GZ"])
def test_loads_compressed_matrix_market(tmp_path, name):
    loaded = matrix_files.load_matrix(compressed(tmp_path / name, ONE_ENTRY))
    assert loaded.shape == (4, 3)
    assert loaded.toarray()[1, 2] == 1.5


@pytest.mark.parametrize("content, message", [
    (b"no gzip", "expected '.*a.mtx.gz' to be a file of gzip, but got: Not a gzipped file"),
    (gzip.compress(ONE_ENTRY.encode())[:-12], "expected '.*a.mtx.gz' to be a file of gzip, but got: "),
    (gzip.compress(b"nothing"), "expected '.*a.mtx.gz' to be a Matrix Market file, but got: "),
    (gzip.compress(ONE_ENTRY.replace("3 1\n", "3 99999999\n").encode()),
     "expected '.*a.mtx.gz' to be a Matrix Market file, but got: line 3: expected 99999999 entries"),
])
def test_bad_compressed_files(tmp_path, content, message):
    path = tmp_path / "a.mtx.gz"
    path.write_bytes(content)
    with pytest.raises(matrix_files.MatrixError, match=message):
        matrix_files.load_matrix(path)


def test_a_file_that_grows_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(matrix_files, "MAX_BYTES", 1 << 20)
    with pytest.raises(matrix_files.MatrixError, match="line .*: expected at most 0 GiB, but got more"):
        matrix_files.load_matrix(compressed(tmp_path / "a.mtx.gz", HEADER + "%\n" * (3 << 20)))


@pytest.mark.parametrize("block", [8, 16, 64])
def test_blocks_are_padded(block):
    matrix = random_matrix(70, 33)
    bsr = matrix_files.to_blocks(matrix, block)
    assert bsr.blocksize == (block, block)
    assert bsr.shape == (-(-70 // block) * block, -(-33 // block) * block)
    dense = bsr.toarray()
    assert (dense[:70, :33] == matrix.toarray()).all()
    assert np.count_nonzero(dense) == np.count_nonzero(matrix.toarray())


def test_duplicates_add_up():
    matrix = sparse.coo_array((np.array([1.0, 2.0]), ([3, 3], [1, 1])), shape=(8, 8))
    assert matrix_files.to_blocks(matrix, 8).toarray()[3, 1] == 3


def test_scattered_matrix_is_refused_before_memory_is_taken():
    size = 1 << 24
    places = np.arange(0, size, 1024)
    matrix = sparse.coo_array((np.ones(len(places)), (places, places[::-1])), shape=(size, size))
    assert matrix_files.to_blocks(matrix, 16).nnz == len(places) * 256
    with pytest.raises(matrix_files.MatrixError, match="expected blocks of at most 8 GiB, but got 32 GiB"):
        matrix_files.to_blocks(matrix, 512)


@pytest.mark.parametrize("largest, exponent", [(1.0, 0), (0.5, -1), (3.0, 2), (1e30, 100), (0.0, 0)])
def test_scaling_is_exact(largest, exponent):
    data = np.array([largest, -largest / 3])
    scaled, found = matrix_files.scale_to_one(data)
    assert found == exponent
    assert np.abs(scaled).max() <= 1
    assert (np.ldexp(scaled, found) == data).all()


def test_bf16_is_bit_exact(tmp_path):
    """Every bit pattern survives, NaNs included, and the file's type is what sparse-run reads."""
    array = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16).reshape(256, 256)
    matrix_files.save_array(tmp_path / "a.npy", array)
    raw = np.load(tmp_path / "a.npy")
    assert raw.dtype.str == "|V2"
    assert (raw.view(np.uint16) == np.arange(1 << 16).reshape(256, 256)).all()
    again = matrix_files.load_array(tmp_path / "a.npy")
    assert again.dtype == ml_dtypes.bfloat16
    assert (again.view(np.uint16) == array.view(np.uint16)).all()


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_operands(tmp_path, dtype):
    matrix = matrix_files.to_blocks(random_matrix(64, 48, density=0.02), 16)
    dense = np.random.default_rng(1).standard_normal((48, 5))
    paths = matrix_files.save_operands(tmp_path, matrix, dense, dtype)
    arrays = {name: matrix_files.load_array(path) for name, path in paths.items()}
    assert arrays["crow"].dtype == arrays["col"].dtype == np.int32
    assert (arrays["crow"] == matrix.indptr).all()
    assert (arrays["col"] == matrix.indices).all()
    for name, source in [("values", matrix.data), ("b", dense)]:
        expected = source.astype(matrix_files.DTYPES[dtype])
        assert arrays[name].dtype == expected.dtype
        assert arrays[name].shape == expected.shape
        assert arrays[name].tobytes() == expected.tobytes()
