"""The compiler's choice of parameters, without its passes (include/sattn-c/Tuning.h)."""

import ctypes
import functools
import json

from .._native import libraries
from . import c_api, compiler

_INTEGERS = ctypes.c_int64


class _Fact(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("text", ctypes.c_char_p), ("number", ctypes.c_double)]


class _Search(ctypes.Structure):
    _fields_ = [("target", ctypes.c_char_p), ("device", ctypes.c_char_p), ("shared_bytes", _INTEGERS),
                ("row", ctypes.c_char_p)]


class _Pattern(ctypes.Structure):
    _fields_ = [("op", ctypes.c_char_p), ("device", ctypes.c_char_p), ("dtype", ctypes.c_char_p),
                ("out_dtype", ctypes.c_char_p), ("version", _INTEGERS), ("sparsity", _INTEGERS),
                ("key", ctypes.POINTER(_INTEGERS)), ("count", ctypes.c_size_t), ("exact", ctypes.c_int)]


#: A place of a pattern that any number matches.
ANY = -1


class _Parameters(ctypes.Structure):
    _fields_ = [(name, _INTEGERS) for name in ("rows", "columns", "depth", "stages", "warps", "raster_group",
                                               "split_k", "register_rows", "register_vectors", "threads")] + [
        ("is_of_table", ctypes.c_int), ("is_dense_faster", ctypes.c_int), ("cycles", ctypes.c_double),
        ("dense_ratio", ctypes.c_double)]


@functools.cache
def _functions():
    """The library's functions that read tables, free them, choose, add a table to others, and list rows of them."""
    handle, text, texts = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)
    return [c_api.declare(c_api.library(), f"sattn_{name}", result, *arguments) for name, result, arguments in (
        ("tables_read", handle, (text, texts)), ("tables_free", None, (handle,)),
        ("choose", ctypes.c_int, (handle, text, ctypes.POINTER(_Fact), ctypes.c_size_t, ctypes.POINTER(_Search),
                                  ctypes.POINTER(_Parameters), texts)),
        ("tables_add", ctypes.c_int, (handle, text, text, texts)),
        ("tables_list", handle, (handle, ctypes.POINTER(_Pattern), texts)))]


def problems_of(table, name):
    """(whether a text is a table, the messages of what of it cannot be used)."""
    is_table, messages = c_api.with_messages(_functions()[3], None, table.encode(), str(name).encode())
    return bool(is_table), messages


class Tables:
    """The tables of tuned parameters as they are now, after the one in `first` unless that is empty. Warns of tables
    that cannot be used."""

    pointer = None

    def __init__(self, first=""):
        read, self._free, *_ = _functions()
        self.pointer, messages = c_api.with_messages(read, None)
        compiler.warn(messages)
        if first:
            compiler.warn(c_api.with_messages(_functions()[3], self.pointer, first.encode(),
                                              b"the process's own")[1])

    def rows(self, op, device, version, dtype, out_dtype, sparsity, key, exact):
        """Rows that match, [{"parameters": names, "rows": [[key, values], ...]}, ...], the first table first.

        dtype, out_dtype: our names. sparsity: in hundredths. key: numbers, ANY in places that any matches. exact:
        whether rows of the device's family do not count. Raises CompileError for no op that has rows, and for a key of
        another length.
        """
        numbers = (_INTEGERS * len(key))(*key)
        pattern = _Pattern(op.encode(), device.encode(), dtype.encode(), out_dtype.encode(), version, sparsity, numbers,
                           len(key), exact)
        found, messages = c_api.with_messages(_functions()[4], self.pointer, ctypes.byref(pattern))
        if not found:
            raise compiler.CompileError(messages.removeprefix("error: "))
        return json.loads(c_api.taken(found))

    def __del__(self):
        if self.pointer:
            self._free(self.pointer)


@functools.cache
def host_device():
    """The name that rows of this machine's CPU have in tables."""
    return c_api.declare(c_api.library(), "sattn_host_device", ctypes.c_char_p)().decode()


@functools.lru_cache(1024)
def _place(target, row):
    """Where parameters are searched, and what else the answer holds on to. target: "cpu" or a CUDA device's number."""
    row = ",".join(row).encode() or None
    if target == compiler.CPU:
        return _Search(target.encode(), host_device().encode(), 0, row)
    name = libraries.binding().device_name(target).encode()
    return _Search(compiler.chip_of(target).encode(), name, compiler.shared_bytes(target), row)


def _parameters(tables, op, facts, place):
    """The _Parameters that are chosen. Raises CompileError where there are none. facts: {name: number or text}."""
    chosen = _Parameters()
    given = (_Fact * len(facts))(*[
        _Fact(name.encode(), *((value.encode(), 0) if isinstance(value, str) else (None, value)))
        for name, value in facts.items()])
    found, messages = c_api.with_messages(_functions()[2], tables and tables.pointer, op.encode(), given, len(given),
                                          place, chosen)
    if not found:
        raise compiler.CompileError(messages)
    compiler.warn(messages)
    return chosen


