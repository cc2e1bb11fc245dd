"""Gradients of bsr_softmax by PyTorch's autograd on a GPU, beside float64."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
sattn = pytest.importorskip("sattn")
sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))
from autograd_steps import check_capture, check_memory  # noqa: E402
from bsr_gradient_cases import Case  # noqa: E402
from softmax_gradient_cases import CASES, definition, expected, gradient, problem  # noqa: E402

TOLERANCE = {torch.float16: 3e-3, torch.bfloat16: 2e-2, torch.float32: 1e-5}
pytestmark = pytest.mark.filterwarnings("ignore:Sparse BSR tensor support")


def error(found, wanted):
    return float((found.double() - wanted).norm() / wanted.norm())


@pytest.mark.parametrize("dtype", TOLERANCE, ids=lambda dtype: str(dtype).removeprefix("torch."))
@pytest.mark.parametrize("name", CASES)
def test_agree_with_float64(name, dtype):
    found, wanted = gradient(CASES[name], "cuda", dtype), expected(CASES[name], "cuda", dtype)
    assert found.shape == wanted.shape and found.dtype == dtype and error(found, wanted) < TOLERANCE[dtype]


@pytest.mark.parametrize("dtype", TOLERANCE, ids=lambda dtype: str(dtype).removeprefix("torch."))
@pytest.mark.parametrize("block", [(1, 1), (2, 3), (15, 15), (8, 8), (16, 16), (16, 32), (64, 64), (128, 128), (67, 9), (24, 200)], ids=str)
def test_rows_of_all_lengths(block, dtype):
    """Block rows of 0 to 200 blocks: some end with the first steps, some after them."""
    torch.manual_seed(0)
    counts = torch.tensor([0, 1, 15, 16, 17, 31, 33, 64, 0, 79, 81, 200])
    crow = torch.cat([torch.zeros(1), counts.cumsum(0)]).to("cuda", torch.int32)
    col = torch.cat([torch.arange(int(count)) for count in counts]).to("cuda", torch.int32)
    values = torch.randn(len(col), *block, device="cuda").to(dtype).requires_grad_()
    grad = torch.randn(values.shape, device="cuda").to(dtype)
    found = torch.autograd.grad(sattn.bsr_softmax((crow, col, values))[2], values, grad)[0]
    wide = values.detach().double().requires_grad_()
    assert error(found, torch.autograd.grad(definition(crow, wide), wide, grad.double())[0]) < TOLERANCE[dtype]


def test_two_runs_give_the_same_bits():
    for name in ("plain", "odd_blocks", "wide_blocks"):
        assert torch.equal(*(gradient(CASES[name], "cuda", torch.bfloat16) for _ in range(2)))


def test_rows_of_nothing_but_infinities():
    crow, col, values, grad = problem(CASES["plain"], "cuda", torch.float32)
    values[:, 3] = -torch.inf
    values.requires_grad_()
    found = torch.autograd.grad(sattn.bsr_softmax((crow, col, values))[2], values, grad)[0]
    assert (found[:, 3] == 0).all() and found.isfinite().all()


def test_a_captured_step():
    """Forward and backward in one CUDA graph, replayed on other values."""
    crow, col, values, grad = problem(Case(block=(64, 64)), "cuda", torch.bfloat16)
    values.requires_grad_()

    def step():
        return torch.autograd.grad(sattn.bsr_softmax((crow, col, values))[2], values, grad)

    check_capture(step, lambda: values.mul_(2))


def test_memory_does_not_grow():
    crow, col, values, grad = problem(CASES["plain"], "cuda", torch.bfloat16)
    values.requires_grad_()

    def step():
        sattn.bsr_softmax((crow, col, values))[2].backward(grad)

    check_memory(step)
