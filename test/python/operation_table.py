"""Every operation that tracing takes, on every pair of types and edge values, beside NumPy and PyTorch.

One kernel computes all operations of many pairs: the head selects one, and the batch the only key that is seen, so that the
logarithm of the sum is its score, exactly; results of more bits than f32 has digits take several heads.
test_operation_table.py runs it on the CPU, test/gpu/test_operations.py on a GPU.
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
#: Errors.
EXACT, CLOSE = 0, 2e-6


#: Values of a type.
COUNT = 16


def values_of(name):
    """Edge values of a type: extremes, signs, ties, shifts of all bits. Some are there more than once."""
    if name == "bool":
        return np.resize([False, True], COUNT)
    if name == "float32":
        return np.resize([0.0, -0.0, 1, -1, 0.5, 1.5, -2.5, 3, -7.25, 100.7, -1e10, np.inf, -np.inf, np.nan,
                         np.finfo(np.float32).max, 1e-45], COUNT).astype(np.float32)
    info = np.iinfo(name)
    wanted = [0, 1, 2, 3, 7, 31, 32, 65, -1, -2, -13, info.min, info.max, info.max - 1, info.max // 3]
    return np.resize(sorted({value for value in wanted if info.min <= value <= info.max}), COUNT).astype(name)


@dataclasses.dataclass(frozen=True)
class Operation:
    """function: of a library (NumPy or PyTorch) and one or two operands, arrays or traced values. error: relative, of
    approximate functions, but not below that of `least`. floats: whether operands may be floats. of: libraries that have it
    with that meaning."""

    name: str
    function: typing.Callable
    error: float = EXACT
    floats: bool = True
    of: tuple = ("numpy", "torch")
    least: float = 2.0**-100


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
    # The result for integers is in f32, as in PyTorch.
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
                           "% 0.75": lambda m, x: x % 0.75, "% 4.0": lambda m, x: x % 4.0}.items():
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
    # Its sum of 1 and erf loses digits near 0, in PyTorch as well.
    # PyTorch 2.11 gives NaN of infinity.
    add("gelu", lambda m, x: m.nn.functional.gelu(m.clamp(x, max=2.0**60)), of=("torch",), error=CLOSE, least=0.25)
    for name in ("silu", "softplus", "logsigmoid"):
        add(name, lambda m, x, name=name: getattr(m.nn.functional, name)(x), of=("torch",), error=CLOSE)
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float32", "bool"):
        add(f"astype {name}", lambda m, x, name=name: x.astype(name), of=("numpy",))
    for name in ("char", "byte", "short", "int", "long", "float", "bool", "half", "bfloat16"):
        add(f".{name}()", lambda m, x, name=name: getattr(x, name)(), of=("torch",))
    return found


BINARY, UNARY = _binary(), _unary()


# Results of the libraries


def _in_library(operation, library, operands):
    """The result in a library, as NumPy's array and the name of its type; None where it has none."""
    module = {"numpy": np, "torch": torch}[library]
    if library not in operation.of or module is None:
        return None
    if library == "torch":
        if operation.name in ("//", "%", "divmod", "// 3", "% -3", "7 % x", "fmod", "rounding_mode trunc") and not any(
                operand.dtype.kind == "f" for operand in operands):
            # PyTorch's division traps where its quotient wraps, and raises for all of an array that holds a 0.
            return None
        operands = [torch.from_numpy(operand.copy()) for operand in operands]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = operation.function(module, *operands)
    except (TypeError, RuntimeError, ValueError, AttributeError, NotImplementedError, OverflowError, ZeroDivisionError):
        return None
    name = str(result.dtype).removeprefix("torch.")
    is_own = all(operand.dtype == np.float32 for operand in operands) or operation.name == "float_power"
    if library == "numpy" and name in ("float16", "float64") and not is_own:  # All floats are f32.
        return _in_library(operation, library, [operand.astype(np.float32) for operand in operands])
    if library == "numpy" and name == "int8" and operation.name in ("square", "** 2") and operands[0].dtype == bool:
        return None  # PyTorch's is that of all other powers.
    if library == "torch":
        result = (result.float() if name == "bfloat16" else result).numpy()
    return result, "float32" if name in ("float16", "bfloat16", "float64") else name


def _as_f32(result, name):
    if name != "float32":
        return result
    with np.errstate(all="ignore"):
        return np.asarray(result, np.float32)


def _agrees(found, expected, operation):
    """Where results agree; NaN agrees with NaN, and 0 with -0."""
    if expected.dtype != np.float32:
        return found == expected
    with np.errstate(all="ignore"):
        bound = operation.error * np.maximum(np.abs(expected), operation.least)
        near = np.abs(found.astype(np.float64) - expected) <= bound
    return (found == expected) | (np.isnan(found) & np.isnan(expected)) | (near & np.isfinite(expected))


def expected_of(operation, *operands):
    """[(result, name of its type)] by the libraries that have the operation for such operands, which are broadcast."""
    if not operation.floats and any(operand.dtype.kind == "f" for operand in operands):
        return []
    found = [_in_library(operation, library, operands) for library in ("numpy", "torch")]
    return [(_as_f32(*one), one[1]) for one in found if one is not None]


