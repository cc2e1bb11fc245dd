"""Block-sparse products of PyTorch itself by this package: enable and disable. This file imports PyTorch."""

import collections
import functools
import threading
import warnings

import torch

from .._call import pytorch_options
from .._ops import bsr_addmm, bsr_attention, bsr_mm, bsr_scatter_mm, bsr_softmax, sampled_addmm, scatter_mm

_lock = threading.Lock()
_local = threading.local()
# Number of calls of enable without a disable; PyTorch's functions by name, and those that stand for them.
_count = 0
_strict = False
_originals, _replacements = {}, {}
# Since the first enable: calls that ran here, and calls left to PyTorch by (function, reason).
_products = 0
_left = collections.Counter()
Info = collections.namedtuple("Info", "products left")
_DTYPES = torch.float16, torch.bfloat16, torch.float32, torch.float64


class _Enabled:
    """The result of enable(): as a context manager, it disables at the end."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        disable()


def _unsupported(bsr, others, like, takes_any_block):
    """Why a call is left to PyTorch, or None. others: its tensors besides the matrix, or None. like: of a product, the
    tensor whose elements' type counts, beside which the matrix may be a mask of booleans; else None. takes_any_block:
    whether blocks have any size, and may be a tensor of blocks alone."""
    layouts = (torch.sparse_bsr, torch.strided) if takes_any_block else (torch.sparse_bsr,)
    if not isinstance(bsr, torch.Tensor) or bsr.layout not in layouts \
            or not all(isinstance(tensor, (torch.Tensor, type(None))) for tensor in others):
        return "the blocks or the others are no tensors" if takes_any_block else "the matrix is no torch.sparse_bsr tensor"
    if bsr.device.type not in ("cpu", "cuda"):
        return f"tensors are on a device of type {bsr.device.type}"
    for tensor in (bsr, *others):
        is_mask = tensor is bsr and like is not None and like is not bsr and bsr.dtype == torch.bool
        if tensor is not None and tensor.dtype not in _DTYPES and not is_mask:
            return f"elements are of {tensor.dtype}, not of float16, bfloat16, float32 or float64"
    if like is None:
        return None
    if not takes_any_block:
        block = tuple(bsr.values().shape[-2:])
        if any(size % 8 for size in block) or bsr.device.type == "cuda" and block[0] > 256:
            return f"blocks are {block[0]} x {block[1]}"
    if like.dtype == torch.float32 and bsr.device.type == "cuda" \
            and torch.get_float32_matmul_precision() == "highest":
        return ("float32 on CUDA is fast here as tf32 alone, which torch.set_float32_matmul_precision('high') allows")
    return None


def _precision(like):
    is_tf32 = like.dtype == torch.float32 and torch.get_float32_matmul_precision() != "highest"
    return "tf32" if is_tf32 else None


def _leave(name, reason, arguments, options):
    """The result of PyTorch's own function, with a warning for the first call that this reason has."""
    theirs = _originals[name]
    if theirs is None:
        raise NotImplementedError(f"{name}: {reason}; and PyTorch has no kernel of its own, since Triton is not there")
    with _lock:
        _left[name, reason] += 1
        is_first = _left[name, reason] == 1
    if is_first:
        warnings.warn(f"sattn.torch: PyTorch's own {name} runs, since {reason}", RuntimeWarning, stacklevel=4)
    _local.is_leaving = True  # PyTorch's functions call one another by the names that are replaced.
    try:
        return theirs(*arguments, **options)
    finally:
        _local.is_leaving = False


def _run(name, ours, bsr, others, like, arguments, options, takes_any_block=False):
    """The result by this package, or by PyTorch where this package has no code. Records no gradient, as PyTorch's own
    functions record none: they are called below autograd."""
    global _products
    if _count == 0 or getattr(_local, "is_leaving", False):
        return _originals[name](*arguments, **options)
    reason = _unsupported(bsr, others, like, takes_any_block)
    if reason is None:
        try:
            with torch.no_grad():
                result = ours() if like is None else ours(precision=_precision(like))
            with _lock:
                _products += 1
            return result
        except NotImplementedError as error:
            reason = str(error)
        except ValueError as error:
            # Parameters of PyTorch's kernel may be none of ours.
            if not str(error).startswith("argument 'meta'"):
                raise
            reason = str(error)
    return _leave(name, reason, arguments, options)


def _scale(scale, batch, size):
    """left_alpha or right_alpha in the shape (*, size); PyTorch's functions take any with as many elements."""
    if scale is None or scale.shape[-1:] == (size,) and scale.ndim <= len(batch) + 1:
        return scale
    return scale.reshape(*batch, size) if scale.numel() == torch.Size(batch).numel() * size else scale


def _bsr_dense_mm(bsr, dense, **options):
    out = options.get("out")
    return _run("bsr_dense_mm", functools.partial(bsr_mm.bsr_dense_mm, bsr, dense, **options), bsr, (dense, out), bsr,
                (bsr, dense), options)


def _bsr_dense_addmm(input, bsr, dense, **options):
    out = options.get("out")
    scales = {name: options[name] for name in ("left_alpha", "right_alpha") if options.get(name) is not None}
    if scales:
        batch = torch.broadcast_shapes(bsr.shape[:-2], dense.shape[:-2])
        sizes = {"left_alpha": bsr.shape[-2], "right_alpha": dense.shape[-1]}
        scales = {name: _scale(scale, batch, sizes[name]) for name, scale in scales.items()}
    ours = functools.partial(bsr_addmm.bsr_dense_addmm, input, bsr, dense, **{**options, **scales})
    return _run("bsr_dense_addmm", ours, bsr, (dense, out), bsr, (input, bsr, dense), options)


