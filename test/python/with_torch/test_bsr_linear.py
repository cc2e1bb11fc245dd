"""Block-sparse layers: modules, pruning, blocks that move."""

import copy
import io

import pytest
import torch

import sattn
import sattn.nn


def layer(bias=True, **options):
    torch.manual_seed(0)
    return sattn.nn.BsrLinear(48, 64, bias, block=(16, 8), sparsity=0.7, **options)


def weight_of(module):
    return sattn.bsr_to_dense(module.operand).detach()


def test_a_new_layer():
    module = layer()
    assert module.values.shape == (7, 16, 8) and module.bias.shape == (64,)
    assert set(dict(module.named_parameters())) == {"values", "bias"} and set(module.state_dict()) == {"crow", "col", "values", "bias"}
    assert sorted(module.crow.diff().tolist()) == [1, 2, 2, 2] and module.crow.dtype == torch.int32
    assert 0 < module.values.abs().max() <= (7 * 8 / 4) ** -0.5
    assert repr(module) == "BsrLinear(in_features=48, out_features=64, bias=True, block=(16, 8), nnz=7)"
    x = torch.randn(2, 3, 48)
    torch.testing.assert_close(module(x), torch.nn.functional.linear(x, weight_of(module), module.bias))
    assert "bias" not in layer(False).state_dict() and layer(False)(x).shape == (2, 3, 64)
    assert sattn.nn.BsrLinear(48, 64, block=8, sparsity=1)(x).shape == (2, 3, 64)


@pytest.mark.parametrize("options, message", [
    ({"block": 32, "sparsity": 0.5}, "argument 'matrix': expected rows and columns in whole blocks"),
    ({"block": 8, "sparsity": 2}, "argument 'sparsity': expected a number from 0 to 1, but got 2")])
def test_a_layer_of_sizes_that_do_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        sattn.nn.BsrLinear(48, 64, **options)


def test_of_a_dense_layer():
    dense = torch.nn.Linear(48, 64)
    module = sattn.nn.BsrLinear.from_dense(dense, 8, 0.5)
    wanted = sattn.bsr_to_dense(sattn.prune_to_bsr(dense.weight.detach(), 8, sparsity=0.5))
    assert torch.equal(weight_of(module), wanted) and torch.equal(module.bias, dense.bias) and module.bias is not dense.bias
    with pytest.raises(TypeError, match="argument 'linear': expected a torch.nn.Linear, but got ReLU"):
        sattn.nn.BsrLinear.from_dense(torch.nn.ReLU(), 8, 0.5)


def test_training_is_that_of_a_dense_layer_with_a_mask():
    module = layer()
    dense = torch.nn.Linear(48, 64)
    with torch.no_grad():
        dense.weight.copy_(weight_of(module))
        dense.bias.copy_(module.bias)
    mask = sattn.bsr_to_dense((module.crow, module.col, torch.ones_like(module.values)), 48)
    ours, theirs = (torch.optim.AdamW(one.parameters(), 1e-2) for one in (module, dense))
    for seed in range(5):
        x = torch.randn(20, 48, generator=torch.Generator().manual_seed(seed))
        for one, optimizer in ((module, ours), (dense, theirs)):
            optimizer.zero_grad()
            one(x).square().mean().backward()
            if one is dense:
                dense.weight.grad *= mask
            optimizer.step()
    torch.testing.assert_close(weight_of(module), dense.weight.detach() * mask, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(module.bias, dense.bias, atol=1e-5, rtol=1e-4)


def test_states_and_copies():
    module, x = layer(), torch.randn(5, 48)
    torch.manual_seed(1)
    other = sattn.nn.BsrLinear(48, 64, block=(16, 8), sparsity=0.7)
    own, parameter = copy.deepcopy(other), other.values
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file, weights_only=True))
    assert torch.equal(other(x), module(x)) and other.values is parameter and other.values.requires_grad
    assert not torch.equal(own(x), module(x))
    state = module.state_dict()
    state["col"] = state["col"] + 40
    before = other(x)
    with pytest.raises(ValueError, match="argument 'col': expected block columns"):
        other.load_state_dict(state)
    assert torch.equal(other(x), before)
    half = copy.deepcopy(module).to(torch.bfloat16)
    assert half.operand.dtype == half(x.bfloat16()).dtype == torch.bfloat16
    half(x.bfloat16()).sum().backward()
    assert half.values.grad.dtype == torch.bfloat16


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_a_compiled_step(backend):
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = torch.nn.Sequential(layer(), torch.nn.GELU(), sattn.nn.BsrLinear(64, 48, block=8, sparsity=0.5))
    other = copy.deepcopy(model)
    x, y = torch.randn(30, 48), torch.randn(30, 48)
    run = torch.compile(model, fullgraph=True, backend=backend)
    ours, theirs = (torch.optim.Adam(one.parameters(), 1e-2) for one in (model, other))
    for _ in range(3):
        for one, optimizer in ((run, ours), (other, theirs)):
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(one(x), y).backward()
            optimizer.step()
    for one, two in zip(model.parameters(), other.parameters()):
        torch.testing.assert_close(one, two, atol=1e-5, rtol=1e-4)


