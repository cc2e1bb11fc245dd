"""What a score_mod or a mask_mod captures: by closure, global, default, attribute, in containers and other functions.

A function is traced with stand-ins in the places of the numbers and arrays that it reads. Each read is noted as a
Reader, so that a later call reads what is there then, and finds out whether the expression still holds.
"""

import argparse
import array
import builtins
import collections
import dataclasses
import decimal
import dis
import enum
import fractions
import functools
import operator
import os
import re
import sys
import threading
import types

import numpy as np

from .._arrays import adapters, autograd, stand_ins
from . import proxies, traced_builtins, tracing
from .element_types import RANGES, type_of
from .tracing import PACKAGE

#: Integers that an f32 holds.
SMALL = 2**24
_STANDARD = set(sys.stdlib_module_names) - {"__main__"}
# Libraries whose functions are called with traced values as they are.
LIBRARIES = _STANDARD | {"numpy", "torch", "ml_dtypes", "scipy"}
# Of those, modules whose functions and objects capture the user's functions and arrays.
OPENED = {"torch.nn.attention.flex_attention", "torch.nn.attention.experimental._paged_attention"}
#: Modules of Python's library whose functions' results depend on their arguments alone, or that are for messages.
_PURE = {"builtins", "math", "cmath", "operator", "_operator", "functools", "_functools", "itertools", "collections",
         "_collections", "_collections_abc", "abc", "_abc", "dataclasses", "typing", "types", "enum", "numbers",
         "contextlib", "re", "string", "bisect", "_bisect", "heapq", "_heapq", "statistics", "fractions", "decimal",
         "_decimal", "warnings", "_warnings", "logging", "pprint", "pdb", "traceback", "struct", "_struct",
         "textwrap", "reprlib", "array", "colorsys"}
#: Functions of PyTorch and NumPy that read a state, or what a stand-in is.
_STATEFUL = {"rand", "randn", "randint", "randperm", "bernoulli", "normal", "multinomial", "poisson", "seed",
             "initial_seed", "get_rng_state", "get_default_dtype", "get_default_device", "is_grad_enabled",
             "is_inference_mode_enabled", "get_num_threads", "rand_like", "randn_like", "randint_like", "is_tensor",
             "isscalar", "load", "fromfile", "loadtxt", "genfromtxt", "memmap"}
#: Types of which a value never changes.
_CONSTANT = (str, bytes, bool, complex, type(None), type(...), type(NotImplemented), range, slice, np.dtype, np.generic,
             fractions.Fraction, decimal.Decimal, re.Pattern, operator.itemgetter, operator.attrgetter,
             operator.methodcaller)
_CONSTANT_NAMES = {"torch.dtype", "torch.device", "torch.layout", "torch.memory_format", "torch.Size"}
#: Callable types of libraries, of which a value never changes.
_FUNCTIONS = (np.ufunc, type(np.where), types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType,
              types.GetSetDescriptorType, types.MemberDescriptorType)
_ENVIRONMENT = type(os.environ)
_MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter, collections.ChainMap,
             collections.UserDict, types.MappingProxyType, _ENVIRONMENT)
_SEQUENCES = (list, tuple, collections.deque, collections.UserList)
#: Types of containers of constants alone that are compared as a whole.
_WHOLE = (set, frozenset, bytearray, array.array)
#: Classes of libraries whose objects are the user's namespaces.
_NAMESPACES = (types.SimpleNamespace, argparse.Namespace, threading.local)


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


_BUILTINS = vars(builtins)
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
    "special": lambda key: lambda parent: getattr(type(parent), key),
    "slot": lambda key: lambda parent: static(type(parent), key),
    "class": lambda key: type,
    "lacks": lambda key: lambda parent: hasattr(parent, key),
    "builtin": lambda key: lambda parent: key in parent.__globals__ or _BUILTINS.get(key),
    "module": lambda key: lambda parent: sys.modules.get(key),
    "super": lambda key: lambda parent: _after(parent, *key),
    "super function": lambda key: lambda parent: _after(parent, *key).__func__,
    "super property": lambda key: lambda parent: _after(parent, *key).fget,
    "contents": lambda key: lambda parent: _contents(parent),
    "content": lambda key: lambda parent: _base(parent).__getitem__(parent, key),
    "item": lambda key: lambda parent: parent[key]}


def static(cls, name):
    """What a class has under a name, as it is there; None where it has nothing."""
    return next((vars(one)[name] for one in cls.__mro__ if name in vars(one)), None)


