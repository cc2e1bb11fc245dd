"""The least and the greatest elements that blocks of queries and of keys read of what a mask captures, on a GPU."""

from .._arrays import evaluation, lazy_torch as torch
from .._trace.captured_kinds import PASSED
from .._trace.expression import depends_on


def bounded(function):
    """Numbers of the captures that have bounds: vectors of integers that the query or the key alone indexes, where no
    other capture depends on either."""
    found = set()
    for node in evaluation.in_order(function.result):
        if node.op != "load" or not any(depends_on(node, name) for name in ("q_idx", "kv_idx")):
            continue
        capture = function.captures[node.payload]
        if len(node.operands) != 1 or node.operands[0].op != "argument" or PASSED[capture.element] not in ("i8", "i32",
                                                                                                           "i64"):
            return ()
        found.add(node.payload)
    return tuple(sorted(found))


def type_of(capture):
    """The type of a capture's bounds."""
    return "i64" if PASSED[capture.element] == "i64" else "i32"


def bounds(vector, lengths, block):
    """[the least and the greatest element of each block of queries, those of each block of keys], of a tensor as
    kernels get it.
    lengths, block: of (queries, keys). What is past the vector's end is its last element."""
    found = []
    for place, (length, size) in enumerate(zip(lengths, block)):
        if place == 0 or (length, size) != (lengths[0], block[0]):
            found += _of_blocks(vector, -(-length // size), size)
    return found if len(found) == 4 else found * 2


def _of_blocks(vector, number, size):
    vector = vector[:number * size]
    if len(vector) < number * size:
        vector = torch.cat([vector, vector[-1:].expand(number * size - len(vector))])
    least, greatest = torch.aminmax(vector.reshape(number, size), dim=1)
    return (least.int(), greatest.int()) if vector.dtype == torch.int8 else (least, greatest)
