"""Expressions of elements: what a score_mod or a mask_mod computes of one score.

They are built with the rules of NumPy and PyTorch (promotion, wrapping, rounding of negatives), so that the text of a
kernel (_trace/regions.py) and the values of arrays (_arrays/evaluation.py) have one meaning.
"""

import math

import numpy as np

from .element_types import RANGES, is_wide, promoted_type, wrapped

__all__ = ["COMPARISONS", "FUNCTIONS", "MOST", "RANGES", "Graph", "Node", "depends_on"]

#: Positions and numbers of heads are at most this.
MOST = 2**30
COMPARISONS = {"lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge", "eq": "eq", "ne": "ne"}
#: Functions of one f32.
FUNCTIONS = "exp", "exp2", "expm1", "log", "log2", "log1p", "sqrt", "tanh", "sin", "cos", "erf"
#: Functions of one f32 that give whole numbers, and integers as they are.
WHOLE = "floor", "ceil", "round", "trunc"
#: Exponents up to this are products.
MOST_PRODUCTS = 8


class Node:
    """An operation on elements. Equal nodes are one object of their Graph.

    op: its name; of leaves "argument", "constant", "number" (captured) and "load" (from a captured array). dtype: how
    it is computed, "i1", "i32", "i64" or "f32". operands: nodes. payload: a leaf's constant, name or number of a
    capture.
    low, high: bounds of its value; finite ones of a float say that it is a number. type: what it is to NumPy and
    PyTorch (_trace/element_types.py), while the expression is built; whatever its type, its value lies in the type's
    range.
    """

    __slots__ = ("op", "dtype", "operands", "payload", "low", "high", "type")

    def __init__(self, op, dtype, operands, payload, bounds, type=None):
        self.op, self.dtype, self.operands, self.payload = op, dtype, operands, payload
        self.low, self.high = bounds
        self.type = type or dtype

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


def _is_finite(*nodes):
    return all(math.isfinite(node.low) and math.isfinite(node.high) for node in nodes)


def _fits(bounds, type):
    return bounds is not None and RANGES[type][0] <= bounds[0] and bounds[1] <= RANGES[type][1]


