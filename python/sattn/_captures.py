"""What a score_mod or a mask_mod captures: by closure, global, default, attribute, in containers and other functions.

A function is traced with stand-ins in the places of the numbers and arrays that it reads. Each read is noted as a
Reader, so that a later call reads what is there then, and finds out whether the expression still holds.
"""

import dataclasses
import dis
import enum
import functools
import sys
import types

import numpy as np

from . import _arrays, _traced, _tracing
from ._expression import RANGES

#: Integers that an f32 holds.
SMALL = 2**24
# Libraries whose functions are called with traced values as they are.
LIBRARIES = (set(sys.stdlib_module_names) - {"__main__"}) | {"numpy", "torch", "ml_dtypes", "scipy"}
# Of those, modules whose functions and objects capture the user's functions and arrays.
OPENED = {"torch.nn.attention.flex_attention", "torch.nn.attention.experimental._paged_attention"}


@dataclasses.dataclass(frozen=True)
class Capture:
    """A value that the kernel gets with each call.

    kind: "float", "small" or "large" (integers), "array", or "extent" of an array's dimension. name: as the user's
    function has it. reader: number of its Reader. element, rank: of an array.
    """

    kind: str
    name: str
    reader: int
    element: str = ""
    rank: int = 0
    dimension: int = 0


#: How a value may be read of the one that has it, by a key: what gives the function that reads it.
READS = {
    "closure": lambda key: lambda parent: parent.__closure__[key].cell_contents,
    "global": lambda key: lambda parent: parent.__globals__[key],
    "default": lambda key: lambda parent: parent.__defaults__[key],
    "keyword default": lambda key: lambda parent: parent.__kwdefaults__[key],
    "function": lambda key: lambda parent: parent.__func__,
    "self": lambda key: lambda parent: parent.__self__,
    "partial": lambda key: lambda parent: parent.func,
    "argument": lambda key: lambda parent: parent.args[key],
    "keyword": lambda key: lambda parent: parent.keywords[key],
    "attribute": lambda key: lambda parent: getattr(parent, key),
    "method": lambda key: lambda parent: getattr(parent, key).__func__,
    "call": lambda key: lambda parent: type(parent).__call__,
    "item": lambda key: lambda parent: parent[key]}


@dataclasses.dataclass(frozen=True)
class Reader:
    """How a value is read of another one (a name of READS and its key), and whether it is of the kind that was traced."""

    parent: int
    read: object
    check: object
    how: str
    key: object


@functools.cache
def _numpy_element(dtype):
    if dtype.name == "bfloat16":
        return "bf16"
    return {"bool": "bool", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32",
            "uint32": "u32", "int64": "i64", "float16": "f16", "float32": "f32", "float64": "f64"}.get(dtype.name, "")


@functools.cache
def _torch_element(dtype):
    return {"torch.bool": "bool", "torch.int8": "i8", "torch.uint8": "u8", "torch.int16": "i16", "torch.uint16": "u16",
            "torch.int32": "i32", "torch.uint32": "u32", "torch.int64": "i64", "torch.float16": "f16",
            "torch.bfloat16": "bf16", "torch.float32": "f32", "torch.float64": "f64"}.get(str(dtype), "")


def element_of(array):
    """Our name of a captured array's element type, or ""."""
    return _numpy_element(array.dtype) if isinstance(array, np.ndarray) else _torch_element(array.dtype)


# The types that a kernel reads; others are converted in each call.
PASSED = {"bool": "i8", "i8": "i8", "u8": "i8", "i16": "i32", "u16": "i32", "i32": "i32", "u32": "i64", "i64": "i64",
          "f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f32"}
# The types that an expression has of them.
LOADED = {**PASSED, "bool": "bool", "u8": "u8"}


def _is_array(value):
    return isinstance(value, np.ndarray) or _arrays.is_torch(value)


def _number_kind(value):
    """"float", "small" or "large" of a number, "" of anything else."""
    if type(value) is int or isinstance(value, (int, np.integer)) and not isinstance(value, (bool, enum.Enum)):
        if -SMALL <= value <= SMALL:
            return "small"
        return "large" if RANGES["i32"][0] <= value <= RANGES["i32"][1] else ""
    return "float" if isinstance(value, (float, np.floating)) else ""


