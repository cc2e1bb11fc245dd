"""Functions and methods of NumPy and PyTorch on traced values (_trace/tracing.py), by their names and argument
orders."""

import math
import operator

import numpy as np

from .._arrays.adapters import is_torch
from .element_types import RANGES, is_device
from .expression import FUNCTIONS, Graph
from .tracing import METHODS, Traced, TracedArray, apply, arithmetic, bitwise, dtype_of, node_of, power, recording, \
    refuse, shift

#: Numbers that isin() compares with, at most.
MOST_COMPARED = 256
LARGEST = float(np.finfo(np.float32).max)


def _graph():
    return recording.get().graph


def _named(*names, of=None):
    """The decorator that makes a function the one of these names; of: in "numpy", "torch" or a "method" alone."""
    def add(function):
        METHODS.update(dict.fromkeys(names if of is None else [(of, name) for name in names], function))
        return function
    return add


def _unary(*names):
    """The decorator of a function (graph, node) -> node that traces the functions of these names."""
    def add(build):
        _named(*names)(lambda x: build(_graph(), node_of(x)))
        return build
    return add


def _pair(*names, by_python=None):
    def add(build):
        _named(*names)(lambda x, other: apply(build, node_of(x), node_of(other), by_python))
        return build
    return add


def _float(x):
    return _graph().cast(node_of(x), "f32")


# Arithmetic


def _scaled_sum(x, other, alpha, sign):
    """x + alpha * other, the product in the type of the sum."""
    graph, x, other, alpha = _graph(), node_of(x), node_of(other), node_of(alpha)
    type, _ = graph.promoted(x, other)
    if alpha.dtype == "f32" and type != "f32":
        refuse("an integer as alpha of integers", "a float")
    other, alpha = graph.cast(other, type), graph.cast(alpha, type)
    if type == "f32":
        return graph.fma(other, graph.negate(alpha) if sign < 0 else alpha, x)
    product = Traced(graph.arithmetic("mul", other, alpha))
    return Traced(x) + product if sign > 0 else Traced(x) - product


def _is_one(alpha):
    return type(alpha) is int and alpha == 1


@_named("add")
def _add(x, other, alpha=1):
    return Traced(node_of(x)) + other if _is_one(alpha) else _scaled_sum(x, other, alpha, 1)


@_named("sub", "subtract")
def _sub(x, other, alpha=1):
    return Traced(node_of(x)) - other if _is_one(alpha) else _scaled_sum(x, other, alpha, -1)


_named("rsub")(lambda x, other, alpha=1: _sub(other, x, alpha))
_named("divmod")(lambda x, other: divmod(Traced(node_of(x)), other))
_pair("mul", "multiply", by_python=operator.mul)(arithmetic("mul"))
for _names, _op in ((("minimum", "min"), "min"), (("maximum", "max"), "max"), (("fmin",), "fmin"), (("fmax",), "fmax")):
    _pair(*_names)(arithmetic(_op))
for _names, _op in ((("lt", "less"), "lt"), (("le", "less_equal"), "le"), (("gt", "greater"), "gt"),
                    (("ge", "greater_equal"), "ge"), (("eq", "equal"), "eq"), (("ne", "not_equal"), "ne")):
    _pair(*_names)(lambda graph, left, right, op=_op: graph.compare(op, left, right))
for _op in ("and", "or", "xor"):
    _pair(f"bitwise_{_op}", _op)(lambda graph, left, right, op=_op: bitwise(op, left, right))
    _pair(f"logical_{_op}")(
        lambda graph, left, right, op=_op: graph.bitwise(op, graph.cast(left, "i1"), graph.cast(right, "i1")))
_pair("pow", "power", by_python=operator.pow)(power)
_pair("floor_divide", "floordiv", by_python=operator.floordiv)(Graph.floor_divide)
_pair("remainder", "mod", by_python=operator.mod)(Graph.remainder)
_pair("fmod", by_python=math.fmod)(Graph.fmod)
_pair("bitwise_left_shift", "left_shift", "lshift", by_python=operator.lshift)(lambda graph, x, y: shift("shl", x, y))
_pair("bitwise_right_shift", "right_shift", "rshift", by_python=operator.rshift)(lambda graph, x, y: shift("shr", x, y))


