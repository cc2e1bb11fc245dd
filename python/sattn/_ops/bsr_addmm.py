"""bsr_dense_addmm."""

import collections.abc
import dataclasses
import math

from .._arrays import adapters, autocast, autograd, dtypes, plain, sparse_operand, stand_ins, storage
from .._compiler import compiler, explanation, program_text, tuning
from .._compiler.program_text import meta_and_precision
from .._call import cache, dispatch, guard, memory, pytorch_options
from .._call.meta import meta_of
from .._call.scalars import are_recorded, number


@dataclasses.dataclass(frozen=True)
class BsrAddmm:
    """One `sattn.bsr_addmm` on tensors of dynamic shapes: what a kernel is compiled for.

    dtype: element type of values: "f16", "bf16", "f32", "f64", "i8", "f8E4M3FN" or "f8E5M2". dense: that of dense, or
    "" for the same. out: the result's.
    block: rows and columns of a stored block. index: "i32" or "i64".
    batch: batch dimensions of (crow, col, values), of dense and of out.
    input, left, right: the operand's element type, or "" where there is none; without input the result's
    former contents are scaled by beta. input_batch, left_batch, right_batch: their batch dimensions.
    alpha, beta: a number that is known now, or None for an argument.
    meta: the inside of #sattn.meta<...>, or "" for the compiler's choice.
    precision: "ieee", or of f32 "tf32".
    order: whether the places of blocks in values are an argument, and blocks are transposed in memory. transpose_b,
    transpose_out: whether b is (*, N, K), and whether input and out are (*, N, M).
    """

    dtype: str = "bf16"
    dense: str = ""
    out: str = "bf16"
    block: tuple = (64, 64)
    index: str = "i32"
    batch: tuple = (0, 0, 0)
    input: str = ""
    left: str = ""
    right: str = ""
    input_batch: int = 0
    left_batch: int = 0
    right_batch: int = 0
    alpha: float | None = None
    beta: float | None = None
    meta: str = ""
    precision: str = "ieee"
    order: bool = False
    transpose_b: bool = False
    transpose_out: bool = False

    @property
    def scalars(self):
        """Names of the scalars that are arguments."""
        return [name for name in ("alpha", "beta") if getattr(self, name) is None]

    def text(self):
        """The module: one function @bsr_addmm, which returns its last argument's new contents."""
        storage, dense, out = self.batch
        rows, columns = self.block[::-1] if self.order else self.block

        def tensor(rank, element, static=""):
            return f"tensor<{'?x' * rank}{static}{element}>"

        scalar, indices = dtypes.scalar_of(self.dtype), tensor(storage + 1, self.index)
        given = program_text.Arguments(dict.fromkeys(self.scalars, scalar))
        operands = " alpha(%alpha) beta(%beta)\n     " + given.clause("ins", {
            "crow": indices, "col": indices, "values": tensor(storage + 1, self.dtype, f"{rows}x{columns}x"),
            "b": tensor(dense + 2, self.dense or self.dtype)}, ("crow", "col", "values", "dense"))
        for name, type, caller in (("input", tensor(self.input_batch + 2, self.input), "input"),
                                   ("left", tensor(self.left_batch + 1, self.left), "left_alpha"),
                                   ("right", tensor(self.right_batch + 1, self.right), "right_alpha"),
                                   ("order", indices, "order")):
            operands += given.clause(name, {name: type}, (caller,)) if getattr(self, name) else ""
        attributes = [*meta_and_precision(self), *("transpose_a",)[:self.order],
                      *(name for name in ("transpose_b", "transpose_out") if getattr(self, name))]
        constants = "".join(f"  %{name} = arith.constant {float(getattr(self, name))!r} : {scalar}\n"
                            for name in ("alpha", "beta") if name not in self.scalars)
        return program_text.program("bsr_addmm", given.types | {"out": tensor(out + 2, self.out)}, operands, attributes,
                                    names=given.names, constants=constants)


