"""Gradients of sparse products by PyTorch's autograd on a GPU, beside float64."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
sattn = pytest.importorskip("sattn")
nn = pytest.importorskip("sattn.nn")
sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))
from autograd_steps import check_capture, check_memory  # noqa: E402
from bsr_gradient_cases import CASES, errors, expected, gradients, names_of, operands  # noqa: E402

TOLERANCE = {torch.float16: 3e-3, torch.bfloat16: 2e-2, torch.float32: 1e-5}
pytestmark = pytest.mark.filterwarnings("ignore:Sparse BSR tensor support")


@pytest.mark.parametrize("dtype", TOLERANCE, ids=lambda dtype: str(dtype).removeprefix("torch."))
@pytest.mark.parametrize("name", CASES)
def test_agree_with_float64(name, dtype):
    case = CASES[name]
    needs = names_of(case)
    found = gradients(case, "cuda", dtype, needs)
    assert max(errors(found, expected(case, "cuda", dtype, needs))) < TOLERANCE[dtype]


def test_a_captured_step():
    """Forward and backward in one CUDA graph, replayed on other values."""
    crow, col, own, grad = operands(CASES["plain"], "cuda", torch.bfloat16)
    values, dense = own["values"].requires_grad_(), own["dense"].requires_grad_()

    def step():
        return torch.autograd.grad(sattn.bsr_dense_mm((crow, col, values), dense), (values, dense), grad)

    check_capture(step, lambda: (values.mul_(2), dense.add_(1)))


def test_memory_does_not_grow():
    crow, col, own, grad = operands(CASES["plain"], "cuda", torch.bfloat16)
    values, dense = own["values"].requires_grad_(), own["dense"].requires_grad_()

    def step():
        sattn.bsr_dense_mm((crow, col, values), dense).backward(grad)

    check_memory(step)


def test_a_layer_trains():
    """Losses of 20 steps, beside those of the dense layer with the same weights, whose gradient is cut to the pattern."""
    torch.manual_seed(0)
    dense = torch.nn.Linear(256, 128, device="cuda")
    layer = nn.BsrLinear.from_dense(dense, block=32, sparsity=0.5)
    weight = sattn.bsr_to_dense(torch.sparse_bsr_tensor(layer.crow, layer.col, layer.values.detach(), (128, 256)))
    pattern, weight, bias = weight != 0, weight.requires_grad_(), dense.bias.detach().clone().requires_grad_()
    x = torch.randn(64, 256, device="cuda")
    runs = []
    for parameters, result in ((list(layer.parameters()), lambda: layer(x)),
                               ([weight, bias], lambda: torch.nn.functional.linear(x, weight * pattern, bias))):
        optimizer, losses = torch.optim.SGD(parameters, lr=0.5), []
        for _ in range(20):
            optimizer.zero_grad()
            loss = (result() - 1).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        runs.append(losses)
    assert runs[0] == pytest.approx(runs[1], rel=1e-4)
    assert runs[0][-1] < 0.5 * runs[0][0]
