"""The host's cost of a product once its kernels are ready: calls of the driver, over the stub, and the short way."""

import struct
from collections import Counter

import cuda_tensors
import pytest
import torch


def problem(block=64, n=2560, dtype="bfloat16"):
    """160 tiles or more, so that CTAs take them from a counter, which has to be zero."""
    rows = 2048 // block
    return (cuda_tensors.sparse(range(rows + 1), [0] * rows, (block, block), 64, dtype),
            cuda_tensors.zeros(64, n, dtype=dtype), cuda_tensors.zeros(2048, n, dtype=dtype))


WORDS = ("launch", "scratch", "free-scratch", "set", "tensor-map")


def driver_calls(stub, function, times=1):
    """How often each call of the driver is made in a call of the function."""
    def counts():
        return Counter(line.split()[0] for line in stub.lines("") if line.split()[0] in WORDS)

    before = counts()
    for _ in range(times):
        function()
    return {word: count / times for word, count in (counts() - before).items()}


def products(package, *block):
    """The calls with a matrix and with it prepared, each made once."""
    bsr, b, c = problem(*block)
    prepared = package.prepare(bsr)

    def plain():
        package.bsr_dense_addmm(c, bsr, b, beta=0, out=c)

    def with_prepared():
        package.bsr_dense_addmm(c, prepared, b, beta=0, out=c)

    plain()
    with_prepared()
    return plain, with_prepared


@pytest.mark.parametrize("block, launches", [(64, 4), (16, 2)])
def test_driver_calls(package, stub_cuda, short, block, launches):
    plain, with_prepared = products(package, block)
    short()
    assert driver_calls(stub_cuda, plain, 10) == {"launch": launches}
    assert driver_calls(stub_cuda, with_prepared, 10) == {"launch": 1}


def test_driver_calls_while_captured(package, stub_cuda, monkeypatch):
    plain, with_prepared = products(package)
    monkeypatch.setenv("STUB_CUDA_CAPTURE", "1")
    assert driver_calls(stub_cuda, plain, 3) == {"launch": 4, "scratch": 1, "free-scratch": 1}
    assert driver_calls(stub_cuda, with_prepared, 3) == {"launch": 1}


def test_what_is_prepared_is_there_for_every_stream(package, stub_cuda):
    bsr, b, c = problem(n=64)
    prepared = package.prepare(bsr)

    def calls(stream):
        """Names of the kernels that are launched on the stream, and waits for it."""
        before = len(stub_cuda.lines(""))
        with torch.cuda.stream(torch.cuda.ExternalStream(stream)):
            package.bsr_dense_addmm(c, prepared, b, out=c)
        lines = [line for line in stub_cuda.lines("")[before:] if line.startswith(("launch", "synchronize"))]
        assert all(f" stream {stream:#x}" in line for line in lines)
        return [line.split()[1] if line.startswith("launch") else "" for line in lines]

    *plan, wait, product = calls(0x100)
    assert all(plan) and wait == "" and product and product not in plan
    for stream in (0x200, 0x100, 0x200):
        assert calls(stream) == [product]


def test_nothing_is_prepared_while_captured(package, stub_cuda, monkeypatch):
    bsr, b, c = problem(n=64)
    prepared = package.prepare(bsr)
    with monkeypatch.context() as patch:
        patch.setenv("STUB_CUDA_CAPTURE", "1")
        with pytest.raises(RuntimeError, match="expected an operand to be prepared before the capture of a graph"):
            package.bsr_dense_addmm(c, prepared, b, out=c)
    assert not stub_cuda.lines("launch")
    package.bsr_dense_addmm(c, prepared, b, out=c)
    assert stub_cuda.lines("launch")


def test_new_tensors_cost_their_maps(package, stub_cuda, short):
    bsr, b, c = problem()
    package.bsr_dense_addmm(c, bsr, b, beta=0, out=c)
    short()
    other = cuda_tensors.zeros(*b.shape)
    assert driver_calls(stub_cuda, lambda: package.bsr_dense_addmm(c, bsr, other, beta=0, out=c)) == {
        "launch": 4, "tensor-map": 1}


