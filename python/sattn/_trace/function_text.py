"""Serializes traced functions to text and back: an operation of PyTorch takes the text in the place of a score_mod.

Equal expressions are equal text, whatever function they came from, so that those share kernels, too. The text holds for
any process: exported programs keep it.
"""

import functools
import json

from .._arrays.evaluation import in_order
from .readers import Capture
from .expression import Node, RANGES
from .user_functions import Function


def serialize(function):
    """The text that represents a Function, in JSON."""
    nodes, places = [], {}
    for node in in_order(function.result):
        places[id(node)] = len(nodes)
        bounds = None if (node.low, node.high) == RANGES[node.dtype] else (node.low, node.high)
        nodes.append((node.op, node.dtype, [places[id(operand)] for operand in node.operands], node.payload, bounds))
    captures = [(capture.kind, capture.name, capture.element, capture.rank, capture.dimension)
                for capture in function.captures]
    return json.dumps([function.kind, captures, nodes])


@functools.lru_cache(4096)
def deserialize(text):
    """The Function that a text represents, without the values of its captures."""
    kind, captures, described = json.loads(text)
    nodes = []
    for op, dtype, operands, payload, bounds in described:
        nodes.append(Node(op, dtype, tuple(nodes[place] for place in operands), payload, bounds or RANGES[dtype]))
    captures = [Capture(own, name, -1, element, rank, dimension) for own, name, element, rank, dimension in captures]
    return Function(kind, nodes[-1], captures, [], [])


def values_of(function, arrays, floats, integers):
    """The captures' values, out of iterators over those of each kind."""
    return [next(arrays if capture.kind == "array" else floats if capture.kind == "float" else integers)
            for capture in function.captures]
