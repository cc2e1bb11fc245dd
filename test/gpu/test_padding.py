"""Operands and results whose rows TMA cannot take, which are copied, on a CUDA device."""

import itertools
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tvm_ffi")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import sattn  # noqa: E402
from test_linear_layouts import near, weight_of  # noqa: E402

LAYOUTS = list(itertools.product([False, True], repeat=2))


def window(rows, columns, is_transposed, dtype, gap=3):
    """A random matrix of which rows, or columns, are that far apart; and the memory that it is a part of."""
    if is_transposed:
        memory = torch.randn(columns, rows + gap, device="cuda").to(dtype)
        return memory[:, :rows].mT, memory
    memory = torch.randn(rows, columns + gap, device="cuda").to(dtype)
    return memory[:, :columns], memory


def kernels(*arguments, **keywords):
    return [kernel.version for kernel in sattn.explain(*arguments, **keywords).kernels if kernel.version]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("block", [8, 16, 32, 64, 128, (24, 40)])
@pytest.mark.parametrize("n", [3, 37, 131, 255, 1001])
def test_windows(layout, block, n):
    """Nothing but the result changes."""
    bsr, a = weight_of(block, torch.bfloat16)
    b, _ = window(a.shape[1], n, layout[0], torch.bfloat16)
    for beta, operand in itertools.product((0, 0.5), (bsr, sattn.prepare(bsr))):
        out, memory = window(a.shape[0], n, layout[1], torch.bfloat16)
        before, given = memory.clone(), out.clone()
        if beta == 0:
            out.fill_(float("nan"))
        expected = a @ b.double() + (beta * given.double() if beta else 0)
        assert "generic" not in kernels(out, operand, b, beta=beta, out=out)
        sattn.bsr_dense_addmm(out, operand, b, beta=beta, out=out)
        near(out, expected)
        # The elements between the rows.
        out.copy_(given)
        assert torch.equal(memory, before)


def test_same_bits_as_aligned():
    bsr, a = weight_of(64, torch.bfloat16, counts=(16, 16))
    b = torch.randn(a.shape[1], 304, device="cuda").bfloat16()
    for n in (303, 297, 296):
        whole = sattn.bsr_dense_addmm(None, bsr, b, beta=0, meta={"tile": (64, 128, 64)})
        part = sattn.bsr_dense_addmm(None, bsr, b[:, :n].contiguous(), beta=0, meta={"tile": (64, 128, 64)})
        assert torch.equal(part, whole[:, :n])


def test_stored_blocks_at_any_address():
    bsr, a = weight_of(64, torch.bfloat16)
    memory = torch.empty(bsr.values().numel() + 1, device="cuda", dtype=torch.bfloat16)
    values = memory[1:].view(bsr.values().shape)
    values.copy_(bsr.values())
    b = torch.randn(a.shape[1], 96, device="cuda").bfloat16()
    operand = (bsr.crow_indices(), bsr.col_indices(), values)
    assert kernels(None, operand, b, beta=0) == ["copy", "aligned"]
    near(sattn.bsr_dense_addmm(None, operand, b, beta=0), a @ b.double())


def test_batches():
    bsr, a = weight_of(32, torch.float16)
    for batch in ((3,), (2, 3)):
        b = torch.randn(*batch, a.shape[1], 77, device="cuda").half()
        near(sattn.bsr_dense_addmm(None, bsr, b, beta=0), a @ b.double())


def test_graph_and_streams():
    """A graph has memory of its own; calls on two streams do not share theirs."""
    bsr, a = weight_of(64, torch.bfloat16, counts=(32, 32))
    operand = sattn.prepare(bsr)
    b = torch.randn(a.shape[1], 999, device="cuda").bfloat16()
    expected = a @ b.double()
    out = sattn.bsr_dense_addmm(None, operand, b, beta=0)
    near(out, expected)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        sattn.bsr_dense_addmm(None, operand, b, beta=0, out=out)
    out.zero_()
    graph.replay()
    near(out, expected)
    streams = [torch.cuda.Stream() for _ in range(4)]
    results = [torch.empty_like(out) for _ in streams]
    operands = [b * (i + 1) for i in range(len(streams))]
    torch.cuda.synchronize()
    for _ in range(20):
        for stream, dense, result in zip(streams, operands, results):
            with torch.cuda.stream(stream):
                sattn.bsr_dense_addmm(None, operand, dense, beta=0, out=result)
        graph.replay()
    torch.cuda.synchronize()
    for i, result in enumerate(results):
        near(result, expected * (i + 1))


def test_large():
    """More than a stream keeps of scratch memory."""
    bsr, a = weight_of(128, torch.bfloat16, counts=(32, 32))
    b = torch.randn(a.shape[1], 16383, device="cuda").bfloat16()
    near(sattn.bsr_dense_addmm(None, bsr, b, beta=0), a @ b.double())
