"""scatter_mm."""

import dataclasses
import math

from .._arrays import adapters, autocast, autograd, dtypes, plain, stand_ins
from .._compiler import compiler, program_text
from .._compiler.program_text import meta_and_precision
from .._call import cache, dispatch, guard, memory

# Widths of matrices that have programs of their own, which have no more columns than these.
_WIDTHS = (16, 32, 64, 128, 256)
# The part of the others that lists do not have, from which a program is compiled for short lists.
_SPARSE = 0.85


# For each format the names of its lists, as the op's operands and as PyTorch calls them.
LISTS = {"scatter_mm": {"offsets": "c_offsets", "q": "pq[:, 1]", "p": "pq[:, 0]"},
         "bsr_strided_mm": {"offsets": "c_indices", "q": "q_offsets", "p": "p_offsets", "r": "r_offsets"},
         "bsr_strided_mm_compressed": {"offsets": "c_indices", "q": "q_offsets", "r": "r_offsets"}}


@dataclasses.dataclass(frozen=True)
class ScatterMm:
    """One `sattn.scatter_mm` on tensors of dynamic shapes: what a kernel is compiled for.

    format: a name in LISTS. dtype: element type of blocks and others: "f16", "bf16", "f32" or "f64". out: the result's.
    block: rows and columns of a block. n: columns of a matrix that is added to, or None where any may come.
    index: the element type, "i32" or "i64", of each list. batch: batch dimensions of others and the result.
    precision: "ieee", or of f32 "tf32". overwrite: whether the old elements do not count, of which none are left then.
    sparsity: the part of the others that lists do not have where they are short, or None.
    """

    format: str
    dtype: str
    out: str
    block: tuple
    n: object
    index: tuple
    batch: int
    precision: str
    overwrite: bool = False
    sparsity: float | None = None

    @property
    def options(self):
        """The options of the pipeline of a GPU."""
        return "" if self.sparsity is None else f"sparsity={self.sparsity}"

    def text(self):
        """The module: one function @scatter_mm, which returns its last argument's new contents."""
        (rows, columns), names = self.block, LISTS[self.format]
        grid = "?x" * (self.batch + (1 if self.format == "scatter_mm" else 2))
        n = "?" if self.n is None else self.n
        lists = {name: f"tensor<?x{element}>" for name, element in zip(names, self.index)}
        given = program_text.Arguments(names=names)
        operands = "\n     " + given.clause("ins", {
            **{name: lists[name] for name in ("offsets", "q")}, "blocks": f"tensor<?x{rows}x{columns}x{self.dtype}>",
            "others": f"tensor<{grid}{columns}x{n}x{self.dtype}>"})
        operands += "".join(given.clause(name, {name: lists[name]}) for name in [*names][2:])
        return program_text.program(
            "scatter_mm", given.types | {"out": f"tensor<{grid}{rows}x{n}x{self.out}>"}, operands,
            meta_and_precision(self) + ["overwrite"] * self.overwrite, names=given.names | {"out": "accumulators"})


def _require_rank(name, array, wanted, rank, more=False):
    if array.ndim != rank and not (more and array.ndim > rank):
        raise ValueError(f"argument '{name}': expected shape {wanted}, but got {tuple(array.shape)}")


def _require_whole(name, extent, what, part, of):
    if extent % part:
        raise ValueError(f"argument '{name}': expected {what} for whole {of} of {part}, but got {extent}")


def split_of(meta):
    """SPLIT_N of indices_data. Raises ValueError or TypeError where there is none."""
    if not isinstance(meta, dict):
        raise TypeError(f"argument 'indices_data': expected a dict as its last member, but got {type(meta).__name__}")
    split = meta.get("SPLIT_N")
    if not isinstance(split, int) or isinstance(split, bool) or split < 1:
        raise ValueError(f"argument 'indices_data': expected 'SPLIT_N' to be a positive integer, but got {split!r}")
    return split


