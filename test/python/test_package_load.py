"""sattn.load and the functions that it gives, over the stub driver."""

import struct
import subprocess

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from fake_cuda import CudaTensor  # noqa: E402

NAMES = ["alpha", "beta", "crow", "col", "values", "b", "out"]


@pytest.fixture(scope="session")
def program_text(built_tools, root):
    """The manifest and the PTX of examples/bsr_addmm.mlir."""
    def translate(to):
        return subprocess.run([built_tools / "sparse-translate", f"--to={to}", root / "examples" / "bsr_addmm.mlir"],
                              capture_output=True, text=True, check=True).stdout
    return translate("manifest"), translate("ptx")


@pytest.fixture
def arrays():
    """Operands of a 128 x 128 by 128 x 64 product, by name; uint16 for bf16."""
    # An address that TMA takes.
    def aligned(*shape):
        size = int(np.prod(shape))
        memory = np.zeros(size + 64, np.uint16)
        start = -memory.ctypes.data % 64 // 2
        return memory[start:start + size].reshape(shape)
    return {"crow": np.array([0, 1, 2], np.int32), "col": np.array([1, 0], np.int32),
            "values": aligned(2, 64, 64), "b": aligned(128, 64), "out": aligned(128, 64)}


@pytest.fixture
def function(sattn, program_text):
    return sattn.load(*program_text)


def call(function, arrays, alpha=1.0, beta=0.0, **replaced):
    return function(alpha, beta, *(replaced.get(name, CudaTensor(arrays[name])) for name in NAMES[2:]))


def test_launches_with_the_tensors_own_memory(function, arrays, stub_cuda):
    assert call(function, arrays, alpha=2.5, beta=1) is None
    _, launch = stub_cuda.lines("launch")  # The order of the tiles, then the product.
    parameters = launch.split(" params ")[1].split()
    addresses = {struct.unpack("<Q", bytes.fromhex(word))[0] for word in parameters if len(word) == 16}
    assert {arrays[name].ctypes.data for name in ("crow", "col", "out")} <= addresses
    assert struct.pack("<f", 2.5).hex() in parameters
    assert struct.pack("<f", 1).hex() in parameters


def test_launches_on_the_current_stream(function, arrays, stub_cuda):
    import tvm_ffi
    with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda:0"), 0x1230):
        call(function, arrays)
    call(function, arrays)
    launches = stub_cuda.lines("launch")
    assert len(launches) == 4
    assert all("stream 0x1230 " in launch for launch in launches[:2])
    assert all("stream (nil) " in launch for launch in launches[2:])


@pytest.mark.parametrize("replaced, error, message", [
    ({"b": lambda a: a["b"]}, ValueError, "argument 'b': expected memory of CUDA device 0, but got memory of the CPU"),
    ({"b": lambda a: CudaTensor(a["b"], 1)}, ValueError, "argument 'b': expected memory of CUDA device 0, but got"),
    ({"b": lambda a: CudaTensor(a["b"].astype(np.float32))}, ValueError, "argument 'b': expected .*bf16.*but got.*f32"),
    ({"b": lambda a: CudaTensor(a["b"].astype(np.int16))}, ValueError, "argument 'b': .*element type, but got int16"),
    ({"b": lambda a: CudaTensor(a["b"][:60])}, ValueError, "argument 'b': expected .*64.*but got 60"),
    ({"out": lambda a: CudaTensor(a["b"])}, ValueError, "argument 'out'"),
    ({"crow": lambda a: 3}, TypeError, "argument 'crow': expected a tensor, but got int"),
    ({"crow": lambda a: None}, TypeError, "argument 'crow': expected a tensor, but got None"),
])
def test_refuses_arguments_by_name(function, arrays, stub_cuda, replaced, error, message):
    with pytest.raises(error, match=message):
        call(function, arrays, **{name: make(arrays) for name, make in replaced.items()})
    assert not stub_cuda.lines("launch")


def test_refuses_scalars_and_counts(function, arrays):
    with pytest.raises(TypeError, match="argument 'alpha': expected a number, but got"):
        call(function, arrays, alpha="1")
    with pytest.raises(TypeError, match="expected 7 arguments, but got 1"):
        function(1.0)


def test_driver_failures_are_runtime_errors(function, arrays, stub_cuda, monkeypatch):
    monkeypatch.setenv("STUB_CUDA_FAIL", "cuLaunchKernel:719")
    with pytest.raises(RuntimeError, match="cuLaunchKernel failed: CUDA_ERROR"):
        call(function, arrays)


def test_load_refuses(sattn, program_text):
    manifest, ptx = program_text
    with pytest.raises(RuntimeError, match="manifest: "):
        sattn.load("{", ptx)
    with pytest.raises(RuntimeError, match="device"):
        sattn.load(manifest, ptx, 7)
    with pytest.raises(RuntimeError, match="image is empty"):
        sattn.load(manifest, b"")
    with pytest.raises(TypeError):
        sattn.load(manifest, 3)


def test_program_outlives_its_name(sattn, program_text, arrays, stub_cuda):
    # Only the function holds the program: dropping it unloads the module.
    function = sattn.load(*program_text)
    call(function, arrays)
    assert not stub_cuda.lines("module-unload")
    del function
    assert stub_cuda.lines("module-unload")
