"""sampled_addmm."""

import dataclasses

import numpy as np

from .._arrays import adapters, autocast, autograd, dtypes, matrices, plain, recorded_matrices, sparse_operand, stand_ins, storage
from .._compiler import compiler, explanation, program_text
from .._compiler.program_text import meta_and_precision
from .._call import cache, dispatch, guard, memory, pytorch_options
from .._call.meta import program_with, tile_of
from .._call.scalars import are_recorded, number

# Most columns of mat1 for which a CUDA program is specialized to their number: short reductions have own tiles.
_SHORT = 128


@dataclasses.dataclass(frozen=True)
class SampledAddmm:
    """One `sattn.sampled_addmm` on tensors of dynamic shapes: what a kernel is compiled for.

    dtype: element type of mat1: "f16", "bf16", "f32", "f64", "i8", "f8E4M3FN" or "f8E5M2". mat2, input: those of mat2
    and input.
    out: the result's.
    block: rows and columns of a stored block. index: "i32" or "i64".
    batch: batch dimensions of (crow, col), of mat1, mat2, input and out.
    with_input: whether beta * input is added; else beta is 0.
    precision: "ieee", or of f32 "tf32". transpose_mat1, transpose_mat2: whether mat1 is (*, K, M) and
    mat2 (*, N, K).
    meta: the inside of #sattn.meta<...>, or "" for the compiler's choice. k: the columns of mat1 where the program is
    made for them, else None.
    """

    dtype: str
    mat2: str
    input: str
    out: str
    block: tuple
    index: str
    batch: tuple
    with_input: bool
    precision: str
    transpose_mat1: bool
    transpose_mat2: bool
    meta: str = ""
    k: int | None = None

    def text(self):
        """The module: one function @sampled_addmm, which returns its last argument's new contents."""
        storage, mat1, mat2, input, out = self.batch
        block = "x".join(map(str, self.block))

        def tensor(rank, element):
            return f"tensor<{'?x' * rank}{element}>"

        def factor(rank, element, last):
            k = self.k or "?"
            return f"tensor<{'?x' * rank}{f'?x{k}x' if last else f'{k}x?x'}{element}>"

        scalar, indices = dtypes.scalar_of(self.dtype), tensor(storage + 1, self.index)
        given = program_text.Arguments(dict.fromkeys(("alpha", "beta")[:1 + self.with_input], scalar))
        operands = " alpha(%alpha) beta(%beta)\n     " + given.clause("ins", {
            "crow": indices, "col": indices, "mat1": factor(mat1, self.dtype, last=not self.transpose_mat1),
            "mat2": factor(mat2, self.mat2, last=self.transpose_mat2)})
        if self.with_input:
            operands += given.clause("input", {"input": tensor(input + 1, f"{block}x{self.input}")})
        types = given.types | {"out": tensor(out + 1, f"{block}x{self.out}")}
        return program_text.program(
            "sampled_addmm", types, operands,
            [*meta_and_precision(self), *(name for name in ("transpose_mat1", "transpose_mat2") if getattr(self, name))],
            constants="" if self.with_input else f"  %beta = arith.constant 0.0 : {scalar}\n")


def _is_boolean(values):
    return str(getattr(values, "dtype", "")).removeprefix("torch.") == "bool"


def _pattern_of(input, mat1):
    """(crow, col, values, shape) as given, and the Operand of it. A boolean mask's values only say where blocks are:
    they are memory for the result, of its type."""
    crow, col, values, shape = sparse_operand.parts_of(input, "input")
    is_boolean = _is_boolean(values)
    blocks = values
    if is_boolean:
        arrays = adapters.arrays_of("mat1", mat1)
        factor = arrays.dtype(mat1.dtype)
        element = dtypes.result_of(factor) if dtypes.is_narrow(factor) else None
        blocks = arrays.empty(tuple(values.shape), mat1, element)
    operand = sparse_operand.Operand(crow, col, blocks, shape, "input", elements=(*dtypes.FLOATS, "i32"))
    return (crow, col, values, shape), operand, is_boolean


