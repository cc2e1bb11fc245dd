"""Duties of operations to PyTorch's autograd."""

import contextlib
import functools
import sys

from . import lazy_torch as torch


def _set_recording(torch, is_on):
    # No mode of PyTorch's sees it: torch.export would put it into its graph.
    with torch._C.DisableTorchFunction():
        torch._C._set_grad_enabled(is_on)


@contextlib.contextmanager
def recording():
    """The context in which PyTorch, if it is there, records operations for a backward pass."""
    torch = sys.modules.get("torch")
    if torch is None or torch.is_grad_enabled():
        yield
        return
    _set_recording(torch, True)
    try:
        yield
    finally:
        _set_recording(torch, False)


def needs_gradient(tensor):
    """Whether PyTorch would record operations on the tensor, for a backward pass."""
    return tensor.requires_grad and torch.is_grad_enabled()


def is_dual(tensor):
    """Whether the tensor carries a tangent of forward-mode differentiation."""
    return torch.autograd.forward_ad.unpack_dual(tensor).tangent is not None


def may_have_tangents():
    """Whether tensors may be duals of forward-mode differentiation."""
    return getattr(torch.autograd.forward_ad, "_current_level", 0) >= 0


def count_write(tensor):
    """Counts a write into the tensor's memory, so that a backward pass that needs the old content is refused."""
    if not tensor.is_inference():  # Inference tensors have no versions.
        torch.autograd.graph.increment_version(tensor)


def is_recorded(*values):
    """Whether PyTorch wants a gradient of one of these: tensors, or anything else."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.is_grad_enabled() and any(
        isinstance(value, torch.Tensor) and value.requires_grad for value in values)


def refuse_transform(operation):
    """Raises for an operation, by its name, inside of a transform of torch.func."""
    raise NotImplementedError(f"{operation}: expected a call outside of torch.func's transforms (grad, vjp, jvp, vmap), but got "
                              "one inside; torch.autograd.grad gives its gradients")


def outside_transforms(operation, function):
    """The function, which refuses calls inside of a transform of torch.func in the name of an operation."""
    def call(*arguments):
        if torch._C._are_functorch_transforms_active():
            refuse_transform(operation)
        return function(*arguments)

    return call


def refuse_tangent(operation):
    """Raises for an operation of a tensor with a tangent."""
    raise NotImplementedError(f"{operation}: expected tensors without tangents, but got a dual of forward-mode "
                              "differentiation, which has no derivative here")


def is_batched(gradient):
    """Whether a gradient stands for several, as with is_grads_batched of torch.autograd.grad."""
    functorch = torch._C._functorch
    return gradient is not None and (functorch.is_batchedtensor(gradient)
                                     or functorch.is_legacy_batchedtensor(gradient))


@functools.cache
def _once():
    class Once(torch.autograd.Function):
        """Gradients that have none of their own."""

        @staticmethod
        def forward(ctx, message, count, *tensors):
            ctx.message = message
            return tensors[:count]

        @staticmethod
        def backward(ctx, *_):
            raise NotImplementedError(ctx.message)

    return Once


def once(operation, gradients, operands):
    """The gradients of an operation, by its name; a derivative of these by the operands, tensors or None, is
    refused."""
    message = (f"{operation}: expected a first derivative, but got one of its gradient, which has none; write the operation with "
               "PyTorch's for a second one")
    return _once().apply(message, len(gradients), *gradients, *operands)
