"""Values that stand for elements while a score_mod or a mask_mod is called once, to find its expression.

They take Python's operators, NumPy's functions (by its protocols) and PyTorch's (by __torch_function__, without
importing it). Whatever needs a value, which there is not yet, is refused with the line of the user's function.
"""

import contextvars
import linecache
import numbers
import operator
import re
import sys

import numpy as np

from .._arrays import adapters, evaluation, plain
from .element_types import NAMES, RANGES, type_of
from .expression import Graph

#: Modules whose frames are none of the user's: of this package, by its name, wherever its files are found.
PACKAGE = __package__.partition(".")[0]
_SKIPPED = {PACKAGE, "numpy", "torch"} | set(sys.stdlib_module_names) - {"__main__"}
#: How elements are computed whose type is none of "i1", "i32", "i64" and "f32".
LOADED = {"i8": "i32", "u8": "i32", "i16": "i32", "u16": "i32", "u32": "i64", "f16": "f32", "bf16": "f32"}
#: A name that the globals of functions have while they are traced.
MARK = "__sattn__"
#: The Recording of the function that is being traced.
recording = contextvars.ContextVar("recording")


class Recording:
    """The findings of tracing a function.

    name: the function's argument, for messages. graph: its nodes. captures: of _trace/readers.py, numbers and arrays
    in the order in which they were met; values: what they are now. fixed: numbers of captures whose values the
    expression depends on, as of a `range`.
    """

    def __init__(self, name):
        self.name, self.graph = name, Graph()
        #: Whether PyTorch recorded operations as tracing began.
        self.is_recorded = plain.see() and plain.is_recording()
        self.captures, self.values, self.fixed = [], [], set()
        #: The types of the captures, and captures whose types the expression depends on.
        self.own, self.types = [], {}
        #: Elements of arrays that the expression depends on: values by (number of the capture, indices).
        self.elements = {}

    def add(self, capture, value, own=None):
        """The number of a capture. own: the type of what has the value, if that is another."""
        for number, known in enumerate(self.captures):
            if known == capture:
                return number
        self.captures.append(capture)
        self.values.append(value)
        self.own.append(own or type(value))
        return len(self.captures) - 1


def is_recorded():
    """Whether what the function computes has derivatives: not under its own torch.no_grad()."""
    return plain.is_recording is None or plain.is_recording() or not recording.get().is_recorded


def _place():
    """" in FILE:LINE: TEXT" of the innermost frame of the user's."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        root = frame.f_globals.get("__name__", "").partition(".")[0]
        if root not in _SKIPPED:
            line = linecache.getline(file, frame.f_lineno).strip()
            return f"in {file}:{frame.f_lineno}" + (f": {line}" if line else "")
        frame = frame.f_back
    return "in a function of no file"


def refuse(expected, got, error=TypeError):
    """Raises the error for an operation that cannot be traced, with the place in the user's function."""
    raise error(f"argument '{recording.get().name}': expected {expected}, but got {got} {_place()}") from None


def dtype_of(dtype):
    """One of our types of elements, or "f16" and "bf16", of a dtype of Python, NumPy or PyTorch, or of its name."""
    found = type_of(dtype)
    if found is None:
        refuse("a type bool, int8 to int64, uint8 to uint32, or float16 to float64", repr(dtype))
    return found


def node_of(value):
    """The node of a traced value or a number. Refuses anything else."""
    graph = recording.get().graph
    if isinstance(value, Traced):
        return value.node
    if isinstance(value, TracedArray):
        return value.element().node
    own = None  # The type of what is no number of Python's.
    if isinstance(value, np.ndarray) and value.ndim == 0 or adapters.is_torch(value) and value.ndim == 0 \
            and value.device.type == "cpu":
        own, value = type_of(value.dtype), value.item()
    elif isinstance(value, np.generic):
        own, value = type_of(value.dtype), value.item()
    if isinstance(value, (bool, numbers.Integral, numbers.Real)):
        if not isinstance(value, (bool, float)):
            value = int(value) if isinstance(value, numbers.Integral) else float(value)
        try:
            return graph.constant(value, None if own in ("f16", "bf16") else own)
        except OverflowError:
            refuse("integers of at most 64 bits", value)
    if isinstance(value, np.ndarray) or adapters.is_torch(value):
        return refuse("arrays that are captured and indexed", f"one of shape {tuple(value.shape)} made in the function")
    return refuse("a number or a traced value", getattr(value, "__class__", type(value)).__name__)


def _graph():
    return recording.get().graph


def apply(method, left, right, by_python):
    """The node of an operation on two. by_python: the same on Python's own integers, which have no largest one."""
    if left.type == right.type == "int":
        try:
            return method(_graph(), left, right)
        except OverflowError:
            return node_of(by_python(*(int(_known(node, "an integer of more than 64 bits", "floats"))
                                       for node in (left, right))))
    return method(_graph(), left, right)