def lists_of(indices_data):
    """The format's name, its lists by the op's names, and its meta or None."""
    if not isinstance(indices_data, tuple) or not indices_data:
        raise TypeError(f"argument 'indices_data': expected a tuple, but got {type(indices_data).__name__}")
    name, *members = indices_data
    if not isinstance(name, str) or name not in LISTS:
        raise NotImplementedError(f"argument 'indices_data': expected a format of {', '.join(LISTS)}, but got {name!r}")
    wanted = {"scatter_mm": "c_offsets, pq", "bsr_strided_mm": "c_indices, r_offsets, p_offsets, q_offsets, meta",
              "bsr_strided_mm_compressed": "c_indices, r_offsets, q_offsets, meta"}[name]
    if len(members) != len(wanted.split(", ")):
        raise ValueError(f"argument 'indices_data': expected ({name!r}, {wanted}), but got {len(members) + 1} members")
    if name == "scatter_mm":
        offsets, pq = members
        for list_name, array in (("c_offsets", offsets), ("pq", pq)):
            adapters.arrays_of(list_name, array)
        if pq.shape == (0,):  # PyTorch's, of no pairs.
            pq = pq.reshape(0, 2)
        if pq.ndim != 2 or pq.shape[1] != 2:
            raise ValueError(f"argument 'pq': expected shape (T, 2), but got {tuple(pq.shape)}")
        return name, {"offsets": offsets, "q": pq[:, 1], "p": pq[:, 0]}, None
    lists = dict(zip([entry.split("_")[0] for entry in wanted.split(", ")], members))
    return name, {"offsets": lists["c"], **{key: lists[key] for key in ("q", "p", "r") if key in lists}}, members[-1]


