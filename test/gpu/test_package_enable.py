"""sattn.torch on a CUDA device: PyTorch's own operations on block-sparse weights run by this package; conversions."""

import contextlib
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
pytest.importorskip("tvm_ffi")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import sattn  # noqa: E402
import sattn.torch  # noqa: E402
from torch.sparse import _triton_ops  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Sparse BSR")


def problem(dtype=torch.bfloat16, block=64, seed=0):
    generator = torch.Generator("cuda").manual_seed(seed)
    mask = torch.rand(6, 8, device="cuda", generator=generator) < 0.4
    dense = torch.randn(6 * block, 8 * block, device="cuda", generator=generator).to(dtype)
    dense *= mask.repeat_interleave(block, 0).repeat_interleave(block, 1)
    x = torch.randn(4 * block, 8 * block, device="cuda", generator=generator).to(dtype)
    bias = torch.randn(6 * block, device="cuda", generator=generator).to(dtype)
    return dense, dense.to_sparse_bsr((block, block)), x, bias


def near(result, expected):
    assert (result.double() - expected).norm() <= 5e-3 * expected.norm()


def products():
    return sattn.torch.info().products


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("with_bias", [False, True])
def test_linear_and_addmm(dtype, with_bias):
    dense, weight, x, bias = problem(dtype)
    bias = bias if with_bias else None
    expected = torch.nn.functional.linear(x.double(), dense.double(), None if bias is None else bias.double())
    with sattn.torch.enable():
        near(torch.nn.functional.linear(x, weight, bias), expected)
        assert products() == 1
        c = torch.ones(dense.shape[0], x.shape[0], device="cuda", dtype=dtype)
        near(torch.addmm(c, weight, x.mT, beta=0.5, alpha=2), 0.5 * c.double() + 2 * dense.double() @ x.double().mT)
        near(weight @ x.mT, dense.double() @ x.double().mT)
        assert sattn.torch.info() == (3, {})
    near(torch.nn.functional.linear(x, weight, bias), expected)
    assert products() == 3


def test_gradients_are_those_of_pytorch():
    """PyTorch's formula, which some versions do not have on CUDA."""
    _, weight, x, _ = problem()
    grads, refusals = [], []
    for is_enabled in (False, True):
        leaf = x.clone().requires_grad_()
        with sattn.torch.enable() if is_enabled else contextlib.nullcontext():
            result = torch.nn.functional.linear(leaf, weight).sum()
            try:
                result.backward()
                grads.append(leaf.grad.double())
            except RuntimeError as error:
                refusals.append(str(error))
    assert products() >= 1
    if refusals:
        assert len(refusals) == 2 and refusals[0] == refusals[1]
    else:
        near(grads[1], grads[0])


def test_float32_follows_the_precision_of_matmul():
    dense, weight, x, _ = problem(torch.float32)
    expected = dense.double() @ x.double().mT
    before = torch.get_float32_matmul_precision()
    try:
        with sattn.torch.enable():
            torch.set_float32_matmul_precision("high")
            near(_triton_ops.bsr_dense_mm(weight, x.mT), expected)
            assert products() == 1
            torch.set_float32_matmul_precision("highest")
            with pytest.warns(RuntimeWarning, match="float32 on CUDA is fast here as tf32 alone"):
                near(_triton_ops.bsr_dense_mm(weight, x.mT), expected)
            assert products() == 1
    finally:
        torch.set_float32_matmul_precision(before)


def test_what_pytorch_refuses():
    dense, weight, x, _ = problem()
    b = x.mT[:, :15]
    with pytest.raises(ValueError, match="should be divisible by 16"):
        _triton_ops.bsr_dense_mm(weight, b)
    with sattn.torch.enable():
        near(_triton_ops.bsr_dense_mm(weight, b), dense.double() @ b.double())
    with sattn.torch.enable(strict=True), pytest.raises(ValueError, match="should be divisible by 16"):
        _triton_ops.bsr_dense_mm(weight, b)


@pytest.mark.parametrize("block", [(1, 1), (2, 3), (15, 15), (64, 32)])
def test_conversions(block):
    generator = torch.Generator("cuda").manual_seed(0)
    mask = torch.rand(6, 8, device="cuda", generator=generator) < 0.4
    matrix = torch.randn(6 * block[0], 8 * block[1], device="cuda", generator=generator)
    matrix *= mask.repeat_interleave(block[0], 0).repeat_interleave(block[1], 1)
    bsr = sattn.to_bsr(matrix, block)
    for given in (matrix, matrix.to_sparse_csr(), matrix.to_sparse_coo(), matrix.to_sparse_csc()):
        found = sattn.to_bsr(given, block)
        assert found.device == matrix.device and (found.values() == bsr.values()).all()
        assert (found.col_indices() == bsr.col_indices()).all() and (found.crow_indices() == bsr.crow_indices()).all()
        fill, = sattn.block_fill(given, [block])
        assert fill.stored == len(bsr.col_indices())
    parts = bsr.crow_indices(), bsr.col_indices(), bsr.values()
    torch.cuda.set_sync_debug_mode("error")
    try:
        back = sattn.bsr_to_dense(parts, matrix.shape[1])
        transposed = sattn.bsr_transpose(parts, matrix.shape[1])
        again = sattn.bsr_to_dense(transposed, matrix.shape[0])
        pruned = [sattn.prune_to_bsr(matrix, block, **options) for options in ({"sparsity": 0.5}, {"blocks_per_row": 2})]
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert (back == matrix).all() and (again == matrix.mT).all()
    for found, options in zip(pruned, ({"sparsity": 0.5}, {"blocks_per_row": 2})):
        wanted = sattn.prune_to_bsr(matrix.cpu(), block, **options)
        assert (found.to_dense().cpu() == wanted.to_dense()).all()
