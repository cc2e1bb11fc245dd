"""The compiler's choice of parameters, without its passes (include/sattn-c/BsrAddmm.h and BsrAttention.h)."""

import ctypes
import functools

from .._native import libraries
from .._arrays import dtypes
from . import c_api, compiler

_INTEGERS = ctypes.c_int64


class _Product(ctypes.Structure):
    _fields_ = [*((name, _INTEGERS) for name in ("m", "n", "k", "block_rows", "block_columns", "nnz", "longest_row",
                                                 "batches", "shares_columns", "along_k")),
                ("alpha", ctypes.c_double), ("beta", ctypes.c_double),
                ("dtype", ctypes.c_char_p), ("out_dtype", ctypes.c_char_p)]


class _Attention(ctypes.Structure):
    _fields_ = [(name, _INTEGERS) for name in ("head_dim", "value_dim", "element_bytes", "block_rows", "block_columns", "nnz",
                                               "longest_row", "batches", "shares_mask", "has_dropout")]


class _Search(ctypes.Structure):
    _fields_ = [("target", ctypes.c_char_p), ("device", ctypes.c_char_p), ("shared_bytes", _INTEGERS),
                ("row", ctypes.c_char_p)]


class _Parameters(ctypes.Structure):
    _fields_ = [(name, _INTEGERS) for name in ("rows", "columns", "depth", "stages", "warps", "raster_group", "split_k")]


@functools.cache
def _functions():
    """Those of the library: what reads tables and what frees them, and {type of the facts: what chooses by them}."""
    library = c_api.library()
    texts = ctypes.POINTER(ctypes.c_char_p)
    read, free = library.sattn_tables_read, library.sattn_tables_free
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.c_char_p, texts]
    free.restype, free.argtypes = None, [ctypes.c_void_p]
    choose = {_Product: library.sattn_choose_bsr_addmm, _Attention: library.sattn_choose_bsr_attention}
    for facts, function in choose.items():
        function.restype = ctypes.c_int
        function.argtypes = [ctypes.c_void_p, *map(ctypes.POINTER, (facts, _Search, _Parameters)), texts]
    return read, free, choose


class Tables:
    """The tables of tuned parameters, as they are now. Warns of those that cannot be used."""

    def __init__(self):
        read, self._free, _ = _functions()
        self.pointer, messages = c_api.with_messages(read, None)
        compiler.warn(messages)

    def __del__(self):
        self._free(self.pointer)


@functools.lru_cache(1024)
def _place(target, row):
    """Where parameters are searched, and what else the answer holds on to. target: "cpu" or a CUDA device's number."""
    row = ",".join(row).encode() or None
    if target == compiler.CPU:
        return _Search(target.encode(), None, 0, row)
    name = libraries.binding().device_name(target).encode()
    return _Search(compiler.chip_of(target).encode(), name, compiler.shared_bytes(target), row)


def _chosen(tables, facts, place):
    """The inside of #sattn.meta<...>. Raises CompileError where there is none."""
    chosen = _Parameters()
    found, messages = c_api.with_messages(_functions()[2][type(facts)], tables and tables.pointer, facts, place, chosen)
    if not found:
        raise compiler.CompileError(messages)
    compiler.warn(messages)
    wishes = "".join(f", {name} = {value}" for name in ("stages", "warps", "raster_group", "split_k")
                     if (value := getattr(chosen, name)))
    return f"tile = [{chosen.rows}, {chosen.columns}, {chosen.depth}]{wishes}"


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
    return _chosen(tables, product, _place(target, row))


def choose_attention(source, target, nnz, batches, longest, shares_mask):
    """As `choose`, for a BsrAttention. nnz: stored blocks of one mask. batches: of the result. longest: stored blocks of the
    block row that has most of them. shares_mask: whether all heads have one. No table has rows of it."""
    attention = _Attention(*source.columns, dtypes.bytes_of(source.dtype), *source.block, nnz, longest, batches,
                           shares_mask, source.dropout)
    return _chosen(None, attention, _place(target, ()))
