"""Gradients of flex_attention by PyTorch's autograd on a GPU, beside float64."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
sattn = pytest.importorskip("sattn")
sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))
from flex_gradient_cases import CASES, errors, expected, gradients  # noqa: E402

TOLERANCE = {torch.float16: 3e-3, torch.bfloat16: 2e-2, torch.float32: 3e-3}


@pytest.mark.parametrize("name", CASES)
def test_agree_with_float64(name):
    found = gradients(CASES[name], "cuda", torch.bfloat16)
    assert max(errors(found, expected(CASES[name], "cuda", torch.bfloat16))) < TOLERANCE[torch.bfloat16]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("name", ["causal", "grouped", "softcap", "bias", "lists", "wide"])
def test_agree_in_other_types(name, dtype):
    options = {"kernel_options": {"precision": "tf32"}} if dtype == torch.float32 else {}
    found = gradients(CASES[name], "cuda", dtype, **options)
    assert max(errors(found, expected(CASES[name], "cuda", dtype))) < TOLERANCE[dtype]


@pytest.mark.parametrize("name", ["causal", "grouped", "buckets", "lists_by_head"])
def test_two_runs_give_the_same_bits(name):
    first, second = (gradients(CASES[name], "cuda", torch.bfloat16) for _ in range(2))
    assert all(map(torch.equal, first, second))


def test_a_captured_step():
    """Forward and backward in one CUDA graph."""
    query, key, value = (torch.randn(2, 4, 256, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True) for _ in range(3))

    def step():
        for tensor in (query, key, value):
            tensor.grad = None
        sattn.flex_attention(query, key, value, causal=True).square().sum().backward()

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        step()
        step()
    torch.cuda.current_stream().wait_stream(stream)
    expected = query.grad.clone()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    query.grad.zero_()
    graph.replay()
    assert torch.equal(query.grad, expected)
