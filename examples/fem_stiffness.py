#!/usr/bin/env python3
"""Assembles a finite-element stiffness matrix and saves it in block-sparse rows.

    fem_stiffness.py [--n NODES] [--block B] [--dtype bf16] [--seed S] -o out.npz

The problem is linear elasticity (three displacements a node) on an unstructured
tetrahedral mesh of a box that stands clamped on its bottom face. Nodes meet
unequal numbers of elements, so rows have unequal length.

The clamped degrees of freedom come first and have their rows and columns
eliminated to zero, as is usual where the matrix only ever meets vectors that are
zero there. They are padded to whole blocks, so the first block rows store
nothing at all. The free ones follow in reverse Cuthill-McKee order.
"""

import argparse
import sys

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.spatial import Delaunay

from matrix_files import DTYPES

# Poisson's ratio of steel; Young's modulus only scales the matrix.
POISSON_RATIO = 0.3


def box_mesh(nodes, seed):
    """Nodes (n, 3) of a jittered grid in a box of 3 x 1 x 1, and tetrahedra (m, 4)."""
    rng = np.random.default_rng(seed)
    side = max(2, round((nodes / 3) ** (1 / 3)))
    counts = np.array([max(2, round(nodes / side**2)), side, side])
    axes = [np.linspace(0.0, 1.0, count) for count in counts]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    # The faces stay flat; inside, a third of the spacing in each direction.
    inside = (points > 0) & (points < 1)
    points += inside * rng.uniform(-1 / 3, 1 / 3, points.shape) / (counts - 1)
    # Far from square cells Delaunay's tetrahedra would be thin, hence the box.
    points *= [3.0, 1.0, 1.0]
    # Joggled, since the points of a face are cocircular.
    tetrahedra = Delaunay(points, qhull_options="QJ Pp").simplices
    edges = points[tetrahedra[:, 1:]] - points[tetrahedra[:, :1]]
    volumes = np.abs(np.linalg.det(edges)) / 6
    # Joggling leaves slivers of no volume on flat faces.
    return points, tetrahedra[volumes > 1e-3 * np.median(volumes)]


def stiffness(points, tetrahedra):
    """Stiffness matrix (3n, 3n) of linear tetrahedra, float64, in CSR.

    Between nodes a and b of one element, of gradients g_a, g_b and volume V:
    K[a i, b j] = V (lambda g_ai g_bj + mu g_aj g_bi + mu delta_ij g_a.g_b)
    (e.g. Hughes, The Finite Element Method, section 2.7).
    """
    lame = POISSON_RATIO / ((1 + POISSON_RATIO) * (1 - 2 * POISSON_RATIO))
    shear = 1 / (2 * (1 + POISSON_RATIO))
    edges = points[tetrahedra[:, 1:]] - points[tetrahedra[:, :1]]
    # Barycentric coordinates 1..3 have the columns of the inverse as gradients.
    gradients = np.linalg.inv(edges).transpose(0, 2, 1)
    gradients = np.concatenate([-gradients.sum(axis=1, keepdims=True), gradients], axis=1)
    volumes = np.abs(np.linalg.det(edges)) / 6
    dots = np.einsum("eai,ebi->eab", gradients, gradients)
    local = (lame * np.einsum("eai,ebj->eaibj", gradients, gradients)
             + shear * np.einsum("eaj,ebi->eaibj", gradients, gradients)
             + shear * np.einsum("eab,ij->eaibj", dots, np.eye(3)))
    local *= volumes[:, None, None, None, None]
    unknowns = (3 * tetrahedra[:, :, None] + np.arange(3)).reshape(len(tetrahedra), 12)
    rows = np.repeat(unknowns, 12, axis=1).ravel()
    columns = np.tile(unknowns, (1, 12)).ravel()
    size = 3 * len(points)
    matrix = sparse.coo_array((local.ravel(), (rows, columns)), shape=(size, size)).tocsr()
    # Sums of elements in another order differ in the last bit, or almost cancel.
    matrix = ((matrix + matrix.T) / 2).tocsr()
    matrix.data[np.abs(matrix.data) < 1e-12 * np.abs(matrix.data).max()] = 0
    matrix.eliminate_zeros()
    return matrix


def free_order(matrix, free):
    """The free unknowns in reverse Cuthill-McKee order."""
    graph = sparse.csr_matrix(matrix[free][:, free])
    return free[reverse_cuthill_mckee(graph, symmetric_mode=True)]


def place(matrix, order, at, size):
    """The rows and columns `order` of a matrix, put at `at` in one of size x size."""
    part = matrix[order][:, order].tocoo()
    return sparse.coo_array((part.data, (part.coords[0] + at, part.coords[1] + at)), shape=(size, size))


def fem_stiffness(nodes=1500, block=64, dtype="f32", seed=0):
    """The matrix as a scipy bsr_array of float32, M a multiple of `block`.

    The largest entry is 1, so that f16 and bf16 neither overflow nor lose what
    matters; the values are rounded to `dtype`.
    """
    points, tetrahedra = box_mesh(nodes, seed)
    matrix = stiffness(points, tetrahedra)
    clamped = np.repeat(points[:, 2] == 0, 3)
    free = free_order(matrix, np.flatnonzero(~clamped))
    padded = [-(-count // block) * block for count in (clamped.sum(), len(free))]
    placed = place(matrix, free, padded[0], sum(padded))
    placed.data = (placed.data / np.abs(placed.data).max()).astype(DTYPES[dtype]).astype(np.float32)
    bsr = sparse.csr_array(placed).tobsr(blocksize=(block, block))
    bsr.sort_indices()
    return bsr


def main(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=1500, help="nodes of the mesh, about (default 1500)")
    parser.add_argument("--block", type=int, default=64, help="rows and columns of a block (default 64)")
    parser.add_argument("--dtype", choices=list(DTYPES), default="bf16",
                        help="round the values to this type; they are stored as float32 (default bf16)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", required=True, metavar="FILE.npz")
    options = parser.parse_args(arguments)
    if options.n < 8:
        parser.error(f"expected --n of at least 8, but got {options.n}")
    if options.block < 1:
        parser.error(f"expected a positive --block, but got {options.block}")
    if not options.output.endswith(".npz"):
        parser.error(f"expected the output to end in .npz, but got '{options.output}'")
    matrix = fem_stiffness(options.n, options.block, options.dtype, options.seed)
    try:
        sparse.save_npz(options.output, matrix)
    except OSError as error:
        print(f"fem_stiffness: error: cannot write '{options.output}': {error.strerror}", file=sys.stderr)
        return 1
    lengths = np.diff(matrix.indptr)
    print(f"{options.output}: {matrix.shape[0]} x {matrix.shape[1]}, block {options.block}, "
          f"{len(matrix.indices)} stored blocks, {lengths.min()} to {lengths.max()} in a block row, "
          f"{np.count_nonzero(lengths == 0)} empty block rows")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
