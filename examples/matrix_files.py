"""Sparse matrices of SciPy's .npz and of Matrix Market, and the .npy files of sparse-run."""

import gzip
import math
import zipfile
import zlib
from pathlib import Path

import ml_dtypes
import numpy as np
import scipy.sparse as sparse

import matrix_market

# Names of element types as in MLIR.
DTYPES = {"f32": np.dtype(np.float32), "f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}

# The most bytes of float64 for the stored blocks, and for the dense operands.
MAX_BYTES = 8 << 30


class MatrixError(Exception):
    """A matrix that cannot be used; the message says what was expected and what came."""


def check_archive(stream, path):
    """Refuses arrays of an archive that are larger than what the archive holds of them, since NumPy takes memory for
    as many numbers as their headers say."""
    with zipfile.ZipFile(stream) as archive:
        held = sum(member.file_size for member in archive.infolist())
        if held > MAX_BYTES:
            raise MatrixError(f"expected at most {MAX_BYTES >> 30} GiB in '{path}', but got {held >> 30} GiB")
        for member in archive.infolist():
            with archive.open(member) as array:
                version = np.lib.format.read_magic(array)
                read_header = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}
                shape, _, dtype = read_header[version[0]](array)
            if math.prod(shape) * dtype.itemsize > member.file_size:
                raise MatrixError(f"expected {'x'.join(map(str, shape))} numbers of {dtype} as '{member.filename}' of "
                                  f"'{path}', as its header says, but got a file of {member.file_size} bytes")


def read_npz(path):
    try:
        with open(path, "rb") as stream:
            check_archive(stream, path)
            stream.seek(0)
            matrix = sparse.load_npz(stream)
            # Conversions trust the indices.
            if matrix.format in ("csr", "csc", "bsr"):
                matrix.check_format(full_check=True)
            return sparse.coo_array(matrix)
    except (FileNotFoundError, MatrixError):
        raise
    except Exception as error:  # As many kinds as there are ways to damage an archive.
        raise MatrixError(f"expected '{path}' to be a file of scipy.sparse.save_npz, but got: "
                          f"{error or type(error).__name__}") from None


def read_matrix_market(path, open_file=open):
    try:
        with open_file(path, "rb") as stream:
            return matrix_market.read(stream, MAX_BYTES)
    except ValueError as error:
        raise MatrixError(f"expected '{path}' to be a Matrix Market file, but got: {error}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise MatrixError(f"expected '{path}' to be a file of gzip, but got: {error}") from None


def read_compressed_matrix_market(path):
    return read_matrix_market(path, gzip.open)


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