def _chosen(tables, op, facts, place):
    """(the inside of #sattn.meta<...>, whether a table's row gave it). Raises as `_parameters` does."""
    chosen = _parameters(tables, op, facts, place)
    hints = "".join(f", {name} = {value}" for name, _ in _Parameters._fields_[3:-4]
                     if (value := getattr(chosen, name)))
    return f"tile = [{chosen.rows}, {chosen.columns}, {chosen.depth}]{hints}", bool(chosen.is_of_table)


def _of_mask(block, nnz, longest):
    """Facts of stored blocks. longest: of the block row that has most of them, or None."""
    facts = {"block_rows": block[0], "block_columns": block[1], "nnz": nnz}
    return facts if longest is None else {**facts, "longest_row": longest}


def choose(tables, source, target, sizes, nnz, batches, row, longest=None):
    """The inside of #sattn.meta<...> that sattn-inject-meta chooses for these facts.

    tables: Tables, or None, where only the default or `row` counts. source: BsrAddmm. target: "cpu" or the number of a
    CUDA device. sizes: M, N and K. nnz: stored blocks of one matrix. batches: how many products there are. row:
    parameters to take instead of a table's, ("SPLIT_N=4", "num_stages=3"). Raises CompileError for a row that cannot
    be, or fits no tile. longest: stored blocks of the block row that has most of them, or None.
    """
    facts = _product_facts(source, sizes, nnz, batches, longest)
    return _chosen(tables, "bsr_addmm", facts, _place(target, row))[0]


def _product_facts(source, sizes, nnz, batches, longest):
    facts = {**dict(zip("mnk", sizes)), **_of_mask(source.block, nnz, longest), "batches": batches,
             "along_k": source.transpose_b, "dtype": source.dtype, "out_dtype": source.out}
    # Values that are unknown before the call count as 1, as in the pass.
    facts.update((name, scalar) for name, scalar in (("alpha", source.alpha), ("beta", source.beta)) if scalar
                 is not None)
    return facts


def dense_ratio(tables, source, target, sizes, nnz, batches, longest=None):
    """The time of a dense product over that of the blocks, for arguments of `choose`, where the cost model estimates it
    as clearly shorter; else 0."""
    found = _parameters(tables, "bsr_addmm", _product_facts(source, sizes, nnz, batches, longest), _place(target, ()))
    return found.dense_ratio if found.is_dense_faster else 0


def estimate(op, facts, chip, shared_bytes, row=()):
    """{name: number} of the computed default, or of `row`, ("tile_m=64", ...), without those of 0, by the names of
    tables; with "cycles" by the cost model where it has an estimate, and "dense_ratio".

    facts: {name: number or text}. chip: "sm_90a". shared_bytes: of a CTA.
    """
    found = _parameters(None, op, facts, _Search(chip.encode(), None, shared_bytes, ",".join(row).encode() or None))
    sizes = {"tile_m": found.rows, "tile_n": found.columns, "tile_k": found.depth}
    named = sizes | {name: getattr(found, name) for name in (
        "stages", "warps", "raster_group", "split_k", "cycles", "dense_ratio")}
    return {name: value for name, value in named.items() if value}


def choose_attention(tables, source, target, rows, nnz, batches, longest, shares_mask):
    """(as of `choose`, for a BsrAttention, whether a table's row gave it). rows: of a head. nnz: stored blocks of one
    mask. batches: of the result. longest: stored blocks of the block row that has most of them. shares_mask: whether
    all heads have one."""
    facts = {"rows": rows, "head_dim": source.columns[0], "value_dim": source.columns[1],
             "dtype": source.dtype, **_of_mask(source.block, nnz, longest), "batches": batches,
             "shares_mask": shares_mask, "has_dropout": source.dropout, "has_lse": source.lse}
    return _chosen(tables, "bsr_attention", facts, _place(target, ()))


@functools.lru_cache(1024)
def _of_any_size(op, facts, target):
    """(as of `choose`) the computed default without sizes, of facts as pairs."""
    return _chosen(None, op, dict(facts), _place(target, ()))[0]


def choose_flex(tables, source, target, rows, batches, is_causal):
    """(as of `choose`, for a FlexAttention, whether a program needs it written: it is not what the compiler chooses for
    any size). rows: of a head of query's tensor. batches: heads of all batches. is_causal: whether a band bounds keys
    from above alone. The facts are those that the compiler reads off a program's types."""
    listed = source.full or source.partial
    facts = {"head_dim": source.head_dim, "value_dim": source.value_dim, "dtype": source.dtype,
             "is_packed": source.packed != 1, "is_causal": is_causal and not listed and source.packed == 1}
    if listed:
        facts.update(block_queries=source.block_size[0], block_keys=source.block_size[1], shares_mask=listed[1])
    sizes = {"rows": rows, "batches": batches}
    chosen, is_of_table = _chosen(tables, "flex_attention", {**sizes, **facts}, _place(target, ()))
    # Tiles of the CPU and of packed heads have as many rows as there are. They keep the default of any size, since each
    # number of rows would be a program.
    if is_of_table or target == compiler.CPU or source.packed != 1:
        return chosen, is_of_table
    return chosen, chosen != _of_any_size("flex_attention", tuple(facts.items()), target)