def _sampled_addmm(input, mat1, mat2, *, beta=1.0, alpha=1.0, out=None, skip_checks=False, max_grid=None):
    def ours(precision):
        check = pytorch_options.check_of(skip_checks, max_grid, None)
        return sampled_addmm.sampled_addmm(input, mat1, mat2, beta=beta, alpha=alpha, out=out, check=check,
                                           precision=precision)

    options = {"beta": beta, "alpha": alpha, "out": out, "skip_checks": skip_checks, "max_grid": max_grid}
    return _run("sampled_addmm", ours, input, (mat1, mat2, out), mat1, (input, mat1, mat2), options)


def _bsr_softmax(input, max_row_nnz=None):
    return _run("bsr_softmax", functools.partial(bsr_softmax.bsr_softmax, input, max_row_nnz), input, (), None,
                (input, max_row_nnz), {})


def _scatter_mm(blocks, others, indices_data, *, accumulators=None):
    ours = functools.partial(scatter_mm.scatter_mm, blocks, others, indices_data, accumulators=accumulators)
    return _run("scatter_mm", ours, blocks, (others, accumulators), blocks, (blocks, others, indices_data),
                {"accumulators": accumulators}, takes_any_block=True)


def _bsr_scatter_mm(bsr, other, indices_data=None, out=None):
    ours = functools.partial(bsr_scatter_mm.bsr_scatter_mm, bsr, other, indices_data, out)
    return _run("bsr_scatter_mm", ours, bsr, (other, out), bsr, (bsr, other, indices_data, out), {},
                takes_any_block=True)


def _scaled_dot_product_attention(query, key, value, attn_mask, dropout_p=0.0, is_causal=False, scale=None):
    arguments = query, key, value, attn_mask, dropout_p, is_causal, scale
    return _run("_scaled_dot_product_attention", functools.partial(bsr_attention.scaled_dot_product_attention,
                                                                   *arguments), attn_mask,
                (query, key, value), query, arguments, {})


_OURS = {"bsr_dense_mm": _bsr_dense_mm, "bsr_dense_addmm": _bsr_dense_addmm, "sampled_addmm": _sampled_addmm,
         "bsr_softmax": _bsr_softmax, "scatter_mm": _scatter_mm, "bsr_scatter_mm": _bsr_scatter_mm,
         "_scaled_dot_product_attention": _scaled_dot_product_attention}
# Functions that stay PyTorch's where it is to check arguments: they call others of these.
_CHECKING = "bsr_dense_mm", "_scaled_dot_product_attention"


def enable(*, strict=False):
    """Replaces PyTorch's block-sparse functions by this package's: bsr_dense_mm, bsr_dense_addmm, sampled_addmm, bsr_softmax,
    scatter_mm, bsr_scatter_mm and _scaled_dot_product_attention of torch.sparse._triton_ops.

    Operations of PyTorch that call them for a torch.sparse_bsr matrix on CUDA run here too, if Triton is installed:
    torch.nn.functional.linear with a sparse weight, torch.addmm, torch.mm and `@`, for blocks of powers of 2 from 16 on
    and columns in whole multiples of a block's rows, as PyTorch decides. On the CPU they stay PyTorch's: call
    sattn.linear and sattn.bsr_dense_addmm there. Gradients are PyTorch's as before.

    These cases fall back to PyTorch's kernel, with one RuntimeWarning for each reason:

    - types other than float16, bfloat16, float32 and, on the CPU, float64;
    - float32 on CUDA unless torch.set_float32_matmul_precision allows tf32, except in bsr_softmax;
    - blocks that are no multiples of 8, except in bsr_softmax, scatter_mm and bsr_scatter_mm;
    - parameters (`meta`) that this package does not take.

    Other errors are this package's ValueError or TypeError.

    strict: whether PyTorch's bsr_dense_mm and _scaled_dot_product_attention stay and check their arguments in their
    words before the functions that they call run here; else calls that they refuse (15 columns, an out of any strides)
    run.

    Calls nest: each disable() undoes one enable(). The result is a context manager that disables at its end. Counts for
    the whole process; safe to call from several threads. Raises ValueError where it is enabled with another `strict`.
    """
    global _count, _strict, _products
    from torch.sparse import _triton_ops

    with _lock:
        if _count and strict != _strict:
            raise ValueError(f"argument 'strict': expected {_strict}, as it is enabled, but got {strict}")
        if not _count:
            _products = 0
            _left.clear()
            for name, function in _OURS.items():
                _originals[name] = getattr(_triton_ops, name)
                if not strict or name not in _CHECKING:
                    _replacements[name] = function
                    setattr(_triton_ops, name, function)
            _strict = strict
        _count += 1
    return _Enabled()


def disable():
    """Undoes one enable(); the last one gives PyTorch its own functions back. Raises RuntimeError where none is left.

    A function that others have put in the place of ours since stays; ours, if it calls it, then calls PyTorch's.
    """
    global _count
    from torch.sparse import _triton_ops

    with _lock:
        if not _count:
            raise RuntimeError("disable: expected to be called once for each enable(), but got one call more")
        _count -= 1
        if not _count:
            for name, function in _replacements.items():
                if getattr(_triton_ops, name) is function:
                    setattr(_triton_ops, name, _originals[name])
            _replacements.clear()


def is_enabled():
    """Whether PyTorch's block-sparse products run here."""
    return _count > 0


def info():
    """Info(products: calls that ran here, left: calls left to PyTorch, by (function, reason)), since the first
    enable()."""
    with _lock:
        return Info(_products, dict(_left))
