"""Products whose reduction CTAs share (split_k), on a CUDA device, against the same in float64."""

import itertools
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tvm_ffi")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import sattn  # noqa: E402
from test_linear_layouts import matrix, near, versions, weight_of  # noqa: E402


@pytest.mark.parametrize("layout", list(itertools.product([False, True], repeat=2)))
@pytest.mark.parametrize("split", [2, 4, 8])
@pytest.mark.parametrize("block,columns", [(16, 16), (32, 16), (64, 64), (128, 64), (128, 16), (24, 16)])
@pytest.mark.parametrize("n", [1, 8, 16, 64])
def test_split(layout, split, block, columns, n):
    bsr, a = weight_of(block, torch.bfloat16, counts=(7, 21))
    b, out = matrix(a.shape[1], n, layout[0], torch.bfloat16), matrix(a.shape[0], n, layout[1], torch.bfloat16)
    meta = {"tile": (block, columns, min(block, 64)), "split_k": split}
    given = out.clone()
    first = None
    for _ in range(3):
        out.fill_(float("nan"))
        sattn.bsr_dense_addmm(None, bsr, b, beta=0, out=out, meta=meta)
        near(out, a @ b.double())
        first = out.clone() if first is None else first
        assert torch.equal(out, first)
    # An input apart, and in place.
    left, right = torch.randn(a.shape[0], device="cuda"), torch.randn(n, device="cuda")
    expected = 0.5 * given.double() + left.double()[:, None] * (2 * (a @ b.double())) * right.double()
    near(sattn.bsr_dense_addmm(given, bsr, b, beta=0.5, alpha=2, left_alpha=left, right_alpha=right, meta=meta), expected)
    near(sattn.bsr_dense_addmm(given, bsr, b, beta=0.5, alpha=2, left_alpha=left, right_alpha=right, out=given,
                               meta=meta), expected)


def test_split_of_batches():
    bsr, a = weight_of(64, torch.float16, counts=(5, 9))
    b = torch.randn(3, a.shape[1], 16, device="cuda").half()
    near(sattn.bsr_dense_addmm(None, bsr, b, beta=0, meta={"tile": (64, 64, 64), "split_k": 4}), a @ b.double())


def test_overlapping_launches():
    """A chain of products, each of which reads the result of the one before it, as it is and as a graph."""
    bsr, a = weight_of(64, torch.bfloat16, counts=(16, 16))
    scaled = bsr.values() / a.norm(dim=1).max().to(bsr.dtype)
    bsr = sattn.prepare((bsr.crow_indices().int(), bsr.col_indices().int(), scaled))
    x = torch.randn(16, 1024, device="cuda").bfloat16()
    buffers = [x, *(torch.empty_like(x) for _ in range(40))]
    meta = {"tile": (64, 16, 64), "split_k": 4}

    def chain():
        for source, target in zip(buffers, buffers[1:]):
            sattn.bsr_dense_addmm(None, bsr, source.T, beta=0, out=target.T, meta=meta)

    chain()
    torch.cuda.synchronize()
    expected = [buffer.clone() for buffer in buffers]
    # The same, one by one.
    for source, target in zip(expected, buffers[1:]):
        sattn.bsr_dense_addmm(None, bsr, source.T, beta=0, out=target.T, meta=meta)
        torch.cuda.synchronize()
    assert all(map(torch.equal, buffers, expected))
    side = torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.stream(side), torch.cuda.graph(graph, stream=side):
        chain()
    for _ in range(5):
        for buffer in buffers[1:]:
            buffer.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        assert all(map(torch.equal, buffers, expected))


@pytest.mark.parametrize("prepared", [True, False])
def test_operands_that_the_kernel_before_writes(prepared):
    """The values of a prepared operand, and every array of another, are written just before each product."""
    bsr, a = weight_of(64, torch.bfloat16, counts=(16, 16))
    dense = [a, -a if prepared else a.flip(0, 1)]
    sources = [given.bfloat16().to_sparse_bsr((64, 64)) for given in dense]
    arrays = [(s.crow_indices().int(), s.col_indices().int(), s.values()) for s in sources]
    written = [array.clone() for array in arrays[0]]
    operand = sattn.prepare(tuple(written)) if prepared else tuple(written)
    x = torch.randn(16, a.shape[1], device="cuda").bfloat16()
    outs = torch.empty(40, 16, a.shape[0], device="cuda", dtype=torch.bfloat16)

    def products():
        for i, out in enumerate(outs):
            for target, source in zip(written, arrays[i % 2]):
                if not (prepared and target is not written[2]):
                    target.copy_(source)
            sattn.bsr_dense_addmm(None, operand, x.T, beta=0, out=out.T)

    def check():
        torch.cuda.synchronize()
        for i, out in enumerate(outs):
            near(out, x.double() @ dense[i % 2].T)
        outs.fill_(float("nan"))

    products()
    check()
    side, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.stream(side), torch.cuda.graph(graph, stream=side):
        products()
    for _ in range(5):
        graph.replay()
        check()
