"""Kinds of the values that a function captures: which are constants, numbers, arrays, functions or objects to trace."""

import argparse
import decimal
import dis
import enum
import fractions
import functools
import operator
import re
import sys
import threading
import types

import numpy as np

from .._arrays import adapters, autograd, stand_ins
from . import proxies
from .element_types import RANGES
from .tracing import PACKAGE

#: Integers that an f32 holds.
SMALL = 2**24
_STANDARD = set(sys.stdlib_module_names) - {"__main__"}
# Libraries whose functions are called with traced values as they are.
LIBRARIES = _STANDARD | {"numpy", "torch", "ml_dtypes", "scipy"}
# Modules of these libraries whose functions and objects capture the user's functions and arrays.
OPENED = {"torch.nn.attention.flex_attention", "torch.nn.attention.experimental._paged_attention"}
#: Modules of Python's library whose functions' results depend on their arguments alone, or that are for messages.
_PURE = {"builtins", "math", "cmath", "operator", "_operator", "functools", "_functools", "itertools", "collections",
         "_collections", "_collections_abc", "abc", "_abc", "dataclasses", "typing", "types", "enum", "numbers",
         "contextlib", "re", "string", "bisect", "_bisect", "heapq", "_heapq", "statistics", "fractions", "decimal",
         "_decimal", "warnings", "_warnings", "logging", "pprint", "pdb", "traceback", "struct", "_struct",
         "textwrap", "reprlib", "array", "colorsys"}
#: Functions of PyTorch and NumPy that read a state, or what a stand-in is.
_STATEFUL = {"rand", "randn", "randint", "randperm", "bernoulli", "normal", "multinomial", "poisson", "seed",
             "initial_seed", "get_rng_state", "get_default_dtype", "get_default_device", "is_grad_enabled",
             "is_inference_mode_enabled", "get_num_threads", "rand_like", "randn_like", "randint_like", "is_tensor",
             "isscalar", "load", "fromfile", "loadtxt", "genfromtxt", "memmap"}
#: Types of which a value never changes.
_CONSTANT = (str, bytes, bool, complex, type(None), type(...), type(NotImplemented), range, slice, np.dtype, np.generic,
             fractions.Fraction, decimal.Decimal, re.Pattern, operator.itemgetter, operator.attrgetter,
             operator.methodcaller)
_CONSTANT_NAMES = {"torch.dtype", "torch.device", "torch.layout", "torch.memory_format", "torch.Size"}
#: Callable types of libraries, of which a value never changes.
_FUNCTIONS = (np.ufunc, type(np.where), types.MethodDescriptorType, types.WrapperDescriptorType,
              types.ClassMethodDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType)
#: Classes of libraries whose objects are the user's namespaces.
_NAMESPACES = (types.SimpleNamespace, argparse.Namespace, threading.local)


_ELEMENTS = {"bool": "bool", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32",
             "uint32": "u32", "int64": "i64", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}


@functools.cache
def _element(dtype):
    return _ELEMENTS.get(dtype.name if isinstance(dtype, np.dtype) else str(dtype).removeprefix("torch."), "")


def element_of(array):
    """Our name of a captured array's element type, or ""."""
    return _element(array.dtype)


# The types that a kernel reads; others are converted in each call.
PASSED = {"bool": "i8", "i8": "i8", "u8": "i8", "i16": "i32", "u16": "i32", "i32": "i32", "u32": "i64", "i64": "i64",
          "f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f32"}
# The types that an expression has of them.
LOADED = {**PASSED, "bool": "bool", "u8": "u8"}


def is_array(value):
    return isinstance(value, np.ndarray) or adapters.is_torch(value)


def number_kind(value):
    """"float", "small" or "large" of a number, "" of anything else."""
    own = type(value)
    if own is int or own is not bool and issubclass(own, (int, np.integer)) and _is_plain_number(own):
        if -SMALL <= value <= SMALL:
            return "small"
        return "large" if RANGES["i32"][0] <= value <= RANGES["i32"][1] else ""
    return "float" if own is float or issubclass(own, (float, np.floating)) and _is_plain_number(own) else ""


def number_check(kind, value):
    """A check that tells numbers of the kind and, of integers, of the type of a number."""
    if kind == "float":
        return lambda other: number_kind(other) == kind
    if isinstance(value, np.generic):
        own = type(value)
        return lambda other: type(other) is own and number_kind(other) == kind
    return lambda other: number_kind(other) == kind and not isinstance(other, np.generic)


@functools.lru_cache(1024)
def _is_plain_number(own):
    """Whether the numbers of a type are computed with as those of its base are."""
    return not issubclass(own, enum.Enum) and all(one.__module__ in ("builtins", "numpy", "ml_dtypes") or not any(
        name in vars(one) for name in (*proxies._ALL, "__getattr__", "__getattribute__")) for one in own.__mro__)


