"""Products of tensors of a kind that was made before: what one was found to need is not found out again.

A call with PyTorch's tensors goes from Python to its kernels in one step, the binding's `repeats`, which compares types,
devices and shapes with those of calls before. Whatever is new to it takes the long way (_bsr.py), which checks it.
"""

import itertools
import sys

from . import _autograd, _libraries

# The kind of a call: what its tensors do not tell.
BETA_IS_ZERO, IN_PLACE, CHECKED, TF32, META = 1, 2, 4, 8, 16
# Results of the binding's call.
FAILED = 2
# Types of tensors that are what torch.Tensor is, once PyTorch has been seen.
_plain = set()
_sparse_bsr = None
# Of PyTorch then: whether gradients are recorded, and its module of forward-mode differentiation.
_is_recording = _forward = None
# Given parameters, by their text: numbers of META. That of None is 0.
_metas = {}
_numbers = itertools.count(1)  # Threads get different ones.
METAS_LIMIT = 4096


def is_out_of_memory(error):
    """Whether the runtime says that it got no memory of the device. It has launched nothing then."""
    return "out of device memory" in str(error)


def _text_of(meta):
    """Text that is the same for the same parameters alone, or None where there is none: only of a plain dict of
    integers, or sequences of them, is `repr` known to be such."""
    if type(meta) is not dict:
        return None
    for name, value in meta.items():
        if type(name) is not str:
            return None
        if type(value) is not int:
            if type(value) is not tuple and type(value) is not list:
                return None
            for size in value:
                if type(size) is not int:
                    return None
    return repr(meta)


class Repeats:
    """Programs by kind of call. Safe to use from several threads."""

    def __init__(self):
        self.clear()

    def clear(self):
        #: (call, fail, remember) of the binding, or None: one value, to be read once.
        self.functions = None

    def remember(self, program, with_beta, with_input, transposes, indices, kind, meta, operands):
        """transposes: whether the program takes dense, and input and out, transposed. indices: of a prepared operand,
        whose places in operands are None; else (None, None)."""
        global _sparse_bsr, _is_recording, _forward
        if _sparse_bsr is None:
            torch = sys.modules["torch"]
            _plain.update((torch.Tensor, torch.nn.Parameter))
            _is_recording, _forward = torch.is_grad_enabled, torch.autograd.forward_ad
            _sparse_bsr = torch.sparse_bsr
        if meta is not None:
            text = _text_of(meta)
            if text is None or len(_metas) >= METAS_LIMIT and text not in _metas:
                return
            kind |= META * (_metas.get(text) or _metas.setdefault(text, next(_numbers)))
        functions = self.functions
        if functions is None:
            self.functions = functions = tuple(_libraries.binding().repeats())
        functions[2](program, with_beta, with_input, *transposes, *indices, kind, *operands)


def _is_plain(tensor):
    """Whether it is a dense tensor of PyTorch whose memory is what it says it is."""
    return type(tensor) in _plain and not tensor.is_nested and not tensor.is_neg()


def repeated(repeats, prepared, input, bsr, dense, beta, alpha, left, right, out, meta, check, tf32):
    """The result, or None where this is no repetition, or one that got no memory; then nothing was done. Raises what
    the program raises.

    prepared: whether bsr is a Prepared; repeats: its own, or those of all others.
    """
    functions = repeats.functions
    if functions is None or not _is_plain(dense):
        return None
    kind = BETA_IS_ZERO if beta == 0 else 0
    if tf32:
        kind |= TF32
    if check or check is None and not prepared:
        if not dense.is_cuda:
            kind |= CHECKED
        elif check:  # On the long way, which copies the indices to the host.
            return None
    if meta is not None:
        number = _metas.get(_text_of(meta))
        if number is None:
            return None
        kind |= META * number
    if getattr(_forward, "_current_level", 0) >= 0:  # There may be duals.
        return None
    crow = col = shape = None
    if prepared:
        values, rows = bsr.values, bsr.rows
    elif type(bsr) is tuple:
        if len(bsr) != 3:
            return None
        crow, col, values = bsr
        if not _is_plain(crow) or not _is_plain(col):
            return None
    elif type(bsr) in _plain and bsr.layout is _sparse_bsr:
        try:
            crow, col, values, shape = bsr.crow_indices(), bsr.col_indices(), bsr.values(), bsr.shape
        except RuntimeError:  # In transforms of PyTorch, whose tensors the long way refuses.
            return None
    else:
        return None
    if not _is_plain(values) or values.dim() < 3 or dense.dim() < 2:
        return None
    if not prepared:
        if crow.dim() < 1 or crow.shape[-1] < 1:
            return None
        rows = (crow.shape[-1] - 1) * values.shape[-2]
        if shape is not None and shape != (*values.shape[:-3], rows, dense.shape[-2]):
            return None
    if input is not None:
        if not _is_plain(input):
            return None
        if input is out:
            kind |= IN_PLACE
            input = None
    for scale in (left, right):
        if scale is not None and not _is_plain(scale):
            return None
    if out is not None and not _is_plain(out):
        return None
    if _is_recording():
        for tensor in (values, dense, input, left, right, out):
            if tensor is not None and tensor.requires_grad:
                return None
    result = out
    if out is None:
        if dense.dim() != 2 or values.dim() != 3 or crow is not None and crow.dim() != 1:
            return None
        result = dense.new_empty((rows, dense.shape[1]))
    try:
        outcome = functions[0](kind, alpha, beta, crow, col, values, dense, input, left, right, result)
    except Exception:  # Of what cannot be passed the long way has a reason.
        return None
    if outcome == FAILED:
        try:
            functions[1]()
        except RuntimeError as error:
            if not is_out_of_memory(error):
                raise
            return None  # The long way makes room.
    if outcome and out is not None:
        _autograd.count_write(out)
    return result if outcome else None
