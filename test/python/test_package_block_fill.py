"""sattn.block_fill, and the sizes of blocks that to_bsr picks by it."""

import numpy as np
import pytest
import scipy.sparse

pytest.importorskip("tvm_ffi")
from test_package_conversions import sparse_matrix  # noqa: E402


def kinds(matrix):
    return [matrix, *(getattr(scipy.sparse, f"{form}_array")(matrix) for form in ("coo", "csr", "bsr"))]


@pytest.mark.parametrize("block", [1, (2, 3), (15, 15), 7, 64])
def test_counts(sattn, block):
    matrix = sparse_matrix(np.random.default_rng(0), (15, 6), np.float64)
    sides = (block, block) if isinstance(block, int) else block
    padded = np.zeros([-(-size // side) * side for size, side in zip(matrix.shape, sides)])
    padded[:matrix.shape[0], :matrix.shape[1]] = matrix
    crow, col, values = sattn.to_bsr(padded, block)
    for given in kinds(matrix):
        found, = sattn.block_fill(given, [block])
        assert found[:3] == (sides, padded.shape, len(col))
        assert found.fill == np.count_nonzero(matrix) / values.size


def test_repeated_places_count_once_and_stored_zeros_count(sattn):
    coo = scipy.sparse.coo_array((np.array([1.0, 2.0, 0.0]), (np.array([1, 1, 3]), np.array([2, 2, 0]))), (4, 4))
    found, = sattn.block_fill(coo, [2])
    assert (found.stored, found.fill, found.cost) == (2, 2 / 8, None)


def test_costs(sattn):
    whole, half = np.ones((256, 256)), np.kron(np.eye(4), np.ones((64, 64)))
    costs = {found.block[0]: found.cost for found in sattn.block_fill(whole)}
    assert costs == {8: 1.13, 16: 1.13, 32: 1.01, 64: 1.0, 128: 1.0}
    assert [found.cost for found in sattn.block_fill(half, [64, 128, (64, 128), 24, (24, 7)])] == [
        0.25, 0.5, 0.5, pytest.approx(1.13 * sattn.block_fill(half, [24])[0].stored * 24 * 24 / 65536), None]


@pytest.mark.parametrize("size", [8, 16, 32, 64, 128])
def test_the_cheapest_is_picked(sattn, size):
    matrix = np.kron(np.eye(512 // size), np.ones((size, size)))
    wanted = 16 if size == 8 else 128 if size == 128 else size
    for given in kinds(matrix):
        bsr = sattn.to_bsr(given)
        assert (bsr[2].shape[1:] if isinstance(bsr, tuple) else bsr.blocksize) == ((size,) * 2 if size == 8 else
                                                                                  (wanted,) * 2)


def test_only_sizes_that_divide(sattn):
    matrix = np.ones((48, 80))
    assert sattn.to_bsr(matrix)[2].shape[1:] == (16, 16)


def test_without_an_element(sattn):
    for shape in ((16, 16), (0, 8)):
        for given in kinds(np.zeros(shape)):
            assert {(found.stored, found.fill, found.cost) for found in sattn.block_fill(given)} == {(0, 1.0, 0.0)}
            assert len(sattn.to_bsr(np.zeros(shape))[1]) == 0


def test_costs_are_those_of_the_demo(sattn):
    import block_costs
    from sattn._arrays import fill

    assert fill.ELEMENT_COSTS == block_costs.ELEMENT_COSTS
