"""bsr_dense_addmm."""

import collections.abc
import dataclasses
import math

import numpy as np

from . import _arrays, _compiler, _elements, _explain, _operand, _pytorch, _repeats, _storage, _traced, cache
from ._numbers import number
from ._source import BsrAddmm

PARAMETERS = ("tile", "stages", "warps", "raster_group", "split_k")
# PyTorch's names for them, and an older one of ours; a tile has N / SPLIT_N columns.
THEIRS = {"num_stages": "stages", "num_warps": "warps", "GROUP_SIZE_ROW": "raster_group", "group": "raster_group"}
# Kinds of calls that are remembered, at most.
CALLS_LIMIT = 4096


@dataclasses.dataclass(frozen=True)
class _Meta:
    """Parameters of a call: the tile, PyTorch's SPLIT_N, or neither; and hints for the schedule."""

    tile: tuple = ()
    split: int = 0
    wishes: tuple = ()

    def text(self, choose):
        """The inside of #sattn.meta<...>. choose(row) is the compiler's choice, with a row's parameters."""
        if self.tile:
            tile = f"tile = [{', '.join(map(str, self.tile))}]"
        elif self.split:
            return choose((f"SPLIT_N={self.split}", *(f"{name}={value}" for name, value in self.wishes)))
        else:
            chosen = choose(())
            tile = chosen[:chosen.index("]") + 1]
            wishes = dict(item.split(" = ") for item in chosen[len(tile) + 2:].split(", ") if item)
            return ", ".join([tile, *(f"{name} = {value}" for name, value in {**wishes, **dict(self.wishes)}.items())])
        return ", ".join([tile, *(f"{name} = {value}" for name, value in self.wishes)])


def _positive(name, value):
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value < 2**31:
        raise ValueError(f"argument 'meta': expected '{name}' to be a positive integer, but got {value!r}")
    return int(value)


def _meta_of(meta):
    """Parameters by our names or PyTorch's. Raises ValueError or TypeError for what cannot be."""
    if not isinstance(meta, collections.abc.Mapping):
        raise TypeError(f"argument 'meta': expected a dict, but got {type(meta).__name__}")
    allowed = (*PARAMETERS, "SPLIT_N", *THEIRS)
    if unknown := set(meta) - set(allowed):
        raise ValueError(f"argument 'meta': expected keys out of {', '.join(allowed)}, but got "
                         f"{', '.join(sorted(map(str, unknown)))}")
    wishes = {}
    for name in (*PARAMETERS[1:], *THEIRS):
        if meta.get(name) is not None:
            ours = THEIRS.get(name, name)
            if ours in wishes:
                raise ValueError(f"argument 'meta': expected '{ours}' or '{name}', but got both")
            wishes[ours] = _positive(name, meta[name])
    wishes = tuple((name, wishes[name]) for name in PARAMETERS[1:] if name in wishes)
    tile, split = meta.get("tile"), meta.get("SPLIT_N")
    if tile is not None and split is not None:
        raise ValueError("argument 'meta': expected 'tile' or 'SPLIT_N', but got both")
    if split is not None:
        return _Meta(split=_positive("SPLIT_N", split), wishes=wishes)
    if tile is None:
        return _Meta(wishes=wishes)
    try:
        tile = tuple(_positive("tile", size) for size in tile)
    except (TypeError, ValueError):
        tile = tile,
    if len(tile) != 3:
        raise ValueError(f"argument 'meta': expected 'tile' of three positive sizes (M, N, K), but got {meta['tile']}")
    return _Meta(tile=tile, wishes=wishes)


def tile_of(meta):
    """The inside of #sattn.meta<...> for a function that takes a tile alone, or "". Raises as _meta_of."""
    if meta is None:
        return ""
    found = _meta_of(meta)
    if not found.tile:
        raise ValueError(f"argument 'meta': expected 'tile' among its keys, but got {', '.join(map(str, meta)) or 'none'}")
    return found.text(None)


def program_with(meta, source, target, arrays):
    """The program of a source whose meta is the caller's, or "". Raises ValueError for a tile that does not fit."""
    try:
        return _with_memory(arrays, cache.program, source, target)
    except NotImplementedError as error:
        if not meta:
            raise
        raise ValueError(f"argument 'meta': {error}") from None


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


def _shape_of_result(operand, dense):
    """(*, M, N), after checking that the multiplicands fit."""
    if dense.ndim < 2:
        raise ValueError(f"argument 'dense': expected shape (*, K, N), but got {tuple(dense.shape)}")
    k, n = dense.shape[-2:]
    if operand.shape is not None and operand.shape[-1] not in (k, None):
        raise ValueError(f"argument 'dense': expected {operand.shape[-1]} rows, the columns of bsr, but got {k}")
    if k % operand.block[1] or isinstance(operand, _operand.Prepared) and k < operand.columns * operand.block[1]:
        raise ValueError(f"argument 'dense': expected rows for whole blocks of {operand.block[1]} columns of bsr, but "
                         f"got {k}")
    batch = _storage.broadcast_batch(operand.batch, "dense", dense.shape[:-2])
    return (*batch, operand.rows, n)


