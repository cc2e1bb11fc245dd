"""Gradients of the arrays that a score_mod captures: a program gives those of the elements that are read, at each query
and key, for a part of the heads and queries at a time; these are added up in f32, in one order."""

import dataclasses
import math

import numpy as np

from .._arrays import adapters, evaluation, lazy_torch as torch
from .._call import cache, memory
from .._compiler import program_text
from .._compiler.program_text import listed
from .._trace import regions
from .._trace.captured_arguments import captured
from .._trace.expression import Graph
from .._trace.user_functions import Function
from .flex_attention_program import FlexAttention

#: Most elements of a program's result, unless one query alone has more.
MOST_ELEMENTS = 2**25
#: The indices that a part begins at, in the order of the program's last captures; one capture more is the number that
#: is added to the elements that are read.
_STARTS = "b", "h", "q_idx"


@dataclasses.dataclass(frozen=True)
class CapturedGradient:
    """One `sattn.flex_attention_dcapture`, of a part of a call: what a program is compiled for. scores: the
    FlexAttention of the part. number: the capture that is derived by."""

    scores: FlexAttention
    number: int

    def text(self):
        """The module: one function @flex_attention_dcapture, whose last argument is the result."""
        scores, given = self.scores, self.scores.arguments()
        given.types |= {"grad_out": scores.operands[3], "lse2": scores.row, "delta": scores.row}
        operands = " scale(%scale)\n      "
        operands += f"ins({listed(('q', 'k', 'v', 'grad_out', 'lse2', 'delta'), given.types)})"
        operands += scores.lists(given) + scores.captured(given)
        types = given.types | {"grad": f"tensor<?x?x?x?x{scores.wide}>"}
        return program_text.program(
            "flex_attention_dcapture", types, operands, [*scores.attributes(), f"number = {self.number} : i64"],
            outs=("grad",), names=given.names, constants=scores.constants, tail=scores.regions)


def _loads(function, number):
    """The nodes that read a captured array."""
    return [node for node in evaluation.in_order(function.result) if node.op == "load" and node.payload == number]


def _masked(mask, band, lengths):
    """The Function of a mask and of a band, which then counts from where the part begins; None: all is visible."""
    function = None if mask is None else mask.function
    if band is None:
        return function
    graph = Graph()
    node = band.node(graph, tuple(map(graph.constant, lengths)))
    if function is not None:
        node = graph.bitwise("and", function.result, node)
    return Function("mask_mod", node, () if function is None else function.captures, [], [])