def has_value(operation, *operands):
    """Which results count: casts of floats out of range, logarithms of subnormal numbers and sines of huge ones do not
    (docs/Masks.md)."""
    shape, first = np.broadcast_shapes(*(operand.shape for operand in operands)), operands[0]
    everywhere = np.ones(shape, bool)
    if first.dtype.kind != "f":
        return everywhere
    with np.errstate(all="ignore"):
        if operation.name in ("log", "log2", "log10"):
            return everywhere & ~((first > 0) & (first < 2.0**-126))
        if operation.name in ("sin", "cos", "tan"):
            return everywhere & ~((np.abs(first) > 2.0**64) & np.isfinite(first))
        name = operands[1].dtype.name if operation.name == "type_as" else _CASTS.get(operation.name, "bool")
        if np.dtype(name).kind not in "iu":
            return everywhere
        info = np.iinfo(name)
        return everywhere & (np.trunc(first) >= info.min) & (first < float(info.max))


#: The integer types of casts.
_CASTS = {f"astype {name}": name for name in TYPES[1:-1]} | {
    f".{name}()": type for name, type in {"char": "int8", "byte": "uint8", "short": "int16", "int": "int32",
                                          "long": "int64"}.items()}


# Results of a kernel


def _parts(result, name):
    """Numbers that f32 holds exactly, of which a result is put together again."""
    if name == "float32":
        is_other = np.logical_not(np.isfinite(result))
        kind = np.where(np.isnan(result), 1.0, np.where(result == np.inf, 2.0, np.where(is_other, 3.0, 0.0)))
        return [np.where(is_other, 0.0, result), kind]
    count = 1 if name == "bool" else max(1, np.dtype(name).itemsize // 2)
    wide = result.astype(np.int64)
    return [((wide >> 16 * part) & 0xffff).astype(np.float32) for part in range(count)]


def _joined(parts, name):
    """The result of arrays of parts."""
    if name == "float32":
        value, kind = parts
        return np.select([kind == 1, kind == 2, kind == 3], [np.float32(np.nan), np.float32(np.inf), np.float32(-np.inf)], value)
    whole = sum(part.astype(np.int64) << 16 * place for place, part in enumerate(parts))
    return whole.astype(name)


def _module_of(operation):
    return torch if "numpy" not in operation.of else np


def kernel_values(attend, operations, captured=lambda array: array):
    """The operations' results, each an array over the operands' values, by one kernel.

    attend: of a score_mod and (batch, heads, queries, keys), the logarithms of sums, as NumPy's array, of queries and keys
    that are 0. operations: [(Operation, names of its operands' types, name of its result's)]. captured: makes an array one
    of the device.
    """
    by_query, by_key = ({name: captured(values_of(name)) for name in sorted({types[place] for _, types, _ in operations})}
                        for place in (0, -1))
    zeros = captured(np.zeros(COUNT, np.float32))

    def score_mod(score, b, h, q_idx, kv_idx):
        parts = []
        for operation, types, name in operations:
            operands = [by_query[types[0]][q_idx], by_key[types[-1]][kv_idx]][:len(types)]
            parts += _parts(operation.function(_module_of(operation), *operands), name)
        chosen = parts[0]
        for place, part in enumerate(parts):
            chosen = np.where(h == place, part, chosen)
        # A captured number that is added keeps the score to the base e, and to the last bit.
        return np.where(kv_idx == b, chosen, -np.inf) + zeros[q_idx]

    counts = [len(_parts(np.zeros(1, name), name)) for _, _, name in operations]
    found = np.moveaxis(attend(score_mod, (COUNT, sum(counts), COUNT, COUNT)), 0, -1)
    ends = np.cumsum(counts)
    return [_joined(found[end - count:end], name) for end, count, (_, _, name) in zip(ends, counts, operations)]


def operands_of(types):
    """Arrays of all pairs of the operands' values."""
    grid = np.broadcast_arrays(values_of(types[0])[:, None], values_of(types[-1])[None, :])
    return grid[:len(types)]


def taken_by(types):
    """[(Operation, its results by the libraries)] of the operations that the libraries have for these types."""
    operands = operands_of(types)
    found = [(operation, expected_of(operation, *operands)) for operation in (BINARY if len(types) == 2 else UNARY)]
    return [(operation, expected) for operation, expected in found if expected]


def check(operation, types, found, name, expected):
    """The difference from all libraries that give this type: a line, or None."""
    operands = operands_of(types)
    agrees = ~has_value(operation, *operands)
    of_type = [result for result, own in expected if own == name]
    if not of_type:
        return f"{operation.name} of {types}: {name} instead of {[own for _, own in expected]}"
    for result in of_type:
        agrees = agrees | _agrees(found, result, operation)
    if agrees.all():
        return None
    place = tuple(np.argwhere(~agrees)[0])
    return (f"{operation.name} of {types} at {[operand[place].item() for operand in operands]}: {found[place]!r} instead of "
            f"{[result[place] for result in of_type]}; {np.count_nonzero(~agrees)} differ")


#: Operands' types of each kernel: of more in one, compilation takes longer than of several.
KERNELS = [[(first,)] for first in TYPES] + [[(first, other) for other in others] for first in TYPES
                                             for others in (TYPES[:3], TYPES[3:6], TYPES[6:])]


def operations_of(kernel):
    """[(Operation, operands' types, result's type, results)] of a kernel's operands."""
    return [(operation, types, expected[0][1], expected) for types in kernel for operation, expected in taken_by(types)]


def check_kernel(attend, kernel, captured=lambda array: array, errors=()):
    """The differences in one of KERNELS, as lines. errors: (name of an operation, its relative error) of others than
    the table's."""
    operations = operations_of(kernel)
    values = kernel_values(attend, [one[:3] for one in operations], captured)
    others = dict(errors)
    lines = [check(dataclasses.replace(operation, error=others.get(operation.name, operation.error)), types, found, name, expected)
             for (operation, types, name, expected), found in zip(operations, values)]
    return [line for line in lines if line]
