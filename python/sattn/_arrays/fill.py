"""block_fill: what blocks of each size cost a matrix."""

import typing

import numpy as np

from . import adapters, lazy_torch as torch, matrices

SIZES = 8, 16, 32, 64, 128
# The cost of one stored element by the smaller side of a block, over that in blocks of 128: one over the measured rates
# of docs/Performance.md (CPU; blocks of 128 count as 64) and of README's table (GPU, half of the blocks stored).
ELEMENT_COSTS = {"cpu": {8: 1.13, 16: 1.13, 32: 1.01, 64: 1.0, 128: 1.0},
                 "cuda": {8: 11.2, 16: 4.7, 32: 2.35, 64: 1.27, 128: 1.0}}


class BlockFill(typing.NamedTuple):
    """The cost of blocks of one size for a matrix."""

    #: (BM, BK).
    block: tuple
    #: Rows and columns, each up to the next whole block.
    shape: tuple
    #: Number of stored blocks.
    stored: int
    #: The share of the stored elements that the matrix has; 1.0 where no block is stored.
    fill: float
    #: The estimated time of a product over that with all of the matrix in blocks of 128 x 128; None for blocks that
    #: products do not take.
    cost: float | None


def _counts_of_dense(matrix, library):
    """A function from a block to the stored ones, and the elements."""
    is_element = matrix != 0
    rows, columns = is_element.shape

    def stored(block):
        pads = [-size % side for size, side in zip((rows, columns), block)]
        padded = is_element
        if any(pads):
            padded = (np.pad(is_element, [(0, pads[0]), (0, pads[1])]) if library is np else
                      library.nn.functional.pad(is_element, (0, pads[1], 0, pads[0])))
        down, across = (size // side for size, side in zip(padded.shape, block))
        grid = padded.reshape(down, block[0], across, block[1])
        return int((grid.any(axis=-1).any(axis=1) if library is np else grid.any(dim=-1).any(dim=1)).sum())

    return stored, int(is_element.sum())


def _counts_of_places(rows, columns, width, library):
    """The counts of _counts_of_dense, of the elements that a matrix of this width stores; those in one place count
    once."""
    places = library.unique(rows * width + columns)
    rows, columns = places // max(width, 1), places % max(width, 1)

    def stored(block):
        return len(library.unique(rows // block[0] * -(-width // block[1]) + columns // block[1]))

    return stored, len(places)


def _counts_of(matrix):
    """The counts of _counts_of_dense, of any matrix; and "cpu" or "cuda"."""
    if matrices.is_scipy(matrix):
        if matrix.ndim != 2:
            raise ValueError(f"argument 'matrix': expected one matrix, but got shape {tuple(matrix.shape)}")
        if matrix.format == "bsr":
            matrix = matrix.tocsr()
            matrix.eliminate_zeros()
        elements = matrix.tocoo()
        return *_counts_of_places(elements.row.astype(np.int64), elements.col.astype(np.int64), matrix.shape[1],
                                  np), "cpu"
    if adapters.is_torch(matrix) and str(matrix.layout) != "torch.strided":
        rows, columns, _ = matrices.elements_of(matrix)
        return *_counts_of_places(rows, columns, matrix.shape[1], torch), matrix.device.type
    arrays = adapters.arrays_of("matrix", matrix)
    if matrix.ndim != 2:
        raise ValueError(f"argument 'matrix': expected one matrix, but got shape {tuple(matrix.shape)}")
    if arrays is adapters.NUMPY:
        return *_counts_of_dense(matrix, np), "cpu"
    return *_counts_of_dense(matrix.detach(), torch), matrix.device.type


def block_fill(matrix, blocks=SIZES):
    """The cost of blocks of each size for a matrix: how many are stored, how full they are, and an estimate of the
    time.

    matrix: M x K, as of to_bsr; M and K need not be whole blocks. blocks: sizes, or pairs (BM, BK), of any numbers.

    Returns a list of BlockFill, one for each size. The cost is that of the matrix's device: the elements stored, zeros
    among them, times the cost of one, which is larger in small blocks. On CUDA the host waits for the counts.
    Raises TypeError for what is no matrix, ValueError for batches and sizes that are none.
    """
    sizes = [matrices.block_of(block) for block in blocks]
    stored_in, elements, device = _counts_of(matrix)
    result = []
    for block in sizes:
        shape = tuple(-(-size // side) * side for size, side in zip(matrix.shape, block))
        stored = stored_in(block)
        held = stored * block[0] * block[1]
        cost = None
        if not any(side % 8 for side in block):
            side = max(size for size in SIZES if size <= min(block))
            whole = matrix.shape[0] * matrix.shape[1]
            cost = held * ELEMENT_COSTS["cuda" if device == "cuda" else "cpu"][side] / whole if whole else 0.0
        result.append(BlockFill(block, shape, stored, elements / held if held else 1.0, cost))
    return result


def block_for(matrix):
    """The cheapest block of those that divide a matrix (*, M, K), the larger of two alike."""
    if len(matrix.shape) != 2:
        raise ValueError(f"argument 'block': expected a size for a matrix of shape {tuple(matrix.shape)}, since blocks "
                         "are measured of one matrix alone, but got None")
    sizes = [size for size in reversed(SIZES) if not matrix.shape[0] % size and not matrix.shape[1] % size]
    if not sizes:
        raise ValueError(f"argument 'matrix': expected rows and columns in multiples of {SIZES[0]}, since no block is "
                         f"given, but got shape {tuple(matrix.shape)}")
    return min(block_fill(matrix, sizes), key=lambda found: found.cost).block
