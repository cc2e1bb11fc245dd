"""Models that become sparse, and whose blocks move: prune_ and rewire_. This file imports PyTorch."""

import contextlib
import numbers

import torch

from .._arrays import matrices, patterns, pruning
from .._ops.sampled_addmm import sampled_addmm
from .modules import BsrLinear


def _places_of_parameters(model):
    """How many times modules of a model have each parameter, by its identity."""
    counts = {}
    for module in model.modules():
        for parameter in module.parameters(recurse=False):
            counts[id(parameter)] = counts.get(id(parameter), 0) + 1
    return counts


def prune_(model, *, block, sparsity, select=None):
    """Puts a BsrLinear of the blocks of largest norm in the place of each torch.nn.Linear in a model.

    block, sparsity: as of BsrLinear, for each layer by itself. select: (name, layer) -> whether it is one to prune; all
    are. A layer stays as it is where its sizes are no whole blocks, where another module has its weight, too, and where
    it is of a subclass of torch.nn.Linear. Make the optimizer after this: parameters are new.

    Returns the names of the layers, in order. Raises TypeError for a model that is a layer itself (BsrLinear.from_dense
    makes a new one), ValueError for sizes that are none.
    """
    if not isinstance(model, torch.nn.Module) or isinstance(model, torch.nn.Linear):
        raise TypeError(f"argument 'model': expected a module that has layers, but got {type(model).__name__}")
    sizes, counts, found, names = matrices.block_of(block), _places_of_parameters(model), {}, []
    pruning.require_sparsity(sparsity)
    for path, parent in list(model.named_modules()):
        for name, layer in list(parent._modules.items()):  # named_children leaves out a module's other names.
            if type(layer) is not torch.nn.Linear or layer.out_features % sizes[0] or layer.in_features % sizes[1]:
                continue
            whole = f"{path}.{name}" if path else name
            if layer not in found:
                is_chosen = counts[id(layer.weight)] == 1 and (select is None or select(whole, layer))
                found[layer] = BsrLinear.from_dense(layer, sizes, sparsity) if is_chosen else None
            if found[layer] is not None:
                setattr(parent, name, found[layer])
                names.append(whole)
    return names


class _DenseGradient:
    """The gradient of a layer's weight at all of its blocks, as a backward pass gives it."""

    def __init__(self, layer):
        operand = layer.operand
        self.down, self.across = operand.crow.shape[-1] - 1, operand.shape[-1] // operand.block[1]
        device = operand.values.device
        self.crow = torch.arange(self.down + 1, dtype=torch.int32, device=device) * self.across
        self.col = torch.arange(self.across, dtype=torch.int32, device=device).repeat(self.down)
        self.block, self.total = operand.block, None

    def hook(self, layer, arguments, output):
        """A forward hook of the layer."""
        x = arguments[0].detach()
        if output.requires_grad:
            output.register_hook(lambda grad: self.add(x, grad))

    def add(self, x, grad):
        """Adds what one call of the layer contributes: a sampled product of its input and the gradient of its
        output."""
        x, grad = x.reshape(-1, x.shape[-1]).to(grad.dtype), grad.reshape(-1, grad.shape[-1])
        element = torch.promote_types(grad.dtype, torch.float32)
        out = self.crow, self.col, grad.new_empty((self.down * self.across, *self.block), dtype=element)
        pattern = self.crow, self.col, grad.new_empty(()).expand(out[2].shape)
        with torch.no_grad():
            sampled_addmm(pattern, grad.mT, x, beta=0, out=out, check=False)
            self.total = out[2] if self.total is None else self.total.add_(out[2])


def _moved(layer, gradient, fraction):
    """(crow, col, for each new block the old one or -1, how many are new)."""
    operand = layer.operand
    crow, col = operand.crow.long(), operand.col.long()
    slots = torch.arange(operand.nnz, device=col.device)
    places = (torch.searchsorted(crow, slots, right=True) - 1) * gradient.across + col
    is_free = torch.ones(gradient.down * gradient.across, dtype=torch.bool, device=col.device)
    is_free[places] = False
    moves = min(round(fraction * operand.nnz), int(is_free.sum()))
    norms = torch.linalg.vector_norm(layer.values.detach(), dim=(1, 2), dtype=gradient.total.dtype)
    stays = norms.argsort(stable=True)[moves:]
    grown = torch.linalg.vector_norm(gradient.total, dim=(1, 2)).masked_fill(~is_free, -1).argsort(descending=True, stable=True)[:moves]
    places, sources = torch.cat([places[stays], grown]), torch.cat([stays, grown.new_full((moves,), -1)])
    order = places.argsort(stable=True)
    places = places[order]
    offsets = patterns.offsets_of(operand.arrays, places[None] // max(gradient.across, 1), gradient.down)[0]
    return offsets.to(operand.crow.dtype), (places % max(gradient.across,
                                                         1)).to(operand.col.dtype), sources[order], moves


def _take(tensor, sources):
    """Puts a layer's blocks, or what an optimizer has of each, in a new order where they lie; 0 for new ones."""
    tensor.copy_(torch.where((sources < 0)[:, None, None], 0, tensor[sources.clamp(min=0)]))


def rewire_(model, step, fraction, *, optimizer=None, group=None):
    """Moves the blocks of smallest norm of each BsrLinear of a model to the places without one where the gradient of
    its weight is largest, as RigL does it for elements. They begin as zeros.

    step: a function without arguments that runs the model and a backward pass, such as `lambda: loss(model(x),
    y).backward()`; not of a compiled model, whose layers have no hooks. fraction: the share of a layer's blocks that
    moves, 0 to 1, rounded; no more than there are free places. optimizer: whose state of blocks goes with them, 0 for
    new ones. group: a torch.distributed group, all processes of which call this, over which gradients are summed: their
    layers then have one pattern.

    Parameters and their number stay. Gradients of the model are None after it. While it runs, a gradient of each whole
    weight is in memory, in f32. Returns {name of a layer: how many of its blocks moved}. Raises ValueError for a
    fraction that is none, and where a layer got no gradient.
    """
    if isinstance(fraction, bool) or not isinstance(fraction, numbers.Real) or not 0 <= fraction <= 1:
        raise ValueError(f"argument 'fraction': expected a number from 0 to 1, but got {fraction!r}")
    layers = {name: module for name, module in model.named_modules() if isinstance(module, BsrLinear)}
    gradients = {name: _DenseGradient(layer) for name, layer in layers.items()}
    with contextlib.ExitStack() as stack:
        for name, layer in layers.items():
            stack.callback(layer.register_forward_hook(gradients[name].hook).remove)
        with torch.enable_grad():
            step()
    if missing := [name for name, gradient in gradients.items() if gradient.total is None]:
        raise ValueError(f"argument 'step': expected a backward pass through each layer, but got none through {', '.join(missing)}")
    counts = {}
    for name, layer in layers.items():
        if group is not None:
            torch.distributed.all_reduce(gradients[name].total, group=group)
        crow, col, sources, counts[name] = _moved(layer, gradients.pop(name), fraction)
        with torch.no_grad():
            _take(layer.values, sources)
            for state in (optimizer.state.get(layer.values, {}) if optimizer is not None else {}).values():
                if isinstance(state, torch.Tensor) and state.shape == layer.values.shape:
                    _take(state, sources)
        layer._take(layer.operand.of_arrays(crow, col, layer.values))
    model.zero_grad(set_to_none=True)
    return counts
