"""Gradients of bsr_softmax by PyTorch's autograd on the CPU, beside those of its definition."""

import pytest
import torch
from bsr_gradient_cases import COL, CROW, to_dense
from softmax_gradient_cases import CASES, definition, expected, gradient

import sattn
import sattn.nn

pytestmark = pytest.mark.filterwarnings("ignore:Sparse BSR tensor support")
TOLERANCE = {torch.float64: 1e-12, torch.float32: 1e-5, torch.float16: 3e-3, torch.bfloat16: 2e-2}


def problem(dtype=torch.float64, block=(4, 6), batch=(), seed=0):
    """(crow, col), values."""
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(*batch, len(COL), *block, generator=generator, dtype=dtype)
    return (torch.tensor(CROW), torch.tensor(COL)), values.requires_grad_()


@pytest.mark.parametrize("dtype", TOLERANCE, ids=lambda dtype: str(dtype).removeprefix("torch."))
@pytest.mark.parametrize("name", CASES)
def test_agree_with_float64(name, dtype):
    found, wanted = gradient(CASES[name], "cpu", dtype), expected(CASES[name], "cpu", dtype)
    assert found.shape == wanted.shape and found.dtype == dtype
    assert (found.double() - wanted).norm() <= TOLERANCE[dtype] * wanted.norm()


@pytest.mark.parametrize("batch", [(), (2,)])
def test_gradcheck(batch):
    (crow, col), values = problem(block=(2, 3), batch=batch)
    assert torch.autograd.gradcheck(lambda values: sattn.bsr_softmax((crow, col, values))[2], values)
    # Batches of indices alone: a sum over them.
    crow = torch.tensor([CROW, [0, 1, 4, 4, 6]]).unsqueeze(1) if batch else torch.tensor([CROW, [0, 1, 4, 4, 6]])
    assert torch.autograd.gradcheck(lambda values: sattn.bsr_softmax((crow, col, values))[2], values)


def test_rows_of_nothing_but_infinities():
    (crow, col), values = problem(torch.float32)
    with torch.no_grad():
        values[:, 1] = -torch.inf
        values[0, 2] = -torch.inf
    result = sattn.bsr_softmax((crow, col, values))[2]
    grad = torch.randn_like(result)
    found = torch.autograd.grad(result, values, grad)[0]
    assert (found[:, 1] == 0).all() and (found[0, 2] == 0).all()
    torch.testing.assert_close(found, torch.autograd.grad(definition(crow, values), values, grad)[0])


def test_blocks_of_no_row_are_not_read():
    (_, col), values = problem(torch.float32)
    crow = torch.tensor([1, 3, 3, 4, 5])
    result = sattn.bsr_softmax((crow, col, values))[2]
    grad = torch.randn_like(result)
    grad[0] = grad[-1] = torch.nan
    found = torch.autograd.grad(result, values, grad)[0]
    assert (found[0] == 0).all() and (found[-1] == 0).all() and found.isfinite().all()


def test_the_gradient_of_any_strides():
    (crow, col), values = problem(torch.float32)
    result = sattn.bsr_softmax((crow, col, values))[2]
    grad = torch.randn(result.shape[0], *result.shape[:0:-1]).mT
    assert not grad.is_contiguous()
    found = torch.autograd.grad(result, values, grad, retain_graph=True)[0]
    assert torch.equal(found, torch.autograd.grad(result, values, grad.contiguous(), retain_graph=True)[0])
    # One element, expanded: rows whose sums are 1 do not change.
    assert torch.autograd.grad(result.sum(), values)[0].abs().max() < 1e-6


def test_what_may_change_before_the_backward():
    (crow, col), values = problem(torch.float32)
    leaf = values.detach().clone()
    scaled = values * 1
    result = sattn.bsr_softmax((crow, col, scaled))[2]
    with torch.no_grad():
        scaled.zero_()  # The result alone is read.
    grad = torch.randn_like(result)
    found = torch.autograd.grad(result, values, grad)[0]
    leaf.requires_grad_()
    torch.testing.assert_close(found, torch.autograd.grad(definition(crow, leaf), leaf, grad)[0])
    for change in ("result", "indices"):
        crow = torch.tensor(CROW)
        result = sattn.bsr_softmax((crow, col, values))[2]
        with torch.no_grad():
            (result if change == "result" else crow).add_(0)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            result.sum().backward()


