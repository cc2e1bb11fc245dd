"""Calls of a kind that was made before, with PyTorch's tensors: what one was found to need is not found out again.

Such a call goes from Python to its kernels in one step, the binding's `repeats`, which compares types, devices and
shapes with those of calls before, and tensors with their storages. Whatever is new to it takes the long way of its
operation, which checks it.
"""

from .._native import libraries
from .._arrays import plain
from .._arrays.plain import TYPES
from . import memory

# A result of the binding's call.
FAILED = 2
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


def remember(repeats, kind, program, arguments, parts=(), kept=()):
    """Keeps a program for calls with such arguments: numbers, tensors, and None for one that is absent.

    kind: of calls, by what their tensors do not tell: a key of `repeats`, a dictionary of the binding's functions for
    kinds (repeats of Binding.cpp). parts: (place, whether transposed, place of the argument to whose shape it is
    broadcast, or -1) of each of the program's arguments, if these are not those of the call; places from the number of
    arguments on are of `kept`.
    """
    plain.see()
    known = repeats.get(kind)
    if known is None:
        if len(repeats) >= KINDS_LIMIT:
            repeats.clear()
        known = repeats.setdefault(kind, tuple(libraries.binding().repeats(len(arguments))))
    known[1](program, [int(one) for part in parts for one in part], kept, *arguments)


def run(known, arguments, storages):
    """Whether a program was known for the call, and has run; else nothing was done. Raises what the program raises.

    known: the binding's functions for the kind of call. storages: of the arguments' tensors, in order
    (plain.storages_of), but for the last one if it was made here.
    """
    try:
        outcome = known[0](*arguments, *storages)
    except Exception:  # Of what cannot be passed the long way has a reason.
        return False
    if outcome == FAILED:
        try:
            libraries.binding().raise_failure()
        except RuntimeError as error:
            if not memory.is_out_of_memory(error):
                raise
            return False  # The long way makes room.
    return bool(outcome)


def parts_of(matrix):
    """(crow, col, values, own shape or None) of a tuple of three tensors or a torch.sparse_bsr tensor, or None."""
    if type(matrix) is tuple:
        return (*matrix, None) if len(matrix) == 3 and TYPES.issuperset(map(type, matrix)) else None
    if type(matrix) not in TYPES or matrix.layout is not plain.sparse_bsr:
        return None
    try:
        return matrix.crow_indices(), matrix.col_indices(), matrix.values(), matrix.shape
    except RuntimeError:  # In transforms of PyTorch, whose tensors the long way refuses.
        return None


def contents_of(check, tensor, is_known=False):
    """Whether contents of index arrays are checked in a call with `check`; None where the long way has to do it, which
    copies them to the host. tensor: one of the call's. is_known: whether they were checked before."""
    if not check and (check is not None or is_known):
        return False
    if not tensor.is_cuda:
        return True
    return None if check else False
