"""The empty and full blocks of a mask, as far as bounds of its expression tell them: the least and greatest value in
each block, of captured vectors too. The bounds take one pass over vectors and a few operations on arrays of blocks:
nothing is compiled, no element of the mask is evaluated, and nothing waits for a device.
"""

import numpy as np

from .._arrays import evaluation
from .._trace import user_functions
from .._trace.expression import Graph, RANGES

#: The argument by whose position a dimension of the array of blocks goes.
_DIMENSIONS = {"q_idx": 0, "kv_idx": 1}
_FLIPPED = {"gt": "lt", "ge": "le"}


class _Unbounded(Exception):
    """An operation that has no bounds here."""


class _Integer:
    """Values of blocks: the least and the greatest one of each, arrays that broadcast to all blocks, and numbers that
    no block's is outside."""

    def __init__(self, low, high, least, most):
        self.low, self.high, self.least, self.most = low, high, least, most

    @property
    def constant(self):
        """The number that it is in every block. Raises _Unbounded for any other."""
        if self.least != self.most:
            raise _Unbounded
        return self.least


class _Condition:
    """Whether something holds in all of a block, and in any of it."""

    def __init__(self, all_, some):
        self.all, self.some = all_, some


class _Blocks:
    """Bounds of one mask's nodes."""

    def __init__(self, arrays, captures, values, lengths, block):
        self.arrays, self.module = arrays, arrays.module
        self.captures, self.values, self.lengths, self.block = captures, values, lengths, block
        self._found = {}

    def bounds(self, node):
        for here in evaluation.in_order(node):
            self._found[id(here)] = self._of(here, [self._found[id(operand)] for operand in here.operands])
        return self._found[id(node)]

    def _column(self, array, dimension):
        return array[:, None] if dimension == 0 else array[None, :]

    def _position(self, name):
        if name not in _DIMENSIONS:
            raise _Unbounded
        dimension = _DIMENSIONS[name]
        length, size = self.lengths[dimension], self.block[dimension]
        place = {} if self.module is np else {"device": self.arrays.device}
        low = self.module.arange(0, length, size, dtype=self.module.int32, **place)
        high = self.module.clip(low + (min(size, length) - 1), None, length - 1)
        return _Integer(self._column(low, dimension), self._column(high, dimension), 0, length - 1)

    def _vector(self, node):
        """Bounds of a captured vector that is read at the query or at the key."""
        array, index = self.values[node.payload], node.operands[0]
        if len(node.operands) != 1 or index.op != "argument" or index.payload not in _DIMENSIONS:
            raise _Unbounded
        dimension = _DIMENSIONS[index.payload]
        length, size = self.lengths[dimension], self.block[dimension]
        if node.dtype == "f32" or array.shape[0] < length:
            raise _Unbounded
        kind = "i32" if node.dtype == "i1" else node.dtype
        if self.module is not np:
            # A copy of NumPy's, which may have any strides.
            array = np.array(array) if isinstance(array, np.ndarray) else array
            array = self.module.as_tensor(array, device=self.arrays.device)
        array = self.arrays.cast(array[:length], kind)
        if self.module is np:
            first = np.arange(0, length, size)
            low, high = np.minimum.reduceat(array, first), np.maximum.reduceat(array, first)
        else:
            if length % size:  # Positions past the end repeat the last element.
                array = self.module.cat([array, array[-1:].expand(-length % size)])
            low, high = self.module.aminmax(array.view(-1, size), dim=1)
        low, high = self._column(low, dimension), self._column(high, dimension)
        return _Condition(low != 0, high != 0) if node.dtype == "i1" else _Integer(low, high, node.low, node.high)

    def _integer(self, one):
        """A condition as an integer, 0 or 1."""
        if isinstance(one, _Integer):
            return one
        if isinstance(one.all, bool):
            return _Integer(int(one.all), int(one.some), int(one.all), int(one.some))
        return _Integer(self.arrays.cast(one.all, "i32"), self.arrays.cast(one.some, "i32"), 0, 1)

    def _fitting(self, dtype, low, high, least, most):
        """Raises _Unbounded where a value may have wrapped."""
        if least < RANGES[dtype][0] or most > RANGES[dtype][1]:
            raise _Unbounded
        return _Integer(low, high, least, most)

    def _of(self, node, operands):
        op, dtype = node.op, node.dtype
        if dtype == "f32":
            raise _Unbounded
        if op == "argument":
            return self._position(node.payload)
        if op in ("constant", "number"):
            number = node.payload if op == "constant" else self.values[node.payload]
            number = int(number)
            if dtype == "i1":
                return _Condition(bool(number), bool(number))
            return _Integer(number, number, number, number)
        if op == "load":
            return self._vector(node)
        if op == "cast":
            one = self._integer(operands[0])
            return self._fitting(dtype, self._widened(one.low, dtype), self._widened(one.high, dtype), one.least,
                                 one.most)
        if op in ("lt", "le", "gt", "ge", "eq", "ne"):
            return self._comparison(op, *map(self._integer, operands))
        if dtype == "i1":
            if op in ("and", "or", "xor"):
                return self._logical(op, *operands)
            raise _Unbounded
        return self._arithmetic(op, dtype, operands)

    def _widened(self, array, dtype):
        return array if isinstance(array, int) else self.arrays.cast(array, dtype)

    def _comparison(self, op, left, right):
        if op in _FLIPPED:
            op, left, right = _FLIPPED[op], right, left
        if op == "lt":
            return _Condition(left.high < right.low, left.low < right.high)
        if op == "le":
            return _Condition(left.high <= right.low, left.low <= right.high)
        same = (left.low == left.high) & (right.low == right.high) & (left.low == right.low)
        meet = (left.low <= right.high) & (right.low <= left.high)
        return _Condition(same, meet) if op == "eq" else self._not(_Condition(same, meet))

    @staticmethod
    def _inverted(one):
        return not one if isinstance(one, bool) else ~one

    def _not(self, one):
        return _Condition(self._inverted(one.some), self._inverted(one.all))

    def _logical(self, op, left, right):
        if op == "and":
            return _Condition(left.all & right.all, left.some & right.some)
        if op == "or":
            return _Condition(left.all | right.all, left.some | right.some)
        for one, other in ((left, right), (right, left)):
            if isinstance(one.all, bool) and one.all == one.some:  # As `not` is written.
                return self._not(other) if one.all else other
        never = self._not(left), self._not(right)
        all_ = (left.all & never[1].all) | (never[0].all & right.all)
        none = (left.all & right.all) | (never[0].all & never[1].all)
        return _Condition(all_, self._inverted(none))

    def _arithmetic(self, op, dtype, operands):
        if op == "where":
            _, left, right = operands
            left, right = self._integer(left), self._integer(right)
            return _Integer(self._least(left.low, right.low), self._greatest(left.high, right.high),
                            min(left.least, right.least), max(left.most, right.most))
        one, *others = map(self._integer, operands)
        if op == "neg":
            return self._fitting(dtype, -one.high, -one.low, -one.most, -one.least)
        if op == "abs":
            nearest = self._greatest(self._greatest(one.low, -one.high), 0)
            return self._fitting(dtype, nearest, self._greatest(one.high, -one.low), 0,
                                 max(abs(one.least), abs(one.most)))
        if len(others) != 1:
            raise _Unbounded
        other, = others
        if op == "add":
            return self._fitting(dtype, one.low + other.low, one.high + other.high, one.least + other.least,
                                 one.most + other.most)
        if op == "sub":
            return self._fitting(dtype, one.low - other.high, one.high - other.low, one.least - other.most,
                                 one.most - other.least)
        if op in ("min", "max"):
            choose, host = (self._least, min) if op == "min" else (self._greatest, max)
            return _Integer(choose(one.low, other.low), choose(one.high, other.high), host(one.least, other.least),
                            host(one.most, other.most))
        if op == "mul":
            if one.least == one.most:
                one, other = other, one
            factor = other.constant
            low, high, least, most = (end * factor for end in (one.low, one.high, one.least, one.most))
            if factor < 0:
                low, high, least, most = high, low, most, least
            return self._fitting(dtype, low, high, least, most)
        if op in ("floordiv", "mod") and other.constant > 0:
            size = other.constant
            if size > RANGES["i32"][1]:
                raise _Unbounded
            quotient = _Integer(one.low // size, one.high // size, one.least // size, one.most // size)
            if op == "floordiv":
                return quotient
            if isinstance(one.low, int):
                return _Integer(*[one.constant % size] * 4)
            # Within one multiple the remainder rises.
            is_one = quotient.low == quotient.high
            return _Integer((one.low % size) * is_one,
                            self._greatest(one.high % size, (size - 1) * self._inverted(is_one)), 0, size - 1)
        raise _Unbounded

    def _least(self, left, right):
        return self._chosen("minimum", left, right)

    def _greatest(self, left, right):
        return self._chosen("maximum", left, right)

    def _chosen(self, name, left, right):
        if isinstance(left, int) and isinstance(right, int):
            return min(left, right) if name == "minimum" else max(left, right)
        if isinstance(left, int):
            left, right = right, left
        if not isinstance(right, int):
            return getattr(self.module, name)(left, right)
        return self.module.clip(left, None, right) if name == "minimum" else self.module.clip(left, right, None)


def within(function, band, lengths):
    """The expression of a mask's function that a Band, or None, restricts. lengths: (queries, keys)."""
    if band is None:
        return function.result
    graph = Graph()
    return graph.bitwise("and", function.result, band.node(graph, tuple(map(graph.constant, lengths))))


def visible(function, values, band, lengths, block, device=None):
    """(blocks of which any element may be visible, those of which all are), arrays of booleans (1, 1, blocks of
    queries, blocks of keys) in NumPy or on a device; None where bounds say nothing of some part of the mask.

    A block of the first array may be empty, and one that is wholly visible may be missing in the second: correlations
    of two parts of the expression do not count. function, values, band, lengths, block: as mask_lists.counts has them.
    """
    if function.needs_batch or function.needs_head:
        return None
    arrays = evaluation.library(device)
    if device is None:
        values = user_functions.host_arrays(values)
    try:
        found = _Blocks(arrays, function.captures, values, lengths, block).bounds(within(function, band, lengths))
    except _Unbounded:
        return None
    shape = tuple(-(-length // size) for length, size in zip(lengths, block))
    return tuple(arrays.module.broadcast_to(arrays.of(one, "i1") if isinstance(one, bool) else one, shape)[None, None]
                 for one in (found.some, found.all))
