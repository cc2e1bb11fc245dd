"""The Python package on several CUDA devices, and where their memory is full. Two devices, or what needs them is
skipped."""

import os
import sys
import threading
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tvm_ffi")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import sattn  # noqa: E402

two_devices = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two CUDA devices")
NAMES = ["input", "dense", "left_alpha", "right_alpha", "out"]


def problem(device, block=64, n=256, dtype=torch.bfloat16):
    """A sparse matrix, the other arguments by name, and the exact result for them."""
    generator = torch.Generator().manual_seed(0)
    mask = torch.rand(6, 8, generator=generator) < 0.4
    mask[0] = False
    dense = torch.randn(6 * block, 8 * block, generator=generator).to(dtype)
    dense *= mask.repeat_interleave(block, 0).repeat_interleave(block, 1)
    b, c = (torch.randn(rows, n, generator=generator).to(dtype) for rows in (8 * block, 6 * block))
    left, right = (torch.rand(size, generator=generator) + 0.5 for size in c.shape)
    expected = left.double()[:, None] * (dense.double() @ b.double()) * right.double() + c.double()
    given = {"input": c, "dense": b, "left_alpha": left, "right_alpha": right, "out": torch.zeros_like(c)}
    bsr = dense.to(device).to_sparse_bsr((block, block))
    return bsr, {name: array.to(device) for name, array in given.items()}, expected


def near(result, expected):
    assert (result.cpu().double() - expected).norm() <= 5e-3 * expected.norm()


def parts(bsr):
    return [bsr.crow_indices(), bsr.col_indices(), bsr.values()]


def refused(name, like, expected, got, call):
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == (f"argument '{name}': expected an array of the same library and device as {like}, a "
                                f"torch.Tensor on {expected}, but got a torch.Tensor on {got}")


PAIRS = [pytest.param("cuda:0", "cpu"),
         *(pytest.param(*pair, marks=two_devices) for pair in [("cuda:0", "cuda:1"), ("cuda:1", "cuda:0")])]


