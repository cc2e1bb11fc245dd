"""flex_attention under torch.autograd: its operation saves what its gradients need."""

from .._arrays import autograd, lazy_torch as torch
from .._trace import function_text

_PLACES = {"arrays": 5, "lists": 8, "lse": 13}


def with_gradient(operation):
    """The function that runs in the place of the operation for tensors that may require a gradient."""
    class FlexAttention(torch.autograd.Function):
        """The operation. `arguments` are its own, of which arrays and lists are numbers of tensors; these follow."""

        @staticmethod
        def forward(ctx, query, key, value, *rest):
            own = [query, key, value, *rest[:13]]
            tensors = rest[13:]
            arrays, lists = tensors[:own[_PLACES["arrays"]]], tensors[own[_PLACES["arrays"]]:]
            own[_PLACES["arrays"]], own[_PLACES["lists"]] = list(arrays), list(lists)
            wants_lse, own[_PLACES["lse"]] = own[_PLACES["lse"]], True
            with torch._C._AutoDispatchBelowAutograd():
                out, lse, largest = operation(*own)
            ctx.save_for_backward(query, key, value, out, lse, *arrays, *lists)
            ctx.numbers, ctx.count = [*own[3:5], *own[6:8], *own[9:13], own[15]], len(arrays)
            ctx.set_materialize_grads(False)
            ctx.mark_non_differentiable(largest)
            if wants_lse:
                return out, lse, largest
            none = lse.new_empty((0,))
            ctx.mark_non_differentiable(none, largest)
            return out, none, largest

        @staticmethod
        def jvp(ctx, *_):
            autograd.refuse_tangent("flex_attention")

        @staticmethod
        def backward(ctx, grad_out, grad_lse, _):
            if any(map(autograd.is_batched, (grad_out, grad_lse))):
                autograd.refuse_transform("flex_attention")
            query, key, value, out, lse, *tensors = ctx.saved_tensors
            arrays, lists = tensors[:ctx.count], tensors[ctx.count:]
            score_mod, mask_mod, floats, integers, mask, band, scale, enable_gqa, kernel_options = ctx.numbers
            needs = ctx.needs_input_grad
            # Captures of a mask_mod have no gradient.
            captures = function_text.deserialize(score_mod).captures if score_mod else ()
            count = sum(capture.kind == "array" for capture in captures)
            of_arrays = [place < count and own for place, own in enumerate(needs[16:16 + ctx.count])]
            wanted = [*needs[:3], *of_arrays]
            nothing = [None] * (13 + len(tensors))
            if grad_out is None and grad_lse is None:
                return None, None, None, *nothing
            if grad_out is None:
                grad_out = torch.zeros_like(out)
            with torch.no_grad():
                found = torch.ops.sattn.flex_attention_backward(
                    grad_out, grad_lse, out, lse, query, key, value, score_mod, mask_mod, arrays, floats, integers,
                    lists, mask, band, scale, enable_gqa, kernel_options, wanted)
            gradients = [*found[:3], *found[3]]
            if torch.is_grad_enabled():
                gradients = autograd.once("flex_attention", gradients, (query, key, value, grad_out, *arrays))
            own = (gradient if is_needed else None for gradient, is_needed in zip(gradients, (*needs[:3], *of_arrays)))
            return next(own), next(own), next(own), *nothing[:13], *own, *[None] * len(lists)

    def kernel(query, key, value, score_mod, mask_mod, arrays, floats, integers, lists, *rest):
        if torch._C._are_functorch_transforms_active():
            autograd.refuse_transform("flex_attention")
        return FlexAttention.apply(query, key, value, score_mod, mask_mod, len(arrays), floats, integers, len(lists),
                                   *rest, *arrays, *lists)

    return kernel
