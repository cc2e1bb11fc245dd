"""Expressions of elements: what a score_mod or a mask_mod computes of one score.

They are built with Python's and PyTorch's rules (promotion, rounding of negatives), so that the text of a kernel
(_region.py) and the values of arrays (_evaluation.py) have one meaning.
"""

import math

import numpy as np

#: Element types, narrow ones first: an operation on two has the wider one.
TYPES = "i1", "i32", "i64", "f32"
RANGES = {"i1": (0, 1), "i32": (-2**31, 2**31 - 1), "i64": (-2**63, 2**63 - 1), "f32": (-math.inf, math.inf)}
#: Positions and numbers of heads are at most this.
MOST = 2**30
COMPARISONS = {"lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge", "eq": "eq", "ne": "ne"}
#: Functions of one f32.
FUNCTIONS = "exp", "exp2", "log", "log2", "sqrt", "tanh", "sin", "cos", "floor", "ceil", "round"


class Node:
    """An operation on elements. Equal nodes are one object of their Graph.

    op: its name; of leaves "argument", "constant", "number" (captured) and "load" (from a captured array). dtype: of
    TYPES. operands: nodes. payload: a leaf's constant, name or number of a capture. low, high: bounds of its value.
    """

    __slots__ = ("op", "dtype", "operands", "payload", "low", "high")

    def __init__(self, op, dtype, operands, payload, bounds):
        self.op, self.dtype, self.operands, self.payload = op, dtype, operands, payload
        self.low, self.high = bounds

    def leaves(self):
        """The nodes without operands, each once."""
        seen, stack = {id(self)}, [self]
        while stack:
            node = stack.pop()
            if not node.operands:
                yield node
            for operand in node.operands:
                if id(operand) not in seen:
                    seen.add(id(operand))
                    stack.append(operand)


def depends_on(node, name):
    """Whether an expression depends on the argument of this name."""
    return any(leaf.op == "argument" and leaf.payload == name for leaf in node.leaves())


