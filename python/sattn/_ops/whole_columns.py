"""Rows of f64, which kernels take in whole vectors: others are copied with columns of 0 after them, which change no
score and no other column of a result."""

import math
import sys

import numpy as np

from .._arrays import lazy_torch as torch

#: Columns in f64 are a multiple of this number.
F64_COLUMNS = 8


def _is_f64(array):
    if isinstance(array, np.ndarray):
        return array.dtype == np.float64
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor) and array.dtype == torch.float64 \
        and array.device.type == "cpu"


def filled(array):
    """The array (..., columns), with columns of 0 after its own where these are no whole vectors."""
    rest = -array.shape[-1] % F64_COLUMNS
    if not rest:
        return array
    if isinstance(array, np.ndarray):
        return np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, rest)])
    return torch.nn.functional.pad(array, (0, rest))


def copy(array, into):
    """Writes an array's first columns into another one, which has as many or fewer. Returns that."""
    columns = array[..., :into.shape[-1]]
    if isinstance(into, np.ndarray):
        into[...] = columns
    else:
        into.copy_(columns)
    return into


def filled_request(request):
    """The Request (flex_attention.py) with whole vectors; None where its own are, or where they are none that fit each
    other, which is an error."""
    query, key, value = request.query, request.key, request.value
    if not (_is_f64(query) and _is_f64(key) and _is_f64(value)) or not query.ndim == key.ndim == value.ndim == 4:
        return None
    depth, columns = query.shape[3], value.shape[3]
    if key.shape[3] != depth or not (1 <= depth <= 512 and 1 <= columns <= 512):
        return None
    if not depth % F64_COLUMNS and not columns % F64_COLUMNS:
        return None
    return request._replace(query=filled(query), key=filled(key), value=filled(value),
                            scale=1 / math.sqrt(depth) if request.scale is None else request.scale)
