"""Lists of the blocks that a mask leaves visible, of their counts, by a compiled program (sattn.block_lists)."""

import dataclasses
import sys

import numpy as np

from . import _arrays, _bsr, _compiler, cache

#: Arrays of extents on devices that are kept, at most.
MOST_KEPT = 64
_kept = {}


@dataclasses.dataclass(frozen=True)
class BlockLists:
    """One `sattn.block_lists`: what a kernel is compiled for. separate: whether full blocks have lists of their own."""

    separate: bool

    def text(self):
        """The module: one function @block_lists, whose last two arguments are the results."""
        kinds = 2 if self.separate else 1
        counts, extents = "tensor<?x?x?x?xi32>", "tensor<?xi32>"
        numbers, columns = f"tensor<{kinds}x?x?x?xi32>", f"tensor<{kinds}x?x?x?x?xi32>"
        return (f"func.func @block_lists(%counts: {counts}, %heights: {extents}, %widths: {extents}, %numbers: {numbers},\n"
                f"                       %columns: {columns}) -> ({numbers}, {columns}) {{\n"
                f"  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : {counts}, {extents}, {extents})\n"
                f"      outs(%numbers, %columns : {numbers}, {columns}) -> {numbers}, {columns}"
                f"{' {separate}' if self.separate else ''}\n"
                f"  return %0#0, %0#1 : {numbers}, {columns}\n}}\n")


def block_lists(counts, heights, widths, separate=True):
    """(numbers, columns) of the listed blocks of each row of counts (B, H, R, C), as the op has them: arrays (K, B, H, R)
    and (K, B, H, R, C), K = 2 if full blocks are listed apart. heights (R), widths (C): extents of blocks, in i32.

    Arrays of NumPy, or PyTorch's on one CUDA device; nothing waits for it.
    """
    shape = 1 + separate, *counts.shape[:-1]
    if isinstance(counts, np.ndarray):
        arrays, target = _arrays.NUMPY, _compiler.CPU
        numbers, columns = (np.empty(size, np.int32) for size in (shape, (*shape, counts.shape[-1])))
    else:
        torch = sys.modules["torch"]
        numbers, columns = (torch.empty(size, dtype=torch.int32, device=counts.device)
                            for size in (shape, (*shape, counts.shape[-1])))
        arrays, target = _arrays.arrays_of("counts", counts), counts.device.index or 0
    program = _bsr._with_memory(arrays, cache.program, BlockLists(separate), target)
    program._launch(counts, heights, widths, numbers, columns)
    return numbers, columns


def extents(length, size, device=None):
    """How many positions each block has along a dimension, in i32; the last one may have fewer."""
    if device is None:
        return _filled(length, size, np.full, {"dtype": np.int32})
    torch = sys.modules["torch"]
    options = {"dtype": torch.int32, "device": device}
    if device.type != "cuda" or torch.cuda.is_current_stream_capturing():
        # What a graph reads must stay as long as the graph.
        return _filled(length, size, torch.full, options)
    # Only on the stream that makes it, it is there for sure.
    key = length, size, torch.cuda.current_stream(device)
    found = _kept.get(key)
    if found is None:
        if len(_kept) >= MOST_KEPT:
            _kept.clear()
        _kept[key] = found = _filled(length, size, torch.full, options)
    return found


def _filled(length, size, full, options):
    found = full((-(-length // size),), min(size, length), **options)
    if length % size:
        found[-1:] = length % size
    return found
