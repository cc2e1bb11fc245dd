"""Values that stand for elements while a score_mod or a mask_mod is called once, to find its expression.

They take Python's operators, NumPy's functions (by its protocols) and PyTorch's (by __torch_function__, without
importing it). Whatever needs a value, which there is not yet, is refused with the line of the user's function.
"""

import contextvars
import linecache
import numbers
import sys
from pathlib import Path

import numpy as np

from . import _arrays, _evaluation
from ._expression import FUNCTIONS, Graph

HERE = str(Path(__file__).resolve().parent)
#: The Recording of the function that is being traced.
recording = contextvars.ContextVar("recording")


class Recording:
    """What tracing a function has found.

    name: the function's argument, for messages. graph: its nodes. captures: of _captures.py, numbers and arrays in
    the order in which they were met; values: what they are now. fixed: numbers of captures whose values the
    expression depends on, as of a `range`.
    """

    def __init__(self, name):
        self.name, self.graph = name, Graph()
        self.captures, self.values, self.fixed = [], [], set()

    def add(self, capture, value):
        """The number of a capture."""
        for number, known in enumerate(self.captures):
            if known == capture:
                return number
        self.captures.append(capture)
        self.values.append(value)
        return len(self.captures) - 1


def _place():
    """" in FILE:LINE: TEXT" of the innermost frame of the user's."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        root = frame.f_globals.get("__name__", "").partition(".")[0]
        if not file.startswith(HERE) and root not in ("numpy", "torch", "functools"):
            line = linecache.getline(file, frame.f_lineno).strip()
            return f"in {file}:{frame.f_lineno}" + (f": {line}" if line else "")
        frame = frame.f_back
    return "in a function of no file"


def refuse(expected, got, error=TypeError):
    """Raises the error for an operation that cannot be traced, with the place in the user's function."""
    raise error(f"argument '{recording.get().name}': expected {expected}, but got {got} {_place()}") from None


def _dtype(dtype):
    """One of our types of elements, or "f16" and "bf16", of a dtype of Python, NumPy or PyTorch."""
    if dtype in (bool, int, float):
        name = {bool: "bool", int: "int32", float: "float32"}[dtype]
    else:
        name = str(dtype).removeprefix("torch.")
        if name == str(dtype):
            name = np.dtype(dtype).name
    found = {"bool": "i1", "int8": "i32", "uint8": "i32", "int16": "i32", "int32": "i32", "int64": "i64",
             "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f32"}.get(name)
    return found or refuse("a type bool, int8 to int64, uint8 or float16 to float64", str(dtype))


def node_of(value):
    """The node of a traced value or a number. Refuses anything else."""
    graph = recording.get().graph
    if isinstance(value, Traced):
        return value.node
    if isinstance(value, TracedArray):
        return value.element().node
    if isinstance(value, np.ndarray) and value.ndim == 0 or _arrays.is_torch(value) and value.ndim == 0 \
            and value.device.type == "cpu":
        value = value.item()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, numbers.Integral, numbers.Real)):
        try:
            return graph.constant(value if isinstance(value, (bool, float)) else
                                  int(value) if isinstance(value, numbers.Integral) else float(value))
        except OverflowError:
            refuse("integers of at most 64 bits", value)
    if isinstance(value, np.ndarray) or _arrays.is_torch(value):
        return refuse("arrays that are captured and indexed", f"one of shape {tuple(value.shape)} made in the function")
    return refuse("a number or a traced value", type(value).__name__)


def _graph():
    return recording.get().graph


def _binary(method):
    def left(self, other):
        return NotImplemented if _is_foreign(other) else Traced(method(_graph(), self.node, node_of(other)))

    def right(self, other):
        return NotImplemented if _is_foreign(other) else Traced(method(_graph(), node_of(other), self.node))

    return left, right


def _is_foreign(value):
    return isinstance(value, (str, list, tuple, dict, type(None)))


def _arithmetic(op):
    return lambda graph, left, right: graph.arithmetic(op, left, right)


