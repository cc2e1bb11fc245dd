"""Products on a device that is not the current one, and arrays of several devices, over the stub."""

import ctypes
import os
import threading

import cuda_tensors
import pytest
import torch

NAMES = ["input", "dense", "left_alpha", "right_alpha", "out"]


@pytest.fixture(autouse=True)
def two_devices(monkeypatch):
    monkeypatch.setenv("STUB_CUDA_DEVICES", "2")


class Driver:
    """The stub, as another library of the process would use it."""

    def __init__(self):
        self.library = ctypes.CDLL(os.environ["SATTN_LIBCUDA"])

    def context(self, device):
        context = ctypes.c_void_p()
        assert self.library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
        assert self.library.cuDevicePrimaryCtxRelease_v2(device) == 0
        return context.value

    @property
    def current(self):
        context = ctypes.c_void_p()
        assert self.library.cuCtxGetCurrent(ctypes.byref(context)) == 0
        return context.value

    @current.setter
    def current(self, context):
        assert self.library.cuCtxSetCurrent(ctypes.c_void_p(context)) == 0


@pytest.fixture
def driver(stub_cuda):
    driver = Driver()
    yield driver
    driver.current = None


def operands(device, rows=128, n=64):
    """A matrix of blocks of 64 with one block in each block row, and the arrays of a product, by name."""
    count = rows // 64
    bsr = cuda_tensors.sparse(range(count + 1), [0] * count, (64, 64), 64, device=device)
    given = {"input": (rows, n), "dense": (64, n), "left_alpha": (rows,), "right_alpha": (n,), "out": (rows, n)}
    return bsr, {name: cuda_tensors.zeros(*shape, device=device) for name, shape in given.items()}


def launches(stub):
    """The devices of the launches, in order."""
    return [int(" device 1 " in line) for line in stub.lines("launch")]


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("current", [None, 0, 1])
@pytest.mark.parametrize("prepare", [False, True])
def test_the_current_device_stays(package, stub_cuda, driver, device, current, prepare):
    context = None if current is None else driver.context(current)
    driver.current = context
    bsr, given = operands(device, rows=2048, n=2560)
    bsr = package.prepare(bsr) if prepare else bsr
    for _ in range(3):  # The long way, then the short one.
        assert package.bsr_dense_addmm(bsr=bsr, **given) is given["out"]
        assert driver.current == context
    given["out"] = None
    assert package.bsr_dense_addmm(bsr=bsr, **given).device == torch.device("cuda", device)
    assert launches(stub_cuda) and set(launches(stub_cuda)) == {device}
    assert all(int(" device 1" in line) == device for line in stub_cuda.lines("scratch"))
    package.cache.clear()
    assert driver.current == context


@pytest.mark.parametrize("meta", [None, {"tile": (64, 64, 64)}])
def test_kernels_are_of_a_device(package, stub_cuda, short, meta):
    problems = [operands(device) for device in (0, 1)]
    before = package.cache.info().compilations
    for bsr, given in problems:
        for _ in range(2):
            package.bsr_dense_addmm(bsr=bsr, **given, meta=meta)
    assert package.cache.info().compilations == before + 2
    assert sorted(target for _, target in package._call.cache._programs) == [0, 1]
    assert len(stub_cuda.lines("module-load")) == 2
    short()
    seen = len(launches(stub_cuda))
    for bsr, given in problems + problems:
        package.bsr_dense_addmm(bsr=bsr, **given, meta=meta)
    again = launches(stub_cuda)[seen:]
    half = len(again) // 2
    assert again == 2 * again[:half] and again[:half] == sorted(again[:half]) and set(again) == {0, 1}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("prepare", [False, True])
@pytest.mark.parametrize("device", [0, 1])
def test_arrays_of_another_device_are_refused_by_name(package, stub_cuda, name, prepare, device):
    bsr, given = operands(device)
    bsr = package.prepare(bsr) if prepare else bsr
    others = [(operands(1 - device)[1][name], f"a torch.Tensor on cuda:{1 - device}"),
              (cuda_tensors.array_of(given[name]), "a numpy.ndarray")]
    for _ in range(2):
        seen = len(launches(stub_cuda))
        for other, described in others:
            with pytest.raises(ValueError) as error:
                package.bsr_dense_addmm(bsr=bsr, **{**given, name: other})
            assert str(error.value) == (f"argument '{name}': expected an array of the same library and device as bsr, "
                                        f"a torch.Tensor on cuda:{device}, but got {described}")
        assert len(launches(stub_cuda)) == seen
        # Then as a repetition of one that works.
        package.bsr_dense_addmm(bsr=bsr, **given)


@pytest.mark.parametrize("place, name", [(0, "crow"), (1, "col")])
def test_indices_of_another_device_are_refused_by_name(package, place, name):
    (bsr, given), (other, _) = operands(0), operands(1)

    def parts(matrix):
        return [matrix.crow_indices(), matrix.col_indices(), matrix.values()]

    mixed = parts(bsr)
    for _ in range(2):
        mixed[place] = parts(other)[place]
        for call in (lambda: package.bsr_dense_addmm(bsr=tuple(mixed), **given), lambda: package.prepare(tuple(mixed))):
            with pytest.raises(ValueError, match=f"argument '{name}': expected an array of the same library and device "
                                                 "as values, a torch.Tensor on cuda:0, but got .* on cuda:1"):
                call()
        package.bsr_dense_addmm(bsr=tuple(parts(bsr)), **given)


def test_prepared_operands_are_of_a_device(package, stub_cuda):
    (bsr, given), (other, others) = operands(1), operands(0)
    prepared = package.prepare(bsr)
    for _ in range(2):
        with pytest.raises(ValueError, match="argument 'input': expected .* as bsr, a torch.Tensor on cuda:1, but got "
                                             "a torch.Tensor on cuda:0"):
            package.bsr_dense_addmm(bsr=prepared, **others)
        package.bsr_dense_addmm(bsr=prepared, **given)
    with pytest.raises(ValueError, match="argument 'values': expected .* as those prepared, a torch.Tensor on cuda:1, "
                                         "but got a torch.Tensor on cuda:0"):
        prepared.update(other.values())
    with pytest.raises(ValueError, match="argument 'values': .*but got a numpy.ndarray"):
        prepared.update(cuda_tensors.array_of(bsr.values()))
    package.bsr_dense_addmm(bsr=prepared, **given)
    assert set(launches(stub_cuda)) == {1}


def test_threads_with_a_device_each(package, stub_cuda):
    failures = []

    def work(device):
        try:
            bsr, given = operands(device)
            for _ in range(50):
                package.bsr_dense_addmm(bsr=bsr, **given)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(device,)) for device in (0, 1, 0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert launches(stub_cuda).count(0) == launches(stub_cuda).count(1) >= 100