def _binary(method, by_python):
    def left(self, other):
        return NotImplemented if _is_foreign(other) else Traced(apply(method, self.node, node_of(other), by_python))

    def right(self, other):
        return NotImplemented if _is_foreign(other) else Traced(apply(method, node_of(other), self.node, by_python))

    return left, right


def _is_foreign(value):
    return isinstance(value, (str, list, tuple, dict, type(None)))


def arithmetic(op):
    return lambda graph, left, right: graph.arithmetic(op, left, right)


def subtract(graph, left, right):
    if left.dtype == right.dtype == "i1":
        refuse("a number under - (^ or logical_xor tells booleans apart)", "two booleans")
    return graph.arithmetic("sub", left, right)


def power(graph, base, exponent):
    if base.type == exponent.type == "int":
        raise OverflowError  # Python's own.
    if exponent.type == "int" and base.dtype != "f32" and exponent.op != "constant":
        # A power by a captured integer is products.
        exponent = node_of(int(_known(exponent, "an exponent", "floats")))
    if exponent.op == "constant" and exponent.payload < 0 and "f32" not in (base.dtype, exponent.dtype):
        refuse("integers of at least 0 as exponents of integers (1 / x, or a float base)", exponent.payload)
    return _graph().power(base, exponent)


def _compared(how):
    def compare(self, other):
        return NotImplemented if _is_foreign(other) else Traced(_graph().compare(how, self.node, node_of(other)))
    return compare


def _refused(expected, got):
    return lambda *_, **__: refuse(expected, got)


def _by_function(name):
    return lambda self: call(name, (self,), {})


def _as_integer(function):
    return lambda self: self._whole(function)


#: Names by which a function of the user's asks for an object's class.
_ASKING = {"__class__", "isinstance", "issubclass"}


class _Operators:
    """Operators on `self.node`."""

    __slots__ = ()
    __array_priority__ = 1000

    @property
    def __class__(self):
        # The libraries ask for it, too, from C in the frame of the user's.
        frame = sys._getframe(1)
        if MARK not in frame.f_globals or not _ASKING.intersection(frame.f_code.co_names):
            return type(self)
        return captured_type(self) or refuse("a question that does not need an element's type", "__class__")

    def __hash__(self):
        return hash(self.item()) if _is_known(self.node) else refuse("a value that is in no set and no key of a dict",
                                                                     "hash()")

    def __str__(self):
        """The text of a captured number, since it may be a key; else that of the object."""
        return str(self.item()) if getattr(self, "ndim", 0) == 0 and _is_captured(self.node) else repr(self)

    def __format__(self, form):
        return format(self.item(), form) if getattr(self, "ndim", 0) == 0 and _is_captured(self.node) else repr(self)

    __array__ = _refused("a value that is in no array, nor an index into an array that is not captured: make the array "
                         "before the function", "a list or an array of NumPy with it")
    __setitem__ = _refused("a function that changes nothing", "an assignment to an index")

    __add__, __radd__ = _binary(arithmetic("add"), operator.add)
    __sub__, __rsub__ = _binary(subtract, operator.sub)
    __mul__, __rmul__ = _binary(arithmetic("mul"), operator.mul)
    __truediv__, __rtruediv__ = _binary(Graph.divide, operator.truediv)
    __floordiv__, __rfloordiv__ = _binary(Graph.floor_divide, operator.floordiv)
    __mod__, __rmod__ = _binary(Graph.remainder, operator.mod)
    __pow__, __rpow__ = _binary(power, operator.pow)
    __and__, __rand__ = _binary(lambda graph, left, right: bitwise("and", left, right), operator.and_)
    __or__, __ror__ = _binary(lambda graph, left, right: bitwise("or", left, right), operator.or_)
    __xor__, __rxor__ = _binary(lambda graph, left, right: bitwise("xor", left, right), operator.xor)
    __lshift__, __rlshift__ = _binary(lambda graph, left, right: shift("shl", left, right), operator.lshift)
    __rshift__, __rrshift__ = _binary(lambda graph, left, right: shift("shr", left, right), operator.rshift)
    __lt__, __le__, __gt__ = _compared("lt"), _compared("le"), _compared("gt")
    __ge__, __eq__, __ne__ = _compared("ge"), _compared("eq"), _compared("ne")

    def __divmod__(self, other):
        return NotImplemented if _is_foreign(other) else (self // other, self % other)

    def __rdivmod__(self, other):
        return NotImplemented if _is_foreign(other) else (other // self, other % self)

    __neg__, __invert__ = _by_function("negative"), _by_function("invert")

    def __round__(self, digits=None):
        return self._whole("round") if digits is None else call("round", (self, digits), {})

    __floor__, __ceil__, __trunc__ = _as_integer("floor"), _as_integer("ceil"), _as_integer(None)

    def _whole(self, function):
        """An integer, as of Python's own functions."""
        node = self.node
        if node.dtype == "f32":
            node = _graph().cast(node if function is None else _graph().function(function, node), "i32")
        return Traced(_graph().cast(node, "i64") if node.dtype == "i1" else node)

    def __pos__(self):
        return Traced(self.node)

    def __abs__(self):
        return Traced(_graph().absolute(self.node))

    def __bool__(self):
        return bool(_known(self.node, "bool(), as of `if`, `and`, `or`, `not`, min() and max()",
                           "where, logical_and, &, | or minimum"))

    def __int__(self):
        return int(_known(self.node, "int()", "to(torch.int32) or astype(np.int32)"))

    def __index__(self):
        if self.node.dtype == "f32":
            refuse("an integer as an index", "a float")
        return int(_known(self.node, "an index, as of range() and of a list", "make an array of a list before, "
                          "np.array(...) or torch.tensor(...), and capture that"))

    def __float__(self):
        return float(_known(self.node, "float(), as of the functions of `math`", "those of numpy or torch"))

    def item(self):
        value = _known(self.node, "item()", "the value itself")
        return float(value) if self.node.dtype == "f32" else bool(value) if self.node.dtype == "i1" else int(value)

    __len__ = _refused("a value of one element", "len()")
    __iter__ = _refused("a value of one element", "an iteration over it")

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if method != "__call__" or options.get("out") is not None:
            refuse("a plain call of a function of NumPy", f"{ufunc.__name__}.{method}")
        return call(ufunc.__name__, inputs, options, "numpy")

    def __array_function__(self, function, types, arguments, options):
        return call(function.__name__, arguments, options, "numpy")

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), options=None):
        return call(function.__name__, arguments, options or {}, "torch")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if not is_taken(name, "method"):
            refuse("an operation that can be traced", f".{name}")
        return lambda *arguments, **options: call(name, (self, *arguments), options, "method")