def _require_sizes(rows, columns, mat1, mat2):
    """Raises ValueError where the matrices do not fit a pattern of so many rows and columns, or None where any."""
    for name, matrix, wanted in (("mat1", mat1, "(*, M, K)"), ("mat2", mat2, "(*, K, N)")):
        if matrix.ndim < 2:
            raise ValueError(f"argument '{name}': expected shape {wanted}, but got {tuple(matrix.shape)}")
    if mat1.shape[-2] != rows:
        raise ValueError(f"argument 'mat1': expected {rows} rows, those of input, but got {mat1.shape[-2]}")
    if mat2.shape[-2] != mat1.shape[-1]:
        raise ValueError(f"argument 'mat2': expected {mat1.shape[-1]} rows, the columns of mat1, but got "
                         f"{mat2.shape[-2]}")
    if columns not in (None, mat2.shape[-1]):
        raise ValueError(f"argument 'mat2': expected {columns} columns, those of input, but got {mat2.shape[-1]}")


def _shape_of_result(operand, mat1, mat2):
    """(*, nnz, BM, BN), after checking that the matrices fit."""
    _require_sizes(operand.rows, None if operand.shape is None else operand.shape[-1], mat1, mat2)
    n = mat2.shape[-1]
    if n % operand.block[1]:
        raise ValueError(f"argument 'mat2': expected columns for whole blocks of {operand.block[1]} columns of input, "
                         f"but got {n}")
    batch = operand.batch
    for name, matrix in (("mat1", mat1), ("mat2", mat2)):
        batch = storage.broadcast_batch(batch, name, matrix.shape[:-2])
    return (*batch, *operand.values.shape[-3:])


def _program(operand, mat1, mat2, shape, out, beta_is_zero, precision, transposes, meta):
    """The program of one kind of call."""
    arrays = operand.arrays
    target = arrays.device.index if arrays.on_gpu else compiler.CPU
    # The type of mat1: one of 8 bits, or that of input's values.
    dtype = arrays.dtype(mat1.dtype)
    if not dtypes.is_narrow(dtype):
        dtype = "i8" if operand.element == "i32" else operand.element
        adapters.require_element("mat1", mat1, arrays, (dtype,))
    mat2_dtype = adapters.require_element("mat2", mat2, arrays, dtypes.others_of(dtype))
    out_dtype = operand.element
    if out is not None:
        out_dtype = adapters.require_element("out", out, arrays, dtypes.results_of(dtype))
    of_input = (dtypes.added_to(dtype, out_dtype),) if not beta_is_zero else dtypes.results_of(dtype)
    adapters.require_element("input", operand.values, arrays, of_input)
    dtypes.require_kernels("mat1", dtype, target != compiler.CPU)
    precision = dtypes.precision_of(dtype, precision, target != compiler.CPU)
    k = int(mat1.shape[-1])
    source = SampledAddmm(
        dtype=dtype, mat2=mat2_dtype, input=operand.element, out=out_dtype,
        block=operand.block, index=operand.index,
        batch=(operand.crow.ndim - 1, mat1.ndim - 2, mat2.ndim - 2, operand.values.ndim - 3, len(shape) - 3),
        with_input=not beta_is_zero, precision=precision, transpose_mat1=transposes[0],
        transpose_mat2=transposes[1], meta=meta,
        k=k if target != compiler.CPU and 0 < k <= _SHORT else None)
    return program_with(meta, source, target, arrays)


@dataclasses.dataclass
class _Result:
    """The returned matrix, and its values that are written, (*, nnz, BM, BN)."""

    matrix: object
    values: object


