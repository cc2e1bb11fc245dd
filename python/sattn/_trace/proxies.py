"""Stand-ins for objects, classes and modules while a score_mod or a mask_mod is traced (_trace/capturing.py).

Each question that Python asks of such a value - an attribute, its truth, its length, whether it equals another - is
either answered by what the value's class says, of values that are noted and read again, or refused. None is left to the
defaults of Python's object, which would answer for the stand-in.
"""

import collections
import operator
import sys
import types

from . import tracing

#: Special methods that Python asks of the class of an operand, and that a class may lack.
_OPTIONAL = [f"__{side}{name}__" for side in ("", "r") for name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "and", "or", "xor", "lshift", "rshift",
    "matmul")] + [
    "__lt__", "__le__", "__gt__", "__ge__"]
#: The methods without which Python raises TypeError.
_REQUIRED = ["__neg__", "__pos__", "__abs__", "__invert__", "__int__", "__float__", "__index__", "__complex__",
             "__round__", "__floor__", "__ceil__", "__trunc__", "__enter__", "__exit__", "__str__", "__format__",
             "__bytes__", "__reversed__", "__array__", "__next__"]
#: Methods of containers that change them.
_CHANGING = {"append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault", "sort",
             "reverse", "add", "discard"}
#: Special methods that would change the value.
_CHANGES = ["__setattr__", "__delattr__", "__setitem__", "__delitem__",
            *(name.replace("__", "__i", 1) for name in _OPTIONAL[:14])]


def refuse(name, value, why="that this question is not asked of"):
    tracing.refuse("captured values that each call can read again", f"{name} of type {type(value).__name__}, {why},")


class StandIn:
    """The base: what stands for a value that is not known to be constant."""

    __slots__ = ("_sattn",)
    __hash__ = None

    def __init__(self, tracer, number, name, value):
        _put(self, (tracer, number, name, value))

    def __getattribute__(self, name):
        tracer, number, own, value = inside(self)
        if name == "__class__":
            # The libraries' isinstance() asks for it, too.
            return tracer.class_of(self) if tracing.MARK in sys._getframe(1).f_globals else type(value)
        return self_attribute(self, tracer, number, own, value, name)

    def __dir__(self):
        refuse(inside(self)[2], inside(self)[3], "whose names are asked")

    def __repr__(self):
        return f"<captured {inside(self)[2]}>"


inside, _put = StandIn._sattn.__get__, StandIn._sattn.__set__


def self_attribute(self, tracer, number, own, value, name):
    """An attribute of the value, as a capture."""
    if type(self) is Refused:
        refuse(own, value, tracer.refusals.get(number, "which changes in ways that are not noticed"))
    try:
        found = tracer.look(number, name)
    except AttributeError:
        tracer.note(number, f"{own}.{name}", "lacks", name)
        raise
    if isinstance(found, types.MethodType) and found.__self__ is value:
        function = tracer.take(number, f"{own}.{name}", "method", name)
        return types.MethodType(function, self)
    if isinstance(found, types.BuiltinMethodType) and found.__self__ is value:
        return getattr(_view(self, name), name)
    if isinstance(found, types.MethodWrapperType) and found.__self__ is value:
        refuse(own, value)
    return tracer.take(number, f"{own}.{name}", "attribute", name)


def _view(self, asked):
    """A plain container with stand-ins of what an object of a class derived of one contains. Refuses others."""
    tracer, number, own, value = inside(self)
    found = tracer.view(number, own)
    if found is None or asked in _CHANGING:
        refuse(own, value)
    return found


def _function(self, name):
    """The function that the value's class has for a special method; None if it has none of Python's own."""
    tracer, number, own, value = inside(self)
    if isinstance(tracer.static(number, name), types.FunctionType):
        return tracer.take(number, f"{own}.{name}", "special", name)
    tracer.note(number, f"{own}.{name}", "slot", name)
    return None


