#!/usr/bin/env python3
"""sattn with NumPy and SciPy: one product, many products with one matrix, and 16-bit elements.

    ./dev run python examples/python/numpy_scipy.py
"""

import ml_dtypes
import numpy as np
import scipy.sparse as sparse

import sattn

M, K, N, BLOCK = 1024, 768, 256, 32


def block_sparse(rng, density=0.2):
    """An M x K matrix of float32, of which a share of the blocks is stored."""
    stored = rng.random((M // BLOCK, K // BLOCK)) < density
    dense = np.kron(stored, np.ones((BLOCK, BLOCK), np.float32)) * rng.standard_normal((M, K), np.float32)
    return sparse.bsr_array(dense, blocksize=(BLOCK, BLOCK))


def relative_error(result, reference):
    return np.linalg.norm(result - reference) / np.linalg.norm(reference)


def main():
    rng = np.random.default_rng(0)
    matrix = block_sparse(rng)
    dense = rng.standard_normal((K, N), np.float32)
    bias = rng.standard_normal((M, 1), np.float32)
    reference = matrix.toarray().astype(np.float64) @ dense

    # matrix @ dense. With beta=0 the first argument is not read.
    product = sattn.bsr_dense_addmm(None, matrix, dense, beta=0)
    print(f"matrix @ dense: error {relative_error(product, reference):.0e}")

    # 0.5 * bias + matrix @ dense, into an array that is there already. The bias broadcasts.
    out = np.empty((M, N), np.float32)
    sattn.bsr_dense_addmm(bias, matrix, dense, beta=0.5, out=out)
    print(f"0.5 * bias + matrix @ dense: error {relative_error(out, 0.5 * bias + reference):.0e}")

    # Checks the indices once, for many products.
    operand = sattn.prepare(matrix)
    for _ in range(3):
        sattn.bsr_dense_addmm(None, operand, dense, beta=0, out=out)
    print(f"prepared: error {relative_error(out, reference):.0e}")

    # bf16, which SciPy's arrays do not hold: offsets, columns and blocks instead.
    half = ml_dtypes.bfloat16
    arrays = matrix.indptr, matrix.indices, matrix.data.astype(half)
    result = sattn.bsr_dense_addmm(None, arrays, dense.astype(half), beta=0)
    print(f"bf16: error {relative_error(result.astype(np.float64), reference):.0e}")


if __name__ == "__main__":
    main()
