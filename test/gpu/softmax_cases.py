"""Programs and operands of bsr_softmax and its gradient, each seeded, for sparse-run on either target."""

import dataclasses

import numpy as np
from bsr_cases import DTYPES, save


@dataclasses.dataclass(frozen=True)
class Case:
    """One softmax of a matrix of so many block rows and columns."""

    name: str
    dtype: str = "bf16"
    block: tuple = (64, 64)
    tile: tuple = ()  # the compiler's where empty
    blocks: tuple = (4, 5)
    density: float = 0.5
    batch: tuple = ()
    index: str = "i32"
    static: bool = False
    pattern: str = "random"  # or: empty, empty_rows, window, -inf
    gradient: bool = False

    @property
    def op(self):
        return "bsr_softmax_backward" if self.gradient else "bsr_softmax"

    @property
    def names(self):
        return ["crow", "col", *(("output", "grad_out", "grad_in") if self.gradient else ("values", "out"))]


def softmax(crow, values):
    """In double precision: over the stored elements of each row, of each batch of values; 0 of nothing but -inf."""
    result = np.zeros(values.shape)
    for at in np.ndindex(*values.shape[:-3]):
        offsets = np.broadcast_to(crow, (*values.shape[:-3], crow.shape[-1]))[at]
        for begin, end in zip(offsets[:-1], offsets[1:]):
            rows = values[at][begin:end].astype(np.float64)
            with np.errstate(invalid="ignore"):
                largest = rows.max(axis=(0, 2), keepdims=True, initial=-np.inf)
                powers = np.exp(rows - np.where(np.isneginf(largest), 0, largest))
                total = powers.sum(axis=(0, 2), keepdims=True)
                result[at][begin:end] = powers / np.where(total == 0, 1, total)
    return result


def gradient(crow, output, grad):
    """The gradient of the softmax's operand, in double precision; 0 at blocks of no row."""
    result = np.zeros(output.shape)
    for at in np.ndindex(*output.shape[:-3]):
        offsets = np.broadcast_to(crow, (*output.shape[:-3], crow.shape[-1]))[at]
        for begin, end in zip(offsets[:-1], offsets[1:]):
            own, upstream = (array[at][begin:end].astype(np.float64) for array in (output, grad))
            result[at][begin:end] = own * (upstream - (own * upstream).sum(axis=(0, 2), keepdims=True))
    return result


def operands(case, seed=0):
    """Arrays by operand's name. Batches share the indices of one."""
    rng = np.random.default_rng(seed)
    present = rng.random(case.blocks) < (0 if case.pattern == "empty" else case.density)
    if case.pattern == "empty_rows":
        present[::2] = False
    counts, first = present.sum(1), 3 if case.pattern == "window" else 0  # blocks before the first row's, and after
    index = np.int32 if case.index == "i32" else np.int64
    crow = np.concatenate([[0], np.cumsum(counts)]) + first
    col = np.concatenate([np.zeros(first, int), np.nonzero(present)[1], np.zeros(first, int)])
    values = (3 * rng.standard_normal((*case.batch, len(col), *case.block))).astype(DTYPES[case.dtype])
    if case.pattern == "-inf":
        values[rng.random(values.shape) < 0.3] = -np.inf
        values[..., 0, :] = -np.inf  # A row of nothing else.
    out = rng.standard_normal(values.shape).astype(values.dtype)
    indices = {"crow": crow.astype(index), "col": col.astype(index)}
    if case.gradient:
        grad_out = rng.standard_normal(values.shape).astype(values.dtype)
        return {**indices, "output": softmax(crow, values).astype(values.dtype), "grad_out": grad_out, "grad_in": out}
    return {**indices, "values": values, "out": out}


def program(case, arrays):
    """The text of @f: tensors in the order of the case's names."""
    types = {}
    for name in case.names:
        shape, block = arrays[name].shape, () if name in ("crow", "col") else case.block
        lead = "".join(f"{size if case.static else '?'}x" for size in shape[:len(shape) - len(block)])
        types[name] = f"tensor<{lead}{''.join(f'{size}x' for size in block)}{case.dtype if block else case.index}>"
    arguments = ", ".join(f"%{name}: {types[name]}" for name in case.names)
    attributes = f" {{meta = #sattn.meta<tile = [{', '.join(map(str, case.tile))}]>}}" if case.tile else ""
    *inputs, out = case.names
    return (f"func.func @f({arguments}) -> {types[out]} {{\n"
            f"  %0 = sattn.{case.op} ins({', '.join(f'%{name}' for name in inputs)} : "
            f"{', '.join(types[name] for name in inputs)})\n"
            f"      outs(%{out} : {types[out]}){attributes} -> {types[out]}\n"
            f"  return %0 : {types[out]}\n}}\n")


def arguments(case, arrays, folder):
    """The operands as files, in the order of the program's arguments."""
    return [str(save(folder / f"{name}.npy", arrays[name])) for name in case.names]
