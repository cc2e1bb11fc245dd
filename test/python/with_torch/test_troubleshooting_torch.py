"""docs/Troubleshooting.md with PyTorch: the messages that it quotes are those that its problems raise."""

from pathlib import Path

import pytest
import sattn
import sattn.nn
import sattn.torch
import torch

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "Troubleshooting.md").read_text()


def weight():
    return torch.randn(128, 256).to_sparse_bsr((32, 32))


def trained():
    """A tuple whose values require a gradient."""
    matrix = weight()
    return matrix.crow_indices(), matrix.col_indices(), matrix.values().clone().requires_grad_()


def multiply(matrix, **options):
    return sattn.bsr_dense_addmm(None, matrix, torch.ones(256, 8), beta=0, **options)


def compiled(call, *arguments):
    torch._dynamo.reset()
    return torch.compile(call, fullgraph=True)(*arguments)


def twice():
    matrix = trained()
    gradient, = torch.autograd.grad(multiply(matrix).square().sum(), matrix[2], create_graph=True)
    torch.autograd.grad(gradient.sum(), matrix[2])


def of_the_greatest_scores():
    query, key, value = torch.ones(3, 1, 1, 64, 16).unbind()
    query = query.clone().requires_grad_()
    aux = sattn.flex_attention(query, key, value, return_aux=sattn.AuxRequest(max_scores=True))[1]
    aux.max_scores.sum().backward()


def with_enable():
    with sattn.torch.enable():
        torch.sparse._triton_ops.bsr_dense_mm(torch.eye(30).to_sparse_bsr((10, 10)), torch.ones(30, 8))


PROBLEMS = {
    "library": (lambda: sattn.linear(torch.ones(4, 256).numpy(), weight()),
                "argument 'x': expected an array of the same library and device as weight"),
    "whole blocks": (lambda: sattn.nn.BsrLinear.from_dense(torch.nn.Linear(512, 10), block=32, sparsity=0.8),
                     "argument 'matrix': expected rows and columns in whole blocks of 32 x 32, but got shape "
                     "(10, 512)"),
    "graph break": (lambda: compiled(lambda matrix, out: multiply(matrix, out=out), trained(), torch.zeros(128, 8)),
                    "Message: sattn.bsr_dense_addmm: 'out' is given"),
    "sparse tensor": (lambda: compiled(multiply, weight()), "torch.compile does not support sparse Tensors"),
    "vmap": (lambda matrix=weight(): torch.vmap(lambda x: sattn.linear(x, matrix))(torch.ones(3, 4, 256)),
             "transforms of torch.func know no function of sattn, which takes batches as dimensions of its arguments"),
    "no gradient": (of_the_greatest_scores, "element 0 of tensors does not require grad and does not have a grad_fn"),
    "sparse leaf": (lambda: sattn.linear(torch.ones(4, 256), weight().requires_grad_()).sum().backward(),
                    "Sparse BSR tensors do not have is_contiguous"),
    "out": (lambda: multiply(trained(), out=torch.zeros(128, 8)),
            "argument 'out': expected none where bsr_dense_addmm is traced, for fake tensors, under torch.autocast, or "
            "where a gradient is recorded"),
    "second": (twice, "expected a first derivative, but got one of its gradient, which has none"),
}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_problems(problem):
    call, message = PROBLEMS[problem]
    with pytest.raises(Exception) as error:
        call()
    assert message in str(error.value) and message in PAGE


def test_fallback_without_triton():
    pytest.importorskip("torch.sparse._triton_ops")
    if torch.utils._triton.has_triton():
        pytest.skip("PyTorch has a kernel here")
    with pytest.raises(NotImplementedError, match="bsr_dense_mm: blocks are 10 x 10"):
        with_enable()
    assert "`bsr_dense_mm: blocks are 10 x 10`" in PAGE


def test_a_prepared_operand_keeps_gradients():
    assert sattn.linear(torch.ones(4, 256), sattn.prepare(trained())).requires_grad
    assert not sattn.linear(torch.ones(4, 256), sattn.nn.Bsr(weight())).requires_grad
    assert sattn.linear(torch.ones(4, 256), sattn.nn.Bsr(weight(), requires_grad=True)).requires_grad
