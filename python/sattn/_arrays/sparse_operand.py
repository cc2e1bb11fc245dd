"""The sparse operand: a BSR matrix of PyTorch or SciPy, or (crow, col, values)."""

import copy
import weakref

from . import adapters, dtypes, storage


class Operand:
    """Index arrays and values of a BSR matrix, where they lie, with as many batch dimensions each.

    shape is (*, M, K), or None where only the arrays are known.
    """

    prepared = None
    # Stored blocks of the block row that has most of them, where it is known.
    longest = None
    #: Which of `values`, each transposed in memory, every block is; None: values are the blocks.
    order = None
    # Whether every stored block is known to belong to a block row.
    is_whole = False

    def __init__(self, crow, col, values, shape=None, name="bsr", multiple=8, elements=dtypes.FACTORS, order=None):
        self.arrays = adapters.arrays_of(name, values)
        for part, array in (("crow", crow), ("col", col)):
            adapters.require_same(part, array, self.arrays, "values")
        # Names of the values' and of the indices' element types.
        self.element, self.index = storage.require_types(self.arrays, crow, col, values, name, elements)
        self.crow, self.col, self.values = crow, col, values = storage.with_equal_ranks(crow, col, values)
        #: Batch dimensions of the three, broadcast.
        self.batch = storage.batch_of(crow, col, values)
        if shape is not None:
            blocks = values if order is None else values.swapaxes(-1, -2)
            storage.require_own_shape(shape, self.batch, crow, blocks, name)
        self.shape = shape
        self.block = tuple(values.shape[-2:])
        if order is not None:
            self.order, self.block = order.reshape(col.shape), self.block[::-1]
        if any(size % multiple or size <= 0 for size in self.block):
            sizes = f"positive multiples of {multiple}" if multiple > 1 else "a positive size"
            raise NotImplementedError(f"argument '{name}': expected blocks of {sizes}, but got "
                                      f"{self.block[0]} x {self.block[1]}")
        self.signature = self._facts()

    def _facts(self):
        """The facts that a call's kernel depends on."""
        return (*(tuple(array.shape) for array in (self.crow, self.col, self.values)), self.crow.dtype,
                self.values.dtype, self.shape, self.order is not None)

    @property
    def rows(self):
        return (self.crow.shape[-1] - 1) * self.block[0]


def parts_of(bsr, name="bsr"):
    """(crow, col, values, own shape or None) of a BSR matrix, as they are. Raises TypeError for anything else; name is
    the argument's."""
    if isinstance(bsr, tuple) and len(bsr) == 3:
        return *bsr, None
    if adapters.is_torch(bsr):
        if str(bsr.layout) != "torch.sparse_bsr":
            raise TypeError(f"argument '{name}': expected layout torch.sparse_bsr, but got {bsr.layout}; use "
                            ".to_sparse_bsr((BM, BK))")
        try:
            arrays = bsr.crow_indices(), bsr.col_indices(), bsr.values()
        except RuntimeError as error:
            raise TypeError(f"argument '{name}': expected a tensor that gives its arrays, but PyTorch says: "
                            f"{error}") from None
        return *arrays, tuple(bsr.shape)
    form = getattr(bsr, "format", None)  # A string of SciPy's arrays; a method of others.
    if isinstance(form, str) and form == "bsr":
        return bsr.indptr, bsr.indices, bsr.data, tuple(bsr.shape)
    if hasattr(bsr, "tobsr"):
        got = f"{form if isinstance(form, str) else type(bsr).__name__}; use .tobsr(blocksize=(BM, BK))"
    elif isinstance(bsr, tuple):
        got = f"a tuple of {len(bsr)} members"
    else:
        got = type(bsr).__name__
        if isinstance(getattr(bsr, "operand", None), Operand):  # The operand of a sattn.nn.Bsr.
            got += "; use its .operand"
    raise TypeError(f"argument '{name}': expected a torch.sparse_bsr tensor, a SciPy BSR array or (crow, col, values), "
                    f"but got {got}")


def values_of(bsr):
    """The tensor by which torch.autograd knows a matrix: its values, or a sparse tensor; None where there is none."""
    if isinstance(bsr, Operand):
        return bsr.values
    found = bsr[2] if isinstance(bsr, tuple) and len(bsr) == 3 else bsr
    return found if adapters.is_torch(found) else None