def _tensors_of(format, lists, meta, blocks, others, accumulators, arrays):
    """The op's blocks, others, lists and out, and the accumulators, after checking that their shapes fit."""
    _require_rank("blocks", blocks, "(P, BM, BK)", 3)
    (rows, columns), names = blocks.shape[1:], LISTS[format]
    for key, array in lists.items():
        _require_rank(names[key], array, f"({'entries + 1' if key == 'offsets' else 'entries'},)", 1)
    if lists["offsets"].shape[0] < 1:
        raise ValueError(f"argument '{names['offsets']}': expected at least 1 offset, but got none")
    if format == "scatter_mm":
        _require_rank("others", others, "(Q, BK, N)", 3)
        shape = (lists["offsets"].shape[0] - 1, rows, others.shape[2])
        if accumulators is None:
            accumulators = arrays.zeros(shape, blocks)
        adapters.require_shape("accumulators", accumulators, shape)
        out, grid = accumulators, others
    else:
        _require_rank("others", others, "(*, K, N)", 2, more=True)
        *batch, k, n = others.shape
        _require_whole("others", k, "rows", columns, "blocks")
        split = split_of(meta)
        _require_whole("indices_data", n, f"'SPLIT_N' {split} that divides the columns of others,", split, "parts")
        if accumulators is None:
            last = lists["r"].max().item() if lists["r"].shape[0] else -1
            accumulators = arrays.zeros((*batch, 0 if last < 0 else last // max(n, 1) + rows, n), blocks)
        _require_rank("accumulators", accumulators, "(*, M, N)", 2, more=True)
        m = accumulators.shape[-2]
        if tuple(accumulators.shape) != (*batch, m, n):
            raise ValueError(f"argument 'accumulators': expected shape {(*batch, 'M', n)}, but got "
                             f"{tuple(accumulators.shape)}")
        _require_whole("accumulators", m, "rows", rows, "blocks")
        if n == 0:
            return None, accumulators
        out = accumulators
        if format == "bsr_strided_mm_compressed":
            # Rows without a list, and lists without rows, are left out: nothing may refer to them.
            count = min(lists["offsets"].shape[0] - 1, m // rows)
            lists, out = {**lists, "offsets": lists["offsets"][:count + 1]}, out[..., :count * rows, :]
            least = split * blocks.shape[0]
            if lists["q"].shape[0] < least:
                raise ValueError(f"argument 'q_offsets': expected {least} entries or more, {split} for each block, but "
                                 f"got {lists['q'].shape[0]}")
        out, grid = arrays.grid(out, rows, n // split), arrays.grid(others, columns, n // split)
    if grid.shape[-2] != columns:
        raise ValueError(f"argument 'others': expected {columns} rows, the columns of a block, but got {grid.shape[-2]}")
    for key, wanted in (("p", lists["q"].shape[0]), ("offsets", (lists["r"] if "r" in lists else out).shape[0] + 1)):
        if "p" in lists and lists[key].shape[0] != wanted:
            raise ValueError(f"argument '{names[key]}': expected {wanted} entries, but got {lists[key].shape[0]}")
    return {**lists, "blocks": blocks, "others": grid, "out": out}, accumulators


def _has_all_entries(format, operands, result):
    """Whether there are as many entries as matrices, of which no two entries have one. Then none keeps its elements."""
    out = operands["out"]
    matrices = out.shape[-4] * out.shape[-3] if "r" in operands else out.shape[0]
    entries = operands["r"].shape[0] if "r" in operands else operands["offsets"].shape[0] - 1
    return entries == matrices and math.prod(out.shape) == math.prod(result.shape)


def _sparsity_of(operands):
    """The sparsity that a program is compiled for: one number for short lists, None for others and where none is
    known."""
    if "r" not in operands:
        return None
    most = operands["r"].shape[0] * operands["others"].shape[-4]
    return _SPARSE if most and operands["q"].shape[0] <= (1 - _SPARSE) * most else None


def _program(format, operands, arrays, precision, overwrite, sparsity):
    """The program of one kind of call."""
    on_gpu = arrays.on_gpu
    dtype = adapters.require_element("blocks", operands["blocks"], arrays, dtypes.FLOATS)
    adapters.require_element("others", operands["others"], arrays, (dtype,))
    out = adapters.require_element("accumulators", operands["out"], arrays, dtypes.results_of(dtype))
    index = tuple(adapters.require_element(name, operands[key], arrays, ("i32", "i64"))
                  for key, name in LISTS[format].items())
    dtypes.require_kernels("blocks", dtype, on_gpu)
    precision = dtypes.precision_of(dtype, precision, on_gpu)
    n = operands["out"].shape[-1]
    grid_rank = 1 if format == "scatter_mm" else 2
    source = ScatterMm(format=format, dtype=dtype, out=out, block=tuple(operands["blocks"].shape[1:]),
                       n=n if n in _WIDTHS else None, index=index, batch=operands["out"].ndim - 2 - grid_rank,
                       precision=precision, overwrite=overwrite, sparsity=sparsity if on_gpu else None)
    return cache.program(source, arrays.device.index if on_gpu else compiler.CPU)


def _launch(program, operands, order, arrays, checks, cleared):
    """Runs the program on the operands by name; with `checks` the contents of lists are checked before. `cleared`, if
    not None, is set to 0 then. Returns the function that ran and its arguments."""
    passed = {name: arrays.passed(operands[name]) for name in order}
    launch = program._launch
    try:
        if checks and cleared is None and not arrays.on_gpu:
            launch = program._launch_checked
        elif checks:
            lists = ("offsets", "q", "p", "r")
            program.check(*(arrays.passed(arrays.host(operands[name])) if name in lists else passed[name]
                            for name in order))
        if cleared is not None:
            cleared[...] = 0
        memory.with_memory(arrays, launch, *passed.values())
    except BufferError as error:
        adapters.raise_refusal(passed, error)
    return launch, tuple(passed.values())


def _kind(format, split, checks, precision):
    """The key of a guarded call beside its tensors."""
    return "scatter_mm", format, split, checks, precision == "tf32"


def _arguments_of(format, blocks, others, members, accumulators):
    """(the arguments of a guarded call, SPLIT_N or 0) of indices_data's members; None where it cannot be one."""
    if format == "scatter_mm":
        offsets, pq = members
        p, q = pq.unbind(1) if pq.dim() == 2 and pq.shape[1] == 2 else (None, None)
        return None if p is None else ((offsets, q, blocks, others, p, accumulators), 0)
    offsets, r, *p, q, meta = members
    split = meta.get("SPLIT_N") if type(meta) is dict else None
    if type(split) is not int or split < 1 or accumulators is None:
        return None
    if not p:  # As _tensors_of has it.
        lists, rows, size = offsets.shape[0] - 1, accumulators.shape[-2], blocks.shape[1]
        count = min(lists, rows // size)
        if count < lists:
            offsets = offsets[:count + 1]
        if count * size < rows:
            accumulators = accumulators[..., :count * size, :]
    return (offsets, q, blocks, others, *p, r, accumulators), split


def _guarded_call(blocks, others, indices_data, accumulators, check, precision):
    """The result, or None where this is no repetition; then nothing was done."""
    if type(blocks) not in plain.TYPES or type(indices_data) is not tuple or not indices_data:
        return None
    format, *members = indices_data
    checks = guard.contents_of(check, blocks)
    if checks is None or type(format) is not str:
        return None
    try:
        given = _arguments_of(format, blocks, others, members, accumulators)
        known = None if given is None else cache.guarded_calls.get(_kind(format, given[1], checks, precision))
        if known is None:
            return None
        arguments = given[0]
        if accumulators is None:
            shape = arguments[0].shape[0] - 1, blocks.shape[1], others.shape[2]
            arguments = *arguments[:-1], blocks.new_zeros(shape)
    except (AttributeError, IndexError, RuntimeError, TypeError, ValueError, ZeroDivisionError):
        return None  # The slow path raises the error.
    if guard.run(known, *arguments) is None:
        return None
    if accumulators is None:
        return arguments[-1]
    autograd.count_write(accumulators)
    return accumulators


def _remember(format, meta, given, others, result, launch, checks, precision):
    """Keeps a call for _guarded_call. given: the program's arguments."""
    parts, split = [guard.Part(place) for place in range(len(given))], 0
    if format != "scatter_mm":
        split, (rows, columns) = split_of(meta), given[2].shape[1:]
        parts[3] = guard.Part(3, rows=columns, split=split)
        parts[-1] = guard.Part(len(given) - 1, rows=rows, split=split)
        given = [*given[:3], others, *given[4:-1], result[..., :rows * given[-1].shape[-4], :]]
    guard.remember(cache.guarded_calls, _kind(format, split, checks, precision), launch, given, parts)


def scatter_mm(blocks, others, indices_data, *, accumulators=None, check=None, precision=None):
    """Adds products of listed pairs of blocks and matrices to matrices of accumulators: scatter_mm of PyTorch's sparse
    kernels (torch.sparse._triton_ops).

    blocks: (P, BM, BK), of any sizes. others: (Q, BK, N) or (*, K, N), K of whole BK. All of one element type: f16,
    bf16 (ml_dtypes in NumPy), f32 or, on the CPU, f64. indices_data: a tuple of a format's name and its arrays of i32
    or i64, which bsr_scatter_mm_indices_data or PyTorch's function makes.

        ("scatter_mm", c_offsets, pq):
            accumulators[r] += blocks[p] @ others[q] for the pairs (p, q) of pq[c_offsets[r]:c_offsets[r + 1]]
        ("bsr_strided_mm", c_indices, r_offsets, p_offsets, q_offsets, meta):
            the part of accumulators at r_offsets[i] += blocks[p_offsets[g]] @ the part of others at q_offsets[g], for g
            in range(c_indices[i], c_indices[i + 1])
        ("bsr_strided_mm_compressed", c_indices, r_offsets, q_offsets, meta):
            the same for entries of the block row m and the columns n of the part at r, of the blocks
            g in range(c0 = c_indices[m], c1 = c_indices[m + 1]), with q_offsets[n * c1 + (SPLIT_N - n) * c0 + g - c0]

    A part has a block's rows and N / meta["SPLIT_N"] columns (SPLIT_N must divide N). Its offset is row * N + column of
    its first element, and both are multiples of its sizes. No two of r_offsets may be equal; they come in any order.
    The rest of meta is of PyTorch's kernel, and changes nothing here. accumulators: of f16, bf16 or f32 (of f64, if
    blocks are), any strides; zeros of blocks' type where they are None, as far down as r_offsets go (which synchronizes
    on CUDA).

    check: whether the contents of index arrays are checked; by default on the CPU. On CUDA that synchronizes.
    precision: of f32 alone, "ieee" (None is the same) or "tf32", as of bsr_dense_addmm.

    Returns accumulators. Sums are f32 or f64 and rounded once. Arrays are used where they lie, on PyTorch's current
    stream. It has gradients (docs/Training.md), but with a check; those of accumulators are of a write in place. Under
    torch.autocast blocks and others are cast to its type. Raises ValueError or TypeError for arguments that do not fit,
    NotImplementedError for what has no code yet (other formats among it), before anything is written.
    """
    dtypes.require_precision(precision)
    if adapters.is_torch(blocks):
        if stand_ins.stands_for_others(blocks) or autocast.is_on() and autocast.casts(blocks, others):
            return _dispatched(blocks, others, indices_data, accumulators, check, precision)
        found = _guarded_call(blocks, others, indices_data, accumulators, check, precision)
        if found is not None:
            return found
        stand_ins.refuse("blocks", blocks)
        if autograd.is_recorded(blocks, others, accumulators):
            return _dispatched(blocks, others, indices_data, accumulators, check, precision)
    return multiply(blocks, others, lists_of(indices_data), accumulators, check, precision)


def _dispatched(blocks, others, indices_data, accumulators, check, precision):
    """The result of the operation of PyTorch, whose accumulators are others than the given ones."""
    found = dispatch.call("scatter_mm", blocks=blocks, others=others, indices_data=lists_of(indices_data),
                          accumulators=accumulators, check=check, precision=precision)
    return found if accumulators is None else accumulators.copy_(found)


def multiply(blocks, others, lists, accumulators, check, precision, is_cleared=False):
    """scatter_mm of lists_of lists; with is_cleared the old elements of accumulators do not count."""
    dtypes.require_precision(precision)
    arrays = adapters.arrays_of("blocks", blocks)
    if adapters.is_torch(blocks):
        stand_ins.refuse("blocks", blocks)
    format, lists, meta = lists
    dense = {"blocks": blocks, "others": others} | ({} if accumulators is None else {"accumulators": accumulators})
    for name, array in {**{LISTS[format][key]: array for key, array in lists.items()}, **dense}.items():
        adapters.require_same(name, array, arrays, "blocks")
        adapters.require_no_derivative(name, array)
    adapters.require_writable("accumulators", accumulators)
    operands, result = _tensors_of(format, lists, meta, blocks, others, accumulators, arrays)
    if operands is None:  # No columns.
        return result
    if any(size < 1 for size in blocks.shape[1:]):
        raise ValueError(f"argument 'blocks': expected blocks of a positive size, but got {tuple(blocks.shape[1:])}")
    overwrite = is_cleared and _has_all_entries(format, operands, result)
    sparsity = _sparsity_of(operands)
    key = ("scatter_mm", format, precision, overwrite, sparsity, id(arrays),
           *((tuple(array.shape[-2:]), array.ndim, array.dtype) for array in operands.values()))
    program = cache.calls.get(key)
    if program is None:
        program = memory.with_memory(arrays, _program, format, operands, arrays, precision, overwrite, sparsity)
        cache.calls[key] = program
    on_gpu = arrays.on_gpu
    order = [*[*LISTS[format]][:2], "blocks", "others", *[*LISTS[format]][2:], "out"]
    checks = check or check is None and not on_gpu
    launch, passed = _launch(program, operands, order, arrays, checks, result if is_cleared and not overwrite else None)
    if accumulators is not None:
        arrays.count_write(accumulators)
    if arrays is not adapters.NUMPY and not is_cleared and not (checks and on_gpu):
        _remember(format, meta, passed, others, result, launch, bool(checks), precision)
    return result