def _has(self, name):
    return inside(self)[0].static(inside(self)[1], name) is not None


def _refusing(name):
    def method(self, *arguments, **options):
        tracer, number, own, value = inside(self)
        refuse(own, value, tracer.refusals.get(number, f"which is changed by {name}" if name in _CHANGES else
                                               f"of which {name} is asked"))
    method.__name__ = name
    return method


class Refused(StandIn):
    """Stands for a value of a kind that is not read. Only its use is refused."""

    __slots__ = ()


_ALL = [*_OPTIONAL, *_REQUIRED, *_CHANGES, "__bool__", "__len__", "__iter__", "__getitem__", "__contains__",
        "__call__", "__eq__", "__ne__", "__hash__", "__instancecheck__", "__subclasscheck__"]
for _name in _ALL:
    setattr(Refused, _name, _refusing(_name))


class Object(StandIn):
    """An object of the user's."""

    __slots__ = ()

    def __bool__(self):
        function = _function(self, "__bool__")
        if function is not None:
            return bool(function(self))
        if _has(self, "__bool__"):
            refuse(inside(self)[2], inside(self)[3])
        if _has(self, "__len__"):
            return len(self) != 0
        inside(self)[0].note(inside(self)[1], "", "slot", "__len__")
        return True

    def __len__(self):
        function = _function(self, "__len__")
        return len(_view(self, "__len__")) if function is None else operator.index(function(self))

    def __iter__(self):
        function = _function(self, "__iter__")
        if function is not None:
            return iter(function(self))
        if _has(self, "__iter__"):
            return iter(_view(self, "__iter__"))
        if not isinstance(inside(self)[0].static(inside(self)[1], "__getitem__"), types.FunctionType):
            refuse(inside(self)[2], inside(self)[3], "which cannot be iterated")
        return _items(self)

    def __getitem__(self, key):
        function = _function(self, "__getitem__")
        if function is not None:
            return function(self, key)
        view = _view(self, "__getitem__")
        if isinstance(view, dict) and key not in view:
            missing = _function(self, "__missing__")
            if missing is not None:
                return missing(self, key)
        return view[key]

    def __contains__(self, key):
        function = _function(self, "__contains__")
        if function is not None:
            return bool(function(self, key))
        if _has(self, "__contains__"):
            return key in _view(self, "__contains__")
        return any(one is key or one == key for one in self)

    def __call__(self, *arguments, **options):
        function = _function(self, "__call__")
        if function is None:
            refuse(inside(self)[2], inside(self)[3], "which is called")
        return function(self, *arguments, **options)

    def __eq__(self, other):
        function = _function(self, "__eq__")
        if function is not None:
            return function(self, other)
        tracer, number, own, value = inside(self)
        if tracer.static(number, "__eq__") is not object.__eq__:
            view = _view(self, "__eq__")
            return view == (_view(other, "__eq__") if isinstance(other, Object) else other)
        tracer.identity = True
        return True if other is self or other is value else NotImplemented

    def __ne__(self, other):
        function = _function(self, "__ne__")
        if function is not None:
            return function(self, other)
        found = Object.__eq__(self, other)
        return found if found is NotImplemented else not found

    def __hash__(self):
        tracer, number, own, value = inside(self)
        if not tracer.is_pinned(number):
            refuse(own, value, "which is no key")
        return hash(value)


def _items(self):
    """Iterates as Python does over an object that only has __getitem__."""
    place = 0
    while True:
        try:
            item = self[place]
        except IndexError:
            return
        yield item
        place += 1


def _special(name, is_optional):
    def method(self, *arguments, **options):
        function = _function(self, name)
        if function is not None:
            return function(self, *arguments, **options)
        tracer, number, own, value = inside(self)
        if is_optional and tracer.static(number, name) is getattr(object, name, None):
            # The other's reflected method is asked then.
            return NotImplemented if isinstance(arguments[0], Object) else refuse(own, value,
                                                                                  f"of which {name} is asked")
        if is_optional:
            others = (_view(one, name) if isinstance(one, Object) else one for one in arguments)
            return getattr(_view(self, name), name)(*others)
        return refuse(own, value, f"of which {name} is asked")
    method.__name__ = name
    return method


