"""score_mod and mask_mod as expressions: traced once, and found again by their code and the kinds of their captures."""

import functools
import inspect
import numbers
import types

import numpy as np

from . import _arrays, _captures, _direct_reads, _masks, _tracing
from ._evaluation import in_order
from ._expression import depends_on

ARGUMENTS = {"score_mod": ("score", "b", "h", "q_idx", "kv_idx"), "mask_mod": ("b", "h", "q_idx", "kv_idx")}
# Expressions kept for one code object, and code objects, at most.
LIMIT, CODES_LIMIT = 64, 4096
# By identity, which those of one definition share; equal ones of other definitions are found by value.
_by_identity, _by_code = {}, {}


def _take(capture):
    """What gives a capture's value, of what its Reader reads."""
    if capture.kind == "array":
        return lambda value: value if value.ndim else value[None]
    if capture.kind == "extent":
        return lambda value: value.shape[capture.dimension]
    return lambda value: value if type(value) is int or type(value) is float else value.item()


class Function:
    """The expression of a function.

    kind: "score_mod" or "mask_mod". result: its node. captures: of _captures.py. readers: how they are read.
    """

    def __init__(self, kind, result, captures, readers, fixed):
        self.kind, self.result, self.captures, self.readers = kind, result, captures, readers
        #: (number of a capture, its value) where the expression holds for that alone.
        self.fixed = fixed
        self._steps = [(reader.parent, reader.read, reader.check) for reader in readers[1:]]
        self._takes = [(capture.reader, _take(capture)) for capture in captures]
        # Of a mask_mod: whether the compiler finds its structure, and what lists of its blocks depend on.
        self.is_derived = kind == "mask_mod" and _masks.is_derived(result)
        self.needs_batch, self.needs_head = depends_on(result, "b"), depends_on(result, "h")
        #: Of captured arrays that are read at positions themselves (_direct_reads.py).
        self.direct_reads = _direct_reads.of(result)

    def bind(self, function):
        """The captures' values now, by number; None where the expression is not that of the function."""
        values = [function]
        try:
            if not self.readers[0].check(function):
                return None
            for parent, read, check in self._steps:
                value = read(values[parent])
                if not check(value):
                    return None
                values.append(value)
        except (AttributeError, KeyError, IndexError, TypeError, ValueError):
            return None
        found = [take(values[reader]) for reader, take in self._takes]
        for number, value in self.fixed:
            if found[number] != value:
                return None
        return found


def _code_of(function):
    """The code object that a callable runs, or None."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None)
    if code is None:
        code = getattr(type(function).__call__, "__code__", None)
    return code


def _require_value(kind, result, function):
    """Raises TypeError for what a function returned that is no element."""
    got = None
    if isinstance(result, _tracing.TracedArray) and result.ndim:
        got = f"a captured array that lacks {result.ndim} of {result.rank} indices"
    elif not isinstance(result, (_tracing.Traced, _tracing.TracedArray, numbers.Number, np.generic)) \
            and getattr(result, "ndim", 1):
        got = type(result).__name__
    if got is not None:
        code = _code_of(function)
        raise TypeError(f"argument '{kind}': expected a function that returns a {'boolean' if kind == 'mask_mod' else 'number'}, "
                        f"but got {got} in {code.co_filename}:{code.co_firstlineno}")


def _trace(kind, function):
    """Its Function. Raises TypeError for what cannot be traced, and what the function raises."""
    names = ARGUMENTS[kind]
    try:
        inspect.signature(function).bind(*names)
    except (TypeError, ValueError):
        raise TypeError(f"argument '{kind}': expected a function of ({', '.join(names)}), but got {function!r}") from None
    return trace(kind, lambda record: _captures.StandIns(record, function))[0]


def trace(kind, make):
    """(the Function of what make(record) gives stand-ins for, those stand-ins). Raises as _trace."""
    names = ARGUMENTS[kind]
    record = _tracing.Recording(kind)
    token = _tracing.recording.set(record)
    try:
        stand_ins = make(record)
        arguments = [_tracing.Traced(record.graph.node("argument", "f32", payload=name) if name == "score" else
                                     record.graph.position(name)) for name in names]
        result = stand_ins.function(*arguments)
        _require_value(kind, result, stand_ins.values[0])
        node = _tracing.node_of(result)
        graph = record.graph
        if kind == "mask_mod" and node.dtype != "i1":
            raise TypeError(f"argument 'mask_mod': expected a function that returns a boolean, but got one that returns a "
                            f"number; compare it, as in `x != 0`")
        if kind == "score_mod" and node.dtype == "i1":
            raise TypeError("argument 'score_mod': expected a function that returns a number, but got one that returns "
                            "a boolean; a mask is made by create_block_mask")
        node = graph.cast(node, "f32") if kind == "score_mod" else node
    finally:
        _tracing.recording.reset(token)
    fixed = [(number, record.values[number]) for number in sorted(record.fixed)]
    used, numbers = _used(node, record)
    fixed = [(numbers[number], value) for number, value in fixed]
    return Function(kind, _renumbered(node, numbers), used, stand_ins.readers, fixed), stand_ins


def _used(node, record):
    """(the captures that the expression or its validity depends on, their new numbers by the old)."""
    wanted = {here.payload for here in in_order(node) if here.op in ("number", "load")} | record.fixed
    order = sorted(wanted)
    return [record.captures[number] for number in order], {old: new for new, old in enumerate(order)}


def _renumbered(node, numbers):
    for here in in_order(node):
        if here.op in ("number", "load"):
            here.payload = numbers[here.payload]
    return node


def traced(kind, function):
    """(its Function, the captures' values now).

    Raises TypeError for what is no function, or cannot be traced, and what the function itself raises.
    """
    code = function.__code__ if type(function) is types.FunctionType else _code_of(function)
    known = _by_identity.get((kind, id(code)))
    if known is None:
        if not callable(function) or code is None:
            raise TypeError(f"argument '{kind}': expected a function of Python, but got {type(function).__name__}")
        if len(_by_identity) >= CODES_LIMIT:
            clear()
        known = _by_code.setdefault((kind, code), [])
        # The code is kept with its identity.
        _by_identity[kind, id(code)] = known = (known, code)
    for found in known[0]:
        values = found.bind(function)
        if values is not None:
            return found, values
    found = _trace(kind, function)
    values = found.bind(function)
    if values is None:
        raise TypeError(f"argument '{kind}': expected a function whose captured values are the same each time they are read, "
                        f"but got {function!r}")
    if len(known[0]) >= LIMIT:
        known[0].clear()
    known[0].append(found)
    return found, values


def clear():
    """Forgets all expressions."""
    _by_identity.clear()
    _by_code.clear()


def host_arrays(values):
    """Captured values as NumPy's arrays and numbers, for an evaluation in host memory."""
    def host(value):
        if not _arrays.is_torch(value):
            return value
        value = value.detach().cpu()
        return value.float().numpy() if str(value.dtype) == "torch.bfloat16" else value.numpy()

    return [host(value) if isinstance(value, np.ndarray) or _arrays.is_torch(value) else value for value in values]
