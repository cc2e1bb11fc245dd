"""Guarded calls: repeated calls with PyTorch's tensors reuse the program that an earlier call of their kind found.

A guarded call goes from Python to its kernels in one step, the binding's `guarded_calls`. It compares types, devices
and shapes with those of earlier calls, and tensors with their storages. A call that matches no earlier one takes the
slow path of its operation, which checks its arguments.
"""

import typing
import weakref

from .._native import libraries
from .._arrays import lazy_torch as torch, plain
from .._arrays.plain import TYPES
from . import memory

KINDS_LIMIT = 4096


def text_of(meta):
    """Text that is the same for the same parameters alone, or None where there is none: only of a plain dict of
    integers, or sequences of them, is `repr` known to be such."""
    if type(meta) is not dict:
        return None
    for name, value in meta.items():
        if type(name) is not str:
            return None
        if type(value) is not int:
            if type(value) is not tuple and type(value) is not list:
                return None
            for size in value:
                if type(size) is not int:
                    return None
    return repr(meta)


class Known(typing.NamedTuple):
    """The guarded calls of a kind: the functions of the binding's guarded_calls, and the operation's data."""

    call: typing.Callable
    remember: typing.Callable
    own: object = None


class Part(typing.NamedTuple):
    """An argument of a program (GuardedCalls.h): an argument of the call by its place, or one that is kept, or made."""

    place: int
    is_transposed: bool = False
    like: int = -1
    heads: int = 0
    rows: int = 0
    split: int = 0


def remember(guarded_calls, kind, program, arguments, parts=(), kept=(), results=(), hints=None, own=None, strided=-1):
    """Keeps a program for calls with such arguments: numbers, tensors, and None for one that is absent.

    kind: of calls, by what their tensors do not tell: a key of `guarded_calls`, a dictionary of Knowns. parts: a
    Part for each of the program's arguments, if these are not those of the call; places from the number of arguments on
    are of `kept`, and then of `results`, tensors as which each call makes new ones. hints: Hints, shared, or None.
    own: what the operation keeps of the kind; calls of the kind that were kept with another one are forgotten. strided:
    the place of an argument whose strides count, or -1.
    """
    plain.see()
    known = guarded_calls.get(kind)
    if known is None or known.own is not own:
        if len(guarded_calls) >= KINDS_LIMIT:
            guarded_calls.clear()
        known = guarded_calls[kind] = Known(*libraries.binding().guarded_calls(len(arguments), strided), own)
    made = tuple([_made_as(one, arguments, strided) for one in results])
    known.remember(program.__chandle__(), tuple(parts), tuple(kept), made, None if hints is None else hints.ready,
                   *arguments)


def _made_as(result, arguments, strided):
    """(a function, its arguments or the place of its argument, named arguments), for a tensor like a result."""
    like = None if strided < 0 else arguments[strided]
    if like is not None and like.is_contiguous() and (like.shape, like.stride(), like.dtype) == (
            result.shape, result.stride(), result.dtype):
        return torch.empty_like, strided, {}
    return torch.empty_strided, (tuple(result.shape), result.stride()), {"dtype": result.dtype, "device": result.device}


def forgetting(guarded_calls, kind, *values):
    """Weak references to values, with the first of which the kind is forgotten. Raises TypeError for one that has
    none."""
    return tuple([weakref.ref(value, lambda _: guarded_calls.pop(kind, None)) for value in values])


def run(known, *arguments):
    """The results of a call, a tuple, if a program was known for it; else None, and nothing was done. Raises what the
    program raises. known: the Known of the kind of call."""
    results = known.call(None, *arguments)
    return results if type(results) is tuple else rest(known, results, arguments)


def rest(known, found, arguments):
    """The result of `run`, of what `known.call` gave, once what is left of the call is done."""
    if found is None:
        return None

    def call(function, *numbers):
        nonlocal found
        found = known.call((function.__chandle__(), *numbers), *arguments)
        return outcome_of(found)

    def outcome_of(found):
        if found is False:
            libraries.binding().raise_failure()
        return found[0] if type(found) is list else 0

    try:
        outcome, hints = outcome_of(found), found[1]
        hints.follow(outcome, call)
    except RuntimeError as error:
        if not memory.is_out_of_memory(error):
            raise
        return None  # The slow path frees memory and tries again.
    return found[2] if type(found) is list else found


def parts_of(matrix):
    """(crow, col, values, own shape or None) of a tuple of three tensors or a torch.sparse_bsr tensor, or None."""
    if type(matrix) is tuple:
        return (*matrix, None) if len(matrix) == 3 and TYPES.issuperset(map(type, matrix)) else None
    if type(matrix) not in TYPES or matrix.layout is not plain.sparse_bsr:
        return None
    try:
        return matrix.crow_indices(), matrix.col_indices(), matrix.values(), matrix.shape
    except RuntimeError:  # In transforms of PyTorch, whose tensors the slow path refuses.
        return None


def contents_of(check, tensor, is_known=False):
    """Whether contents of index arrays are checked in a call with `check`; None where the slow path has to do it, which
    copies them to the host. tensor: one of the call's. is_known: whether they were checked before."""
    if not check and (check is not None or is_known):
        return False
    if not tensor.is_cuda:
        return True
    return None if check else False
