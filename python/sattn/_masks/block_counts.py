"""The number of visible elements in each block of a mask, by a compiled program (sattn.block_counts)."""

import dataclasses
import typing

import numpy as np

from .._arrays import adapters, lazy_torch as torch
from .._compiler import compiler, program_text
from .._call import cache, memory
from .._trace import regions
from .._trace.captured_arguments import captured
from .._trace.readers import Capture
from .._trace.expression import Graph, MOST
from . import block_bounds


@dataclasses.dataclass(frozen=True)
class BlockCounts:
    """One `sattn.block_counts`: what a kernel is compiled for.

    block: (queries, keys). mask_mod: the text of the region. captures: types of its captures. names: of them, for
    messages. exact: whether partial blocks are counted exactly. bounded: of captures, by their place
    among those, the type of their bounds (_masks/block_bounds.py). transposed: whether the transposed counts are a
    second result.
    """

    block: tuple
    mask_mod: str
    captures: tuple
    names: tuple
    exact: bool
    bounded: tuple = ()
    transposed: bool = False

    def text(self):
        """The module: one function @block_counts, whose last arguments are the results."""
        outs = ["out", "transposed"][:1 + self.transposed]
        types = {f"captured{place}": own for place, own in enumerate(self.captures)}
        names = dict(zip(types, self.names))
        bounds = {f"bound{4 * number + place}": f"tensor<?x{element}>"
                  for number, (_, element) in enumerate(self.bounded) for place in range(4)}
        names |= {name: name.replace("bound", "bound_") for name in bounds}
        operands = f" captures({program_text.listed(types, types)})" if types else ""
        operands += f" bounds({program_text.listed(bounds, bounds)})" if bounds else ""
        types |= bounds | {name: "tensor<?x?x?x?xi32>" for name in outs}
        attributes = [f"block_size = array<i64: {self.block[0]}, {self.block[1]}>", *["approximate"] * (not self.exact)]
        if bounds:
            attributes.append(f"bounded = array<i64: {', '.join(str(place) for place, _ in self.bounded)}>")
        return program_text.program("block_counts", types, operands, attributes, outs=outs, names=names,
                                    tail=self.mask_mod)


class _Limited(typing.NamedTuple):
    """A mask's function that is false beyond its lengths and outside a band, as regions.text takes one."""

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


def _source(function, band, block, exact, bounded=(), transposed=False):
    """bounded: numbers of captures that have bounds."""
    limited = _limited(function, band)
    types = [regions.types_of([capture])[0] for capture in limited.captures]
    flat = tuple(name for own in types for name in own)
    names = tuple(capture.name for capture, own in zip(limited.captures, types) for _ in own)
    places = [sum(map(len, types[:number])) for number in bounded]
    bounds = tuple((place, block_bounds.type_of(limited.captures[number])) for place, number in zip(places, bounded))
    return limited, BlockCounts(block, regions.text(limited, 0, flat, approximate=False), flat, names, exact, bounds,
                                transposed)


def block_counts(function, values, band, shape, lengths, block, device=None, exact=True, out=None):
    """Visible elements of each block, an array (B, H, blocks of queries, blocks of keys), in NumPy or on a device.

    function: of a mask_mod, with the values of its captures; band: a Band that must hold too, or None. shape: (B, H) of
    the array, each 1 or the whole number. lengths, block: of (queries, keys). exact: otherwise partial blocks have
    any number above none and below all. out: PyTorch's arrays to be written, that which is returned and the transposed
    one; or None. Nothing waits for the device. Raises NotImplementedError for a function that the compiler refuses.
    """
    size = *shape, *(-(-length // one) for length, one in zip(lengths, block))
    # A single block is not much larger than the mask; few sizes are compiled.
    block = tuple(min(one, 1 << max(length - 1, 0).bit_length()) for length, one in zip(lengths, block))
    if device is None:
        arrays, result = adapters.NUMPY, np.empty(size, np.int32)
        values = [value.detach().cpu() if adapters.is_torch(value) else value for value in values]
    else:
        result = torch.empty(size, dtype=torch.int32, device=device) if out is None else out[0]
        arrays = adapters.arrays_of("out", result)
    bounded = block_bounds.bounded(function) if device is not None and device.type == "cuda" else ()
    limited, source = _source(function, band, block, exact, bounded, out is not None)
    target = compiler.CPU if device is None else device.index or 0
    program = memory.with_memory(arrays, cache.program, source, target)
    given = captured(limited, [*values, *lengths], arrays)
    bounds = [array for place, _ in source.bounded for array in block_bounds.bounds(given[place], lengths, block)]
    program._launch(*given, *bounds, result, *(() if out is None else out[1:]))
    return result