def without_module(bsr):
    """The matrix of a sattn.nn.Bsr; any other matrix as it is."""
    own = type(bsr)
    if own is Prepared or own is tuple or adapters.is_torch(bsr):
        return bsr
    matrix = getattr(bsr, "matrix", None)
    return matrix() if callable(matrix) else bsr


def operand_of(bsr, name="bsr", multiple=8):
    """An Operand, of blocks whose sizes are multiples of a number. Raises TypeError for anything but a BSR matrix; name
    is the argument's."""
    if not isinstance(bsr, Operand):
        return Operand(*parts_of(bsr, name), name, multiple)
    if type(bsr) is Prepared:
        bsr.require_unwritten(name)
    return bsr


# Operands of PyTorch's tensors, by the memory of their indices, which no other tensor shares.
_by_memory = weakref.WeakValueDictionary()


def _memory_of(crow, col):
    return crow.device, crow.data_ptr(), col.data_ptr(), tuple(crow.shape), tuple(col.shape)


def known_of(crow, col):
    """The Prepared whose indices these tensors are, with any values, or None."""
    found = _by_memory.get(_memory_of(crow, col))
    return None if found is None or found.is_written() else found


def prepared_of(crow, col, values):
    """The Prepared whose indices these tensors are, with these values, or None."""
    found = known_of(crow, col)
    if found is None:
        return None
    if found.values is values:
        return found
    return found.with_values(values) if found.values.shape == values.shape else None


