"""bsr_softmax."""

import copy
import dataclasses
import typing

import numpy as np

from .._arrays import adapters, autograd, dtypes, matrices, plain, recorded_matrices, sparse_operand, stand_ins
from .._compiler import compiler, explanation, program_text
from .._compiler.program_text import meta_and_precision
from .._call import cache, dispatch, guard, memory
from .._call.meta import program_with, tile_of
from .spec import RESULT, OpSpec, operand_batch, register, summed_to, wide_of


@dataclasses.dataclass(frozen=True)
class BsrSoftmax:
    """One `sattn.bsr_softmax` on tensors of dynamic shapes.

    dtype: element type of values and out. block: rows and columns of a stored block. index: "i32" or "i64". batch:
    number of batch dimensions. meta: the inside of #sattn.meta<...>, or "" for the compiler's choice.
    """

    dtype: str
    block: tuple
    index: str
    batch: int
    meta: str = ""

    op: typing.ClassVar[str] = "bsr_softmax"
    #: Names of arrays of blocks, after crow and col; the last one is written. Those of callers, where they are others.
    arrays: typing.ClassVar[tuple] = "values", "out"
    callers: typing.ClassVar[typing.Mapping] = {"values": "input"}

    def text(self):
        """The module: one function, of the op's name, which returns its last argument's new contents."""
        batch = "?x" * self.batch
        index = f"tensor<{batch}?x{self.index}>"
        values = f"tensor<{batch}?x{self.block[0]}x{self.block[1]}x{self.dtype}>"
        types = {"crow": index, "col": index, **dict.fromkeys(self.arrays, values)}
        return program_text.program(self.op, types, f" ins({program_text.listed([*types][:-1], types)})",
                                    meta_and_precision(self), outs=self.arrays[-1:], names=self.callers)


@dataclasses.dataclass(frozen=True)
class BsrSoftmaxBackward(BsrSoftmax):
    """One `sattn.bsr_softmax_backward`, as a BsrSoftmax says of its operation."""

    op: typing.ClassVar[str] = "bsr_softmax_backward"
    arrays: typing.ClassVar[tuple] = "output", "grad_out", "grad_in"
    callers: typing.ClassVar[typing.Mapping] = {"output": "result", "grad_out": "grad"}


def _require_bound(bound):
    """Raises for what is no bound of a row's elements."""
    if isinstance(bound, bool) or not isinstance(bound, (int, np.integer)):
        raise TypeError(f"argument 'max_row_nnz': expected None or an integer, but got {type(bound).__name__}")
    if bound < 0:
        raise ValueError(f"argument 'max_row_nnz': expected a number of elements, but got {bound}")


def _with_values(matrix, operand, values):
    """A matrix of the same kind, with these values in the same places."""
    if isinstance(matrix, sparse_operand.Prepared):
        result = copy.copy(matrix)
        result.update(values)
        return result
    if isinstance(matrix, tuple):
        return matrix[0], matrix[1], values
    if adapters.is_torch(matrix):
        return matrices.tensor_of(operand.crow.clone(), operand.col.clone(), values, matrix.shape)
    return type(matrix)((values, matrix.indices.copy(), matrix.indptr.copy()), shape=matrix.shape)


def call_of(kind, operand, *blocks, meta=""):
    """(the program of a kind of source, its arguments by callers' names), on an operand's indices; calls nothing.
    blocks: the arrays of blocks, the last of which is written and has the shape of all."""
    arrays = operand.arrays
    source = kind(dtype=operand.element, block=operand.block, index=operand.index, batch=len(operand.batch), meta=meta)
    program = program_with(meta, source, arrays.device.index if arrays.on_gpu else compiler.CPU, arrays)
    shape = blocks[-1].shape
    blocks = [array if array.shape == shape else arrays.expand(array, shape) for array in blocks]
    names = "crow", "col", *(kind.callers.get(name, name) for name in kind.arrays)
    return program, {name: arrays.passed(array) for name, array in zip(names, (operand.crow, operand.col, *blocks))}


def _call_of(operand, meta):
    """(program, its arguments by name, the result's values); calls nothing."""
    arrays = operand.arrays
    adapters.require_element("input", operand.values, arrays, dtypes.FLOATS)
    adapters.require_no_derivative("input", operand.values)
    dtypes.require_kernels("input", operand.element, arrays.on_gpu)
    result = arrays.empty((*operand.batch, *operand.values.shape[-3:]), operand.values)
    return *call_of(BsrSoftmax, operand, operand.values, result, meta=meta), result


def explained(input, max_row_nnz=None, *, check=None, meta=None):
    """([(the program that bsr_softmax would call, its arguments, whether input is prepared)], where the tile is from,
    remarks); calls nothing."""
    operand = sparse_operand.operand_of(input, "input", multiple=1)
    program, named, _ = _call_of(operand, tile_of(meta))
    return [(program, list(named.values()), operand.prepared is not None)], "meta" if meta is not None else None, ()