class Traced(_Operators):
    """An element that is not known yet: of a score, a position, or computed of them."""

    __slots__ = ("node",)
    shape, ndim, is_cuda, device = (), 0, False, None

    def __init__(self, node):
        self.node = node if is_recorded() else _graph().detached(node)

    @property
    def dtype(self):
        """NumPy's name of its type, or PyTorch's where that has been imported."""
        name = NAMES[self.node.type]
        torch = sys.modules.get("torch")
        return np.dtype(name) if torch is None else getattr(torch, name)

    def dim(self):
        return 0

    def __getitem__(self, index):
        if index is None or index is Ellipsis or index == ():
            return self
        return refuse("a value of one element", "an index into it")

    def __repr__(self):
        return f"<{self.node.op} of {self.node.type if self.node.type != 'int' else 'i32'} in a score_mod or mask_mod>"


class TracedArray(_Operators):
    """A captured array, of which leading dimensions may have been indexed.

    number: of the capture. extents: a function that gives the traced extent of a dimension. is_detached: whether its
    elements have no derivative.
    """

    __slots__ = ("number", "rank", "element_type", "extent", "own_dtype", "indices", "is_detached")
    device = None

    def __init__(self, number, rank, element_type, extent, dtype, indices=(), is_detached=False):
        self.number, self.rank, self.element_type, self.extent = number, rank, element_type, extent
        self.own_dtype, self.indices, self.is_detached = dtype, indices, is_detached

    @property
    def dtype(self):
        return self.own_dtype

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

    def element(self):
        if self.ndim:
            refuse("a captured array with an index for each dimension", f"one that lacks {self.ndim} of {self.rank}")
        graph = _graph()
        indices = []
        for place, index in enumerate(self.indices):
            if index.low < 0:
                wrapped = graph.arithmetic("add", index, self.extent(place).node)
                index = graph.where(graph.compare("lt", index, graph.constant(0)), wrapped, index)
            indices.append(index)
        own = type_of(self.dtype)
        node = graph.node("load", LOADED.get(own, own), *indices, payload=self.number,
                          bounds=RANGES.get(own, RANGES["f32"]), type=own if own in RANGES else "f32")
        return Traced(graph.detached(node) if self.is_detached else node)

    def detached(self):
        """The array, whose elements have no derivative."""
        return TracedArray(self.number, self.rank, self.element_type, self.extent, self.dtype, self.indices, True)

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
            found.append(_graph().cast(node, "i64" if node.type in ("i64", "u32") else "i32"))
        array = TracedArray(self.number, self.rank, self.element_type, self.extent, self.dtype,
                            (*self.indices, *found), self.is_detached)
        return array if array.ndim else array.element()

    def __len__(self):
        if not self.ndim:
            refuse("an array of at least one dimension under len()", "an element")
        return int(self.shape[0])

    def __iter__(self):
        return iter([self[place] for place in range(len(self))])

    def __contains__(self, value):
        return any(one == value for one in self)

    def __repr__(self):
        return f"<captured array of {self.element_type}, {self.ndim} dimensions>"


