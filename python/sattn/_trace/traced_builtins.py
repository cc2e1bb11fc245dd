"""Python's builtin functions as a function that is traced sees them: those that read outside in ways of their own, or
that ask what a stand-in is."""

import builtins
import importlib
import importlib.util
import sys

from . import proxies, tracing
from .proxies import Class, Object, Refused, StandIn, Super, inside, original

_OWN = vars(builtins)


def _is_stand_in(value):
    return issubclass(type(value), StandIn)


def _type(*arguments, **options):
    if len(arguments) != 1 or options:
        return type(*arguments, **options)
    value, = arguments
    if isinstance(value, (tracing.Traced, tracing.TracedArray)):
        return tracing.captured_type(value) or tracing.refuse("a question that does not need an element's type",
                                                              "type()")
    if type(value) is proxies.Mapping:
        return value.own
    if not _is_stand_in(value):
        return type(value)
    if isinstance(value, (Object, Refused)):
        return inside(value)[0].class_of(value)
    return type(original(value))


def _isinstance(value, classes):
    if isinstance(classes, tuple):
        return any(_isinstance(value, one) for one in classes)
    classes = original(classes)
    if isinstance(value, (tracing.Traced, tracing.TracedArray)) and tracing.captured_type(value) is None:
        # An element is a number, or an array of them: which depends on who calls.
        if isinstance(classes, type) and classes in (str, bytes, list, tuple, dict, set, type(None)):
            return False
        tracing.refuse("a question that does not need an element's type", "isinstance()")
    if isinstance(value, (tracing.Traced, tracing.TracedArray)) or type(value) is proxies.Mapping:
        return issubclass(_type(value), classes)
    return isinstance(original(value), classes)


def _issubclass(value, classes):
    if isinstance(classes, tuple):
        return any(_issubclass(value, one) for one in classes)
    return issubclass(original(value), original(classes))


def _callable(value):
    if isinstance(value, Object):
        return proxies._has(value, "__call__")
    return callable(original(value))


def _super(*arguments):
    if not arguments:
        frame = sys._getframe(1)
        code, names = frame.f_code, frame.f_locals
        if "__class__" not in names or not code.co_argcount:
            raise RuntimeError("super(): no arguments")
        arguments = names["__class__"], names[code.co_varnames[0]]
    if isinstance(arguments[0], Class) and len(arguments) == 2 and _is_stand_in(arguments[1]):
        return Super(*arguments)
    if any(map(_is_stand_in, arguments)):
        tracing.refuse("super() of a captured object", "one of an object that is made in the function")
    return super(*arguments)


def _refusing(name):
    def function(*arguments, **options):
        tracing.refuse("a function that reads what is outside by its names", f"{name}()")
    function.__name__ = name
    return function


class _Globals:
    """globals() of a function that is traced."""

    def __init__(self, names, read):
        self._names, self._read = names, read

    def __getitem__(self, key):
        if key in self._names:
            return self._names[key]
        return self._read(key)

    def __getattr__(self, name):
        return tracing.refuse("globals()[name]", f"globals().{name}")

    def _refuse(self, *arguments):
        tracing.refuse("globals()[name]", "another question of globals()")

    __iter__ = __len__ = __contains__ = __setitem__ = __delitem__ = __bool__ = __eq__ = _refuse
    __hash__ = None


def _import(read):
    def function(name, names=None, locals=None, fromlist=(), level=0):
        if level:
            name = importlib.util.resolve_name("." * level + name, (names or {}).get("__package__") or "")
        importlib.import_module(name)
        return read(name if fromlist else name.partition(".")[0])
    return function


def of(names, read_global, read_module):
    """The builtins of a function whose globals are `names`."""
    return {**_OWN, **REPLACED, "globals": lambda: _Globals(names, read_global), "__import__": _import(read_module)}


REPLACED = {"type": _type, "isinstance": _isinstance, "issubclass": _issubclass, "callable": _callable, "super": _super,
            **{name: _refusing(name) for name in ("eval", "exec", "compile", "open", "input", "id")}}


def replaced(value):
    """The replacement of a builtin function that is read from a module."""
    name = getattr(value, "__name__", None)
    if isinstance(name, str) and _OWN.get(name) is value:
        return REPLACED.get(name, _refusing(name) if name in ("globals", "__import__", "vars", "locals") else value)
    return value