def words(launch):
    return launch.split(" params ")[1].split()


def address(tensor):
    return struct.pack("<Q", tensor.data_ptr()).hex()


def test_indices_are_read_where_they_lie(package, stub_cuda, short):
    bsr, b, c = problem()
    package.bsr_dense_addmm(c, bsr, b, beta=0, out=c)
    prepared = package.prepare(bsr)
    package.bsr_dense_addmm(c, prepared, b, beta=0, out=c)
    short()
    # Others of the same shapes: what was kept is not what they hold.
    other, _, _ = problem()
    package.bsr_dense_addmm(c, other, b, beta=0, out=c)
    plan, _, product = stub_cuda.lines("launch")[-3:]
    assert {address(other.crow_indices()), address(other.col_indices())} <= set(words(plan))
    assert address(other.crow_indices()) in words(product)
    package.bsr_dense_addmm(c, prepared, b, beta=0, out=c)
    assert not {address(bsr.crow_indices()), address(bsr.col_indices())} & set(words(stub_cuda.lines("launch")[-1]))
    # Values of a prepared operand may be others.
    prepared.update(other.values())
    package.bsr_dense_addmm(c, prepared, b, beta=0, out=c)
    maps = [word[:16] for word in words(stub_cuda.lines("launch")[-1]) if len(word) == 256]
    assert address(other.values()) in maps and address(bsr.values()) not in maps


def test_scalars_and_results(package, stub_cuda, short):
    bsr, b, c = problem(n=64)
    for beta in (0, 2):
        package.bsr_dense_addmm(c, bsr, b, beta=beta)
        package.bsr_dense_addmm(c, bsr, b, beta=beta, out=c)
    short()
    for alpha in (1, 2.5):
        result = package.bsr_dense_addmm(c, bsr, b, beta=2, alpha=alpha)
        product = words(stub_cuda.lines("launch")[-1])
        assert result.shape == c.shape and result.dtype is b.dtype and result is not c
        assert product[:2] == [struct.pack("<f", number).hex() for number in (alpha, 2)]
        assert {address(result), address(c)} <= set(product) | {word[:16] for word in product}
    assert package.bsr_dense_addmm(c, bsr, b, beta=2, out=c) is c
    arrays = bsr.crow_indices(), bsr.col_indices(), bsr.values()
    assert package.bsr_dense_addmm(c, arrays, b, beta=0, out=c) is c
    assert package.bsr_dense_addmm(c, arrays, b, beta=0).shape == c.shape


def test_parameters_that_are_given(package, stub_cuda, short):
    bsr, b, c = problem(n=64)
    tiles = [(64, 64, 64), (64, 128, 64)]
    for _ in range(2):
        for tile in tiles:
            package.bsr_dense_addmm(c, bsr, b, out=c, meta={"tile": tile})
    package.bsr_dense_addmm(c, bsr, b, out=c)
    short()
    before = stub_cuda.lines("launch")
    for tile in tiles:
        package.bsr_dense_addmm(c, bsr, b, out=c, meta={"tile": tile})
    package.bsr_dense_addmm(c, bsr, b, out=c)
    # The last launches of the two tiles, again; a third for the parameters of the compiler's choice.
    after = stub_cuda.lines("launch")[len(before):]
    assert after == before[-len(after):]
    with pytest.raises(AssertionError, match="the long way"):
        package.bsr_dense_addmm(c, bsr, b, out=c, meta={"tile": (64, 32, 64)})


def test_each_layout_has_its_program(package, stub_cuda, short):
    bsr, b, c = problem(n=64)
    layouts = [(dense, out) for dense in (b, cuda_tensors.zeros(64, 64).transpose(0, 1))
               for out in (c, cuda_tensors.zeros(64, 2048).transpose(0, 1))]
    for _ in range(2):
        for dense, out in layouts:
            package.bsr_dense_addmm(None, bsr, dense, beta=0, out=out)
    short()
    before = stub_cuda.lines("launch")
    for dense, out in layouts:
        package.bsr_dense_addmm(None, bsr, dense, beta=0, out=out)
    after = stub_cuda.lines("launch")[len(before):]
    assert after == before[-len(after):] and package.cache.info().kernels == 4


