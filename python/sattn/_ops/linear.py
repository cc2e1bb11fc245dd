"""linear."""

import re
import types

from .._arrays import adapters, autocast, autograd, dtypes, sparse_operand, stand_ins
from .._call import dispatch
from . import bsr_addmm, bsr_addmm_gradient
from .spec import OpSpec, register, rows_of


def _shape_of_result(operand, x):
    """(*, M), after checking that the operands fit."""
    if operand.batch:
        raise ValueError(f"argument 'weight': expected one matrix, but got batches of {operand.batch}")
    if not x.ndim:
        raise ValueError("argument 'x': expected shape (*, K), but got ()")
    k = x.shape[-1]
    if operand.shape is not None and operand.shape[-1] not in (k, None) or k % operand.block[1]:
        columns = operand.shape and operand.shape[-1]
        wanted = f"a multiple of {operand.block[1]}" if columns is None else columns
        raise ValueError(f"argument 'x': expected {wanted} columns, as weight has, but got {k}")
    return (*x.shape[:-1], operand.rows)


def linear(x, weight, bias=None, *, out=None, precision=None):
    """x @ weight^T + bias: torch.nn.functional.linear with a sparse weight.

    x: (*, K). weight: M x K, as of bsr_dense_addmm, what `prepare` gives, or a sattn.nn.Bsr. bias: (M,). All of one
    element type. out: (*, M) of f16, bf16 or f32, or of f64 as they are. precision, and elements of 8 bits: as of
    bsr_dense_addmm.

    Returns out, or a new array (*, M) of x's type. Arrays are used where they lie: rows of x and of the result are the
    layout that GPUs take fastest, but any strides work. The sum is rounded once, with the bias in it. It has gradients
    (docs/Training.md), but with an out. Under torch.autocast x, weight and bias are cast to its type. Raises what
    bsr_dense_addmm raises.
    """
    weight = sparse_operand.without_module(weight)
    if adapters.is_torch(x):
        values = sparse_operand.values_of(weight)
        if stand_ins.stands_for_others(x) or autocast.is_on() and autocast.casts(x, values, bias):
            return dispatch.call("linear", x=x, weight=weight, bias=bias, precision=precision, out=out)
        stand_ins.refuse("x", x)
        if autograd.is_recorded(x, values, bias):
            return dispatch.call("linear", x=x, weight=weight, bias=bias, precision=precision, out=out)
        adapters.require_no_derivative("x", x)
    operand = sparse_operand.operand_of(weight, "weight")
    arrays = operand.arrays
    for name, array in (("x", x), ("bias", bias), ("out", out)):
        if array is not None or name == "x":
            adapters.require_same(name, array, arrays, "weight")
    shape = _shape_of_result(operand, x)
    if bias is not None:
        adapters.require_shape("bias", bias, (operand.rows,))
    if out is not None:
        adapters.require_shape("out", out, shape)
    element = dtypes.result_of(operand.element) if dtypes.is_narrow(operand.element) else None
    result = arrays.empty(shape, x, element) if out is None else out
    rows, target = arrays.rows_of(x), arrays.rows_of(result)
    if rows is None or target is None:  # Products in batches, one for each index of the first dimensions.
        rows, target = x, result
    try:
        bsr_addmm.bsr_dense_addmm(None if bias is None else bias[:, None], weight, arrays.transposed(rows),
                                  beta=0 if bias is None else 1, out=arrays.transposed(target), precision=precision)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise type(error)(_in_own_words(str(error))) from None
    return result


def _in_own_words(message):
    """Gives bsr_dense_addmm's errors the names that linear has for its arguments."""
    return re.sub(r"(?<=argument ')(dense|bsr|input)(?=')", lambda found: _OWN[found[1]], message)


def explained(x, weight, bias=None, *, out=None, precision=None):
    """([(the program that linear would call, its arguments, whether weight is prepared)], where the tile is from,
    remarks); calls nothing."""
    weight = sparse_operand.without_module(weight)
    _shape_of_result(sparse_operand.operand_of(weight, "weight"), x)
    rows, target = x.reshape(-1, x.shape[-1]), None if out is None else out.reshape(-1, out.shape[-1])
    try:
        return bsr_addmm.explained(None if bias is None else bias[:, None], weight, rows.T,
                                   beta=0 if bias is None else 1, out=None if target is None else target.T,
                                   precision=precision)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise type(error)(_in_own_words(str(error))) from None


def _fake(x, crow, col, weight, columns, bias, precision):
    return x.new_empty((*x.shape[:-1], rows_of(crow, weight)))


#: The operands in the words of bsr_dense_addmm, of which linear is the transpose.
_PRODUCT = {"x": "dense", "weight": "bsr", "bias": "input"}
_OWN = {product: own for own, product in _PRODUCT.items()}


def _gradient(grad, needs, given):
    columns = given.x.shape[-1]
    product = types.SimpleNamespace(
        input=None if given.bias is None else given.bias.unsqueeze(-1), crow=given.crow, col=given.col,
        bsr=given.weight,
        dense=given.x.reshape(-1, columns).mT, left_alpha=None, right_alpha=None, alpha=1, alpha_tensor=None, beta=1,
        beta_tensor=None, precision=given.precision)
    found = bsr_addmm_gradient.gradient(grad.reshape(-1, grad.shape[-1]).mT, {_PRODUCT[name] for name in needs},
                                        product)
    back = {"x": lambda own: own.mT.reshape(given.x.shape), "weight": lambda own: own,
            "bias": lambda own: own.squeeze(-1)}
    return {name: back[name](found[_PRODUCT[name]]) for name in needs}


_INDICES = "crow", "col"
register(OpSpec(
    linear, "linear", {"x": "tensor", "weight": "matrix", "bias": "tensor?", "precision": "precision"}, fake=_fake,
    explained=explained,
    gradients={"x": (*_INDICES, "weight"), "weight": (*_INDICES, "x"), "bias": ()}, gradient=_gradient,
    autocast=("x", "weight", "bias")))
