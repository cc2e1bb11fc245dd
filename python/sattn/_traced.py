"""Tensors of PyTorch that stand for others: fake and functional ones, and those of torch.func."""


def refuse(name, tensor):
    """Raises NotImplementedError for a tensor without memory of its own, as in tracing and in transforms."""
    try:
        stands = tensor.data_ptr() == 0 and tensor.numel() != 0
    except RuntimeError:
        stands = True
    if stands:
        kind = repr(tensor).partition("(")[0]  # "BatchedTensor", "FakeTensor": its type may be torch.Tensor.
        raise NotImplementedError(f"argument '{name}': expected a tensor with memory of its own, but got a {kind}: "
                                  "products cannot be traced or transformed (torch.func, vmap, export)")


def leave_to_python(dynamo):
    """Has torch.compile, whose module torch._dynamo is, break its graph at the package's functions and run them as they
    are: it cannot trace what they do with memory, and fails on the index arrays of sparse tensors."""
    from . import _bsr

    add = getattr(getattr(dynamo, "trace_rules", None), "add", None)
    if add is not None:
        add(__package__)
    # Nor what is imported for a new kind of call; one that is remembered calls nothing of others.
    _bsr._with_memory = dynamo.disable(_bsr._with_memory)