def _after(parent, place, name):
    """What the classes of a value, or of a class, from one on have under a name."""
    order = (parent if isinstance(parent, type) else type(parent)).__mro__
    return next(vars(one)[name] for one in order[place:] if name in vars(one))


def _base(value):
    """The container that the class of an object is derived of, or None."""
    return next((base for base in (list, tuple, dict, set, frozenset) if isinstance(value, base)), None)


def _contents(value):
    """What an object contains: keys, how many, or the constants of a set."""
    base = _base(value)
    if base is dict:
        return tuple(dict.keys(value))
    return base.__len__(value) if base in (list, tuple) else frozenset(base.__iter__(value))


@dataclasses.dataclass(frozen=True)
class Reader:
    """How a value is read of another one (a name of READS and its key), and whether it is of the kind that was traced."""

    parent: int
    read: object
    check: object
    how: str
    key: object
    #: The number of the reader whose value it is, too, in the place of a check; or -1.
    same: int = -1


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
    return isinstance(value, np.ndarray) or adapters.is_torch(value)


def _number_kind(value):
    """"float", "small" or "large" of a number, "" of anything else."""
    own = type(value)
    if own is int or own is not bool and issubclass(own, (int, np.integer)) and _is_plain_number(own):
        if -SMALL <= value <= SMALL:
            return "small"
        return "large" if RANGES["i32"][0] <= value <= RANGES["i32"][1] else ""
    return "float" if own is float or issubclass(own, (float, np.floating)) and _is_plain_number(own) else ""


def _number_check(kind, value):
    """What tells numbers of the kind and, of integers, of the type of a number."""
    if kind == "float":
        return lambda other: _number_kind(other) == kind
    if isinstance(value, np.generic):
        own = type(value)
        return lambda other: type(other) is own and _number_kind(other) == kind
    return lambda other: _number_kind(other) == kind and not isinstance(other, np.generic)


@functools.lru_cache(1024)
def _is_plain_number(own):
    """Whether the numbers of a type are computed with as those of its base are."""
    return not issubclass(own, enum.Enum) and all(one.__module__ in ("builtins", "numpy", "ml_dtypes") or not any(
        name in vars(one) for name in (*proxies._ALL, "__getattr__", "__getattribute__")) for one in own.__mro__)


def _is_number_array(value):
    """Whether it is an array without dimensions whose number is in host memory, of which no gradient is wanted."""
    return _is_array(value) and value.ndim == 0 and (isinstance(value, np.ndarray) or value.device.type == "cpu"
                                                     and not stand_ins.stands_for_others(value)
                                                     and not autograd.needs_gradient(value))


def _same(constant):
    if type(constant) in (types.BuiltinFunctionType, type, np.ufunc, types.FunctionType):
        return lambda value: value is constant

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


def _codes(code):
    """A code object and those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


@functools.lru_cache(4096)
def _global_names(code):
    """(names of globals and builtins that a code object and those inside it read, whether one asks what is identical)."""
    names, asks, before = set(), False, None
    for one in _codes(code):
        for instruction in dis.get_instructions(one):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                names.add(instruction.argval)
            constant = before is not None and before.opname == "LOAD_CONST"
            asks |= instruction.opname == "IS_OP" and not (constant and isinstance(before.argval, (bool, type(None))))
            before = instruction
    return frozenset(names), asks


def _root(module):
    return (module or "").partition(".")[0]


def _is_opened(function):
    """Whether a Python function is traced through: one of the user's, or that may combine those."""
    module = function.__globals__.get("__name__", "")
    if module in OPENED or module == f"{PACKAGE}._masks.mask_functions":
        return True
    if _root(module) not in LIBRARIES | {PACKAGE}:
        return True
    if not function.__closure__ and not function.__dict__:
        return False
    found = sys.modules.get(module)
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is not function


def _is_constant(value):
    own = type(value)
    if own in (tuple, frozenset):
        return all(map(_is_constant, value))
    return own in (int, float) or issubclass(own, _CONSTANT) and _root(own.__module__) in LIBRARIES \
        or f"{own.__module__}.{own.__name__}" in _CONSTANT_NAMES


def _is_constant_enum(value):
    """Whether it is a member of an Enum that is a number or a string, and has no functions of the user's."""
    own = type(value)
    return isinstance(value, enum.Enum) and isinstance(value, (int, float, str)) and _is_constant(value.value) \
        and all(_is_constant(found) or found is own for found in vars(value).values()) \
        and not any(_has_functions(one) for one in own.__mro__)


def _has_functions(cls):
    """Whether a class of the user's has functions of the user's."""
    kinds = types.FunctionType, property, classmethod, staticmethod
    return _root(cls.__module__) not in LIBRARIES and any(
        isinstance(found, kinds) and _root(getattr(found, "__module__", None) or cls.__module__) not in LIBRARIES
        for found in vars(cls).values())


