"""Tracing a function of which only kinds of values are known, as while torch.compile runs.

What a function captures may be a tensor of the graph that is being made. Here it is described: what it is, not what it
contains. Tracing asks for one value after the other, by how it is read, until the expression is there.
"""

import functools
import sys
import types

from . import _functions, _masks, _portable
from ._captures import LIBRARIES, OPENED, StandIns

__all__ = ["LARGE", "LIBRARIES", "OPENED", "SMALL", "band", "describe"]
#: Integers of the two kinds, whose value does not count.
SMALL, LARGE = 1, 2**30


class _Unknown(BaseException):
    """A value is needed that was not described: read so of that reader. No user's function catches it."""

    def __init__(self, parent, how, key):
        self.parent, self.how, self.key = parent, how, key


def _own():
    """In the place of a method of the object that it is read of."""


def _like(kind, details):
    """A value of the kind that is described, whose contents do not count."""
    if kind == "tensor":
        dtype, rank = details
        return sys.modules["torch"].empty((1,) * rank, dtype=dtype, device="meta")
    if kind == "function":
        code, module, defaults, names = details
        cells = tuple(types.CellType(None) for _ in code.co_freevars)
        function = types.FunctionType(code, vars(sys.modules[module]), code.co_name, (None,) * defaults, cells)
        function.__kwdefaults__ = dict.fromkeys(names)
        return function
    if kind == "method":
        return types.MethodType(_own if details[0] else _like, SMALL)
    if kind == "partial":
        count, names = details
        return functools.partial(_like, *[None] * count, **dict.fromkeys(names))
    if kind == "sequence":
        own, size = details
        return own((None,) * size)
    if kind == "dict":
        return dict.fromkeys(details[0])
    if kind == "object":
        return details[0].__new__(details[0])
    return details[0]  # Of "number" and "same".


class _Described(StandIns):
    """StandIns of a function whose readers' values are described: (parent, how, key, kind, details) each."""

    def __init__(self, record, described):
        self.given = {tuple(one[:3]): place for place, one in enumerate(described)}
        self.likes = [_like(*one[3:]) for one in described]
        #: Of each reader, its place in what is described.
        self.places = []
        super().__init__(record, self.likes[0])

    def _place(self, parent, how, key):
        parent = self.places[parent]
        place = self.given.get((parent, how, key))
        if place is None:
            raise _Unknown(parent, how, key)
        return place

    def read(self, parent, how, key):
        return self.likes[self._place(parent, how, key)]

    def look(self, parent, name):
        value = self.likes[self._place(parent, "attribute", name)]
        if isinstance(value, types.MethodType) and value.__func__ is _own:
            return types.MethodType(_own, self.values[parent])
        return value

    def _taken(self, parent, value, name, read, how, key):
        count = len(self.readers)
        place = 0 if parent < 0 else self._place(parent, how, key)
        self.places.append(place)
        result = super()._taken(parent, value, name, read, how, key)
        if len(self.readers) == count:  # One that was taken before.
            self.places.pop()
        return result


def band(causal, prefix, window):
    """The Band of flex_attention's named masks. window: the two ends, or ()."""
    return _masks.named(causal, window or None, prefix)


def describe(kind, described):
    """What to do next in tracing a function, whose described values are (parent, how, key, kind, details):

    ("read", parent, how, key): describe that value of the parent's, too; ("fix", place): describe that number with its
    value; ("refused", message): it cannot be traced; ("traced", text, leaves): of _portable.py; leaves: of each capture
    (place, dimension of which the extent is taken, or -1).
    """
    try:
        function, stand_ins = _functions.trace(kind, lambda record: _Described(record, described))
    except _Unknown as unknown:
        return "read", unknown.parent, unknown.how, unknown.key
    except Exception as error:  # The user's function may raise any.
        return "refused", f"{type(error).__name__}: {error}"
    for number, _ in function.fixed:
        capture = function.captures[number]
        place = stand_ins.places[capture.reader]
        if capture.kind == "extent":
            return "refused", f"argument '{kind}': the function depends on the extent {capture.name}, which is not fixed"
        if not described[place][4][1]:
            return "fix", place
    leaves = tuple((stand_ins.places[capture.reader], capture.dimension if capture.kind == "extent" else -1)
                   for capture in function.captures)
    return "traced", _portable.text_of(function), leaves
