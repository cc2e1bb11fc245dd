"""Gradients of flex_attention by PyTorch's autograd on the CPU, beside float64."""

import dataclasses

import pytest
import torch

import sattn
from sattn._ops import captured_gradients
from flex_gradient_cases import CASES, errors, expected, gradients

TOLERANCE = {torch.float32: 5e-6, torch.float16: 3e-3, torch.bfloat16: 2e-2}


@pytest.mark.share(3)
@pytest.mark.parametrize("name", CASES)
def test_agree_with_float64(name):
    found = gradients(CASES[name], "cpu", torch.float32)
    assert max(errors(found, expected(CASES[name], "cpu", torch.float32))) < TOLERANCE[torch.float32]


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ["causal", "grouped", "softcap", "bias", "buckets", "odd_columns", "one_column"])
def test_agree_in_few_bits(name, dtype):
    found = gradients(CASES[name], "cpu", dtype)
    assert [gradient.dtype for gradient in found[:3]] == [dtype] * 3
    assert max(errors(found, expected(CASES[name], "cpu", dtype))) < TOLERANCE[dtype]


def test_a_captured_gradient_in_parts(monkeypatch):
    """Parts of two heads and as many queries as whole blocks of the mask have; the last part has fewer."""
    case = dataclasses.replace(CASES["buckets"], groups=2, visible=CASES["lists_by_head"].visible, mask=True, named={})
    monkeypatch.setattr(captured_gradients, "MOST_ELEMENTS", 100 * 2 * case.keys)
    parts = list(captured_gradients._parts((case.batch, case.heads, case.queries, case.keys), 2, case.block))
    assert [part[2:] for part in parts[:4]] == [(2, 0, 64), (2, 64, 64), (2, 128, 64), (2, 192, 8)] and len(parts) == 16
    found = gradients(case, "cpu", torch.float32)
    assert max(errors(found, expected(case, "cpu", torch.float32))) < TOLERANCE[torch.float32]


def operands(requires=(True, True, True), size=40):
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(2, 3, size, 16, generator=generator, requires_grad=one) for one in requires]


def test_two_runs_give_the_same_bits():
    first, second = (gradients(CASES["buckets"], "cpu", torch.float32) for _ in range(2))
    assert all(map(torch.equal, first, second))


@pytest.mark.parametrize("requires", [(True, False, False), (False, True, False), (False, False, True)])
def test_only_what_needs_a_gradient_has_one(requires):
    own = operands(requires)
    sattn.flex_attention(*own).sum().backward()
    assert [tensor.grad is not None for tensor in own] == list(requires)
    other = operands()
    sattn.flex_attention(*other).sum().backward()
    assert all(torch.equal(one.grad, two.grad) for one, two in zip(own, other) if one.grad is not None)


def test_a_bias_alone():
    query, key, value = operands((False,) * 3)
    bias = torch.zeros(40, 40, requires_grad=True)
    sattn.flex_attention(query, key, value, lambda s, b, h, q, kv: s + bias[q, kv]).square().sum().backward()
    scores = (query @ key.mT / 4 + (other := torch.zeros(40, 40, requires_grad=True)))
    (torch.softmax(scores, -1) @ value).square().sum().backward()
    torch.testing.assert_close(bias.grad, other.grad)


def test_a_capture_of_a_mask_has_none():
    own = operands()
    limits = torch.arange(40.0, requires_grad=True)
    mask = sattn.create_block_mask(lambda b, h, q, kv: kv <= limits[q], None, None, 40, 40, device="cpu")
    sattn.flex_attention(*own, block_mask=mask).sum().backward()
    assert limits.grad is None and own[0].grad is not None


def test_the_element_type_of_a_captured_tensor():
    own = operands()
    bias = torch.zeros(3, dtype=torch.bfloat16, requires_grad=True)
    sattn.flex_attention(*own, lambda s, b, h, q, kv: s * (1 + bias[h])).square().sum().backward()
    assert bias.grad.dtype == torch.bfloat16 and bias.grad.abs().sum() > 0


def test_a_change_in_place_is_refused():
    query, key, value = operands()
    out = sattn.flex_attention(query, key, value)
    with torch.no_grad():
        key.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def test_a_retained_graph_gives_the_same_bits():
    query, key, value = operands()
    out = sattn.flex_attention(query, key, value, causal=True)
    first, second = (torch.autograd.grad(out.sum(), query, retain_graph=True)[0] for _ in range(2))
    assert torch.equal(first, second)