class Graph:
    """The nodes of one function."""

    def __init__(self):
        self._nodes = {}

    def node(self, op, dtype, *operands, payload=None, bounds=None):
        """payload: hashable; numbers of other types or signs of zero are told apart by their text."""
        key = op, dtype, tuple(map(id, operands)), repr(payload)
        found = self._nodes.get(key)
        if found is None:
            low, high = RANGES[dtype]
            if bounds is not None and low <= bounds[0] and bounds[1] <= high:  # Else it may wrap.
                low, high = bounds
            found = self._nodes[key] = Node(op, dtype, operands, payload, (low, high))
        return found

    def position(self, name):
        """An argument that is a position or the number of a batch or head."""
        return self.node("argument", "i32", payload=name, bounds=(0, MOST))

    def constant(self, value, dtype=None):
        """A node of a Python number. Raises OverflowError for an integer of more than 64 bits."""
        if dtype is None:
            if isinstance(value, bool):
                dtype = "i1"
            elif isinstance(value, int):
                dtype = next((name for name in ("i32", "i64") if RANGES[name][0] <= value <= RANGES[name][1]), None)
                if dtype is None:
                    raise OverflowError
            else:
                dtype = "f32"
        value = float(np.float32(value)) if dtype == "f32" else int(value)
        return self.node("constant", dtype, payload=value, bounds=None if dtype == "f32" else (value, value))

    def cast(self, node, dtype):
        """As PyTorch's `to`: a float becomes an integer towards zero, a number a boolean by whether it is not 0."""
        if node.dtype == dtype:
            return node
        if node.op == "constant":
            if dtype == "i1":
                return self.constant(node.payload != 0, "i1")
            if dtype == "f32" or node.dtype != "f32" and RANGES[dtype][0] <= node.payload <= RANGES[dtype][1]:
                return self.constant(node.payload, dtype)
        if dtype == "i1":
            return self.compare("ne", node, self.constant(0, node.dtype))
        bounds = None if "f32" in (node.dtype, dtype) else (node.low, node.high)
        return self.node("cast", dtype, node, bounds=bounds)

    def rounded(self, node, dtype):
        """An f32 rounded to "f16" or "bf16"."""
        return self.node("rounded", "f32", self.cast(node, "f32"), payload=dtype)

    def promoted(self, *nodes, least="i1"):
        """The nodes in the widest type of them and `least`."""
        dtype = TYPES[max(TYPES.index(name) for name in (least, *(node.dtype for node in nodes)))]
        return [self.cast(node, dtype) for node in nodes]

    def compare(self, how, left, right):
        left, right = self.promoted(left, right)
        return self.node(how, "i1", left, right)

    def bitwise(self, op, left, right):
        left, right = self.promoted(left, right)
        bounds = None
        if op == "and" and min(left.low, right.low) >= 0:
            bounds = 0, min(left.high, right.high)
        elif op == "and" and right.op == "constant" and right.payload >= 0:
            bounds = 0, right.payload
        return self.node(op, left.dtype, left, right, bounds=bounds)

    def shift(self, op, left, amount):
        left, amount = self.promoted(left, amount, least="i32")
        bounds = None
        if op == "shr" and left.low >= 0:
            bounds = 0, left.high
        return self.node(op, left.dtype, left, amount, bounds=bounds)

    def arithmetic(self, op, left, right):
        """add, sub, mul, min, max."""
        left, right = self.promoted(left, right, least="i1" if op in ("min", "max") else "i32")
        ends = [(left.low, right.low), (left.low, right.high), (left.high, right.low), (left.high, right.high)]
        bounds = None
        if left.dtype != "f32":
            values = [{"add": a + b, "sub": a - b, "mul": a * b, "min": min(a, b), "max": max(a, b)}[op] for a, b in ends]
            bounds = min(values), max(values)
        return self.node(op, left.dtype, left, right, bounds=bounds)

    def divide(self, left, right):
        """True division."""
        return self.node("div", "f32", *self.promoted(left, right, least="f32"))

    def floor_divide(self, left, right):
        left, right = self.promoted(left, right, least="i32")
        if left.dtype == "f32":
            return self.function("floor", self.divide(left, right))
        bounds = (0, left.high) if left.low >= 0 and right.low >= 0 else None
        return self.node("floordiv", left.dtype, left, right, bounds=bounds)

    def remainder(self, left, right):
        """Of floor division, with the sign of the divisor."""
        left, right = self.promoted(left, right, least="i32")
        if left.dtype == "f32":
            whole = self.function("floor", self.divide(left, right))
            return self.arithmetic("sub", left, self.arithmetic("mul", right, whole))
        bounds = (0, right.high) if right.low >= 0 else None
        return self.node("mod", left.dtype, left, right, bounds=bounds)

    def negate(self, node):
        node, = self.promoted(node, least="i32")
        return self.node("neg", node.dtype, node, bounds=(-node.high, -node.low))

    def absolute(self, node):
        node, = self.promoted(node, least="i32")
        most = max(abs(node.low), abs(node.high))
        return self.node("abs", node.dtype, node, bounds=(0, most))

    def invert(self, node):
        ones = self.constant(node.dtype == "i1" or -1, node.dtype)
        return self.node("xor", node.dtype, node, ones)

    def where(self, condition, left, right):
        left, right = self.promoted(left, right)
        bounds = min(left.low, right.low), max(left.high, right.high)
        return self.node("where", left.dtype, self.cast(condition, "i1"), left, right, bounds=bounds)

    def function(self, name, node):
        return self.node(name, "f32", self.cast(node, "f32"))

    def power(self, base, exponent):
        """base ** exponent: products for constant integers, else 2 ** (exponent * log2(base)), NaN for base < 0."""
        number = exponent.payload if exponent.op == "constant" else None
        if number is not None and number == int(number if math.isfinite(number) else 0) and abs(number) <= 64:
            if exponent.dtype == "f32" or number < 0:
                base = self.cast(base, "f32")
            result, square, rest = self.constant(1, base.dtype), base, abs(int(number))
            while rest:
                if rest & 1:
                    result = square if result.op == "constant" else self.arithmetic("mul", result, square)
                rest >>= 1
                if rest:
                    square = self.arithmetic("mul", square, square)
            return result if number >= 0 else self.divide(self.constant(1.0), result)
        if number in (0.5, -0.5):
            root = self.function("sqrt", base)
            return root if number > 0 else self.divide(self.constant(1.0), root)
        if base.op == "constant" and base.payload > 0:
            log = self.constant(math.log2(base.payload))
        else:
            log = self.function("log2", base)
        return self.function("exp2", self.arithmetic("mul", self.cast(exponent, "f32"), log))
