"""How the values that a function captures are read, from the function on."""

import builtins
import dataclasses
import sys


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
    "content": lambda key: lambda parent: base_of(parent).__getitem__(parent, key),
    "item": lambda key: lambda parent: parent[key]}


def static(cls, name):
    """The raw attribute of a class under a name; None if it has none."""
    return next((vars(one)[name] for one in cls.__mro__ if name in vars(one)), None)


def _after(parent, place, name):
    """The attribute under a name in the classes of a value, or of a class, from a given class on."""
    order = (parent if isinstance(parent, type) else type(parent)).__mro__
    return next(vars(one)[name] for one in order[place:] if name in vars(one))


def base_of(value):
    """The container that the class of an object is derived of, or None."""
    return next((base for base in (list, tuple, dict, set, frozenset) if isinstance(value, base)), None)


def _contents(value):
    """The contents of an object: keys, how many, or the constants of a set."""
    base = base_of(value)
    if base is dict:
        return tuple(dict.keys(value))
    return base.__len__(value) if base in (list, tuple) else frozenset(base.__iter__(value))


@dataclasses.dataclass(frozen=True)
class Reader:
    """How a value is read of another one (a name of READS and its key), and whether it is of the kind that was
    traced."""

    parent: int
    read: object
    check: object
    how: str
    key: object
    #: The number of the reader whose value it is, too, in the place of a check; or -1.
    same: int = -1