for _name in _OPTIONAL:
    setattr(Object, _name, _special(_name, True))
for _name in _REQUIRED:
    setattr(Object, _name, _refusing(_name) if _name in ("__next__", "__array__") else _special(_name, False))
for _name in _CHANGES:
    setattr(Object, _name, _refusing(_name))


class Class(StandIn):
    """A class of the user's. It is known which: only its attributes are read."""

    __slots__ = ()

    def __bool__(self):
        return True

    def __eq__(self, other):
        return other is self or other is inside(self)[3]

    def __ne__(self, other):
        return not Class.__eq__(self, other)

    def __hash__(self):
        return hash(inside(self)[3])

    def __instancecheck__(self, instance):
        return isinstance(original(instance), inside(self)[3])

    def __subclasscheck__(self, other):
        return issubclass(original(other), inside(self)[3])

    def __call__(self, *arguments, **options):
        tracing.refuse("a function that makes no objects of classes outside it", f"a call of {inside(self)[2]}")

    def __or__(self, other):
        return refuse(inside(self)[2], inside(self)[3], "of which | is asked")

    __ror__ = __or__


for _name in _ALL:
    if _name not in vars(Class):
        setattr(Class, _name, _refusing(_name))


class Module(StandIn):
    """A module of a library, whose functions are called as they are."""

    __slots__ = ()

    def __getattribute__(self, name):
        tracer, number, own, value = inside(self)
        return tracer.take_of_library(number, f"{own}.{name}", name)

    def __bool__(self):
        return True

    def __eq__(self, other):
        return other is self or other is inside(self)[3]

    def __hash__(self):
        return hash(inside(self)[3])


for _name in _ALL:
    if _name not in vars(Module):
        setattr(Module, _name, _refusing(_name))


class Mapping(dict):
    """The contents of a mapping of a class of the libraries, which says of missing keys what that does."""

    __slots__ = ("own",)

    def __init__(self, own):
        super().__init__()
        self.own = own

    def __missing__(self, key):
        if self.own is collections.Counter:
            return 0
        if self.own is collections.defaultdict:
            tracing.refuse("a key that the captured defaultdict has", repr(key))
        raise KeyError(key)


class Super:
    """super() in a method of a stand-in."""

    def __init__(self, cls, instance):
        self._parts = cls, instance

    def __getattribute__(self, name):
        cls, instance = object.__getattribute__(self, "_parts")
        tracer, number, own, value = inside(instance)
        is_class = isinstance(instance, Class)
        order = (value if is_class else type(value)).__mro__
        place = order.index(original(cls)) + 1
        found = next((vars(one)[name] for one in order[place:] if name in vars(one)), None)
        if found is None:
            raise AttributeError(f"'super' object has no attribute '{name}'")
        key = place, name
        if isinstance(found, types.FunctionType):
            return types.MethodType(tracer.take(number, f"super().{name}", "super", key), instance)
        if isinstance(found, (classmethod, staticmethod)):
            function = tracer.take(number, f"super().{name}", "super function", key)
            owner = instance if is_class else tracer.class_of(instance)
            return types.MethodType(function, owner) if isinstance(found, classmethod) else function
        if isinstance(found, property):
            return tracer.take(number, f"super().{name}", "super property", key)(instance)
        if hasattr(type(found), "__get__"):
            refuse(f"super().{name}", found)
        return tracer.take(number, f"super().{name}", "super", key)


def original(value):
    """The value that a stand-in stands for."""
    if isinstance(value, tuple):
        return tuple(map(original, value))
    return inside(value)[3] if issubclass(type(value), StandIn) else value
