"""The values that a score_mod or a mask_mod captures: by closure, global, default, attribute, in containers and other
functions.

A function is traced with stand-ins in the places of the numbers and arrays that it reads. Each read is noted as a
Reader, so that a later call reads what is there then, and finds out whether the expression still holds.
"""

import array
import collections
import enum
import functools
import os
import types

import numpy as np

from . import proxies, traced_builtins, tracing
from .captured_kinds import (LIBRARIES, LOADED, SMALL, array_check, element_of, global_names, is_array, is_constant,
                             is_constant_enum, is_function_of_library, is_number_array, is_object, is_of_library,
                             is_opened, number_check, number_kind, root, same)
from .element_types import RANGES, type_of
from .readers import READS, Capture, Reader, base_of, static

_ENVIRONMENT = type(os.environ)
_MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter, collections.ChainMap,
             collections.UserDict, types.MappingProxyType, _ENVIRONMENT)
_SEQUENCES = (list, tuple, collections.deque, collections.UserList)
#: Types of containers of constants alone that are compared as a whole.
_WHOLE = (set, frozenset, bytearray, array.array)

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
        self.function = self._taken(-1, function, getattr(function, "__name__", type(function).__name__), None, "",
                                    None)

    def read(self, parent, how, key):
        """The value that is read of the parent's."""
        return READS[how](key)(self.values[parent])

    def look(self, parent, name):
        """An attribute of the parent's, which is not noted."""
        return getattr(self.values[parent], name)

    def static(self, parent, name):
        """The attribute of the parent's class under a name; the read is not noted."""
        return static(type(self.values[parent]), name)

    def take(self, parent, name, how, key=None):
        """The stand-in of a value that is read from the parent's."""
        path = parent, how, key
        if path not in self._by_path:
            self._by_path[path] = self._taken(parent, self.read(parent, how, key), name, READS[how](key), how, key)
        return self._by_path[path]

    def note(self, parent, name, how, key=None):
        """Notes a value that must be the same, or equal. Gives it."""
        path = "note", parent, how, key
        if path not in self._by_path:
            value = self.read(parent, how, key)
            self.readers.append(Reader(parent, READS[how](key), same(value), how, key))
            self.values.append(value)
            self._by_path[path] = value
        return self._by_path[path]

    def take_of_library(self, parent, name, key):
        """The stand-in of an attribute of a library's module."""
        try:
            value = self.look(parent, key)
        except AttributeError:
            self.note(parent, name, "lacks", key)
            raise
        if number_kind(value):
            return self.note(parent, name, "attribute", key)
        return self.take(parent, name, "attribute", key)

    def class_of(self, stand_in):
        """The stand-in of an object's class."""
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
            base = base_of(value)
            if base is None:
                return None
            contents = self.note(number, name, "contents")
            if base in (set, frozenset):
                self._views[number] = contents if all(map(is_constant, contents)) else None
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
        if isinstance(value, types.ModuleType) and root(value.__name__) in LIBRARIES:
            return lambda other: other is value, self._stand_in(proxies.Module, number, name, value)
        kind = number_kind(value)
        if kind:
            dtype = getattr(value, "dtype", None)
            return number_check(kind, value), lambda: self._number(kind, name, number, value, dtype=dtype)
        if is_number_array(value):
            return self._number_array(value, name, number)
        if is_array(value):
            return self._array(value, name, number)
        if own is types.FunctionType and not is_function_of_library(value):
            if not is_opened(value):
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
        if own in _WHOLE and all(map(is_constant, value)):
            copy = own(value) if own is not array.array else value[:]
            shown = frozenset(value) if own is set else copy
            return lambda other: type(other) is own and other == copy, lambda: self._known(number, shown)
        if is_of_library(value) or is_constant_enum(value):
            shown = traced_builtins.replaced(value)
            return same(value), lambda: shown
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
        if not all(is_constant(key) or isinstance(key, (type, enum.Enum)) for key in keys):
            return self._refused(value, name, number, "whose keys may change")

        def make():
            found = self._known(number, own() if own in (dict, collections.OrderedDict) else proxies.Mapping(own))
            for key in keys:
                found[key] = self.take(number, f"{name}[{key!r}]", "item", key)
            return found
        return lambda other: type(other) is own and tuple(other) == keys, make

    def _number_array(self, value, name, number):
        """The stand-in of an array without dimensions, whose number is in host memory."""
        kind = number_kind(value.item())
        if kind:
            dtype = value.dtype
            return (lambda other: is_number_array(other) and number_kind(other.item()) == kind
                    and (kind == "float" or other.dtype == dtype),
                    lambda: self._number(kind, name, number, value.item(), type(value), dtype))
        item = value.item()
        if type(item) not in (bool, int):
            return self._array(value, name, number)
        return (lambda other: is_number_array(other) and type(other.item()) is type(item) and other.item() == item,
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
            raise TypeError(f"argument '{self.record.name}': expected captured arrays of booleans, integers of at most "
                            f"64 bits or floats, but got {name} of {array.dtype}")
        if isinstance(array, np.ma.MaskedArray):
            raise TypeError(f"argument '{self.record.name}': expected captured arrays without a mask, but got {name}; "
                            "use filled()")

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

        return array_check(array, element, rank), make

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
        read, asks = global_names(function.__code__)
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
