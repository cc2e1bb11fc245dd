"""Training with flex_attention on the CPU: wrappers of modules, hooks, checkpoints, export, and what is refused."""

import contextlib
import warnings

import pytest
import torch
import torch.utils.checkpoint
from torch.autograd import forward_ad
from torch.nn.attention import flex_attention

import distributed_training
import sattn

SHAPE = 2, 2, 24, 16


def operands(count=3, requires_grad=True):
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(SHAPE, generator=generator, requires_grad=requires_grad) for _ in range(count)]


def attend(query, key, value, **options):
    return sattn.flex_attention(query, key, value, lambda score, b, h, q, kv: torch.tanh(score / 2) * 2, causal=True, **options)


def gradients(query, key, value, function=attend):
    return torch.autograd.grad(function(query, key, value).square().sum(), (query, key, value))


@pytest.mark.parametrize("kind, count", [("ddp", 1), ("ddp", 2), ("fsdp", 1), ("fsdp", 2)])
def test_distributed(tmp_path, kind, count):
    own = distributed_training.model()
    expected = distributed_training.gradients(own, own, distributed_training.batch())
    torch.multiprocessing.spawn(distributed_training.step, (count, str(tmp_path), kind), count)
    for rank in range(count):
        for name, gradient in torch.load(tmp_path / f"{rank}.pt").items():
            torch.testing.assert_close(gradient, expected[name], msg=lambda text: f"{name}: {text}")


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_checkpoints(use_reentrant):
    inputs = operands()

    def again(*own):
        return torch.utils.checkpoint.checkpoint(attend, *own, use_reentrant=use_reentrant)

    again(*inputs).square().sum().backward()
    assert all(map(torch.equal, [tensor.grad for tensor in inputs], gradients(*operands())))


def test_a_captured_tensor_in_a_checkpoint():
    query, key, value = operands()
    bias = torch.linspace(-1, 1, 24, requires_grad=True)

    def biased(*own):
        return sattn.flex_attention(*own, lambda score, b, h, q, kv: score + bias[kv])

    expected, = torch.autograd.grad(biased(query, key, value).square().sum(), bias)
    torch.utils.checkpoint.checkpoint(biased, query, key, value, use_reentrant=False).square().sum().backward()
    assert torch.equal(bias.grad, expected)


def test_hooks_of_tensors():
    query, key, value = operands()
    seen = []
    query.register_hook(lambda gradient: gradient * 2)
    key.register_post_accumulate_grad_hook(lambda tensor: seen.append(tensor.grad.clone()))
    out = attend(query, key, value)
    out.register_hook(lambda gradient: gradient / 2)
    out.square().sum().backward()
    expected = gradients(*operands())
    torch.testing.assert_close(query.grad, expected[0])
    torch.testing.assert_close(seen, [expected[1] / 2])


def test_hooks_of_modules():
    model = distributed_training.model()
    seen = []
    model.register_full_backward_hook(lambda _, inputs, outputs: seen.extend((*inputs, *outputs)))
    x = distributed_training.batch().requires_grad_()
    model(x).sum().backward()
    assert torch.equal(seen[0], x.grad) and torch.equal(seen[1], torch.ones_like(x))


@pytest.mark.parametrize("saved", [
    torch.autograd.graph.save_on_cpu(), torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.half(), lambda half: half.float())])
