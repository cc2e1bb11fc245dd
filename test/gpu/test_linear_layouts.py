"""Products with dense and out in either layout, and sattn.linear, on a CUDA device, against the same in float64."""

import itertools
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tvm_ffi")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import sattn  # noqa: E402

LAYOUTS = list(itertools.product([False, True], repeat=2))
DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


def weight_of(block, dtype, counts=(6, 8), seed=0):
    """A sparse matrix with an empty block row, and the same in float64."""
    rows, columns = (block, block) if isinstance(block, int) else block
    generator = torch.Generator("cuda").manual_seed(seed)
    mask = torch.rand(counts, device="cuda", generator=generator) < 0.4
    mask[0] = False
    size = counts[0] * rows, counts[1] * columns
    dense = torch.randn(size, device="cuda", generator=generator).to(dtype)
    dense *= mask.repeat_interleave(rows, 0).repeat_interleave(columns, 1)
    return dense.to_sparse_bsr((rows, columns)), dense.double()


def matrix(rows, columns, is_transposed, dtype, batch=()):
    """Random, rows or columns contiguous."""
    if is_transposed:
        return torch.randn(*batch, columns, rows, device="cuda").to(dtype).mT
    return torch.randn(*batch, rows, columns, device="cuda").to(dtype)


def near(result, expected):
    assert (result.double() - expected).norm() <= 5e-3 * expected.norm() + 1e-12


def versions(*arguments, **keywords):
    return {kernel.version for kernel in sattn.explain(*arguments, **keywords).kernels if kernel.parameters}


@pytest.mark.parametrize("n", [1, 7, 8, 37, 64, 200, 256, 1000])
@pytest.mark.parametrize("block", [8, 16, 32, 64, 128, (64, 32), (24, 40), 256])
@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout, kind, block, n):
    dtype, options = DTYPES[kind], {"precision": "tf32"} if kind == "f32" else {}
    if kind == "f32" and (n not in (1, 37, 256) or block == 256):
        pytest.skip("fewer of f32")
    bsr, a = weight_of(block, dtype)
    b, c = matrix(a.shape[1], n, layout[0], dtype), matrix(a.shape[0], n, layout[1], dtype)
    product, given = a @ b.double(), c.clone()
    for operand in (bsr, sattn.prepare(bsr)):
        out = torch.full_like(c, float("nan"))
        assert out.stride() == c.stride()
        for _ in range(2):  # The second takes the short way.
            assert sattn.bsr_dense_addmm(None, operand, b, beta=0, out=out, **options) is out
            near(out, product)
        near(sattn.bsr_dense_addmm(c, operand, b, beta=0.5, alpha=2, out=out, **options),
             0.5 * given.double() + 2 * product)
        in_place = torch.empty_like(c).copy_(given)
        near(sattn.bsr_dense_addmm(in_place, operand, b, out=in_place, **options), given.double() + product)


@pytest.mark.parametrize("block", [16, 64, 128])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_aligned_versions(layout, block):
    bsr, a = weight_of(block, torch.bfloat16)
    for n in (1, 8, 256) if all(layout) else (8, 256):
        b, c = (matrix(rows, n, is_transposed, torch.bfloat16) for rows, is_transposed in zip(a.shape[::-1], layout))
        assert versions(None, bsr, b, beta=0, out=c) == {"aligned"}


@pytest.mark.parametrize("out_kind", DTYPES)
@pytest.mark.parametrize("batch", [(), (3,)])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_scales_and_batches(layout, batch, out_kind):
    bsr, a = weight_of(64, torch.bfloat16)
    m, k, n = *a.shape, 200
    b = matrix(k, n, layout[0], torch.bfloat16, batch)
    for in_layout in (False, True):
        c = matrix(m, n, in_layout, torch.bfloat16, batch)
        left, right = (torch.rand(size, device="cuda") + 0.5 for size in (m, n))
        out = matrix(m, n, layout[1], DTYPES[out_kind], batch)
        sattn.bsr_dense_addmm(c, bsr, b, beta=0.5, alpha=2, left_alpha=left, right_alpha=right, out=out)
        near(out, 0.5 * c.double() + 2 * left.double()[:, None] * (a @ b.double()) * right.double())


@pytest.mark.parametrize("tile", [(128, 128, 64), (128, 256, 64), (64, 8, 64), (64, 24, 64), (64, 256, 32)])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_tiles(layout, tile):
    """Tiles of two block rows by a plan, and of columns that are few or no power of two."""
    bsr, a = weight_of(64, torch.bfloat16, counts=(10, 12))
    b, out = (matrix(rows, 520, is_transposed, torch.bfloat16) for rows, is_transposed in zip(a.shape[::-1], layout))
    for operand in (bsr, sattn.prepare(bsr)):
        for kind in (torch.bfloat16, torch.float32):
            target = torch.full_like(out, float("nan"), dtype=kind)
            near(sattn.bsr_dense_addmm(None, operand, b, beta=0, out=target, meta={"tile": tile}), a @ b.double())


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("block", [16, 64, 128])
@pytest.mark.parametrize("batch", [(), (1,), (7,), (3, 9), (0,), (300,)])
def test_linear(batch, block, kind):
    dtype, options = DTYPES[kind], {"precision": "tf32"} if kind == "f32" else {}
    bsr, a = weight_of(block, dtype)
    x, bias = torch.randn(*batch, a.shape[1], device="cuda").to(dtype), torch.randn(a.shape[0], device="cuda").to(dtype)
    for weight in (bsr, sattn.prepare(bsr)):
        for added in (None, bias):
            result = sattn.linear(x, weight, added, **options)
            expected = x.double() @ a.T + (0 if added is None else added.double())
            assert result.shape == expected.shape and result.dtype == dtype
            near(result, expected)


def test_linear_in_a_graph():
    bsr, a = weight_of(64, torch.bfloat16)
    x, y = torch.zeros(16, a.shape[1], device="cuda", dtype=torch.bfloat16), None
    weight = sattn.prepare(bsr)
    y = sattn.linear(x, weight)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        sattn.linear(x, weight, out=y)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        sattn.linear(x, weight, out=y)
    x.copy_(torch.randn(x.shape, device="cuda"))
    graph.replay()
    near(y, x.double() @ a.T)