def _is_number_array(value):
    """Whether it is an array without dimensions whose number is in host memory."""
    return _is_array(value) and value.ndim == 0 and (isinstance(value, np.ndarray) or value.device.type == "cpu"
                                                     and not _traced.stands_for_others(value))


def _same(constant):
    def check(value):
        if value is constant:
            return True
        if type(value) is not type(constant) or type(value).__eq__ is object.__eq__:
            return False
        try:
            return bool(value == constant)
        except (TypeError, ValueError):
            return False
    return check


def _array_check(array, element, rank):
    own, dtype = type(array), array.dtype

    def check(value):
        if type(value) is own and value.dtype == dtype:  # As most are.
            return value.ndim == rank
        return _is_array(value) and value.ndim == rank and element_of(value) == element
    return check


def _global_names(code):
    """Names of globals that a code object and those inside it read."""
    names = {instruction.argval for instruction in dis.get_instructions(code)
             if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _global_names(constant)
    return names


def _is_opened(function):
    """Whether a Python function is traced through: one of the user's, or that combines those."""
    module = function.__module__ or ""
    if module in OPENED or module == f"{__package__}._masks":
        return True
    return module.partition(".")[0] not in LIBRARIES | {__package__}


class _Namespace:
    """An object of the user's, whose attributes are read as captures."""

    def __init__(self, stand_ins, reader, name, value):
        self.__dict__["_sattn"] = stand_ins, reader, name, value

    def __getattr__(self, name):
        stand_ins, reader, own, value = self.__dict__["_sattn"]
        found = stand_ins.look(reader, name)
        if isinstance(found, types.MethodType) and found.__self__ is value:
            function = stand_ins.take(reader, f"{own}.{name}", "method", name)
            return types.MethodType(function, self) if callable(function) else found
        return stand_ins.take(reader, f"{own}.{name}", "attribute", name)

    def __call__(self, *arguments, **options):
        stand_ins, reader, own, value = self.__dict__["_sattn"]
        function = stand_ins.take(reader, own, "call")
        return function(self, *arguments, **options)

    def __getitem__(self, key):
        stand_ins, reader, own, value = self.__dict__["_sattn"]
        return stand_ins.take(reader, f"{own}[{key!r}]", "item", key)


class StandIns:
    """Makes what stands for the values that a function reads. readers: of all, the first is the function itself."""

    def __init__(self, record, function):
        self.record = record
        self.readers, self.values = [], []
        self._functions = {}
        self.function = self._taken(-1, function, getattr(function, "__name__", type(function).__name__), None, "", None)

    def read(self, parent, how, key):
        """The value that is read of the parent's."""
        return READS[how](key)(self.values[parent])

    def look(self, parent, name):
        """An attribute of the parent's, which is not noted."""
        return getattr(self.values[parent], name)

    def take(self, parent, name, how, key=None):
        """What stands for a value that is read of the parent's."""
        return self._taken(parent, self.read(parent, how, key), name, READS[how](key), how, key)

    def _taken(self, parent, value, name, read, how, key):
        if isinstance(value, types.FunctionType) and id(value) in self._functions:
            return self._functions[id(value)]
        number = len(self.readers)
        check, make = self._kind(value, name, number)
        self.readers.append(Reader(parent, read, check, how, key))
        self.values.append(value)
        return make()

    def _kind(self, value, name, number):
        """(what tells values of the same kind, what makes the stand-in)."""
        if isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] in LIBRARIES:
            return lambda other: other is value, lambda: value
        kind = _number_kind(value)
        if kind:
            return lambda other: _number_kind(other) == kind, lambda: self._number(kind, name, number, value)
        if _is_number_array(value):
            kind = _number_kind(value.item())
            return (lambda other: _is_number_array(other) and _number_kind(other.item()) == kind,
                    lambda: self._number(kind, name, number, value.item()) if kind else value.item())
        if _is_array(value):
            return self._array(value, name, number)
        if isinstance(value, types.FunctionType):
            if not _is_opened(value):
                return _same(value), lambda: value
            code = value.__code__
            return (lambda other: isinstance(other, types.FunctionType) and (other.__code__ is code
                                                                            or other.__code__ == code),
                    lambda: self._rebuilt(value, name, number))
        if isinstance(value, types.MethodType):
            return lambda other: isinstance(other, types.MethodType), lambda: self._method(name, number)
        if isinstance(value, functools.partial):
            count, keys = len(value.args), tuple(value.keywords)
            return (lambda other: isinstance(other, functools.partial) and len(other.args) == count
                    and tuple(other.keywords) == keys, lambda: self._partial(name, number, count, keys))
        if type(value) in (list, tuple):
            own, size = type(value), len(value)
            return (lambda other: type(other) is own and len(other) == size,
                    lambda: own(self.take(number, f"{name}[{place}]", "item", place) for place in range(size)))
        if type(value) is dict:
            keys = tuple(value)
            return (lambda other: type(other) is dict and tuple(other) == keys,
                    lambda: {key: self.take(number, f"{name}[{key!r}]", "item", key) for key in keys})
        is_object = not isinstance(value, (type, types.BuiltinFunctionType, np.ufunc, str, bytes, bool, enum.Enum,
                                           np.dtype, np.generic)) and (hasattr(value, "__dict__") or isinstance(value, tuple))
        if is_object and type(value).__module__.partition(".")[0] not in LIBRARIES - {"types", "argparse", "builtins"} \
                or is_object and type(value).__module__ in OPENED or _is_module_of_torch(value):
            own = type(value)
            return lambda other: type(other) is own, lambda: _Namespace(self, number, name, value)
        return _same(value), lambda: value

    def _number(self, kind, name, number, value):
        capture = self.record.add(Capture(kind, name, number), value)
        dtype = "f32" if kind == "float" else "i32"
        return _tracing.Traced(self.record.graph.node("number", dtype, payload=capture))

    def _array(self, array, name, number):
        element, rank = element_of(array), array.ndim
        if not element:
            raise TypeError(f"argument '{self.record.name}': expected captured arrays of booleans, integers of at most 64 "
                            f"bits or floats, but got {name} of {array.dtype}")
        if isinstance(array, np.ma.MaskedArray):
            raise TypeError(f"argument '{self.record.name}': expected captured arrays without a mask, but got {name}; use "
                            "filled()")

        def make():
            # One element of a device is an array of one dimension.
            capture = self.record.add(Capture("array", name, number, element, max(rank, 1)), array)

            def extent(dimension):
                own = Capture("extent", f"{name}.shape[{dimension}]", number, dimension=dimension)
                place = self.record.add(own, array.shape[dimension])
                return _tracing.Traced(self.record.graph.node("number", "i32", payload=place, bounds=(0, 2**31 - 1)))

            first = () if rank else (self.record.graph.constant(0),)
            return _tracing.TracedArray(capture, max(rank, 1), LOADED[element], extent, array.dtype, first)

        return _array_check(array, element, rank), make

    def _rebuilt(self, function, name, number):
        """The function with stand-ins in the places of what it reads."""
        names = dict(function.__globals__)
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        rebuilt = types.FunctionType(function.__code__, names, function.__name__, None, cells or None)
        self._functions[id(function)] = rebuilt
        for place, (free, cell) in enumerate(zip(function.__code__.co_freevars, function.__closure__ or ())):
            try:
                cell.cell_contents
            except ValueError:  # Not bound yet, which reading it says.
                continue
            cells[place].cell_contents = self.take(number, free, "closure", place)
        for key in sorted(_global_names(function.__code__) & names.keys()):
            names[key] = self.take(number, key, "global", key)
        if function.__defaults__:
            own = function.__code__.co_varnames[:function.__code__.co_argcount][-len(function.__defaults__):]
            rebuilt.__defaults__ = tuple(self.take(number, free, "default", place) for place, free in enumerate(own))
        if function.__kwdefaults__:
            rebuilt.__kwdefaults__ = {key: self.take(number, key, "keyword default", key)
                                      for key in function.__kwdefaults__}
        return rebuilt

    def _method(self, name, number):
        function = self.take(number, name, "function")
        return types.MethodType(function, self.take(number, "self", "self"))

    def _partial(self, name, number, count, keys):
        function = self.take(number, name, "partial")
        given = [self.take(number, f"{name}.args[{place}]", "argument", place) for place in range(count)]
        named = {key: self.take(number, key, "keyword", key) for key in keys}
        return functools.partial(function, *given, **named)


def _is_module_of_torch(value):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)
