"""Parameters that Python chooses without the compiler's passes: the very ones of sattn-inject-meta, and fast."""

import ctypes
import itertools
import re
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")

TABLE = Path(__file__).resolve().parents[1] / "Dialect" / "SAttn" / "Inputs" / "meta-table.json"
# Target, device, shared memory of a CTA.
CPU = "cpu", None, 0
A100 = "sm_80", "NVIDIA A100-SXM4-80GB", 166912
L40S = "sm_89", "NVIDIA L40S", 101376
H200 = "sm_90a", "NVIDIA H200", 232448
UNKNOWN = "sm_90a", "Any 'other' GPU", 232448


@pytest.fixture
def tuning(sattn, monkeypatch, tmp_path):
    """sattn._compiler.tuning, without tables of who runs the test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("SATTN_META_TABLE", raising=False)
    return sattn._call.cache.tuning


def run_passes(passes, text):
    """The module after these passes, by the C library."""
    from sattn._compiler import c_api

    library = c_api.library()
    function = library.sattn_run_passes
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]
    pointer, messages = c_api.with_messages(function, text.encode(), len(text), passes.encode())
    assert pointer, messages
    return c_api.taken(pointer)


def program(number, source, sizes, nnz, batch):
    """A function with all of that in its types."""
    (m, n, k), (rows, columns) = sizes, source.block

    def tensor(*shape, dtype=source.dtype):
        return f"tensor<{'x'.join(map(str, (*batch, *shape)))}x{dtype}>"

    types = [tensor(m // rows + 1, dtype="i32"), tensor(nnz, dtype="i32"), tensor(nnz, rows, columns), tensor(k, n)]
    out = tensor(m, n, dtype=source.out)
    beta = "%zero" if source.beta == 0 else "%beta"
    return f"""
