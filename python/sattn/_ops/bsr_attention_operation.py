"""scaled_dot_product_attention as an operation of PyTorch, and under torch.autograd."""

from .._arrays import autograd, lazy_torch as torch
from .bsr_attention import attend, explained, recorded_arguments, scaled_dot_product_attention
from .bsr_attention_gradient import Attended, backward
from .spec import OpSpec, register

_NAME = "scaled_dot_product_attention"
# block: rows and columns of a stored block. random: the seed and the offset of a dropout. lse: whether the second
# result, the logarithms of sums, is computed; else it is empty.
_ARGUMENTS = ("Tensor query, Tensor key, Tensor value, Tensor crow, Tensor col, SymInt[] block, Tensor? random, "
              "float dropout_p, float scale, str precision")
_SCHEMA = f"({_ARGUMENTS}, bool lse) -> (Tensor, Tensor)"
# wanted: whether the gradients of query, of key and of value are computed; others are empty.
_BACKWARD_SCHEMA = f"(Tensor grad_out, Tensor out, Tensor lse, {_ARGUMENTS}, bool[] wanted) -> (Tensor, Tensor, Tensor)"


def _wide(query):
    return torch.float64 if query.dtype == torch.float64 else torch.float32


def _kernel(query, key, value, crow, col, block, random, dropout_p, scale, precision, lse):
    out, sums = attend(query, key, value, (crow, col, block), random, dropout_p, scale, precision or None, lse)
    return out, query.new_empty((0,), dtype=_wide(query)) if sums is None else sums


def _fake(query, key, value, crow, col, block, random, dropout_p, scale, precision, lse):
    batch = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2], crow.shape[:-1],
                                                  col.shape[:-1])
    rows = (*batch, query.shape[-2])
    return query.new_empty((*rows, value.shape[-1])), query.new_empty(rows if lse else (0,), dtype=_wide(query))


def _gradients_of_attention(grad_out, out, lse, query, key, value, crow, col, block, random, dropout_p, scale,
                            precision, wanted):
    found = backward(grad_out, Attended(query, key, value, crow, col, tuple(block), random, dropout_p, scale, precision,
                                        out, lse), wanted)
    return tuple(grad_out.new_empty((0,)) if gradient is None else gradient for gradient in found)


def _fake_gradients(grad_out, out, lse, query, key, value, *rest):
    return tuple(torch.empty_like(tensor) if is_wanted else grad_out.new_empty((0,))
                 for tensor, is_wanted in zip((query, key, value), rest[-1]))


def _with_gradient(operation):
    """The function that runs in the place of the operation for tensors that may require a gradient."""
    class BsrAttention(torch.autograd.Function):
        """The operation, which saves its operands, its result and the logarithms of sums."""

        @staticmethod
        def forward(ctx, *arguments):
            *own, wants_lse = arguments
            with torch._C._AutoDispatchBelowAutograd():
                out, lse = operation(*own, True)
            query, key, value, crow, col, block, random, *numbers = own
            ctx.save_for_backward(out, lse, query, key, value, crow, col, random)
            ctx.block, ctx.numbers = block, numbers
            ctx.set_materialize_grads(False)
            given = lse if wants_lse else lse.new_empty((0,))
            ctx.mark_non_differentiable(given)
            return out, given

        @staticmethod
        def jvp(ctx, *_):
            autograd.refuse_tangent(_NAME)

        @staticmethod
        def backward(ctx, grad_out, _):
            if autograd.is_batched(grad_out):
                autograd.refuse_transform(_NAME)
            nothing = [None] * 8
            if grad_out is None:
                return None, None, None, *nothing
            out, lse, query, key, value, crow, col, random = ctx.saved_tensors
            needs = list(ctx.needs_input_grad[:3])
            with torch.no_grad():
                found = torch.ops.sattn.bsr_attention_backward(grad_out, out, lse, query, key, value, crow, col,
                                                               ctx.block, random, *ctx.numbers, needs)
            if torch.is_grad_enabled():
                found = autograd.once(_NAME, found, (grad_out, query, key, value))
            return *(gradient if is_needed else None for gradient, is_needed in zip(found, needs)), *nothing

    def kernel(*arguments):
        if torch._C._are_functorch_transforms_active():
            autograd.refuse_transform(_NAME)
        return BsrAttention.apply(*arguments)

    return kernel


register(OpSpec(_gradients_of_attention, "bsr_attention_backward", schema=_BACKWARD_SCHEMA,
                kernel=_gradients_of_attention, fake=_fake_gradients))
register(OpSpec(
    scaled_dot_product_attention, "bsr_attention", schema=_SCHEMA, kernel=_kernel, fake=_fake,
    arguments=recorded_arguments, result=lambda results, given: results[0], explained=explained,
    backward=_with_gradient, autocast=("query", "key", "value"), types={
        "query": "_Array", "key": "_Array", "value": "_Array", "attn_mask": "Any", "dropout_p": "_Number",
        "is_causal": "bool", "scale": "_Number | None"}))
