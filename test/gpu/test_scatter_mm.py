"""scatter_mm on a Hopper GPU against the double-precision Reference."""

import json

import numpy as np
import pytest

from scatter_cases import FORMATS, Case, arguments, cases, operands, program


def gpu_cases():
    """The cases, and f32, in tf32 and as it is."""
    found = cases()
    for format in FORMATS:
        for block in ((2, 3), (16, 16), (64, 64), (128, 128)):
            for precision in ("tf32", ""):
                found.append(Case(f"{format}-{precision or 'ieee'}-{block[0]}x{block[1]}", format=format, dtype="f32",
                                  precision=precision, block=block))
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


@pytest.mark.parametrize("format", FORMATS)
def test_same_bits_in_every_run_and_schedule(sparse_run, format, tmp_path):
    case = Case("many", format=format, down=16, across=8, other=16, density=0.5)
    results = []
    for how in ("specialized", "specialized", "plain"):
        out = tmp_path / "result.npy"
        done = run(sparse_run, case, tmp_path, f"--out={out}", f"--schedule={how}")
        assert done.returncode == 0, done.stderr
        results.append(np.load(out).tobytes())
    assert results[0] == results[1] == results[2]
