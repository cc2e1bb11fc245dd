"""Gradients of sattn.scaled_dot_product_attention by torch.autograd, on the CPU."""

import pytest
import torch

import sattn
from sdpa_gradient_cases import CASES, Case, errors, expected, found, operands, pattern

pytestmark = pytest.mark.filterwarnings("ignore:Sparse")
# Cases of the other types, whose programs are those of f64.
SHORT = "plain", "heads_share_keys", "odd_columns", "wide", "dropout"
TOLERANCE = {torch.float64: 1e-12, torch.float32: 1e-5, torch.float16: 5e-3, torch.bfloat16: 3e-2}


@pytest.mark.share(2)
@pytest.mark.parametrize("name, dtype", [
    (name, dtype) for dtype in TOLERANCE for name in (CASES if dtype == torch.float64 else SHORT)])
def test_agree_with_the_dense_formula(name, dtype):
    case = CASES[name]
    results, others = found(case, "cpu", dtype), expected(case, "cpu", dtype)
    assert [tuple(one.shape) for one in results] == [tuple(other.shape) for other in others]
    assert max(errors(results, others)) < TOLERANCE[dtype]


def test_gradcheck():
    case = Case(block=(16, 16), down=2, across=2, batch=(2,), columns=(3, 5))
    mask, _ = pattern(case, "cpu")
    own, _ = operands(case, "cpu", torch.float64)
    assert torch.autograd.gradcheck(lambda *three: sattn.scaled_dot_product_attention(*three, mask), own, fast_mode=True)


@pytest.mark.parametrize("needed", range(1, 8))
def test_only_what_is_needed(needed):
    case = Case(block=(16, 16))
    mask, _ = pattern(case, "cpu")
    own, grad = operands(case, "cpu", torch.float32)
    wanted = torch.autograd.grad(sattn.scaled_dot_product_attention(*own, mask), own, grad)
    for place, tensor in enumerate(own):
        tensor.requires_grad_(bool(needed >> place & 1))
    sattn.scaled_dot_product_attention(*own, mask).backward(grad)
    for tensor, other in zip(own, wanted):
        assert (tensor.grad is None) if not tensor.requires_grad else torch.equal(tensor.grad, other)


@pytest.mark.parametrize("block", [(8, 16), (16, 8), (24, 32)])
@pytest.mark.parametrize("dropout", [0.0, 1.0])
def test_blocks_that_one_kernel_does_not_take(block, dropout):
    case = Case(block=block, dropout=dropout)
    assert max(errors(found(case, "cpu", torch.float32), expected(case, "cpu", torch.float32))) < 1e-5


def test_kinds_of_masks():
    case = Case(block=(16, 16), batch=(3,))
    (crow, col, values), times = pattern(case, "cpu")
    own, grad = operands(case, "cpu", torch.float32)
    wanted = torch.autograd.grad(sattn.scaled_dot_product_attention(*own, (crow, col, values)), own, grad)
    matrix = torch.sparse_bsr_tensor(crow, col, values.float(), times.shape)
    for mask in (matrix, sattn.prepare(matrix), sattn.prepare((crow, col, values.float()))):
        assert all(map(torch.equal, torch.autograd.grad(sattn.scaled_dot_product_attention(*own, mask), own, grad), wanted))


def test_queries_as_projections_have_them():
    """Heads beside each other in the memory of one product."""
    case = Case(block=(16, 16), batch=(2, 3), across=4)
    mask, _ = pattern(case, "cpu")
    together = torch.randn(2, 64, 3, 3, 64, requires_grad=True)
    apart = together.detach().clone().requires_grad_()

    def loss(tensor, is_copied):
        own = (one.contiguous() if is_copied else one for one in tensor.permute(3, 0, 2, 1, 4))
        return sattn.scaled_dot_product_attention(*own, mask).transpose(1, 2).square().sum()

    loss(together, False).backward()
    loss(apart, True).backward()
    torch.testing.assert_close(together.grad, apart.grad)


