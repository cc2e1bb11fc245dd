"""Every operation that tracing takes, on every pair of types and edge values, beside NumPy and PyTorch.

One kernel computes all operations of a pair: the head selects one, the batch the key that is seen, so that the logarithm of
the sum is its score, exactly. It is the value's bits in parts of 16 bits. test_operation_table.py runs it on the CPU,
test/gpu/test_operations.py on a GPU.
"""

import dataclasses
import math
import typing
import warnings

import numpy as np

try:
    import torch
except ImportError:
    torch = None

#: Names of the types of captured arrays, of which those of other floats are f32 where they are loaded.
TYPES = "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float32"
#: How a type of the expression is told by the libraries.
EXACT, CLOSE = 0, 2e-6


def values_of(name):
    """Edge values of a type: extremes, signs, ties, shifts of all bits."""
    if name == "bool":
        return np.array([False, True])
    if name == "float32":
        return np.array([0.0, -0.0, 1, -1, 0.5, 1.5, -2.5, 3, -7.25, 100.7, 1e-3, -1e10, np.inf, -np.inf, np.nan,
                         np.finfo(np.float32).max, np.finfo(np.float32).min, 1e-45], np.float32)
    info = np.iinfo(name)
    wanted = [0, 1, 2, 3, 7, 8, 13, 31, 32, 63, 64, -1, -2, -3, -8, -13, info.min, info.min + 1, info.max, info.max - 1,
              info.max // 3]
    return np.array(sorted({value for value in wanted if info.min <= value <= info.max}), name)


@dataclasses.dataclass(frozen=True)
class Operation:
    """function: of a library (NumPy or PyTorch) and one or two operands, arrays or traced values. error: relative, of
    approximate functions. floats: whether operands may be floats. of: libraries that have it with that meaning."""

    name: str
    function: typing.Callable
    error: float = EXACT
    floats: bool = True
    of: tuple = ("numpy", "torch")


def _binary():
    def add(name, function, **options):
        found.append(Operation(name, function, **options))

    found = []
    for name, function in {"+": lambda m, x, y: x + y, "-": lambda m, x, y: x - y, "*": lambda m, x, y: x * y,
                           "//": lambda m, x, y: x // y, "%": lambda m, x, y: x % y,
                           "<": lambda m, x, y: x < y, "<=": lambda m, x, y: x <= y, ">": lambda m, x, y: x > y,
                           ">=": lambda m, x, y: x >= y, "==": lambda m, x, y: x == y, "!=": lambda m, x, y: x != y}.items():
        add(name, function)
    for name, function in {"&": lambda m, x, y: x & y, "|": lambda m, x, y: x | y, "^": lambda m, x, y: x ^ y,
                           "<<": lambda m, x, y: x << y, ">>": lambda m, x, y: x >> y}.items():
        add(name, function, floats=False)
    # Negative exponents of integers NumPy refuses, PyTorch takes.
    add("**", lambda m, x, y: x ** y, error=CLOSE)
    # Of integers in f32, as PyTorch has it.
    add("/", lambda m, x, y: x / y, error=CLOSE)
    for name in ("minimum", "maximum", "fmin", "fmax", "fmod", "logical_and", "logical_or", "logical_xor"):
        add(name, lambda m, x, y, name=name: getattr(m, name)(x, y))
    add("where", lambda m, x, y: m.where(x > y, x, y))
    add("divmod", lambda m, x, y: divmod(x, y)[0], error=CLOSE)
    add("float_power", lambda m, x, y: m.float_power(x, y), error=CLOSE)
    add("add alpha", lambda m, x, y: m.add(x, y, alpha=3), error=CLOSE, of=("torch",))
    add("rounding_mode trunc", lambda m, x, y: m.div(x, y, rounding_mode="trunc"), of=("torch",))
    add("masked_fill", lambda m, x, y: x.masked_fill(y > 1, 1), of=("torch",))
    add("method where", lambda m, x, y: x.where(y > 1, y), of=("torch",))
    add("type_as", lambda m, x, y: x.type_as(y), of=("torch",))
    return found


def _unary():
    found = []

    def add(name, function=None, **options):
        found.append(Operation(name, function or (lambda m, x: getattr(m, name)(x)), **options))

    for name, function in {"neg": lambda m, x: -x, "abs": lambda m, x: abs(x), "+ 1": lambda m, x: x + 1,
                           "3 - x": lambda m, x: 3 - x, "* 3": lambda m, x: x * 3, "// 3": lambda m, x: x // 3,
                           "% -3": lambda m, x: x % -3, "7 % x": lambda m, x: 7 % x, "/ 3": lambda m, x: x / 3,
                           "> 2": lambda m, x: x > 2, "+ 0.5": lambda m, x: x + 0.5, "// 0.5": lambda m, x: x // 0.5,
                           "% 0.7": lambda m, x: x % 0.7, "% 4.0": lambda m, x: x % 4.0}.items():
        add(name, function)
    add("** 2", lambda m, x: x ** 2)
    add("** 3", lambda m, x: x ** 3, error=CLOSE)
    add("** 11", lambda m, x: x ** 11, error=CLOSE)
    add("** 0.5", lambda m, x: x ** 0.5, error=CLOSE)
    add("** -1.5", lambda m, x: x ** -1.5, error=CLOSE)
    add("2.5 ** x", lambda m, x: 2.5 ** x, error=CLOSE)
    for name, function in {"~": lambda m, x: ~x, "& 6": lambda m, x: x & 6, "| -2": lambda m, x: x | -2,
                           "<< 3": lambda m, x: x << 3, ">> 1": lambda m, x: x >> 1}.items():
        add(name, function, floats=False)
    for name in ("sign", "floor", "ceil", "trunc", "square", "isnan", "isinf", "isfinite", "logical_not", "nan_to_num",
                 "isposinf", "isneginf"):
        add(name)
    add("round", lambda m, x: m.round(x))
    add("round decimals", lambda m, x: m.round(x, decimals=1))
    add("rint", of=("numpy",))
    add("fabs", of=("numpy",))
    add("fix", of=("numpy",))
    add("isin", lambda m, x: m.isin(x, m.asarray([1, 3])), of=("numpy", "torch"))
    add("relu", of=("torch",))
    add("F.relu", lambda m, x: m.nn.functional.relu(x), of=("torch",))
    add("clip", lambda m, x: m.clip(x, -2, 7))
    add("clamp_min", lambda m, x: m.clamp_min(x, 1), of=("torch",))
    add("clamp_max", lambda m, x: m.clamp_max(x, 1), of=("torch",))
    for name in ("reciprocal", "rsqrt"):
        add(name, of=("torch",), error=CLOSE)
    for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "tanh", "sin", "cos", "tan"):
        add(name, error=CLOSE)
    for name in ("erf", "sigmoid"):
        add(name, of=("torch",), error=CLOSE)
    for name in ("silu", "gelu", "softplus", "logsigmoid"):
        add(name, lambda m, x, name=name: getattr(m.nn.functional, name)(x), of=("torch",), error=CLOSE)
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float32", "bool"):
        add(f"astype {name}", lambda m, x, name=name: x.astype(name), of=("numpy",))
    for name in ("char", "byte", "short", "int", "long", "float", "bool", "half", "bfloat16"):
        add(f".{name}()", lambda m, x, name=name: getattr(x, name)(), of=("torch",))
    return found


