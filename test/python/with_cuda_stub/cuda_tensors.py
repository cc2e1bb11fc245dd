"""CUDA tensors of PyTorch on a machine without a GPU: their memory is the host's, by test/stub-libcudart.

Metadata, storages, version counters, autograd and streams are PyTorch's own. Its CUDA kernels cannot run; the operators
are computed by its CPU kernels over the same memory.
"""

import ctypes
import os
import warnings
from pathlib import Path

BUILD = Path(os.environ.get("SATTN_BUILD_DIR", Path(__file__).resolve().parents[3] / "build"))
LIBRARY = BUILD / "test" / "stub-libcudart" / "libcuda.so.1"
os.environ["STUB_CUDA_DEVICES"] = "2"
# Before PyTorch's libraries look for CUDA's.
ctypes.CDLL(str(LIBRARY), mode=ctypes.RTLD_GLOBAL)

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402

#: Operators of aten that PyTorch's own kernels for CUDA compute here: they allocate, copy memory or read a number of it.
OWN = {"empty.memory_format", "empty_strided", "_local_scalar_dense", "record_stream", "is_pinned", "_pin_memory", "resize_"}
#: Functions that have one implementation for all devices, which launches kernels of its own.
COMMON = {"copy_"}


def on_cpu(tensor):
    """The tensor over the same memory, on the CPU."""
    storage = tensor.untyped_storage()
    count = storage.nbytes() // tensor.itemsize
    if not count:
        return torch.empty(tensor.shape, dtype=tensor.dtype)
    memory = (ctypes.c_char * storage.nbytes()).from_address(storage.data_ptr())
    flat = torch.frombuffer(memory, dtype=tensor.dtype, count=count)
    return flat.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def _on_cuda(result, device):
    """A result on the device, in memory of the device."""
    copy = torch.empty_strided(result.shape, result.stride(), dtype=result.dtype, device=device)
    on_cpu(copy).copy_(result)
    return copy


def _run_on_cpu(operator):
    """The operator, computed by the CPU's kernel where its arguments lie."""
    def run(*arguments, **options):
        given, device = {}, torch.device(options["device"]) if options.get("device") is not None else None

        def map_(value):
            nonlocal device
            if isinstance(value, torch.Tensor) and value.is_cuda:
                host = on_cpu(value)
                given[id(host)] = value, host
                device = value.device
                return host
            if isinstance(value, (list, tuple)):
                return type(value)(map(map_, value))
            return torch.device("cpu") if isinstance(value, torch.device) else value

        arguments = [map_(value) for value in arguments]
        options = {name: map_(value) for name, value in options.items()}
        results = operator(*arguments, **options)
        for value, host in given.values():
            if value.shape != host.shape:  # An `out` that the operator resized.
                on_cpu(value.resize_(host.shape)).copy_(host)

        def back(result):
            if not isinstance(result, torch.Tensor):
                return result
            return given[id(result)][0] if id(result) in given else _on_cuda(result, device)

        results = tuple(map(back, results)) if isinstance(results, tuple) else back(results)
        given.clear()  # Breaks the cycle that `map_` is in: it would keep tensors.
        return results

    return run


def _is_computed(name):
    """Whether an operator computes elements: those that give views of their arguments do not."""
    schema = torch._C._get_schema(*(f"aten::{name}.".split(".")[:2]))
    return name not in OWN and any("Tensor" in str(argument.type) for argument in schema.arguments) and all(
        result.alias_info is None or result.alias_info.is_write for result in schema.returns)


def install():
    """Lets PyTorch's operators run on CUDA tensors; gives what keeps them."""
    library = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Each kernel of CUDA's that is overridden.
        for full in torch._C._dispatch_get_all_op_names():
            space, _, name = full.partition("::")
            if space == "aten" and _is_computed(name) and (
                    name in COMMON or torch._C._dispatch_has_kernel_for_dispatch_key(full, "CUDA")):
                operator, _, overload = name.partition(".")
                library.impl(name, _run_on_cpu(getattr(getattr(torch.ops.aten, operator), overload or "default")), "CUDA")
        torch.eye(1).to_sparse_bsr((1, 1))  # PyTorch warns of the first one.
    return library


def array_of(tensor):
    """The memory of a tensor as an array of NumPy; bf16 as ml_dtypes.bfloat16."""
    host = on_cpu(tensor)
    return host.view(torch.int16).numpy().view(ml_dtypes.bfloat16) if host.dtype == torch.bfloat16 else host.numpy()


def tensor(array, device=0):
    """A tensor with the elements of an array of NumPy, on the device of that number."""
    array = np.ascontiguousarray(array)
    host = (torch.from_numpy(array.view(np.int16)).view(torch.bfloat16) if array.dtype == ml_dtypes.bfloat16
            else torch.from_numpy(array))
    return _on_cuda(host.view(array.shape), f"cuda:{device}")


def zeros(*shape, dtype="bfloat16", device=0):
    return torch.zeros(shape, dtype=getattr(torch, dtype), device=f"cuda:{device}")


def sparse_tensor(crow, col, values, shape):
    """The matrix in BSR of these tensors, unchecked."""
    return torch.sparse_bsr_tensor(crow, col, values, shape, check_invariants=False)


def sparse(crow, col, block, columns, dtype="bfloat16", device=0):
    """A BSR matrix of zeros with this structure."""
    crow, col = (tensor(np.array(list(array), np.int32), device) for array in (crow, col))
    return sparse_tensor(crow, col, zeros(len(col), *block, dtype=dtype, device=device),
                         ((len(crow) - 1) * block[0], columns))
