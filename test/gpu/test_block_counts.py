"""Lists of blocks as they are made on a CUDA device: the same as in host memory, without waiting for it."""

import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tvm_ffi")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import masks  # noqa: E402
import sattn  # noqa: E402
from sattn._masks import mask_lists  # noqa: E402

LISTS = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices",
         "full_q_num_blocks", "full_q_indices")


def make(name, batch, lengths, block, device):
    return sattn.create_block_mask(masks.MASKS[name], *batch, *lengths, device=device, BLOCK_SIZE=block)


@pytest.mark.parametrize("block", [16, 64, 128, (7, 100)])
@pytest.mark.parametrize("batch", [(2, 4), (None, None)], ids=["batches", "shared"])
@pytest.mark.parametrize("name", masks.MASKS)
def test_same_lists(monkeypatch, name, batch, block):
    """By the compiled program on both, whatever the lengths are."""
    monkeypatch.setattr(mask_lists, "MOST_EVALUATED", 0)
    lengths = masks.LENGTH, masks.LENGTH
    on_gpu, in_host = make(name, batch, lengths, block, "cuda"), make(name, batch, lengths, block, None)
    for numbers, indices in zip(LISTS[::2], LISTS[1::2]):
        for kind in numbers, indices:
            assert getattr(on_gpu, kind).is_cuda and getattr(on_gpu, kind).dtype == torch.int32
        number, own = getattr(on_gpu, numbers).cpu().numpy(), getattr(on_gpu, indices).cpu().numpy()
        assert (number == getattr(in_host, numbers)).all(), numbers
        listed = np.arange(own.shape[-1]) < number[..., None]
        assert (own[listed] == getattr(in_host, indices)[listed]).all(), indices


def test_nothing_waits_and_graphs_hold_it():
    document = torch.randint(0, 9, (2**15,), device="cuda").sort().values.int()

    def mask_mod(b, h, q_idx, kv_idx):
        return (document[q_idx] == document[kv_idx]) & (kv_idx <= q_idx)

    def lists():
        mask = sattn.create_block_mask(mask_mod, None, None, 2**15, 2**15, device="cuda")
        return [getattr(mask, kind) for kind in LISTS]

    lists()
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        expected = lists()
    finally:
        torch.cuda.set_sync_debug_mode("default")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        lists()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = lists()
    document.copy_(document.flip(0).sort().values // 2)
    graph.replay()
    for own, wanted in zip(captured, lists()):
        assert torch.equal(own, wanted)
    assert not torch.equal(captured[0], expected[0])