def _ones_of(operand, alpha, beta):
    """Scalars that a program has as the constant 1, by name. Sums of integers are then exact in integers."""
    scalars = (("alpha", alpha), ("beta", beta)) if operand.element == "i8" else ()
    return {name: 1.0 for name, value in scalars if value == 1}


def _plan(input, operand, dense, left, right, out, beta_is_zero, ones, in_place, meta, precision, transposes):
    """Checks shapes and types, and finds the program: once for each kind of call. transposes: whether dense and out are
    transposed in memory."""
    arrays = operand.arrays
    target = arrays.device.index if arrays.on_gpu else _compiler.CPU
    shape = _shape_of_result(operand, dense)
    dtype = operand.element
    dense_dtype = _arrays.require_element("dense", dense, arrays, _elements.others_of(dtype))
    _elements.require_kernels("dense", dtype, target != _compiler.CPU)
    precision = _elements.precision_of(dtype, precision, target != _compiler.CPU)
    if out is not None and tuple(out.shape) != shape:
        raise ValueError(f"argument 'out': expected shape {shape}, but got {tuple(out.shape)}")
    if out is not None and arrays is _arrays.NUMPY and not out.flags.writeable:
        raise ValueError("argument 'out': expected an array that can be written, but got a read-only one")
    out_dtype = _elements.result_of(dtype)
    if out is not None:
        out_dtype = _arrays.require_element("out", out, arrays, _elements.results_of(dtype))
    if input is None and not beta_is_zero:
        raise ValueError("argument 'input': expected an array, since beta is not 0, but got None")
    if input is not None:
        of_input = _elements.results_of(dtype) if in_place else (_elements.added_to(dtype, out_dtype),)
        _arrays.require_element("input", input, arrays, of_input)
        _broadcast("input", tuple(input.shape), shape)
    for name, scale, size in (("left_alpha", left, shape[-2]), ("right_alpha", right, shape[-1])):
        if scale is not None:
            _arrays.require_element(name, scale, arrays, _elements.scales_of(dtype))
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
        batch=(operand.crow.ndim - 1, dense.ndim - 2, batch), input=_elements.added_to(dtype, out_dtype) if with_input else "", input_batch=batch,
        left="" if left is None else arrays.dtype(left.dtype), left_batch=rank(left),
        right="" if right is None else arrays.dtype(right.dtype), right_batch=rank(right),
        alpha=ones.get("alpha"), beta=0.0 if beta_is_zero else ones.get("beta"), precision=precision, transpose_b=transposes[0],
        transpose_out=transposes[1])

    def choose(row):
        return cache.chosen(source, target, (*shape[-2:], dense.shape[-2]), operand.col.shape[-1],
                            math.prod(shape[:-2]), row, operand.longest)

    try:
        text = choose(()) if meta is None else meta.text(choose)
        program = cache.program(dataclasses.replace(source, meta=text), target)
    except (NotImplementedError, _compiler.CompileError) as error:
        if meta is None:
            raise
        raise ValueError(f"argument 'meta': {cache.reason(error)}") from None
    scalars = [name for name in source.arguments if name in ("alpha", "beta")]
    return _Call(program, shape, out_dtype if out_dtype != dtype else None, scalars, with_input,
                 with_input and tuple(input.shape) != shape, transposes)


def _transposes(operand, dense, out):
    """Whether dense and out are transposed in memory, for which there are programs of their own."""
    arrays = operand.arrays
    if dense.ndim < 2:
        return False, False
    is_column = dense.shape[-1] == 1  # As a new result is.
    return arrays.is_transposed(dense), is_column if out is None else arrays.is_transposed(out)


def _operands(call, operand, input, dense, left_alpha, right_alpha, result):
    """Those of the call's program, by the names of bsr_dense_addmm's arguments."""
    arrays = operand.arrays

    def oriented(matrix, is_transposed):
        return arrays.transposed(matrix) if is_transposed else matrix

    of_dense, of_out = call.transposes
    operands = {"crow": operand.crow, "col": operand.col, "values": operand.values, "dense": oriented(dense, of_dense)}
    if call.with_input:
        operands["input"] = oriented(arrays.expand(input, call.shape) if call.expand_input else input, of_out)
    operands |= {name: scale for name, scale in (("left_alpha", left_alpha), ("right_alpha", right_alpha))
                 if scale is not None}
    operands["out"] = oriented(result, of_out)
    return {name: arrays.passed(array) for name, array in operands.items()}


