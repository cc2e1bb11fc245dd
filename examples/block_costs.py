"""The cost of storing a sparse matrix in blocks of each size, and the cheapest size.

The model: a product takes time in proportion to the elements that blocks store, zeros included, times the cost of one,
which is larger in small blocks.
"""

import scipy.sparse as sparse

from matrix_files import MAX_BYTES, padded, stored_blocks

# The cost of one stored element by the rows of a block, over that in blocks of 128: one over the measured rates of
# docs/Performance.md (CPU; blocks of 128 count as 64) and of README's table (GPU, half of the blocks stored).
ELEMENT_COSTS = {"cpu": {8: 1.13, 16: 1.13, 32: 1.01, 64: 1.0, 128: 1.0},
                 "cuda": {8: 11.2, 16: 4.7, 32: 2.35, 64: 1.27, 128: 1.0}}


def cost(matrix, block, target):
    """The cost of a product by blocks of block x block: elements stored, times the cost of one."""
    return stored_blocks(matrix, block) * block * block * ELEMENT_COSTS[target][block]


def cheapest(matrix, target):
    """The size of blocks of the lowest cost, the larger of two alike. target: "cpu" or "cuda".

    matrix: a coo_array. Sizes whose blocks take more memory than there may be (MAX_BYTES) are left out, but for the
    smallest.
    """
    sizes = sorted(ELEMENT_COSTS[target], reverse=True)
    fit = [size for size in sizes if stored_blocks(matrix, size) * size * size * 8 <= MAX_BYTES]
    return min(fit or sizes[-1:], key=lambda size: cost(matrix, size, target))


def table(matrix, blocks, chosen):
    """Lines that say what each size of blocks costs a matrix: rows and columns added, and zeros stored."""
    matrix = sparse.coo_array(matrix)
    matrix.sum_duplicates()
    rows, columns = matrix.shape
    yield f"{'block':>11} {'padding':>15} {'padded to':>19} {'blocks':>9} {'fill':>7} {'stored per element':>20}"
    for block in blocks:
        wide = padded(matrix.shape, block)
        count = stored_blocks(matrix, block)
        stored = count * block * block
        yield (f"{'->' if block == chosen else '':2} {f'{block} x {block}':>8} "
               f"{f'{wide[0] - rows} + {wide[1] - columns}':>15} {f'{wide[0]} x {wide[1]}':>19} {count:9} "
               f"{100 * matrix.nnz / stored:5.1f} % {stored / matrix.nnz:20.1f}")


def times_more(ratio):
    """A ratio for people: "1.4 times", "523 times"."""
    return f"{ratio:.1f} times" if ratio < 10 else f"{ratio:.0f} times"


def verdict(fill, blocks, csr, dense=None):
    """A sentence on whether blocks are worth it. fill: the share of the stored elements that the matrix has; the
    others are the seconds of a product in blocks, in CSR, and dense (None: not measured)."""
    if fill >= 0.9995:
        work = "Every stored block is full"
    else:
        work = f"A fill of {100 * fill:.2g} %: blocks do {times_more(1 / fill)} the work of the elements"
    if csr < blocks and (dense is None or csr <= dense):
        return f"{work}; use CSR, which is {times_more(blocks / csr)} as fast here."
    if dense is not None and dense < blocks:
        return f"{work}; use a dense product, which is {times_more(blocks / dense)} as fast here."
    faster = f"{times_more(csr / blocks)} as fast as CSR"
    if dense is not None:
        faster += f" and {times_more(dense / blocks)} as fast as the dense product"
    return f"{work}; blocks are {faster} here."
