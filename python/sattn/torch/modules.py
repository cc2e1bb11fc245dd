"""Sparse operands as modules of PyTorch, which this file imports. torch.compile traces it."""

import math

import torch

from . import library  # noqa: F401 - torch.ops.sattn
from .._arrays import matrices, pruning, sparse_operand
from .._ops.bsr_addmm import bsr_dense_addmm
from .._ops.linear import linear

ARRAYS = "crow", "col", "values"


class Bsr(torch.nn.Module):
    """A BSR matrix as a module: `module(dense)` is matrix @ dense.

    Its arrays are the buffers `crow`, `col` and `values`: `to`, `half`, `state_dict` and `load_state_dict` (of as many
    blocks) treat them as any module's. `operand` is the sattn.Prepared of them, for bsr_dense_addmm; it is made anew
    when they move, change their type, are loaded, or the indices are written in place, and their contents are checked
    again. To put other values in the place of a buffer, call `operand.update`.

    bsr: as of sattn.prepare, with tensors of PyTorch. requires_grad: whether `values` is a parameter, which trains, in
    the place of a buffer; it has the memory of the matrix's values. Raises as sattn.prepare does, TypeError for arrays
    of NumPy. Arrays of a state dictionary that are no BSR matrix of these sizes are refused, and change nothing.
    """

    def __init__(self, bsr, requires_grad=False):
        super().__init__()
        operand = sparse_operand.prepare(bsr)
        if requires_grad:
            operand.update(torch.nn.Parameter(operand.values.detach()))
            self.values = operand.values
        for name in ARRAYS[:2 if requires_grad else 3]:
            self.register_buffer(name, getattr(operand, name))
        self.operand = operand

    def forward(self, dense):
        # A graph has the tensors themselves, which a program that is saved has of its own, and so has
        # torch.func.functional_call.
        if torch.compiler.is_compiling() or not self._is_current():
            return torch.ops.sattn.bsr_addmm(None, *self._arrays(), self.operand.shape[-1], dense, 0, 1, None, None, "")
        return bsr_dense_addmm(None, self._unwritten(), dense, beta=0)

    def matrix(self):
        """The module's matrix as functions of sattn take it: the operand, or, in a graph and where its tensors were
        replaced, these."""
        if torch.compiler.is_compiling() or not self._is_current():
            return tuple(self._arrays())
        return self._unwritten()

    def extra_repr(self):
        return repr(self.operand)

    def __setstate__(self, state):
        super().__setstate__(state)
        self._renew()  # A copy has other tensors.

    def _arrays(self):
        return [getattr(self, name) for name in ARRAYS]

    def _is_current(self):
        """Whether the operand is of the module's tensors, as they are."""
        crow, col, values = self._arrays()
        operand = self.operand
        return crow is operand._crow and col is operand._col and values is operand.values \
            and operand.arrays.dtype(values.dtype) == operand.element

    def _renew(self):
        if not self._is_current():
            self._take(self.operand.of_arrays(*self._arrays()))

    def _unwritten(self):
        """The operand; made anew if indices were written, as by a broadcast of buffers."""
        if self.operand.is_written():
            self._take(self.operand.of_arrays(*self._arrays()))
        return self.operand

    def _put(self, name, tensor):
        (self._parameters if name in self._parameters else self._buffers)[name] = tensor

    def _take(self, operand):
        self.operand = operand
        for name in ARRAYS:
            self._put(name, getattr(operand, name))

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self._renew()
        return self

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):
        # PyTorch writes into the tensors before anything is checked, so that it gets copies.
        own = self._arrays()
        wrong = len(missing_keys), len(error_msgs)
        copies = [torch.nn.Parameter(array.detach().clone(), array.requires_grad) if isinstance(array, torch.nn.Parameter)
                  else array.clone() for array in own]
        for name, array in zip(ARRAYS, copies):
            self._put(name, array)
        try:
            super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                                          error_msgs)
            loaded = self._arrays()
            is_whole = (len(missing_keys), len(error_msgs)) == wrong
            operand = self.operand.of_arrays(*loaded) if is_whole else None
        finally:
            for name, array in zip(ARRAYS, own):
                self._put(name, array)
        if operand is None:
            return
        if loaded[-1] is copies[-1]:  # Values stay where they lie.
            with torch.no_grad():
                operand.update(own[-1].copy_(loaded[-1]))
        self._take(operand)


