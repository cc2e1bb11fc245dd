"""On a CUDA device: repeated attention with lists, whose counter of tiles is never filled and whose order of tiles is kept."""

import gc
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tvm_ffi")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import sattn  # noqa: E402

LENGTH, HEADS = 2048, 16


class Attention:
    """A call with lists of blocks. Tiles outnumber SMs, so that CTAs take them from a counter."""

    def __init__(self, kind, block=64, seed=0):
        self.kind, self.block = kind, block
        generator = torch.Generator().manual_seed(seed)
        self.blocks = LENGTH // block
        # Rows of very different length, as many stored blocks for each seed.
        self.present = torch.zeros(self.blocks, self.blocks, dtype=torch.bool)
        for row, length in enumerate(torch.randperm(self.blocks, generator=generator).tolist()):
            self.present[row, torch.randperm(self.blocks, generator=generator)[:length]] = True
        self.arrays = [torch.randn(1, HEADS, LENGTH, 64, generator=generator).to("cuda", torch.bfloat16) for _ in range(3)]
        self.make()

    def lists_of(self, present):
        if self.kind == "flex":
            number = present.sum(1).int()
            listed = present.int().argsort(dim=1, descending=True, stable=True).int()
            return number.cuda()[None, None], listed.cuda()[None, None]
        crow = torch.cat([torch.zeros(1), present.sum(1).cumsum(0)]).int()
        return crow.cuda(), present.nonzero()[:, 1].int().cuda()

    def make(self):
        self.lists = self.lists_of(self.present)
        if self.kind == "flex":
            self.mask = sattn.BlockMask.from_kv_blocks(*self.lists, None, None, (self.block, self.block), lambda b, h, i, j: i >= 0,
                                                       (LENGTH, LENGTH))
            return
        values = torch.ones(int(self.present.sum()), self.block, self.block, dtype=torch.bfloat16, device="cuda")
        self.mask = torch.sparse_bsr_tensor(*self.lists, values, size=(LENGTH, LENGTH)) if self.kind == "sparse" else (*self.lists, values)

    def change(self, seed):
        """Others in the place of the lists."""
        self.present = self.present[torch.randperm(self.blocks, generator=torch.Generator().manual_seed(seed))]
        for array, other in zip(self.lists, self.lists_of(self.present)):
            array.copy_(other)

    def __call__(self):
        if self.kind == "flex":
            return sattn.flex_attention(*self.arrays, block_mask=self.mask)
        meta = {"tile": (64, 64, 64), "stages": 2, "raster_group": 8, "split_k": 256} if self.kind == "parts" else None
        return sattn.scaled_dot_product_attention(*self.arrays, self.mask, meta=meta)

    def expected(self):
        query, key, value = (array.double() for array in self.arrays)
        visible = self.present.cuda().repeat_interleave(self.block, 0).repeat_interleave(self.block, 1)
        scores = (query @ key.mT / 8).masked_fill(~visible, float("-inf"))
        return scores.softmax(-1).nan_to_num(0) @ value

    def check(self, out):
        torch.cuda.synchronize()
        expected = self.expected()
        assert (out.double() - expected).abs().max() <= 2e-2 * expected.abs().max()


@pytest.fixture(params=["flex", "sparse", "tuple", "parts"])
def kind(request):
    return request.param


def captured(call, times=1):
    """A graph of so many calls, and the last result."""
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        for _ in range(times):
            out = call()
    return graph, out


@pytest.mark.parametrize("block", [64, 128])
def test_repeated_calls(kind, block):
    call = Attention(kind, block)
    first = call()
    call.check(first)
    for _ in range(300):
        again = call()
        assert torch.equal(again, first)


def test_lists_that_change_in_place(kind):
    call = Attention(kind)
    for seed in range(6):
        for _ in range(4):
            out = call()
        call.check(out)
        call.change(seed)
    # The order of other rows, in a graph, which nobody sees the change of.
    for _ in range(3):
        call()
    graph, out = captured(call)
    for seed in range(6):
        call.change(seed)
        out.zero_()
        graph.replay()
        call.check(out)


@pytest.mark.parametrize("repeats", [0, 1, 3])
def test_graphs(kind, repeats):
    """Captured before and after the order was made, replayed often, two in turn, and beside calls that are not captured."""
    call = Attention(kind)
    first = call()
    for _ in range(repeats):
        call()
    graphs = [captured(call, times) for times in (1, 5)]
    for step in range(100):
        for graph, out in graphs:
            out.zero_()
            graph.replay()
            if step % 10 == 0:
                assert torch.equal(call(), first)
                assert torch.equal(out, first)
    torch.cuda.synchronize()
    # Two graphs at one time: they are two captures, whose counters are two.
    streams = [torch.cuda.Stream() for _ in graphs]
    for _ in range(50):
        for stream, (graph, _) in zip(streams, graphs):
            with torch.cuda.stream(stream):
                graph.replay()
    torch.cuda.synchronize()
    for _, out in graphs:
        assert torch.equal(out, first)


def test_a_graph_has_the_order_when_the_mask_is_gone(kind):
    call = Attention(kind)
    first = call()
    for _ in range(2):
        call()
    graph, out = captured(call)
    lists = call.lists  # Which the kernel reads.
    call.mask = None
    gc.collect()
    torch.cuda.empty_cache()
    junk = [torch.full((1 << size,), -1, dtype=torch.int32, device="cuda") for size in range(4, 20) for _ in range(8)]
    for _ in range(10):
        out.zero_()
        graph.replay()
        assert torch.equal(out, first)
    assert len(junk) and lists is not None


def test_two_streams_at_once(kind):
    call = Attention(kind)
    first = call()
    torch.cuda.synchronize()
    streams = [torch.cuda.Stream() for _ in range(3)]
    results = []
    for _ in range(40):
        for stream in streams:
            with torch.cuda.stream(stream):
                results.append(call())
    torch.cuda.synchronize()
    assert all(torch.equal(out, first) for out in results)


def test_masks_are_dropped_and_made_again(kind):
    call = Attention(kind)
    first = call()
    for _ in range(50):
        outs = [call() for _ in range(3)]
        call.make()
    torch.cuda.synchronize()
    assert all(torch.equal(out, first) for out in outs)


def test_kernels_of_other_counts_follow_each_other():
    """They share the stream's counter."""
    calls = [Attention(kind, block) for kind in ("flex", "sparse") for block in (64, 128)]
    firsts = [call() for call in calls]
    for _ in range(50):
        outs = [call() for call in calls]
    torch.cuda.synchronize()
    assert all(torch.equal(out, first) for out, first in zip(outs, firsts))


def test_a_captured_call_is_one_node(kind, tmp_path):
    call = Attention(kind)
    for _ in range(3):
        call()
    graph = torch.cuda.CUDAGraph()
    if not hasattr(graph, "enable_debug_mode"):
        pytest.skip("expected a PyTorch that prints graphs")
    graph.enable_debug_mode()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        call()
    graph.debug_dump(str(tmp_path / "graph.dot"))
    if not (tmp_path / "graph.dot").exists():
        pytest.skip("expected a PyTorch that prints graphs")
    text = (tmp_path / "graph.dot").read_text()
    assert "KERNEL" in text.upper()
    assert "MEMSET" not in text.upper() and "MEM_ALLOC" not in text.upper() and "_order" not in text