@pytest.mark.parametrize("device, other", PAIRS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("prepare", [False, True])
def test_a_tensor_of_another_device_is_refused_by_name(device, other, name, prepare):
    bsr, given, expected = problem(device)
    bsr = sattn.prepare(bsr) if prepare else bsr
    mixed = {**given, name: given[name].to(other)}
    for _ in range(2):
        refused(name, "bsr", device, other, lambda: sattn.bsr_dense_addmm(bsr=bsr, **mixed))
        assert not given["out"].any() and not mixed["out"].any()
        # Then as a repetition of one that works.
        near(sattn.bsr_dense_addmm(bsr=bsr, **given), expected)
        given["out"].zero_()


@pytest.mark.parametrize("device, other", PAIRS)
@pytest.mark.parametrize("place, name", [(0, "crow"), (1, "col")])
def test_indices_of_another_device_are_refused_by_name(device, other, place, name):
    bsr, given, expected = problem(device)
    mixed = parts(bsr)
    mixed[place] = mixed[place].to(other)
    for _ in range(2):
        refused(name, "values", device, other, lambda: sattn.bsr_dense_addmm(bsr=tuple(mixed), **given))
        refused(name, "values", device, other, lambda: sattn.prepare(tuple(mixed)))
        near(sattn.bsr_dense_addmm(bsr=tuple(parts(bsr)), **given), expected)


@pytest.mark.parametrize("device, other", PAIRS)
def test_a_prepared_operand_is_of_a_device(device, other):
    bsr, given, expected = problem(device)
    prepared = sattn.prepare(bsr)
    others = {name: array.to(other) for name, array in given.items()}
    for _ in range(2):
        refused("input", "bsr", device, other, lambda: sattn.bsr_dense_addmm(bsr=prepared, **others))
        near(sattn.bsr_dense_addmm(bsr=prepared, **given), expected)
    refused("values", "those prepared", device, other, lambda: prepared.update(bsr.values().to(other)))
    near(sattn.bsr_dense_addmm(bsr=prepared, **given), expected)


@two_devices
@pytest.mark.parametrize("current, device", [(0, 1), (1, 0)])
@pytest.mark.parametrize("prepare", [False, True])
@pytest.mark.parametrize("check", [None, True])
def test_the_current_device_stays(current, device, prepare, check):
    bsr, given, expected = problem(f"cuda:{device}")
    with torch.cuda.device(current):
        bsr = sattn.prepare(bsr) if prepare else bsr
        assert torch.cuda.current_device() == current
        for _ in range(3):
            near(sattn.bsr_dense_addmm(bsr=bsr, **given, check=check), expected)
            assert torch.cuda.current_device() == current
            given["out"].zero_()
        result = sattn.bsr_dense_addmm(bsr=bsr, **{**given, "out": None}, check=check)
        assert result.device == torch.device("cuda", device)
        near(result, expected)
        assert torch.cuda.current_device() == current
        # Later work is on the current device.
        assert torch.ones(1, device="cuda").device.index == current


@two_devices
def test_a_thread_without_a_device():
    """Nothing of CUDA was called in it before."""
    bsr, given, expected = problem("cuda:1")
    results = []

    def work():
        results.append(sattn.bsr_dense_addmm(bsr=bsr, **given))
        results.append(torch.cuda.current_device())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    near(results[0], expected)
    assert results[1] == 0


@two_devices
@pytest.mark.parametrize("prepare", [False, True])
def test_the_current_stream_is_the_tensors_devices(prepare):
    bsr, given, expected = problem("cuda:1")
    bsr = sattn.prepare(bsr) if prepare else bsr
    sattn.bsr_dense_addmm(bsr=bsr, **given)
    torch.cuda.synchronize(1)
    side = torch.cuda.Stream(1)
    default = torch.cuda.default_stream(1)
    with torch.cuda.device(1):
        torch.cuda.set_stream(side)
    try:
        with torch.cuda.device(0):
            for _ in range(2):
                with torch.cuda.device(1):
                    torch.cuda._sleep(20_000_000)
                late = {**given, "dense": given["dense"] + 0.0, "out": None}
                result = sattn.bsr_dense_addmm(bsr=bsr, **late)
                side.synchronize()
                near(result, expected)
    finally:
        with torch.cuda.device(1):
            torch.cuda.set_stream(default)


@two_devices
@pytest.mark.parametrize("prepare", [False, True])
def test_a_graph_of_the_second_device(prepare):
    bsr, given, expected = problem("cuda:1")
    bsr = sattn.prepare(bsr) if prepare else bsr
    with torch.cuda.device(1):
        sattn.bsr_dense_addmm(bsr=bsr, **given)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        # The stream that is taken otherwise is of the device of the process's first graph.
        with torch.cuda.graph(graph, stream=torch.cuda.Stream(1)):
            sattn.bsr_dense_addmm(bsr=bsr, **given)
    given["out"].zero_()
    graph.replay()
    torch.cuda.synchronize(1)
    near(given["out"], expected)


@two_devices
def test_kernels_are_of_a_device():
    sattn.cache.clear()
    problems = [problem("cuda:0"), problem("cuda:1")]
    before = sattn.cache.info().compilations
    for device, (bsr, given, expected) in enumerate(problems):
        near(sattn.bsr_dense_addmm(bsr=bsr, **given), expected)
        assert sattn.cache.info().compilations == before + device + 1
    for bsr, given, expected in 2 * problems:
        given["out"].zero_()
        near(sattn.bsr_dense_addmm(bsr=bsr, **given), expected)
    assert sattn.cache.info().compilations == before + 2
    assert sorted(target for _, target in sattn._call.cache._programs) == [0, 1]


@two_devices
def test_both_devices_at_once():
    failures = []

    def work(device):
        try:
            bsr, given, expected = problem(f"cuda:{device}", block=128, n=8192)
            for operand in (bsr, sattn.prepare(bsr)):
                for _ in range(100):
                    sattn.bsr_dense_addmm(bsr=operand, **given)
                near(given["out"], expected)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(device,)) for device in (0, 1, 0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_result_too_large_is_pytorchs_exception():
    bsr, given, expected = problem("cuda:0")
    wide = given["dense"][:, :1].expand(-1, 2**30)
    for operand in (bsr, sattn.prepare(bsr)):
        for _ in range(2):
            with pytest.raises(torch.cuda.OutOfMemoryError, match="Tried to allocate 768"):
                sattn.bsr_dense_addmm(None, operand, wide, beta=0)
            near(sattn.bsr_dense_addmm(bsr=operand, **given), expected)


# Tiles of several block rows: their plan takes 20 bytes a stored block.
ROW_BLOCK_GROUPS = {"tile": (64, 64, 16)}
ROWS, COLUMNS = 1024, 16384


@pytest.fixture
def many_blocks():
    """A full matrix of ones in 16 million blocks of 16 x 16, what it is multiplied with, a result, and its rows."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        pytest.skip("fills the memory that other tests need: run it without -n")
    if torch.cuda.mem_get_info(0)[0] < 24 << 30:
        pytest.skip("needs 24 GiB of device memory")
    crow = torch.arange(0, ROWS * COLUMNS + 1, COLUMNS, dtype=torch.int32, device="cuda:0")
    col = torch.arange(COLUMNS, dtype=torch.int32, device="cuda:0").repeat(ROWS)
    values = torch.ones(ROWS * COLUMNS, 16, 16, dtype=torch.bfloat16, device="cuda:0")
    b = torch.randint(0, 2, (16 * COLUMNS, 64), device="cuda:0").bfloat16()
    out = torch.empty(16 * ROWS, 64, device="cuda:0")
    # The program is loaded by a product of few blocks.
    few = crow[:5], col[:4 * COLUMNS], values[:4 * COLUMNS]
    sattn.bsr_dense_addmm(None, few, b, beta=0, out=out[:64], meta=ROW_BLOCK_GROUPS)
    torch.cuda.synchronize()
    assert torch.equal(out[:64], b.float().sum(0).expand(64, -1))
    out.zero_()
    yield (crow, col, values), b, out, b.float().sum(0).expand_as(out)
    del crow, col, values, few, b, out
    torch.cuda.empty_cache()


def fill():
    """Memory that leaves 64 MiB of the device free, less than what a call needs."""
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    pieces = []
    for size in (1 << 30, 128 << 20, 32 << 20):
        while torch.cuda.mem_get_info(0)[0] >= size + (64 << 20):
            pieces.append(torch.empty(size, dtype=torch.uint8, device="cuda:0"))
    return pieces


@pytest.mark.parametrize("prepare", [False, True])
def test_no_memory_for_scratch(many_blocks, prepare):
    bsr, b, out, expected = many_blocks
    bsr = sattn.prepare(bsr) if prepare else bsr
    pieces = fill()
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"out of device memory: could not allocate \d+ bytes of "
                                               "(scratch|a copy of argument 'col') .*device 0 'NVIDIA"):
            sattn.bsr_dense_addmm(None, bsr, b, beta=0, out=out, meta=ROW_BLOCK_GROUPS)
        torch.cuda.synchronize()
        assert not out.any()
    # The call itself gives back the memory that PyTorch keeps for later.
    pieces.clear()
    for _ in range(2):
        sattn.bsr_dense_addmm(None, bsr, b, beta=0, out=out, meta=ROW_BLOCK_GROUPS)
        assert torch.equal(out, expected)
        out.zero_()