def _broadcast(name, shape, wanted):
    """Raises ValueError where an operand's shape does not broadcast to `wanted`."""
    padded = (1,) * (len(wanted) - len(shape)) + shape
    if len(shape) > len(wanted) or any(have not in (1, want) for have, want in zip(padded, wanted)):
        raise ValueError(f"argument '{name}': expected a shape that broadcasts to {wanted}, but got {shape}")


@dataclasses.dataclass
class _Call:
    """The plan of one kind of call."""

    program: object
    shape: tuple
    # The element type of a new result, where it is not dense's.
    element: str | None
    scalars: list
    with_input: bool
    expand_input: bool
    # Whether it takes dense, and input and out, transposed.
    transposes: tuple
    # dense_ratio(tables): the estimated time of a dense product over that of this one; called for explanations.
    dense_ratio: collections.abc.Callable


def _if_transposed(operand, dense):
    """The hint for the message that dense is N x K."""
    k, columns = dense.shape[-1], operand.shape and operand.shape[-1]
    fits = k == columns if columns is not None else k and k % operand.block[1] == 0
    return f", and {k} columns: for dense as (*, N, K) write dense.mT, or sattn.linear(dense, bsr)" if fits else ""


def _shape_of_result(operand, dense):
    """(*, M, N), after checking that the multiplicands fit."""
    if dense.ndim < 2:
        raise ValueError(f"argument 'dense': expected shape (*, K, N), but got {tuple(dense.shape)}")
    k, n = dense.shape[-2:]
    if operand.shape is not None and operand.shape[-1] not in (k, None):
        raise ValueError(f"argument 'dense': expected {operand.shape[-1]} rows, the columns of bsr, but got {k}"
                         f"{_if_transposed(operand, dense)}")
    if k % operand.block[1] or isinstance(operand, sparse_operand.Prepared) and k < operand.columns * operand.block[1]:
        raise ValueError(f"argument 'dense': expected rows for whole blocks of {operand.block[1]} columns of bsr, but "
                         f"got {k}{_if_transposed(operand, dense)}")
    batch = storage.broadcast_batch(operand.batch, "dense", dense.shape[:-2])
    return (*batch, operand.rows, n)


def _ones_of(operand, alpha, beta):
    """Scalars that a program has as the constant 1, by name. Sums of integers are then exact in integers."""
    scalars = (("alpha", alpha), ("beta", beta)) if operand.element == "i8" else ()
    return {name: 1.0 for name, value in scalars if value == 1}


