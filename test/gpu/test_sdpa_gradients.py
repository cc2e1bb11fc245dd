"""Gradients of sattn.scaled_dot_product_attention by PyTorch's autograd on a GPU, beside float64."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
sattn = pytest.importorskip("sattn")
sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))
from sdpa_gradient_cases import CASES, Case, errors, expected, found, operands, pattern  # noqa: E402

TOLERANCE = {torch.float16: 5e-3, torch.bfloat16: 3e-2, torch.float32: 2e-5}
pytestmark = pytest.mark.filterwarnings("ignore:Sparse BSR tensor support")
# Heads up to the widest, blocks of all sizes that lists have, and several of them for a tile.
WIDER = {f"{columns} columns, blocks of {block}": Case(columns=(columns, columns), block=(block, block), dropout=dropout)
         for columns, block, dropout in ((64, 16, 0), (64, 128, 0), (64, 128, 0.2), (128, 128, 0), (128, 64, 0.2),
                                         (192, 64, 0), (256, 128, 0), (256, 64, 0.2), (512, 64, 0))}


@pytest.mark.parametrize("dtype", TOLERANCE, ids=lambda dtype: str(dtype).removeprefix("torch."))
@pytest.mark.parametrize("name", [*CASES, *WIDER])
def test_agree_with_float64(name, dtype):
    case = (CASES | WIDER)[name]
    results, others = found(case, "cuda", dtype), expected(case, "cuda", dtype)
    assert [tuple(one.shape) for one in results] == [tuple(other.shape) for other in others]
    assert max(errors(results, others)) < TOLERANCE[dtype]


def test_two_runs_give_the_same_bits():
    case = Case(down=16, across=16, block=(64, 64), columns=(128, 128))
    assert all(map(torch.equal, found(case, "cuda", torch.bfloat16), found(case, "cuda", torch.bfloat16)))


def test_a_captured_step():
    """Forward and backward in one CUDA graph, replayed on other values and seeds."""
    case = CASES["plain"]
    mask, _ = pattern(case, "cuda")
    own, grad = operands(case, "cuda", torch.bfloat16)

    def step():
        return torch.autograd.grad(sattn.scaled_dot_product_attention(*own, mask), own, grad)

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        step()
        step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = step()
    with torch.no_grad():
        for tensor in own:
            tensor.add_(1)
    graph.replay()
    torch.cuda.synchronize()
    for one, other in zip(captured, step()):
        torch.testing.assert_close(one, other)


def test_memory_does_not_grow():
    mask, _ = pattern(CASES["dropout"], "cuda")
    own, grad = operands(CASES["dropout"], "cuda", torch.bfloat16)

    def step():
        torch.autograd.grad(sattn.scaled_dot_product_attention(*own, mask, 0.1), own, grad)

    for _ in range(10):
        step()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    for _ in range(1000):
        step()
    assert torch.cuda.memory_allocated() == before


def test_compiled():
    mask, _ = pattern(CASES["plain"], "cuda")
    own, grad = operands(CASES["plain"], "cuda", torch.bfloat16)

    def step(*three):
        return sattn.scaled_dot_product_attention(*three, mask)

    wanted = torch.autograd.grad(step(*own), own, grad)
    results = torch.autograd.grad(torch.compile(step, fullgraph=True)(*own), own, grad)
    assert all(map(torch.equal, results, wanted))