def is_number_array(value):
    """Whether it is an array without dimensions whose number is in host memory, of which no gradient is wanted."""
    return is_array(value) and value.ndim == 0 and (isinstance(value, np.ndarray) or value.device.type == "cpu"
                                                     and not stand_ins.stands_for_others(value)
                                                     and not autograd.needs_gradient(value))


def same(constant):
    if type(constant) in (types.BuiltinFunctionType, type, np.ufunc, types.FunctionType):
        return lambda value: value is constant

    def check(value):
        if value is constant:
            return True
        if type(value) is not type(constant) or type(value).__eq__ is object.__eq__:
            return False
        try:
            return bool(value == constant)
        except (TypeError, ValueError):
            return False
    return check


def array_check(array, element, rank):
    own, dtype = type(array), array.dtype

    def check(value):
        if type(value) is own and value.dtype == dtype:  # The common case.
            return value.ndim == rank
        return is_array(value) and value.ndim == rank and element_of(value) == element
    return check


def _codes(code):
    """A code object and those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


@functools.lru_cache(4096)
def global_names(code):
    """(names of globals and builtins that a code object and those inside it read, whether one asks what is
    identical)."""
    names, asks, before = set(), False, None
    for one in _codes(code):
        for instruction in dis.get_instructions(one):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                names.add(instruction.argval)
            constant = before is not None and before.opname == "LOAD_CONST"
            asks |= instruction.opname == "IS_OP" and not (constant and isinstance(before.argval, (bool, type(None))))
            before = instruction
    return frozenset(names), asks


def root(module):
    return (module or "").partition(".")[0]


def is_opened(function):
    """Whether a Python function is traced through: one of the user's, or that may combine those."""
    module = function.__globals__.get("__name__", "")
    if module in OPENED or module == f"{PACKAGE}._masks.mask_functions":
        return True
    if root(module) not in LIBRARIES | {PACKAGE}:
        return True
    if not function.__closure__ and not function.__dict__:
        return False
    found = sys.modules.get(module)
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is not function


def is_constant(value):
    own = type(value)
    if own in (tuple, frozenset):
        return all(map(is_constant, value))
    return own in (int, float) or issubclass(own, _CONSTANT) and root(own.__module__) in LIBRARIES \
        or f"{own.__module__}.{own.__name__}" in _CONSTANT_NAMES


def is_constant_enum(value):
    """Whether it is a member of an Enum that is a number or a string, and has no functions of the user's."""
    own = type(value)
    return isinstance(value, enum.Enum) and isinstance(value, (int, float, str)) and is_constant(value.value) \
        and all(is_constant(found) or found is own for found in vars(value).values()) \
        and not any(_has_functions(one) for one in own.__mro__)


def _has_functions(cls):
    """Whether a class of the user's has functions of the user's."""
    kinds = types.FunctionType, property, classmethod, staticmethod
    return root(cls.__module__) not in LIBRARIES and any(
        isinstance(found, kinds) and root(getattr(found, "__module__", None) or cls.__module__) not in LIBRARIES
        for found in vars(cls).values())


def is_function_of_library(value):
    """Whether it is a callable of a library, whose result depends on its arguments alone."""
    if isinstance(value, types.BuiltinFunctionType):
        owner = value.__self__
        if not (owner is None or isinstance(owner, (types.ModuleType, type))
                or type(owner).__module__.startswith("torch.")):
            return False
    elif isinstance(value, types.FunctionType):
        if is_opened(value):
            return False
    elif not isinstance(value, _FUNCTIONS) \
            and not (callable(value) and type(value).__module__ in ("torch._ops", "numpy")):
        return False
    module, name = getattr(value, "__module__", None) or "", getattr(value, "__name__", "")
    if isinstance(value, types.FunctionType):
        module = value.__globals__.get("__name__", "")
    if module.startswith("numpy.random") or name in _STATEFUL and root(module) in ("torch", "numpy", ""):
        return False
    # Only operators are known to depend on identity.
    is_identity = module == "_operator" and name.startswith("is_")
    return (root(module) not in _STANDARD or module in _PURE) and not is_identity


def _is_class_of_library(value):
    """Whether it is a class that is called as it is."""
    return isinstance(value, type) and (issubclass(value, BaseException) and value.__module__ == "builtins"
                                        or root(value.__module__) in LIBRARIES and value.__module__ not in OPENED
                                        and (root(value.__module__) not in _STANDARD or value.__module__ in _PURE))


def is_of_library(value):
    """Whether it is taken as it is, since it never changes."""
    return is_constant(value) or is_function_of_library(value) or _is_class_of_library(value)


def is_object(own):
    """Whether the objects of a class are the user's: their attributes are read, and their functions traced through."""
    if own in _NAMESPACES or own is types.ModuleType or own.__module__ in OPENED:
        return True
    torch = sys.modules.get("torch")
    if torch is not None and issubclass(own, torch.nn.Module):
        return True
    is_function = issubclass(own, (types.FunctionType, types.MethodType))
    return root(own.__module__) not in LIBRARIES | {PACKAGE} and not is_function
