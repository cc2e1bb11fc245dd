"""Lists of a mask's visible blocks, from counts of visible elements, by a compiled program (sattn.block_lists)."""

import dataclasses

import numpy as np

from .._arrays import adapters, lazy_torch as torch
from .._compiler import compiler, program_text
from .._call import cache, memory

NAMES = ["numbers", "columns", "full_numbers", "full_columns"]
#: Arrays of extents on devices that are kept, at most.
MOST_KEPT = 64
_kept = {}


@dataclasses.dataclass(frozen=True)
class BlockLists:
    """One `sattn.block_lists`: what a kernel is compiled for. separate: whether full blocks have lists of their own."""

    separate: bool

    def text(self):
        """The module: one function @block_lists, whose last arguments are the results."""
        counts, extents = "tensor<?x?x?x?xi32>", "tensor<?xi32>"
        outs = {name: "tensor<?x?x?xi32>" if name.endswith("numbers") else counts
                for name in NAMES[:4 if self.separate else 2]}
        given = {"counts": counts, "heights": extents, "widths": extents}
        return program_text.program("block_lists", given | outs, f" ins({program_text.listed(given, given)})",
                                    outs=[*outs])


def block_lists(counts, heights, widths, separate=True):
    """[numbers, columns] of the blocks that each row of counts (B, H, R, C) lists, and, with `separate`, those of its
    full blocks apart: arrays (B, H, R) and (B, H, R, C), as the op has them. heights (R), widths (C): extents of
    blocks, in i32.

    Arrays of NumPy, or PyTorch's on one CUDA device; nothing waits for it.
    """
    shapes = [counts.shape[:-1], counts.shape] * (2 if separate else 1)
    if isinstance(counts, np.ndarray):
        arrays, target = adapters.NUMPY, compiler.CPU
        lists = [np.empty(shape, np.int32) for shape in shapes]
    else:
        lists = [torch.empty(shape, dtype=torch.int32, device=counts.device) for shape in shapes]
        arrays, target = adapters.arrays_of("counts", counts), counts.device.index or 0
    program = memory.with_memory(arrays, cache.program, BlockLists(separate), target)
    program._launch(counts, heights, widths, *lists)
    return lists


def begin(separate, device):
    """Begins to compile what block_lists needs on a CUDA device."""
    cache.begin(BlockLists(separate), device.index or 0)


def extents(length, size, device=None):
    """How many positions each block has along a dimension, in i32; the last one may have fewer."""
    if device is None:
        return _filled(length, size, np.full, {"dtype": np.int32})
    options = {"dtype": torch.int32, "device": device}
    if device.type != "cuda" or torch.cuda.is_current_stream_capturing():
        # Memory that a graph reads must stay as long as the graph.
        return _filled(length, size, torch.full, options)
    # Another stream might read it before it is computed.
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