def _compared(how):
    def compare(self, other):
        return NotImplemented if _is_foreign(other) else Traced(_graph().compare(how, self.node, node_of(other)))
    return compare


class _Operators:
    """Operators on `self.node`."""

    __slots__ = ()
    __array_priority__ = 1000

    def __hash__(self):
        return refuse("a value that is in no set and no key of a dict", "hash()")

    def __array__(self, *_, **__):
        return refuse("a value that is in no array", "a list or an array of NumPy with it")

    def __setitem__(self, place, value):
        refuse("a function that changes nothing", "an assignment to an index")

    __add__, __radd__ = _binary(_arithmetic("add"))
    __sub__, __rsub__ = _binary(_arithmetic("sub"))
    __mul__, __rmul__ = _binary(_arithmetic("mul"))
    __truediv__, __rtruediv__ = _binary(Graph.divide)
    __floordiv__, __rfloordiv__ = _binary(Graph.floor_divide)
    __mod__, __rmod__ = _binary(Graph.remainder)
    __pow__, __rpow__ = _binary(Graph.power)
    __and__, __rand__ = _binary(lambda graph, left, right: _bitwise("and", left, right))
    __or__, __ror__ = _binary(lambda graph, left, right: _bitwise("or", left, right))
    __xor__, __rxor__ = _binary(lambda graph, left, right: _bitwise("xor", left, right))
    __lshift__, __rlshift__ = _binary(lambda graph, left, right: _shift("shl", left, right))
    __rshift__, __rrshift__ = _binary(lambda graph, left, right: _shift("shr", left, right))
    __lt__, __le__, __gt__ = _compared("lt"), _compared("le"), _compared("gt")
    __ge__, __eq__, __ne__ = _compared("ge"), _compared("eq"), _compared("ne")

    def __neg__(self):
        return Traced(_graph().negate(self.node))

    def __round__(self, digits=None):
        if digits is not None:
            refuse("round() to an integer", f"digits {digits!r}")
        return self._whole("round")

    def __floor__(self):
        return self._whole("floor")

    def __ceil__(self):
        return self._whole("ceil")

    def __trunc__(self):
        return self._whole(None)

    def _whole(self, function):
        """An integer, as of Python's own functions."""
        node = self.node
        if node.dtype == "f32":
            node = _graph().cast(node if function is None else _graph().function(function, node), "i32")
        return Traced(_graph().promoted(node, least="i32")[0])

    def __pos__(self):
        return Traced(self.node)

    def __abs__(self):
        return Traced(_graph().absolute(self.node))

    def __invert__(self):
        if self.node.dtype == "f32":
            refuse("a boolean or an integer under ~", "a float")
        return Traced(_graph().invert(self.node))

    def __bool__(self):
        return bool(_known(self.node, "bool(), as of `if`, `and`, `or`, `not`, min() and max()",
                           "where, logical_and, &, | or minimum"))

    def __int__(self):
        return int(_known(self.node, "int()", "to(torch.int32) or astype(np.int32)"))

    def __index__(self):
        if self.node.dtype == "f32":
            refuse("an integer as an index", "a float")
        return int(_known(self.node, "an index, as of range() and of a list", "a captured array"))

    def __float__(self):
        return float(_known(self.node, "float(), as of the functions of `math`", "those of numpy or torch"))

    def item(self):
        value = _known(self.node, "item()", "the value itself")
        return float(value) if self.node.dtype == "f32" else bool(value) if self.node.dtype == "i1" else int(value)

    def __len__(self):
        return refuse("a value of one element", "len()")

    def __iter__(self):
        return refuse("a value of one element", "an iteration over it")

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if method != "__call__" or options.get("out") is not None:
            refuse("a plain call of a function of NumPy", f"{ufunc.__name__}.{method}")
        return call(ufunc.__name__, inputs, options)

    def __array_function__(self, function, types, arguments, options):
        return call(function.__name__, arguments, options)

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), options=None):
        return call(function.__name__, arguments, options or {})

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in METHODS:
            refuse("an operation that can be traced", f".{name}")
        return lambda *arguments, **options: call(name, (self, *arguments), options)


