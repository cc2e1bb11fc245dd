"""Sparse operands of PyTorch, transposed: the pattern once, its blocks in each product."""

import dataclasses
import math
import sys

from . import adapters, array_functions, derived, patterns, sparse_operand


@dataclasses.dataclass(frozen=True)
class Pattern:
    """crow (*, K / BK + 1) and col (*, nnz) of a transpose, and order (*, nnz): which block of the matrix each of its
    blocks is. * are the batch dimensions of the matrix's indices; none where there is one pattern for all."""

    crow: object
    col: object
    order: object

    def blocks_of(self, values):
        """The transpose's values, (*, nnz, BK, BM), of the matrix's."""
        turned = values.transpose(-1, -2)
        if self.order.dim() == 1:
            return turned.index_select(turned.dim() - 3, self.order)
        return sys.modules["torch"].take_along_dim(turned, self.order[..., None, None], -3)


def _made(crow, col, across):
    batch = sys.modules["torch"].broadcast_shapes(crow.shape[:-1], col.shape[:-1])
    count = math.prod(batch)
    if count == 1:
        batch = ()
        crow, col = crow.reshape(1, -1), col.reshape(1, -1)
    else:
        crow, col = (index.expand(*batch, -1).reshape(count, -1) for index in (crow, col))
    found = patterns.transposed(array_functions.of(adapters.arrays_of("crow", crow)), crow, col, across)
    return Pattern(*(index.reshape(*batch, -1) for index in found))


def pattern_of(crow, col, across):
    """The Pattern of the transpose of a matrix with so many block columns; kept with the Prepared that has the indices,
    whose first call synchronizes on CUDA, or with their memory."""
    prepared = sparse_operand.prepared_with(crow, col)
    if prepared is None:
        return derived.of(("transposed pattern", across), (crow, col), lambda: _made(crow, col, across))
    found = prepared.patterns.get(across)
    if found is not None:
        return found
    found = _made(crow, col, across)
    if not derived.is_captured(crow):
        if crow.is_cuda:  # Calls on other streams read it, too.
            sys.modules["torch"].cuda.current_stream(crow.device).synchronize()
        prepared.patterns[across] = found
    return found


def transposed(operand, columns):
    """The transpose of an Operand with so many columns, as an operand whose indices need no check: of a Prepared a
    Prepared, which is made at the first call, synchronizes on CUDA, and is kept with it."""
    across = columns // operand.block[1]
    if not isinstance(operand, sparse_operand.Prepared):
        pattern = pattern_of(operand.crow, operand.col, across)
        return pattern.crow, pattern.col, pattern.blocks_of(operand.values)
    found = operand.transposes.get(across)
    if found is None:
        pattern = pattern_of(operand.crow, operand.col, across)
        *batch, height, width = operand.values.shape
        of_values = operand.values.new_empty(()).expand(*batch, width, height)  # Of which no element is read.
        prepared = sparse_operand.Prepared(sparse_operand.Operand(pattern.crow, pattern.col, of_values,
                                                                  (*operand.batch, columns, operand.rows)))
        operand.transposes[across] = found = pattern, prepared
    pattern, prepared = found
    return prepared.with_values(pattern.blocks_of(operand.values))
