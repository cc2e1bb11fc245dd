"""bsr_softmax."""

import copy

import numpy as np

from . import _arrays, _bsr, _compiler, _elements, _explain, _operand, cache
from ._source import BsrSoftmax


def _require_bound(bound):
    """Raises for what is no bound of a row's elements."""
    if isinstance(bound, bool) or not isinstance(bound, (int, np.integer)):
        raise TypeError(f"argument 'max_row_nnz': expected None or an integer, but got {type(bound).__name__}")
    if bound < 0:
        raise ValueError(f"argument 'max_row_nnz': expected a number of elements, but got {bound}")


def _with_values(matrix, operand, values):
    """A matrix of the same kind, with these values in the same places."""
    if isinstance(matrix, _operand.Prepared):
        result = copy.copy(matrix)
        result.update(values)
        return result
    if isinstance(matrix, tuple):
        return matrix[0], matrix[1], values
    if _arrays.is_torch(matrix):
        import torch

        return torch.sparse_compressed_tensor(operand.crow.clone(), operand.col.clone(), values, size=matrix.shape,
                                              layout=matrix.layout)
    return type(matrix)((values, matrix.indices.copy(), matrix.indptr.copy()), shape=matrix.shape)


def bsr_softmax(input, max_row_nnz=None, *, check=None):
    """Softmax over the stored elements of each row of a block-sparse matrix: exp(x) / sum(exp(x)).

    input: a torch.sparse_bsr tensor, a SciPy BSR array, a tuple (crow (*, M / BM + 1), col (*, nnz), values
    (*, nnz, BM, BN)) of one library, or what `prepare` gives; f16, bf16 (ml_dtypes in NumPy) or f32, blocks of any size. *
    are batch dimensions, which broadcast. max_row_nnz: a bound of the elements that a row has, as PyTorch's function takes
    it; rows of any length are right without one, and with one that is too small. check: whether the contents of index
    arrays are checked; by default on the CPU, unless prepared. On CUDA that synchronizes.

    Returns a matrix of the same kind with new values in the same places; a prepared one shares its indices. What is not
    stored has no part in it: rows without a block have no element, before and after. Differences from a row's maximum,
    powers and sums are f32. A row of nothing but -inf gives 0, where PyTorch's function gives NaN. Raises ValueError or
    TypeError for arguments that do not fit, NotImplementedError for what has no code yet (gradients among it), before
    anything is written.
    """
    if max_row_nnz is not None:
        _require_bound(max_row_nnz)
    operand = _operand.operand_of(input, "input", multiple=1)
    arrays = operand.arrays
    _arrays.require_element("input", operand.values, arrays, _elements.FLOATS)
    _arrays.require_no_derivative("input", operand.values)
    on_gpu = arrays.device is not None and arrays.device.type == "cuda"
    shape = (*operand.batch, *operand.values.shape[-3:])
    source = BsrSoftmax(dtype=operand.element, block=operand.block, index=operand.index, batch=len(operand.batch))
    program = _bsr._with_memory(arrays, cache.program, source, arrays.device.index if on_gpu else _compiler.CPU)
    values = operand.values if operand.values.shape == shape else arrays.expand(operand.values, shape)
    result = arrays.empty(shape, operand.values)
    named = {name: arrays.passed(array) for name, array in (("crow", operand.crow), ("col", operand.col), ("input", values),
                                                            ("out", result))}
    arguments = list(named.values())
    if on_gpu:
        _explain.log_generic(program, arguments, operand.prepared is not None)
    try:
        checks = check or check is None and not on_gpu and operand.prepared is None
        launch = _bsr._launcher(program, operand, arguments, 0, checks)
        _bsr._with_memory(arrays, launch, *arguments)
    except BufferError as error:
        _arrays.raise_refusal(named, error)
    return _with_values(input, operand, result)
