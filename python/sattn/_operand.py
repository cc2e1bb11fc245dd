"""The sparse operand: a BSR matrix of PyTorch or SciPy, or (crow, col, values)."""

import math

import numpy as np

from . import _arrays, _repeats


class Operand:
    """Index arrays and values of a BSR matrix, where they lie. shape is None where only the arrays are known."""

    prepared = None

    def __init__(self, crow, col, values, shape=None):
        self.crow, self.col, self.values, self.shape = crow, col, values, shape
        self.arrays = _arrays.arrays_of("bsr", values)
        for name, array in (("crow", crow), ("col", col)):
            _arrays.require_same(name, array, self.arrays, "values")
        if values.ndim < 3:
            raise ValueError(f"argument 'values': expected shape (*, nnz, BM, BK), but got {tuple(values.shape)}")
        if crow.ndim != values.ndim - 2 or crow.shape[-1] < 1:
            raise ValueError(f"argument 'crow': expected shape (*, M / BM + 1) of rank {values.ndim - 2}, but got "
                             f"{tuple(crow.shape)}")
        if col.ndim != crow.ndim:
            raise ValueError(f"argument 'col': expected shape (*, nnz) of rank {crow.ndim}, but got {tuple(col.shape)}")
        self.block = tuple(values.shape[-2:])
        if any(size % 8 or not 0 < size <= 128 for size in self.block):
            raise NotImplementedError("argument 'bsr': expected blocks of multiples of 8 up to 128, but got "
                                      f"{self.block[0]} x {self.block[1]}")
        # What a call's kernel depends on.
        self.signature = (tuple(crow.shape), crow.dtype, tuple(values.shape), values.dtype, self.shape)

    @property
    def rows(self):
        return (self.crow.shape[-1] - 1) * self.block[0]


def operand_of(bsr):
    """An Operand. Raises TypeError for what is no BSR matrix."""
    if isinstance(bsr, Operand):
        return bsr
    if isinstance(bsr, tuple) and len(bsr) == 3:
        return Operand(*bsr)
    if _arrays.is_torch(bsr):
        if str(bsr.layout) != "torch.sparse_bsr":
            raise TypeError(f"argument 'bsr': expected layout torch.sparse_bsr, but got {bsr.layout}")
        return Operand(bsr.crow_indices(), bsr.col_indices(), bsr.values(), tuple(bsr.shape[-2:]))
    form = getattr(bsr, "format", None)  # Of SciPy's; a method of others.
    if isinstance(form, str) and form == "bsr":
        return Operand(bsr.indptr, bsr.indices, bsr.data, tuple(bsr.shape))
    raise TypeError("argument 'bsr': expected a torch.sparse_bsr tensor, a SciPy BSR array or (crow, col, values), but "
                    f"got {form if isinstance(form, str) else type(bsr).__name__}")


def check_indices(crow, col, columns):
    """Raises ValueError where offsets do not ascend within [0, nnz], or a column that a row refers to is outside
    [0, columns); columns may be None. Returns one more than the largest column."""
    nnz = col.shape[-1]
    try:
        batch = np.broadcast_shapes(crow.shape[:-1], col.shape[:-1])
    except ValueError:
        raise ValueError(f"argument 'col': expected batch dimensions that broadcast with those of crow, "
                         f"{tuple(crow.shape[:-1])}, but got {tuple(col.shape[:-1])}") from None
    crow, col = (np.broadcast_to(array, batch + array.shape[-1:]).reshape(math.prod(batch), array.shape[-1])
                 for array in (crow, col))
    if (np.diff(crow, axis=1) < 0).any() or (crow[:, 0] < 0).any() or (crow[:, -1] > nnz).any():
        raise ValueError(f"argument 'crow': expected offsets that ascend within [0, {nnz}], but got others")
    largest = 0
    for offsets, places in zip(crow, col):
        used = places[offsets[0]:offsets[-1]]
        if used.size and (used.min() < 0 or columns is not None and used.max() >= columns):
            wrong = used.min() if used.min() < 0 else used.max()
            raise ValueError(f"argument 'col': expected block columns in [0, {columns or 'K / BK'}), but got {wrong}")
        largest = max(largest, int(used.max()) + 1 if used.size else 0)
    return largest


class Prepared(Operand):
    """A sparse operand for many calls: a snapshot of its indices, whose contents were checked.

    Values are used where they lie, so changes of them show. Give it to bsr_dense_addmm in the place of the matrix.
    """

    def __init__(self, bsr):
        operand = operand_of(bsr)
        index = _arrays.require_element("crow", operand.crow, operand.arrays, ("i32", "i64"))
        _arrays.require_element("col", operand.col, operand.arrays, (index,))
        columns = operand.shape and operand.shape[1] // operand.block[1]
        copy, host = operand.arrays.copy, operand.arrays.host
        super().__init__(copy(operand.crow), copy(operand.col), operand.values, operand.shape)
        # Of the copies, which is also to wait for them: products may be on any stream.
        largest = check_indices(host(self.crow), host(self.col), columns)
        #: Block columns that the matrix has at least.
        self.columns = columns or largest
        # Calls with fewer columns of another matrix do not tell that dense has enough rows for this one.
        self.signature += self.columns,
        self.prepared = {}
        self.repeats = _repeats.Repeats()
        self._rows = super().rows

    @property
    def rows(self):
        return self._rows

    def update(self, values):
        """Takes other values for the same blocks. Raises ValueError for another shape, type or device."""
        _arrays.require_same("values", values, self.arrays, "those prepared")
        if values.shape != self.values.shape or values.dtype != self.values.dtype:
            raise ValueError(f"argument 'values': expected shape {tuple(self.values.shape)} and type "
                             f"{self.values.dtype}, as prepared, but got {tuple(values.shape)} and {values.dtype}")
        self.values = values


def prepare(bsr):
    """A snapshot of a BSR matrix's indices for many products, with their contents checked.

    bsr: as of bsr_dense_addmm. On CUDA it synchronizes, and so does the first product of each kind, which makes what
    kernels need of the indices: that one must be outside the capture of a graph (RuntimeError). Products may be on
    any stream, from the first on.

    Raises TypeError for what is no BSR matrix, ValueError for arrays that are none.
    """
    return Prepared(bsr)