class Prepared(Operand):
    """A sparse operand for many calls: a snapshot of its indices, whose contents were checked.

    Values are used where they lie, so changes of them show. Give it to bsr_dense_addmm in the place of the matrix, or
    write `operand @ dense`. Its memory, and what was prepared on the device, go with the last reference.

    `copy.copy` shares all but later updates; `copy.deepcopy`, and `pickle` in any process, have memory of their own
    and check the indices again; of tensors of PyTorch they keep the device, as those do. `sattn.nn.Bsr` is one as a
    torch.nn.Module.
    """

    #: bsr_dense_addmm of this operand and a matrix (_ops/bsr_addmm.py).
    _product = None
    # NumPy's arrays leave `array @ operand` to Python, which refuses it.
    __array_ufunc__ = None

    def __init__(self, bsr):
        operand = operand_of(bsr)
        k = operand.shape and operand.shape[-1]
        columns = None if k is None else k // operand.block[1]
        copied = operand.arrays.snapshot
        super().__init__(copied(operand.crow), copied(operand.col), adapters.without_base(operand.values),
                         None if k is None else operand.shape, order=operand.order)
        self._versions = operand.arrays.versions((self._crow, self._col))
        # The check reads the copies, and so waits for them: products may be on any stream.
        largest, longest, self.is_whole = storage.check_contents(self, columns)
        #: Block columns that the matrix has at least.
        self.columns = columns or largest
        # Calls with fewer columns of another matrix do not tell that dense has enough rows for this one.
        # In eighths of a power of two, so that operands that differ little share kernels.
        step = 1 << max(longest.bit_length() - 3, 0)
        self.longest = -(-longest // step) * step
        self.signature += self.columns, self.longest
        self.prepared = {}
        #: Guarded calls of products (_call/guard.py).
        self.guarded_calls = {}
        #: Data for products with the transpose (transposition.py), by its block rows.
        self.transposes = {}
        #: Patterns of transposes, by their block rows.
        self.patterns = {}
        #: The matrix of PyTorch whose gradient values have, where it is a sparse tensor.
        self.leaf = bsr if adapters.is_torch(bsr) and bsr.requires_grad else None
        self._rows = super().rows
        if self.arrays is not adapters.NUMPY:
            _by_memory[_memory_of(self.crow, self.col)] = self
        #: (*, M, K). K is None where only arrays were given: dense says how many columns there are.
        self.shape = (*self.batch, self._rows, k)

    # Products trust the indices: they are neither bound anew nor, unnoticed, written.
    crow = property(lambda self: self._crow, lambda self, array: self._set_once("_crow", array),
                    doc="Offsets of block rows, as they were prepared.")
    col = property(lambda self: self._col, lambda self, array: self._set_once("_col", array),
                   doc="Columns of blocks, as they were prepared.")

    def _set_once(self, name, array):
        if name in self.__dict__:
            raise TypeError(f"'{name[1:]}' of a prepared operand cannot be replaced; prepare another matrix")
        self.__dict__[name] = array

    def is_written(self):
        """Whether an index array was written since it was prepared, as far as PyTorch counts that."""
        versions = self._versions
        return versions is not None and (self._crow._version, self._col._version) != versions

    def require_unwritten(self, name="bsr"):
        """Raises ValueError where an index array was written since it was prepared; name is the argument's."""
        if self.is_written():
            raise ValueError(f"argument '{name}': expected index arrays as they were prepared, but got ones that were "
                             "written since; prepare the matrix again")

    @property
    def rows(self):
        return self._rows

    @property
    def ndim(self):
        """Dimensions of the matrix, with those of batches."""
        return len(self.shape)

    @property
    def nnz(self):
        """Stored blocks of one matrix."""
        return self.col.shape[-1]

    @property
    def dtype(self):
        """The values' element type, of their library."""
        return self.values.dtype

    @property
    def device(self):
        """The device of the arrays: a torch.device, or "cpu" for NumPy's."""
        return self.arrays.device or "cpu"

    def __repr__(self):
        return (f"sattn.Prepared(shape={self.shape}, block={self.block}, nnz={self.nnz}, dtype={self.dtype}, "
                f"device={str(self.device)!r})")

    def __matmul__(self, dense):
        if getattr(dense, "ndim", None) == 1:  # A vector, of which the product is one, too.
            return self._product(dense[:, None])[..., 0]
        return self._product(dense)

    def __copy__(self):
        other = object.__new__(Prepared)
        other.__dict__.update(self.__dict__)
        return other

    def __reduce__(self):
        return _restored, (self.crow, self.col, self.values, self.shape[-1])

    def to(self, device=None, dtype=None):
        """This operand on another device, its values of another type: itself where nothing changes.

        device: as PyTorch's tensors take it; for NumPy's arrays only "cpu". dtype: of the values' library. The indices
        are checked again, and copied as `prepare` does.

        Raises ValueError for NumPy's arrays and another device, and what PyTorch raises for devices that it has not.
        """
        moved = self.arrays.moved
        crow, values = moved(self.crow, device), moved(self.values, device, dtype)
        if crow is self.crow and values is self.values:
            return self
        return self.of_arrays(crow, moved(self.col, device), values)

    def of_arrays(self, crow, col, values):
        """A Prepared of as many columns, of other arrays. Raises as `prepare` does."""
        return _restored(crow, col, values, self.shape[-1])

    def update(self, values):
        """Takes other values for the same blocks. Raises ValueError for another shape, type or device."""
        adapters.require_same("values", values, self.arrays, "those prepared")
        values = storage.with_rank(values, self.values.ndim)
        if values.shape != self.values.shape or values.dtype != self.values.dtype:
            raise ValueError(f"argument 'values': expected shape {tuple(self.values.shape)} and type "
                             f"{self.values.dtype}, as prepared, but got {tuple(values.shape)} and {values.dtype}")
        self.values, self.leaf = values, None

    def with_values(self, values):
        """A Prepared of the same blocks with values of the same shape, of any element type; it shares all that is
        prepared."""
        adapters.require_same("values", values, self.arrays, "those prepared")
        other = copy.copy(self)
        other.values, other.leaf = values, None
        if values.dtype != self.values.dtype:
            other.element, _ = storage.require_types(self.arrays, self.crow, self.col, values)
            other.signature = *other._facts(), self.columns, self.longest
        return other

    def recorded_values(self):
        """The values, as torch.autograd knows them."""
        return self.values if self.leaf is None else self.leaf.values()


def _restored(crow, col, values, columns):
    """A Prepared of arrays of another. columns: K, or None."""
    rows, batch = (crow.shape[-1] - 1) * values.shape[-2], storage.batch_of(crow, col, values)
    return Prepared(Operand(crow, col, values, None if columns is None else (*batch, rows, columns)))


def prepare(bsr):
    """A snapshot of a BSR matrix's indices for many products, with their contents checked.

    bsr: as of bsr_dense_addmm. On CUDA it synchronizes, and so does the first product of each kind, which makes what
    kernels need of the indices: that one must be outside the capture of a graph (RuntimeError). Products may be on
    any stream, from the first on.

    Raises TypeError for what is no BSR matrix, ValueError for arrays that are none.
    """
    return Prepared(bsr)
