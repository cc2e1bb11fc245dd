"""Where bsr_dense_addmm's parameters come from: `meta`, rows of tables by the device's name, what is remembered."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")

A100 = {"STUB_CUDA_NAME": "NVIDIA A100-SXM4-80GB", "STUB_CUDA_CC": "8.0", "STUB_CUDA_SHARED": "166912"}


@pytest.fixture
def operands():
    """A 64 x 96 matrix of blocks of 16 with 11 of 24 blocks, what it is multiplied with, and the product."""
    rng = np.random.default_rng(0)
    mask = np.zeros((4, 6), bool)
    mask.flat[[0, 1, 5, 7, 8, 12, 13, 14, 18, 20, 23]] = True
    crow = np.concatenate([[0], np.cumsum(mask.sum(1))]).astype(np.int32)
    col = np.nonzero(mask)[1].astype(np.int32)
    values = rng.standard_normal((len(col), 16, 16), np.float32)
    a = np.zeros((4, 6, 16, 16), np.float32)
    a[mask] = values
    a = a.transpose(0, 2, 1, 3).reshape(64, 96)
    b = rng.standard_normal((96, 256), np.float32)
    return (crow, col, values), b, a @ b


def compilations(sattn, call):
    before = sattn.cache.info().compilations
    call()
    return sattn.cache.info().compilations - before


def metas(sattn):
    """The parameters of the kernels that are kept."""
    return {source.meta for source, _ in sattn._call.cache._programs}


@pytest.mark.parametrize("meta, text", [
    ({"tile": (16, 64, 8)}, "tile = [16, 64, 8]"),
    ({"tile": [16, 64, 16], "num_stages": 3, "num_warps": 4, "GROUP_SIZE_ROW": 2},
     "tile = [16, 64, 16], stages = 3, warps = 4, raster_group = 2"),
    ({"tile": (16, np.int64(64), 16), "stages": 3, "warps": None}, "tile = [16, 64, 16], stages = 3"),
    ({"SPLIT_N": 8}, "tile = [16, 32, 16]"),
    # The CPU takes the tile alone of a row, as of a table's.
    ({"SPLIT_N": 4, "num_stages": 3, "num_warps": 4, "GROUP_SIZE_ROW": 2}, "tile = [16, 64, 16]"),
    ({"num_warps": 4}, "tile = [16, 128, 16], warps = 4"),
    ({"tile": (16, 64, 16), "GROUP_SIZE_ROW": 2}, "tile = [16, 64, 16], raster_group = 2"),
    ({}, "tile = [16, 128, 16]"),
])
def test_names_of_ours_and_of_pytorch(sattn, operands, meta, text):
    bsr, b, expected = operands
    sattn.cache.clear()
    result = sattn.bsr_dense_addmm(None, bsr, b, beta=0, meta=meta)
    assert np.abs(result - expected).max() < 1e-3
    assert metas(sattn) == {text}


@pytest.mark.parametrize("meta, message", [
    ({"SPLIT_M": 2}, "expected keys out of tile, stages, warps, raster_group, split_k, register_rows, register_vectors, "
                     "threads, SPLIT_N, num_stages, num_warps, GROUP_SIZE_ROW, but got SPLIT_M"),
    ({"SPLIT_N": 3}, "expected SPLIT_N to divide N = 256, but got 3"),
    ({"SPLIT_N": 512}, "expected SPLIT_N from 1 to 256, but got 512"),
    ({"SPLIT_N": 0}, "expected 'SPLIT_N' to be a positive integer, but got 0"),
    ({"SPLIT_N": 2.0}, "expected 'SPLIT_N' to be a positive integer, but got 2.0"),
    ({"num_stages": True}, "expected 'num_stages' to be a positive integer, but got True"),
    ({"raster_group": 2**31}, "expected 'raster_group' to be a positive integer, but got 2147483648"),
    ({"tile": (16, 64, 16), "SPLIT_N": 4}, "expected 'tile' or 'SPLIT_N', but got both"),
    ({"stages": 3, "num_stages": 3}, "expected 'stages' or 'num_stages', but got both"),
    ({"tile": 64}, "expected 'tile' of three positive sizes"),
    ({"tile": (16, 64, -16)}, "expected 'tile' of three positive sizes"),
    ({"tile": (24, 64, 16)}, "expected the tile's M to be a multiple of the block's 16 rows or, as a multiple of 8, a divisor of them, but got 24"),
    ({"tile": (16, 60, 16)}, "expected the tile's N to be a multiple of 8, but got 60"),
])
def test_what_cannot_be_is_refused_by_name(sattn, operands, meta, message):
    bsr, b, _ = operands
    with pytest.raises(ValueError) as error:
        sattn.bsr_dense_addmm(None, bsr, b, beta=0, meta=meta)
    assert str(error.value).startswith("argument 'meta': ")
    assert message in str(error.value)


@pytest.mark.parametrize("meta", [None, {"tile": (16, 64, 16)}])
def test_a_hundred_changes_need_few_kernels(sattn, meta):
    rng = np.random.default_rng(1)
    sattn.cache.clear()

    def change(index):
        lengths = rng.integers(0, 7, 4)
        crow = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        col = np.concatenate([np.sort(rng.permutation(6)[:length]) for length in lengths]).astype(np.int32)
        values = rng.standard_normal((len(col), 16, 16), np.float32)
        b = rng.standard_normal((96, 2 + 3 * index), np.float32)  # N = 1, a row too, has a program of its own.
        alpha = float(rng.standard_normal())
        result = sattn.bsr_dense_addmm(None, (crow, col, values), b, beta=0, alpha=alpha, meta=meta)
        rows = np.repeat(np.arange(4), lengths)
        a = np.zeros((4, 6, 16, 16), np.float32)
        a[rows, col] = values
        assert np.abs(result - alpha * (a.transpose(0, 2, 1, 3).reshape(64, 96) @ b)).max() < 1e-3

    needed = [compilations(sattn, lambda: change(index)) for index in range(100)]
    assert 1 <= sum(needed) <= 4
    if meta:
        assert not any(needed[1:])


def test_a_look_up_is_remembered_by_shape_and_sparsity(sattn, operands, monkeypatch):
    (crow, col, values), b, _ = operands
    sattn.cache.clear()
    asked = []
    choose = sattn._call.cache.tuning.choose

    def counted(tables, source, target, *facts):
        asked.append(facts)
        return choose(tables, source, target, *facts)

    monkeypatch.setattr(sattn._call.cache.tuning, "choose", counted)

    def multiply(alpha=1.0, n=256, bsr=(crow, col, values)):
        sattn.bsr_dense_addmm(None, bsr, np.ascontiguousarray(b[:, :n]), beta=0, alpha=alpha)

    multiply()
    multiply(alpha=2.0)
    multiply(bsr=(crow.copy(), col.copy(), values + 1))
    assert asked == [((64, 256, 96), 11, 1, (), None)]
    assert sattn.cache.info().choices == 1
    multiply(n=100)
    fewer = np.minimum(crow, 8).astype(np.int32)
    multiply(bsr=(fewer, col[:8], values[:8]))
    multiply(bsr=(fewer, col[:8], values[:8]))
    assert asked[1:] == [((64, 100, 96), 11, 1, (), None), ((64, 256, 96), 8, 1, (), None)]
    assert sattn.cache.info().choices == 3


def run(stub_cuda, tmp_path, code, **environment):
    """The output of a process of its own: the driver's device is opened once for each."""
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), **environment}
    environment.setdefault("PYTHONPATH", os.pathsep.join(sys.path))
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env=environment)


