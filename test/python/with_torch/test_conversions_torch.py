"""Conversions of PyTorch's tensors on the CPU, where it is installed: the same as NumPy's."""

import numpy as np
import pytest
import torch

from test_package_conversions import BLOCKS, ODD, sparse_matrix  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Sparse")
DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.bool, torch.complex64]
LAYOUTS = {"coo": lambda matrix, _: matrix.to_sparse_coo(), "csr": lambda matrix, _: matrix.to_sparse_csr(),
           "csc": lambda matrix, _: matrix.to_sparse_csc(), "bsr": lambda matrix, block: matrix.to_sparse_bsr(block),
           "bsr of 1": lambda matrix, _: matrix.to_sparse_bsr((1, 1)),
           "bsc": lambda matrix, block: matrix.to_sparse_bsc(block)}


@pytest.fixture
def matrix():
    return torch.from_numpy(sparse_matrix(np.random.default_rng(0), (2, 3)))


def parts(bsr):
    return bsr if isinstance(bsr, tuple) else (bsr.crow_indices(), bsr.col_indices(), bsr.values())


def same(found, wanted):
    for one, other in zip(parts(found), parts(wanted), strict=True):
        assert one.shape == other.shape and (torch.as_tensor(one) == torch.as_tensor(other)).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("block", BLOCKS)
def test_dense(sattn, block, dtype):
    matrix = torch.from_numpy(sparse_matrix(np.random.default_rng(0), block)).to(dtype)
    bsr = sattn.to_bsr(matrix, block)
    assert bsr.layout == torch.sparse_bsr and bsr.dtype == dtype and bsr.shape == matrix.shape
    same(sattn.to_bsr(matrix.T.contiguous().T, block), bsr)
    if dtype == torch.float32:
        same(bsr, sattn.to_bsr(matrix.numpy(), block))
    assert (sattn.bsr_to_dense(bsr) == matrix).all()
    back = sattn.bsr_transpose(bsr)
    torch._validate_sparse_bsr_tensor_args(*parts(back), back.shape)
    same(back, sattn.to_bsr(matrix.T, block[::-1]))
    assert back.values().is_contiguous() and (back.to_dense() == matrix.T).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("block", [(2, 3), (4, 1), (1, 15), (8, 5)])
def test_sparse(sattn, matrix, layout, block, dtype):
    matrix = matrix.to(dtype)
    bsr = sattn.to_bsr(LAYOUTS[layout](matrix, (2, 3)), block)
    torch._validate_sparse_bsr_tensor_args(*parts(bsr), bsr.shape)
    assert bsr.dtype == dtype and bsr.values().shape[1:] == block
    same(bsr, matrix.to_sparse_bsr(block))
    fills = sattn.block_fill(LAYOUTS[layout](matrix, (2, 3)), [block, 7])
    assert fills == sattn.block_fill(matrix, [block, 7]) and fills[0].stored == len(parts(bsr)[1])


def test_the_same_block_is_the_matrix_itself(sattn, matrix):
    bsr = matrix.to_sparse_bsr((2, 3))
    assert sattn.to_bsr(bsr, (2, 3)) is bsr


def test_sums_and_stored_zeros(sattn):
    coo = torch.sparse_coo_tensor([[1, 1, 3], [2, 2, 0]], [1.0, 2.0, 0.0], (4, 4))
    bsr = sattn.to_bsr(coo, 2)
    assert bsr.crow_indices().tolist() == [0, 1, 2]
    assert bsr.values().tolist() == [[[0, 0], [3, 0]], [[0, 0], [0, 0]]]
    csr = torch.sparse_csr_tensor([0, 3], [3, 1, 3], [5.0, 1.0, 2.0], (1, 4), check_invariants=False)
    assert sattn.to_bsr(csr, (1, 2)).values().tolist() == [[[0, 1]], [[0, 7]]]


@pytest.mark.parametrize("shape", [(0, 6), (4, 0), (0, 0)])
@pytest.mark.parametrize("layout", ["coo", "csr", "csc"])
def test_empty(sattn, shape, layout):
    for given in (torch.zeros(shape), LAYOUTS[layout](torch.zeros(shape), None)):
        bsr = sattn.to_bsr(given, (2, 3))
        assert bsr.shape == shape and bsr._nnz() == 0 and sattn.bsr_to_dense(bsr).shape == shape
        assert sattn.bsr_transpose(bsr).shape == shape[::-1]
    assert sattn.prune_to_bsr(torch.zeros(shape), (2, 3), sparsity=0.5).shape == shape