def test_a_second_derivative_is_refused():
    query, key, value = operands()
    gradient, = torch.autograd.grad(sattn.flex_attention(query, key, value).square().sum(), query, create_graph=True)
    with pytest.raises(NotImplementedError, match="expected a first derivative"):
        gradient.sum().backward()


def test_rows_that_see_nothing_contribute_nothing():
    """Whatever stands in their upstream gradient."""
    query, key, value = operands()
    mask = sattn.create_block_mask(lambda b, h, q, kv: q >= 8, None, None, 40, 40, device="cpu")
    out = sattn.flex_attention(query, key, value, block_mask=mask)
    upstream = torch.ones_like(out)
    upstream[:, :, :8] = torch.nan
    out.backward(upstream)
    assert not any(tensor.grad.isnan().any() for tensor in (query, key, value))
    assert (query.grad[:, :, :8] == 0).all() and (value.grad != 0).any()


def test_rows_that_see_nothing_contribute_nothing_to_captured_tensors():
    query, key, value = operands((False,) * 3)
    scale = torch.zeros(3, requires_grad=True)
    mask = sattn.create_block_mask(lambda b, h, q, kv: q >= 8, None, None, 40, 40, device="cpu")
    results = sattn.flex_attention(query, key, value, lambda s, b, h, q, kv: s * (1 + scale[h]), mask, return_lse=True)
    upstream = [torch.ones_like(result) for result in results]
    expected, = torch.autograd.grad(results, scale, upstream, retain_graph=True)
    for one in upstream:
        one[:, :, :8] = torch.nan
    found, = torch.autograd.grad(results, scale, upstream)
    assert torch.equal(found, expected) and found.abs().min() > 0


def test_upstream_gradients_of_any_strides():
    own, other = operands(), operands()
    sattn.flex_attention(*own).sum().backward()  # It is one number, expanded.
    out = sattn.flex_attention(*other)
    out.backward(torch.ones(40, 16, 3, 2).permute(3, 2, 0, 1))
    assert all(torch.equal(one.grad, two.grad) for one, two in zip(own, other))


def test_gradients_lie_as_their_tensors():
    query, key, value = (torch.randn(2, 40, 3, 16).transpose(1, 2).requires_grad_() for _ in range(3))
    gradients = torch.autograd.grad(sattn.flex_attention(query, key, value).sum(), (query, key, value))
    assert [gradient.stride() for gradient in gradients] == [query.stride()] * 3


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_compiled(backend):
    torch._dynamo.reset()
    bias = torch.randn(3, requires_grad=True)

    def loss(query, key, value):
        return sattn.flex_attention(query * 1, key, value, lambda s, b, h, q, kv: s * bias[h], causal=True).sin().sum()

    query, key, value = operands()
    inputs = query, key, value, bias
    compiled = torch.autograd.grad(torch.compile(loss, fullgraph=True, backend=backend)(query, key, value), inputs)
    for one, two in zip(compiled, torch.autograd.grad(loss(query, key, value), inputs)):
        torch.testing.assert_close(one, two)


def test_checkpointed():
    query, key, value = operands()

    def attend(*own):
        return sattn.flex_attention(*own, causal=True)

    found = torch.autograd.grad(torch.utils.checkpoint.checkpoint(attend, query, key, value, use_reentrant=False).sum(), query)
    assert torch.equal(found[0], torch.autograd.grad(attend(query, key, value).sum(), query)[0])


def test_the_function_alone():
    """flex_attention_backward gives what autograd gives."""
    query, key, value = operands()
    out, lse = sattn.flex_attention(query, key, value, return_lse=True, causal=True)
    expected = torch.autograd.grad(out.sum(), (query, key, value))
    with torch.no_grad():
        found = sattn.flex_attention_backward(torch.ones_like(out), query.detach(), key.detach(), value.detach(), out.detach(),
                                              lse.detach(), causal=True)
    assert all(map(torch.equal, found, expected))


