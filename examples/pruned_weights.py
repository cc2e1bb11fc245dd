#!/usr/bin/env python3
"""Makes a weight matrix, prunes it by block norm, and saves it in block-sparse rows.

    pruned_weights.py [--size M K] [--block B] [--sparsity S] [--dtype bf16] [--seed S] -o out.npz

The default is the feed-forward layer of a transformer of width 1024. Weights are normal, and neurons differ in
their norm as those of trained networks do: each row and each column has a log-normal scale. The blocks of the
largest Frobenius norm stay, out of all of them, so block rows keep unequal numbers of blocks.
"""

import argparse
import sys

import numpy as np
import scipy.sparse as sparse

from matrix_files import DTYPES

# Standard deviation of the logarithm of a scale.
SPREAD = 0.5


def pruned_weights(size=(4096, 1024), block=64, sparsity=0.8, dtype="f32", seed=0):
    """The matrix as a scipy bsr_array of float32, its values rounded to `dtype`.

    size: M and K, multiples of `block`. sparsity: the share of the blocks that goes, rounded to whole blocks.
    """
    rng = np.random.default_rng(seed)
    rows, columns = (extent // block for extent in size)
    weights = rng.standard_normal(size, np.float32) / np.sqrt(size[1])
    for axis, extent in enumerate(size):
        scales = rng.lognormal(0, SPREAD, extent).astype(np.float32)
        weights *= np.expand_dims(scales, 1 - axis)
    blocks = weights.reshape(rows, block, columns, block).swapaxes(1, 2).reshape(-1, block, block)
    norms = np.linalg.norm(blocks, axis=(1, 2))
    kept = np.sort(np.argsort(norms, kind="stable")[round(sparsity * len(norms)):])
    offsets = np.concatenate([[0], np.cumsum(np.bincount(kept // columns, minlength=rows))])
    values = blocks[kept].astype(DTYPES[dtype]).astype(np.float32)
    return sparse.bsr_array((values, kept % columns, offsets), shape=size)


def main(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, nargs=2, default=[4096, 1024], metavar=("M", "K"),
                        help="rows and columns (default 4096 1024)")
    parser.add_argument("--block", type=int, default=64, help="rows and columns of a block (default 64)")
    parser.add_argument("--sparsity", type=float, default=0.8, help="share of the blocks that goes (default 0.8)")
    parser.add_argument("--dtype", choices=list(DTYPES), default="bf16",
                        help="round the values to this type; they are stored as float32 (default bf16)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", required=True, metavar="FILE.npz")
    options = parser.parse_args(arguments)
    if options.block < 1:
        parser.error(f"expected a positive --block, but got {options.block}")
    if any(extent < 1 or extent % options.block for extent in options.size):
        parser.error(f"expected --size of positive multiples of {options.block}, but got {options.size}")
    if not 0 <= options.sparsity <= 1:
        parser.error(f"expected --sparsity from 0 to 1, but got {options.sparsity}")
    if not options.output.endswith(".npz"):
        parser.error(f"expected the output to end in .npz, but got '{options.output}'")
    matrix = pruned_weights(options.size, options.block, options.sparsity, options.dtype, options.seed)
    try:
        sparse.save_npz(options.output, matrix)
    except OSError as error:
        print(f"pruned_weights: error: cannot write '{options.output}': {error.strerror}", file=sys.stderr)
        return 1
    lengths = np.diff(matrix.indptr)
    print(f"{options.output}: {matrix.shape[0]} x {matrix.shape[1]}, block {options.block}, "
          f"{len(matrix.indices)} stored blocks, {lengths.min()} to {lengths.max()} in a block row")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
