"""The GPU tests' programs, and what only the CPU takes, on the CPU against the Reference."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from bsr_cases import Case, arguments, gpu_cases, narrow_cases, program  # noqa: E402


def wide_cases():
    """f64, which only the CPU has. No f32 has the scalars: the tolerance is of f64."""
    both = ("transpose_b", "transpose_out")
    cases = []
    for block in ((8, 8), (16, 16), (24, 40), (64, 64), (16, 128), (128, 32)):
        for transposes in ((), both):
            cases.append(Case(f"f64-{block[0]}x{block[1]}{'-linear' if transposes else ''}", dtype="f64", block=block,
                              tile=(block[0], 64, block[1]), shape=(block[0] * 6, block[1] * 5, 100), alpha=0.1, beta=0.3,
                              transposes=transposes))
    for n in (1, 7, 37, 200):
        cases.append(Case(f"f64-columns-{n}", dtype="f64", shape=(256, 320, n), pad=False, alpha="0.1", beta="0.3"))
    return cases + [
        Case("f64-operands", dtype="f64", operands=("input", "left", "right"), alpha=0.1, beta=-1.7),
        Case("f64-constant-left", dtype="f64", operands=("left",), alpha="0.1", beta="0.0", nan_in=("out",)),
        Case("f64-static", dtype="f64", static=True, alpha="0.7", beta=1.0),
        Case("f64-batches", dtype="f64", batches=((2,), (3, 1), (3, 2)), shape=(128, 192, 70), alpha=0.1),
        Case("f64-i64", dtype="f64", index="i64", pattern="skewed", density=0.2),
        Case("f64-duplicates", dtype="f64", pattern="duplicates"),
        Case("f64-empty", dtype="f64", pattern="empty", alpha=float("nan"), beta=0.1),
        Case("f64-empty-rows", dtype="f64", pattern="empty_rows", alpha=0.1, beta=0.3),
        Case("f64-alpha-0", dtype="f64", alpha=0.0, beta=0.1, operands=("input",), nan_in=("values", "b")),
        Case("f64-no-depth", dtype="f64", shape=(128, 0, 128), density=0.0, pattern="empty", beta=0.1),
        Case("f64-no-columns", dtype="f64", shape=(128, 128, 0), beta=0.1)]


def cpu_cases():
    """The GPU's cases in small, then all dtypes, odd blocks, unpadded rows."""
    cases = [dataclasses.replace(case, shape=(min(case.shape[0], 640 // case.block[0] * case.block[0]), case.shape[1],
                                              min(case.shape[2], 520)))
             for case in gpu_cases() if not case.schedule or case.name.endswith("-few")]
    for dtype in ("f32", "f16", "bf16"):
        for block in ((8, 8), (16, 16), (24, 40), (16, 128), (32, 32)):
            cases.append(Case(f"{dtype}-{block[0]}x{block[1]}", dtype=dtype, block=block,
                              tile=(block[0], 64, block[1]), shape=(block[0] * 6, block[1] * 5, 100), beta=0.5))
    cases.append(Case("unpadded-columns", shape=(128, 128, 7), pad=False))
    cases.append(Case("bf16-result-of-f32", dtype="f32", out="bf16", beta=1.0))
    both = ("transpose_b", "transpose_out")
    for dtype in ("f32", "f16", "bf16"):
        for n in (1, 37, 200):
            cases.append(Case(f"linear-{dtype}-{n}", dtype=dtype, shape=(256, 320, n), transposes=both))
        cases.append(Case(f"linear-{dtype}-24x40", dtype=dtype, block=(24, 40), tile=(24, 64, 40),
                          shape=(144, 200, 100), beta=0.5, transposes=both))
    for attribute in both:
        cases.append(Case(f"linear-{attribute}", shape=(256, 320, 100), beta=0.5, transposes=(attribute,)))
    cases += [Case("linear-operands", shape=(256, 320, 150), alpha=1.5, beta=0.5,
                   operands=("input", "left", "right"), transposes=both),
              Case("linear-few-blocks", shape=(256, 320, 90), density=0.05, beta="1.0", transposes=both),
              Case("linear-batches", shape=(128, 192, 70), batches=((2,), (3, 1), (3, 2)), transposes=both),
              Case("linear-f32-of-bf16", out="f32", shape=(128, 192, 70), static=True, transposes=both)]
    cases += [dataclasses.replace(case, schedule="") for case in narrow_cases()]
    cases.append(Case("i8-8x8", dtype="i8", out="i32", block=(8, 8), tile=(8, 64, 8), shape=(48, 40, 30)))
    return cases + wide_cases()


@pytest.mark.share(6)
@pytest.mark.parametrize("case", cpu_cases(), ids=lambda case: case.name)
def test_agrees_with_reference(built_tools, case, tmp_path):
    path = tmp_path / "program.mlir"
    path.write_text(program(case))
    done = subprocess.run([built_tools / "sparse-run", "--target=cpu", "--json", "--check", path,
                           *arguments(case, tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"]
