"""Operations under torch.autograd: those whose specs have gradients (_ops/spec.py), and those that refuse them.

A gradient is an operation of its own, <name>_backward: one node of a graph, too. A torch.autograd.Function stands
outside of both. This file imports PyTorch.
"""

import types

import torch

from .._arrays import adapters, autograd
from .._ops.spec import RESULT

#: The tags of all operations.
TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides)
_ELEMENTS = torch.float16, torch.bfloat16, torch.float32, torch.float64
_AUTOCAST = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU) | torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCUDA)


def _names(operation):
    return [argument.name for argument in operation._schema.arguments]


def _read_names(spec, operation):
    """Names of all that gradients may read."""
    return [*[RESULT] * spec.reads_result, *_names(operation)]


def _refuse(name, value):
    for one in value if isinstance(value, (list, tuple)) else (value,):
        if isinstance(one, torch.Tensor):
            adapters.require_no_derivative(name, one)


def refusing(operation):
    """The kernel for tensors of which PyTorch may want a gradient: it refuses those, and calls the operation for
    others."""
    names = _names(operation)

    def kernel(*arguments, **options):
        for name, value in (*zip(names, arguments), *options.items()):
            _refuse(name, value)
        with torch._C._AutoDispatchBelowAutograd():
            return operation(*arguments, **options)

    return kernel


def _lies_transposed(tensor):
    return tensor.dim() > 1 and tensor.stride(-2) == 1 and tensor.stride(-1) != 1


def _laid_as(gradient, tensor, grad):
    """The gradient of a tensor, in memory of its own as _empty_as has it."""
    laid = gradient.mT.contiguous().mT if _lies_transposed(tensor) else gradient.contiguous()
    is_shared = laid.untyped_storage().data_ptr() == grad.untyped_storage().data_ptr()
    return laid.clone() if is_shared and laid.numel() else laid


def _empty_as(tensor):
    *batch, rows, columns = tensor.shape if tensor.dim() > 1 else (1, 1)
    return tensor.new_empty((*batch, columns, rows)).mT if _lies_transposed(tensor) else tensor.new_empty(tensor.shape)


def define_backward(spec, operation, library):
    """Defines the operation that gives gradients, and returns it. It gives one for each name of spec.gradients, empty
    where it is not wanted; a gradient lies as its tensor, with contiguous rows or columns. Where gradients read the
    result, it comes before the operation's arguments."""
    name, names = f"{spec.name}_backward", _read_names(spec, operation)
    schema = f"Tensor {RESULT}, {spec.schema_of_arguments()}" if spec.reads_result else spec.schema_of_arguments()

    def kernel(grad, wanted, *arguments):
        given = types.SimpleNamespace(**dict.fromkeys(names))
        given.__dict__.update(zip(names, arguments))
        needs = {own for own, is_wanted in zip(spec.gradients, wanted) if is_wanted}
        with torch.no_grad(), torch._C._ExcludeDispatchKeyGuard(_AUTOCAST):
            found = spec.gradient(grad, needs, given)
            return [_laid_as(found[own], getattr(given, own), grad) if own in needs else grad.new_empty((0,))
                    for own in spec.gradients]

    def fake(grad, wanted, *arguments):
        given = dict(zip(names, arguments))
        return [_empty_as(given[own]) if is_wanted else grad.new_empty((0,))
                for own, is_wanted in zip(spec.gradients, wanted)]

    library.define(f"{name}(Tensor grad, bool[] wanted, {schema}) -> Tensor[]", tags=TAGS)
    library.impl(name, kernel, "CompositeExplicitAutograd")
    torch.library.register_fake(f"sattn::{name}", fake, lib=library)
    backward = getattr(torch.ops.sattn, name).default
    library.impl(name, refusing(backward), "Autograd")
    return backward


def _like(description):
    """A tensor of one element that has the shape and the type of another."""
    shape, dtype, device = description
    return torch.empty((), dtype=dtype, device=device).expand(shape)


def recording(spec, operation, backward):
    """The kernel for tensors of which PyTorch may want a gradient: it records it where it does."""
    names, readable = _names(operation), _read_names(spec, operation)
    matrix = next((name for name, kind in spec.parameters.items() if kind == "matrix"), None)
    first = None if matrix is None else names.index("crow")

    class Differentiated(torch.autograd.Function):
        """The operation, which saves what the gradients that are wanted read."""

        @staticmethod
        def forward(ctx, *arguments):
            with torch._C._AutoDispatchBelowAutograd():
                result = operation(*arguments)
            read = set()
            for name, is_needed in zip(names, ctx.needs_input_grad):
                if is_needed:
                    read.update(spec.gradients[name])
            given = list(zip(readable, (result, *arguments) if spec.reads_result else arguments))
            ctx.kept = [name for name, value in given if name in read and isinstance(value, torch.Tensor)]
            ctx.described = {name: (value.shape, value.dtype, value.device) for name, value in given
                             if name not in read and isinstance(value, torch.Tensor)}
            ctx.others = {name: value for name, value in given if not isinstance(value, torch.Tensor)}
            ctx.save_for_backward(*(value for name, value in given if name in ctx.kept))
            ctx.set_materialize_grads(False)
            return result

        @staticmethod
        def backward(ctx, grad):
            if grad is None:
                return (None,) * len(names)
            given = dict(zip(ctx.kept, ctx.saved_tensors))
            given.update(ctx.others)
            given.update((name, _like(description)) for name, description in ctx.described.items())
            needs = dict(zip(names, ctx.needs_input_grad))
            with torch.no_grad():
                found = backward(grad, [needs[name] for name in spec.gradients], *(given[name] for name in readable))
            if torch.is_grad_enabled():
                operands = (given[name] for name in ctx.kept)
                found = autograd.once(spec.function.__name__, found, (grad, *operands))
            gradients = {name: gradient for name, gradient in zip(spec.gradients, found) if needs[name]}
            return tuple(gradients.get(name) for name in names)

    def kernel(*arguments, **options):
        given = [*arguments, *(options.get(name) for name in names[len(arguments):])]
        if matrix is not None and given[first] is None and given[first + 2].requires_grad:
            sparse = given[first + 2]  # Autograd knows the values of it, whose gradient is one of the matrix.
            given[first:first + 4] = sparse.crow_indices(), sparse.col_indices(), sparse.values(), sparse.shape[-1]
        recorded = False
        for name, value in zip(names, given):
            if not isinstance(value, torch.Tensor):
                continue
            if autograd.needs_gradient(value) and name in spec.gradients and value.dtype in _ELEMENTS and not autograd.is_dual(value):
                recorded = True
            else:
                adapters.require_no_derivative(name, value)
        if recorded:
            return Differentiated.apply(*given)
        with torch._C._AutoDispatchBelowAutograd():
            return operation(*given)

    return kernel