def _random_blocks(down, across, stored, device):
    """(crow, col) of `stored` blocks at random places; block rows differ by at most one block."""
    counts = torch.full((down,), stored // max(down, 1), device=device)
    counts[torch.randperm(down, device=device)[:stored - int(counts.sum())]] += 1
    # Places of the smallest of random numbers of a row.
    ranks = torch.rand(down, across, device=device).argsort(dim=1).argsort(dim=1)
    crow = torch.nn.functional.pad(counts.cumsum(0), (1, 0))
    return crow.int(), (ranks < counts[:, None]).nonzero()[:, 1].int()


class BsrLinear(Bsr):
    """A linear layer with a block-sparse weight: x @ weight^T + bias, as torch.nn.Linear.

    in_features, out_features: K and M, in whole blocks. bias: whether there is one. block: a size, or (BM, BK),
    multiples of 8.
    sparsity: the share of the weight's blocks that is not stored, 0 to 1, rounded to whole blocks; these are at random
    places, and each block row has as many as others, or one more. device, dtype: as of torch.nn.Linear.

    `values` (nnz, BM, BK) and `bias` (M,) are parameters, `crow` and `col` buffers of int32; all are in `state_dict`,
    and `operand` is the sattn.Prepared, as of Bsr. x is (*, K), the result (*, M). New values are those of
    torch.nn.Linear for as many columns as are stored. Raises ValueError for sizes that do not fit.
    """

    def __init__(self, in_features, out_features, bias=True, *, block, sparsity, device=None, dtype=None):
        block = matrices.block_of(block)
        pruning.require_sparsity(sparsity)
        matrices.require_whole_blocks((out_features, in_features), block)
        down, across = out_features // block[0], in_features // block[1]
        stored = pruning.stays(down * across, sparsity)
        crow, col = _random_blocks(down, across, stored, device)
        values = torch.empty(stored, *block, device=device, dtype=dtype)
        super().__init__(sparse_operand.Operand(crow, col, values, (out_features, in_features)), requires_grad=True)
        self.bias = torch.nn.Parameter(torch.empty(out_features, device=device, dtype=dtype)) if bias else None
        self.reset_parameters()

    @classmethod
    def from_dense(cls, linear, block, sparsity):
        """A layer of the blocks of a torch.nn.Linear's weight that have the largest Frobenius norm, with a copy of its
        bias, on its device and of its type. block, sparsity: as of BsrLinear. Parameters require gradients as those of
        the layer do. Raises TypeError for another module, ValueError for sizes that do not fit."""
        if not isinstance(linear, torch.nn.Linear):
            raise TypeError(f"argument 'linear': expected a torch.nn.Linear, but got {type(linear).__name__}")
        pruned = pruning.prune_to_bsr(linear.weight.detach(), block, sparsity=sparsity)
        module = cls.__new__(cls)
        Bsr.__init__(module, sparse_operand.Operand(pruned.crow_indices().int(), pruned.col_indices().int(),
                                                    pruned.values(), tuple(pruned.shape)), requires_grad=True)
        module.values.requires_grad_(linear.weight.requires_grad)
        own = linear.bias
        module.bias = None if own is None else torch.nn.Parameter(own.detach().clone(), own.requires_grad)
        return module.train(linear.training)

    @property
    def in_features(self):
        """Columns of x."""
        return self.operand.shape[-1]

    @property
    def out_features(self):
        """Columns of the result."""
        return self.operand.rows

    def reset_parameters(self):
        """Draws new values and a new bias, uniform within 1 / sqrt(columns that are stored of a row, on average)."""
        stored, _, width = self.values.shape
        columns = stored * width / max(self.crow.shape[0] - 1, 1)
        bound = 1 / math.sqrt(columns) if columns else 0
        with torch.no_grad():
            for parameter in self.values, self.bias:
                if parameter is not None:
                    parameter.uniform_(-bound, bound)

    def forward(self, x):
        if torch.compiler.is_compiling() or not self._is_current():
            return torch.ops.sattn.linear(x, *self._arrays(), self.operand.shape[-1], self.bias, "")
        return linear(x, self._unwritten(), self.bias)

    def extra_repr(self):
        return (f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}, "
                f"block={self.operand.block}, nnz={self.operand.nnz}")
