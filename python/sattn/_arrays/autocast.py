"""torch.autocast: the element type that it has products and attention computed in."""

import sys

from . import lazy_torch as torch, plain


def is_cast(value, device):
    """Whether torch.autocast, where it is on for this type of device, casts a value."""
    return isinstance(value, torch.Tensor) and value.dtype in (torch.float32, torch.float16, torch.bfloat16) \
        and value.device.type == device


def is_on():
    """Whether torch.autocast is on for any device."""
    torch = sys.modules.get("torch")
    return torch is not None and torch._C._is_any_autocast_enabled()


def _element_for(array):
    """The type that torch.autocast, where it is on for an array's device, has elements in; else None."""
    if not isinstance(array, torch.Tensor) or not torch.is_autocast_enabled(array.device.type):
        return None
    return torch.get_autocast_dtype(array.device.type)


def casts(*arrays):
    """Whether torch.autocast is on for the first array's device, and has one of all arrays in another element type."""
    element = _element_for(arrays[0])
    return element is not None and any(is_cast(value, arrays[0].device.type) and value.dtype != element
                                       for value in arrays)


def cast(*arrays):
    """The arrays; where torch.autocast is on for the first one's device, those of f32, f16 and bf16 there in its
    element type, as PyTorch's flex_attention has them. A cast is recorded by torch.autograd. torch/dynamo.py has what
    torch.compile traces."""
    element = _element_for(arrays[0]) if plain.see() and plain.may_autocast() else None
    if element is None:
        return arrays
    return tuple(array.to(element) if is_cast(array, arrays[0].device.type) else array for array in arrays)
