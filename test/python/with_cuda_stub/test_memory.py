"""Where a CUDA device has no memory left, over the stub: what is raised, and that the next call works."""

import re

import cuda_tensors
import numpy as np
import pytest
from cuda_tensors import tensor, torch


# Tiles of several block rows: their plan takes 20 bytes a stored block.
META = {"tile": (64, 64, 16)}
STORED = 6 << 20
LIMIT = 100 << 20


def problem():
    """A matrix of many stored blocks, all of them one block of memory, and the arrays of a product."""
    crow = np.linspace(0, STORED, 129).astype(np.int32)
    values = cuda_tensors.zeros(16, 16).expand(STORED, 16, 16)
    bsr = tensor(crow), tensor(np.zeros(STORED, np.int32)), values
    return bsr, cuda_tensors.zeros(64, 64), cuda_tensors.zeros(2048, 64)


@pytest.fixture
def emptied(monkeypatch):
    """An item for each time that PyTorch was asked to give back what it keeps."""
    calls, empty_cache = [], torch.cuda.empty_cache
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: calls.append(empty_cache()))
    return calls


SCRATCH = r"^out of device memory: could not allocate (\d+) bytes of scratch on device 0 'Stub GPU'$"
PREPARED = r"^out of device memory: could not allocate (\d+) bytes of scratch of a prepared operand on device 0"
COPY = r"^out of device memory: could not allocate (\d+) bytes of a copy of argument 'col' on device 0"


def test_no_memory_for_scratch(package, emptied, stub_cuda, monkeypatch):
    bsr, b, c = problem()

    def refused():
        seen = len(stub_cuda.lines("launch"))
        times = len(emptied)
        with monkeypatch.context() as patch:
            patch.setenv("STUB_CUDA_MEMORY", str(LIMIT))
            with pytest.raises(RuntimeError, match=SCRATCH) as error:
                package.bsr_dense_addmm(c, bsr, b, out=c, meta=META)
        assert int(re.match(SCRATCH, str(error.value))[1]) >= 20 * STORED
        assert len(stub_cuda.lines("launch")) == seen
        assert len(emptied) == times + 1

    refused()
    for _ in range(2):  # The long way, then the short one.
        assert package.bsr_dense_addmm(c, bsr, b, out=c, meta=META) is c
        assert stub_cuda.lines("launch")
        refused()
    # Nothing is left allocated.
    assert len(stub_cuda.lines("scratch")) - len(stub_cuda.lines("free-scratch")) <= 1


def test_no_memory_to_prepare(package, stub_cuda, monkeypatch):
    bsr, b, c = problem()
    prepared = package.prepare(bsr)
    for limit, message in ((LIMIT, PREPARED), (4 * STORED - 1, COPY)):
        with monkeypatch.context() as patch:
            patch.setenv("STUB_CUDA_MEMORY", str(limit))
            with pytest.raises(RuntimeError, match=message):
                package.bsr_dense_addmm(c, prepared, b, out=c, meta=META)
    assert not stub_cuda.lines("launch")
    for _ in range(2):
        package.bsr_dense_addmm(c, prepared, b, out=c, meta=META)
    assert stub_cuda.lines("launch")


@pytest.mark.parametrize("prepare", [False, True])
def test_pytorch_gives_back_what_it_keeps(package, stub_cuda, monkeypatch, prepare):
    bsr, b, c = problem()
    bsr = package.prepare(bsr) if prepare else bsr
    kept = []

    def empty_cache():
        monkeypatch.delenv("STUB_CUDA_MEMORY")
        kept.clear()

    monkeypatch.setattr(torch.cuda, "empty_cache", empty_cache)
    for _ in range(3):
        monkeypatch.setenv("STUB_CUDA_MEMORY", str(LIMIT))
        kept.append("memory")
        seen = len(stub_cuda.lines("launch"))
        assert package.bsr_dense_addmm(c, bsr, b, out=c, meta=META) is c
        assert len(stub_cuda.lines("launch")) > seen
        # A prepared operand needs no more of it.
        if prepare:
            break
        assert not kept


def test_nothing_is_given_back_while_a_graph_is_captured(package, emptied, monkeypatch):
    bsr, b, c = problem()
    monkeypatch.setenv("STUB_CUDA_CAPTURE", "1")
    assert torch.cuda.is_current_stream_capturing()
    monkeypatch.setenv("STUB_CUDA_MEMORY", str(LIMIT))
    with pytest.raises(RuntimeError, match=SCRATCH):
        package.bsr_dense_addmm(c, bsr, b, out=c, meta=META)
    assert not emptied


@pytest.mark.parametrize("call, what", [("cuModuleLoadDataEx", "an image of [0-9]+ bytes"),
                                        ("cuModuleGetFunction", "kernel 'bsr_addmm_")])
def test_no_memory_for_kernels(package, emptied, monkeypatch, call, what):
    bsr, b, c = problem()
    with monkeypatch.context() as patch:
        patch.setenv("STUB_CUDA_FAIL", f"{call}:2")
        with pytest.raises(RuntimeError, match=f"out of device memory while loading {what}"):
            package.bsr_dense_addmm(c, bsr, b, out=c, meta=META)
    assert len(emptied) == 1
    assert package.bsr_dense_addmm(c, bsr, b, out=c, meta=META) is c


def test_nothing_is_given_back_for_other_failures(package, emptied, monkeypatch):
    bsr, b, c = problem()
    with monkeypatch.context() as patch:
        patch.setenv("STUB_CUDA_FAIL", "cuModuleLoadDataEx:1")
        with pytest.raises(RuntimeError, match="rejected the image"):
            package.bsr_dense_addmm(c, bsr, b, out=c, meta=META)
    assert not emptied


def test_no_memory_for_the_result(package, emptied, stub_cuda, monkeypatch):
    """PyTorch's exception comes as it is."""
    from sattn._arrays import lazy_torch

    bsr, b, c = problem()
    empty, is_full = torch.empty_strided, False

    def refuse(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(lazy_torch, "empty_strided", lambda *given, **named: (refuse if is_full else empty)(*given, **named))
    for _ in range(2):  # The long way, then the short one.
        seen = len(stub_cuda.lines("launch"))
        with monkeypatch.context() as patch:
            patch.setattr(torch.Tensor, "new_empty", refuse)
            is_full = True
            with pytest.raises(torch.OutOfMemoryError, match="CUDA out of memory"):
                package.bsr_dense_addmm(c, bsr, b, meta=META)
        is_full = False
        assert len(stub_cuda.lines("launch")) == seen
        assert package.bsr_dense_addmm(c, bsr, b, meta=META).shape == c.shape
    assert not emptied
