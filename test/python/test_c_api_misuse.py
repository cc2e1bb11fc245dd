"""Null pointers and numbers out of range are errors of the C API's functions (include/sattn-c), and so is text nested too deep."""

import ctypes
from ctypes import byref, c_char_p, c_double, c_int64, c_size_t, c_void_p

import pytest


class Options(ctypes.Structure):
    _fields_ = [("target", c_char_p), ("entry", c_char_p), ("pipeline", c_char_p), ("threads", c_int64)]


class BsrAddmm(ctypes.Structure):
    _fields_ = [*((name, c_int64) for name in ("m", "n", "k", "block_rows", "block_columns", "nnz", "longest_row", "batches",
                                               "shares_columns", "along_k")),
                ("alpha", c_double), ("beta", c_double), ("dtype", c_char_p), ("out_dtype", c_char_p)]


class BsrAttention(ctypes.Structure):
    _fields_ = [(name, c_int64) for name in ("head_dim", "value_dim", "element_bytes", "block_rows", "block_columns", "nnz",
                                             "longest_row", "batches", "shares_mask", "has_dropout")]


class Search(ctypes.Structure):
    _fields_ = [("target", c_char_p), ("device", c_char_p), ("shared_bytes", c_int64), ("row", c_char_p)]


PRODUCT = {"m": 1024, "n": 1024, "k": 1024, "block_rows": 64, "block_columns": 64, "nnz": -1, "longest_row": 1, "batches": 1,
           "alpha": 1, "beta": 1, "dtype": b"bf16", "out_dtype": b"bf16"}
ATTENTION = {"head_dim": 64, "value_dim": 64, "element_bytes": 2, "block_rows": 64, "block_columns": 64, "nnz": -1,
             "longest_row": -1, "batches": 1}
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


def choose(library, op, fields, search=SEARCH, parameters=True):
    kind = BsrAddmm if op == "bsr_addmm" else BsrAttention
    found = (c_int64 * 7)()
    return lambda messages: getattr(library, f"sattn_choose_{op}")(
        None, byref(kind(**fields)) if fields is not None else None, byref(Search(**search)) if search is not None else None,
        byref(found) if parameters else None, messages)


@pytest.mark.parametrize("change, expected", [
    ({"dtype": None}, "error: expected dtype, but got null\n"),
    ({"out_dtype": None}, "error: expected out_dtype, but got null\n"),
    ({"dtype": b"i1"}, "error: expected dtype f16, bf16, f32, f64, i8, f8E4M3FN or f8E5M2, but got 'i1'\n"),
    ({"block_rows": 0}, "error: expected block_rows of at least 1, but got 0\n"),
    ({"block_columns": -64}, "error: expected block_columns of at least 1, but got -64\n"),
    ({"batches": 0}, "error: expected batches of at least 1, but got 0\n")])
def test_products(library, change, expected):
    assert reason(library, choose(library, "bsr_addmm", {**PRODUCT, **change})) == expected


@pytest.mark.parametrize("field", ["head_dim", "value_dim", "element_bytes", "block_rows", "block_columns"])
def test_attention(library, field):
    assert reason(library, choose(library, "bsr_attention", {**ATTENTION, field: 0})) == (
        f"error: expected {field} of at least 1, but got 0\n")


@pytest.mark.parametrize("op, fields", [("bsr_addmm", PRODUCT), ("bsr_attention", ATTENTION)])
def test_searches(library, op, fields):
    messages = c_void_p()
    assert choose(library, op, fields)(byref(messages)) == 1 and not messages.value
    assert "but got null" in reason(library, choose(library, op, None))
    assert "expected a search, but got null" in reason(library, choose(library, op, fields, search=None))
    assert "expected a place for parameters" in reason(library, choose(library, op, fields, parameters=False))
    assert "expected a target out of" in reason(library, choose(library, op, fields, {**SEARCH, "target": None}))
    assert "expected shared_bytes of at least 1, but got 0" in reason(
        library, choose(library, op, fields, {**SEARCH, "shared_bytes": 0}))


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
    assert "lacks versions" in reason(library, lambda m: library.sattn_program_complete(None, m))
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
    text = b"module attributes {a = " + b"[" * depth + b"]" * depth + b"} {}"
    call = lambda m: library.sattn_run_passes(text, c_size_t(len(text)), b"builtin.module(cse)", m)  # noqa: E731
    if refused:
        assert reason(library, call) == "1:279: error: expected text that is nested at most 256 deep\n"
    else:
        printed = call(byref(c_void_p()))
        assert printed
        library.sattn_text_free(printed)