def test_hooks_of_saved_tensors(saved):
    """Tensors may be kept elsewhere, or in fewer bits."""
    with saved:
        found = gradients(*operands())
    torch.testing.assert_close(found, gradients(*operands()), rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("retain_graph", [True, False])
def test_a_graph_is_kept_on_request(retain_graph):
    query, key, value = operands()
    out = attend(query, key, value)
    first, = torch.autograd.grad(out.sum(), query, retain_graph=retain_graph)
    with contextlib.nullcontext() if retain_graph else pytest.raises(RuntimeError, match="second time"):
        assert torch.equal(torch.autograd.grad(out.sum(), query)[0], first)


def test_gradients_accumulate():
    query, key, value = operands()
    for _ in range(2):
        attend(query, key, value).square().sum().backward()
    torch.testing.assert_close(query.grad, 2 * gradients(*operands())[0])


@pytest.mark.parametrize("changed", ["query", "key", "value", "bias", "out", "lse"])
def test_a_change_in_place_of_what_is_saved_raises(changed):
    query, key, value, bias = (tensor * 1 for tensor in operands(4))
    out, lse = sattn.flex_attention(query, key, value, lambda score, b, h, q, kv: score + bias[b, h, q, 0], return_lse=True)
    with torch.no_grad():
        {"query": query, "key": key, "value": value, "bias": bias, "out": out, "lse": lse}[changed].mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        (out.sum() + lse.sum()).backward()


@pytest.mark.parametrize("strict", [True, False])
def test_export_of_the_forward(strict):
    """Parameters, and an input, that require a gradient."""
    model = distributed_training.model()
    x = distributed_training.batch().requires_grad_()
    exported = torch.export.export(model, (x,), strict=strict).module()
    expected = model(x)
    torch.testing.assert_close(exported(x), expected)
    found, = torch.autograd.grad(exported(x).square().sum(), x)
    torch.testing.assert_close(found, torch.autograd.grad(expected.square().sum(), x)[0])


def test_deterministic_algorithms():
    """Nothing is refused, and memory that PyTorch fills with NaN then is not read."""
    query, key, value = operands()
    table = torch.linspace(-1, 1, 6, requires_grad=True)

    def step():
        out = sattn.flex_attention(query, key, value, lambda score, b, h, q, kv: score + table[(q + kv) % 6], causal=True)
        return torch.autograd.grad(out.square().sum(), (query, key, value, table))

    expected = step()
    torch.use_deterministic_algorithms(True)
    try:
        assert all(map(torch.equal, step(), expected))
    finally:
        torch.use_deterministic_algorithms(False)


def test_options_of_pytorchs_backward(monkeypatch):
    """All that PyTorch has are taken, also for the backward alone, which they do not change; one remark names them."""
    from sattn._call import kernel_options

    monkeypatch.setattr(kernel_options, "_remarked", set())
    names = flex_attention.FlexKernelOptions.__annotations__
    assert {"BLOCK_M1", "BLOCK_N2", "num_warps"} <= set(names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for prefix in ("", "bwd_", "fwd_"):
            for name in names:
                kernel_options.options_of({prefix + name: 64})
    with pytest.warns(UserWarning, match="BLOCK_M1, BLOCK_N2, bwd_BLOCK_M1, bwd_num_warps change nothing here"):
        found = gradients(*operands(), lambda *own: attend(*own, kernel_options={
            "BLOCK_M1": 32, "BLOCK_N2": 32, "bwd_BLOCK_M1": 64, "bwd_num_warps": 8}))
    assert all(map(torch.equal, found, gradients(*operands())))


def test_inference_mode_and_no_grad():
    inputs = operands()
    expected = attend(*inputs)
    assert expected.requires_grad
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            out = attend(*inputs)
        assert not out.requires_grad and torch.equal(out, expected)


def test_no_grad_within_a_score_mod():
    """As detach: what is computed there is a constant, also where the function is traced under another no_grad."""
    def weighted(score, b, h, q, kv):
        with torch.no_grad():
            weight = torch.sigmoid(score)
        return score * weight

    def detached(score, b, h, q, kv):
        return score * torch.sigmoid(score).detach()

    with torch.no_grad():
        sattn.flex_attention(*operands(), weighted)
    found, expected = (gradients(*operands(), lambda *own, function=function: sattn.flex_attention(*own, function))
                       for function in (weighted, detached))
    assert all(map(torch.equal, found, expected))
    assert not torch.allclose(found[0], gradients(*operands(), lambda *own: sattn.flex_attention(
        *own, lambda score, b, h, q, kv: score * torch.sigmoid(score)))[0])


def test_the_greatest_scores_have_no_gradient():
    _, aux = attend(*operands(), return_aux=sattn.AuxRequest(lse=True, max_scores=True))
    assert aux.lse.requires_grad and not aux.max_scores.requires_grad
    with pytest.raises(RuntimeError, match="does not require grad"):
        aux.max_scores.sum().backward()


def _second_derivative(inputs):
    gradient, = torch.autograd.grad(attend(*inputs).sum(), inputs[0], create_graph=True)
    gradient.sum().backward()


def _dual(inputs):
    with forward_ad.dual_level():
        attend(forward_ad.make_dual(inputs[0].detach(), torch.ones(SHAPE)), *inputs[1:])


def _batched_gradients(inputs):
    out = attend(*inputs)
    torch.autograd.grad(out, inputs[0], torch.ones(3, *SHAPE), is_grads_batched=True)


@pytest.mark.parametrize("call, message", [
    (_second_derivative, "expected a first derivative"), (_dual, "expected tensors without tangents"),
    (_batched_gradients, "expected a call outside of torch.func's transforms"),
    (lambda inputs: torch.func.grad(lambda query: attend(query, *inputs[1:]).sum())(inputs[0]), "expected a call outside of torch.func"),
    (lambda inputs: torch.func.jvp(lambda query: attend(query, *inputs[1:]), (inputs[0].detach(),), (torch.ones(SHAPE),)), "torch.func"),
    (lambda inputs: torch.vmap(attend)(*(torch.stack([tensor] * 2) for tensor in inputs)), "transforms of torch.func"),
], ids=["second_derivative", "forward_mode", "batched_gradients", "grad", "jvp", "vmap"])
def test_what_is_refused(call, message):
    with pytest.raises(NotImplementedError, match=message):
        call(operands())
