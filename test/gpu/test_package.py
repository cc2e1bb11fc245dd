"""The Python package on a CUDA device: PyTorch's tensors, streams and graphs, against the same in float64."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tvm_ffi")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import sattn  # noqa: E402


def problem(block=64, n=256, dtype=torch.bfloat16, seed=0):
    """A sparse matrix, what it is multiplied with, what is added, and the exact result of beta = 1."""
    generator = torch.Generator("cuda").manual_seed(seed)
    mask = torch.rand(6, 8, device="cuda", generator=generator) < 0.4
    mask[0] = False
    dense = torch.randn(6 * block, 8 * block, device="cuda", generator=generator).to(dtype)
    dense *= mask.repeat_interleave(block, 0).repeat_interleave(block, 1)
    b, c = (torch.randn(rows, n, device="cuda", generator=generator).to(dtype) for rows in (8 * block, 6 * block))
    return dense.to_sparse_bsr((block, block)), b, c, dense.double() @ b.double() + c.double()


def near(result, expected):
    assert (result.double() - expected).norm() <= 5e-3 * expected.norm()


@pytest.mark.parametrize("block", [64, 128])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_products(block, dtype):
    bsr, b, c, expected = problem(block, dtype=dtype)
    for operand in (bsr, sattn.prepare(bsr)):
        near(sattn.bsr_dense_addmm(c, operand, b), expected)
        near(sattn.bsr_dense_addmm(None, operand, b, beta=0, check=True), expected - c.double())


@pytest.mark.parametrize("block", [8, 16, 32, 64, 128])
def test_f32(block):
    bsr, b, c, expected = problem(block, dtype=torch.float32)
    for operand in (bsr, sattn.prepare(bsr)):
        for _ in range(2):
            near(sattn.bsr_dense_addmm(c, operand, b, precision="tf32"), expected)
        near(sattn.bsr_dense_addmm(None, operand, b, beta=0, out=torch.empty_like(c, dtype=torch.bfloat16),
                                   precision="tf32"), expected - c.double())
        for precision in (None, "ieee"):
            result = sattn.bsr_dense_addmm(c, operand, b, precision=precision)
            assert (result.double() - expected).norm() <= 1e-6 * expected.norm()


@pytest.mark.parametrize("meta", [None, {"tile": (64, 64, 32), "stages": 3}, {"SPLIT_N": 4, "num_stages": 2}])
def test_f32_as_tf32_with_all_operands(meta):
    bsr, b, c, expected = problem(dtype=torch.float32)
    left, right = (torch.rand(size, device="cuda") + 0.5 for size in c.shape)
    product = expected - c.double()
    # 16 bytes a row are missing, so that TMA does not take it.
    wide = torch.zeros(c.shape[0], c.shape[1] + 1, device="cuda")
    out = wide[:, :-1]
    result = sattn.bsr_dense_addmm(c, bsr, b, beta=0.5, alpha=2, left_alpha=left, right_alpha=right, out=out, meta=meta,
                                   precision="tf32")
    assert result is out and not wide[:, -1].any()
    near(result, 0.5 * c.double() + 2 * left.double()[:, None] * product * right.double())


def test_out_is_used_in_place():
    bsr, b, c, expected = problem()
    address = c.data_ptr()
    assert sattn.bsr_dense_addmm(c, bsr, b, out=c) is c
    assert c.data_ptr() == address
    near(c, expected)


def test_side_stream():
    bsr, b, c, expected = problem()
    sattn.bsr_dense_addmm(c, bsr, b)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(20_000_000)
        late = b + 0.0
        result = sattn.bsr_dense_addmm(c, bsr, late)
    side.synchronize()
    near(result, expected)


@pytest.mark.parametrize("prepared", [False, True])
def test_graph_capture(prepared):
    bsr, b, c, expected = problem()
    operand = sattn.prepare(bsr) if prepared else bsr
    out = torch.empty_like(c)
    sattn.bsr_dense_addmm(c, operand, b, out=out)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        sattn.bsr_dense_addmm(c, operand, b, out=out)
    out.zero_()
    graph.replay()
    near(out, expected)


@pytest.mark.parametrize("prepared", [False, True])
def test_scratch_of_streams_and_graphs(prepared):
    """Many calls on two streams and in a graph at once, of tiles that CTAs take from a counter."""
    # 6 block rows, and 32 or more tiles in each.
    bsr, b, c, _ = problem(block=128, n=8192)
    operand = sattn.prepare(bsr) if prepared else bsr
    expected = sattn.bsr_dense_addmm(c, operand, b)
    results = [torch.empty_like(c) for _ in range(3)]
    sattn.bsr_dense_addmm(c, operand, b, out=results[2])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(3):
            sattn.bsr_dense_addmm(c, operand, b, out=results[2])
    streams = [torch.cuda.Stream() for _ in range(3)]
    for result in results:
        result.zero_()
    torch.cuda.synchronize()
    # More than one fill of zeros serves.
    for _ in range(600):
        for stream, result in zip(streams[:2], results):
            with torch.cuda.stream(stream):
                sattn.bsr_dense_addmm(c, operand, b, out=result)
        with torch.cuda.stream(streams[2]):
            graph.replay()
    torch.cuda.synchronize()
    for result in results:
        assert torch.equal(result, expected)


def test_a_stream_that_is_gone():
    """Its handle may be another stream's while its work still runs."""
    bsr, b, c, _ = problem(block=128, n=8192)
    expected = sattn.bsr_dense_addmm(c, bsr, b)
    results = []
    for _ in range(200):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            results.append(sattn.bsr_dense_addmm(c, bsr, b))
            results[-1].record_stream(stream)
        del stream
    torch.cuda.synchronize()
    assert all(torch.equal(result, expected) for result in results)


