"""Null pointers and numbers out of range are errors of the C API's functions (include/sattn-c), and so is text nested too deep."""

import ctypes
from ctypes import byref, c_char_p, c_double, c_int64, c_size_t, c_void_p

import pytest


class Options(ctypes.Structure):
    _fields_ = [("target", c_char_p), ("entry", c_char_p), ("pipeline", c_char_p), ("threads", c_int64)]


class Fact(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("text", c_char_p), ("number", c_double)]


class Search(ctypes.Structure):
    _fields_ = [("target", c_char_p), ("device", c_char_p), ("shared_bytes", c_int64), ("row", c_char_p)]


class Parameters(ctypes.Structure):
    _fields_ = [*((name, c_int64) for name in (
        "rows", "columns", "depth", "stages", "warps", "raster_group", "split_k", "register_rows", "register_vectors",
        "threads")), ("is_of_table", ctypes.c_int), ("is_dense_faster", ctypes.c_int), ("cycles", c_double), ("dense_ratio", c_double)]


PRODUCT = {"m": 1024, "n": 1024, "k": 1024, "block_rows": 64, "block_columns": 64, "longest_row": 1, "dtype": "bf16",
           "out_dtype": "bf16"}
ATTENTION = {"head_dim": 64, "value_dim": 64, "element_bytes": 2}
BLOCKS = {"block_rows": 64, "block_columns": 64}
OPS = {"bsr_addmm": PRODUCT, "bsr_attention": {**ATTENTION, **BLOCKS}, "flex_attention": ATTENTION,
       "bsr_softmax": {**BLOCKS, "element_bytes": 2}, "bsr_softmax_backward": {**BLOCKS, "element_bytes": 2},
       "sampled_addmm": {**BLOCKS, "element_bytes": 2},
       "scatter_mm": {**BLOCKS, "element_bytes": 2}}
class Pattern(ctypes.Structure):
    _fields_ = [("op", c_char_p), ("device", c_char_p), ("dtype", c_char_p), ("out_dtype", c_char_p), ("version", c_int64),
                ("sparsity", c_int64), ("key", ctypes.POINTER(c_int64)), ("count", c_size_t), ("exact", ctypes.c_int)]


SEARCH = {"target": b"sm_90a", "shared_bytes": 232448}
SOURCE = b"func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"


@pytest.fixture(scope="module")
def library(built_tools):
    library = ctypes.CDLL(str(built_tools.parent / "lib" / "libsattn.so"))
    for name in ("compile", "program_complete", "program_manifest", "program_image", "program_entry", "program_run", "assemble",
                 "run_passes"):
        getattr(library, f"sattn_{name}").restype = c_void_p
    library.sattn_program_free.argtypes = library.sattn_text_free.argtypes = [c_void_p]
    return library


def reason(library, call):
    """The messages of a call that gives nothing."""
    messages = c_void_p()
    assert not call(byref(messages))
    text = ctypes.string_at(messages.value).decode()
    library.sattn_text_free(messages)
    return text


def choose(library, op, facts, search=SEARCH, parameters=True):
    """facts: {name: text or number}, or None for null."""
    found = Parameters()
    given = None if facts is None else (Fact * len(facts))(*[
        Fact(name and name.encode(), *((value.encode(), 0) if isinstance(value, str) else (None, value)))
        for name, value in facts.items()])
    return lambda messages: library.sattn_choose(
        None, op and op.encode(), given, c_size_t(1 if facts is None else len(facts)),
        byref(Search(**search)) if search is not None else None, byref(found) if parameters else None, messages)