BINARY, UNARY = _binary(), _unary()


# What the libraries compute


def _in_library(operation, library, operands):
    """The result in a library, as NumPy's array and the name of its type; None where it has none."""
    module = {"numpy": np, "torch": torch}[library]
    if library not in operation.of or module is None:
        return None
    if library == "torch":
        if operation.name in ("//", "%", "divmod", "// 3", "% -3", "7 % x", "fmod", "rounding_mode trunc") and not any(
                operand.dtype.kind == "f" for operand in operands):
            # PyTorch's division traps where its quotient wraps, and raises for all of an array that holds a 0.
            if operation.name != "rounding_mode trunc":
                return None
            return None
        operands = [torch.from_numpy(operand.copy()) for operand in operands]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = operation.function(module, *operands)
    except (TypeError, RuntimeError, ValueError, AttributeError, NotImplementedError, OverflowError, ZeroDivisionError):
        return None
    name = str(result.dtype).removeprefix("torch.")
    if library == "torch":
        result = (result.float() if name == "bfloat16" else result).numpy()
    return result, "float32" if name in ("float16", "bfloat16", "float64") else name


def _as_f32(result, name):
    if name != "float32":
        return result
    with np.errstate(all="ignore"):
        return np.asarray(result, np.float32)


def _agrees(found, expected, error):
    """Where results agree; NaN agrees with NaN, and 0 with -0."""
    if expected.dtype != np.float32:
        return found == expected
    with np.errstate(all="ignore"):
        near = np.abs(found.astype(np.float64) - expected) <= error * np.maximum(np.abs(expected), np.float32(2**-100))
    return (found == expected) | (np.isnan(found) & np.isnan(expected)) | (near & np.isfinite(expected))


def expected_of(operation, *operands):
    """[(result, name of its type)] by the libraries that have the operation for such operands, which are broadcast."""
    if not operation.floats and any(operand.dtype.kind == "f" for operand in operands):
        return []
    found = [_in_library(operation, library, operands) for library in ("numpy", "torch")]
    return [(_as_f32(*one), one[1]) for one in found if one is not None]


def has_value(operation, *operands):
    """Which results the libraries say anything about: casts of floats out of range are the compiler's."""
    shape = np.broadcast_shapes(*(operand.shape for operand in operands))
    limits = {"char": "int8", "byte": "uint8", "short": "int16", "int": "int32", "long": "int64"}
    name = operation.name.removeprefix("astype ").removeprefix(".").removesuffix("()")
    name = limits.get(name, name)
    if operation.name == "type_as":
        name = operands[1].dtype.name
    is_cast = operation.name == "type_as" or operation.name[0] in ".a" and (name in limits.values() or name.startswith("uint"))
    if not is_cast or operands[0].dtype.kind != "f" or name in ("bool", "float32"):
        return np.ones(shape, bool)
    info = np.iinfo(name)
    with np.errstate(all="ignore"):
        return np.broadcast_to((np.trunc(operands[0]) >= info.min) & (operands[0] < float(info.max)), shape)
