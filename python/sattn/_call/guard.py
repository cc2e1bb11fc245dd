"""Products of tensors of a kind that was made before: what one was found to need is not found out again.

A call with PyTorch's tensors goes from Python to its kernels in one step, the binding's `repeats`, which compares types,
devices and shapes with those of calls before. Whatever is new to it takes the long way (_ops/bsr_addmm.py), which checks it.
"""

import itertools

from .._native import libraries
from .._arrays import autograd, matrices, plain
from .._arrays.plain import TYPES, is_plain
from . import memory

# The kind of a call: what its tensors do not tell.
BETA_IS_ZERO, IN_PLACE, CHECKED, TF32, META = 1, 2, 4, 8, 16
# Results of the binding's call.
FAILED = 2
# Given parameters, by their text: numbers of META. That of None is 0.
_metas = {}
_numbers = itertools.count(1)  # Threads get different ones.
METAS_LIMIT = 4096


def text_of(meta):
    """Text that is the same for the same parameters alone, or None where there is none: only of a plain dict of
    integers, or sequences of them, is `repr` known to be such."""
    if type(meta) is not dict:
        return None
    for name, value in meta.items():
        if type(name) is not str:
            return None
        if type(value) is not int:
            if type(value) is not tuple and type(value) is not list:
                return None
            for size in value:
                if type(size) is not int:
                    return None
    return repr(meta)


def remember(repeats, program, with_beta, with_input, transposes, indices, kind, meta, operands):
    """Keeps a call. transposes: whether the program takes dense, and input and out, transposed. indices: of a prepared operand,
    whose places in operands are None; else (None, None)."""
    plain.see()
    if meta is not None:
        text = text_of(meta)
        if text is None or len(_metas) >= METAS_LIMIT and text not in _metas:
            return
        kind |= META * (_metas.get(text) or _metas.setdefault(text, next(_numbers)))
    functions = repeats.functions
    if functions is None:
        repeats.functions = functions = tuple(libraries.binding().repeats())
    functions[2](program, with_beta, with_input, *transposes, *indices, kind, *operands)


def parts_of(matrix):
    """(crow, col, values, own shape or None) of a tuple of three or a torch.sparse_bsr tensor, or None."""
    if type(matrix) is tuple:
        return (*matrix, None) if len(matrix) == 3 else None
    if type(matrix) not in TYPES or matrix.layout is not plain.sparse_bsr:
        return None
    try:
        return matrix.crow_indices(), matrix.col_indices(), matrix.values(), matrix.shape
    except RuntimeError:  # In transforms of PyTorch, whose tensors the long way refuses.
        return None


def _kind_of(beta, tf32):
    return (BETA_IS_ZERO if beta == 0 else 0) | (TF32 if tf32 else 0)


def _run(functions, *arguments):
    """Whether the binding knew the call, and has run it."""
    try:
        outcome = functions[0](*arguments)
    except Exception:  # Of what cannot be passed the long way has a reason.
        return False
    if outcome == FAILED:
        try:
            functions[1]()
        except RuntimeError as error:
            if not memory.is_out_of_memory(error):
                raise
            return False  # The long way makes room.
    return bool(outcome)


def remember_sampled(repeats, launch, beta, operands, is_transposed, checks, tf32):
    """As `remember`, of sampled_addmm: its matrices stand in the places of values and dense. operands: of the program,
    by name; batches are not remembered."""
    if any(operands[name].ndim != rank for name, rank in (("crow", 1), ("mat1", 2), ("mat2", 2), ("out", 3))):
        return
    mat2 = operands["mat2"].transpose(0, 1) if is_transposed else operands["mat2"]
    remember(repeats, launch, beta != 0, beta != 0, (is_transposed, False), (None, None),
             _kind_of(beta, tf32) | (CHECKED if checks else 0), None,
             (operands["crow"], operands["col"], operands["mat1"], mat2, operands.get("input"), None, None,
              operands["out"]))


def repeated_sampled(repeats, input, mat1, mat2, beta, alpha, out, check, tf32):
    """As `repeated`, of sampled_addmm."""
    functions = repeats.functions
    if functions is None or not is_plain(mat1) or not is_plain(mat2) or out is not None and out is not input:
        return None
    kind = _kind_of(beta, tf32)
    if check or check is None:
        if not mat1.is_cuda:
            kind |= CHECKED
        elif check:
            return None
    if autograd.may_have_tangents() or mat1.dim() != 2 or mat2.dim() != 2:
        return None
    parts = parts_of(input)
    if parts is None:
        return None
    crow, col, values, shape = parts
    if shape is not None and shape != (mat1.shape[0], mat2.shape[1]):
        return None
    if not is_plain(crow) or not is_plain(col) or not is_plain(values) or crow.dim() != 1 or values.dim() != 3 \
            or values.dtype != mat1.dtype or values.device != mat1.device or values.shape[0] != col.shape[0]:
        return None
    if plain.is_recording() and (values.requires_grad or mat1.requires_grad or mat2.requires_grad):
        return None
    result = mat1.new_empty(values.shape) if out is None else values
    if not _run(functions, kind, alpha, beta, crow, col, mat1, mat2, None if beta == 0 else values, None, None, result):
        return None
    if out is not None:
        autograd.count_write(result)
        return out
    return (crow, col, result) if shape is None else matrices.tensor_of(crow, col, result, input.shape)


def repeated(repeats, prepared, input, bsr, dense, beta, alpha, left, right, out, meta, check, tf32):
    """The result, or None where this is no repetition, or one that got no memory; then nothing was done. Raises what
    the program raises.

    prepared: whether bsr is a Prepared; repeats: its own, or those of all others.
    """
    functions = repeats.functions
    if functions is None or not is_plain(dense):
        return None
    kind = _kind_of(beta, tf32)
    if check or check is None and not prepared:
        if not dense.is_cuda:
            kind |= CHECKED
        elif check:  # On the long way, which copies the indices to the host.
            return None
    if meta is not None:
        number = _metas.get(text_of(meta))
        if number is None:
            return None
        kind |= META * number
    if autograd.may_have_tangents():
        return None
    crow = col = shape = None
    if prepared:
        bsr.require_unwritten()
        values, rows = bsr.values, bsr.rows
    else:
        parts = parts_of(bsr)
        if parts is None:
            return None
        crow, col, values, shape = parts
        if shape is None and not (is_plain(crow) and is_plain(col)):
            return None
    if not is_plain(values) or values.dim() < 3 or dense.dim() < 2:
        return None
    if not prepared:
        if crow.dim() < 1 or crow.shape[-1] < 1:
            return None
        rows = (crow.shape[-1] - 1) * values.shape[-2]
        if shape is not None and shape != (*values.shape[:-3], rows, dense.shape[-2]):
            return None
    if input is not None:
        if not is_plain(input):
            return None
        if input is out:
            kind |= IN_PLACE
            input = None
    for scale in (left, right):
        if scale is not None and not is_plain(scale):
            return None
    if out is not None and not is_plain(out):
        return None
    if plain.is_recording():
        for tensor in (values, dense, input, left, right, out):
            if tensor is not None and tensor.requires_grad:
                return None
    result = out
    if out is None:
        if dense.dim() != 2 or values.dim() != 3 or crow is not None and crow.dim() != 1:
            return None
        result = dense.new_empty((rows, dense.shape[1]))
    if not _run(functions, kind, alpha, beta, crow, col, values, dense, input, left, right, result):
        return None
    if out is not None:
        autograd.count_write(out)
    return result
