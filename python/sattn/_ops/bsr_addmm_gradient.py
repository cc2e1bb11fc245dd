"""bsr_dense_addmm as an operation of PyTorch, with its gradients: products with the transpose, and sampled products at
the stored blocks."""

from .._arrays import adapters, lazy_torch as torch, sparse_operand, transposition
from . import bsr_addmm, sampled_addmm
from .spec import OpSpec, operand_batch, register, rows_of, summed_to, wide_of

#: The operands that have gradients, and what these read.
_INDICES = "crow", "col"
_SCALES = "left_alpha", "right_alpha"
_TENSORS = "beta_tensor", "alpha_tensor"
READS = {
    "input": _TENSORS[:1],
    "bsr": (*_INDICES, "dense", *_SCALES, "alpha_tensor"),
    "dense": (*_INDICES, "bsr", *_SCALES, "alpha_tensor"),
    "left_alpha": (*_INDICES, "bsr", "dense", "right_alpha", "alpha_tensor"),
    "right_alpha": (*_INDICES, "bsr", "dense", "left_alpha", "alpha_tensor"),
    "beta_tensor": ("input",),
    "alpha_tensor": (*_INDICES, "bsr", "dense", *_SCALES),
}


def number_of(number, tensor):
    return number if tensor is None else tensor.item()


def scaled(tensor, number):
    return tensor if number == 1 else tensor * number


def with_elements(tensor):
    """The tensor with an element in memory for each: gradients of sums are one element, expanded."""
    return tensor.contiguous() if any(not stride
                                      and size > 1 for stride, size in zip(tensor.stride(), tensor.shape)) else tensor


def operand_of(crow, col, values, columns):
    """The operand of a product, prepared if its indices are."""
    prepared = sparse_operand.prepared_of(crow, col, values)
    if prepared is not None:
        return prepared
    batch = torch.broadcast_shapes(crow.shape[:-1], col.shape[:-1], values.shape[:-3])
    return sparse_operand.Operand(crow, col, values, (*batch, (crow.shape[-1] - 1) * values.shape[-2], columns))


def product(operand, dense, shape, alpha, precision):
    """alpha * (operand @ dense), summed over the batches that a shape has not, in the type of dense. It lies as dense
    does."""
    crow, col, values = operand if isinstance(operand, tuple) else (operand.crow, operand.col, operand.values)
    batch = torch.broadcast_shapes(crow.shape[:-1], col.shape[:-1], values.shape[:-3], dense.shape[:-2])
    element = dense.dtype if tuple(batch) == tuple(shape[:-2]) else wide_of(dense)
    if adapters.arrays_of("dense", dense).is_transposed(dense):
        out = dense.new_empty((*batch, shape[-1], shape[-2]), dtype=element).mT
    else:
        out = dense.new_empty((*batch, *shape[-2:]), dtype=element)
    bsr_addmm.bsr_dense_addmm(None, operand, dense, beta=0, alpha=alpha, out=out, check=False, precision=precision)
    return summed_to(out, shape).to(dense.dtype)


def transposed_product(operand, columns, dense, shape, alpha, precision):
    """As product, with the transpose of an Operand that has this number of columns."""
    return product(transposition.transposed(operand, columns), dense, shape, alpha, precision)


def _at_blocks(crow, col, like, left, right, alpha, precision):
    """alpha * (left @ right) at the blocks of a pattern, for the batches that all have together: 0 at blocks of no row.
    Of the type of `like`, or of sums where it has other batches."""
    batch = torch.broadcast_shapes(crow.shape[:-1], col.shape[:-1], like.shape[:-3], left.shape[:-2],
                                                  right.shape[:-2])
    known = sparse_operand.known_of(crow, col)
    made = like.new_empty if known is not None and known.is_whole else like.new_zeros
    if tuple(batch) == tuple(like.shape[:-3]):
        matrix = crow, col, made(like.shape)
        pattern = matrix
    else:
        pattern, matrix = (crow, col, like), (crow, col, made((*batch, *like.shape[-3:]), dtype=wide_of(like)))
    sampled_addmm.sampled_addmm(pattern, left, right, beta=0, alpha=alpha, out=matrix, check=False, precision=precision)
    return matrix[2]