def _plan(input, operand, dense, left, right, out, beta_is_zero, ones, in_place, meta, precision, transposes):
    """Checks shapes and types, and finds the program: once for each kind of call. transposes: whether dense and out are
    transposed in memory."""
    arrays = operand.arrays
    target = arrays.device.index if arrays.on_gpu else compiler.CPU
    shape = _shape_of_result(operand, dense)
    dtype = operand.element
    dense_dtype = adapters.require_element("dense", dense, arrays, dtypes.others_of(dtype))
    dtypes.require_kernels("dense", dtype, target != compiler.CPU)
    precision = dtypes.precision_of(dtype, precision, target != compiler.CPU)
    out_dtype = dtypes.result_of(dtype)
    if out is not None:
        adapters.require_shape("out", out, shape)
        adapters.require_writable("out", out)
        out_dtype = adapters.require_element("out", out, arrays, dtypes.results_of(dtype))
    if input is None and not beta_is_zero:
        raise ValueError("argument 'input': expected an array, since beta is not 0, but got None")
    if input is not None:
        of_input = dtypes.results_of(dtype) if in_place else (dtypes.added_to(dtype, out_dtype),)
        adapters.require_element("input", input, arrays, of_input)
        _broadcast("input", tuple(input.shape), shape)
    for name, scale, size in (("left_alpha", left, shape[-2]), ("right_alpha", right, shape[-1])):
        if scale is not None:
            adapters.require_element(name, scale, arrays, dtypes.scales_of(dtype))
            _broadcast(name, tuple(scale.shape), (*shape[:-2], size))
            if not scale.ndim or scale.shape[-1] != size:
                raise ValueError(f"argument '{name}': expected {size} elements in its last dimension, but got "
                                 f"{tuple(scale.shape)}")

    def rank(scale):
        return 0 if scale is None else scale.ndim - 1

    with_input = not beta_is_zero and not in_place
    batch = len(shape) - 2
    source = BsrAddmm(
        dtype=dtype, dense=dense_dtype, out=out_dtype, block=operand.block,
        index=operand.index,
        batch=(operand.crow.ndim - 1, dense.ndim - 2, batch), input=dtypes.added_to(dtype, out_dtype) if with_input
        else "", input_batch=batch, left="" if left is None else arrays.dtype(left.dtype), left_batch=rank(left),
        right="" if right is None else arrays.dtype(right.dtype), right_batch=rank(right),
        alpha=ones.get("alpha"), beta=0.0 if beta_is_zero else ones.get("beta"), precision=precision,
        order=operand.order is not None, transpose_b=transposes[0], transpose_out=transposes[1])

    facts = (*shape[-2:], dense.shape[-2]), operand.col.shape[-1], math.prod(shape[:-2])
    longest = operand.longest  # A plan outlives the operand.

    def choose(row):
        return cache.chosen(source, target, *facts, row, longest)

    try:
        text = choose(()) if meta is None else meta.text(choose)
        program = cache.program(dataclasses.replace(source, meta=text), target)
    except (NotImplementedError, compiler.CompileError) as error:
        if meta is None:
            raise
        raise ValueError(f"argument 'meta': {cache.reason(error)}") from None
    return _Call(program, shape, out_dtype if out_dtype != dtype else None, source.scalars, with_input,
                 with_input and tuple(input.shape) != shape, transposes,
                 lambda tables: tuning.dense_ratio(tables, source, target, *facts, longest))


def _transposes(operand, dense, out):
    """Whether dense and out are transposed in memory, for which there are programs of their own."""
    arrays = operand.arrays
    if dense.ndim < 2:
        return False, False
    is_column = dense.shape[-1] == 1  # As a new result is.
    return arrays.is_transposed(dense), is_column if out is None else arrays.is_transposed(out)


def _operands(call, operand, input, dense, left_alpha, right_alpha, result):
    """The operands of the call's program, by the names of bsr_dense_addmm's arguments."""
    arrays = operand.arrays

    def oriented(matrix, is_transposed):
        return arrays.transposed(matrix) if is_transposed else matrix

    of_dense, of_out = call.transposes
    operands = {"crow": operand.crow, "col": operand.col, "values": operand.values, "dense": oriented(dense, of_dense)}
    if call.with_input:
        operands["input"] = oriented(arrays.expand(input, call.shape) if call.expand_input else input, of_out)
    operands |= {name: scale for name, scale in (("left_alpha", left_alpha), ("right_alpha", right_alpha))
                 if scale is not None}
    if operand.order is not None:
        operands["order"] = operand.order
    operands["out"] = oriented(result, of_out)
    return {name: arrays.passed(array) for name, array in operands.items()}


def _planned(input, operand, dense, beta, alpha, left_alpha, right_alpha, out, meta, precision):
    """(the _Call, its program's operands by name, its program's arguments, the result), after checking the arguments;
    calls nothing. operand: an Operand. beta, alpha: floats."""
    arrays = operand.arrays
    # Not as it was given: that may change, or say the same of other parameters.
    parameters = None if meta is None else meta_of(meta)
    ones, in_place = _ones_of(operand, alpha, beta), input is not None and input is out
    key = [operand.signature, beta == 0, *ones, input is out, precision == "tf32", id(arrays), parameters]
    for name, array in (("input", input), ("dense", dense), ("left_alpha", left_alpha), ("right_alpha", right_alpha),
                        ("out", out)):
        if array is None and name != "dense":
            key.append(None)
            continue
        adapters.require_same(name, array, arrays, "bsr")
        key += [tuple(array.shape), array.dtype]
    if out is not None and arrays is adapters.NUMPY:
        key.append(out.flags.writeable)
    transposes = _transposes(operand, dense, out)
    key = (*key, transposes)
    call = cache.calls.get(key)
    if call is None:
        call = memory.with_memory(arrays, _plan, input, operand, dense, left_alpha, right_alpha, out, beta == 0, ones,
                                  in_place, parameters, precision, transposes)
        cache.calls[key] = call
    result = arrays.empty(call.shape, dense, call.element) if out is None else out
    operands = _operands(call, operand, input, dense, left_alpha, right_alpha, result)
    scalars = {"alpha": alpha, "beta": beta}
    return call, operands, [*(scalars[name] for name in call.scalars), *operands.values()], result