def test_linear_is_of_rows(package, stub_cuda, short):
    bsr, _, _ = problem(n=64)
    x, y, bias = cuda_tensors.zeros(2, 8, 64), cuda_tensors.zeros(2, 8, 2048), cuda_tensors.zeros(2048)
    for _ in range(2):
        assert package.linear(x, bsr, bias, out=y) is y
    with pytest.raises(ValueError, match=r"argument 'x': expected (64|a multiple of 64) columns"):
        package.linear(cuda_tensors.zeros(2, 32), bsr)
    with pytest.raises(ValueError, match=r"argument 'bias': expected shape \(2048,\)"):
        package.linear(x, bsr, x)
    with pytest.raises(ValueError, match=r"argument 'out': expected shape \(2, 8, 2048\)"):
        package.linear(x, bsr, out=x)


def test_f32_is_tf32_on_request_alone(package, stub_cuda, short):
    bsr, b, c = problem(n=64, dtype="float32")
    prepared = package.prepare(bsr)

    def call(operand, precision):
        before = len(stub_cuda.lines("launch"))
        assert package.bsr_dense_addmm(c, operand, b, out=c, precision=precision) is c
        return stub_cuda.lines("launch")[before:]

    for operand in (bsr, prepared):
        # The two need different programs.
        first = [call(operand, precision) for precision in ("tf32", None, "ieee")]
        assert [call(operand, precision) for precision in ("tf32", None, "ieee")] == first
        assert first[1] == first[2]
    assert {source.precision for source, _ in package._call.cache._programs} == {"tf32", "ieee"}
    short()
    for operand in (bsr, prepared):
        assert call(operand, "tf32") and call(operand, None)


def test_precision_makes_no_other_kernel_of_16_bits(package):
    bsr, b, c = problem(n=64)
    before = package.cache.info().compilations
    for precision in (None, "ieee", "tf32"):
        package.bsr_dense_addmm(c, bsr, b, out=c, precision=precision)
    assert package.cache.info().compilations == before + 1


def test_input_that_broadcasts(package, stub_cuda, short):
    bsr, b, c = problem(n=64)
    # At an address that no tensor map takes, so that the kernel has the row itself.
    whole = cuda_tensors.zeros(72)
    row = whole[1:65]
    package.bsr_dense_addmm(row, bsr, b)
    package.bsr_dense_addmm(row, bsr, b, out=c)
    expected = words(stub_cuda.lines("launch")[-1])
    short()
    package.bsr_dense_addmm(row, bsr, b, out=c)
    package.bsr_dense_addmm(row, bsr, b, out=c)
    got = words(stub_cuda.lines("launch")[-1])
    at = expected.index(address(row))
    # Pointers, offset, sizes, strides.
    assert got[at:at + 7] == expected[at:at + 7]
    assert [struct.unpack("<q", bytes.fromhex(word))[0] for word in got[at + 3:at + 7]] == [2048, 64, 0, 1]


