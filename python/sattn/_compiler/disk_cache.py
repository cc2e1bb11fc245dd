"""Compiled programs on disk, which the compiler keeps (include/sattn-c/Cache.h)."""

import collections
import ctypes

from . import c_api

Disk = collections.namedtuple("Disk", "folder entries bytes hits misses")


class _Numbers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in Disk._fields[1:]]


def info():
    """Disk, as the library describes it."""
    describe = c_api.declare(c_api.library(), "sattn_cache_describe", ctypes.c_void_p, ctypes.POINTER(_Numbers))
    numbers = _Numbers()
    folder = c_api.taken(describe(numbers))
    return Disk(folder or None, *(getattr(numbers, name) for name in Disk._fields[1:]))


def clear():
    """Removes all programs, those of other builds of sattn included."""
    c_api.library().sattn_cache_clear()