func.func @f{number}(%alpha: f32, %beta: f32, %crow: {types[0]}, %col: {types[1]}, %values: {types[2]},
                     %b: {types[3]}, %out: {out}) -> {out} {{
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta({beta}) ins(%crow, %col, %values, %b : {', '.join(types)}) outs(%out : {out})
      -> {out}
  return %0 : {out}
}}"""


def of_the_pass(cases, place, row=()):
    """The parameters that sattn-inject-meta attaches to each of the cases."""
    target, device, shared = place
    options = f"target={target}"
    if device:
        options += f' device="{device}"'
    if row:
        options += f" row={','.join(row)}"
    module = "".join(program(number, *case) for number, case in enumerate(cases))
    return re.findall(r"meta = #sattn\.meta<([^<>]*)>", run_passes(f"sattn-inject-meta{{{options}}}", module))


def of_python(tuning, monkeypatch, cases, place, row=()):
    target, device, shared = place
    search = tuning._Search(target.encode(), device and device.encode(), shared, ",".join(row).encode() or None)
    monkeypatch.setattr(tuning, "_place", lambda *_: search)
    tables = tuning.Tables()
    return [tuning.choose(tables, source, 0, sizes, nnz, int(np.prod(batch)), row)
            for source, sizes, nnz, batch in cases]


def grid():
    from sattn._ops.bsr_addmm import BsrAddmm

    blocks = [(16, 16), (32, 32), (64, 64), (128, 128), (96, 96), (64, 128), (24, 40)]
    types = [("bf16", "bf16"), ("f16", "f32"), ("f32", "f32")]
    for (rows, columns), (dtype, out), beta in itertools.product(blocks, types, [0.0, None]):
        source = BsrAddmm(dtype=dtype, out=out, block=(rows, columns), beta=beta)
        for count, n, batch in [(4, 1, ()), (8, 100, ()), (8, 512, (3,)), (60, 4096, ()), (16, 1000, (2, 0)), (0, 64, ())]:
            total = count * count
            # Among them: halves of a hundredth, which round up, and more blocks than the matrix has.
            for nnz in {0, total // 8, total // 2, 7 * total // 8, total, total + 5}:
                yield source, (count * rows, n, count * columns), nnz, batch


@pytest.mark.parametrize("place", [CPU, A100, L40S, H200, UNKNOWN])
def test_choice_is_that_of_the_pass(tuning, monkeypatch, place):
    cases = list(grid())
    expected = of_the_pass(cases, place)
    assert len(expected) == len(cases) and len(set(expected)) > 5
    assert of_python(tuning, monkeypatch, cases, place) == expected


def tuned(dtype="bf16", beta=0.0):
    """Products that the rows of the table of the lit tests are for, by several rules, and near ones."""
    from sattn._ops.bsr_addmm import BsrAddmm

    source = BsrAddmm(dtype=dtype, out=dtype, block=(64, 64), beta=beta)
    return [(source, (size, n, size), nnz, ()) for size in (192, 384, 512) for n in (64, 256, 512, 768)
            for nnz in (4, 16, 18, 32)]


@pytest.mark.parametrize("place", [CPU, A100, H200, ("sm_90a", "NVIDIA H100 80GB HBM3", 232448)])
@pytest.mark.parametrize("with_table", [False, True])
@pytest.mark.filterwarnings("ignore:meta table", "ignore:row .* fits no tile")
def test_rows_of_tables_are_those_of_the_pass(tuning, monkeypatch, place, with_table):
    if with_table:
        monkeypatch.setenv("SATTN_META_TABLE", str(TABLE))
    cases = [*tuned(), *tuned(beta=None), *tuned("f16")]
    assert of_python(tuning, monkeypatch, cases, place) == of_the_pass(cases, place)


@pytest.mark.parametrize("place", [CPU, A100, H200])
def test_given_rows_are_those_of_the_pass(tuning, monkeypatch, place):
    row = "SPLIT_N=4", "num_stages=20", "num_warps=4"
    assert of_python(tuning, monkeypatch, tuned(), place, row) == of_the_pass(tuned(), place, row)


@pytest.mark.filterwarnings("ignore:meta table")
def test_a_row_that_fits_no_tile_is_an_error_and_one_of_a_table_a_warning(sattn, tuning, monkeypatch):
    case, = [case for case in tuned() if case[1:3] == ((512, 256, 512), 16)]
    with pytest.raises(sattn.CompileError, match="expected a tile of at most 512 rows on sm_90a, but got 1024"):
        of_python(tuning, monkeypatch, [case], H200, ("SPLIT_N=4", "tile_m=1024"))
    monkeypatch.setenv("SATTN_META_TABLE", str(TABLE))
    with pytest.warns(RuntimeWarning, match=r"row \(512, 512, 256, .* fits no tile"):
        of_python(tuning, monkeypatch, [case], H200)


def matrix(rng, count=4, block=16, batch=()):
    """A matrix whose batches have as many blocks."""
    rows, columns = np.nonzero(np.arange(count * count).reshape(count, count) % 3 == 0)
    crow = np.searchsorted(rows, np.arange(count + 1)).astype(np.int32)
    arrays = crow, columns.astype(np.int32), rng.standard_normal((len(rows), block, block), np.float32)
    return tuple(np.broadcast_to(array, (*batch, *array.shape)).copy() for array in arrays)


@pytest.mark.parametrize("batch", [(), (3,)])
def test_a_call_asks_with_the_facts_of_its_arrays(sattn, tuning, batch):
    from sattn._ops.bsr_addmm import BsrAddmm

    sattn.cache.clear()
    rng = np.random.default_rng(0)
    bsr = matrix(rng, batch=batch)
    for n in (3, 40, 200):
        sattn.bsr_dense_addmm(None, bsr, rng.standard_normal((*batch, 64, n), np.float32), beta=0)
    source = BsrAddmm(dtype="f32", out="f32", block=(16, 16), beta=0.0)
    expected = of_the_pass([(source, (64, n, 64), bsr[1].shape[-1], batch) for n in (3, 40, 200)], CPU)
    assert {source.meta for source, _ in sattn._call.cache._programs} == set(expected)


def test_the_same_parameters_need_no_compilation(sattn, tuning):
    sattn.cache.clear()
    rng = np.random.default_rng(0)
    bsr = matrix(rng)
    # Wider ones all have tiles of 128 columns.
    denses = [rng.standard_normal((64, n), np.float32) for n in range(129, 229)]
    sattn.bsr_dense_addmm(None, bsr, denses[0], beta=0)
    before = sattn.cache.info()
    start = time.perf_counter()
    for dense in denses[1:]:
        sattn.bsr_dense_addmm(None, bsr, dense, beta=0)
    # Some 10 ms; passes of the compiler took 2 s.
    assert time.perf_counter() - start < 1
    after = sattn.cache.info()
    assert after.compilations == before.compilations and after.kernels == before.kernels == 1
    assert after.choices == before.choices + 99


def test_long_rows_of_attention_have_parts(tuning, monkeypatch):
    from sattn._ops.bsr_attention import BsrAttention

    def choose(longest, heads=16, shared=True, place=H200):
        source = BsrAttention(dtype="bf16", columns=(128, 128), block=(64, 64), index="i32",
                              batch=(0 if shared else 1, 0, 1, 1, 1, 1), dropout=False, precision="ieee")
        monkeypatch.setattr(tuning, "_place", lambda *_: tuning._Search(place[0].encode(), None, place[2], None))
        return tuning.choose_attention(None, source, 0, 4096, 416, heads, longest, shared)[0]

    tile = "tile = [64, 128, 64], stages = 2, raster_group = "
    assert choose(14) == tile + "8"
    assert choose(64) == tile + "16, split_k = 264"
    assert choose(64, shared=False) == tile + "1, split_k = 264"
    assert choose(64, heads=128) == tile + "8"
    assert "split_k" not in choose(64, place=A100)


def test_flex_attention_has_the_parameters_of_its_size(tuning, monkeypatch):
    """On a GPU calls whose sizes have the parameters of any size share one program; packed heads and the CPU always do."""
    from sattn._ops.flex_attention_program import FlexAttention

    def choose(source, rows, target=0, place=H200, batches=8, is_causal=False):
        name, device, shared = place
        search = tuning._Search(name.encode(), device and device.encode(), shared, None)
        monkeypatch.setattr(tuning, "_place", lambda *_: search)
        tuning._of_any_size.cache_clear()
        return tuning.choose_flex(None, source, target, rows, batches, is_causal)

    narrow, wide = FlexAttention("bf16", 64, 64), FlexAttention("bf16", 128, 128)
    assert {choose(narrow, rows, batches=64) for rows in (4096, 8191, 8192, 65536)} == {
        ("tile = [192, 64, 128], stages = 2, raster_group = 8", False)}
    # One wave of tiles of two warpgroups; one warpgroup where there are no more rows.
    assert choose(narrow, 2048) == ("tile = [128, 64, 128], stages = 2, raster_group = 8", True)
    assert choose(narrow, 40) == ("tile = [64, 64, 128], stages = 2, raster_group = 8", True)
    assert not any(choose(wide, rows)[1] for rows in (65, 128, 2048, 100000))
    listed = FlexAttention("bf16", 64, 64, partial=(True, True), block_size=(128, 128))
    assert not any(choose(listed, rows)[1] for rows in (2048, 8192))
    packed = FlexAttention("bf16", 64, 64, packed=8)
    assert not any(choose(packed, rows)[1] for rows in (8, 64, 128, 800))
    assert not any(choose(narrow, rows, "cpu", CPU)[1] for rows in (8, 64, 2048))
    tuning._of_any_size.cache_clear()


def test_no_target(tuning, monkeypatch):
    with pytest.raises(RuntimeError, match="expected a target out of cpu, sm_80, .*, but got 'sm_1'"):
        of_python(tuning, monkeypatch, tuned()[:1], ("sm_1", None, 0))