def _arguments(call, operands, alpha, beta):
    """All of the call's program, in its order."""
    scalars = {"alpha": alpha, "beta": beta}
    return [*(scalars[name] for name in call.scalars), *operands.values()]


def call_of(input, bsr, dense, *, beta=1, alpha=1, left_alpha=None, right_alpha=None, out=None, meta=None, check=None,
            precision=None):
    """(the program that bsr_dense_addmm would call, its arguments, whether bsr is prepared); calls nothing."""
    _elements.require_precision(precision)
    operand = _operand.operand_of(bsr)
    in_place = input is not None and input is out
    for name, array in (("input", input), ("dense", dense), ("left_alpha", left_alpha), ("right_alpha", right_alpha),
                        ("out", out)):
        if array is not None or name == "dense":
            _arrays.require_same(name, array, operand.arrays, "bsr")
    call = _with_memory(operand.arrays, _plan, input, operand, dense, left_alpha, right_alpha, out, beta == 0,
                        _ones_of(operand, alpha, beta), in_place, None if meta is None else _meta_of(meta), precision,
                        _transposes(operand, dense, out))
    result = operand.arrays.empty(call.shape, dense, call.element) if out is None else out
    operands = _operands(call, operand, input, dense, left_alpha, right_alpha, result)
    arguments = _arguments(call, operands, number("alpha", alpha), number("beta", beta))
    return call.program, arguments, operand.prepared is not None


def _with_memory(arrays, function, *arguments):
    """What the function returns. Where the device has no memory for it, PyTorch gives back what it keeps first."""
    try:
        return function(*arguments)
    except RuntimeError as error:
        if not _repeats.is_out_of_memory(error) or not arrays.release_kept_memory():
            raise
    return function(*arguments)


def _launcher(program, operand, arguments, scalars, checks):
    """The function that runs a program whose arguments are so many scalars, crow, col and others; with `checks`, the
    contents of crow and col are checked, by that function on the CPU, here on CUDA, which synchronizes."""
    arrays = operand.arrays
    if not checks:
        return program._launch
    if not arrays.on_gpu:
        return program._launch_checked
    host = [arrays.passed(arrays.host(array)) for array in (operand.crow, operand.col)]
    program.check(*arguments[:scalars], *host, *arguments[scalars + 2:])
    return program._launch


