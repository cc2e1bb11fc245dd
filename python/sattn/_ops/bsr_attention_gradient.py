"""scaled_dot_product_attention as an operation of PyTorch, and its gradients: those of flex_attention, over stored
blocks."""

import math
import typing

from .._arrays import adapters, autograd, lazy_torch as torch, transposition
from .._call import cache, memory
from .._compiler import compiler
from . import whole_columns
from .bsr_attention import attend, explained, recorded_arguments, scaled_dot_product_attention
from .flex_attention_backward import WIDEST_TOGETHER, FlexAttentionBackward, Stored
from .flex_attention_program import FlexAttention
from .spec import OpSpec, register, summed_to, wide_of


_NAME = "scaled_dot_product_attention"
# block: rows and columns of a stored block. random: the seed and the offset of a dropout. lse: whether the second
# result, the logarithms of sums, is computed; else it is empty.
_ARGUMENTS = ("Tensor query, Tensor key, Tensor value, Tensor crow, Tensor col, SymInt[] block, Tensor? random, "
              "float dropout_p, float scale, str precision")
_SCHEMA = f"({_ARGUMENTS}, bool lse) -> (Tensor, Tensor)"
# wanted: whether the gradients of query, of key and of value are computed; others are empty.
_BACKWARD_SCHEMA = f"(Tensor grad_out, Tensor out, Tensor lse, {_ARGUMENTS}, bool[] wanted) -> (Tensor, Tensor, Tensor)"


class Attended(typing.NamedTuple):
    """The arguments and results of the forward. dropout: the probability; random: the seed and the offset, or None."""

    query: object
    key: object
    value: object
    crow: object
    col: object
    block: tuple
    random: object
    dropout: float
    scale: float
    precision: str
    out: object
    lse: object


def _own(shape, rank, rest):
    """The batch dimensions of a shape, with those of 1 that it lacks; `rest` dimensions are no batches."""
    own = tuple(shape[:len(shape) - rest])
    return (1,) * (rank - len(own)) + own


def _in_two(tensor, batch, rest):
    """The tensor with two batch dimensions, of which each is 1 or that of `batch`, whose last dimension is the second;
    all others are the first, in their order."""
    own, shape = _own(tensor.shape, len(batch), rest), tensor.shape[tensor.dim() - rest:]
    if len(batch) <= 2:
        return tensor.reshape(*(1,) * (2 - len(batch)), *own, *shape)
    first = own[:-1]
    if math.prod(first) != 1 and first != batch[:-1]:
        tensor, first = tensor.expand(*batch[:-1], own[-1], *shape), batch[:-1]
    return tensor.reshape(math.prod(first), own[-1], *shape)


def _plain(tensor):
    """The tensor in memory of its own where elements repeat, or those of a row are apart."""
    repeats = any(not stride and size > 1 for stride, size in zip(tensor.stride(), tensor.shape))
    return tensor.contiguous() if repeats or tensor.stride(-1) != 1 and tensor.shape[-1] > 1 else tensor


def _shares(tensor):
    return tuple(size == 1 for size in tensor.shape[:2])


class _Operands(typing.NamedTuple):
    """The operands with two batch dimensions each, as flex_attention has them."""

    query: object
    key: object
    value: object
    group: int


