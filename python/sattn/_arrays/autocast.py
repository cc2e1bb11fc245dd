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


def casts(array, *others):
    """Whether torch.autocast is on for the first array's device, and has one of all arrays in another element type."""
    if not isinstance(array, torch.Tensor):
        return False
    device = array.device.type
    if not torch.is_autocast_enabled(device):
        return False
    element = torch.get_autocast_dtype(device)
    return any(is_cast(value, device) and value.dtype != element for value in (array, *others))


def cast(*arrays):
    """The arrays; where torch.autocast is on for the first one's device, those of f32, f16 and bf16 there in its
    element type, as PyTorch's flex_attention has them. A cast is recorded by torch.autograd. torch/dynamo.py has what
    torch.compile traces."""
    if not plain.see() or not plain.may_autocast():
        return arrays
    if not isinstance(arrays[0], torch.Tensor):
        return arrays
    device = arrays[0].device.type
    if not torch.is_autocast_enabled(device):
        return arrays
    element = torch.get_autocast_dtype(device)
    return tuple(array.to(element) if is_cast(array, device) else array for array in arrays)
