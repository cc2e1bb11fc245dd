"""sampled_addmm on a Hopper GPU against the double-precision Reference."""

import dataclasses
import json

import numpy as np
import pytest

from sampled_cases import Case, arguments, cases, narrow_cases, operands, program


def gpu_cases():
    """The cases, and f32, in tf32 and as it is."""
    found = cases()
    for block in ((8, 8), (24, 40), (64, 64), (128, 128)):
        for is_transposed in (False, True):
            for precision in ("tf32", ""):
                found.append(Case(f"{precision or 'ieee'}-{block[0]}x{block[1]}{'-transposed' * is_transposed}", dtype="f32",
                                  precision=precision, block=block, shape=(3 * block[0], 130, 4 * block[1]), beta=0.5,
                                  is_transposed=is_transposed))
    return found


def run(sparse_run, case, folder, *options):
    arrays = operands(case)
    path = folder / "program.mlir"
    path.write_text(program(case, arrays))
    return sparse_run("--target=cuda", "--json", *options, path, *arguments(case, arrays, folder))


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


def test_result_is_written_everywhere(sparse_run, tmp_path):
    """A result that holds NaN before is finite after, and the same in every run and schedule."""
    case = Case("poisoned", shape=(512, 512, 512), nan_in=("out",))
    results = []
    for how in ("specialized", "specialized", "plain"):
        out = tmp_path / "result.npy"
        done = run(sparse_run, case, tmp_path, f"--out={out}", f"--schedule={how}")
        assert done.returncode == 0, done.stderr
        results.append(np.load(out).tobytes())
    assert results[0] == results[1] == results[2]


def test_many_launches(sparse_run, tmp_path):
    case = dataclasses.replace(Case("many"), shape=(1024, 512, 1024), density=0.5)
    done = run(sparse_run, case, tmp_path, "--check", "--launches=20")
    assert done.returncode == 0, done.stderr