def _given(out, pattern, operand, shape):
    """The caller's `out`, whose indices become those of `input`."""
    crow, col, values, own = sparse_operand.parts_of(out, "out")
    arrays = operand.arrays
    for name, array in (("out", values), ("crow", crow), ("col", col)):
        adapters.require_same(name, array, arrays, "input")
    if tuple(values.shape) != shape or own is not None and pattern[3] is not None and own[-2:] != pattern[3][-2:]:
        raise ValueError(f"argument 'out': expected values of shape {shape}, in a matrix of input's shape, but got "
                         f"{tuple(values.shape)}")
    adapters.require_writable("out", values)
    for name, index, wanted in (("crow", crow, operand.crow), ("col", col, operand.col)):
        if index.shape[-1] != wanted.shape[-1]:
            raise ValueError(f"argument 'out': expected '{name}' of {wanted.shape[-1]} entries, as in input, but got "
                             f"{index.shape[-1]}")
    return _Result(out, values), ((crow, operand.crow), (col, operand.col))


def _copy_indices(pairs):
    for target, source in pairs:
        if target is source:
            continue
        if isinstance(target, np.ndarray):
            if not np.shares_memory(target, source):
                np.copyto(target, source)
        elif target.data_ptr() != source.data_ptr():
            target.copy_(source)


def _made(input, pattern, operand, shape, mat1, n):
    """A new matrix of input's kind, whose indices are input's."""
    crow, col, _, _ = pattern
    values = operand.arrays.empty(shape, operand.values)
    if isinstance(input, tuple):
        return _Result((crow, col, values), values)
    if adapters.is_torch(input):
        batch = shape[:-3]
        crow, col = (storage.with_rank(index, len(batch) + 1).expand((*batch, index.shape[-1])) for index in (crow, col))
        return _Result(matrices.tensor_of(crow, col, values, (*batch, operand.rows, n)), values)
    return _Result(None, values)


@dataclasses.dataclass
class _Call:
    """A call that was checked. operands: of the program, by name, after its scalars. copies: indices to copy into
    out. transposes: whether it takes mat1, and mat2, transposed."""

    program: object
    operand: object
    scalars: tuple
    operands: dict
    result: _Result
    copies: tuple
    pattern: tuple
    transposes: tuple

    @property
    def arguments(self):
        return [*self.scalars, *self.operands.values()]


def _takes_transposed(arrays, mat1):
    """Whether there is a program for mat1 as it lies, with contiguous columns: MMAs of GPUs take those of 16 bits."""
    if not arrays.is_transposed(mat1):
        return False
    return not arrays.on_gpu or arrays.dtype(mat1.dtype) in ("f16", "bf16")


def call_of(input, mat1, mat2, beta, alpha, out, precision, meta):
    """The _Call, after checking the arguments; calls nothing."""
    pattern, operand, is_boolean = _pattern_of(input, mat1)
    if is_boolean and beta != 0:
        raise ValueError(f"argument 'beta': expected 0 for an input of booleans, but got {beta}")
    arrays = operand.arrays
    for name, array in (("mat1", mat1), ("mat2", mat2), ("input", operand.values)):
        adapters.require_same(name, array, arrays, "input")
        adapters.require_no_derivative(name, array)
    shape = _shape_of_result(operand, mat1, mat2)
    copies = ()
    if out is None:
        result = _made(input, pattern, operand, shape, mat1, mat2.shape[-1])
    else:
        result, copies = _given(out, pattern, operand, shape)
        adapters.require_no_derivative("out", result.values)
    transposes = _takes_transposed(arrays, mat1), arrays.is_transposed(mat2)
    key = ("sampled_addmm", operand.signature, beta == 0, precision, id(arrays), tuple(mat1.shape), mat1.dtype,
           tuple(mat2.shape), mat2.dtype, result.values.dtype, transposes, meta)
    program = cache.calls.get(key)
    if program is None:
        program = _program(operand, mat1, mat2, shape, None if out is None else result.values, beta == 0, precision,
                           transposes, meta)
        cache.calls[key] = program
    factors = (arrays.transposed(factor) if own else factor for factor, own in zip((mat1, mat2), transposes))
    operands = {"crow": operand.crow, "col": operand.col, **dict(zip(("mat1", "mat2"), factors))}
    if beta != 0:
        operands["input"] = operand.values
    operands["out"] = result.values
    operands = {name: arrays.passed(array) for name, array in operands.items()}
    return _Call(program, operand, (alpha,) if beta == 0 else (alpha, beta), operands, result, copies, pattern,
                 transposes)


