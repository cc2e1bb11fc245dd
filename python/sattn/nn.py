"""Sparse operands as modules of PyTorch, which this file imports."""

import torch

from . import _operand
from ._bsr import bsr_dense_addmm

ARRAYS = "crow", "col", "values"


class Bsr(torch.nn.Module):
    """A BSR matrix as a module: `module(dense)` is matrix @ dense.

    Its arrays are the buffers `crow`, `col` and `values`: `to`, `half`, `state_dict` and `load_state_dict` (of as many
    blocks) treat them as any module's. `operand` is the sattn.Prepared of them, for bsr_dense_addmm; it is made anew
    when they move, change their type or are loaded. To change the buffers otherwise, call `operand.update` for the
    values, or make another module.

    bsr: as of sattn.prepare, with tensors of PyTorch. Raises as that does, TypeError for arrays of NumPy.
    """

    def __init__(self, bsr):
        super().__init__()
        operand = _operand.prepare(bsr)
        for name in ARRAYS:
            self.register_buffer(name, getattr(operand, name))
        self.operand = operand

    def forward(self, dense):
        return bsr_dense_addmm(None, self.operand, dense, beta=0)

    def extra_repr(self):
        return repr(self.operand)

    def _follow(self):
        """Prepares the buffers as they are now."""
        self.operand = self.operand.of_arrays(*(self._buffers[name] for name in ARRAYS))
        for name in ARRAYS:
            self._buffers[name] = getattr(self.operand, name)

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        if any(self._buffers[name] is not getattr(self.operand, name) for name in ARRAYS):
            self._follow()
        return self

    def _load_from_state_dict(self, *arguments, **options):
        super()._load_from_state_dict(*arguments, **options)
        self._follow()