def _guarded_call(input, check):
    """The result, or None where this is no repetition; then nothing was done."""
    parts = guard.parts_of(input) if plain.see() else None
    if parts is None:
        return None
    crow, col, values, shape = parts
    checks = guard.contents_of(check, values)
    known = None if checks is None else cache.guarded_calls.get(("bsr_softmax", checks, shape))
    if known is None:
        return None
    found = guard.run(known, crow, col, values)
    if found is None:
        return None
    result, = found
    return (crow, col, result) if shape is None else matrices.tensor_of(crow.clone(), col.clone(), result, input.shape)


def _dispatched(input, check, meta):
    """The result of the operation of PyTorch, with which the values' gradient is recorded."""
    if isinstance(input, tuple):
        stand_ins.refuse("input", input[2])
        return dispatch.call("bsr_softmax", input=input, check=check, meta=meta)
    operand = sparse_operand.operand_of(input, "input", multiple=1)
    values = operand.recorded_values() if operand.prepared is not None else operand.values
    crow, col, values = dispatch.call("bsr_softmax", input=(operand.crow, operand.col, values), check=check, meta=meta)
    if adapters.is_torch(input):
        return recorded_matrices.tensor_of(crow, col, values, input.shape[-2:])
    return _with_values(input, operand, values)


def bsr_softmax(input, max_row_nnz=None, *, check=None, meta=None):
    """Softmax over the stored elements of each row of a block-sparse matrix: exp(x) / sum(exp(x)).

    input: a torch.sparse_bsr tensor, a SciPy BSR array, a tuple (crow (*, M / BM + 1), col (*, nnz), values
    (*, nnz, BM, BN)) of one library, or what `prepare` gives; f16, bf16 (ml_dtypes in NumPy), f32 or, on the CPU, f64,
    blocks of any size. * are batch dimensions, which broadcast. max_row_nnz: a bound of the elements that a row has, as
    PyTorch's function takes it; rows of any length are right without one, and with one that is too small. check:
    whether the contents of index arrays are checked; by default on the CPU, unless prepared. On CUDA that synchronizes.
    meta: "tile" (rows of a block, columns and stored blocks at a time), and with it any of "stages", "warps" and
    "raster_group"; the compiler chooses else.

    Returns a matrix of the same kind with new values in the same places; a prepared one shares its indices. What is not
    stored has no part in it: rows without a block have no element, before and after. Differences from a row's maximum,
    powers and sums are f32, of f64 elements f64. A row of nothing but -inf gives 0, where PyTorch's function gives NaN.
    It has a gradient (docs/Training.md), but with meta or check. Raises ValueError or TypeError for arguments that do
    not fit, NotImplementedError for what has no code yet, before anything is written.
    """
    if max_row_nnz is not None:
        _require_bound(max_row_nnz)
    found = _guarded_call(input, check) if meta is None else None
    if found is not None:
        return found
    if isinstance(input, tuple) and len(input) == 3 and stand_ins.stands_for_others(input[2]):
        return dispatch.call("bsr_softmax", input=input, check=check, meta=meta)
    if autograd.is_recorded(sparse_operand.values_of(input)):
        return _dispatched(input, check, meta)
    operand = sparse_operand.operand_of(input, "input", multiple=1)
    arrays = operand.arrays
    program, named, result = _call_of(operand, tile_of(meta))
    arguments = list(named.values())
    on_gpu = arrays.on_gpu
    if on_gpu:
        explanation.log_generic(program, arguments, operand.prepared is not None)
    checks = check or check is None and not on_gpu and operand.prepared is None
    launch = memory.launched(program, operand, named, checks=checks)
    if meta is None and arrays is not adapters.NUMPY and operand.prepared is None and operand.crow.ndim == 1 \
            and not (checks and on_gpu):
        *given, out = arguments
        guard.remember(cache.guarded_calls, ("bsr_softmax", bool(checks), operand.shape), launch, given,
                       parts=list(map(guard.Part, range(4))), results=(out,))
    return _with_values(input, operand, result)


def _is_whole(crow, col):
    """Whether every stored block is known to belong to a block row; nothing waits for a device."""
    prepared = sparse_operand.known_of(crow, col)
    if prepared is not None:
        return prepared.is_whole
    return not crow.is_cuda and bool((crow[..., 0] == 0).all() and (crow[..., -1] == col.shape[-1]).all())


def _gradient(grad, needs, given):
    """As OpSpec.gradient: that of the values, 0 at blocks of no row."""
    result = given.result
    if result.shape != given.input.shape:  # A sum over batches rounds once.
        result, grad = (tensor.to(wide_of(tensor)) for tensor in (result, grad))
    operand = sparse_operand.Operand(given.crow, given.col, result, name="result", multiple=1)
    found = (result.new_empty if _is_whole(given.crow, given.col) else result.new_zeros)(result.shape)
    program, named = call_of(BsrSoftmaxBackward, operand, result, grad.contiguous(), found)
    memory.launched(program, operand, named, checks=False)
    return {"input": summed_to(found, given.input.shape).to(given.input.dtype)}


def _fake(crow, col, input):
    return input.new_empty((*operand_batch(crow, input, col.shape[:-1]), *input.shape[-3:]))


register(OpSpec(
    bsr_softmax, "bsr_softmax", {"input": "pattern"}, fake=_fake, explained=explained,
    types={"input": "_Matrix", "max_row_nnz": "int | None"}, returns="_Matrix",
    gradient=_gradient, gradients={"input": ("crow", "col", RESULT)}))