def _is_known(node):
    """Whether a node depends on captured numbers and elements alone."""
    return all(leaf.op in ("constant", "number") or leaf.op == "load" for leaf in node.leaves())


def _is_captured(node):
    """Whether a node is known and no constant."""
    return _is_known(node) and node.op != "constant"


def _known(node, got, instead):
    """The value of a node that depends on captured numbers and elements alone, which the expression is then for.
    Refuses others."""
    record = recording.get()
    if not _is_known(node):
        refuse(f"operations on elements, which have no value yet ({instead})", got)
    library = evaluation.library()
    for here in evaluation.in_order(node):
        if here.op == "number":
            record.fixed.add(here.payload)
        elif here.op == "load":
            _fix_element(record, here, library)
    return evaluation.evaluate(node, {}, _host_values(record), library)


def captured_type(value):
    """The type of a captured number or array, None for other elements. The expression then holds for that type."""
    record = recording.get()
    if isinstance(value, TracedArray):
        if value.indices:
            return None
        number = value.number
    elif value.node.op == "number":
        number = value.node.payload
    else:
        return None
    record.types[number] = record.own[number]
    return record.own[number]


def _host_values(record):
    """The captures' values, those of a device in host memory."""
    return [adapters.host_value(value) if adapters.is_torch(value) and value.device.type != "meta" else value
            for value in record.values]


def _fix_element(record, load, library):
    """Notes the element that a load reads, whose indices are known."""
    array, values = record.values[load.payload], _host_values(record)
    if adapters.is_torch(array) and array.device.type == "meta":
        refuse("operations on captured tensors whose elements are not needed while a graph is made",
               "one that needs an element")
    place = []
    for index, size in zip(load.operands, array.shape or (1,)):
        number = int(evaluation.evaluate(index, {}, values, library))
        if not size:
            refuse("a captured array with elements", "one that has none", ValueError)
        place.append(min(max(number + size if number < 0 else number, 0), size - 1))
    key = load.payload, tuple(place)
    record.elements[key] = (array[tuple(place)] if array.ndim else array).item()


def bitwise(op, left, right):
    if "f32" in (left.dtype, right.dtype):
        refuse("booleans or integers under &, | and ^", "a float")
    return _graph().bitwise(op, left, right)


def shift(op, left, right):
    if "f32" in (left.dtype, right.dtype):
        refuse("integers under << and >>", "a float")
    return _graph().shift(op, left, right)


#: Functions and methods by their names in NumPy and PyTorch, filled by _trace/traced_functions.py; those that differ,
#: of "numpy", "torch" or a "method", by (that, name).
METHODS = {}
#: Names of arguments that the two libraries have for ours.
_ALIASES = {"input": "x", "self": "x", "a": "x", "x1": "x", "element": "x", "elements": "x", "y": "other",
            "x2": "other", "exponent": "other", "tensor": "x"}
#: Options that change no value.
_IGNORED = "device", "copy", "non_blocking", "memory_format", "inplace", "order", "subok", "layout", "requires_grad"


def is_taken(name, library):
    return name in METHODS or (library, name) in METHODS


def call(name, arguments, options, library="method"):
    """A function of NumPy or PyTorch, or a method, on traced values."""
    plain = (name.strip("_") if name.startswith("__") else name).removeprefix("special_")
    function = METHODS.get((library, plain)) or METHODS.get(plain)
    if function is None:
        if name == "__getitem__":
            refuse("an index into an array that is captured: make the array before the function", "an index into "
                   "another")
        refuse("a function that can be traced", f"{name}()")
    options = {_ALIASES.get(key, key): value for key, value in options.items() if value is not None and key
               not in _IGNORED}
    try:
        result = function(*arguments, **options)
    except TypeError as error:
        if str(error).startswith("argument '"):
            raise
        # The function's own name is none of the user's.
        refuse(f"arguments of {name}() that can be traced", re.sub(r"^[\w.<>]+\(\)", f"{name}()", str(error)))
    return tuple(map(_value, result)) if isinstance(result, tuple) else _value(result)


def _value(result):
    return result if isinstance(result, (Traced, TracedArray)) else Traced(result)