def test_an_in_place_change_shows_in_a_repetition():
    bsr, b, c, expected = problem()
    out = torch.empty_like(c)
    for _ in range(3):
        sattn.bsr_dense_addmm(None, bsr, b, beta=0, out=out)
    bsr.values().mul_(2)
    sattn.bsr_dense_addmm(None, bsr, b, beta=0, out=out)
    near(out, 2 * (expected - c.double()))
    # The same blocks, without those of the last block row.
    crow = bsr.crow_indices()
    crow[-1] = crow[-2]
    sattn.bsr_dense_addmm(None, bsr, b, beta=0, out=out)
    assert not out[-64:].any() and out[:-64].any()


def test_an_in_place_change_shows_without_prepare():
    bsr, b, c, _ = problem()
    crow, col, values = bsr.crow_indices(), bsr.col_indices(), bsr.values()
    first = sattn.bsr_dense_addmm(None, (crow, col, values), b, beta=0)
    values *= 2
    assert torch.equal(sattn.bsr_dense_addmm(None, (crow, col, values), b, beta=0), 2 * first)
    crow.zero_()
    assert not sattn.bsr_dense_addmm(None, (crow, col, values), b, beta=0).any()


def test_refusals():
    bsr, b, c, _ = problem()
    with pytest.raises(ValueError, match="argument 'dense': expected an array of the same library and device"):
        sattn.bsr_dense_addmm(c, bsr, b.cpu())
    col = bsr.col_indices().clone()
    col[0] = 8
    with pytest.raises(ValueError, match="argument 'col': .*but got 8"):
        sattn.bsr_dense_addmm(c, (bsr.crow_indices(), col, bsr.values()), b, check=True)
    with pytest.raises(ValueError, match="argument 'col'"):
        sattn.prepare(torch.sparse_bsr_tensor(bsr.crow_indices(), col, bsr.values(), bsr.shape, check_invariants=False))


def test_few_kernels_serve_many_calls():
    before = sattn.cache.info().compilations
    for n in range(8, 808, 8):
        bsr, b, c, expected = problem(n=n, seed=n)
        near(sattn.bsr_dense_addmm(c, bsr, b, alpha=1), expected)
    assert sattn.cache.info().compilations - before <= 4


@pytest.mark.parametrize("meta", [
    {"tile": (64, 128, 64), "stages": 2}, {"tile": (64, 64, 64), "num_stages": 5, "GROUP_SIZE_ROW": 2},
    {"SPLIT_N": 4, "num_stages": 3, "num_warps": 4, "GROUP_SIZE_ROW": 3}, {"num_stages": 3}])
def test_parameters(meta):
    bsr, b, c, expected = problem()
    before = sattn.cache.info().compilations
    for alpha in (1, 2):
        near(sattn.bsr_dense_addmm(c, bsr, b, alpha=alpha, meta=meta), alpha * (expected - c.double()) + c.double())
    assert sattn.cache.info().compilations - before <= 1
    with pytest.raises(ValueError, match="argument 'meta': .*expected SPLIT_N to divide N = 256, but got 3"):
        sattn.bsr_dense_addmm(c, bsr, b, meta={"SPLIT_N": 3})


@pytest.mark.parametrize("prepare", [False, True])
def test_autograd(prepare):
    bsr, b, c, expected = problem()
    gradient = bsr.to_dense().double().sum(0)[:, None].expand(*b.shape)
    bsr = sattn.prepare(bsr) if prepare else bsr
    weight, out = torch.nn.Parameter(b), torch.zeros_like(c)
    for _ in range(3):
        leaf = torch.ones_like(c).requires_grad_()
        loss = (leaf * out).sum()
        with torch.inference_mode():
            near(sattn.bsr_dense_addmm(c, bsr, weight, out=out), expected)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
        weight.grad = None
        sattn.bsr_dense_addmm(c, bsr, weight).sum().backward()
        near(weight.grad, gradient)


def test_numbers():
    bsr, b, c, expected = problem()
    for _ in range(2):
        near(sattn.bsr_dense_addmm(c, bsr, b, alpha=torch.tensor(2.0), beta=torch.tensor(2)), 2 * expected)
        with pytest.raises(ValueError, match="argument 'alpha': expected a number or a tensor on the CPU"):
            sattn.bsr_dense_addmm(c, bsr, b, alpha=torch.tensor(2.0, device="cuda"))


def test_indices_and_values_of_different_batches():
    bsr, b, c, expected = problem()
    crow, col, values = bsr.crow_indices(), bsr.col_indices(), bsr.values()
    product = expected - c.double()
    scale = torch.tensor([1.0, -2.0, 0.5], device="cuda")
    several = (values * scale[:, None, None, None]).to(values.dtype)
    wanted = product * scale[:, None, None]
    for arrays in ((crow, col, several), (crow[None], col.expand(3, -1), several), (crow.expand(3, -1), col, several)):
        for operand in (arrays, sattn.prepare(arrays)):
            for _ in range(2):
                near(sattn.bsr_dense_addmm(None, operand, b, beta=0), wanted)
    for operand in ((crow.expand(3, -1), col, values), (crow, col.expand(3, -1), values)):
        near(sattn.bsr_dense_addmm(None, operand, b, beta=0), product.expand(3, -1, -1))