class Traced(_Operators):
    """An element that is not known yet: of a score, a position, or computed of them."""

    __slots__ = ("node",)
    shape, ndim, is_cuda = (), 0, False

    def __init__(self, node):
        self.node = node

    @property
    def dtype(self):
        """NumPy's name of its type, or PyTorch's where that has been imported."""
        name = {"i1": "bool", "i32": "int32", "i64": "int64", "f32": "float32"}[self.node.dtype]
        torch = sys.modules.get("torch")
        return np.dtype(name) if torch is None else getattr(torch, name)

    @property
    def device(self):
        return None

    def dim(self):
        return 0

    def __getitem__(self, index):
        if index is None or index is Ellipsis or index == ():
            return self
        return refuse("a value of one element", "an index into it")

    def __repr__(self):
        return f"<{self.node.op} of {self.node.dtype} in a score_mod or mask_mod>"


class TracedArray(_Operators):
    """A captured array, of which leading dimensions may have been indexed.

    number: of the capture. extents: a function that gives the traced extent of a dimension.
    """

    __slots__ = ("number", "rank", "element_type", "extent", "indices", "own_dtype")

    def __init__(self, number, rank, element_type, extent, own_dtype, indices=()):
        self.number, self.rank, self.element_type, self.extent = number, rank, element_type, extent
        self.own_dtype, self.indices = own_dtype, indices

    @property
    def node(self):
        return self.element().node

    @property
    def ndim(self):
        return self.rank - len(self.indices)

    def dim(self):
        return self.ndim

    @property
    def shape(self):
        return tuple(self.extent(dimension) for dimension in range(len(self.indices), self.rank))

    def size(self, dimension=None):
        return self.shape if dimension is None else self.shape[dimension]

    @property
    def dtype(self):
        return self.own_dtype

    @property
    def device(self):
        return None

    def element(self):
        if self.ndim:
            refuse("a captured array with an index for each dimension", f"one that lacks {self.ndim} of {self.rank}")
        graph = _graph()
        indices = []
        for place, index in enumerate(self.indices):
            if index.low < 0:
                size = graph.cast(self.extent(place).node, index.dtype)
                wrapped = graph.arithmetic("add", index, size)
                index = graph.where(graph.compare("lt", index, graph.constant(0, index.dtype)), wrapped, index)
            indices.append(index)
        loaded = {"i8": "i32", "u8": "i32", "bool": "i1", "f16": "f32", "bf16": "f32"}.get(self.element_type,
                                                                                       self.element_type)
        bounds = {"i8": (-128, 127), "u8": (0, 255)}.get(self.element_type)
        return Traced(graph.node("load", loaded, *indices, payload=self.number, bounds=bounds))

    def __getitem__(self, index):
        given = index if isinstance(index, tuple) else (index,)
        if given and given[-1] is Ellipsis:
            given = given[:-1]
        if len(given) > self.ndim:
            refuse(f"at most {self.ndim} indices", len(given))
        found = []
        for one in given:
            if isinstance(one, slice) or one is None or one is Ellipsis:
                refuse("integers as indices of a captured array", "a slice, None or ...")
            node = node_of(one)
            if node.dtype == "f32":
                refuse("integers as indices of a captured array", "a float")
            found.append(_graph().cast(node, "i32") if node.dtype == "i1" else node)
        array = TracedArray(self.number, self.rank, self.element_type, self.extent, self.own_dtype,
                            (*self.indices, *found))
        return array if array.ndim else array.element()

    def __len__(self):
        if not self.ndim:
            refuse("an array of at least one dimension under len()", "an element")
        return int(self.shape[0])

    def __repr__(self):
        return f"<captured array of {self.element_type}, {self.ndim} dimensions>"


def _known(node, got, instead):
    """The value of a node that depends on captured numbers alone, which the expression is then for. Refuses others."""
    record = recording.get()
    leaves = list(node.leaves())
    if any(leaf.op not in ("constant", "number") for leaf in leaves):
        refuse(f"operations on elements, which have no value yet ({instead})", got)
    record.fixed.update(leaf.payload for leaf in leaves if leaf.op == "number")
    return _evaluation.evaluate(node, {}, record.values, _evaluation.library())