def _is_function_of_library(value):
    """Whether it is a callable of a library, whose result depends on its arguments alone."""
    if isinstance(value, types.BuiltinFunctionType):
        owner = value.__self__
        if not (owner is None or isinstance(owner, (types.ModuleType, type))
                or type(owner).__module__.startswith("torch.")):
            return False
    elif isinstance(value, types.FunctionType):
        if _is_opened(value):
            return False
    elif not isinstance(value, _FUNCTIONS) \
            and not (callable(value) and type(value).__module__ in ("torch._ops", "numpy")):
        return False
    module, name = getattr(value, "__module__", None) or "", getattr(value, "__name__", "")
    if isinstance(value, types.FunctionType):
        module = value.__globals__.get("__name__", "")
    if module.startswith("numpy.random") or name in _STATEFUL and _root(module) in ("torch", "numpy", ""):
        return False
    # What is identical is known of operators alone.
    return (_root(module) not in _STANDARD or module in _PURE) and not (module == "_operator" and name.startswith("is_"))


def _is_class_of_library(value):
    """Whether it is a class that is called as it is."""
    return isinstance(value, type) and (issubclass(value, BaseException) and value.__module__ == "builtins"
                                        or _root(value.__module__) in LIBRARIES and value.__module__ not in OPENED
                                        and (_root(value.__module__) not in _STANDARD or value.__module__ in _PURE))


def is_of_library(value):
    """Whether it is taken as it is, since it never changes."""
    return _is_constant(value) or _is_function_of_library(value) or _is_class_of_library(value)


def is_object(own):
    """Whether the objects of a class are the user's: their attributes are read, and their functions traced through."""
    if own in _NAMESPACES or own is types.ModuleType or own.__module__ in OPENED:
        return True
    torch = sys.modules.get("torch")
    if torch is not None and issubclass(own, torch.nn.Module):
        return True
    return _root(own.__module__) not in LIBRARIES | {PACKAGE} and not issubclass(own, (types.FunctionType, types.MethodType))


#: The type of what functools.cache gives: its function is traced through.
_CACHED = type(functools.cache(abs))