def _parts(sizes, group, block):
    """(batch, first head, heads, first query, queries) of each part."""
    batch, heads, queries, keys = sizes
    rows = min(queries, max(1, MOST_ELEMENTS // max(1, keys * group)))
    if rows < queries:
        rows = max(rows // block, 1) * block
    together = group * max(1, min(heads // group, MOST_ELEMENTS // max(1, rows * keys * group)))
    for b in range(batch):
        for first_head in range(0, heads, together):
            for first in range(0, queries, rows):
                yield b, first_head, min(together, heads - first_head), first, min(rows, queries - first)


def _cut(array, part, group=1):
    """The part of an array with the dimensions (B or 1, H or 1, ...)."""
    b, first, count, *_ = part
    if array.shape[0] != 1:
        array = array[b:b + 1]
    else:
        array = array[:1]
    return array if array.shape[1] == 1 and group == 1 and count != 1 else array[:,
                                                                                 first // group:(first + count) // group]


def _add(total, gradient, load, part, keys, values, arrays, library):
    """Adds the gradients (1, heads, queries, keys) of what a node reads to the elements that it reads."""
    b, first_head, heads, first, queries = part
    starts = {"b": (b, 1), "h": (first_head, heads), "q_idx": (first, queries), "kv_idx": (0, keys)}
    names = [node.payload if node.op == "argument" else None for node in load.operands]
    order = list(starts)
    if None not in names and len(set(names)) == len(names):  # Positions themselves, which are those of a slice.
        rest = tuple(place for place, name in enumerate(order) if name not in names)
        gradient = gradient.sum(rest) if rest else gradient
        kept = [name for name in order if name in names]
        places = [kept.index(name) for name in names]
        gradient = gradient.transpose(places) if arrays is adapters.NUMPY else gradient.permute(places)
        slices = tuple(slice(starts[name][0], starts[name][0] + starts[name][1]) for name in names)
        total[slices] += gradient
        return
    positions = {}
    for place, name in enumerate(order):
        start, count = starts[name]
        own = np.arange(start, start + count, dtype=np.int32) if arrays is adapters.NUMPY else \
            library.module.arange(start, start + count, dtype=library.module.int32, device=arrays.device)
        positions[name] = own.reshape([count if place == own_place else 1 for own_place in range(4)])
    indices = []
    for node, size in zip(load.operands, total.shape):
        index = evaluation.evaluate(node, positions, values, library)
        index = library.module.where(index < 0, index + size, index)
        index = library.module.clip(index, 0, size - 1)
        indices.append(index.reshape((1,) * (4 - index.ndim) + tuple(index.shape)))
    shape = np.broadcast_shapes(*(tuple(index.shape) for index in indices))
    same = tuple(place for place in range(4) if shape[place] == 1)
    if arrays is adapters.NUMPY:
        np.add.at(total, tuple(indices), gradient.sum(same, keepdims=True))
    else:
        total.index_put_(tuple(index.long() for index in indices), gradient.sum(same, keepdim=True), accumulate=True)


class Call:
    """The inputs of the programs of one call: the Request, its source, its mask and where its numbers are computed."""

    def __init__(self, request, scores, target, arrays, mask, band):
        self.request, self.scores, self.target, self.arrays, self.mask = request, scores, target, arrays, mask
        lengths = request.query.shape[2], request.key.shape[2]
        self.function = _masked(mask, band, lengths)
        self.sizes = (*request.query.shape[:3], lengths[1])
        self.values = () if mask is None or mask.function is None else mask.values
        self.library = evaluation.library(arrays.device)

    def _wide_type(self):
        """The library's type of scores."""
        return getattr(self.library.module, "float64" if self.scores.wide == "f64" else "float32")

    def source(self, load):
        """The program for what a node reads."""
        score, scores = self.request.score, self.scores
        functions = [score] + [self.function] * (self.function is not None)
        types = [name for function in functions for own in regions.types_of(function.captures, scores.wide)
                 for name in own]
        count = len(types)
        types += [scores.wide] * 4
        moved = {name: count + place for place, name in enumerate(_STARTS)}
        approximate = scores.dtype in ("f16", "bf16")
        first = sum(map(len, regions.types_of(score.captures)))
        text = regions.text(score, 0, types, approximate, is_derived=True, moved=moved, varied=(load, count + 3),
                            wide=scores.wide)
        mask = "" if self.function is None else regions.text(self.function, first, types, approximate, moved=moved,
                                                                           wide=scores.wide)
        return CapturedGradient(dataclasses.replace(
            scores, score_mod=text, mask_mod=mask, band="", captures=tuple(types), names=()), count + 3)

    def gradient(self, number, grad_out, lse2, delta):
        """The gradient of a captured array, by its number among those of score_mod."""
        array, arrays = self.request.score_values[number], self.arrays
        of_array = adapters.NUMPY if isinstance(array, np.ndarray) else arrays
        module = self.library.module
        element = self._wide_type()
        total = np.zeros(array.shape, element) if arrays is adapters.NUMPY else \
            module.zeros(tuple(array.shape), dtype=element, device=arrays.device)
        for load in _loads(self.request.score, number):
            program = memory.with_memory(arrays, cache.program, self.source(load), self.target)
            for part in _parts(self.sizes, self.scores.group, self.scores.block_size[0] if self.scores.block_size
                               else 128):
                self._add_part(program, total, load, part, grad_out, lse2, delta)
        if of_array is adapters.NUMPY:
            return np.asarray(arrays.host(total)).astype(array.dtype)
        return total.to(device=array.device, dtype=array.dtype)

    def _add_part(self, program, total, load, part, grad_out, lse2, delta):
        request, arrays, mask = self.request, self.arrays, self.mask
        group = self.scores.group
        b, first_head, heads, first, queries = part
        rows = slice(first, first + queries)
        of_query = [_cut(array, part)[:, :, rows] for array in (request.query, grad_out, lse2, delta)]
        of_key = [_cut(array, part, group) for array in (request.key, request.value)]
        shape = 1, heads, queries, self.sizes[3]
        gradient = np.zeros(shape, self._wide_type()) if arrays is adapters.NUMPY else \
            request.query.new_zeros(shape, dtype=self._wide_type())
        passed = [] if self.scores.scale is not None else [request.scale]
        passed += map(arrays.passed, (of_query[0], *of_key, *of_query[1:]))
        if mask is not None and mask.lists is not None:
            blocks = slice(first // mask.block[0], -(-(first + queries) // mask.block[0]))
            for array, own in zip(mask.lists, (self.scores.partial,) * 2 + (self.scores.full,) * 2):
                if array is not None:
                    lead = array[:1] if own[0] else array[b:b + 1]
                    lead = lead if own[1] else lead[:, first_head:first_head + heads]
                    passed.append(arrays.passed(lead[:, :, blocks]))
        for function, values in ((request.score, request.score_values), (self.function, self.values)):
            if values:
                passed += captured(function, values, arrays, self.scores.wide)
        program._launch(*passed, b, first_head, first, 0.0, arrays.passed(gradient))
        _add(total, gradient, load, part, self.sizes[3], request.score_values, arrays, self.library)


def numbers(out, grad_out, lse, grad_lse, arrays):
    """(grad_out, without those of queries that see no key, lse2, delta) as `sattn.flex_attention_dcapture` takes
    them."""
    if arrays is adapters.NUMPY:
        is_none = np.isneginf(lse)
        with np.errstate(invalid="ignore"):
            lse2 = np.where(is_none, lse.dtype.type(np.inf), lse * lse.dtype.type(1 / math.log(2)))
        cleared = np.where(is_none[..., None], np.zeros((), grad_out.dtype), grad_out)
        delta = np.einsum("...d,...d->...", cleared.astype(lse.dtype), np.asarray(out).astype(lse.dtype))
        return cleared, lse2, delta if grad_lse is None else delta - np.where(is_none, lse.dtype.type(0), grad_lse)
    is_none = lse == -math.inf
    lse2 = torch.where(is_none, math.inf, lse * (1 / math.log(2)))
    cleared = torch.where(is_none[..., None], 0, grad_out)
    delta = (cleared.to(lse.dtype) * out.to(lse.dtype)).sum(-1)
    return cleared, lse2, delta if grad_lse is None else delta - torch.where(is_none, 0, grad_lse)