class Graph:
    """The nodes of one function."""

    def __init__(self):
        self._nodes = {}

    def node(self, op, dtype, *operands, payload=None, bounds=None, type=None):
        """payload: hashable; numbers of other types or signs of zero are told apart by their text."""
        if type is None:
            # Python's own integers have the type of what they meet.
            type = "int" if op == "number" and dtype != "f32" else dtype
        key = op, dtype, tuple(map(id, operands)), repr(payload), type
        found = self._nodes.get(key)
        if found is None:
            low, high = RANGES[dtype]
            if _fits(bounds, dtype):  # Else it may wrap.
                low, high = bounds
            found = self._nodes[key] = Node(op, dtype, operands, payload, (low, high), type)
        return found

    def position(self, name):
        """An argument that is a position or the number of a batch or head."""
        return self.node("argument", "i32", payload=name, bounds=(0, MOST))

    def constant(self, value, type=None):
        """A node of a number: without a type one of Python's. Raises OverflowError for an integer of more than 64
        bits."""
        if type is None:
            type = "i1" if isinstance(value, bool) else "int" if isinstance(value, int) else "f32"
        if type == "f32":
            with np.errstate(over="ignore"):
                value = float(np.float32(value))
            bounds = (value, value) if math.isfinite(value) else None
            return self.node("constant", "f32", payload=value, bounds=bounds)
        value = int(value)
        if not RANGES["i64"][0] <= value <= RANGES["i64"][1]:
            raise OverflowError
        return self.node("constant", self._dtype(type, (value, value)), payload=value, bounds=(value, value), type=type)

    def _dtype(self, type, bounds, operands=()):
        """How values of a type are computed: types of more than 32 bits in i32 where bounds say that it holds them."""
        if not is_wide(type):
            return type if type in ("i1", "f32") else "i32"
        is_narrow = _fits(bounds, "i32") and all(node.dtype in ("i1", "i32") for node in operands)
        return "i32" if is_narrow else "i64"

    def _in(self, node, dtype):
        """The node's value, computed as `dtype`."""
        if node.dtype == dtype:
            return node
        if node.op == "constant":
            if dtype == "f32":
                return self.constant(node.payload, "f32")
            if node.dtype != "f32":
                value = wrapped(node.payload, dtype)
                return self.node("constant", dtype, payload=value, bounds=(value, value), type=node.type)
        bounds = (node.low, node.high)
        if dtype == "f32":
            bounds = tuple(float(np.float32(end)) for end in bounds)
        elif node.dtype == "f32":
            bounds = tuple(map(math.trunc, bounds)) if _is_finite(node) else None
        return self.node("cast", dtype, node, bounds=bounds)

    def _wrapped(self, node, type):
        """An integer that was computed as the type is, in the type's range."""
        if node.type == type or node.dtype == "f32":
            return node
        bounds = (node.low, node.high)
        if type in ("int", "i64") or _fits(bounds, type):
            if node.op == "constant":
                return self.node("constant", node.dtype, payload=node.payload, bounds=bounds, type=type)
            return self.node("cast", node.dtype, node, bounds=bounds, type=type)
        if type == "i32":
            return self._in(node, "i32")
        if type == "u32":
            node = self._in(node, "i64")
        return self.node("wrap", node.dtype, node, payload=type, bounds=RANGES[type], type=type)

    def _computed(self, op, type, operands, bounds=None):
        """An operation on integers whose result has a type. bounds: of its exact value. Raises OverflowError where
        integers of Python's alone may give one of more than 64 bits."""
        if type == "int" and not _fits(bounds, "int"):
            raise OverflowError
        dtype = self._dtype(type, bounds, operands)
        operands = [self._in(node, dtype) for node in operands]
        if type in ("i1", "i32", "i64", "int") or _fits(bounds, type):
            return self.node(op, dtype, *operands, bounds=bounds, type=type)
        return self._wrapped(self.node(op, dtype, *operands, bounds=bounds), type)

    def cast(self, node, type):
        """As `astype` and `to`: a float becomes an integer towards zero, an integer wraps, a number becomes a boolean
        by whether it is not 0."""
        if node.type == type:
            return node
        if type == "i1":
            if node.op == "constant":
                return self.constant(node.payload != 0, "i1")
            return self.compare("ne", node, self.constant(0, "f32" if node.dtype == "f32" else "int"))
        if type == "f32":
            return self._in(node, "f32")
        if node.op == "constant" and node.dtype != "f32":
            return self.constant(wrapped(node.payload, type), type)
        if node.op == "constant" and _is_finite(node) and _fits((node.low, node.high), type):
            return self.constant(math.trunc(node.payload), type)
        if node.dtype == "f32":
            bounds = tuple(map(math.trunc, (node.low, node.high))) if _is_finite(node) else None
            return self._wrapped(self._in(node, self._dtype(type, bounds)), type)
        if is_wide(type):
            dtype = node.dtype
            if dtype == "i1" or dtype == "i32" and type == "u32" and node.low < 0:
                dtype = "i32" if dtype == "i1" else "i64"
        else:
            dtype = "i32"
        return self._wrapped(self._in(node, dtype), type)

    def rounded(self, node, type):
        """An f32 rounded to "f16" or "bf16"."""
        return self.node("rounded", "f32", self.cast(node, "f32"), payload=type)

    def promoted(self, *nodes, least="i1", keeps_int=True):
        """(the type that NumPy and PyTorch compute the nodes in, the nodes with values in its range)."""
        type = promoted_type(*(node.type for node in nodes), least=least, keeps_int=keeps_int)
        return type, [self.cast(node, type) if type in ("f32", "i1") or not _fits((node.low, node.high), type) else node
                      for node in nodes]

    def compare(self, how, left, right):
        """A comparison, which is exact for integers of any types."""
        if "f32" in (left.dtype, right.dtype):
            dtype = "f32"
        elif left.dtype == right.dtype == "i1":
            dtype = "i1"
        else:
            dtype = "i64" if "i64" in (left.dtype, right.dtype) else "i32"
        return self.node(how, "i1", self._in(left, dtype), self._in(right, dtype))

    def bitwise(self, op, left, right):
        type, (left, right) = self.promoted(left, right)
        bounds = None
        if op == "and" and min(left.low, right.low) >= 0:
            bounds = 0, min(left.high, right.high)
        elif op == "and" and right.op == "constant" and right.payload >= 0:
            bounds = 0, right.payload
        elif type != "i1":
            bits = max(end.bit_length() for node in (left, right) for end in (node.high, ~node.low))
            bounds = 0 if min(left.low, right.low) >= 0 else -2**bits, 2**bits - 1
        return self._computed(op, type, (left, right), bounds)

    def shift(self, op, left, amount):
        """A shift; by an amount below 0, or of the type's bits or more, all bits are shifted out."""
        type, (left, amount) = self.promoted(left, amount, least="i8")
        if op == "shr":
            return self._computed(op, type, (left, amount), (min(left.low, -1 if left.low < 0 else 0),
                                                             max(left.high, 0)))
        bounds = None
        if 0 <= amount.low and amount.high < 64:
            ends = [value << shift for value in (left.low, left.high) for shift in (amount.low, amount.high)]
            bounds = min(ends), max(ends)
        return self._computed(op, type, (left, amount), bounds)

    def arithmetic(self, op, left, right, payload=None):
        """add, sub, mul; min and max, which give NaN where one is, fmin and fmax, which give the other. payload: of min
        and max of floats, "bound" where `right` is the bound of a relu or clamp, whose derivative is 0 on it, not a
        half."""
        type, (left, right) = self.promoted(left, right)
        if type == "i1":
            # The sum of two booleans is one, too.
            return self.bitwise({"add": "or", "mul": "and", "min": "and", "fmin": "and"}.get(op, "or"), left, right)
        if type != "f32":
            op = op.removeprefix("f")
        elif op not in ("add", "sub", "mul"):
            return self.node(op, "f32", left, right, payload=payload)
        bounds = None
        if _is_finite(left, right):
            ends = [(left.low, right.low), (left.low, right.high), (left.high, right.low), (left.high, right.high)]
            values = [{"add": a + b, "sub": a - b, "mul": a * b, "min": min(a, b), "max": max(a, b)}[op]
                      for a, b in ends]
            bounds = min(values), max(values)
        if type == "f32":
            return self.node(op, "f32", left, right, bounds=_rounded_bounds(bounds))
        return self._computed(op, type, (left, right), bounds)

    def detached(self, node):
        """The value of a node, which has no derivative. Only that of a float has one."""
        return self.node("detached", "f32", node, bounds=(node.low, node.high)) if node.dtype == "f32" else node

    def fma(self, left, right, other):
        """left * right + other of floats, rounded once."""
        return self.node("fma", "f32", left, right, self.cast(other, "f32"))

    def divide(self, left, right):
        """True division."""
        left, right = self.cast(left, "f32"), self.cast(right, "f32")
        bounds = None
        if _is_finite(left, right) and right.low == right.high != 0:
            ends = left.low / right.low, left.high / right.low
            bounds = _rounded_bounds((min(ends), max(ends)))
        return self.node("div", "f32", left, right, bounds=bounds)

    def fmod(self, left, right):
        """The remainder that has the sign of `left`."""
        type, (left, right) = self.promoted(left, right, least="i8")
        if type == "f32":
            if right.op == "constant" and 1 <= right.payload <= 2**64 and math.frexp(right.payload)[0] == 0.5:
                # Exact, and no division: what is divided by a power of 2 keeps its digits.
                whole = self.function("trunc", self.arithmetic("mul", left, self.constant(1 / right.payload)))
                return self.arithmetic("sub", left, self.arithmetic("mul", whole, right))
            return self.node("fmod", "f32", left, right)
        rest = self.remainder(left, right)
        is_moved = self._is_moved(rest, left)
        return self.where(is_moved, self.cast(self.arithmetic("sub", rest, right), type), rest)

    def _is_moved(self, rest, other):
        """Whether a remainder is not 0 and has another sign than `other`."""
        zero = self.constant(0, "f32" if rest.dtype == "f32" else "int")
        differ = self.bitwise("xor", self.compare("lt", rest, zero), self.compare("lt", other, zero))
        return self.bitwise("and", self.compare("ne", rest, zero), differ)

    def floor_divide(self, left, right):
        type, (left, right) = self.promoted(left, right, least="i8")
        if type == "f32":
            # As Python, NumPy and PyTorch do it: of the remainder, since the quotient may round up to an integer.
            if right.op == "constant" and right.payload == 1:
                return self.function("floor", left)
            zero = self.constant(0.0)
            rest = self.fmod(left, right)
            whole = self.divide(self.arithmetic("sub", left, rest), right)
            whole = self.where(self._is_moved(rest, right), self.arithmetic("sub", whole, self.constant(1.0)), whole)
            floor = self.function("floor", whole)
            is_above = self.compare("gt", self.arithmetic("sub", whole, floor), self.constant(0.5))
            floor = self.where(is_above, self.arithmetic("add", floor, self.constant(1.0)), floor)
            return self.where(self.compare("eq", right, zero), self.divide(left, right), floor)
        most = max(abs(left.low), abs(left.high))
        bounds = (0, left.high) if left.low >= 0 and right.low >= 0 else (-most, most)
        return self._computed("floordiv", type, (left, right), bounds)

    def remainder(self, left, right):
        """The remainder of floor division, with the sign of the divisor."""
        type, (left, right) = self.promoted(left, right, least="i8")
        if type == "f32":
            rest = self.fmod(left, right)
            return self.where(self._is_moved(rest, right), self.arithmetic("add", rest, right), rest)
        bounds = min(right.low + 1, 0), max(right.high - 1, 0)
        if left.low >= 0 and right.low >= 0:
            bounds = 0, min(left.high, bounds[1])
        return self._computed("mod", type, (left, right), bounds)

    def truncated_divide(self, left, right):
        type, (left, right) = self.promoted(left, right, least="i8")
        if type == "f32":
            return self.function("trunc", self.divide(left, right))
        rest, whole = self.remainder(left, right), self.floor_divide(left, right)
        return self.where(self._is_moved(rest, left), self.cast(self.arithmetic("add", whole, self.constant(1)), type),
                          whole)

    def negate(self, node):
        if node.dtype == "f32":
            return self.node("neg", "f32", node, bounds=(-node.high, -node.low))
        return self._computed("neg", node.type, (node,), (-node.high, -node.low))

    def absolute(self, node):
        if node.dtype == "i1":
            return node
        ends = abs(node.low), abs(node.high)
        bounds = 0 if node.low <= 0 <= node.high else min(ends), max(ends)
        if node.dtype == "f32":
            return self.node("abs", "f32", node, bounds=bounds)
        return self._computed("abs", node.type, (node,), bounds)

    def invert(self, node):
        if node.dtype == "i1":
            return self.node("xor", "i1", node, self.constant(True))
        return self._computed("xor", node.type, (node, self.constant(-1)), (~node.high, ~node.low))

    def sign(self, node):
        """-1, 0 or 1; of NaN NaN."""
        if node.dtype == "i1":
            return node
        zero = self.constant(0, node.type)
        low = zero if node.type[0] == "u" else self.where(self.compare("lt", node, zero), self.constant(-1, node.type),
                                                          # A float's, whose derivative is 0: 0 or NaN.
                                                          self.function("trunc", node) if node.dtype == "f32" else zero)
        return self.where(self.compare("gt", node, zero), self.constant(1, node.type), low)

    def where(self, condition, left, right):
        type, (left, right) = self.promoted(left, right, keeps_int=False)
        condition = self.cast(condition, "i1")
        bounds = min(left.low, right.low), max(left.high, right.high)
        if type in ("f32", "i1"):
            return self.node("where", type, condition, left, right, bounds=bounds)
        dtype = self._dtype(type, bounds, (left, right))
        return self.node("where", dtype, condition, self._in(left, dtype), self._in(right, dtype), bounds=bounds,
                         type=type)

    def function(self, name, node):
        """Applies a function of FUNCTIONS or WHOLE."""
        if name in WHOLE:
            if node.dtype != "f32":
                return node
            rounds = {"floor": math.floor, "ceil": math.ceil, "round": round, "trunc": math.trunc}[name]
            bounds = tuple(float(rounds(end)) for end in (node.low, node.high)) if _is_finite(node) else None
            return self.node(name, "f32", node, bounds=bounds)
        return self.node(name, "f32", self.cast(node, "f32"))

    def power(self, base, exponent):
        """base ** exponent: of two integers an integer; where its exponent is negative it is 0, unless the base is 1 or
        -1."""
        type = promoted_type(base.type, exponent.type, least="i8")
        number = exponent.payload if exponent.op == "constant" else None
        if type == "f32":
            return self._float_power(self.cast(base, "f32"), self.cast(exponent, "f32"), number)
        if number is not None:
            return self._product(self.cast(base, type), int(number))
        base, exponent = self.cast(base, type), self.cast(exponent, type)
        one, zero = self.constant(1, type), self.constant(0, type)
        result, square = one, base
        for bit in range(max(exponent.high, 0).bit_length()):
            is_set = self.cast(self.bitwise("and", exponent, self.constant(1 << bit, type)), "i1")
            result = self.where(is_set, self.arithmetic("mul", result, square), result)
            square = self.arithmetic("mul", square, square)
        if exponent.low >= 0:
            return result
        is_odd = self.cast(self.bitwise("and", exponent, one), "i1")
        minus = self.constant(-1, type)
        inverse = self.where(self.compare("eq", base, minus), self.where(is_odd, minus, one),
                             self.where(self.compare("eq", base, one), one, zero))
        return self.where(self.compare("lt", exponent, zero), inverse, result)

    def _product(self, base, exponent):
        result, square = self.constant(1, base.type), base
        while exponent:
            if exponent & 1:
                result = square if result.op == "constant" else self.arithmetic("mul", result, square)
            exponent >>= 1
            if exponent:
                square = self.arithmetic("mul", square, square)
        return result

    def _float_power(self, base, exponent, number):
        if number is not None and abs(number) <= MOST_PRODUCTS and number == int(number):
            result = self._product(base, abs(int(number)))
            return result if number >= 0 else self.divide(self.constant(1.0), result)
        if number in (0.5, -0.5):
            root = self.function("sqrt", base)
            return root if number > 0 else self.divide(self.constant(1.0), root)
        if base.op == "constant" and base.payload == 2:
            return self.function("exp2", exponent)
        return self.node("pow", "f32", base, exponent)


def _rounded_bounds(bounds):
    """Bounds of a result in f32, where it is a number for sure."""
    if bounds is None:
        return None
    with np.errstate(over="ignore"):
        bounds = tuple(float(np.float32(end)) for end in bounds)
    return bounds if all(map(math.isfinite, bounds)) else None
