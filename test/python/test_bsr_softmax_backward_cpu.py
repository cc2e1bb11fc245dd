"""sattn.bsr_softmax_backward on the CPU against the Reference, and against NumPy in double precision."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from softmax_cases import Case, arguments, gradient, operands, program  # noqa: E402

TOLERANCE = {"f16": 1e-3, "bf16": 8e-3, "f32": 2e-6, "f64": 1e-15}


def cases():
    """Every element type and size of blocks, and every edge of the definition."""
    for dtype in TOLERANCE:
        for block in ((1, 1), (2, 3), (15, 15), (16, 32), (64, 64), (67, 9), (8, 200)):
            yield Case(f"{dtype}-{block[0]}x{block[1]}", dtype=dtype, block=block)
    for pattern in ("empty", "empty_rows", "window", "-inf"):
        yield Case(pattern, dtype="f32", block=(12, 20), pattern=pattern)
    for batch in ((1,), (3,), (2, 3)):
        yield Case(f"batch-{len(batch)}-{batch[0]}", dtype="f32", block=(4, 6), batch=batch, index="i64")
    yield Case("one-row", dtype="f32", block=(1, 64), blocks=(1, 40), density=1)
    yield Case("long-rows", dtype="f32", block=(2, 50), blocks=(2, 3000), density=0.9)
    yield Case("static", dtype="f16", static=True)
    yield Case("no-rows", dtype="f32", blocks=(0, 5))
    # Tiles that the compiler would not choose: parts of rows, clipped parts, several parts of a step.
    for tile in ((5, 8, 8), (15, 16, 48), (1, 9, 9), (1, 16, 256)):
        yield Case(f"tile-{'-'.join(map(str, tile))}", dtype="f32", block=(15, 9), tile=tile)


@pytest.mark.share(3)
@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.name)
def test_agrees_with_the_definition(built_tools, case, tmp_path):
    case = Case(**{**vars(case), "gradient": True})
    arrays = operands(case)
    (tmp_path / "program.mlir").write_text(program(case, arrays))
    done = subprocess.run([built_tools / "sparse-run", "--target=cpu", "--json", "--check", f"--out={tmp_path / 'result.npy'}",
                           tmp_path / "program.mlir", *arguments(case, arrays, tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"]
    found = np.load(tmp_path / "result.npy")
    if case.dtype == "bf16":
        found = found.view(arrays["grad_in"].dtype)
    expected = gradient(arrays["crow"], arrays["output"], arrays["grad_out"])
    first, last = arrays["crow"][0], arrays["crow"][-1]
    for blocks in (slice(0, first), slice(last, None)):  # A block of no row.
        assert np.array_equal(found[..., blocks, :, :], arrays["grad_in"][..., blocks, :, :])
    np.testing.assert_allclose(found[..., first:last, :, :].astype(float), expected[..., first:last, :, :],
                               atol=TOLERANCE[case.dtype], rtol=0)