def _kind(beta, is_in_place, checks, precision, meta):
    """The key of a guarded call beside its tensors, or None where meta does not."""
    text = None if meta is None else guard.text_of(meta)
    if meta is not None and text is None:
        return None
    return "bsr_addmm", beta == 0, is_in_place, checks, precision == "tf32", text


def _guarded_call(guarded_calls, prepared, input, bsr, dense, beta, alpha, left, right, out, meta, check, precision):
    """The result, or None where this is no repetition, or one that got no memory; then nothing was done.

    prepared: whether bsr is a Prepared; guarded_calls: its own, or those of all others.
    """
    if type(dense) not in plain.TYPES:
        return None
    is_in_place = input is not None and input is out
    checks = guard.contents_of(check, dense, prepared)
    kind = None if checks is None else _kind(beta, is_in_place, checks, precision, meta)
    known = guarded_calls.get(kind)
    if known is None:
        return None
    crow = col = shape = None
    if prepared:
        bsr.require_unwritten()
        values = bsr.values
    else:
        parts = guard.parts_of(bsr)
        if parts is None:
            return None
        crow, col, values, shape = parts
    if is_in_place:
        input = None
    try:
        if not prepared and (not crow.dim() or shape is not None and shape != (
                *values.shape[:-3], (crow.shape[-1] - 1) * values.shape[-2], dense.shape[-2])):
            return None
    except (RuntimeError, IndexError):  # Nested tensors, and ranks that the slow path refuses.
        return None
    found = guard.run(known, alpha, beta, crow, col, values, dense, input, left, right, out)
    if found is not None and out is not None:
        autograd.count_write(out)
        return out
    return found and found[0]


def _remember(guarded_calls, launch, call, kind, prepared, operand, tensors, has_out):
    """Keeps a call for _guarded_call. tensors: values and those that follow it, the last one the result."""
    arrays, indices = operand.arrays, (operand.crow, operand.col)
    if operand.order is not None:
        indices += (operand.order,)
    own, kept = ((None, None), indices) if prepared else (indices, ())
    of_dense, of_out = call.transposes
    *tensors, out = tensors
    place = 9 if has_out else 10 + len(kept)
    given = {name: guard.Part(place) for place, name in enumerate(
        ("alpha", "beta", "crow", "col", "values", "dense", "input", "left_alpha", "right_alpha"))}
    given |= {"dense": guard.Part(5, of_dense), "out": guard.Part(place, of_out), "input": guard.Part(6, of_out, place)}
    if prepared:
        given |= dict(zip(("crow", "col", "order"), map(guard.Part, (10, 11, 12))))
    present = [*call.scalars, "crow", "col", "values", "dense", *("input",)[:call.with_input],
               *(name for name, tensor in zip(("left_alpha", "right_alpha"), tensors[3:5]) if tensor is not None),
               *("order",)[:operand.order is not None], "out"]
    guard.remember(guarded_calls, kind, launch,
                   (1.0, 1.0, *own, *(tensor if tensor is None else arrays.passed(tensor)
                                      for tensor in (*tensors, out if has_out else None))),
                   parts=[given[name] for name in present], kept=kept, results=() if has_out else (out,))