def sampled(crow, col, like, left, right, alpha, precision):
    """alpha * (left @ right) at the blocks of a pattern, in the shape and the type of values like these: summed over
    the batches that they have not."""
    if like.dim() == 3 and crow.dim() == col.dim() == 1 and (left.dim() > 2 or right.dim() > 2):
        # For one matrix, a sum over batches is a sum over more columns.
        batch = torch.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        left = left.expand(*batch, *left.shape[-2:]).movedim(-2, 0).flatten(1)
        right = right.expand(*batch, *right.shape[-2:]).flatten(0, -2)
    return summed_to(_at_blocks(crow, col, like, left, right, alpha, precision), like.shape).to(like.dtype)


def _scaled_rows_and_columns(grad, left, right):
    """left[:, None] * grad * right[None, :] in the type of grad."""
    found = grad
    if left is not None:
        found = found * left.unsqueeze(-1)
    if right is not None:
        found = found * right.unsqueeze(-2)
    return found.to(grad.dtype)


def _of_scales(grad, needs, given, operand, alpha):
    """Gradients of left_alpha, right_alpha and alpha: the product without these is computed once more, in the type of
    sums."""
    found, element = {}, wide_of(grad)
    left, right = given.left_alpha, given.right_alpha
    shape = grad.shape
    unscaled = grad.new_empty(shape, dtype=element)
    bsr_addmm.bsr_dense_addmm(None, operand, given.dense, beta=0, out=unscaled, check=False, precision=given.precision
                              or None)
    unscaled *= grad
    if "left_alpha" in needs:
        rows = (unscaled if right is None else unscaled * right.unsqueeze(-2)).sum(-1)
        found["left_alpha"] = summed_to(rows, left.shape).mul_(alpha).to(left.dtype)
    if left is not None:
        unscaled *= left.unsqueeze(-1)
    if "right_alpha" in needs:
        found["right_alpha"] = summed_to(unscaled.sum(-2), right.shape).mul_(alpha).to(right.dtype)
    if "alpha_tensor" in needs:
        total = (unscaled if right is None else unscaled * right.unsqueeze(-2)).sum()
        found["alpha_tensor"] = total.to(given.alpha_tensor)
    return found


def of_input(grad, needs, given):
    """Gradients of input and beta in beta * input, of those that are needed."""
    beta, found = number_of(given.beta, given.beta_tensor), {}
    if "input" in needs:
        found["input"] = scaled(summed_to(grad, given.input.shape),
                                beta) if beta else given.input.new_zeros(given.input.shape)
    if "beta_tensor" in needs:
        found["beta_tensor"] = (grad.to(wide_of(grad)) * given.input).sum().to(given.beta_tensor)
    return found


def zeros_of(names, given):
    """Gradients of operands that are not read, as those of factors where alpha is 0."""
    return {name: getattr(given, name).new_zeros(getattr(given, name).shape) for name in names}


def gradient(grad, needs, given):
    """As OpSpec.gradient, of the operands in READS."""
    alpha = number_of(given.alpha, given.alpha_tensor)
    left, right, precision = given.left_alpha, given.right_alpha, given.precision or None
    found = of_input(grad, needs, given)
    if alpha == 0:
        found |= zeros_of(needs & {"bsr", "dense", *_SCALES}, given)
    needs = needs - found.keys()
    if not needs:
        return found
    columns = given.dense.shape[-2]
    operand = operand_of(given.crow, given.col, given.bsr, columns) if needs != {"bsr"} else None
    if needs & {*_SCALES, "alpha_tensor"}:
        found.update(_of_scales(grad, needs, given, operand, alpha))
    if needs & {"bsr", "dense"}:
        grad = with_elements(_scaled_rows_and_columns(grad, left, right))
    if "dense" in needs:
        found["dense"] = transposed_product(operand, columns, grad, given.dense.shape, alpha, precision)
    if "bsr" in needs:
        found["bsr"] = sampled(given.crow, given.col, given.bsr, grad, given.dense.mT, alpha, precision)
    return found


def _fake(input, crow, col, bsr, columns, dense, beta, alpha, left_alpha, right_alpha, precision, beta_tensor=None,
          alpha_tensor=None):
    return dense.new_empty((*operand_batch(crow, bsr, dense.shape[:-2]), rows_of(crow, bsr), dense.shape[-1]))


register(OpSpec(
    bsr_addmm.bsr_dense_addmm, "bsr_addmm",
    {"input": "tensor?", "bsr": "matrix", "dense": "tensor", "beta": "number", "alpha": "number",
     "left_alpha": "tensor?", "right_alpha": "tensor?", "precision": "precision"},
    fake=_fake, explained=bsr_addmm.explained, is_default=True, gradients=READS, gradient=gradient,
    autocast=("input", "bsr", "dense")))