def _bitwise(op, left, right):
    if "f32" in (left.dtype, right.dtype):
        refuse("booleans or integers under &, | and ^", "a float")
    return _graph().bitwise(op, left, right)


def _shift(op, left, right):
    if "f32" in (left.dtype, right.dtype):
        refuse("integers under << and >>", "a float")
    return _graph().shift(op, left, right)


#: Functions and methods by their names in NumPy and PyTorch.
METHODS = {}


def _named(*names):
    def add(function):
        METHODS.update(dict.fromkeys(names, function))
        return function
    return add


def call(name, arguments, options):
    """A function of NumPy or PyTorch, or a method, on traced values."""
    plain = name.strip("_") if name.startswith("__") else name
    function = METHODS.get(plain)
    if function is None:
        refuse("a function that can be traced", f"{name}()")
    options = {key: value for key, value in options.items() if value is not None and key not in ("device", "copy")}
    try:
        result = function(*arguments, **options)
    except TypeError as error:
        if str(error).startswith("argument '"):
            raise
        refuse(f"arguments of {name}() that can be traced", str(error))
    return Traced(result) if not isinstance(result, (Traced, TracedArray)) else result


def _unary(*names):
    def add(build):
        _named(*names)(lambda x: build(_graph(), node_of(x)))
    return add


def _pair(*names):
    def add(build):
        _named(*names)(lambda x, other: build(_graph(), node_of(x), node_of(other)))
    return add


def _logical(op):
    return lambda graph, left, right: graph.bitwise(op, graph.cast(left, "i1"), graph.cast(right, "i1"))


for _name in FUNCTIONS:
    _unary(_name)(lambda graph, x, name=_name: graph.function(name, x))
for _names, _op in ((("add",), "add"), (("sub", "subtract"), "sub"), (("mul", "multiply"), "mul"),
                    (("minimum", "min", "fmin"), "min"), (("maximum", "max", "fmax"), "max")):
    _pair(*_names)(_arithmetic(_op))
for _names, _op in ((("lt", "less"), "lt"), (("le", "less_equal"), "le"), (("gt", "greater"), "gt"),
                    (("ge", "greater_equal"), "ge"), (("eq", "equal"), "eq"), (("ne", "not_equal"), "ne")):
    _pair(*_names)(lambda graph, left, right, op=_op: graph.compare(op, left, right))
for _op in ("and", "or", "xor"):
    _pair(f"bitwise_{_op}", _op)(lambda graph, left, right, op=_op: _bitwise(op, left, right))
    _pair(f"logical_{_op}")(_logical(_op))
_pair("true_divide", "truediv", "divide")(Graph.divide)
_pair("floor_divide", "floordiv")(Graph.floor_divide)
_pair("remainder", "mod")(Graph.remainder)
_pair("pow", "power", "float_power")(Graph.power)
_pair("bitwise_left_shift", "left_shift", "lshift")(lambda graph, x, y: _shift("shl", x, y))
_pair("bitwise_right_shift", "right_shift", "rshift")(lambda graph, x, y: _shift("shr", x, y))
_unary("abs", "absolute", "fabs")(Graph.absolute)
_unary("neg", "negative")(Graph.negate)
_unary("invert", "bitwise_not")(lambda graph, x: (~Traced(x)).node)
_unary("logical_not")(lambda graph, x: graph.invert(graph.cast(x, "i1")))
_unary("square")(lambda graph, x: graph.arithmetic("mul", x, x))
_unary("rsqrt")(lambda graph, x: graph.divide(graph.constant(1.0), graph.function("sqrt", x)))
_unary("reciprocal")(lambda graph, x: graph.divide(graph.constant(1.0), x))
_unary("tan")(lambda graph, x: graph.divide(graph.function("sin", x), graph.function("cos", x)))