def _operands_of(given, batch):
    query, key, value = (_in_two(tensor, batch, 2) for tensor in (given.query, given.key, given.value))
    whole = _in_two(given.out, batch, 2).shape[:2]
    query = _plain(query.expand(*whole, *query.shape[2:]))
    shared = torch.broadcast_shapes(key.shape[:2], value.shape[:2])
    key, value = (_plain(tensor.expand(*shared, *tensor.shape[2:])) for tensor in (key, value))
    return _Operands(query, key, value, max(whole[1], 1) // max(shared[1], 1))


def _stored_of(crow, col, across, batch):
    """((crow, col), those of the transpose) of a pattern with so many block columns, with two batch dimensions each."""
    shared = torch.broadcast_shapes(crow.shape[:-1], col.shape[:-1])
    own = (index.expand(*shared, index.shape[-1]) for index in (crow, col))
    other = transposition.pattern_of(crow, col, across)
    return (tuple(_in_two(index, batch, 1).contiguous() for index in own),
            tuple(_in_two(index, batch, 1).contiguous() for index in (other.crow, other.col)))


def backward(grad_out, given, wanted):
    """[the gradient of query, of key, of value], each None where `wanted` does not ask for it. given: Attended; columns
    are 1 to 512, and blocks of multiples of 16."""
    arrays, batch = adapters.arrays_of("query", given.query), tuple(given.out.shape[:-2])
    own = _operands_of(given, batch)
    pattern, transposed = _stored_of(given.crow, given.col, given.key.shape[-2] // given.block[1], batch)
    is_f64 = str(given.query.dtype).endswith("float64")
    fill = whole_columns.filled if is_f64 else lambda tensor: tensor
    query, key, value = (fill(tensor) for tensor in own[:3])
    out, grad_out = (fill(_in_two(_plain(tensor), batch, 2)) for tensor in (given.out, grad_out))
    target = arrays.device.index if arrays.on_gpu else compiler.CPU
    scores = FlexAttention(dtype=arrays.dtype(query.dtype), head_dim=query.shape[-1], value_dim=value.shape[-1],
                           group=own.group, one_kv_batch=key.shape[0] == 1 != query.shape[0],
                           block_size=tuple(given.block), precision=given.precision or "ieee")
    widest = max(scores.head_dim, scores.value_dim)
    source = FlexAttentionBackward(
        scores, wants_query=wanted[0], wants_key=wanted[1], wants_value=wanted[2],
        is_apart=target != compiler.CPU and widest > WIDEST_TOGETHER,
        stored=Stored(arrays.dtype(pattern[0].dtype), _shares(pattern[0]), _shares(transposed[0])),
        dropout=given.random is not None, name="bsr_attention_backward")
    program = memory.with_memory(arrays, cache.program, source, target)
    lists = [*pattern] * wanted[0] + [*transposed] * (wanted[1] or wanted[2])
    made = [_place_for(tensor, of, batch) for tensor, of, is_wanted in zip(
        (query, key, value), (given.query, given.key, given.value), wanted) if is_wanted]
    random = [] if given.random is None else [given.random]
    scalars = [given.scale] + [given.dropout] * len(random)
    tensors = [*random, query, key, value, out, grad_out, _in_two(given.lse, batch, 1), *lists,
               *(place for _, place in made)]
    program._launch(*scalars, *map(arrays.passed, tensors))
    found = iter(made)
    return [_like(*next(found), tensor, batch) if is_wanted else None
            for tensor, is_wanted in zip((given.query, given.key, given.value), wanted)]


def _place_for(operand, tensor, batch):
    """(the gradient of a tensor, or None, where the program writes that of the operand made of it): the first is a view
    of the second unless elements are to be added or left out."""
    result = torch.empty_like(tensor)
    if len(batch) <= 2 and tensor.numel() == operand.numel():
        return result, _in_two(result, batch, 2)
    return None, operand.new_empty(operand.shape)


def _like(result, found, tensor, batch):
    """The gradient of a tensor from one with two batch dimensions: its own place, or the sum over the batches that it
    has not."""
    if result is not None:
        return result
    found = found[..., :tensor.shape[-1]]
    own = (1,) * (2 - len(batch)) + _own(tensor.shape, len(batch), 2)
    if len(batch) > 2 and found.shape[0] != 1:
        found = found.reshape(*batch[:-1], *found.shape[1:])
    elif len(batch) > 2:
        found = found.reshape(*(1,) * (len(batch) - 1), *found.shape[1:])
    if tuple(found.shape[:-2]) != own:
        found = summed_to(found.to(wide_of(found)), (*own, *found.shape[-2:]))
    return torch.empty_like(tensor).copy_(found.reshape(tensor.shape))


def _kernel(query, key, value, crow, col, block, random, dropout_p, scale, precision, lse):
    out, sums = attend(query, key, value, (crow, col, block), random, dropout_p, scale, precision or None, lse)
    return out, query.new_empty((0,), dtype=wide_of(query)) if sums is None else sums


def _fake(query, key, value, crow, col, block, random, dropout_p, scale, precision, lse):
    batch = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2], crow.shape[:-1],
                                                  col.shape[:-1])
    rows = (*batch, query.shape[-2])
    return query.new_empty((*rows, value.shape[-1])), query.new_empty(rows if lse else (0,), dtype=wide_of(query))


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

    return autograd.outside_transforms(_NAME, BsrAttention.apply)


register(OpSpec(_gradients_of_attention, "bsr_attention_backward", schema=_BACKWARD_SCHEMA,
                kernel=_gradients_of_attention, fake=_fake_gradients))
register(OpSpec(
    scaled_dot_product_attention, "bsr_attention", schema=_SCHEMA, kernel=_kernel, fake=_fake,
    arguments=recorded_arguments, result=lambda results, given: results[0], explained=explained,
    backward=_with_gradient, autocast=("query", "key", "value"),
    types={"attn_mask": "Any", "dropout_p": "_Number", "is_causal": "bool"}))