def test_nothing_else_has_one():
    (crow, col), values = problem(torch.float32)
    result = sattn.bsr_softmax((crow, col, values))[2]
    first = torch.autograd.grad(result.square().sum(), values, create_graph=True)[0]
    with pytest.raises(NotImplementedError, match="bsr_softmax: expected a first derivative"):
        first.sum().backward()
    for option in ({"check": True}, {"meta": {"tile": (4, 6, 6)}}):
        with pytest.raises(NotImplementedError, match=f"argument '{next(iter(option))}': expected none where bsr_softmax"):
            sattn.bsr_softmax((crow, col, values), **option)
        with torch.no_grad():
            sattn.bsr_softmax((crow, col, values), **option)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(values.detach(), torch.ones_like(values))
        with pytest.raises(NotImplementedError, match="without a tangent"):
            sattn.bsr_softmax((crow, col, dual))
    with pytest.raises(NotImplementedError, match="argument 'input': expected a tensor with memory of its own"):
        torch.func.grad(lambda values: sattn.bsr_softmax((crow, col, values))[2].sum())(values)
    with pytest.raises(ValueError, match="argument 'crow': expected offsets that do not decrease"):
        sattn.bsr_softmax((crow.flip(0), col, values))


def test_the_kinds_of_a_matrix():
    (crow, col), values = problem(torch.float32, block=(8, 8))
    wanted = torch.autograd.grad(sattn.bsr_softmax((crow, col, values))[2].square().sum(), values)[0]
    result = sattn.bsr_softmax(sattn.prepare((crow, col, values)))
    assert isinstance(result, sattn.Prepared) and result.values.requires_grad
    assert torch.equal(torch.autograd.grad(result.values.square().sum(), values)[0], wanted)
    matrix = torch.sparse_bsr_tensor(crow, col, values.detach(), (32, 40), requires_grad=True, check_invariants=False)
    for given in (matrix, sattn.prepare(matrix)):
        result = sattn.bsr_softmax(given)
        own = result.values() if given is matrix else result.values
        found = torch.autograd.grad(own.square().sum(), matrix)[0]
        assert found.layout == torch.sparse_bsr and torch.equal(found.values(), wanted)
    module = sattn.nn.Bsr((crow, col, values.detach()), requires_grad=True)
    sattn.bsr_softmax(module.operand).values.square().sum().backward()
    assert torch.equal(module.values.grad, wanted)


def test_a_product_of_weights():
    """Softmax of a prepared matrix, and its product with a dense one: autograd goes through both."""
    (crow, col), values = problem(block=(8, 8))
    dense = torch.randn(40, 3, dtype=torch.float64, requires_grad=True)
    found = torch.autograd.grad((sattn.bsr_softmax(sattn.prepare((crow, col, values))) @ dense).square().sum(), (values, dense))
    weights = to_dense(crow, col, definition(crow, values), 5)
    for one, other in zip(found, torch.autograd.grad((weights @ dense).square().sum(), (values, dense))):
        torch.testing.assert_close(one, other)


def attention(crow, col, query, key, value):
    scores = sattn.sampled_addmm((crow, col, query.new_zeros(len(COL), 16, 8)), query, key.mT, beta=0, alpha=0.25)
    return sattn.bsr_dense_mm(sattn.bsr_softmax(scores), value)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_attention(backend):
    """A sampled product, a softmax and a product: a graph of nodes of ours, forward and backward."""
    torch._dynamo.reset()
    generator = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(rows, 12, generator=generator).requires_grad_() for rows in (64, 40, 40))
    crow, col = torch.tensor(CROW), torch.tensor([0, 2, 4, 1, 4, 3])

    def loss(query, key, value):
        return attention(crow, col, query, key, value).square().sum()

    mask = to_dense(crow, col, torch.ones(len(COL), 16, 8), 5) != 0
    weights = torch.softmax((0.25 * query @ key.mT).masked_fill(~mask, -torch.inf), -1)
    dense = (torch.where(mask.any(-1, keepdim=True), weights, 0) @ value).square().sum()
    tensors = query, key, value
    wanted = torch.autograd.grad(dense, tensors)
    for function in (loss, torch.compile(loss, fullgraph=True, backend=backend)):
        for one, other in zip(torch.autograd.grad(function(*tensors), tensors), wanted):
            torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


def test_an_exported_forward():
    (crow, col), values = problem(torch.float32)

    class Weights(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.nn.Parameter(torch.tensor(2.0))

        def forward(self, crow, col, values):
            return sattn.bsr_softmax((crow, col, self.scale * values))[2]

    module = Weights()
    program = torch.export.export(module, (crow, col, values.detach()))
    assert [node.target for node in program.graph.nodes if "sattn" in str(node.target)] == [torch.ops.sattn.bsr_softmax.default]
    torch.testing.assert_close(program.module()(crow, col, values.detach()), module(crow, col, values.detach()))


def test_autocast_leaves_it():
    (crow, col), values = problem(torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        result = sattn.bsr_softmax((crow, col, values))[2]
    assert result.dtype == torch.float32
    result.sum().backward()
    assert values.grad.dtype == torch.float32