def _sigmoid(graph, x):
    return graph.divide(graph.constant(1.0), graph.arithmetic(
        "add", graph.constant(1.0), graph.function("exp", graph.negate(graph.cast(x, "f32")))))


_unary("sigmoid", "expit")(_sigmoid)
_unary("relu")(lambda graph, x: graph.arithmetic("max", x, graph.constant(0)))
_unary("clone", "detach", "contiguous", "squeeze", "positive", "copy")(lambda graph, x: x)
_unary("isinf")(lambda graph, x: graph.compare("eq", graph.absolute(x), graph.constant(float("inf"))))
_unary("isnan")(lambda graph, x: graph.compare("ne", x, x))


@_named("silu")
def _silu(x, inplace=False):
    graph = _graph()
    return graph.arithmetic("mul", node_of(x), _sigmoid(graph, node_of(x)))


@_named("fmod")
def _fmod(x, other):
    """The remainder with the sign of x."""
    graph = _graph()
    left, right = node_of(x), node_of(other)
    rest = graph.remainder(graph.absolute(left), graph.absolute(right))
    return graph.where(graph.compare("lt", left, graph.constant(0)), graph.negate(rest), rest)


@_named("div")
def _div(x, other, rounding_mode=None):
    graph = _graph()
    left, right = node_of(x), node_of(other)
    if rounding_mode is None:
        return graph.divide(left, right)
    if rounding_mode == "floor":
        return graph.floor_divide(left, right)
    if rounding_mode != "trunc":
        refuse("rounding_mode 'floor' or 'trunc'", repr(rounding_mode))
    whole = graph.floor_divide(graph.absolute(left), graph.absolute(right))
    is_negative = graph.bitwise("xor", graph.compare("lt", left, graph.constant(0)),
                                graph.compare("lt", right, graph.constant(0)))
    return graph.where(is_negative, graph.negate(whole), whole)


@_named("where")
def _where(condition, x, other):
    return _graph().where(node_of(condition), node_of(x), node_of(other))


@_named("masked_fill")
def _masked_fill(x, mask, value):
    return _graph().where(node_of(mask), node_of(value), node_of(x))


@_named("clamp", "clip")
def _clamp(x, min=None, max=None, a_min=None, a_max=None):
    graph, node = _graph(), node_of(x)
    low, high = a_min if min is None else min, a_max if max is None else max
    if low is not None:
        node = graph.arithmetic("max", node, node_of(low))
    return node if high is None else graph.arithmetic("min", node, node_of(high))


@_named("to", "astype", "type")
def _to(x, dtype=None, *rest, **options):
    if isinstance(dtype, _Operators):  # As the other value.
        return _graph().cast(node_of(x), node_of(dtype).dtype)
    found = _dtype(dtype) if dtype is not None and not isinstance(dtype, str) or isinstance(dtype, str) and \
        dtype in ("bool", "int32", "int64", "float16", "float32", "float64") else None
    if found is None:  # A device.
        return node_of(x)
    graph, node = _graph(), node_of(x)
    return graph.rounded(node, found) if found in ("f16", "bf16") else graph.cast(node, found)


for _name, _type in (("float", np.float32), ("double", np.float64), ("half", np.float16), ("int", np.int32),
                     ("long", np.int64), ("bool", np.bool_)):
    _named(_name)(lambda x, dtype=_type: _to(x, dtype))
_named("bfloat16")(lambda x: _graph().rounded(node_of(x), "bf16"))


def _filled(value, x, dtype):
    node = node_of(value)
    return _graph().cast(node, node_of(x).dtype if dtype is None else _dtype(dtype))


@_named("new_ones", "ones_like")
def _ones(x, size=(), dtype=None):
    return _filled(1, x, dtype)


@_named("new_zeros", "zeros_like")
def _zeros(x, size=(), dtype=None):
    return _filled(0, x, dtype)


@_named("full_like", "new_tensor")
def _full(x, fill_value, dtype=None):
    return _filled(fill_value, x, dtype)


@_named("new_full")
def _new_full(x, size, fill_value, dtype=None):
    return _filled(fill_value, x, dtype)