def test_autocast_and_a_scaler():
    module, x = layer(), torch.randn(5, 48)
    with torch.autocast("cpu", torch.bfloat16):
        out = module(x)
    assert out.dtype == torch.bfloat16
    out.float().square().sum().backward()
    assert module.values.grad.dtype == torch.float32
    wanted = torch.nn.functional.linear(x, weight_of(module), module.bias)
    assert (out.float() - wanted).norm() < 2e-2 * wanted.norm()


def test_data_parallel(tmp_path):
    """Over one process: hooks, buckets and broadcast buffers."""
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        module, x = layer(), torch.randn(5, 48)
        wanted = torch.autograd.grad(module(x).square().sum(), module.parameters())
        parallel = torch.nn.parallel.DistributedDataParallel(module)
        for _ in range(2):
            module.zero_grad()
            parallel(x).square().sum().backward()
        for one, two in zip(module.parameters(), wanted):
            torch.testing.assert_close(one.grad, two)
    finally:
        torch.distributed.destroy_process_group()


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.odd, self.shared = torch.nn.Linear(48, 64), torch.nn.Linear(64, 10), torch.nn.Linear(64, 64, bias=False)
        self.again, self.tied, self.embedding = self.shared, torch.nn.Linear(64, 32, bias=False), torch.nn.Embedding(32, 64)
        self.tied.weight = self.embedding.weight
        self.inner = torch.nn.ModuleList([torch.nn.Linear(64, 64)])


def test_prune():
    model = Model()
    assert sattn.nn.prune_(model, block=16, sparsity=0.5, select=lambda name, _: name != "first") == ["shared", "again", "inner.0"]
    assert type(model.first) is type(model.odd) is type(model.tied) is torch.nn.Linear and model.again is model.shared
    assert isinstance(model.inner[0], sattn.nn.BsrLinear) and model.shared.operand.nnz == 8
    with pytest.raises(TypeError, match="argument 'model': expected a module that has layers, but got Linear"):
        sattn.nn.prune_(torch.nn.Linear(8, 8), block=8, sparsity=0.5)


def test_rewire_moves_the_weakest_to_the_largest_gradients():
    module = layer()
    model = torch.nn.Sequential(module, torch.nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    x = torch.randn(9, 48)
    model(x).sum().backward()
    optimizer.step()
    before, parameter, moments = weight_of(module), module.values, weight_of_state(module, optimizer)
    dense = before.clone().requires_grad_()
    model[1](torch.nn.functional.linear(x, dense, module.bias)).sum().backward()
    norms = blocks(before).square().sum((2, 3)).sqrt()
    stored = norms > 0
    slots = norms.masked_fill(~stored, torch.inf).flatten().argsort()[:2]
    grown = blocks(dense.grad).square().sum((2, 3)).masked_fill(stored, -1).flatten().argsort(descending=True)[:2]
    assert sattn.nn.rewire_(model, lambda: model(x).sum().backward(), 0.3, optimizer=optimizer) == {"0": 2}
    wanted = blocks(before).flatten(0, 1).clone()
    wanted[slots] = 0
    assert torch.equal(blocks(weight_of(module)).flatten(0, 1), wanted)
    kept = blocks(moments).flatten(0, 1).clone()
    kept[slots] = 0
    assert torch.equal(blocks(weight_of_state(module, optimizer)).flatten(0, 1), kept)
    places = blocks(sattn.bsr_to_dense((module.crow, module.col, torch.ones_like(module.values)), 48))[..., 0, 0].flatten()
    assert places[grown].all() and not places[slots].any() and places.sum() == 7
    assert module.values is parameter and parameter.grad is None
    model(x).sum().backward()
    assert parameter.grad.abs().sum() > 0
    optimizer.step()


def blocks(matrix):
    return matrix.reshape(4, 16, 6, 8).transpose(1, 2)


def weight_of_state(module, optimizer):
    return sattn.bsr_to_dense((module.crow, module.col, optimizer.state[module.values]["exp_avg"]), 48)


def test_rewire_with_calls_that_repeat_and_that_lack():
    module = layer(False)
    x = torch.randn(9, 48)

    def step():
        (module(x[:4]).sum() + module(x[4:]).sum()).backward()

    one, two = copy.deepcopy(module), module
    sattn.nn.rewire_(torch.nn.Sequential(two), step, 0.5)
    sattn.nn.rewire_(torch.nn.Sequential(one), lambda: one(x).sum().backward(), 0.5)
    assert torch.equal(one.col, two.col) and torch.equal(one.crow, two.crow)
    with pytest.raises(ValueError, match="argument 'step': expected a backward pass through each layer, but got none through 0"):
        sattn.nn.rewire_(torch.nn.Sequential(module), lambda: None, 0.5)
    with pytest.raises(ValueError, match="argument 'fraction': expected a number from 0 to 1, but got 2"):
        sattn.nn.rewire_(module, step, 2)
    assert sattn.nn.rewire_(torch.nn.Sequential(module), step, 0) == {"0": 0}
