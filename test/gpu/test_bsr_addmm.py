"""bsr_addmm on a Hopper GPU against the double-precision Reference."""

import json

import numpy as np
import pytest

from bsr_cases import Case, arguments, gpu_cases, narrow_cases, operands, program, row_block_group_cases, save


def run(sparse_run, case, folder, *options, values=None):
    path = folder / "program.mlir"
    path.write_text(program(case))
    return sparse_run("--target=cuda", "--json", *options, path, *(values or arguments(case, folder)))


@pytest.mark.parametrize("how", ["schedule=specialized", "schedule=plain", "chip=sm_80"])
@pytest.mark.parametrize("case", gpu_cases(), ids=lambda case: case.name)
def test_agrees_with_reference(sparse_run, case, how, tmp_path):
    # tf32 has 10 bits of mantissa.
    tolerance = ["--tolerance=2e-3"] if case.precision else []
    done = run(sparse_run, case, tmp_path, "--check", f"--{how}", *tolerance)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"]


@pytest.mark.parametrize("how", ["schedule=specialized", "schedule=plain", "chip=sm_80"])
@pytest.mark.parametrize("case", narrow_cases(), ids=lambda case: case.name)
def test_factors_of_8_bits(sparse_run, case, how, tmp_path):
    # Hopper's MMAs of 8-bit floats add up with about 14 bits.
    tolerance = ["--tolerance=1e-3"] if case.dtype != "i8" and case.out == "f32" else []
    done = run(sparse_run, case, tmp_path, "--check", f"--{how}", *tolerance)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"]


@pytest.mark.parametrize("case", row_block_group_cases(), ids=lambda case: case.name)
def test_agrees_with_reference_prepared(sparse_run, case, tmp_path):
    done = run(sparse_run, case, tmp_path, "--check", "--prepare", "--launches=3")
    assert done.returncode == 0, done.stderr


def test_result_is_written_everywhere(sparse_run, tmp_path):
    """A result that holds NaN before is finite after, and the same in every run."""
    case = Case("poisoned", shape=(512, 512, 200), nan_in=("out",))
    values = arguments(case, tmp_path)
    results = []
    for i in range(3):
        out = tmp_path / f"result{i}.npy"
        done = run(sparse_run, case, tmp_path, f"--out={out}", values=values)
        assert done.returncode == 0, done.stderr
        results.append(np.load(out).tobytes())
    assert results[0] == results[1] == results[2]


def refused(sparse_run, case, folder, *expected, values=None):
    out = folder / "result.npy"
    done = run(sparse_run, case, folder, f"--out={out}", values=values)
    assert done.returncode == 1 and not out.exists()
    for text in expected:
        assert text in done.stderr, done.stderr


def test_refuses_wrong_shape(sparse_run, tmp_path):
    case = Case("shape", shape=(128, 128, 64))
    values = arguments(case, tmp_path)
    values[5] = str(save(tmp_path / "short.npy", operands(case, 0)["b"][:100]))
    refused(sparse_run, case, tmp_path, "argument 'b'", "got 100", values=values)


def test_refuses_column_out_of_range(sparse_run, tmp_path):
    case = Case("column", shape=(128, 128, 64))
    values = arguments(case, tmp_path)
    col = operands(case, 0)["col"]
    col[0] = 99
    values[3] = str(save(tmp_path / "far.npy", col))
    refused(sparse_run, case, tmp_path, "argument 'col'", "99", values=values)


@pytest.mark.parametrize("how", ["schedule=specialized", "schedule=plain", "chip=sm_80"])
@pytest.mark.parametrize("block", [8, 16, 24, 64, 128])
def test_ieee_f32(sparse_run, block, how, tmp_path):
    case = Case("f32", dtype="f32", block=(block, block), tile=(min(block, 64), 64, min(block, 32)),
                shape=(4 * block, 3 * block, 200), beta=0.5)
    done = run(sparse_run, case, tmp_path, "--check", "--tolerance=2e-6", f"--{how}")
    assert done.returncode == 0, done.stderr