def test_batches(sattn, matrix):
    batch = torch.stack([matrix, matrix.roll(2, 0)])
    bsr = sattn.to_bsr(batch, (2, 3))
    same(bsr, sattn.to_bsr(batch.numpy(), (2, 3)))
    assert (sattn.bsr_to_dense(bsr) == batch).all()
    assert (sattn.bsr_transpose(bsr).to_dense() == batch.mT).all()
    batch[0] = 1
    with pytest.raises(ValueError, match="argument 'matrix': expected batches with equally many blocks that are not zero"):
        sattn.to_bsr(batch, (2, 3))
    with pytest.raises(ValueError, match="argument 'matrix': expected at least one batch, as PyTorch's sparse tensors have"):
        sattn.to_bsr(batch[:0], (2, 3))


def test_odd_patterns(sattn):
    wanted = torch.from_numpy(sattn.bsr_to_dense(ODD, 9))
    for dtype in (torch.float32, torch.bool, torch.bfloat16):
        tensors = *map(torch.from_numpy, ODD[:2]), torch.from_numpy(ODD[2]).to(dtype)
        assert (sattn.bsr_to_dense(tensors, 9) == wanted.to(dtype)).all()
        back = sattn.bsr_transpose(tensors, 9)
        assert isinstance(back, tuple) and (sattn.bsr_to_dense(back, 6) == wanted.T.to(dtype)).all()
    same(sattn.bsr_transpose(tuple(map(torch.from_numpy, ODD)), 9)[0:1], sattn.bsr_transpose(ODD, 9)[0:1])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int8])
@pytest.mark.parametrize("options", [{"sparsity": 0.4}, {"sparsity": 1}, {"blocks_per_row": 2}])
def test_pruning(sattn, options, dtype):
    torch.manual_seed(0)
    matrix = (torch.randn(2, 8, 15) * 30).to(dtype)
    bsr = sattn.prune_to_bsr(matrix, (2, 3), **options)
    assert bsr.layout == torch.sparse_bsr and bsr.dtype == dtype and bsr.shape == matrix.shape
    torch._validate_sparse_bsr_tensor_args(*parts(bsr), bsr.shape)
    wanted = sattn.prune_to_bsr(matrix.to(torch.float64).numpy(), (2, 3), **options)
    same((*parts(bsr)[:2], bsr.values().double()), wanted)
    with pytest.raises(TypeError, match="argument 'matrix': expected integers or floating-point numbers"):
        sattn.prune_to_bsr(matrix.bool(), (2, 3), **options)


def test_the_cheapest_block(sattn):
    matrix = torch.kron(torch.eye(8), torch.ones(32, 32))
    for given in (matrix, matrix.to_sparse_csr(), matrix.to_sparse_coo()):
        assert sattn.to_bsr(given).values().shape[1:] == (32, 32)


def test_other_tensors(sattn, matrix):
    for given in (torch.stack([matrix, matrix]).to_sparse_coo(), torch.stack([matrix, matrix]).to_sparse_csr(),
                  torch.stack([matrix, matrix], -1).to_sparse(2)):
        with pytest.raises(ValueError, match="argument 'matrix': expected one sparse matrix without batches and dense"):
            sattn.block_fill(given, [2])
    with pytest.raises(ValueError, match="argument 'matrix': expected rows and columns in whole blocks of 4 x 4"):
        sattn.to_bsr(matrix.to_sparse_csr(), 4)
    with pytest.raises(ValueError, match="argument 'crow': expected ascending offsets"):
        sattn.bsr_to_dense((torch.tensor([0, 5]), torch.tensor([0]), torch.ones(1, 2, 3)), 6)
    with pytest.raises(ValueError, match="argument 'col': expected an array of the same library and device as values"):
        sattn.bsr_to_dense((torch.tensor([0, 1]), np.array([0]), torch.ones(1, 2, 3)), 6)


def test_prepared(sattn):
    matrix = torch.kron(torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]]), torch.ones(8, 16))
    back = sattn.bsr_transpose(sattn.prepare(sattn.to_bsr(matrix, (8, 16))))
    assert isinstance(back, sattn.Prepared) and back.shape == (48, 16)
    assert (sattn.bsr_to_dense(back) == matrix.T).all() and (back @ torch.eye(16) == matrix.T).all()
