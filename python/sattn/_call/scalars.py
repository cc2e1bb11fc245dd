"""Scalar arguments."""

import numbers

import numpy as np

from .._arrays import adapters, autograd

_PLAIN = {int, float}
# Integers up to which a float holds each.
_EXACT = 2**53


def number(name, value):
    """A float: of a Python or NumPy number, a 0-d array, or a 0-d tensor on the CPU.

    Raises TypeError for what is no real number, ValueError for one that a float does not hold.
    """
    own = type(value)  # The common case.
    if own is float or own is int and -_EXACT <= value <= _EXACT:
        return float(value)
    found = value
    if isinstance(value, np.ndarray) or adapters.is_torch(value):
        found = _item(name, value)
    if isinstance(found, np.generic):
        # bfloat16 of ml_dtypes says of itself that it is void.
        is_real = found.dtype.kind in "biuf" or found.dtype.name.startswith(("bfloat", "float"))
        found = found.astype(float) if is_real else None
    if not isinstance(found, numbers.Real):
        raise TypeError(f"argument '{name}': expected a real number, but got {type(value).__name__}")
    try:
        return float(found)
    except OverflowError:
        raise ValueError(f"argument '{name}': expected a number that a float holds, but got a larger one") from None


def are_recorded(array, *values):
    """Whether PyTorch wants a gradient of a number that is a tensor, in a call with an array."""
    for value in values:
        if type(value) not in _PLAIN and adapters.is_torch(array) and autograd.is_recorded(value):
            return True
    return False


def require_number(name, array):
    """Raises TypeError or ValueError for an array that is no 0-d one on the CPU."""
    if array.ndim:
        raise TypeError(f"argument '{name}': expected a real number, but got an array of shape {tuple(array.shape)}")
    device = array.device if adapters.is_torch(array) else None
    if device is not None and device.type != "cpu":
        raise ValueError(f"argument '{name}': expected a number or a tensor on the CPU, but got one on "
                         f"{device}; item() waits for it and gives its number")


def _item(name, array):
    """The value of a 0-d array."""
    arrays = adapters.arrays_of(name, array)
    require_number(name, array)
    adapters.require_no_derivative(name, array)
    return array[()] if arrays is adapters.NUMPY else array.item()