CHOSEN = """
import sattn
from sattn._ops.bsr_addmm import BsrAddmm
source = BsrAddmm(dtype="bf16", beta=0.0)
print(sattn.cache.chosen(source, 0, (192, 512, 192), 4))
print(sattn.cache.chosen(source, 0, (192, 512, 192), 4, row=("SPLIT_N=4", "num_stages=20")))
"""


def test_rows_are_those_of_the_device(sattn, stub_cuda, tmp_path):
    # The row of the shipped table is (2, 8, 3, 4) of GROUP_SIZE_ROW, SPLIT_N, num_stages, num_warps.
    row, given = run(stub_cuda, tmp_path, CHOSEN, **A100).stdout.splitlines()
    assert row == "tile = [64, 64, 64], stages = 3, warps = 4, raster_group = 2"
    # Given ones, as many stages as the device's shared memory holds.
    assert given == "tile = [64, 128, 64], stages = 6"
    other = run(stub_cuda, tmp_path, CHOSEN, **{**A100, "STUB_CUDA_NAME": "Any 'other' GPU"}).stdout.splitlines()
    assert other[0] == "tile = [64, 64, 64]"
    assert other[1] == given


def test_the_layout_of_dense_is_a_fact(sattn, operands, monkeypatch):
    """As for the compiler's pass, which sees it in the program."""
    tuning, seen = sattn._call.cache.tuning, []
    read, free, choose, *_ = tuning._functions()

    def noted(tables, op, facts, *others):
        seen.extend(fact.number for fact in facts if fact.name == b"along_k")
        return choose(tables, op, facts, *others)

    monkeypatch.setattr(tuning, "_functions", lambda: (read, free, noted))
    for is_transposed in (False, True):
        source = sattn._ops.bsr_addmm.BsrAddmm(dtype="f32", out="f32", transpose_b=is_transposed)
        assert tuning.choose(None, source, "cpu", (64, 256, 96), 11, 1, ()).startswith("tile = [")
    assert seen == [0, 1]


