"""Conversions to BSR and from it: to_bsr, bsr_to_dense, bsr_transpose."""

import math

import numpy as np

from . import adapters, fill, lazy_torch as torch, matrices, patterns, sparse_operand, storage


def _of_dense_array(matrix, block):
    """(crow, col, values) of an array of NumPy."""
    *batch, m, k = matrix.shape
    blocks = matrix.reshape(*batch, m // block[0], block[0], k // block[1], block[1]).swapaxes(-3, -2)
    is_stored = (blocks != 0).any(axis=(-2, -1))
    counts = is_stored.sum(axis=(-2, -1))
    if counts.size and (counts != counts.flat[0]).any():
        raise ValueError("argument 'matrix': expected batches with equally many blocks that are not zero, but got "
                         f"{counts.min()} to {counts.max()}")
    stored = int(counts.flat[0]) if counts.size else 0
    index = matrices.index_type(stored, *is_stored.shape[-2:])
    crow = np.zeros((*batch, is_stored.shape[-2] + 1), index)
    np.cumsum(is_stored.sum(axis=-1), axis=-1, out=crow[..., 1:])
    col = np.nonzero(is_stored)[-1].reshape(*batch, stored).astype(index)
    return crow, col, blocks[is_stored].reshape(*batch, stored, *block)


def _of_dense_tensor(matrix, block):
    if any(size == 0 for size in matrix.shape[:-2]):
        raise ValueError("argument 'matrix': expected at least one batch, as PyTorch's sparse tensors have, but got "
                         f"shape {tuple(matrix.shape)}")
    try:
        return matrix.to_sparse_bsr(block)
    except RuntimeError as error:
        if "same number" not in str(error):
            raise
        raise ValueError("argument 'matrix': expected batches with equally many blocks that are not zero, but PyTorch "
                         f"says: {error}") from None


def _of_sparse_tensor(matrix, block):
    """As PyTorch's to_sparse_bsr, but on the device of the matrix: PyTorch's copies CSR to the host."""
    rows, columns, elements = matrices.elements_of(matrix)
    across = matrix.shape[1] // block[1]
    places, where = torch.unique(rows // block[0] * across + columns // block[1], return_inverse=True)
    values = elements.new_zeros((len(places), *block))
    # Bits cannot be added; of repeated places any stands for all then.
    values.index_put_((where, rows % block[0], columns % block[1]), elements, accumulate=elements.dtype != torch.bool)
    ends = torch.arange(matrix.shape[0] // block[0] + 1, device=values.device) * across
    return matrices.tensor_of(torch.searchsorted(places, ends), places % max(across, 1), values, tuple(matrix.shape))


def to_bsr(matrix, block=None):
    """A matrix in blocks of BM x BK; blocks of zeros are not stored.

    matrix: M x K in whole blocks: (*, M, K) of NumPy or PyTorch, whose batches have equally many blocks that are not
    zero; a matrix of SciPy in any format; one of PyTorch of layout sparse_coo, sparse_csr, sparse_csc, sparse_bsr or
    sparse_bsc. Of any element type that its library takes. An element that a sparse matrix stores has its block
    stored, even if it is zero; but of blocks that become others, only what is not zero counts. Elements of the same
    place add up. block: a size, or (BM, BK), any; None: those of 8, 16, 32, 64 and 128 that divide M and K, the one
    that `block_fill` finds cheapest.

    Returns (crow, col, values) of an array of NumPy, a bsr_array or bsr_matrix of one of SciPy, a torch.sparse_bsr
    tensor of one of PyTorch, on the same device; block columns ascend in each block row. On CUDA the host waits only
    for the number of blocks. Raises TypeError for what is no matrix, ValueError for shapes that do not fit, among them
    M and K that are no multiples of the block's.
    """
    if matrices.is_scipy(matrix):
        block = fill.block_for(matrix) if block is None else matrices.block_of(block)
        matrices.require_whole_blocks(matrix.shape, block)
        if matrix.format == "bsr" and matrix.blocksize != block:
            matrix = matrix.tocsr()
            matrix.eliminate_zeros()
        bsr = matrix.tobsr(blocksize=block)
        if not bsr.has_sorted_indices:
            bsr = bsr.sorted_indices()
        return bsr
    if adapters.is_torch(matrix) and str(matrix.layout) != "torch.strided":
        block = fill.block_for(matrix) if block is None else matrices.block_of(block)
        matrices.require_whole_blocks(matrix.shape, block)
        if str(matrix.layout) == "torch.sparse_bsr" and tuple(matrix.values().shape[-2:]) == block:
            return matrix
        return _of_sparse_tensor(matrix, block)
    arrays = adapters.arrays_of("matrix", matrix)
    block = fill.block_for(matrix) if block is None else matrices.block_of(block)
    matrices.require_whole_blocks(matrix.shape, block)
    return (_of_dense_array if arrays is adapters.NUMPY else _of_dense_tensor)(matrix, block)


class _Parts:
    """Arrays of a BSR matrix with one batch dimension each, of any element type and size of blocks."""

    def __init__(self, bsr, columns, check):
        is_operand = isinstance(bsr, sparse_operand.Operand)
        parts = (bsr.crow, bsr.col, bsr.values, bsr.shape) if is_operand else sparse_operand.parts_of(bsr)
        crow, col, values, shape = parts
        self.arrays = arrays = adapters.arrays_of("bsr", values)
        for name, array in (("crow", crow), ("col", col)):
            adapters.require_same(name, array, arrays, "values")
            adapters.require_element(name, array, arrays, ("i32", "i64"))
        crow, col, values = storage.with_equal_ranks(crow, col, values)
        self.batch = storage.batch_of(crow, col, values)
        self.block = tuple(values.shape[-2:])
        if min(self.block) < 1:
            raise ValueError(f"argument 'bsr': expected blocks of positive sizes, but got {self.block[0]} x "
                             f"{self.block[1]}")
        if col.shape[-1] != values.shape[-3]:
            raise ValueError(f"argument 'col': expected an index for each of the {values.shape[-3]} stored blocks, but "
                             f"got {col.shape[-1]}")
        self.down = crow.shape[-1] - 1
        self.across = self._across(shape, columns, crow, values)
        #: (*, M, K)
        self.shape = (*self.batch, self.down * self.block[0], self.across * self.block[1])
        count = math.prod(self.batch)
        self.crow, self.col, self.values = (
            arrays.expand(array, (*self.batch, *array.shape[len(self.batch):]))
            .reshape(count, *array.shape[len(self.batch):]) for array in (crow, col, values))
        if (arrays.device is None or arrays.device.type == "cpu") if check is None else check:
            self._check()

    def _across(self, shape, columns, crow, values):
        """Block columns."""
        own = None if shape is None else shape[-1]
        if shape is not None and own is not None:
            storage.require_own_shape(shape, self.batch, crow, values)
        if columns is None and own is None:
            raise ValueError("argument 'columns': expected the number of columns, which (crow, col, values) do not "
                             "say, but got None")
        if columns is not None and (isinstance(columns, bool) or not isinstance(columns, (int, np.integer))
                                    or columns < 0 or columns % self.block[1] or own not in (None, columns)):
            raise ValueError("argument 'columns': expected "
                             + (f"{own}, the matrix's own" if own is not None else
                                f"a multiple of the {self.block[1]} columns of a block") + f", but got {columns!r}")
        return int(own if columns is None else columns) // self.block[1]

    def _check(self):
        """Raises ValueError for offsets and columns that are none. Waits for arrays on a CUDA device."""
        crow, col = (np.asarray(self.arrays.host(array)) for array in (self.crow, self.col))
        steps = np.diff(crow, axis=-1)
        if (steps < 0).any() or crow.size and (crow[:, 0].min() < 0 or crow[:, -1].max() > col.shape[-1]):
            descends = " that descend" if (steps < 0).any() else ""
            raise ValueError(f"argument 'crow': expected ascending offsets from 0 to {col.shape[-1]}, the stored "
                             f"blocks, but got {crow.min()} to {crow.max()}{descends}")
        places = np.arange(col.shape[-1])
        used = col[(places >= crow[:, :1]) & (places < crow[:, -1:])]
        if used.size and (used.min() < 0 or used.max() >= self.across):
            raise ValueError(f"argument 'col': expected block columns from 0 to {self.across - 1}, but got "
                             f"{used.min()} to {used.max()}")


def bsr_to_dense(bsr, columns=None, *, check=None):
    """The dense matrix (*, M, K), with zeros where no block is stored.

    bsr: a torch.sparse_bsr tensor, a SciPy BSR array, (crow, col, values), or what `prepare` gives; blocks of any size,
    values of any type. Blocks in the same place add up. columns: K, where the matrix does not say it. check: whether
    contents of index arrays are checked; by default on the CPU. On CUDA that synchronizes; unchecked, blocks outside of
    the matrix are left out.

    Returns a new array of the values' library, type and device. Raises TypeError or ValueError for arguments that do
    not fit.
    """
    parts = _Parts(bsr, columns, check)
    arrays, (count, stored) = parts.arrays, parts.col.shape
    rows, is_inside = patterns.rows_of(arrays, parts.crow, parts.col, parts.across)
    total = count * parts.down * parts.across
    # Elements outside go into a block of their own after the last.
    first = arrays.arange(count, parts.col)[:, None] * parts.down
    where = arrays.where(is_inside, (first + rows) * parts.across + parts.col, total).reshape(-1)
    blocks = arrays.zeros((total + 1, *parts.block), parts.values)
    arrays.add_at(blocks, where, parts.values.reshape(count * stored, *parts.block))
    grid = blocks[:total].reshape(*parts.batch, parts.down, parts.across, *parts.block)
    return grid.swapaxes(-3, -2).reshape(parts.shape)


def bsr_transpose(bsr, columns=None, *, check=None):
    """The transpose, (*, K, M), in blocks of BK x BM; its block columns ascend in each block row.

    bsr, columns, check: as of bsr_to_dense. Blocks in the same place stay apart, in their order.

    Returns a matrix of the kind that was given, with memory of its own, on its device, without waiting for it (but for
    a prepared one, whose contents are checked). Raises TypeError or ValueError for arguments that do not fit.
    """
    if matrices.is_scipy(bsr) and bsr.format == "bsr":
        _Parts(bsr, columns, check)
        return bsr.transpose(copy=True).sorted_indices()
    parts = _Parts(bsr, columns, check)
    arrays, (count, stored) = parts.arrays, parts.col.shape
    crow, col, order = patterns.transposed(arrays, parts.crow, parts.col, parts.across)
    first, batch = arrays.arange(count, order)[:, None], parts.batch
    result = (crow.reshape(*batch, parts.across + 1), col.reshape(*batch, stored),
              arrays.contiguous(parts.values[first, order].swapaxes(-1, -2)).reshape(*batch, stored,
                                                                                        *parts.block[::-1]))
    shape = (*batch, *parts.shape[:-3:-1])
    if isinstance(bsr, sparse_operand.Operand):
        return sparse_operand.Prepared(sparse_operand.Operand(*result, shape))
    return matrices.tensor_of(*result, shape) if adapters.is_torch(bsr) else result
