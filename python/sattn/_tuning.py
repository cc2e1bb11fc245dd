"""The compiler's choice of parameters, without its passes (include/sattn-c/BsrAddmm.h)."""

import ctypes
import functools

from . import _compiler, _libraries

_INTEGERS = ctypes.c_int64


class _Product(ctypes.Structure):
    _fields_ = [*((name, _INTEGERS) for name in ("m", "n", "k", "block_rows", "block_columns", "nnz", "longest_row",
                                                 "batches", "shares_columns", "along_k")),
                ("alpha", ctypes.c_double), ("beta", ctypes.c_double),
                ("dtype", ctypes.c_char_p), ("out_dtype", ctypes.c_char_p)]


class _Search(ctypes.Structure):
    _fields_ = [("target", ctypes.c_char_p), ("device", ctypes.c_char_p), ("shared_bytes", _INTEGERS),
                ("row", ctypes.c_char_p)]


class _Parameters(ctypes.Structure):
    _fields_ = [(name, _INTEGERS) for name in ("rows", "columns", "depth", "stages", "warps", "raster_group", "split_k")]


@functools.cache
def _functions():
    """(read, free, choose) of the library."""
    library = _compiler._library()
    texts = ctypes.POINTER(ctypes.c_char_p)
    read, free, choose = library.sattn_tables_read, library.sattn_tables_free, library.sattn_choose_bsr_addmm
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.c_char_p, texts]
    free.restype, free.argtypes = None, [ctypes.c_void_p]
    choose.restype = ctypes.c_int
    choose.argtypes = [ctypes.c_void_p, *map(ctypes.POINTER, (_Product, _Search, _Parameters)), texts]
    return read, free, choose


class Tables:
    """The tables of tuned parameters, as they are now. Warns of those that cannot be used."""

    def __init__(self):
        read, self._free, _ = _functions()
        self.pointer, messages = _compiler._with_messages(read, None)
        _compiler.warn(messages)

    def __del__(self):
        self._free(self.pointer)


@functools.lru_cache(1024)
def _place(target, row):
    """Where parameters are searched, and what else the answer holds on to. target: "cpu" or a CUDA device's number."""
    row = ",".join(row).encode() or None
    if target == _compiler.CPU:
        return _Search(target.encode(), None, 0, row)
    name = _libraries.binding().device_name(target).encode()
    return _Search(_compiler.chip_of(target).encode(), name, _compiler.shared_bytes(target), row)


def choose(tables, source, target, sizes, nnz, batches, row, longest=None):
    """The inside of #sattn.meta<...> that sattn-inject-meta chooses for these facts.

    tables: Tables, or None, where only the default or `row` counts. source: BsrAddmm. target: "cpu" or the number of a
    CUDA device. sizes: M, N and K. nnz: stored blocks of one matrix. batches: how many products there are. row:
    parameters to take instead of a table's, ("SPLIT_N=4", "num_stages=3"). Raises CompileError for a row that cannot
    be, or fits no tile. longest: stored blocks of the block row that has most of them, or None.
    """
    m, n, k = sizes
    # Values that are unknown before the call count as 1, as in the pass.
    alpha, beta = (1 if scalar is None else scalar for scalar in (source.alpha, source.beta))
    product = _Product(m, n, k, *source.block, nnz, -1 if longest is None else longest, batches, False, source.transpose_b,
                       alpha, beta, source.dtype.encode(), source.out.encode())
    chosen = _Parameters()
    found, messages = _compiler._with_messages(_functions()[2], tables and tables.pointer, product, _place(target, row),
                                              chosen)
    if not found:
        raise _compiler.CompileError(messages)
    _compiler.warn(messages)
    wishes = "".join(f", {name} = {value}" for name in ("stages", "warps", "raster_group", "split_k") if (value := getattr(chosen, name)))
    return f"tile = [{chosen.rows}, {chosen.columns}, {chosen.depth}]{wishes}"
