"""sattn.bsr_softmax with PyTorch itself, on the CPU: where it is installed."""

import numpy as np
import pytest
import torch


pytestmark = pytest.mark.filterwarnings("ignore:Sparse")


@pytest.fixture
def package(sattn):
    sattn.cache.clear()
    yield sattn
    sattn.cache.clear()


def matrix_of(dtype=torch.float32):
    """Two matrices of 4 x 5 blocks of 2 x 3, of which the third block row is empty."""
    torch.manual_seed(0)
    mask = torch.tensor([[1, 0, 1, 1, 0], [0, 1, 0, 0, 1], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], dtype=torch.bool)
    mask = mask.repeat_interleave(2, 0).repeat_interleave(3, 1)
    dense = torch.where(mask, torch.rand(2, 8, 15) + 1, torch.tensor(0.)).to(dtype)
    return dense.to_sparse_bsr((2, 3)), mask


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_against_softmax_of_a_dense_matrix(package, dtype):
    matrix, mask = matrix_of(dtype)
    result = package.bsr_softmax(matrix)
    assert result.layout == torch.sparse_bsr and result.shape == matrix.shape and result.dtype == dtype
    assert torch.equal(result.crow_indices(), matrix.crow_indices())
    assert torch.equal(result.col_indices(), matrix.col_indices())
    dense = torch.where(mask, matrix.to_dense().double(), torch.tensor(-torch.inf, dtype=torch.float64))
    expected = torch.softmax(dense, -1).nan_to_num(0)
    tolerance = {torch.float32: 1e-6, torch.bfloat16: 4e-3, torch.float16: 5e-4}[dtype]
    np.testing.assert_allclose(result.to_dense().double(), expected, atol=tolerance, rtol=0)


def test_arrays(package):
    matrix, _ = matrix_of()
    arrays = matrix.crow_indices(), matrix.col_indices(), matrix.values()
    result = package.bsr_softmax(arrays, max_row_nnz=15)
    assert result[0] is arrays[0] and torch.equal(result[2], package.bsr_softmax(matrix).values())


def test_a_gradient_is_recorded_where_one_is_wanted(package):
    matrix, _ = matrix_of()
    values = matrix.values().clone().requires_grad_()
    arrays = matrix.crow_indices(), matrix.col_indices(), values
    for _ in range(2):
        result = package.bsr_softmax(arrays)[2]
        assert result.requires_grad and torch.equal(result, package.bsr_softmax(matrix).values())
        with torch.no_grad():
            assert not package.bsr_softmax(arrays)[2].requires_grad
