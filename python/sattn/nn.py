"""Sparse operands as modules of PyTorch, which this file imports."""

import torch

from .torch import library  # noqa: F401 - torch.ops.sattn
from ._arrays import sparse_operand
from ._ops.bsr_addmm import bsr_dense_addmm

ARRAYS = "crow", "col", "values"


class Bsr(torch.nn.Module):
    """A BSR matrix as a module: `module(dense)` is matrix @ dense.

    Its arrays are the buffers `crow`, `col` and `values`: `to`, `half`, `state_dict` and `load_state_dict` (of as many
    blocks) treat them as any module's. `operand` is the sattn.Prepared of them, for bsr_dense_addmm; it is made anew
    when they move, change their type, are loaded, or the indices are written in place, and their contents are checked
    again. To put other values in their place, call `operand.update`.

    bsr: as of sattn.prepare, with tensors of PyTorch. Raises as that does, TypeError for arrays of NumPy. Arrays of a
    state dictionary that are no BSR matrix of these sizes are refused, and change nothing.
    """

    def __init__(self, bsr):
        super().__init__()
        operand = sparse_operand.prepare(bsr)
        for name in ARRAYS:
            self.register_buffer(name, getattr(operand, name))
        self.operand = operand

    def forward(self, dense):
        arrays, operand = self._arrays(), self.operand
        # A graph has the buffers themselves, which a program that is saved has of its own, and so has
        # torch.func.functional_call.
        if torch.compiler.is_compiling() or not _has(operand, arrays):
            return torch.ops.sattn.bsr_addmm(None, *arrays, operand.shape[-1], dense, 0, 1, None, None, "")
        if operand.is_written():  # As by a broadcast of buffers: they are checked again.
            self._take(operand.of_arrays(*arrays))
        return bsr_dense_addmm(None, self.operand, dense, beta=0)

    def extra_repr(self):
        return repr(self.operand)

    def __setstate__(self, state):
        super().__setstate__(state)
        if not _has(self.operand, self._arrays()):  # A copy has other buffers.
            self._take(self.operand.of_arrays(*self._arrays()))

    def _arrays(self):
        return [self._buffers[name] for name in ARRAYS]

    def _take(self, operand):
        self.operand = operand
        for name in ARRAYS:
            self._buffers[name] = getattr(operand, name)

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        if not _has(self.operand, self._arrays()):
            self._take(self.operand.of_arrays(*self._arrays()))
        return self

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):
        # PyTorch writes into the buffers before anything is checked, so that it gets copies.
        own = self._arrays()
        wrong = len(missing_keys), len(error_msgs)
        copies = [array.clone() for array in own]
        self._buffers.update(zip(ARRAYS, copies))
        try:
            super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                                          error_msgs)
            loaded = self._arrays()
            is_whole = (len(missing_keys), len(error_msgs)) == wrong
            operand = self.operand.of_arrays(*loaded) if is_whole else None
        finally:
            self._buffers.update(zip(ARRAYS, own))
        if operand is None:
            return
        if loaded[-1] is copies[-1]:  # Values stay where they lie.
            with torch.no_grad():
                operand.update(own[-1].copy_(loaded[-1]))
        self._take(operand)


def _has(operand, arrays):
    return arrays[0] is operand._crow and arrays[1] is operand._col and arrays[2] is operand.values