def test_what_is_new_takes_the_long_way(package):
    bsr, b, c = problem(n=64)
    prepared = package.prepare(bsr)
    for operand in (bsr, prepared):
        for _ in range(2):
            package.bsr_dense_addmm(c, operand, b, out=c)
        with pytest.raises(ValueError, match="argument 'dense': expected 64 rows, the columns of bsr, but got 128"):
            package.bsr_dense_addmm(c, operand, cuda_tensors.zeros(128, 64), out=c)
        with pytest.raises(ValueError, match="argument 'dense': expected elements of bf16, but got torch.float16"):
            package.bsr_dense_addmm(c, operand, cuda_tensors.zeros(64, 64, dtype="float16"), out=c)
        with pytest.raises(ValueError, match="argument 'out': expected shape"):
            package.bsr_dense_addmm(None, operand, b, beta=0, out=cuda_tensors.zeros(2048, 72))
        with pytest.raises(TypeError, match="argument 'alpha': expected a real number, but got str"):
            package.bsr_dense_addmm(c, operand, b, alpha="1", out=c)
        with pytest.raises(ValueError, match="argument 'input': expected an array, since beta is not 0"):
            package.bsr_dense_addmm(None, operand, b, out=c)
        with pytest.raises(TypeError, match="argument 'dense': expected a numpy.ndarray or a torch.Tensor"):
            package.bsr_dense_addmm(c, operand, b.tolist(), out=c)
        with pytest.raises(ValueError, match="argument 'dense': expected an array of the same library and device"):
            package.bsr_dense_addmm(c, operand, cuda_tensors.array_of(b), out=c)
        b.requires_grad = True
        with pytest.raises(NotImplementedError, match="argument 'out': expected none where .* a gradient is recorded"):
            package.bsr_dense_addmm(c, operand, b, out=c)
        b.requires_grad = False
        # Views that PyTorch negates when it reads them: their memory has other numbers.
        negated = {"dense": torch._neg_view(b), "input": torch._neg_view(c)}
        if operand is bsr:  # A prepared operand was checked when it was prepared.
            negated["bsr"] = bsr.crow_indices(), bsr.col_indices(), torch._neg_view(bsr.values().clone())
        for name, value in negated.items():
            with pytest.raises(ValueError, match=f"argument '{name}': expected a tensor whose memory has its elements"):
                package.bsr_dense_addmm(**{"input": c, "bsr": operand, "dense": b, "out": c, name: value})
        with pytest.raises(ValueError, match="argument 'meta': expected 'tile'"):
            package.bsr_dense_addmm(c, operand, b, out=c, meta={"tile": 64})
    # A matrix of the same arrays, but fewer columns.
    narrow = cuda_tensors.sparse_tensor(bsr.crow_indices(), bsr.col_indices(), bsr.values(), (2048, 128))
    with pytest.raises(ValueError, match="argument 'dense': expected 128 rows, the columns of bsr, but got 64"):
        package.bsr_dense_addmm(c, narrow, b, out=c)


@pytest.mark.parametrize("prepare", [False, True])
def test_failures_of_repetitions(package, stub_cuda, monkeypatch, prepare, short):
    bsr, b, c = problem(n=2048)
    bsr = package.prepare(bsr) if prepare else bsr
    square = cuda_tensors.zeros(2048, 2048)
    package.bsr_dense_addmm(square, bsr, b, out=square)
    short()
    before = len(stub_cuda.lines("launch"))
    inside = cuda_tensors.zeros(2048 * 2049)
    # b in out's memory.
    out, dense = (inside[:rows * 2048].view(rows, 2048) for rows in (2048, 64))
    with pytest.raises(ValueError, match="argument 'out': expected memory apart from argument 'dense'"):
        package.bsr_dense_addmm(out, bsr, dense, out=out)
    assert len(stub_cuda.lines("launch")) == before
    with monkeypatch.context() as patch:
        patch.setenv("STUB_CUDA_FAIL", "cuLaunchKernel:719")
        with pytest.raises(RuntimeError, match="cuLaunchKernel failed: CUDA_ERROR_LAUNCH_FAILED"):
            package.bsr_dense_addmm(square, bsr, b, out=square)
    package.bsr_dense_addmm(square, bsr, b, out=square)


def test_nothing_is_kept_after_clear(package, stub_cuda):
    bsr, b, c = problem(n=64)
    for _ in range(2):
        package.bsr_dense_addmm(c, bsr, b, out=c)
    unloaded = len(stub_cuda.lines("module-unload"))
    package.cache.clear()
    assert len(stub_cuda.lines("module-unload")) == unloaded + 1
    package.bsr_dense_addmm(c, bsr, b, out=c)
