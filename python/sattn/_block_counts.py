"""How many elements of each block a mask leaves visible, by a compiled program (sattn.block_counts)."""

import dataclasses
import typing

import numpy as np

from . import _arrays, _bsr, _compiler, _region, cache
from ._captured_arguments import captured
from ._captures import Capture
from ._expression import MOST, Graph


@dataclasses.dataclass(frozen=True)
class BlockCounts:
    """One `sattn.block_counts`: what a kernel is compiled for.

    block: (queries, keys). mask_mod: the text of the region. captures: types of its captures. names: of them, for
    messages. exact: whether the numbers of blocks that are seen in part are told.
    """

    block: tuple
    mask_mod: str
    captures: tuple
    names: tuple
    exact: bool

    def text(self):
        """The module: one function @block_counts, whose last argument is the result."""
        out = "tensor<?x?x?x?xi32>"
        given = [(f"captured{place}", own, name) for place, (own, name) in enumerate(zip(self.captures, self.names))]
        arguments = [*given, ("out", out, "out")]
        return (f"func.func @block_counts({', '.join(f'%{name}: {own}' for name, own, _ in arguments)}) -> {out}\n"
                f"    attributes {{sattn.names = [{', '.join(_region.quoted(name) for _, _, name in arguments)}]}} {{\n"
                f"  %0 = sattn.block_counts captures({', '.join('%' + name for name, _, _ in given)} : "
                f"{', '.join(self.captures)})\n      outs(%out : {out}) -> {out}\n      {self.mask_mod}\n"
                f"      {{block_size = array<i64: {self.block[0]}, {self.block[1]}>{'' if self.exact else ', approximate'}}}\n"
                f"  return %0 : {out}\n}}\n")


class _Limited(typing.NamedTuple):
    """A mask's function that is false beyond its lengths and outside a band, as _region.text takes one."""

    kind: str
    result: object
    captures: list


def _limited(function, band):
    """The function with two captures more, the numbers of queries and of keys."""
    graph = Graph()
    captures = [*function.captures, *(Capture("large", name, -1) for name in ("Q_LEN", "KV_LEN"))]
    queries, keys = (graph.node("number", "i32", payload=len(function.captures) + place, bounds=(0, MOST))
                     for place in range(2))
    result = graph.bitwise("and", graph.compare("lt", graph.position("q_idx"), queries),
                           graph.compare("lt", graph.position("kv_idx"), keys))
    result = graph.bitwise("and", result, function.result)
    if band is not None:
        result = graph.bitwise("and", result, band.node(graph, (queries, keys)))
    return _Limited("mask_mod", result, captures)


def _source(function, band, block, exact):
    limited = _limited(function, band)
    types = [_region.types_of([capture])[0] for capture in limited.captures]
    flat = tuple(name for own in types for name in own)
    names = tuple(capture.name for capture, own in zip(limited.captures, types) for _ in own)
    return limited, BlockCounts(block, _region.text(limited, 0, flat, approximate=False), flat, names, exact)


def block_counts(function, values, band, shape, lengths, block, device=None, exact=True, out=None):
    """Visible elements of each block, an array (B, H, blocks of queries, blocks of keys), in NumPy or on a device.

    function: of a mask_mod, with the values of its captures; band: to be seen too, or None. shape: (B, H) of the array,
    each 1 or the whole number. lengths, block: of (queries, keys). exact: otherwise blocks that are seen in part have any
    number above none and below all. out: of PyTorch, to be
    written and returned; or None. Nothing waits for the device. Raises NotImplementedError for a function that the
    compiler refuses.
    """
    size = *shape, *(-(-length // one) for length, one in zip(lengths, block))
    # Of a single block not much more than there is of it; few sizes are compiled.
    block = tuple(min(one, 1 << max(length - 1, 0).bit_length()) for length, one in zip(lengths, block))
    if device is None:
        arrays, result = _arrays.NUMPY, np.empty(size, np.int32)
        values = [value.detach().cpu() if _arrays.is_torch(value) else value for value in values]
    else:
        import torch

        result = torch.empty(size, dtype=torch.int32, device=device) if out is None else out
        arrays = _arrays.arrays_of("out", result)
    limited, source = _source(function, band, block, exact)
    target = _compiler.CPU if device is None else device.index or 0
    program = _bsr._with_memory(arrays, cache.program, source, target)
    program._launch(*captured(limited, [*values, *lengths], arrays), result)
    return result