def bsr_dense_addmm(input, bsr, dense, *, beta=1, alpha=1, left_alpha=None, right_alpha=None, out=None,
                    skip_checks=False, max_grid=None, meta=None, check=None, precision=None, strict=False):
    """beta * input + left_alpha[:, None] * (alpha * (bsr @ dense)) * right_alpha[None, :].

    bsr: M x K with blocks of BM x BK, multiples of 8 (on CUDA at most 256 rows): a torch.sparse_bsr tensor, a SciPy BSR
    array, a tuple (crow (*, M / BM + 1), col (*, nnz), values (*, nnz, BM, BK)) of one library, or what `prepare` gives.
    Its own shape must be that of its arrays.
    dense: (*, K, N). input: broadcasts to the result; may be None where beta is 0, and is then not read. All of one
    element type: f16, bf16 (ml_dtypes in NumPy), f32 or, on the CPU, f64. left_alpha (*, M), right_alpha (*, N): of that
    type or f32; not read where alpha is 0. * are batch dimensions, which broadcast. alpha, beta: numbers of Python or
    NumPy, 0-d arrays, or 0-d tensors on the CPU.
    out: (*, M, N) of f16, bf16 or f32, or of f64 as they are, any strides; may be input. meta: any of "tile" (M, N, K),
    "stages", "warps", "split_k" and "raster_group" (its older name is "group"), or PyTorch's "SPLIT_N", "num_stages", "num_warps" and
    "GROUP_SIZE_ROW"; the rest is chosen by shape, sparsity and device (docs/MetaTable.md). check: whether the contents
    of index arrays are checked; by default on the CPU, unless prepared. On CUDA that synchronizes. precision: of f32
    alone, "ieee" (None is the same) or "tf32": factors may be rounded to 11 bits (5e-4 of each; on Hopper, where dense
    has contiguous columns, cut: 1e-3), sums are f32. On CUDA no MMA takes "ieee", and threads
    multiply instead, at a small part of the rate; the CPU computes in f32 with either.

    bsr and dense may both be of int8: input and out are then of int32 (a new result is), bf16 or f32. Sums are exact
    integers below 2^31; for int32 they are scaled in double precision, rounded to nearest even and saturated. Or each of
    float8_e4m3fn or float8_e5m2: input and out are of f32 (a new result is) or bf16. left_alpha and right_alpha are of
    f32. On CUDA blocks have a multiple of 16 columns, and a dense with contiguous rows is transposed in scratch memory.

    PyTorch's other arguments: skip_checks=True is check=False (all else is checked always); max_grid, three sizes or
    None, changes nothing. strict: whether to raise ValueError for what bsr_dense_mm of torch.sparse refuses: blocks
    that are no powers of 2 from 16 on, an N that is no multiple of 16, an out whose rows or columns have gaps.

    Returns out, or a new array of dense's type. Arrays are used where they lie, on PyTorch's current stream; nothing
    else is copied. Tensors that require a gradient are taken where PyTorch records none (torch.no_grad); a write into
    out counts as one of PyTorch's in place. Raises ValueError or TypeError for arguments that do not fit,
    NotImplementedError for what has no code yet (gradients among it), before anything is written. Where the device's
    memory does not do: PyTorch's exception for a new array, RuntimeError for what kernels need besides, which says how
    much that was.
    """
    _elements.require_precision(precision)
    if skip_checks is not False or max_grid is not None:
        check = _pytorch.check_of(skip_checks, max_grid, check)
    if strict:
        _pytorch.require_accepted(bsr, dense, out)
    tf32 = precision == "tf32"
    alpha, beta = number("alpha", alpha), number("beta", beta)
    prepared = type(bsr) is _operand.Prepared
    repeats = bsr.repeats if prepared else cache.repeats
    result = _repeats.repeated(repeats, prepared, input, bsr, dense, beta, alpha, left_alpha, right_alpha, out, meta,
                               check, tf32)
    if result is not None:
        return result
    # Before the matrix is looked at, which fails in PyTorch's words where dense is traced.
    if _traced.stands_for_others(dense):
        from . import _operations

        return _operations.bsr_addmm(input, bsr, dense, beta, alpha, left_alpha, right_alpha, precision, out=out, meta=meta,
                                     check=check)
    if _arrays.is_torch(dense):
        _traced.refuse("dense", dense)
    operand = _operand.operand_of(bsr)
    arrays = operand.arrays
    # Not as it was given: that may change, or say the same of other parameters.
    parameters = None if meta is None else _meta_of(meta)
    given = {"input": input, "dense": dense, "left_alpha": left_alpha, "right_alpha": right_alpha, "out": out}
    ones = _ones_of(operand, alpha, beta)
    key = [operand.signature, beta == 0, *ones, input is out, tf32, id(arrays), parameters]
    for name, array in given.items():
        if array is None and name != "dense":
            key.append(None)
            continue
        _arrays.require_same(name, array, arrays, "bsr")
        _arrays.require_no_derivative(name, array)
        key += [tuple(array.shape), array.dtype]
    if out is not None and arrays is _arrays.NUMPY:
        key.append(out.flags.writeable)
    _arrays.require_no_derivative("bsr", operand.values)
    transposes = _transposes(operand, dense, out)
    key = (*key, transposes)
    in_place = input is not None and input is out
    call = cache.calls.get(key)
    if call is None:
        call = _with_memory(arrays, _plan, input, operand, dense, left_alpha, right_alpha, out, beta == 0, ones,
                            in_place, parameters, precision, transposes)
        if len(cache.calls) >= CALLS_LIMIT:
            cache.calls.clear()
        cache.calls[key] = call
    result = arrays.empty(call.shape, dense, call.element) if out is None else out
    operands = _operands(call, operand, input, dense, left_alpha, right_alpha, result)
    arguments = _arguments(call, operands, alpha, beta)
    on_gpu = arrays.on_gpu
    if on_gpu:
        _explain.log_generic(call.program, arguments, operand.prepared is not None)
    checks = check or check is None and not on_gpu and operand.prepared is None
    try:
        launch = _launcher(call.program, operand, arguments, len(call.scalars), checks)
        if on_gpu and operand.prepared is not None:
            launch = operand.prepared.get(call.program)
            if launch is None:
                launch = _with_memory(arrays, call.program._prepare, *arguments)
                operand.prepared[call.program] = launch
        _with_memory(arrays, launch, *arguments)
    except BufferError as error:
        _arrays.raise_refusal(operands, error)
    if out is not None:
        arrays.count_write(out)
    # The binding knows neither constant scalars nor results of another type.
    if arrays is not _arrays.NUMPY and not (checks and on_gpu) and not _elements.is_narrow(operand.element):
        kind = ((_repeats.BETA_IS_ZERO if beta == 0 else 0) | (_repeats.IN_PLACE if in_place else 0)
                | (_repeats.CHECKED if checks else 0) | (_repeats.TF32 if tf32 else 0))
        indices = operand.crow, operand.col
        own, kept = ((None, None), indices) if prepared else (indices, (None, None))
        others = (operand.values, dense, None if in_place else input, left_alpha, right_alpha, result)
        repeats.remember(launch, len(call.scalars) == 2, call.with_input, call.transposes, kept, kind, meta,
                         (*own, *(array if array is None else arrays.passed(array) for array in others)))
    return result
