"""Traces a function whose captured values are known by kind alone, as while torch.compile runs.

A captured value may be a tensor of the graph that is being built, so it is described by its kind and not by its
contents. Tracing asks for one value after the other, by how it is read, until the expression is complete.
"""

import enum
import functools
import sys
import types

from .._trace import function_text, proxies, traced_builtins, user_functions
from .._trace.captured_kinds import LIBRARIES, OPENED, is_object, is_of_library
from .._trace.capturing import StandIns
from .._trace.readers import READS
from .._trace.tracing import refuse
from .._masks import mask_functions

__all__ = ["LARGE", "LIBRARIES", "OPENED", "SMALL", "band", "trace_step"]
#: Integers of the two kinds, whose value does not count.
SMALL, LARGE = 1, 2**30


class _Undescribed(BaseException):
    """Raised where tracing needs a value that is not described yet: read from the reader `parent`, as `how`, by `key`.

    It is no Exception, so that no user's function catches it."""

    def __init__(self, parent, how, key):
        self.parent, self.how, self.key = parent, how, key


def _placeholder_method():
    """Stands for a method that is bound to the object it is read from."""


def _placeholder(kind, details):
    """A value of the described kind; its contents do not count."""
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
        return types.MethodType(_placeholder_method if details[0] else _placeholder, SMALL)
    if kind == "partial":
        count, names = details
        return functools.partial(_placeholder, *[None] * count, **dict.fromkeys(names))
    if kind == "sequence":
        own, size = details
        return own((None,) * size)
    if kind == "dict":
        return dict.fromkeys(details[0])
    if kind == "object":
        own = details[0]
        if not is_object(own) or issubclass(own,
                                            (int, float, str, bytes, list, tuple, dict, set, frozenset, enum.Enum)):
            return _Unreadable()
        return own.__new__(own)
    return details[0]  # The kinds "number" and "same".


class _Unreadable:
    """Stands for a value whose kind cannot be described."""


#: The ways of reading a value that torch/dynamo.py can follow.
_READABLE = {"closure", "global", "default", "keyword default", "function", "self", "partial", "argument", "keyword",
              "attribute", "method", "special", "class", "item", "builtin"}


class _AbstractStandIns(StandIns):
    """StandIns of a function whose readers' values are described: (parent, how, key, kind, details) each."""

    def __init__(self, record, described):
        self.given = {tuple(one[:3]): place for place, one in enumerate(described)}
        self.placeholders = [_placeholder(*one[3:]) for one in described]
        #: The place of each reader among the described values.
        self.places = []
        super().__init__(record, self.placeholders[0])

    def _place(self, parent, how, key):
        parent = self.places[parent]
        place = self.given.get((parent, how, key))
        if place is None:
            raise _Undescribed(parent, how, key)
        return place

    def _refuse(self, name):
        refuse("captured values that can be read while a graph is made", name)

    def read(self, parent, how, key):
        if how not in _READABLE:
            self._refuse(f"{key} ({how})")
        found = self.placeholders[self._place(parent, how, key)]
        if how == "class" and type(self.values[parent]) is not found:
            self._refuse("another class")
        return READS[how](key)(self.values[parent]) if how == "builtin" and found is False else found

    def note(self, parent, name, how, key=None):
        if how == "lacks":
            return True  # The attribute's error breaks the graph.
        count = len(self.readers)
        place = self._place(parent, how, key) if how in _READABLE else self._refuse(name)
        found = super().note(parent, name, how, key)
        self.places += [place] * (len(self.readers) - count)
        return found

    def take_of_library(self, parent, name, key):
        """An attribute of a library's module, which is not described: libraries stay as they are."""
        value = getattr(self.values[parent], key)
        if isinstance(value, types.ModuleType):
            return self._of_library(value, name)
        if not is_of_library(value):
            self._refuse(name)
        return traced_builtins.replaced(value)

    def _of_library(self, module, name):
        number = len(self.readers)
        self.readers.append(None)
        self.values.append(module)
        self.places.append(-1)
        return proxies.Module(self, number, name, module)

    def look(self, parent, name):
        value = self.placeholders[self._place(parent, "attribute", name)]
        if isinstance(value, types.MethodType) and value.__func__ is _placeholder_method:
            return types.MethodType(_placeholder_method, self.values[parent])
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
    return mask_functions.named(causal, window or None, prefix)


def trace_step(kind, described):
    """The next step of tracing a function, whose described values are (parent, how, key, kind, details):

    ("read", parent, how, key): describe that value of the parent's, too; ("fix", place): describe that number with its
    value; ("refused", message): it cannot be traced; ("traced", text, leaves), text as by
    _trace/function_text.py; leaves: for each capture (place, dimension whose extent is taken, or -1).
    """
    try:
        function, stand_ins = user_functions.trace(kind, lambda record: _AbstractStandIns(record, described))
    except _Undescribed as unknown:
        return "read", unknown.parent, unknown.how, unknown.key
    except Exception as error:  # The user's function may raise any.
        return "refused", f"{type(error).__name__}: {error}"
    if stand_ins.identity:
        return "refused", f"argument '{kind}': the function depends on which captured objects are identical"
    for number, _ in function.fixed:
        capture = function.captures[number]
        place = stand_ins.places[capture.reader]
        if capture.kind == "extent":
            return "refused", f"argument '{kind}': the function depends on the extent {capture.name}, which is not fixed"
        if not described[place][4][1]:
            return "fix", place
    leaves = tuple((stand_ins.places[capture.reader], capture.dimension if capture.kind == "extent" else -1)
                   for capture in function.captures)
    return "traced", function_text.serialize(function), leaves
