"""flex_attention_backward as an operation of PyTorch, which torch.autograd calls (flex_attention_autograd.py)."""

from .._arrays import lazy_torch as torch
from .flex_attention_layout import in_order_of
from .flex_attention_backward import Gradients, backward, flex_attention_backward
from .flex_attention_operation import arguments_of, request_of
from .spec import OpSpec, register

# wanted: whether the gradients of query, of key, of value, and of each of `arrays` are computed. Those that are not are
# empty.
_SCHEMA = ("(Tensor grad_out, Tensor? grad_lse, Tensor out, Tensor lse, Tensor query, Tensor key, Tensor value, str score_mod, "
           "str mask_mod, Tensor[] arrays, Scalar[]? floats, SymInt[] integers, Tensor[] lists, SymInt[] mask, SymInt[] band, "
           "Scalar? scale, bool enable_gqa, str kernel_options, bool[] wanted) -> (Tensor, Tensor, Tensor, Tensor[])")


def _given(array, empty):
    return empty if array is None else array


def _kernel(grad_out, grad_lse, out, lse, *arguments):
    *scores, kernel_options, wanted = arguments
    request = request_of(*scores, False, False, kernel_options)
    found, captured = backward(request,
                               Gradients(out, lse, grad_out, grad_lse, *wanted[:3], of_arrays=tuple(wanted[3:])))
    empty = grad_out.new_empty((0,))
    return *(_given(array, empty) for array in found), [_given(array, empty) for array in captured]


def _like(array, is_wanted):
    """A tensor like the gradient of one."""
    if not is_wanted:
        return array.new_empty((0,))
    if array.dim() != 4:
        return torch.empty_like(array)
    shape, places = in_order_of(array.stride(), tuple(array.shape))
    made = array.new_empty(shape)
    return made if places is None else made.permute(places)


def _fake(grad_out, grad_lse, out, lse, query, key, value, score_mod, mask_mod, arrays, floats, integers, lists, mask,
          band, scale, enable_gqa, kernel_options, wanted):
    *of_three, of_arrays = *wanted[:3], wanted[3:]
    return (*map(_like, (query, key, value), of_three),
            [torch.empty_like(array) if own else array.new_empty((0,)) for array, own in zip(arrays, of_arrays)])


def _arguments(request, given, kernel_options):
    *scores, _, _, options = arguments_of(request, kernel_options)
    return (given.grad_out, given.grad_lse, given.out, given.lse, *scores, options,
            [True] * 3 + [False] * len(scores[5]))


def _result(results, given):
    return results[:3]


register(OpSpec(
    flex_attention_backward, "flex_attention_backward", schema=_SCHEMA, kernel=_kernel, fake=_fake,
    arguments=_arguments, result=_result, returns="tuple[Any, Any, Any]", types={
        "grad_out": "_Array", "query": "_Array", "key": "_Array", "value": "_Array", "out": "_Array", "lse": "_Array",
        "score_mod": "_ScoreMod | None", "block_mask": "Any", "scale": "_Number | None", "enable_gqa": "bool",
        "kernel_options": "Mapping[str, Any] | None", "grad_lse": "_Array | None",
        "causal": 'bool | Literal["top_left", "bottom_right"] | None', "window": "tuple[int | None, int | None] | None",
        "prefix": "int | None"}))
