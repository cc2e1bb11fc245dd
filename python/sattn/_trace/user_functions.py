"""score_mod and mask_mod as expressions: traced once, and found again by their code and the kinds of their captures."""

import functools
import inspect
import numbers
import types

import numpy as np

from . import traced_functions  # noqa: F401 - the functions that tracing takes
from .._arrays import adapters, autograd
from .._arrays.evaluation import in_order
from . import bands, capturing, direct_reads, tracing
from .expression import depends_on

ARGUMENTS = {"score_mod": ("score", "b", "h", "q_idx", "kv_idx"), "mask_mod": ("b", "h", "q_idx", "kv_idx")}
# Expressions kept for one code object, and code objects, at most.
LIMIT, CODES_LIMIT = 64, 4096
# By identity, which those of one definition share; equal ones of other definitions are found by value.
_by_identity, _by_code = {}, {}


def _take(capture, kind):
    """A function from the value that a capture's Reader reads to the capture's value."""
    if capture.kind == "array":
        return lambda value: value if value.ndim else value[None]
    if capture.kind == "extent":
        return lambda value: value.shape[capture.dimension]

    def number(value):
        if type(value) is int or type(value) is float:
            return value
        if kind == "score_mod" and adapters.is_torch(value):
            adapters.require_no_derivative(capture.name, value)
        return value.item()

    return number


class Function:
    """The expression of a function.

    kind: "score_mod" or "mask_mod". result: its node. captures: of _trace/readers.py. readers: how they are read.
    """

    def __init__(self, kind, result, captures, readers, fixed, elements=(), types=(), distinct=()):
        self.kind, self.result, self.captures, self.readers = kind, result, captures, readers
        #: (number of a capture, its value) where the expression holds for that alone; (number of an array, indices,
        #: value) of elements.
        self.fixed, self.elements = fixed, elements
        #: (a reader, its value's type) where the expression holds for that alone.
        self._types = types
        #: Readers whose values must not be identical.
        self._distinct = distinct
        self._has_conditions = bool(fixed or elements or types or distinct)
        self._steps = [(reader.parent, reader.read, reader.check, reader.same) for reader in readers[1:]]
        self._takes = [(capture.reader, _take(capture, kind)) for capture in captures]
        # For a mask_mod: whether the compiler finds its structure, and whether its block lists depend on batch and
        # head.
        self.is_derived = kind == "mask_mod" and bands.is_derived(result)
        self.needs_batch, self.needs_head = depends_on(result, "b"), depends_on(result, "h")
        #: Reads of captured arrays at positions themselves (_trace/direct_reads.py).
        self.direct_reads = direct_reads.of(result)

    def bind(self, function):
        """The captures' values now, by number; None where the expression is not that of the function."""
        values = [function]
        try:
            if not self.readers[0].check(function):
                return None
            for parent, read, check, same in self._steps:
                value = read(values[parent])
                if not check(value) if same < 0 else value is not values[same]:
                    return None
                values.append(value)
        except (AttributeError, KeyError, IndexError, TypeError, ValueError):
            return None
        found = [take(values[reader]) for reader, take in self._takes]
        return found if not self._has_conditions or self._holds(values, found) else None

    def _holds(self, values, found):
        """Whether the expression holds for these values of readers, and of captures."""
        if len({id(values[reader]) for reader in self._distinct}) != len(self._distinct):
            return False
        return all(_is_equal(found[number], value) for number, value in self.fixed) \
            and all(type(values[reader]) is own for reader, own in self._types) \
            and all(_is_element(found[number], indices, value) for number, indices, value in self.elements)


def _is_equal(found, value):
    """Whether numbers are equal, or both NaN."""
    return found == value or found != found and value != value


def _is_element(array, indices, value):
    try:
        return _is_equal(array[indices].item(), value)
    except IndexError:
        return False