def _dispatched(input, bsr, dense, beta, alpha, left_alpha, right_alpha, precision, out, meta, check):
    """The result of the operation of PyTorch."""
    return dispatch.call("bsr_dense_addmm", input=input, bsr=bsr, dense=dense, beta=beta, alpha=alpha,
                         left_alpha=left_alpha,
                         right_alpha=right_alpha, precision=precision, out=out, meta=meta, check=check)


def bsr_dense_addmm(input, bsr, dense, *, beta=1, alpha=1, left_alpha=None, right_alpha=None, out=None,
                    skip_checks=False, max_grid=None, meta=None, check=None, precision=None, strict=False):
    """beta * input + left_alpha[:, None] * (alpha * (bsr @ dense)) * right_alpha[None, :].

    bsr: M x K with blocks of BM x BK, multiples of 8 (on CUDA at most 256 rows): a torch.sparse_bsr tensor, a SciPy BSR
    array, a tuple (crow (*, M / BM + 1), col (*, nnz), values (*, nnz, BM, BK)) of one library, what `prepare` gives,
    or a sattn.nn.Bsr. Its own shape must be that of its arrays.
    dense: (*, K, N). input: broadcasts to the result; may be None where beta is 0, and is then not read. All of one
    element type: f16, bf16 (ml_dtypes in NumPy), f32 or, on the CPU, f64. left_alpha (*, M), right_alpha (*, N): of
    that type or f32; not read where alpha is 0. * are batch dimensions, which broadcast. alpha, beta: numbers of Python
    or NumPy, 0-d arrays, or 0-d tensors on the CPU.
    out: (*, M, N) of f16, bf16 or f32, or of f64 as they are, any strides; may be input. meta: any of "tile" (M, N, K),
    "stages", "warps", "split_k" and "raster_group", or PyTorch's "SPLIT_N", "num_stages",
    "num_warps" and "GROUP_SIZE_ROW"; the rest is chosen by shape, sparsity and device (docs/MetaTable.md). check:
    whether the contents of index arrays are checked; by default on the CPU, unless prepared. On CUDA that synchronizes.
    precision: of f32 alone, "ieee" (None is the same) or "tf32": factors may be rounded to 11 bits (5e-4 of each; on
    Hopper, where dense has contiguous columns, cut: 1e-3), sums are f32. On CUDA no MMA takes "ieee", and threads
    multiply instead, at a small part of the rate; the CPU computes in f32 with either.

    bsr and dense may both be of int8: input and out are then of int32 (a new result is), bf16 or f32. Sums are exact
    integers below 2^31; for int32 they are scaled in double precision, rounded to nearest even and saturated. Or each
    of float8_e4m3fn or float8_e5m2: input and out are of f32 (a new result is) or bf16. left_alpha and right_alpha are
    of f32. On CUDA blocks have a multiple of 16 columns, and a dense with contiguous rows is transposed in scratch
    memory.

    PyTorch's other arguments: skip_checks=True is check=False (all else is checked always); max_grid, three sizes or
    None, changes nothing. strict: whether to raise ValueError for what bsr_dense_mm of torch.sparse refuses: blocks
    that are no powers of 2 from 16 on, an N that is no multiple of 16, an out whose rows or columns have gaps.

    Returns out, or a new array of dense's type. Arrays are used where they lie, on PyTorch's current stream; nothing
    else is copied. It has gradients (docs/Training.md), but with an out, meta or check. A write into out counts as one
    of PyTorch's in place. Under torch.autocast input, bsr and dense are cast to its type. Raises ValueError or
    TypeError for arguments that do not fit, NotImplementedError for what has no code yet, before anything is written.
    Where the device's memory does not do: PyTorch's exception for a new array, RuntimeError for what kernels need
    besides, which says how much that was.
    """
    dtypes.require_precision(precision)
    bsr = sparse_operand.without_module(bsr)
    if skip_checks is not False or max_grid is not None:
        check = pytorch_options.check_of(skip_checks, max_grid, check)
    if strict:
        pytorch_options.require_accepted(bsr, dense, out)
    if are_recorded(dense, alpha, beta) or autocast.is_on() and autocast.casts(dense, sparse_operand.values_of(bsr),
                                                                               input):
        return _dispatched(input, bsr, dense, beta, alpha, left_alpha, right_alpha, precision, out, meta, check)
    alpha, beta = number("alpha", alpha), number("beta", beta)
    prepared = type(bsr) is sparse_operand.Prepared
    guarded_calls = bsr.guarded_calls if prepared else cache.guarded_calls
    result = _guarded_call(guarded_calls, prepared, input, bsr, dense, beta, alpha, left_alpha, right_alpha, out, meta,
                           check, precision)
    if result is not None:
        return result
    # Before the matrix is looked at, which fails in PyTorch's words where dense is traced.
    if stand_ins.stands_for_others(dense):
        return _dispatched(input, bsr, dense, beta, alpha, left_alpha, right_alpha, precision, out, meta, check)
    if adapters.is_torch(dense):
        stand_ins.refuse("dense", dense)
        if autograd.is_recorded(sparse_operand.values_of(bsr), input, dense, left_alpha, right_alpha):
            return _dispatched(input, bsr, dense, beta, alpha, left_alpha, right_alpha, precision, out, meta, check)
    operand = sparse_operand.operand_of(bsr)
    arrays = operand.arrays
    if arrays is not adapters.NUMPY:
        for name, array in (("input", input), ("dense", dense), ("left_alpha", left_alpha),
                            ("right_alpha", right_alpha), ("out", out), ("bsr", operand.values)):
            adapters.require_no_derivative(name, array)
    call, operands, arguments, result = _planned(input, operand, dense, beta, alpha, left_alpha, right_alpha, out, meta,
                                                 precision)
    on_gpu = arrays.on_gpu
    if on_gpu:
        explanation.log_generic(call.program, arguments, operand.prepared is not None)
    checks = check or check is None and not on_gpu and operand.prepared is None
    try:
        launch = memory.launcher(call.program, operand, arguments, len(call.scalars), checks)
        if on_gpu and operand.prepared is not None:
            launch = operand.prepared.get(call.program)
            if launch is None:
                launch = memory.with_memory(arrays, call.program._prepare, *arguments)
                operand.prepared[call.program] = launch
        memory.with_memory(arrays, launch, *arguments)
    except BufferError as error:
        adapters.raise_refusal(operands, error)
    if out is not None:
        arrays.count_write(out)
    # The numbers of a repetition are its call's: none are constants, and results are of the operands' type.
    kind = None
    if arrays is not adapters.NUMPY and not (checks and on_gpu) and not dtypes.is_narrow(operand.element) \
            and (prepared or operand.order is None):
        in_place = input is not None and input is out
        kind = _kind(beta, in_place, bool(checks), precision, meta)
    if kind is not None:
        _remember(guarded_calls, launch, call, kind, prepared, operand,
                  (operand.values, dense, None if in_place else input, left_alpha, right_alpha, result),
                  out is not None)
    return result


def _product(operand, dense):
    return bsr_dense_addmm(None, operand, dense, beta=0)


def explained(input, bsr, dense, *, beta=1, alpha=1, left_alpha=None, right_alpha=None, out=None, meta=None, check=None,
              precision=None):
    """([(the program that bsr_dense_addmm would call, its arguments, whether bsr is prepared)], where the tile is from,
    remarks); calls nothing."""
    origin = "the choice by shape, sparsity and device" if meta is None else "meta"
    dtypes.require_precision(precision)
    operand = sparse_operand.operand_of(sparse_operand.without_module(bsr))
    call, _, arguments, _ = _planned(input, operand, dense, number("beta", beta), number("alpha", alpha), left_alpha,
                                     right_alpha, out, meta, precision)
    # The model's tile is the compiler's choice, not one that the caller gives.
    ratio = call.dense_ratio(cache.tables()) if meta is None else 0
    remark = f"a dense product takes an estimated {ratio:.2f} of the time of these blocks"
    return [(call.program, arguments, operand.prepared is not None)], origin, (remark,) * (ratio > 0)


sparse_operand.Prepared._product = _product
