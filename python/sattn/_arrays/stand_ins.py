"""Tensors of PyTorch that stand for others: fake and functional ones, and those of torch.func."""

import sys

from . import plain

# The names that tensors of torch.func print as.
_TRANSFORMED = "BatchedTensor", "GradTrackingTensor"

def refuse(name, tensor):
    """Raises NotImplementedError for a tensor without memory of its own, as in tracing and in transforms, and
    ValueError for one whose storage was made smaller."""
    if plain.is_cut(tensor):
        raise ValueError(f"argument '{name}': expected a tensor whose storage holds its elements, but got shape "
                         f"{tuple(tensor.shape)} with strides {tensor.stride()} of {tensor.dtype} in a storage of "
                         f"{tensor.untyped_storage().nbytes()} bytes")
    try:
        stands = tensor.data_ptr() == 0 and tensor.numel() != 0
    except RuntimeError:
        stands = True
    if stands:
        kind = repr(tensor).partition("(")[0]  # "BatchedTensor", "FakeTensor": its type may be torch.Tensor.
        hint = "; transforms of torch.func know no function of sattn, which takes batches as dimensions of its " \
               "arguments" if kind in _TRANSFORMED else ""
        raise NotImplementedError(f"argument '{name}': expected a tensor with memory of its own, but got a {kind}"
                                  f"{hint}")


def stands_for_others(tensor):
    """Whether operations on it are PyTorch's to dispatch: a fake tensor, as in torch.export, or another subclass that
    has a dispatch of its own. torch.func's tensors are none."""
    own = type(tensor)
    torch = sys.modules.get("torch")
    if torch is None or own is torch.Tensor or not isinstance(tensor, torch.Tensor):
        return False
    dispatch = getattr(own, "__torch_dispatch__", None)
    return dispatch is not None and dispatch is not getattr(torch.Tensor, "__torch_dispatch__", None)