def test_tables_of_the_environment_and_what_is_wrong_with_them(sattn, stub_cuda, tmp_path):
    table = tmp_path / "table.json"
    table.write_text(json.dumps({"format": "sattn-meta-table", "version": 1, "sections": [
        {"op": "bsr_addmm", "device": "Stub GPU", "version": 0, "dtype": "bf16", "sparsity": 0.56,
         "parameters": ["tile_n", "stages"], "rows": [[[192, 192, 512, 64, 64, True, False, True], [128, 2]]]}]}))
    done = run(stub_cuda, tmp_path, CHOSEN, SATTN_META_TABLE=str(table))
    assert done.stdout.splitlines()[0] == "tile = [64, 128, 64], stages = 2"
    assert not done.stderr
    table.write_text(table.read_text()[:100])
    done = run(stub_cuda, tmp_path, CHOSEN, SATTN_META_TABLE=str(table))
    assert done.stdout.splitlines()[0] == "tile = [64, 64, 64], raster_group = 1"
    assert f"RuntimeWarning: meta table '{table}': expected JSON, but got" in done.stderr


PROGRAM = """
import sattn
program = sattn.compile('''
func.func @f(%crow: tensor<4xi32>, %col: tensor<4xi32>, %values: tensor<4x64x64xbf16>,
             %b: tensor<192x512xbf16>, %out: tensor<192x512xbf16>) -> tensor<192x512xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<4xi32>, tensor<4xi32>, tensor<4x64x64xbf16>, tensor<192x512xbf16>)
      outs(%out : tensor<192x512xbf16>) -> tensor<192x512xbf16>
  return %0 : tensor<192x512xbf16>
}''', "cuda", options=OPTIONS)
print(program.messages)
"""


def test_programs_take_the_rows_of_the_device(sattn, stub_cuda, tmp_path):
    said = run(stub_cuda, tmp_path, PROGRAM.replace("OPTIONS", "''"), **A100).stdout
    assert ("tile parameters from row (192, 192, 512, 64, 64, true, false, true) of bsr_addmm, NVIDIA A100-SXM4-80GB, "
            "bf16, sparsity 0.56 in the shipped table (exact): #sattn.meta<tile = [64, 64, 64], stages = 3, warps = 4, "
            "raster_group = 2>") in said
    said = run(stub_cuda, tmp_path, PROGRAM.replace("OPTIONS", "'device=Other'"), **A100).stdout
    assert "tile parameters from the computed default (no table has a row that does for bsr_addmm" in said
