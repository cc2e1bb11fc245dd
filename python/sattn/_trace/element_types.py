"""Types of elements of expressions (_trace/expression.py), as NumPy and PyTorch promote them.

"i1", "i8", "u8", "i16", "u16", "i32", "u32", "i64" and "f32", which stands for all floats; "int" is that of an integer
of Python's, which takes the type of the integers that it meets.
"""

import functools
import math
import re

import numpy as np

_BITS = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64}
RANGES = {"i1": (0, 1), "f32": (-math.inf, math.inf), "int": (-2**63, 2**63 - 1),
          **{name: (0, 2**bits - 1) if name[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)
             for name, bits in _BITS.items()}}
#: NumPy's names.
NAMES = {"i1": "bool", "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32",
         "i64": "int64", "int": "int64", "f32": "float32"}
_TYPES = {**{name: type for type, name in NAMES.items() if type != "int"}, "float64": "f32", "float16": "f16",
          "bfloat16": "bf16"}
#: Types of PyTorch's by the names of its tensors.
_TENSORS = {"Bool": "bool", "Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64",
            "Half": "float16", "BFloat16": "bfloat16", "Float": "float32", "Double": "float64"}
_DEVICE = re.compile(r"(cpu|cuda|mps|xpu|hpu|xla|mtia|ipu|meta|privateuseone)(:\d+)?")


def is_wide(type):
    """Whether 32 bits with a sign do not hold all of its values."""
    return type in ("u32", "i64", "int")


def wrapped(value, type):
    """A number of Python's in the range of an integer type."""
    low, high = RANGES[type]
    return (value - low) % (high - low + 1) + low


def promoted_type(*types, least="i1", keeps_int=True):
    """The type in which values of some types are computed. least: of booleans alone. keeps_int: whether the type of
    integers of Python's alone is theirs."""
    if "f32" in types:
        return "f32"
    strong = [type for type in types if type not in ("int", "i1")]
    if strong:
        return functools.reduce(_promoted_pair, strong)
    if "int" not in types:
        return least
    return "int" if keeps_int and "i1" not in types else "i64"


def _promoted_pair(left, right):
    if left[0] == right[0]:
        return left if _BITS[left] >= _BITS[right] else right
    signed, unsigned = (left, right) if left[0] == "i" else (right, left)
    return f"i{max(_BITS[signed], 2 * _BITS[unsigned])}"


def is_device(name):
    """Whether a string names a device of PyTorch's."""
    return _DEVICE.fullmatch(name) is not None


def type_of(dtype):
    """The type of a dtype of Python, NumPy or PyTorch, or of a name of one; "f16" and "bf16" of those. None for
    others."""
    name = str(dtype)
    if isinstance(dtype, str) and re.fullmatch(r"torch\.(cuda\.)?\w+Tensor", name):
        name = _TENSORS.get(name.rpartition(".")[2].removesuffix("Tensor"), "")
    elif name.startswith("torch."):
        name = name.removeprefix("torch.")
    elif name not in _TYPES:
        try:
            name = np.dtype(dtype).name
        except TypeError:
            return None
    return _TYPES.get(name)
