"""Values of expressions (_trace/expression.py) for arrays of positions, in NumPy or PyTorch."""

import math
import operator

import numpy as np

from . import lazy_torch as torch

_OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "lt": operator.lt, "le": operator.le,
              "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne, "and": operator.and_,
              "or": operator.or_, "xor": operator.xor, "neg": operator.neg, "abs": operator.abs,
              "div": operator.truediv}
#: Operations that the libraries have under other names.
_NAMES = {"min": "minimum", "max": "maximum"}


class _Numpy:
    """NumPy, and its forms of the functions that differ between the two libraries."""

    module, device = np, None
    types = {"i1": np.bool_, "i32": np.int32, "i64": np.int64, "f32": np.float32, "f16": np.float16,
             "f64": np.float64}
    erf = staticmethod(np.vectorize(math.erf, otypes=[np.float32]))  # NumPy has none.
    pow = staticmethod(np.power)

    def cast(self, array, dtype):
        if dtype == "bf16":
            import ml_dtypes

            return array.astype(ml_dtypes.bfloat16)
        return array.astype(self.types[dtype])

    def of(self, value, dtype):
        return np.asarray(value, self.types[dtype])

    def load(self, array, indices):
        # bool of captured arrays is kept as it is.
        return np.asarray(array)[indices]


class _Torch:
    """PyTorch with the same functions, for tensors on a device."""

    module = torch

    def __init__(self, device):
        self.device = device
        self.types = {"i1": torch.bool, "i32": torch.int32, "i64": torch.int64, "f32": torch.float32,
                      "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64}

    def cast(self, array, dtype):
        return array.to(self.types[dtype])

    def of(self, value, dtype):
        return torch.as_tensor(value, device=self.device).to(self.types[dtype])

    def load(self, array, indices):
        return torch.as_tensor(array).to(self.device)[tuple(index.long() for index in indices)]


def library(device=None):
    """The functions for NumPy (None), or for PyTorch's tensors on a device."""
    return _Numpy() if device is None else _Torch(device)


def evaluate(node, arguments, captures, arrays):
    """The value of an expression.

    arguments: arrays by name, which broadcast. captures: their values by number. arrays: of `library`. An index into a
    captured array counts from the end if it is negative, and is clamped.
    """
    values = {}
    with np.errstate(all="ignore"):
        for here in in_order(node):
            values[id(here)] = _value(here, [values[id(operand)] for operand in here.operands], arguments, captures,
                                      arrays)
    return values[id(node)]


def in_order(node):
    """Nodes, each after its operands."""
    done, stack = set(), [(node, False)]
    while stack:
        here, is_ready = stack.pop()
        if id(here) in done:
            continue
        if is_ready:
            done.add(id(here))
            yield here
        else:
            stack.append((here, True))
            stack += [(operand, False) for operand in here.operands]


def _load(array, indices, arrays):
    clamped = []
    for index, size in zip(indices, array.shape):
        if not size:
            raise ValueError("expected captured arrays with elements where they are indexed, but got one of shape "
                             f"{tuple(array.shape)}")
        wrapped = arrays.module.where(index < 0, index + size, index)
        clamped.append(arrays.module.clip(wrapped, 0, size - 1))
    return arrays.load(array, tuple(clamped))


def _whole(op, left, right, arrays):
    """Floor division and its remainder of integers; by 0 both are 0. Divisors of -1 would trap where the quotient
    wraps."""
    where = arrays.module.where
    divisor = where((right == 0) | (right == -1), arrays.module.ones_like(right), right)
    if op == "mod":
        return left % divisor
    quotient = where(right == -1, -left, left // divisor)
    return where(right == 0, arrays.module.zeros_like(quotient), quotient)


def _shifted(op, left, amount, bits, arrays):
    """Amounts that are negative, or that pass the bits, shift all bits out."""
    is_within = (amount >= 0) & (amount < bits)
    within = arrays.module.where(is_within, amount, arrays.module.full_like(amount, bits - 1))
    if op == "shr":
        return left >> within
    return arrays.module.where(is_within, left << within, arrays.module.zeros_like(left))


def _wrapped(value, type):
    """Integers in the range of a type of fewer bits."""
    bits = int(type[1:])
    low = value & 2**bits - 1
    return low if type[0] == "u" else (low ^ 2**(bits - 1)) - 2**(bits - 1)


def _value(node, operands, arguments, captures, arrays):
    op, dtype = node.op, node.dtype
    if op == "argument":
        return arguments[node.payload]
    if op in ("constant", "number"):
        return arrays.of(node.payload if op == "constant" else captures[node.payload], dtype)
    if op == "load":
        result = _load(captures[node.payload], operands, arrays)
    elif op in ("cast", "detached"):
        result = operands[0]
    elif op == "rounded":
        result = arrays.cast(operands[0], node.payload)
    elif op in ("floordiv", "mod"):
        result = _whole(op, *operands, arrays)
    elif op in ("shl", "shr"):
        result = _shifted(op, *operands, int(dtype[1:]), arrays)
    elif op == "wrap":
        result = _wrapped(operands[0], node.payload)
    elif op == "fma":
        left, right, other = (arrays.cast(operand, "f64") for operand in operands)
        result = left * right + other
    else:
        function = _OPERATORS.get(op) or getattr(arrays, op, None) or getattr(arrays.module, _NAMES.get(op, op))
        result = function(*operands)
    return arrays.cast(result, dtype)