@_named("float_power")
def _float_power(x, other):
    graph, base, exponent = _graph(), _float(x), node_of(other)
    power = graph.power(base, _float(other))
    if exponent.dtype in ("f32", "i1") or max(abs(exponent.low), abs(exponent.high)) <= 2**24:
        return power
    # An f32 does not tell odd exponents of this size.
    size, zero = Traced(graph.power(graph.absolute(base), _float(other))), graph.constant(0.0)
    is_negative = graph.bitwise("or", graph.compare("lt", base, zero),
                                graph.compare("lt", graph.divide(graph.constant(1.0), base), zero))
    is_odd = (Traced(exponent) & 1) != 0
    if exponent.high > 2**53:  # Nor does an f64, in which the libraries compute.
        is_odd = is_odd & (Traced(exponent) <= 2**53) & (Traced(exponent) >= -2**53)
    return _where(is_odd & Traced(is_negative), -size, size)


@_named("div", "divide", "true_divide", "truediv")
def _div(x, other, rounding_mode=None):
    graph, left, right = _graph(), node_of(x), node_of(other)
    if rounding_mode is None:
        return graph.divide(left, right)
    if rounding_mode == "floor":
        return graph.floor_divide(left, right)
    if rounding_mode != "trunc":
        refuse("rounding_mode 'floor' or 'trunc'", repr(rounding_mode))
    return graph.truncated_divide(left, right)


@_named("min", "max", "amin", "amax", of="numpy")
def _reduction(x, *_, **__):
    refuse("functions of elements, such as minimum and maximum", "a reduction, min() or max() of NumPy")


# Functions of one number


for _name in FUNCTIONS:
    _unary(_name)(lambda graph, x, name=_name: graph.function(name, x))
for _names in (("floor",), ("ceil",), ("trunc", "fix")):
    _unary(*_names)(lambda graph, x, name=_names[0]: graph.function(name, x))
_unary("abs", "absolute")(Graph.absolute)
_unary("fabs")(lambda graph, x: graph.absolute(graph.cast(x, "f32")))
_unary("sign", "sgn")(Graph.sign)
_unary("logical_not")(lambda graph, x: graph.invert(graph.cast(x, "i1")))
_unary("rint")(lambda graph, x: graph.function("round", graph.cast(x, "f32")))
_unary("rsqrt")(lambda graph, x: graph.divide(graph.constant(1.0), graph.function("sqrt", x)))
_unary("reciprocal")(lambda graph, x: graph.divide(graph.constant(1.0), x))
_unary("tan")(lambda graph, x: graph.divide(graph.function("sin", x), graph.function("cos", x)))
_unary("log10")(lambda graph, x: graph.arithmetic("mul", graph.function("log2", x), graph.constant(math.log10(2))))
_unary("clone", "contiguous", "squeeze", "positive", "copy", "cpu", "cuda")(lambda graph, x: x)
_unary("isnan")(lambda graph, x: graph.compare("ne", x, x))
_unary("isinf")(lambda graph, x: graph.compare("eq", graph.absolute(graph.cast(x, "f32")), graph.constant(math.inf)))
_unary("isfinite")(lambda graph, x: graph.compare("lt", graph.absolute(graph.cast(x, "f32")), graph.constant(math.inf)))
_unary("isposinf")(lambda graph, x: graph.compare("eq", x, graph.constant(math.inf)))
_unary("isneginf")(lambda graph, x: graph.compare("eq", x, graph.constant(-math.inf)))


@_named("detach")
def _detach(x):
    return x.detached() if isinstance(x, TracedArray) and x.ndim else _graph().detached(node_of(x))


@_unary("square")
def _square(graph, x):
    x = graph.cast(x, "i64") if x.dtype == "i1" else x
    return graph.arithmetic("mul", x, x)


@_unary("neg", "negative")
def _negative(graph, x):
    if x.dtype == "i1":
        refuse("a number under - (~ or logical_not inverts)", "a boolean")
    return graph.negate(x)