def _code_of(function):
    """The code object that a callable runs, or None."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None)
    if code is None:
        code = getattr(getattr(type(function), "__call__", None), "__code__", None)
    return code


def _require_value(kind, result, function):
    """Raises TypeError for what a function returned that is no element."""
    got = None
    if isinstance(result, tracing.TracedArray) and result.ndim:
        got = f"a captured array that lacks {result.ndim} of {result.rank} indices"
    elif not isinstance(result, (tracing.Traced, tracing.TracedArray, numbers.Number, np.generic)) \
            and getattr(result, "ndim", 1):
        got = type(result).__name__
    if got is not None:
        code = _code_of(function)
        raise TypeError(f"argument '{kind}': expected a function that returns a "
                        f"{'boolean' if kind == 'mask_mod' else 'number'}, but got {got} in "
                        f"{code.co_filename}:{code.co_firstlineno}")


def _takes(function, names):
    """Whether a function has so many arguments."""
    try:
        inspect.signature(function).bind(*names)
    except (TypeError, ValueError):
        return False
    return True


def _trace(kind, function):
    """Its Function. Raises TypeError for what cannot be traced, and what the function raises."""
    names = ARGUMENTS[kind]
    if not _takes(function, names):
        hint = ""
        if kind == "score_mod" and _takes(function, ARGUMENTS["mask_mod"]):
            hint = "; a function of (b, h, q_idx, kv_idx) is a mask: block_mask=create_block_mask(it, None, None, M, N)"
        raise TypeError(f"argument '{kind}': expected a function of ({', '.join(names)}), but got "
                        f"{function!r}{hint}")
    found, stand_ins = trace(kind, lambda record: capturing.StandIns(record, function))
    # Which arrays are identical is known where they have one stand-in each.
    return trace(kind, lambda record: capturing.StandIns(record, function, True))[0] if stand_ins.identity else found


@autograd.recording()
def trace(kind, make):
    """(the Function of what make(record) gives stand-ins for, those stand-ins). Raises as _trace. PyTorch records
    meanwhile, so that a torch.no_grad() of the function's own is told from its caller's."""
    names = ARGUMENTS[kind]
    record = tracing.Recording(kind)
    token = tracing.recording.set(record)
    try:
        stand_ins = make(record)
        arguments = [tracing.Traced(record.graph.node("argument", "f32", payload=name) if name == "score" else
                                    record.graph.position(name)) for name in names]
        result = stand_ins.function(*arguments)
        _require_value(kind, result, stand_ins.values[0])
        node = tracing.node_of(result)
        graph = record.graph
        if kind == "mask_mod" and node.dtype != "i1":
            raise TypeError("argument 'mask_mod': expected a function that returns a boolean, but got one that "
                            "returns a number; compare it, as in `x != 0`")
        if kind == "score_mod" and node.dtype == "i1":
            raise TypeError("argument 'score_mod': expected a function that returns a number, but got one that returns "
                            "a boolean; a mask is made by create_block_mask")
        node = graph.cast(node, "f32") if kind == "score_mod" else node
    finally:
        tracing.recording.reset(token)
    fixed = [(number, record.values[number]) for number in sorted(record.fixed)]
    used, numbers = _used(node, record)
    fixed = [(numbers[number], value) for number, value in fixed]
    elements = [(numbers[number], indices, value) for (number, indices), value in record.elements.items()]
    types = [(record.captures[number].reader, own) for number, own in record.types.items()
             if record.captures[number].kind != "extent"]
    distinct = stand_ins.distinct() if stand_ins.identity else ()
    stand_ins.forget()
    return Function(kind, _renumbered(node, numbers), used, stand_ins.readers, fixed, elements, types,
                    distinct), stand_ins


def _used(node, record):
    """(the captures that the expression or its validity depends on, their new numbers by the old)."""
    wanted = {here.payload for here in in_order(node) if here.op in ("number", "load")} | record.fixed \
        | {number for number, _ in record.elements} | set(record.types)
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
            hint = ""
            if kind == "score_mod" and hasattr(function, "dtype"):
                hint = (f" of {function.dtype}; a bias is added by score_mod=lambda score, b, h, q_idx, kv_idx: score "
                        "+ bias[q_idx, kv_idx], a mask is block_mask=create_block_mask(lambda b, h, q_idx, kv_idx: "
                        "mask[q_idx, kv_idx], None, None, M, N)")
            raise TypeError(f"argument '{kind}': expected a function of Python, but got {type(function).__name__}"
                            f"{hint}")
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
        raise TypeError(f"argument '{kind}': expected a function whose captured values are the same each time they are "
                        f"read, but got {function!r}")
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
    return [adapters.host_value(value) for value in values]