@pytest.mark.parametrize("change, expected", [
    ({"dtype": "i1"}, "fact 'dtype': expected one of f16, bf16, f32, f64, i8, f8E4M3FN, f8E5M2, but got 'i1'"),
    ({"dtype": 3}, "fact 'dtype': expected a text, but got a number"),
    ({"m": "many"}, "fact 'm': expected a number, but got a text"),
    ({"m": -1}, "fact 'm': expected a whole number of at least 0, but got -1"),
    ({"n": 0.5}, "fact 'n': expected a whole number of at least 0, but got 0.5"),
    ({"k": float("nan")}, "fact 'k': expected a whole number of at least 0, but got nan"),
    ({"k": float("inf")}, "fact 'k': expected a whole number of at least 0, but got inf"),
    ({"block_rows": 0}, "fact 'block_rows': expected a whole number of at least 1, but got 0"),
    ({"block_columns": -64}, "fact 'block_columns': expected a whole number of at least 1, but got -64"),
    ({"batches": -1}, "fact 'batches': expected a whole number of at least 0, but got -1"),
    ({"along_k": 2}, "fact 'along_k': expected 0 or 1, but got 2"),
    ({None: 1}, "expected the name of a fact, but got null"),
    ({"colour": 1}, "expected a fact out of along_k, alpha, batches, beta, block_columns, block_rows, dtype, is_encoded, k, longest_row, "
                    "m, n, nnz, out_dtype, planned_block_rows, shares_columns, sparsity, but got 'colour'")])
def test_facts(library, change, expected):
    assert reason(library, choose(library, "bsr_addmm", {**PRODUCT, **change})) == f"error: {expected}\n"


@pytest.mark.parametrize("op, fact", [(op, fact) for op, facts in OPS.items() for fact in facts
                                      if fact not in ("m", "n", "k", "longest_row")])
def test_facts_that_are_missing(library, op, fact):
    facts = {name: value for name, value in OPS[op].items() if name != fact}
    expected = "'dtype' or 'element_bytes'" if fact == "element_bytes" else f"'{fact}'"
    assert reason(library, choose(library, op, facts)) == f"error: expected the fact {expected}\n"


@pytest.mark.parametrize("op", OPS)
def test_searches(library, op):
    messages = c_void_p()
    facts = OPS[op]
    assert choose(library, op, facts)(byref(messages)) == 1 and not messages.value
    assert "expected facts, but got null" in reason(library, choose(library, op, None))
    assert "expected a search, but got null" in reason(library, choose(library, op, facts, search=None))
    assert "expected a place for parameters" in reason(library, choose(library, op, facts, parameters=False))
    assert "expected a target out of" in reason(library, choose(library, op, facts, {**SEARCH, "target": None}))
    assert "expected shared_bytes of at least 1, but got 0" in reason(
        library, choose(library, op, facts, {**SEARCH, "shared_bytes": 0}))


def test_tables(library):
    library.sattn_tables_read.restype = c_void_p
    library.sattn_tables_list.restype = c_void_p
    tables = c_void_p(library.sattn_tables_read(None, None))
    key = (c_int64 * 8)(*[-1] * 8)

    def list_rows(where, **fields):
        pattern = Pattern(**{"op": b"bsr_addmm", "device": b"NVIDIA A100", "dtype": b"bf16", "sparsity": 56, "key": key, "count": 8,
                             **fields})
        return lambda messages: library.sattn_tables_list(where, byref(pattern), messages)

    assert "expected tables and a pattern, but got null" in reason(library, list_rows(None))
    assert "expected tables and a pattern, but got null" in reason(
        library, lambda m: library.sattn_tables_list(tables, None, m))
    assert "expected an op that tables have rows of, but got 'gemm'" in reason(library, list_rows(tables, op=b"gemm"))
    assert "expected an op that tables have rows of, but got ''" in reason(library, list_rows(tables, op=None))
    assert "expected a key (M, K, N, BM, BK, beta==0, beta==1, alpha==1), but got 7 numbers" in reason(
        library, list_rows(tables, count=7))
    assert "but got 0 numbers" in reason(library, list_rows(tables, key=None))
    text = c_void_p(list_rows(tables)(None))
    assert b'"parameters"' in ctypes.string_at(text.value)
    library.sattn_text_free(text)
    assert "expected a table, but got null" in reason(library, lambda m: library.sattn_tables_add(tables, None, b"name", m))
    assert "meta table 'name': expected JSON" in reason(library, lambda m: library.sattn_tables_add(None, b"{", b"name", m))
    assert library.sattn_tables_add(tables, b'{"format": "sattn-meta-table", "version": 1, "sections": []}', None, None) == 1
    library.sattn_tables_free(tables)