def test_gradcheck():
    """In f64, by differences, of the output and of lse."""
    generator = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(1, 2, size, 8, dtype=torch.float64, generator=generator, requires_grad=True) for size in (11, 9, 9))
    table = torch.randn(2, 30, dtype=torch.float64, generator=generator, requires_grad=True)
    weights = torch.randn(9, generator=generator)
    mask = sattn.create_block_mask(lambda b, h, q, kv: (q - kv) % 3 == 0, None, None, 11, 9, device="cpu", BLOCK_SIZE=16)

    def attend(query, key, value, table):
        return sattn.flex_attention(query, key, value, lambda s, b, h, q, kv: torch.tanh(s * 0.7) + table[h, q - kv + 15] * weights[kv],
                                    mask, return_lse=True)

    assert torch.autograd.gradcheck(attend, (query, key, value, table))


@pytest.mark.parametrize("columns, value_columns", [(1, 3), (12, 8), (16, 21)])
def test_gradcheck_of_rows_that_are_no_whole_vectors(columns, value_columns):
    generator = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(1, 2, *shape, dtype=torch.float64, generator=generator, requires_grad=True)
                         for shape in ((3, columns), (4, columns), (4, value_columns)))

    def attend(*own):
        return sattn.flex_attention(*own, causal=True, return_lse=True)

    out, _ = attend(query, key, value)
    assert out.shape == (1, 2, 3, value_columns) and out.is_contiguous()
    assert torch.autograd.gradcheck(attend, (query, key, value))


@pytest.mark.parametrize("order", [(0, 2, 1, 3), (1, 0, 2, 3)])
def test_rows_that_are_no_whole_vectors_lie_as_their_tensors(order):
    """In f64 as in f32, whose rows no one fills."""
    found = []
    for dtype in (torch.float64, torch.float32):
        generator = torch.Generator().manual_seed(0)
        query, key, value = (torch.randn(2, 3, 5, 13, generator=generator).to(dtype).permute(order).contiguous().permute(order)
                             .requires_grad_() for _ in range(3))
        out = sattn.flex_attention(query, key, value)
        found.append((out, *torch.autograd.grad(out.square().sum(), (query, key, value))))
    for one, other in zip(*found):
        assert one.stride() == other.stride()
        torch.testing.assert_close(one.float(), other)


def test_bias_with_huge_entries():
    """Rows that a bias masks as a whole, by -1e9 as is usual: every key has the same weight, and the bias its gradient."""
    query, key, value = operands(size=20)
    hidden = torch.zeros(20, 20).masked_fill(torch.arange(20)[:, None] < torch.arange(20), -1e9)
    hidden[3] = -1e9
    bias = hidden.clone().requires_grad_()
    own = query, key, value, bias
    upstream = torch.randn(2, 3, 20, 16, generator=torch.Generator().manual_seed(1))
    out, lse = sattn.flex_attention(query, key, value, lambda s, b, h, q, kv: s + bias[q, kv], return_lse=True)
    found = torch.autograd.grad([out, lse], own, [upstream, upstream[..., 0]])
    wide = [tensor.detach().double().requires_grad_() for tensor in own]
    # A score that is added to -1e9 in f32 leaves nothing of itself.
    scores = (wide[0] @ wide[1].mT / 4 + wide[3]).float().double()
    result = torch.softmax(scores, -1) @ wide[2], scores.logsumexp(-1)
    expected = torch.autograd.grad(result, wide, [upstream.double(), upstream[..., 0].double()])
    assert max(errors(found, expected)) < 1e-5


@pytest.mark.parametrize("backend", [None, "aot_eager"])
def test_autocast_is_that_of_pytorch(backend):
    def step(*operands):
        with torch.autocast("cpu", torch.bfloat16):
            return sattn.flex_attention(*operands, causal=True)

    def cast(*operands):
        return sattn.flex_attention(*(operand.bfloat16() for operand in operands), causal=True)

    own, other = operands(), operands()
    run = step if backend is None else torch.compile(step, fullgraph=True, backend=backend)
    found, expected = run(*own), cast(*other)
    assert found.dtype == torch.bfloat16 and torch.equal(found, expected)
    for out in (found, expected):
        out.float().sum().backward()
    assert all(torch.equal(one.grad, two.grad) and one.grad.dtype == torch.float32 for one, two in zip(own, other))
    with torch.no_grad():  # A call that repeats another looks first, too.
        for _ in range(3):
            assert sattn.flex_attention(*own, causal=True).dtype == torch.float32
            assert step(*own).dtype == torch.bfloat16


def test_autocast_leaves_f64_alone():
    query = torch.randn(1, 1, 8, 8, dtype=torch.float64)
    with torch.autocast("cpu", torch.bfloat16):
        assert sattn.flex_attention(query, query, query).dtype == torch.float64