class StandIns:
    """Makes what stands for the values that a function reads. readers: of all, the first is the function itself."""

    #: Whether arrays that are read twice are one stand-in, too.
    with_arrays = False

    def __init__(self, record, function, with_arrays=False):
        self.record, self.with_arrays = record, with_arrays
        self.readers, self.values = [], []
        #: Why a value is refused, by the reader's number.
        self.refusals = {}
        #: Whether the expression depends on which of the values are identical.
        self.identity = False
        self._by_path, self._by_identity, self._pinned, self._views = {}, {}, set(), {}
        #: Globals of the functions that are traced.
        self._globals = []
        self.function = self._taken(-1, function, getattr(function, "__name__", type(function).__name__), None, "", None)

    def read(self, parent, how, key):
        """The value that is read of the parent's."""
        return READS[how](key)(self.values[parent])

    def look(self, parent, name):
        """An attribute of the parent's, which is not noted."""
        return getattr(self.values[parent], name)

    def static(self, parent, name):
        """What the class of the parent's has under a name; not noted."""
        return static(type(self.values[parent]), name)

    def take(self, parent, name, how, key=None):
        """What stands for a value that is read of the parent's."""
        path = parent, how, key
        if path not in self._by_path:
            self._by_path[path] = self._taken(parent, self.read(parent, how, key), name, READS[how](key), how, key)
        return self._by_path[path]

    def note(self, parent, name, how, key=None):
        """Notes a value that must be the same, or equal. Gives it."""
        path = "note", parent, how, key
        if path not in self._by_path:
            value = self.read(parent, how, key)
            self.readers.append(Reader(parent, READS[how](key), _same(value), how, key))
            self.values.append(value)
            self._by_path[path] = value
        return self._by_path[path]

    def take_of_library(self, parent, name, key):
        """What stands for an attribute of a library's module."""
        try:
            value = self.look(parent, key)
        except AttributeError:
            self.note(parent, name, "lacks", key)
            raise
        if _number_kind(value):
            return self.note(parent, name, "attribute", key)
        return self.take(parent, name, "attribute", key)

    def class_of(self, stand_in):
        """What stands for the class of an object."""
        _, number, name, _ = proxies.inside(stand_in)
        return self.take(number, f"type({name})", "class")

    def is_pinned(self, number):
        """Whether a reader gives the same object each time."""
        return number in self._pinned

    def forget(self):
        """Lets go of the user's values, which the function that was traced refers to in a circle."""
        for kept in (self.values, self.record.values, self._by_path, self._by_identity, self._views, *self._globals):
            kept.clear()
        self.function = None

    def distinct(self):
        """Readers of all values that may be compared by identity, one of each."""
        return [number for number, stand_in in self._by_identity.values() if number]

    def view(self, number, name):
        """A plain container with stand-ins of what an object contains; None where it contains nothing."""
        if number not in self._views:
            value = self.values[number]
            base = _base(value)
            if base is None:
                return None
            contents = self.note(number, name, "contents")
            if base in (set, frozenset):
                self._views[number] = contents if all(map(_is_constant, contents)) else None
            elif base is dict:
                self._views[number] = {key: self.take(number, f"{name}[{key!r}]", "content", key) for key in contents}
            else:
                self._views[number] = (list if base is list else tuple)(
                    self.take(number, f"{name}[{place}]", "content", place) for place in range(contents))
        return self._views[number]

    def _taken(self, parent, value, name, read, how, key):
        known = self._by_identity.get(id(value))
        number = len(self.readers)
        if known is not None:
            self.readers.append(Reader(parent, read, None, how, key, known[0]))
            self.values.append(value)
            return known[1]
        check, make = self._kind(value, name, number)
        self.readers.append(Reader(parent, read, check, how, key))
        self.values.append(value)
        return make()

    def _known(self, number, stand_in):
        """Notes what stands for the value of a reader, wherever that is read. Gives it."""
        self._by_identity[id(self.values[number])] = number, stand_in
        return stand_in

    def _stand_in(self, own, number, name, value):
        return lambda: self._known(number, own(self, number, name, value))

    def _refused(self, value, name, number, why=None):
        own = type(value)
        if why is not None:
            self.refusals[number] = why
        return lambda other: type(other) is own, self._stand_in(proxies.Refused, number, name, value)

    def _kind(self, value, name, number):
        """(what tells values of the same kind, what makes the stand-in)."""
        own, function_type = type(value), types.FunctionType
        if isinstance(value, types.ModuleType) and _root(value.__name__) in LIBRARIES:
            return lambda other: other is value, self._stand_in(proxies.Module, number, name, value)
        kind = _number_kind(value)
        if kind:
            return _number_check(kind, value), lambda: self._number(kind, name, number, value, dtype=getattr(value, "dtype", None))
        if _is_number_array(value):
            return self._number_array(value, name, number)
        if _is_array(value):
            return self._array(value, name, number)
        if own is types.FunctionType and not _is_function_of_library(value):
            if not _is_opened(value):
                return self._refused(value, name, number, "whose result may depend on more than its arguments")
            code, attributes = value.__code__, tuple(value.__dict__)
            return (lambda other: type(other) is function_type and (other.__code__ is code or other.__code__ == code)
                    and (tuple(other.__dict__) == attributes if attributes else not other.__dict__),
                    lambda: self._rebuilt(value, name, number))
        if own is types.MethodType:
            return lambda other: type(other) is types.MethodType, lambda: self._method(name, number)
        if own is functools.partial:
            count, keys = len(value.args), tuple(value.keywords)
            return (lambda other: type(other) is functools.partial and len(other.args) == count
                    and tuple(other.keywords) == keys, lambda: self._partial(name, number, count, keys))
        if own is _CACHED:
            return lambda other: type(other) is own, lambda: self.take(number, name, "attribute", "__wrapped__")
        if own in _SEQUENCES:
            return self._sequence(value, name, number)
        if own in _MAPPINGS:
            return self._mapping(value, name, number)
        if own in _WHOLE and all(map(_is_constant, value)):
            copy = own(value) if own is not array.array else value[:]
            shown = frozenset(value) if own is set else copy
            return lambda other: type(other) is own and other == copy, lambda: self._known(number, shown)
        if is_of_library(value) or _is_constant_enum(value):
            shown = traced_builtins.replaced(value)
            return _same(value), lambda: shown
        if isinstance(value, type):
            return lambda other: other is value, self._stand_in(proxies.Class, number, name, value)
        if isinstance(value, enum.Enum) and is_object(own):
            self._pinned.add(number)
            return lambda other: other is value, self._stand_in(proxies.Object, number, name, value)
        if is_object(own):
            return lambda other: type(other) is own, self._stand_in(proxies.Object, number, name, value)
        return self._refused(value, name, number)

    def _sequence(self, value, name, number):
        own, size = type(value), len(value)

        def make():
            items = (self.take(number, f"{name}[{place}]", "item", place) for place in range(size))
            if own is tuple:
                return self._known(number, tuple(items))
            found = self._known(number, [] if own is collections.UserList else own())
            found.extend(items)
            return found
        return lambda other: type(other) is own and len(other) == size, make

    def _mapping(self, value, name, number):
        own, keys = type(value), tuple(value)
        if not all(_is_constant(key) or isinstance(key, (type, enum.Enum)) for key in keys):
            return self._refused(value, name, number, "whose keys may change")

        def make():
            found = self._known(number, own() if own in (dict, collections.OrderedDict) else proxies.Mapping(own))
            for key in keys:
                found[key] = self.take(number, f"{name}[{key!r}]", "item", key)
            return found
        return lambda other: type(other) is own and tuple(other) == keys, make

    def _number_array(self, value, name, number):
        """Of an array without dimensions, whose number is in host memory."""
        kind = _number_kind(value.item())
        if kind:
            dtype = value.dtype
            return (lambda other: _is_number_array(other) and _number_kind(other.item()) == kind
                    and (kind == "float" or other.dtype == dtype),
                    lambda: self._number(kind, name, number, value.item(), type(value), dtype))
        item = value.item()
        if type(item) not in (bool, int):
            return self._array(value, name, number)
        return (lambda other: _is_number_array(other) and type(other.item()) is type(item) and other.item() == item,
                lambda: value[()] if isinstance(value, np.ndarray) else item)

    def _number(self, kind, name, number, value, own=None, dtype=None):
        """dtype: of a number of a library's, whose type it keeps; None of Python's."""
        capture, graph = self.record.add(Capture(kind, name, number), value, own), self.record.graph
        if kind == "float":
            return tracing.Traced(graph.node("number", "f32", payload=capture))
        type = "int" if dtype is None else type_of(dtype) or "int"
        bounds = (-SMALL, SMALL) if kind == "small" else RANGES["i32"]
        low, high = RANGES[type]
        return tracing.Traced(graph.node("number", "i32", payload=capture, type=type,
                                         bounds=(max(bounds[0], low), min(bounds[1], high))))

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
                return tracing.Traced(self.record.graph.node("number", "i32", payload=place, bounds=(0, 2**31 - 1)))

            first = () if rank else (self.record.graph.constant(0),)
            found = tracing.TracedArray(capture, max(rank, 1), LOADED[element], extent, array.dtype, first)
            return self._known(number, found) if self.with_arrays else found

        return _array_check(array, element, rank), make

    def _rebuilt(self, function, name, number):
        """The function with stand-ins in the places of what it reads."""
        own = function.__globals__
        names = {key: own[key] for key in ("__name__", "__package__") if key in own}
        names[tracing.MARK] = True
        self._globals.append(names)
        names["__builtins__"] = traced_builtins.of(names, lambda key: self.take(number, key, "global", key),
                                                   lambda key: self.take(0, key, "module", key))
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        rebuilt = types.FunctionType(function.__code__, names, function.__name__, None, cells or None)
        rebuilt.__qualname__ = function.__qualname__
        self._known(number, rebuilt)
        read, asks = _global_names(function.__code__)
        self.identity |= asks
        for place, (free, cell) in enumerate(zip(function.__code__.co_freevars, function.__closure__ or ())):
            try:
                cell.cell_contents
            except ValueError:  # Not bound yet, which reading it says.
                continue
            cells[place].cell_contents = self.take(number, free, "closure", place)
        for key in sorted(read):
            if key in own:
                names[key] = self.take(number, key, "global", key)
            else:
                self.note(number, key, "builtin", key)
        if function.__defaults__:
            free = function.__code__.co_varnames[:function.__code__.co_argcount][-len(function.__defaults__):]
            rebuilt.__defaults__ = tuple(self.take(number, key, "default", place) for place, key in enumerate(free))
        if function.__kwdefaults__:
            rebuilt.__kwdefaults__ = {key: self.take(number, key, "keyword default", key)
                                      for key in function.__kwdefaults__}
        for key in function.__dict__:
            setattr(rebuilt, key, self.take(number, f"{name}.{key}", "attribute", key))
        return rebuilt

    def _method(self, name, number):
        function = self.take(number, name, "function")
        return types.MethodType(function, self.take(number, "self", "self"))

    def _partial(self, name, number, count, keys):
        function = self.take(number, name, "partial")
        given = [self.take(number, f"{name}.args[{place}]", "argument", place) for place in range(count)]
        named = {key: self.take(number, key, "keyword", key) for key in keys}
        return functools.partial(function, *given, **named)
