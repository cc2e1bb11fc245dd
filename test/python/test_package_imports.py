"""What the package imports, and what it does when PyTorch is imported later."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("tvm_ffi")

# In PyTorch's place: it says that it was imported, and has what tvm-ffi looks for.
TORCH = """
print("imported")
class Tensor: pass
class dtype: pass
for name in ("int8", "short", "int16", "int32", "int", "int64", "long", "uint8", "float16", "half", "float32", "float",
             "float64", "double", "bfloat16", "bool"):
    globals()[name] = name
from . import cuda, version
"""
CUDA = """
class Stream: pass
def is_available(): return True
"""
PRODUCT = """
import sys
import numpy as np
import sattn
crow, col = np.array([0, 1], np.int32), np.array([0], np.int32)
blocks, dense = np.ones((1, 16, 16), np.float32), np.ones((16, 4), np.float32)
def multiply():
    assert (sattn.bsr_dense_addmm(None, (crow, col, blocks), dense, beta=0) == 16).all()
"""
LATER = PRODUCT + """
multiply()
import tvm_ffi
assert "torch" not in sys.modules and tvm_ffi.core.torch is None
tvm_ffi._optional_torch_c_dlpack.load_torch_c_dlpack_extension = lambda: print("connected")
import torch
assert tvm_ffi.core.torch is torch and tvm_ffi._convert.torch is torch and hasattr(torch.cuda.Stream, "__cuda_stream__")
assert not [finder for finder in sys.meta_path if type(finder).__module__.startswith("sattn")
            and getattr(finder, "name", "torch") == "torch"]
multiply()
"""
# PyTorch first: nothing is kept from tvm-ffi.
FIRST = PRODUCT + """
import torch
torch.Tensor.__dlpack_c_exchange_api__ = None
multiply()
import tvm_ffi
assert tvm_ffi.core.torch is torch
"""


@pytest.fixture
def run(sattn, tmp_path):
    def run(code):
        package = tmp_path / "torch"
        package.mkdir()
        (package / "__init__.py").write_text(TORCH)
        (package / "cuda.py").write_text(CUDA)
        (package / "version.py").write_text("cuda = None\n")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()
    return run


def test_a_product_of_numpy_imports_no_torch(run):
    assert run(PRODUCT + "multiply()\nassert 'torch' not in sys.modules") == []


def test_torch_that_is_imported_later_is_known_to_tvm_ffi(run):
    assert run(LATER) == ["imported", "connected"]


def test_torch_that_was_imported_before(run):
    assert run(FIRST) == ["imported"]


def test_torch_in_another_thread_is_found(run):
    # What hides PyTorch, hides it from the thread alone that imports tvm-ffi.
    assert run("""
import sys, threading
from sattn import _tvm_ffi
finder = _tvm_ffi._WithoutTorch()
sys.meta_path.insert(0, finder)
try:
    import torch
    raise SystemExit("found")
except ModuleNotFoundError:
    pass
thread = threading.Thread(target=lambda: __import__("torch"))
thread.start()
thread.join()
assert "torch" in sys.modules
""") == ["imported"]


def test_version(sattn):
    cmake = (Path(__file__).resolve().parents[2] / "CMakeLists.txt").read_text()
    assert sattn.__version__ == re.search(r"project\(sattn VERSION ([\d.]+)", cmake)[1] == sattn._compiler.version()
