"""Sparse matrices of SciPy's .npz and of Matrix Market, and the .npy files of sparse-run."""

import gzip
import tempfile
import zipfile
import zlib
from pathlib import Path

import ml_dtypes
import numpy as np
import scipy.io
import scipy.sparse as sparse

# Names of element types as in MLIR.
DTYPES = {"f32": np.dtype(np.float32), "f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}

# What the stored blocks may take, and what the dense operands may, in bytes of float64.
MAX_BYTES = 8 << 30


class MatrixError(Exception):
    """A matrix that cannot be used; the message says what was expected and what came."""


def read_npz(path):
    try:
        with open(path, "rb") as stream:
            return sparse.load_npz(stream)
    except (ValueError, KeyError, TypeError, AttributeError, OSError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise MatrixError(f"expected '{path}' to be a file of scipy.sparse.save_npz, but got: {error}") from None


def read_matrix_market(path):
    """Symmetric forms come whole, and patterns as ones. Dense and complex files are refused."""
    try:
        # By its path: given a stream, SciPy's reader aborts the process.
        *_, entries, form, field, _ = scipy.io.mminfo(path)
        if form != "coordinate":
            raise MatrixError(f"expected a sparse matrix (coordinate) in '{path}', but got a dense one ({form})")
        if field == "complex":
            raise MatrixError(f"expected real numbers in '{path}', but got {field}")
        # The reader takes memory for as many as the header says. "1 1" is the shortest entry.
        size = path.stat().st_size
        if entries > size // len("1 1"):
            raise MatrixError(f"expected {entries} entries in '{path}', as its header says, but got a file of {size} "
                              "bytes")
        return scipy.io.mmread(path, spmatrix=False)
    except (ValueError, OverflowError, EOFError) as error:
        raise MatrixError(f"expected '{path}' to be a Matrix Market file, but got: {error}") from None


def read_compressed_matrix_market(path):
    """As read_matrix_market, by way of a temporary file: the size that its header is checked against is that one's."""
    with tempfile.NamedTemporaryFile(suffix=".mtx") as whole:
        size = 0
        try:
            with gzip.open(path, "rb") as stream:
                while part := stream.read(1 << 20):
                    size += len(part)
                    if size > MAX_BYTES:
                        raise MatrixError(f"expected at most {MAX_BYTES >> 30} GiB in '{path}', but got more")
                    whole.write(part)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise MatrixError(f"expected '{path}' to be a file of gzip, but got: {error}") from None
        whole.flush()
        try:
            return read_matrix_market(Path(whole.name))
        except MatrixError as error:
            raise MatrixError(str(error).replace(whole.name, str(path))) from None


# By how a name ends.
READERS = {".npz": read_npz, ".mtx": read_matrix_market, ".mtx.gz": read_compressed_matrix_market}


def load_matrix(path):
    """The real, non-empty two-dimensional sparse matrix of a .npz, .mtx or .mtx.gz file, as a coo_array of float64."""
    path = Path(path)
    reader = next((reader for end, reader in READERS.items() if path.name.lower().endswith(end)), None)
    if reader is None:
        raise MatrixError("expected a SciPy file (.npz) or a Matrix Market file (.mtx, .mtx.gz), but got "
                          f"'{path}'")
    try:
        matrix = reader(path)
    except FileNotFoundError:
        raise MatrixError(f"no matrix '{path}'") from None
    if matrix.ndim != 2:
        raise MatrixError(f"expected a matrix of 2 dimensions in '{path}', but got {matrix.ndim}")
    if matrix.dtype.kind not in "fiub":
        raise MatrixError(f"expected real numbers in '{path}', but got {matrix.dtype}")
    try:
        # Conversions trust the indices, so they are checked first.
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
        matrix = sparse.coo_array(matrix)
    except (ValueError, IndexError) as error:
        raise MatrixError(f"expected consistent indices in '{path}', but got: {error}") from None
    if 0 in matrix.shape or matrix.nnz == 0:
        rows, columns = matrix.shape
        raise MatrixError(f"expected stored elements in '{path}', but got none in {rows} x {columns}")
    for index, size in zip(matrix.coords, matrix.shape):
        if index.min() < 0 or index.max() >= size:
            raise MatrixError(f"expected indices from 0 to {size - 1} in '{path}', "
                              f"but got {index.min()} to {index.max()}")
    matrix.data = matrix.data.astype(np.float64)
    if not np.isfinite(matrix.data).all():
        raise MatrixError(f"expected finite numbers in '{path}', but got an infinity or NaN")
    return matrix


def stored_blocks(matrix, block):
    """How many blocks of block x block a sparse matrix touches."""
    places = matrix.coords[0].astype(np.int64) // block * -(-matrix.shape[1] // block) + matrix.coords[1] // block
    return len(np.unique(places))


def padded(shape, block):
    """A shape's extents, each up to the next multiple of the block."""
    return tuple(-(-extent // block) * block for extent in shape)


def to_blocks(matrix, block):
    """A sparse matrix as a bsr_array of block x block, both extents padded to whole blocks.

    A block that holds only zeros explicitly stored stays stored.
    """
    matrix = sparse.coo_array(matrix)
    size = stored_blocks(matrix, block) * block * block * 8
    if size > MAX_BYTES:
        raise MatrixError(f"expected blocks of at most {MAX_BYTES >> 30} GiB, but got {size >> 30} GiB in "
                          f"blocks of {block} x {block}: choose smaller ones, reorder the matrix so that "
                          "elements lie together (scipy.sparse.csgraph.reverse_cuthill_mckee), or use CSR")
    whole = sparse.coo_array((matrix.data, matrix.coords), shape=padded(matrix.shape, block))
    bsr = whole.tobsr(blocksize=(block, block))
    bsr.sort_indices()
    return bsr


def scale_to_one(data):
    """Data divided by a power of two, which rounds nothing, so that none exceeds 1; and that power."""
    largest = np.abs(data).max(initial=0.0)
    exponent = int(np.ceil(np.log2(largest))) if largest > 0 else 0
    return np.ldexp(data, -exponent), exponent


def save_array(path, array):
    """Writes a .npy file; bfloat16, which the format does not know, as two-byte void."""
    array = np.ascontiguousarray(array)
    np.save(path, array.view("V2") if array.dtype == DTYPES["bf16"] else array)


def load_array(path):
    """Reads a .npy file of `save_array` or of sparse-run; two-byte void is bfloat16."""
    array = np.load(path)
    return array.view(DTYPES["bf16"]) if array.dtype == np.dtype("V2") else array


def save_operands(folder, matrix, dense, dtype):
    """Writes crow, col, values and b of A @ b as .npy files of element type `dtype`; their paths.

    matrix: a bsr_array; dense: (K, N).
    """
    arrays = {
        "crow": matrix.indptr.astype(np.int32),
        "col": matrix.indices.astype(np.int32),
        "values": matrix.data.astype(DTYPES[dtype]),
        "b": dense.astype(DTYPES[dtype]),
    }
    paths = {}
    for name, array in arrays.items():
        paths[name] = folder / f"{name}.npy"
        save_array(paths[name], array)
    return paths
