"""sampled_addmm on the CPU against the Reference, and the Reference against NumPy."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from sampled_cases import Case, arguments, cases, narrow_cases, operands, program  # noqa: E402


def cpu_cases():
    """The GPU's cases, and f32, which is IEEE."""
    found = cases() + narrow_cases()
    for block in ((8, 8), (24, 40), (64, 64), (128, 32)):
        for is_transposed in (False, True):
            found.append(Case(f"f32-{block[0]}x{block[1]}{'-transposed' * is_transposed}", dtype="f32", block=block,
                              shape=(3 * block[0], 130, 4 * block[1]), beta=0.5, is_transposed=is_transposed))
    found.append(Case("bf16-result-of-f32", dtype="f32", out="bf16", beta=1.0))
    # No f32 has the scalars: the tolerance is of f64.
    for block in ((8, 8), (24, 40), (64, 64), (128, 32)):
        for is_transposed in (False, True):
            found.append(Case(f"f64-{block[0]}x{block[1]}{'-transposed' * is_transposed}", dtype="f64", block=block,
                              shape=(3 * block[0], 130, 4 * block[1]), alpha=0.1, beta=0.3, is_transposed=is_transposed))
    found += [Case("f64-input", dtype="f64", alpha="0.1", beta="0.3", has_input=True),
              Case("f64-no-depth", dtype="f64", shape=(256, 0, 320), alpha=0.1, beta=0.3),
              Case("f64-empty-rows", dtype="f64", pattern="empty_rows", alpha=0.1, beta=0.3),
              Case("f64-static", dtype="f64", static=True, alpha=0.1)]
    return found


def run(tools, case, folder, *options):
    arrays = operands(case)
    (folder / "program.mlir").write_text(program(case, arrays))
    done = subprocess.run([tools / "sparse-run", "--target=cpu", "--json", *options, folder / "program.mlir",
                           *arguments(case, arrays, folder)], capture_output=True, text=True, check=False)
    return done, arrays


@pytest.mark.share(6)
@pytest.mark.parametrize("case", cpu_cases(), ids=lambda case: case.name)
def test_agrees_with_reference(built_tools, case, tmp_path):
    done, _ = run(built_tools, case, tmp_path, "--check")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"]


def test_is_the_product_at_the_blocks(built_tools, tmp_path):
    case = Case("", dtype="f32", block=(16, 8), shape=(64, 33, 40), alpha=2.0, beta=0.5, has_input=True)
    done, arrays = run(built_tools, case, tmp_path, f"--out={tmp_path / 'result.npy'}")
    assert done.returncode == 0, done.stderr
    product = 2 * arrays["mat1"].astype(float) @ arrays["mat2"] 
    rows = np.repeat(np.arange(4), np.diff(arrays["crow"]))
    wanted = np.stack([product[16 * i:16 * i + 16, 8 * j:8 * j + 8] for i, j in zip(rows, arrays["col"])])
    np.testing.assert_allclose(np.load(tmp_path / "result.npy"), wanted + 0.5 * arrays["input"], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name, change, message", [
    ("col", lambda a: a.fill(7), "expected block columns in [0, 5), but got 7"),
    ("crow", lambda a: a.fill(100), "expected offsets in [0, "),
], ids=["column", "offset"])
def test_refuses_wrong_indices(built_tools, tmp_path, name, change, message):
    case = Case("", shape=(256, 64, 320))
    arrays = operands(case)
    change(arrays[name])
    (tmp_path / "program.mlir").write_text(program(case, arrays))
    done = subprocess.run([built_tools / "sparse-run", "--target=cpu", tmp_path / "program.mlir",
                           *arguments(case, arrays, tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert message in done.stderr
