"""The gradient of bsr_softmax."""

import dataclasses
import typing

from .._arrays import sparse_operand
from .bsr_addmm_gradient import summed_to, wide_of
from .bsr_softmax import BsrSoftmax, call_of, launched


@dataclasses.dataclass(frozen=True)
class BsrSoftmaxBackward(BsrSoftmax):
    """One `sattn.bsr_softmax_backward`, as a BsrSoftmax says of its operation."""

    op: typing.ClassVar[str] = "bsr_softmax_backward"
    arrays: typing.ClassVar[tuple] = "output", "grad_out", "grad_in"
    callers: typing.ClassVar[typing.Mapping] = {"output": "result", "grad_out": "grad"}


def _is_whole(crow, col):
    """Whether every stored block is known to belong to a block row; nothing waits for a device."""
    prepared = sparse_operand.known_of(crow, col)
    if prepared is not None:
        return prepared.is_whole
    return not crow.is_cuda and bool((crow[..., 0] == 0).all() and (crow[..., -1] == col.shape[-1]).all())


def gradient(grad, needs, given):
    """As OpSpec.gradient: that of the values, 0 at blocks of no row."""
    result = given.result
    if result.shape != given.input.shape:  # A sum over batches rounds once.
        result, grad = (tensor.to(wide_of(tensor)) for tensor in (result, grad))
    operand = sparse_operand.Operand(given.crow, given.col, result, name="result", multiple=1)
    found = (result.new_empty if _is_whole(given.crow, given.col) else result.new_zeros)(result.shape)
    program, named = call_of(BsrSoftmaxBackward, operand, result, grad.contiguous(), found)
    launched(program, operand, named, checks=False)
    return {"input": summed_to(found, given.input.shape).to(given.input.dtype)}
