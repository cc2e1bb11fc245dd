"""compute-sanitizer finds nothing in kernels of attention, with and without delays, and their results are right.

Skipped where there is no compute-sanitizer.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from attention_programs import VARIANTS, program  # noqa: E402
from attention_reference import Sizes, attention, operands  # noqa: E402
from test_attention import TOLERANCE  # noqa: E402
from test_sanitizer import SANITIZER  # noqa: E402

SIZES = Sizes(queries=600, keys=512, heads=3)


@pytest.mark.skipif(SANITIZER is None, reason="needs compute-sanitizer")
@pytest.mark.parametrize("check", ["memcheck", "synccheck", "racecheck"])
@pytest.mark.parametrize("how", ["--schedule=specialized", "--schedule=plain", "--chip=sm_80", "--delays=1000"])
@pytest.mark.parametrize("case", ["dense", "causal", "list", "lse", "d64causal", "d256"])
def test_nothing_is_found(sparse_run, case, how, check, tmp_path):
    variant = VARIANTS[case]
    arrays = operands(variant, SIZES)
    expected, lse = attention(variant, arrays)
    path = tmp_path / "program.mlir"
    path.write_text(program(variant))
    words = []
    for name, value in arrays.items():
        if not isinstance(value, np.ndarray):
            words.append(value)
            continue
        words.append(tmp_path / f"{name}.npy")
        np.save(words[-1], value)
    done = sparse_run("--target=cuda", f"--out={tmp_path}/result.npy", how, path, *words,
                      wrapper=[SANITIZER, "--tool", check, "--report-api-errors", "no", "--error-exitcode", "9"])
    assert done.returncode == 0, done.stdout + done.stderr
    result = np.load(tmp_path / "result.npy")
    # The last result is written.
    if variant.lse:
        assert np.abs(result - lse).max() <= 1e-3
        return
    result = (result.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    assert np.abs(result - expected).max() <= TOLERANCE[variant.dtype] * np.abs(expected).max()
