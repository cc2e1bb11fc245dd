"""Hints that repeated calls keep, over the stub: which kernels a call launches, and with whose memory."""

import contextlib
import gc
import weakref

import cuda_tensors
import numpy as np
import pytest
import torch
from test_guarded_calls import driver_calls, words

ROWS, BLOCK, HEADS = 1024, 64, 16


def indices():
    """A block row has its own block and those before: 16 x 16 tiles, which are more than SMs."""
    counts = np.arange(ROWS // BLOCK) + 1
    return np.concatenate([[0], np.cumsum(counts)]), np.concatenate([np.arange(count) for count in counts])


class Attention:
    """scaled_dot_product_attention."""

    def __init__(self, package, as_tuple, meta=None):
        self.package, self.meta = package, meta
        crow, col = indices()
        self.mask = cuda_tensors.sparse(crow, col, (BLOCK, BLOCK), ROWS)
        self.lists = self.mask.crow_indices(), self.mask.col_indices()
        if as_tuple:
            self.mask = (*self.lists, self.mask.values())

    def __call__(self):
        query, key, value = (cuda_tensors.zeros(HEADS, ROWS, 64) for _ in range(3))
        return self.package.scaled_dot_product_attention(query, key, value, self.mask, meta=self.meta)

    def drop(self):
        self.mask = None


class Flex:
    """flex_attention of a mask with given lists."""

    def __init__(self, package):
        self.package = package
        crow, col = indices()
        number = cuda_tensors.tensor(np.diff(crow).astype(np.int32).reshape(1, 1, -1))
        listed = np.zeros((1, 1, ROWS // BLOCK, ROWS // BLOCK), np.int32)
        for row, begin in enumerate(crow[:-1]):
            listed[0, 0, row, :row + 1] = col[begin:begin + row + 1]
        self.lists = number, cuda_tensors.tensor(listed)
        self.mask = package.BlockMask.from_kv_blocks(*self.lists, None, None, (BLOCK, BLOCK), lambda b, h, i, j: i >= j,
                                                     (ROWS, ROWS))

    def __call__(self):
        query, key, value = (cuda_tensors.zeros(1, HEADS, ROWS, 64) for _ in range(3))
        return self.package.flex_attention(query, key, value, block_mask=self.mask)

    def drop(self):
        self.mask = None


META = {"tile": (64, 64, 64), "stages": 2, "raster_group": 8}


@pytest.fixture(params=["sdpa", "sdpa, tuple", "sdpa, meta", "flex"])
def call(request, package):
    from sattn._call import launch_hints

    held, launch_hints._captured_bytes = launch_hints._captured[:], 0
    yield Flex(package) if request.param == "flex" else Attention(package, request.param == "sdpa, tuple",
                                                                  META if request.param == "sdpa, meta" else None)
    launch_hints._captured[:] = held


def kernels(stub, call, stream=0):
    """Kinds of the kernels that a call launches."""
    before = len(stub.lines("launch"))
    with torch.cuda.stream(torch.cuda.ExternalStream(stream)) if stream else contextlib.nullcontext():
        call()
    launches = stub.lines("launch")[before:]
    assert all(f" stream {stream:#x}" in line for line in launches if stream)
    return ["order" if line.split()[1].endswith("_order") else "attention" for line in launches]


ALONE, WITH_ORDER = ["attention"], ["order", "attention"]


@pytest.fixture
def capture(monkeypatch):
    def begin():
        monkeypatch.setenv("STUB_CUDA_CAPTURE", "global")

    def end():
        monkeypatch.delenv("STUB_CUDA_CAPTURE")

    begin.end = end
    return begin


def test_the_order_is_computed_once(call, stub_cuda):
    assert kernels(stub_cuda, call) == WITH_ORDER
    made = stub_cuda.lines("launch")[-2]
    for _ in range(3):
        assert driver_calls(stub_cuda, call)["launch"] == 1
    # The order's address, and what else both have.
    assert len(set(words(made)) & set(words(stub_cuda.lines("launch")[-1]))) > 1
    assert not stub_cuda.lines("synchronize stream (nil)")


def test_a_captured_call_is_one_launch(call, stub_cuda, capture):
    from sattn._call import launch_hints

    call()
    capture()
    for _ in range(3):
        assert set(driver_calls(stub_cuda, call)) <= {"launch", "tensor-map"}
        assert len(launch_hints._captured) == 1
    assert kernels(stub_cuda, call) == ALONE
    # The graph has it without the mask, too.
    call.drop()
    gc.collect()
    assert len(launch_hints._captured) == 1


def test_nothing_is_made_while_captured(call, stub_cuda, capture):
    capture()
    for _ in range(3):
        assert kernels(stub_cuda, call) == WITH_ORDER
    capture.end()
    assert kernels(stub_cuda, call) == WITH_ORDER
    assert kernels(stub_cuda, call) == ALONE


def test_a_capture_does_not_wait(call, stub_cuda, capture, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setenv("STUB_CUDA_FAIL", "cuEventQuery:600")
        call()
        waits = stub_cuda.lines("wait")
        capture()
        assert kernels(stub_cuda, call) == WITH_ORDER
    assert kernels(stub_cuda, call) == ALONE
    assert stub_cuda.lines("wait") == waits


def test_changed_lists_are_sorted_anew(call, stub_cuda):
    for _ in range(2):
        call()
    call.lists[0].add_(0)
    assert kernels(stub_cuda, call) == WITH_ORDER
    assert kernels(stub_cuda, call) == WITH_ORDER
    assert kernels(stub_cuda, call) == ALONE
    # Lists that change before each call are sorted in each call, in its own memory.
    for _ in range(3):
        call.lists[1].add_(0)
        assert kernels(stub_cuda, call) == WITH_ORDER


def test_each_stream_has_its_own(call, stub_cuda):
    from sattn._call import launch_hints

    streams = [0x1000 * number for number in range(1, launch_hints.STREAMS + 1)]
    for stream in streams:
        assert kernels(stub_cuda, call, stream) == WITH_ORDER
    for stream in (*streams, streams[0]):
        assert kernels(stub_cuda, call, stream) == ALONE
    for _ in range(2):  # No more than these.
        assert kernels(stub_cuda, call, 0x9990) == WITH_ORDER
    assert kernels(stub_cuda, call, streams[0]) == ALONE


@pytest.mark.parametrize("failure", ["cuEventCreate:1", "cuEventRecord:1", "no memory"])
def test_a_call_does_not_fail_for_its_hints(call, stub_cuda, monkeypatch, failure):
    with monkeypatch.context() as patch:
        patch.setenv("STUB_CUDA_FAIL", failure)
        if failure == "no memory":
            def new_empty(self, shape, original=torch.Tensor.new_empty, **options):
                if len(shape) == 1 and shape[0]:
                    raise RuntimeError("out of memory")
                return original(self, shape, **options)

            patch.setattr(torch.Tensor, "new_empty", new_empty)
        for _ in range(2):
            assert kernels(stub_cuda, call)[-2:] == WITH_ORDER
    assert kernels(stub_cuda, call) == WITH_ORDER
    assert kernels(stub_cuda, call) == ALONE


def test_graphs_hold_so_much(call, stub_cuda, capture, monkeypatch):
    from sattn._call import launch_hints

    call()
    monkeypatch.setattr(launch_hints, "CAPTURED_BYTES", 0)
    capture()
    assert kernels(stub_cuda, call) == WITH_ORDER
    assert not launch_hints._captured
    capture.end()
    assert kernels(stub_cuda, call) == ALONE


def test_the_first_call_of_a_process_is_kept(call, package):
    """Nothing of PyTorch was looked up before."""
    from sattn._arrays import plain

    plain.TYPES.clear()
    call()
    assert len(package._call.cache.guarded_calls) == 1


def test_another_mask_has_its_own(call, package, stub_cuda):
    for _ in range(2):
        call()
    call.drop()
    gc.collect()
    assert not package._call.cache.guarded_calls
    other = Flex(package) if isinstance(call, Flex) else Attention(package, False)
    assert [kernels(stub_cuda, other) for _ in range(2)] == [WITH_ORDER, ALONE]


def test_what_sdpa_has_to_look_at(package, monkeypatch):
    """Calls that look like repetitions and are none."""
    from sattn._ops import bsr_attention

    call = Attention(package, True)
    query, key, value = (cuda_tensors.zeros(HEADS, ROWS, 64) for _ in range(3))

    def attend(*operands, **options):
        return package.scaled_dot_product_attention(*(operands or (query, key, value)), call.mask, **options)

    call()
    checked = bsr_attention._checked
    long = []
    monkeypatch.setattr(bsr_attention, "_checked", lambda *arguments: long.append(1) or checked(*arguments))
    assert attend().shape == query.shape and not long
    for options in ({"scale": 0.5}, {"scale": 1}):
        attend(**options)
        assert long.pop() and not long
    for options in ({"scale": 0.5}, {"check": False}, {"check": None}):
        attend(**options)
    assert long == [1]  # For check=False.
    for wrong, error in (({"is_causal": True}, "is_causal"), ({"dropout_p": 2}, "dropout_p")):
        with pytest.raises(ValueError, match=error):
            attend(**wrong)
    with pytest.raises(ValueError, match="argument 'key'"):
        attend(query, cuda_tensors.zeros(HEADS, ROWS, 64, dtype="float16"), value)
    with pytest.raises(ValueError, match="argument 'value'"):
        attend(query, key, cuda_tensors.zeros(HEADS, ROWS, 64, device=1))
    query.requires_grad = True
    assert attend().requires_grad
    with pytest.raises(NotImplementedError, match="argument 'meta'"):
        attend(meta={"warps": 4})
    query.requires_grad = False
    assert not attend().requires_grad
    with pytest.raises(ValueError, match="argument 'query'"):
        attend(torch._neg_view(query), key, value)
    package.cache.clear()
    long.clear()
    attend()
    assert long


def test_calls_of_other_parameters_are_no_repetition(stub_cuda, package):
    whole = Attention(package, False)
    in_parts = Attention(package, False, {**META, "split_k": 64})
    in_parts.mask = whole.mask
    names = []
    for call in (whole, in_parts, whole, in_parts):
        before = len(stub_cuda.lines("launch"))
        call()
        names.append([line.split()[1] for line in stub_cuda.lines("launch")[before:]])
    combined = [any("attention_0" in name for name in launched) for launched in names]
    assert combined == [False, True, False, True]
    in_parts.meta["split_k"] = 32
    assert len(package._call.cache.guarded_calls) == 2
    in_parts()
    assert len(package._call.cache.guarded_calls) == 3


def test_indices_of_a_mask_are_not_kept(package):
    query, key, value = (cuda_tensors.zeros(HEADS, ROWS, 64) for _ in range(3))
    values = cuda_tensors.sparse(*indices(), (BLOCK, BLOCK), ROWS).values()
    references = []
    for _ in range(3):
        lists = [cuda_tensors.tensor(one) for one in indices()]
        for _ in range(2):
            package.scaled_dot_product_attention(query, key, value, (*lists, values))
        references += map(weakref.ref, lists)
    del lists
    gc.collect()
    assert not any(reference() is not None for reference in references)