def explained(input, mat1, mat2, *, beta=1.0, alpha=1.0, out=None, check=None, precision=None, meta=None, **_):
    """([(the program that sampled_addmm would call, its arguments, False)], where the tile is from, remarks); calls
    nothing."""
    dtypes.require_precision(precision)
    call = call_of(input, mat1, mat2, number("beta", beta), number("alpha", alpha), out, precision, tile_of(meta))
    return [(call.program, call.arguments, False)], "meta" if meta is not None else None, ()


def _kind(beta, checks, precision, has_out):
    """The key of a guarded call beside its tensors."""
    return "sampled_addmm", beta == 0, checks, precision == "tf32", has_out


def _guarded_call(input, mat1, mat2, beta, alpha, out, check, precision):
    """The result, or None where this is no repetition; then nothing was done."""
    if type(mat1) not in plain.TYPES or out is not None and out is not input:
        return None
    checks = guard.contents_of(check, mat1)
    known = None if checks is None else cache.guarded_calls.get(_kind(beta, checks, precision, out is not None))
    parts = None if known is None else guard.parts_of(input)
    if parts is None:
        return None
    crow, col, values, shape = parts
    try:
        if mat1.dim() != 2 or mat2.dim() != 2 or shape is not None and shape != (mat1.shape[0], mat2.shape[1]) \
                or values.dtype != mat1.dtype:
            return None
    except RuntimeError:  # Nested tensors.
        return None
    found = guard.run(known, alpha, beta, crow, col, values, mat1, mat2)
    if found is None:
        return None
    if out is not None:
        autograd.count_write(values)
        return out
    result, = found
    return (crow, col, result) if shape is None else matrices.tensor_of(crow, col, result, input.shape)


def _remember(call, launch, beta, checks, precision, has_out):
    """Keeps a call for _guarded_call: of one matrix, without batches."""
    named, values = call.operands, call.operand.values
    if any(named[name].ndim != rank for name, rank in (("crow", 1), ("mat1", 2), ("mat2", 2), ("out", 3))):
        return
    mat1, mat2 = (named[name].transpose(0, 1) if own else named[name]
                  for name, own in zip(("mat1", "mat2"), call.transposes))
    given = {name: guard.Part(place)
             for place, name in enumerate(("alpha", "beta", "crow", "col", "input", "mat1", "mat2", "out"))}
    given["mat1"], given["mat2"] = map(guard.Part, (5, 6), call.transposes)
    if has_out:
        given["out"] = given["input"]
    guard.remember(cache.guarded_calls, _kind(beta, checks, precision, has_out), launch,
                   (1.0, 1.0, named["crow"], named["col"], call.operand.arrays.passed(values), mat1, mat2),
                   parts=[given[name] for name in ("alpha", "beta")[:len(call.scalars)] + (*named,)],
                   results=() if has_out else (named["out"],))


def _dispatched(input, mat1, mat2, beta, alpha, precision, out, check, meta):
    """The result of the operation of PyTorch."""
    matrix = None
    if adapters.is_torch(input) and not stand_ins.stands_for_others(input):
        matrix, input = input, sparse_operand.parts_of(input, "input")[:3]
        _require_sizes(*matrix.shape[-2:], mat1, mat2)
    found = dispatch.call("sampled_addmm", input=input, mat1=mat1, mat2=mat2, beta=beta, alpha=alpha,
                          precision=precision, out=out, check=check, meta=meta)
    if matrix is None:
        return found
    return recorded_matrices.tensor_of(*found, matrix.shape[-2:])


