"""An op that the compiler has never heard of, on a GPU, against its definition in NumPy.

Needs sattn-test-run among the tools, and what `two_products.py` compiled in build/two_products.
"""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from bsr_cases import DTYPES, save
from two_products import CASES, CHIPS, SCHEDULES, operands, results

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build" / "two_products"
RUNNER = ROOT / "build" / "bin" / "sattn-test-run"


def load(path, like):
    """An array as it was saved: NumPy knows bf16 only as two bytes."""
    array = np.load(path)
    return array if array.dtype == like.dtype else array.view(like.dtype)


@pytest.mark.skipif(not RUNNER.exists() or not PROGRAMS.exists(), reason="needs build/two_products")
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_agrees_with_definition(case, chip, schedule, tmp_path):
    arrays = operands(case)
    paths = [save(tmp_path / f"{name}.npy", array) for name, array in arrays.items()]
    program = PROGRAMS / f"{case.name}-{chip}-{schedule}"
    done = subprocess.run([RUNNER, program.with_suffix(".json"), program.with_suffix(".ptx"), *paths],
                          capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    o, m = (load(tmp_path / f"{name}.npy", arrays[name]) for name in ["o", "m"])
    expected, maximum = results(case, arrays)
    if case.exact:
        np.testing.assert_array_equal(m, maximum)
        np.testing.assert_array_equal(o, expected.astype(np.float32).astype(DTYPES[case.out]))
    else:
        # Rounding between the products may go to the other neighbour.
        np.testing.assert_allclose(m, maximum, rtol=2**-7)
        assert np.linalg.norm(o - expected) < 2e-3 * np.linalg.norm(expected)