def test_a_gradient_of_one_element():
    mask, _ = pattern(CASES["plain"], "cpu")
    own, grad = operands(CASES["plain"], "cpu", torch.float32)
    out = sattn.scaled_dot_product_attention(*own, mask)
    summed = torch.autograd.grad(out.sum(), own, retain_graph=True)
    for one, other in zip(summed, torch.autograd.grad(out, own, torch.ones_like(grad))):
        assert torch.equal(one, other)


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("kind", ["tuple", "prepared"])
def test_compiled(backend, kind):
    torch._dynamo.reset()
    case = Case(block=(16, 16), batch=(2,))
    (crow, col, values), _ = pattern(case, "cpu")
    mask = (crow, col, values) if kind == "tuple" else sattn.prepare((crow, col, values.float()))
    own, grad = operands(case, "cpu", torch.float32)

    def step(*three):
        return sattn.scaled_dot_product_attention(*three, mask, scale=0.2) * 2

    wanted = torch.autograd.grad(step(*own), own, grad)
    found = torch.autograd.grad(torch.compile(step, backend=backend, fullgraph=True)(*own), own, grad)
    assert all(map(torch.equal, found, wanted))


def test_compiled_dropout():
    torch._dynamo.reset()
    case = Case(block=(16, 16), batch=(2,))
    mask, _ = pattern(case, "cpu")
    own, grad = operands(case, "cpu", torch.float32)

    def step(*three):
        return sattn.scaled_dot_product_attention(*three, mask, 0.4)

    compiled = torch.compile(step, backend="aot_eager", fullgraph=True)
    results = []
    for call in (step, compiled):
        torch.manual_seed(5)
        results.append(torch.autograd.grad(call(*own), own, grad))
    assert all(map(torch.equal, *results))


def test_export():
    case = Case(block=(16, 16), batch=(2,))
    mask, _ = pattern(case, "cpu")
    own, _ = operands(case, "cpu", torch.float32)
    own = tuple(tensor.detach() for tensor in own)

    class Attention(torch.nn.Module):
        def forward(self, query, key, value):
            return sattn.scaled_dot_product_attention(query, key, value, mask)

    exported = torch.export.export(Attention(), own)
    assert [node.target for node in exported.graph.nodes if "sattn" in str(node.target)] == [torch.ops.sattn.bsr_attention.default]
    assert torch.equal(exported.module()(*own), Attention()(*own))


def test_autocast():
    case = Case(block=(16, 16), batch=(2,))
    mask, _ = pattern(case, "cpu")
    own, grad = operands(case, "cpu", torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = sattn.scaled_dot_product_attention(*own, mask)
    assert out.dtype == torch.bfloat16
    out.backward(grad.bfloat16())
    assert all(tensor.grad.dtype == torch.float32 for tensor in own)
    assert max(errors([tensor.grad for tensor in own], expected(case, "cpu", torch.float32)[1:])) < 3e-2


def test_what_is_refused():
    case = Case(block=(16, 16), batch=(2,))
    mask, _ = pattern(case, "cpu")
    own, grad = operands(case, "cpu", torch.float32)
    out = sattn.scaled_dot_product_attention(*own, mask)
    first, = torch.autograd.grad(out, own[:1], grad, create_graph=True)
    with pytest.raises(NotImplementedError, match="scaled_dot_product_attention: expected a first derivative"):
        torch.autograd.grad(first.sum(), own[0])
    with pytest.raises(NotImplementedError, match="argument 'meta': expected None where gradients are recorded"):
        sattn.scaled_dot_product_attention(*own, mask, meta={"tile": (16, 64, 16)})
    with pytest.raises(NotImplementedError, match="scaled_dot_product_attention: expected a call outside of torch.func"):
        torch.func.grad(lambda query: sattn.scaled_dot_product_attention(query, *own[1:], mask).sum())(own[0])
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(own[0], torch.ones_like(own[0]))
        with pytest.raises(NotImplementedError, match="tangent"):
            sattn.scaled_dot_product_attention(dual, *own[1:], mask)
    with pytest.raises(ValueError, match="argument 'key': expected rows for whole blocks"):
        sattn.scaled_dot_product_attention(own[0], own[1][:, :17], own[2], mask)


def test_a_result_that_is_changed():
    case = Case(block=(16, 16), batch=(2,))
    mask, _ = pattern(case, "cpu")
    own, grad = operands(case, "cpu", torch.float32)
    out = sattn.scaled_dot_product_attention(*own, mask)
    with torch.no_grad():
        own[1].mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward(grad)


def test_memory_of_scores_is_not_kept():
    """The saved memory grows with the rows, not with their products."""
    case = Case(block=(64, 64), batch=(2,), down=16, across=16)
    mask, _ = pattern(case, "cpu")
    own, _ = operands(case, "cpu", torch.float32)
    sizes = []
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: sizes.append(tensor.numel()) or tensor, lambda tensor: tensor):
        sattn.scaled_dot_product_attention(*own, mask)
    assert max(sizes) <= own[0].numel()
