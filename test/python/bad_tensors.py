"""PyTorch's tensors for bad_arguments.py, broken in ways that arrays of NumPy cannot be."""

import functools
import warnings

import numpy as np
import torch

BREAKS = {
    "a gradient": lambda t: t.requires_grad_(),
    "a parameter": lambda t: torch.nn.Parameter(t),
    "a subclass": lambda t: t.as_subclass(type("Mine", (torch.Tensor,), {})),
    "negated": lambda t: torch.complex(t.float(), t.float()).conj().imag,
    "nowhere": lambda t: t.to("meta"),
    "without memory": lambda t: torch._efficientzerotensor(t.shape, dtype=t.dtype),
    "sparse": lambda t: t.to_sparse(),
    "in rows": lambda t: t.to_sparse_csr(),
    "in columns of blocks": lambda t: t.to_sparse_bsc((1, 1)),
    "expanded": lambda t: t[..., :1].expand(t.shape),
    "complex": lambda t: t.to(torch.complex64),
    "quantized": lambda t: torch.quantize_per_tensor(t.float(), 1.0, 0, torch.qint8),
    "of inference mode": lambda t: of_inference_mode(t),
    "nested": lambda t: torch.nested.nested_tensor([t]),
}


def of_inference_mode(tensor):
    with torch.inference_mode():
        return tensor.clone()


def tensor_of(array):
    """The tensor over an array's memory; what PyTorch does not take stays as it is."""
    if not isinstance(array, np.ndarray):
        return array
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def sparse(shape, crow, col, values):
    return torch.sparse_bsr_tensor(crow, col, values, shape, check_invariants=False)


def convert(arrays, rng):
    """The arguments as tensors, one of them broken at times; bsr as a tensor at times, whose shape may be another."""
    rows = (arrays["crow"].shape[-1] - 1) * 8 if getattr(arrays["crow"], "ndim", 0) else 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in arrays:
            try:
                arrays[name] = tensor_of(arrays[name])
                if rng.random() < 0.1:
                    arrays[name] = BREAKS[rng.choice(sorted(BREAKS))](arrays[name])
            except (AttributeError, IndexError, RuntimeError, TypeError, ValueError):
                pass  # A tensor that cannot be broken so stays as it is.
    if rng.random() < 0.3:
        dense = arrays["dense"]
        # A nested tensor has no shape.
        columns = dense.shape[-2] if not getattr(dense, "is_nested", False) and getattr(dense, "ndim", 0) > 1 else 16
        shape = [(rows, columns), (columns,), (1, rows, columns), (3 * rows, columns), (rows, columns + 1)]
        make = functools.partial(sparse, shape[rng.integers(len(shape))])
        try:
            make(*(arrays[name] for name in ("crow", "col", "values")))
            arrays["shape"] = make
        except Exception:
            pass
    return arrays
