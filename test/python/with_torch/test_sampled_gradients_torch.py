"""Gradients of sampled_addmm by PyTorch's autograd on the CPU, beside those of a dense product."""

import itertools

import pytest
import torch
from bsr_gradient_cases import COL, CROW, to_dense

import sattn

pytestmark = pytest.mark.filterwarnings("ignore:Sparse BSR tensor support")
ROWS, DEPTH, COLUMNS, BLOCK = 64, 12, 40, (16, 8)


def problem(dtype=torch.float64, batch=(), seed=0):
    """(crow, col), and (values, mat1, mat2, alpha, beta)."""
    generator = torch.Generator().manual_seed(seed)

    def make(*shape):
        return torch.randn(shape, generator=generator, dtype=dtype).requires_grad_()

    shapes = (*batch, len(COL), *BLOCK), (*batch, ROWS, DEPTH), (DEPTH, COLUMNS), (), ()
    return (torch.tensor(CROW), torch.tensor(COL)), [make(*shape) for shape in shapes]


def at_blocks(matrix):
    """The blocks of a dense matrix (*, M, N) at the pattern."""
    grid = matrix.unflatten(-2, (-1, BLOCK[0])).unflatten(-1, (-1, BLOCK[1])).transpose(-3, -2)
    rows = [row for row, (begin, end) in enumerate(itertools.pairwise(CROW)) for _ in range(begin, end)]
    return grid[..., torch.tensor(rows), torch.tensor(COL), :, :]


def expected(values, mat1, mat2, alpha, beta):
    return beta * values + alpha * at_blocks(mat1 @ mat2)


def same(found, wanted):
    for one, two in zip(found, wanted):
        tolerance = {} if one.dtype == torch.float64 else {"atol": 1e-3, "rtol": 1e-4}
        torch.testing.assert_close(one, two, **tolerance)


@pytest.mark.parametrize("batch", [(), (2,), (2, 1)])
def test_every_combination_of_operands(batch):
    (crow, col), own = problem(batch=batch)
    upstream = torch.randn(*batch, len(COL), *BLOCK, dtype=torch.float64)
    whole = torch.autograd.grad(expected(*own), own, upstream)
    for mask in range(1, 32):
        values, mat1, mat2, alpha, beta = (tensor.detach().requires_grad_(bool(mask >> place & 1)) for place, tensor in enumerate(own))
        given = [values, mat1, mat2, alpha, beta]
        out = sattn.sampled_addmm((crow, col, values), mat1, mat2, alpha=alpha, beta=beta)[2]
        needs = [place for place in range(5) if mask >> place & 1]
        same(torch.autograd.grad(out, [given[place] for place in needs], upstream), [whole[place] for place in needs])


@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 1e-5), (torch.bfloat16, 3e-2)])
def test_other_types(dtype, tolerance):
    (crow, col), own = problem()
    wanted = torch.autograd.grad(expected(*own).sum(), own[:3])
    values, mat1, mat2 = (tensor.detach().to(dtype).requires_grad_() for tensor in own[:3])
    out = sattn.sampled_addmm((crow, col, values), mat1, mat2, alpha=own[3].item(), beta=own[4].item())[2]
    for found, other in zip(torch.autograd.grad(out.sum(), (values, mat1, mat2)), wanted):
        assert found.dtype == dtype and (found.double() - other).norm() < tolerance * other.norm()


def test_a_sparse_tensor():
    """Its columns do not ascend, of which the gradient of PyTorch's constructor is wrong."""
    (crow, col), (values, mat1, mat2, _, _) = problem()
    matrix = torch.sparse_bsr_tensor(crow, col, values.detach(), (ROWS, COLUMNS), requires_grad=True, check_invariants=False)
    out = sattn.sampled_addmm(matrix, mat1, mat2, alpha=0.5, beta=2)
    assert out.layout == torch.sparse_bsr
    upstream = torch.randn_like(values)
    found = torch.autograd.grad(out.values(), (matrix, mat1, mat2), upstream)
    wanted = torch.autograd.grad(2 * values + 0.5 * at_blocks(mat1 @ mat2), (values, mat1, mat2), upstream)
    same((found[0].values(), *found[1:]), wanted)


def test_a_pattern_of_booleans():
    (crow, col), (_, mat1, mat2, _, _) = problem(torch.float32)
    mask = crow, col, torch.ones(len(COL), *BLOCK, dtype=torch.bool)
    found = torch.autograd.grad(sattn.sampled_addmm(mask, mat1, mat2, beta=0)[2].square().sum(), (mat1, mat2))
    same(found, torch.autograd.grad(at_blocks(mat1 @ mat2).square().sum(), (mat1, mat2)))


@pytest.mark.parametrize("alpha, beta", [(0, 1), (1, 0)])
def test_what_is_not_read_does_not_show(alpha, beta):
    (crow, col), (values, mat1, mat2, _, _) = problem(torch.float32)
    with torch.no_grad():
        for tensor in (mat1, mat2) if alpha == 0 else (values,):
            tensor.fill_(torch.nan)
    sattn.sampled_addmm((crow, col, values), mat1, mat2, alpha=alpha, beta=beta)[2].sum().backward()
    assert not any(tensor.grad.isnan().any() for tensor in (values, mat1, mat2))


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_with_a_product(backend):
    """A sampled product, scaled, times a matrix: autograd goes through both."""
    torch._dynamo.reset()
    (crow, col), (values, mat1, mat2, _, _) = problem(torch.float32)
    tensors = mat1, mat2, values

    def loss(mat1, mat2, values):
        scores = sattn.sampled_addmm((crow, col, values), mat1, mat2, alpha=0.5)[2]
        return sattn.bsr_dense_mm((crow, col, scores.tanh()), mat2.mT).square().sum()

    def dense(mat1, mat2, values):
        return (to_dense(crow, col, (values + 0.5 * at_blocks(mat1 @ mat2)).tanh(), 5) @ mat2.mT).square().sum()

    wanted = torch.autograd.grad(dense(*tensors), tensors)
    same(torch.autograd.grad(loss(*tensors), tensors), wanted)
    same(torch.autograd.grad(torch.compile(loss, fullgraph=True, backend=backend)(*tensors), tensors), wanted)


def test_autocast():
    (crow, col), (values, mat1, mat2, _, _) = problem(torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        out = sattn.sampled_addmm((crow, col, values), mat1, mat2)[2]
    assert torch.equal(out, sattn.sampled_addmm((crow, col, values.bfloat16()), mat1.bfloat16(), mat2.bfloat16())[2])
    out.float().sum().backward()
    assert all(tensor.grad.dtype == torch.float32 for tensor in (values, mat1, mat2))


def test_gradcheck():
    (crow, col), own = problem()
    assert torch.autograd.gradcheck(
        lambda values, mat1, mat2, alpha, beta: sattn.sampled_addmm((crow, col, values), mat1, mat2, alpha=alpha, beta=beta)[2], own)