@_unary("invert", "bitwise_not", "bitwise_invert")
def _invert(graph, x):
    if x.dtype == "f32":
        refuse("a boolean or an integer under ~", "a float")
    return graph.invert(x)


def _decimals(decimals):
    return operator.index(decimals) if not isinstance(decimals, bool) else refuse("an integer as decimals", decimals)


@_named("round", "round_", "around")
def _round(x, decimals=0):
    graph, node, decimals = _graph(), node_of(x), _decimals(decimals)
    if node.dtype != "f32":
        if decimals < 0 or decimals and node.dtype == "i1":
            refuse("decimals of at least 0 for an integer", decimals)
        return graph.cast(node, "f32") if node.dtype == "i1" else node
    if decimals == 0:
        return graph.function("round", node)
    if abs(decimals) > 38:
        refuse("decimals from -38 to 38", decimals)
    power = graph.constant(float(10 ** abs(decimals)))
    there, back = (lambda value: graph.arithmetic("mul", value, power)), (lambda value: graph.divide(value, power))
    if decimals < 0:
        there, back = back, there
    return back(graph.function("round", there(node)))


# Activations


@_named("sigmoid", "expit")
def _sigmoid(x):
    graph = _graph()
    return graph.divide(graph.constant(1.0), graph.arithmetic(
        "add", graph.constant(1.0), graph.function("exp", graph.negate(_float(x)))))


_named("silu")(lambda x: _graph().arithmetic("mul", _float(x), _sigmoid(x)))


@_named("relu", "relu_")
def _relu(x):
    if node_of(x).dtype == "i1":
        refuse("a number under relu()", "a boolean")
    return _graph().arithmetic("max", node_of(x), _graph().constant(0), "bound")


@_named("gelu")
def _gelu(x, approximate="none"):
    x = Traced(_float(x))
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
        return 0.5 * x * (1 + inner.tanh())
    if approximate != "none":
        refuse("approximate 'none' or 'tanh'", repr(approximate))
    return x * 0.5 * (1 + (x * math.sqrt(0.5)).erf())


@_named("softplus")
def _softplus(x, beta=1, threshold=20):
    x = Traced(_float(x))
    scaled = x * beta
    return _where(scaled > threshold, x, scaled.exp().log1p() / beta)


@_named("logsigmoid", "log_sigmoid")
def _logsigmoid(x):
    x = Traced(_float(x))
    return x.minimum(0.0) - (-abs(x)).exp().log1p()


# Choices


@_named("where")
def _where(condition, x, other):
    return _graph().where(node_of(condition), node_of(x), node_of(other))


_named("where", of="method")(lambda x, condition, other: _where(condition, x, other))


@_named("masked_fill")
def _masked_fill(x, mask, value):
    graph, node, filled = _graph(), node_of(x), node_of(value)
    if filled.dtype == "f32" and node.dtype != "f32":
        refuse("an integer to fill integers with", "a float")
    return graph.where(node_of(mask), graph.cast(filled, node.type), node)


@_named("clamp", "clip")
def _clamp(x, min=None, max=None, a_min=None, a_max=None):
    graph, node = _graph(), node_of(x)
    low, high = a_min if min is None else min, a_max if max is None else max
    if low is None and high is None:
        refuse("a least or a greatest value", "none")
    for op, bound in (("max", low), ("min", high)):
        if bound is not None:
            bound = _within(node_of(bound), node.type)
            # A bound that is a tensor of PyTorch's shares the derivative, as that of a maximum does.
            is_number = all(leaf.op in ("constant", "number") for leaf in bound.leaves())
            node = graph.arithmetic(op, node, bound, "bound" if is_number else None)
    return node


def _within(bound, type):
    """A bound that is an integer of Python's, in the range of an integer type."""
    if bound.type != "int" or type not in RANGES or type in ("i1", "f32", "int"):
        return bound
    graph = _graph()
    low, high = map(graph.constant, RANGES[type])
    return graph.arithmetic("min", graph.arithmetic("max", bound, low), high)


