"""torch.autocast: the element type that it has attention computed in."""

import sys

from . import plain


def cast(*arrays):
    """The arrays; where torch.autocast is on for the first one's device, those of f32, f16 and bf16 there in its
    element type, as PyTorch's flex_attention has them. A cast is recorded by torch.autograd. torch/dynamo.py has what
    torch.compile traces."""
    if not plain.see() or not plain.may_autocast():
        return arrays
    torch = sys.modules["torch"]
    if not isinstance(arrays[0], torch.Tensor):
        return arrays
    device = arrays[0].device.type
    if not torch.is_autocast_enabled(device):
        return arrays
    element = torch.get_autocast_dtype(device)
    eligible = torch.float32, torch.float16, torch.bfloat16
    return tuple(array.to(element) if isinstance(array, torch.Tensor) and array.dtype in eligible
                 and array.device.type == device else array for array in arrays)
