"""Sparse operands of PyTorch, transposed: the pattern once, its blocks in each product."""

import dataclasses
import math

from . import adapters, derived, lazy_torch as torch, patterns, sparse_operand


@dataclasses.dataclass(frozen=True)
class Pattern:
    """crow (*, K / BK + 1) and col (*, nnz) of a transpose, and order (*, nnz): which block of the matrix each of its
    blocks is. * are the batch dimensions of the matrix's indices; none where there is one pattern for all."""

    crow: object
    col: object
    order: object  # An array of col's type.

    def blocks_of(self, values):
        """The transpose's values, (*, nnz, BK, BM), of the matrix's."""
        turned = values.transpose(-1, -2)
        if self.order.dim() == 1:
            return turned.index_select(turned.dim() - 3, self.order)
        return torch.take_along_dim(turned, self.order.long()[..., None, None], -3)


def _made(crow, col, across):
    batch = torch.broadcast_shapes(crow.shape[:-1], col.shape[:-1])
    count = math.prod(batch)
    if count == 1:
        batch = ()
        crow, col = crow.reshape(1, -1), col.reshape(1, -1)
    else:
        crow, col = (index.expand(*batch, -1).reshape(count, -1) for index in (crow, col))
    found = patterns.transposed(adapters.arrays_of("crow", crow), crow, col, across)
    crow, col, order = (index.reshape(*batch, -1) for index in found)
    return Pattern(crow, col, order.to(col.dtype))


def pattern_of(crow, col, across):
    """The Pattern of the transpose of a matrix with so many block columns; kept with the Prepared that has the indices,
    whose first call synchronizes on CUDA, or with their memory."""
    prepared = sparse_operand.known_of(crow, col)
    if prepared is None:
        return derived.of(("transposed pattern", across), (crow, col), lambda: _made(crow, col, across))
    found = prepared.patterns.get(across)
    if found is not None:
        return found
    found = _made(crow, col, across)
    if not derived.is_captured(crow):
        if crow.is_cuda:  # Calls on other streams read it, too.
            torch.cuda.current_stream(crow.device).synchronize()
        prepared.patterns[across] = found
    return found


def _are_read_in_place(operand):
    """Whether products read transposed blocks where they lie: MMAs of GPUs take those of 16 bits, the CPU any."""
    return not operand.arrays.on_gpu or operand.values.element_size() == 2


def transposed(operand, columns):
    """The transpose of an Operand with so many columns, as an operand whose indices need no check: of a Prepared a
    Prepared, which is made at the first call, synchronizes on CUDA, and is kept with it. Blocks stay where they are,
    but of f32 on CUDA, where they are copied."""
    across, in_place = columns // operand.block[1], _are_read_in_place(operand)
    if not isinstance(operand, sparse_operand.Prepared):
        pattern = pattern_of(operand.crow, operand.col, across)
        if not in_place:
            return pattern.crow, pattern.col, pattern.blocks_of(operand.values)
        return sparse_operand.Operand(pattern.crow, pattern.col, operand.values,
                                      (*operand.batch, columns, operand.rows), order=pattern.order)
    found = operand.transposes.get((across, in_place))
    if found is None:
        pattern = pattern_of(operand.crow, operand.col, across)
        *batch, height, width = operand.values.shape
        # No element is read.
        of_values = operand.values.new_empty(()).expand(*batch, *((height, width) if in_place else (width, height)))
        prepared = sparse_operand.Prepared(sparse_operand.Operand(
            pattern.crow, pattern.col, of_values, (*operand.batch, columns, operand.rows),
            order=pattern.order if in_place else None))
        operand.transposes[across, in_place] = found = pattern, prepared
    pattern, prepared = found
    return prepared.with_values(operand.values if in_place else pattern.blocks_of(operand.values))
