"""torch.sparse_bsr tensors that torch.autograd knows to be made of their values."""

import functools

from . import adapters, lazy_torch as torch, matrices, patterns


def _at_blocks(dense, crow, col, block):
    """The blocks of a dense matrix (*, M, N) at those of a pattern (*, nnz), as values."""
    *batch, rows, columns = dense.shape
    down, across = rows // block[0], columns // block[1]
    arrays = adapters.arrays_of("crow", crow)
    own, is_inside = patterns.rows_of(arrays, crow.reshape(-1, crow.shape[-1]), col.reshape(-1, col.shape[-1]),
                                      across)
    grid = dense.reshape(-1, down, block[0], across, block[1])
    first = arrays.arange(grid.shape[0], col)[:, None]
    return grid[first, own, :, col.reshape(own.shape).long()].reshape(*batch, col.shape[-1], *block)


@functools.cache
def _of_values():
    class OfValues(torch.autograd.Function):
        """The gradient is that of the stored elements, whether it comes as a matrix of the same pattern or as a dense
        one. That of PyTorch's constructor is wrong where columns do not ascend."""

        @staticmethod
        def forward(ctx, crow, col, values, shape):
            ctx.save_for_backward(crow, col)
            ctx.block = values.shape[-2:]
            return matrices.tensor_of(crow, col, values, shape)

        @staticmethod
        def backward(ctx, grad):
            if grad.layout == torch.sparse_bsr:
                return None, None, grad.values(), None
            return None, None, _at_blocks(grad, *ctx.saved_tensors, ctx.block), None

    return OfValues


def tensor_of(crow, col, values, size):
    """A torch.sparse_bsr tensor of a matrix of this size, with all batches of its values."""
    batch = values.shape[:-3]
    crow, col = (index.expand(*batch, index.shape[-1]) for index in (crow, col))
    return _of_values().apply(crow, col, values, (*batch, *size))