_named("clamp_min")(lambda x, min: _clamp(x, min))
_named("clamp_max")(lambda x, max: _clamp(x, max=max))


@_named("nan_to_num")
def _nan_to_num(x, nan=0.0, posinf=LARGEST, neginf=-LARGEST):
    node = node_of(x)
    if node.dtype != "f32":
        return node
    x = Traced(node)
    for is_other, value in ((x == -math.inf, neginf), (x == math.inf, posinf), (x != x, nan)):
        x = Traced(_where(is_other, float(value), x))
    return x


@_named("isin")
def _isin(x, test_elements=(), invert=False, **options):
    """Options say how it is found."""
    elements = test_elements
    options = {key: value for key, value in options.items() if key not in ("assume_unique", "kind")}
    if options:
        refuse("the elements of isin()", f"{next(iter(options))}=")
    if isinstance(elements, np.ndarray) or is_torch(elements):
        elements = elements.reshape(-1).tolist()
    elif isinstance(elements, TracedArray) and elements.ndim:
        elements = [elements[place] for place in range(len(elements))]
    elif not isinstance(elements, (list, tuple, set, frozenset, range)):
        elements = [elements]
    if len(elements) > MOST_COMPARED:
        refuse(f"at most {MOST_COMPARED} elements in isin() (a captured table of booleans)", len(elements))
    graph, node = _graph(), node_of(x)
    found = graph.constant(False)
    for element in elements:
        found = graph.bitwise("or", found, graph.compare("eq", node, node_of(element)))
    return graph.invert(found) if invert else found


# Types


def _cast(x, dtype):
    graph, node, found = _graph(), node_of(x), dtype_of(dtype)
    return graph.rounded(node, found) if found in ("f16", "bf16") else graph.cast(node, found)


def _is_place(value):
    """Whether it is a device, or its name."""
    if isinstance(value, str):
        return is_device(value)
    return type(value).__module__ == "torch" and type(value).__name__ == "device"


@_named("to")
def _to(x, *places, dtype=None, other=None):
    """places: a device, a dtype, both in this order, or a value whose type is taken; then non_blocking and copy."""
    for place in places[:2]:
        if isinstance(place, (Traced, TracedArray)):
            other = place
        elif isinstance(place, bool):
            break
        elif not (_is_place(place) or isinstance(place, int) and not isinstance(place, bool) or place is None):
            dtype = place
    if other is not None:
        return _type_as(x, other)
    return node_of(x) if dtype is None else _cast(x, dtype)


@_named("type_as")
def _type_as(x, other):
    return _cast(x, other.dtype if isinstance(other, TracedArray) else other.dtype if is_torch(other) else
                 Traced(node_of(other)).dtype)


@_named("astype")
def _astype(x, dtype, *_, **__):
    """Options say how, not to what."""
    return _cast(x, dtype)


@_named("type")
def _type(x, dtype=None, *_):
    return refuse("a type as the argument of type()", "none") if dtype is None else _cast(x, dtype)


def _conversion(name, dtype):
    _named(name, of="method")(lambda x: _cast(x, dtype))


for _name, _dtype in (("float", "float32"), ("double", "float64"), ("half", "float16"), ("bfloat16", "bfloat16"),
                      ("int", "int32"), ("long", "int64"), ("short", "int16"), ("char", "int8"), ("byte", "uint8"),
                      ("bool", "bool")):
    _conversion(_name, _dtype)


def _filled(value, x, dtype):
    if dtype is not None:
        return _cast(value, dtype)
    return _graph().cast(node_of(value), node_of(x).type)


def _constants(name, value):
    _named(f"new_{name}")(lambda x, size=(), dtype=None: _filled(value, x, dtype))
    _named(f"{name}_like")(lambda x, dtype=None: _filled(value, x, dtype))


_constants("ones", 1)
_constants("zeros", 0)
_named("full_like", "new_tensor")(lambda x, fill_value, dtype=None: _filled(fill_value, x, dtype))
_named("new_full")(lambda x, size, fill_value, dtype=None: _filled(fill_value, x, dtype))
