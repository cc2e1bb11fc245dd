"""An op that the compiler has never heard of, on the CPU, against its definition in NumPy.

The package's compiler does not know the op either: it takes the op's tile programs, which are upstream's dialects.
"""

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
from bsr_cases import DTYPES  # noqa: E402
from two_products import CASES, operands, program, results  # noqa: E402

SMALL = [dataclasses.replace(case, block_rows=min(case.block_rows, 12)) for case in CASES]


def tiled(tools, case):
    """The program after sattn-tile, of which nothing tells that its columns are in bounds."""
    done = subprocess.run([tools / "sattn-test-opt", "--sattn-tile"], input=program(case), capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "sattn_test" not in done.stdout
    text, count = re.subn(r"(func\.func .*) \{$", r"\1 attributes {sattn.unchecked} {", done.stdout, flags=re.M)
    assert count == 1
    return text


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_agrees_with_definition(sattn, built_tools, case):
    arrays = operands(case)
    expected, maximum = results(case, arrays)
    passed = {name: array.view(np.uint16) if array.dtype.name == "bfloat16" else array
              for name, array in arrays.items()}
    sattn.compile(tiled(built_tools, case))(*passed.values())
    if case.exact:
        np.testing.assert_array_equal(arrays["m"], maximum)
        np.testing.assert_array_equal(arrays["o"], expected.astype(np.float32).astype(DTYPES[case.out]))
    else:
        # Rounding between the products may go to the other neighbour.
        np.testing.assert_allclose(arrays["m"], maximum, rtol=2**-7)
        assert np.linalg.norm(arrays["o"] - expected) < 2e-3 * np.linalg.norm(expected)