def sampled_addmm(input, mat1, mat2, *, beta=1.0, alpha=1.0, out=None, skip_checks=False, max_grid=None, meta=None,
                  check=None, precision=None, strict=False):
    """beta * input + alpha * (mat1 @ mat2) at the stored blocks of input.

    input: M x N with blocks of BM x BN, multiples of 8: a torch.sparse_bsr tensor, a SciPy BSR array or a tuple
    (crow (*, M / BM + 1), col (*, nnz), values (*, nnz, BM, BN)) of one library. Its values may be booleans where beta
    is 0. mat1: (*, M, K); mat2: (*, K, N), any strides. All of one element type: f16, bf16 (ml_dtypes in NumPy), f32
    or, on the CPU, f64. * are batch dimensions, which broadcast. alpha, beta: numbers of Python or NumPy, 0-d arrays,
    or 0-d tensors on the CPU. Where beta is 0 values of input are not read, where alpha is 0 mat1 and mat2.
    out: a matrix as input is, with as many blocks, values of f16, bf16 or f32, or of f64 as mat1 is; may be input. Its
    indices become input's. mat1 and mat2 may both be of int8, or of float8 types; input and out are then as of
    bsr_dense_addmm.
    check: whether the contents of index arrays are checked; by default on the CPU. On CUDA that synchronizes.
    precision: of f32 alone, "ieee" (None is the same) or "tf32", as of bsr_dense_addmm. meta: "tile" (M, N, K), and
    with it any of "stages", "warps" and "raster_group"; the compiler chooses else.

    PyTorch's other arguments: skip_checks=True is check=False (all else is checked always); max_grid, three sizes or
    None, changes nothing. strict: whether to raise ValueError for what sampled_addmm of torch.sparse has no code for:
    blocks that are no powers of 2 from 16 on, an out of another element type than input.

    Returns out, or a new matrix of input's kind, with input's indices and values of its type (for a pattern of booleans
    those of bsr_dense_addmm's new result). Arrays are used where they lie, on PyTorch's current stream. It has
    gradients (docs/Training.md), but with an out, meta or check. Under torch.autocast input, mat1 and mat2 are cast to
    its type. Raises ValueError or TypeError for arguments that do not fit, NotImplementedError for what has no code
    yet, before anything is written.
    """
    dtypes.require_precision(precision)
    if skip_checks is not False or max_grid is not None:
        check = pytorch_options.check_of(skip_checks, max_grid, check)
    if strict:
        pytorch_options.require_accepted_sampled(input, out)
    if are_recorded(mat1, alpha, beta) or autocast.is_on() and autocast.casts(mat1, mat2,
                                                                              sparse_operand.values_of(input)):
        return _dispatched(input, mat1, mat2, beta, alpha, precision, out, check, meta)
    alpha, beta = number("alpha", alpha), number("beta", beta)
    if meta is None:
        found = _guarded_call(input, mat1, mat2, beta, alpha, out, check, precision)
        if found is not None:
            return found
    if stand_ins.stands_for_others(mat1):
        return _dispatched(input, mat1, mat2, beta, alpha, precision, out, check, meta)
    if adapters.is_torch(mat1):
        stand_ins.refuse("mat1", mat1)
        if autograd.is_recorded(sparse_operand.values_of(input), mat1, mat2):
            return _dispatched(input, mat1, mat2, beta, alpha, precision, out, check, meta)
    call = call_of(input, mat1, mat2, beta, alpha, out, precision, tile_of(meta))
    arrays = call.operand.arrays
    on_gpu = arrays.on_gpu
    if on_gpu:
        explanation.log_generic(call.program, call.arguments)
    checks = check or check is None and not on_gpu
    launch, result = memory.launched(call.program, call.operand, call.operands, call.scalars, checks), call.result
    if out is not None:
        _copy_indices(call.copies)
        arrays.count_write(result.values)
    if arrays is not adapters.NUMPY and meta is None and not (checks and on_gpu) and (out is None or out is input):
        _remember(call, launch, beta, bool(checks), precision, out is not None)
    if result.matrix is None:  # SciPy copies what it is given, or not, but never writes it.
        return type(input)((result.values, call.pattern[1], call.pattern[0]), shape=call.pattern[3])
    return result.matrix
