"""On a CUDA device: sattn.scaled_dot_product_attention of masks of PyTorch, against attention in double precision."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tvm_ffi")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import sattn  # noqa: E402


def problem(block, lead=(), mask_lead=(), dtype=torch.bfloat16, columns=128):
    """query, key, value, (crow, col, values), and which scores count; the second block row is empty."""
    generator = torch.Generator().manual_seed(0)
    present = torch.rand(4, 5, generator=generator) < 0.6
    present[1] = False
    crow = torch.cat([torch.zeros(1), present.sum(1).cumsum(0)]).int().cuda()
    col = present.nonzero()[:, 1].int().cuda()
    values = torch.ones(*mask_lead, len(col), block, block, dtype=dtype, device="cuda")
    parts = *(index.expand(*mask_lead, -1).contiguous() for index in (crow, col)), values
    arrays = [torch.randn(*lead, size * block, columns, generator=generator).to("cuda", dtype) for size in (4, 5, 5)]
    return arrays, parts, present.repeat_interleave(block, 0).repeat_interleave(block, 1).cuda()


def near(result, arrays, visible, tolerance):
    query, key, value = (array.double() for array in arrays)
    scores = (query @ key.mT * query.shape[-1]**-0.5).masked_fill(~visible, float("-inf"))
    expected = scores.softmax(-1).nan_to_num(0) @ value
    assert (result.double() - expected).abs().max() <= tolerance * expected.abs().max()


@pytest.mark.parametrize("dtype, precision, tolerance", [
    (torch.bfloat16, None, 3e-2), (torch.float16, None, 4e-3), (torch.float32, "tf32", 4e-3), (torch.float32, None, 1e-5)])
@pytest.mark.parametrize("block", [8, 16, 32, 64, 128])
def test_values(block, dtype, precision, tolerance):
    arrays, parts, visible = problem(block, (2, 3), dtype=dtype)
    near(sattn.scaled_dot_product_attention(*arrays, parts, precision=precision), arrays, visible, tolerance)


def test_a_mask_of_torch_for_each_head():
    arrays, parts, visible = problem(64, (2, 3), (2, 3))
    mask = torch.sparse_bsr_tensor(*parts, size=(2, 3, 256, 320))
    near(sattn.scaled_dot_product_attention(*arrays, mask), arrays, visible, 3e-2)


@pytest.mark.parametrize("block", [32, 64, 128])
@pytest.mark.parametrize("heads", [1, 3])
def test_a_prepared_mask_with_a_full_row(block, heads):
    generator = torch.Generator().manual_seed(1)
    size, columns = 4096 // block, 128
    present = torch.rand(size, size, generator=generator) < 0.02
    present[3] = True
    crow = torch.cat([torch.zeros(1), present.sum(1).cumsum(0)]).int().cuda()
    col = present.nonzero()[:, 1].int().cuda()
    values = torch.ones(len(col), block, block, dtype=torch.bfloat16, device="cuda")
    arrays = [torch.randn(heads, 4096, columns, generator=generator).to("cuda", torch.bfloat16) for _ in range(3)]
    visible = present.repeat_interleave(block, 0).repeat_interleave(block, 1).cuda()
    prepared = sattn.prepare((crow, col, values))
    result = sattn.scaled_dot_product_attention(*arrays, prepared)
    near(result, arrays, visible, 3e-2)
    kernels = sattn.explain(sattn.scaled_dot_product_attention, *arrays, prepared).kernels
    assert any("split_k" in kernel.parameters and kernel.origin == "the choice by the mask's longest row" for kernel in kernels)
    for _ in range(3):
        assert torch.equal(sattn.scaled_dot_product_attention(*arrays, prepared), result)
    whole = sattn.scaled_dot_product_attention(*arrays, (crow, col, values))
    assert (whole.float() - result.float()).abs().max() <= 3e-2 * whole.abs().max()


def test_dropout_is_repeated_by_the_seed():
    arrays, parts, _ = problem(64, (4,))
    zero = torch.zeros_like(arrays[0]), torch.zeros_like(arrays[1])
    value = torch.zeros_like(arrays[2])
    value[..., :128, :] = torch.eye(128)
    torch.manual_seed(5)
    first, second = (sattn.scaled_dot_product_attention(*zero, value, parts, 0.25) for _ in range(2))
    torch.manual_seed(5)
    assert torch.equal(sattn.scaled_dot_product_attention(*zero, value, parts, 0.25), first)
    assert not torch.equal(first, second) and not torch.equal(first[0], first[1])
    whole = sattn.scaled_dot_product_attention(*zero, value, parts) > 0
    assert abs((first > 0)[whole].double().mean() - 0.75) < 0.01


def test_the_same_weights_are_dropped_as_on_the_cpu():
    """A seed is drawn by each device's own generator; the bits of a seed are the same."""
    arrays, parts, _ = problem(64, (2,), dtype=torch.float32)
    from sattn._ops import bsr_attention

    drawn = torch.tensor([123456789, 42])
    saved = bsr_attention._draw
    bsr_attention._draw = lambda arrays: drawn.to(arrays.device)
    try:
        on_gpu = sattn.scaled_dot_product_attention(*arrays, parts, 0.5, precision="tf32").cpu()
        on_cpu = sattn.scaled_dot_product_attention(*(array.cpu() for array in arrays),
                                                    tuple(part.cpu() for part in parts), 0.5)
    finally:
        bsr_attention._draw = saved
    assert (on_gpu - on_cpu).abs().max() <= 4e-3 * on_cpu.abs().max()
