"""Which tensors of PyTorch are plain: dense ones whose memory is what they say it is. All that asks, asks here; what
follows from a tensor's type alone (data_ptr, device, layout) the binding checks again."""

import sys

from . import autograd

#: Types of tensors that behave as torch.Tensor does; filled by `see`.
TYPES = set()
#: PyTorch's is_grad_enabled, whether torch.autocast may be on, and two layouts, once it was seen.
is_recording = may_autocast = strided = sparse_bsr = None


def see():
    """Looks up the functions of PyTorch that this module calls. Returns whether PyTorch is imported."""
    global is_recording, may_autocast, strided, sparse_bsr
    if not TYPES:
        torch = sys.modules.get("torch")
        if torch is None:
            return False
        is_recording = torch.is_grad_enabled
        # One question for all devices; without it each is asked.
        may_autocast = getattr(torch._C, "_is_any_autocast_enabled", lambda: True)
        strided, sparse_bsr = torch.strided, torch.sparse_bsr
        TYPES.update((torch.Tensor, torch.nn.Parameter))
    return True


def is_cut(tensor):
    """Whether the storage of a dense tensor of PyTorch, which may be made smaller under it, ends before its elements
    do."""
    try:
        held = tensor.untyped_storage().nbytes()
        if tensor.is_contiguous():
            needed = tensor.nbytes
            first = tensor.storage_offset() if needed else 0
            return held < needed + (first * tensor.itemsize if first else 0)
        last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
        return held < (tensor.storage_offset() + last + 1) * tensor.itemsize
    except RuntimeError:  # Tensors without a storage are refused for their kind.
        return False


def is_in_memory(tensor):
    """Whether it is plain, and has memory if it has elements."""
    if type(tensor) not in TYPES:
        return False
    try:
        # Tensors without storage, as sparse ones, refuse the first.
        return (tensor.data_ptr() != 0 or tensor.layout is strided and not tensor.numel()) and not tensor.is_neg() \
            and not tensor.is_nested and not is_cut(tensor)
    except RuntimeError:  # In a transform of PyTorch.
        return False


def are_plain(values):
    """Whether all are numbers, or tensors of PyTorch that a program takes as they are. False: unknown."""
    if not see() or autograd.may_have_tangents():
        return False
    types = TYPES
    try:
        for value in values:
            own = type(value)
            if own is float or own is int:
                continue
            # Tensors without memory have no address, or raise.
            if own not in types or value.requires_grad or not value.data_ptr() or value.is_neg() or value.is_nested \
                    or is_cut(value):
                return False
    except RuntimeError:
        return False
    return True
