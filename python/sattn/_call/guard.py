"""Guarded calls: repeated calls with PyTorch's tensors reuse the program that an earlier call of their kind found.

A guarded call goes from Python to its kernels in one step, the binding's `guarded_calls`. It compares types, devices
and shapes with those of earlier calls, and tensors with their storages. A call that matches no earlier one takes the
slow path of its operation, which checks its arguments.
"""

import typing
import weakref

from .._native import libraries
from .._arrays import plain
from .._arrays.plain import TYPES
from . import memory

# Outcomes of the binding's call beside a program's result.
_UNKNOWN, _FAILED = -1, -2
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
    """The guarded calls of a kind: the two functions of Binding.cpp's guarded_calls, and the operation's data."""

    call: typing.Callable
    remember: typing.Callable
    own: object = None


def remember(guarded_calls, kind, program, arguments, parts=(), kept=(), own=None):
    """Keeps a program for calls with such arguments: numbers, tensors, and None for one that is absent.

    kind: of calls, by what their tensors do not tell: a key of `guarded_calls`, a dictionary of Knowns. parts: (place,
    whether transposed, place of the argument to whose shape it is broadcast, or -1) of each of the program's arguments,
    if these are not those of the call; places from the number of arguments on are of `kept`. own: what the operation
    keeps of the kind; with it calls of the kind that were kept before are forgotten.
    """
    plain.see()
    known = guarded_calls.get(kind)
    if known is None or own is not None:
        if len(guarded_calls) >= KINDS_LIMIT:
            guarded_calls.clear()
        known = guarded_calls[kind] = Known(*libraries.binding().guarded_calls(len(arguments)), own)
    known.remember(program, [int(one) for part in parts for one in part], kept, *arguments)


def forgetting(guarded_calls, kind, *values):
    """Weak references to values, with the first of which the kind is forgotten. Raises TypeError for one that has
    none."""
    return tuple([weakref.ref(value, lambda _: guarded_calls.pop(kind, None)) for value in values])


def run(known, arguments, hints=None):
    """Whether a program was known for the call, and has run; else nothing was done. Raises what the program raises.

    known: the Known of the kind of call. arguments: the binding checks that they are plain, and that storages hold
    tensors, but for those in a tuple, which were made here. hints: what launches the program with those
    (launch_hints.py), whose arguments are those of the call; or None.
    """
    outcome = known.call(None if hints is None else hints.address, *arguments)
    if outcome == _UNKNOWN:
        return False
    try:
        if outcome == _FAILED:
            libraries.binding().raise_failure()
        elif outcome:
            hints.follow(outcome, arguments)
    except RuntimeError as error:
        if not memory.is_out_of_memory(error):
            raise
        return False  # The slow path frees memory and tries again.
    return True


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