def test_ops(library):
    assert "expected an op, but got null" in reason(library, choose(library, None, PRODUCT))
    assert "expected an op out of bsr_addmm, bsr_attention, bsr_softmax, bsr_softmax_backward, flex_attention, flex_attention_dcapture, flex_attention_dkdv, flex_attention_dq, sampled_addmm, scatter_mm, but got 'gemm'" \
        in reason(library, choose(library, "gemm", PRODUCT))


def test_sources(library):
    options = byref(Options(b"cpu", None, None, 1))
    size = c_size_t(len(SOURCE))
    assert "expected a source" in reason(library, lambda m: library.sattn_compile(None, c_size_t(0), options, m))
    assert "expected options" in reason(library, lambda m: library.sattn_compile(SOURCE, size, None, m))
    assert "expected at least 0 threads, but got -1" in reason(
        library, lambda m: library.sattn_compile(SOURCE, size, byref(Options(b"cpu", None, None, -1)), m))
    assert "expected a chip" in reason(library, lambda m: library.sattn_compile(SOURCE, size, byref(Options()), m))
    assert "expected passes" in reason(library, lambda m: library.sattn_run_passes(SOURCE, size, None, m))
    assert "expected a source" in reason(library, lambda m: library.sattn_run_passes(None, c_size_t(0), b"cse", m))
    cubin = c_size_t()
    assert "expected PTX" in reason(library, lambda m: library.sattn_assemble(None, c_size_t(0), b"sm_90a", byref(cubin), m))
    assert "expected a place" in reason(library, lambda m: library.sattn_assemble(b"", c_size_t(0), b"sm_90a", None, m))
    complete = [b"", c_size_t(0), b"sm_90a", byref(cubin)]
    for place, what in ((0, "PTX"), (2, "a chip"), (3, "a place for the cubin's size")):
        arguments = [*complete[:place], None, *complete[place + 1:]]
        assert f"expected {what}, but got null" in reason(library, lambda m: library.sattn_cache_cubin(*arguments, m))
        assert not library.sattn_cache_cubin(*arguments, None)
    # Nobody asks why.
    assert not library.sattn_compile(None, c_size_t(0), options, None)


def test_programs(library):
    size = c_size_t(1)
    library.sattn_program_free(None)
    library.sattn_text_free(None)
    library.sattn_tables_free(None)
    assert library.sattn_program_lacks_versions(None) == 0
    assert library.sattn_program_manifest(None) is None and library.sattn_program_entry(None) is None
    assert library.sattn_program_image(None, byref(size)) is None and size.value == 0
    assert "lacks specializations" in reason(library, lambda m: library.sattn_program_complete(None, m))
    library.sattn_cache_describe.restype = c_void_p
    library.sattn_text_free(library.sattn_cache_describe(None))
    assert b"for the CPU" in ctypes.string_at(library.sattn_program_run(None, None))
    program = c_void_p(library.sattn_compile(SOURCE, c_size_t(len(SOURCE)), byref(Options(b"cpu", None, None, 1)), None))
    null = c_void_p()
    for arguments in (None, (c_void_p * 8)(), (c_void_p * 8)(*[ctypes.addressof(null)] * 8)):
        text = library.sattn_program_run(program, arguments)
        assert b"expected a pointer, but got null" in ctypes.string_at(text)
        library.sattn_text_free(text)
    library.sattn_program_free(program)


@pytest.mark.parametrize("depth, refused", [(100, False), (100000, True)])
def test_nesting(library, depth, refused):
    text = b"module attributes {x.a = " + b"[" * depth + b"]" * depth + b"} {}"
    call = lambda m: library.sattn_run_passes(text, c_size_t(len(text)), b"builtin.module(cse)", m)  # noqa: E731
    if refused:
        assert reason(library, call) == "1:281: error: expected text that is nested at most 256 deep\n"
    else:
        printed = call(byref(c_void_p()))
        assert printed
        library.sattn_text_free(printed)
