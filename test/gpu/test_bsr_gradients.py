"""Gradients of sparse products by PyTorch's autograd on a GPU, beside float64."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
sattn = pytest.importorskip("sattn")
sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))
from bsr_gradient_cases import CASES, errors, expected, gradients, names_of  # noqa: E402

TOLERANCE = {torch.float32: 3e-6, torch.float16: 3e-3, torch.bfloat16: 2e-2}


@pytest.mark.parametrize("dtype", TOLERANCE, ids=lambda dtype: str(dtype).removeprefix("torch."))
@pytest.mark.parametrize("name", CASES)
def test_agree_with_float64(name, dtype):
    needs = names_of(CASES[name])
    found = gradients(CASES[name], "cuda", dtype, needs)
    assert max(errors(found, expected(CASES[name], "cuda", dtype, needs))) < TOLERANCE[dtype]
