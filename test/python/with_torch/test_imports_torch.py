"""PyTorch that is imported after the package, before it, and in another thread: tvm-ffi knows it."""

import os
import subprocess
import sys

import pytest

PRODUCT = """
import sys
import numpy as np
import sattn
crow, col = np.array([0, 1], np.int32), np.array([0], np.int32)
blocks, dense = np.ones((1, 16, 16), np.float32), np.ones((16, 4), np.float32)
def multiply():
    assert (sattn.bsr_dense_addmm(None, (crow, col, blocks), dense, beta=0) == 16).all()
def multiply_tensors():
    import torch
    given = [torch.from_numpy(array) for array in (crow, col, blocks, dense)]
    result = sattn.bsr_dense_addmm(None, tuple(given[:3]), given[3], beta=0)
    assert type(result) is torch.Tensor and (result == 16).all()
"""
KNOWN = """
import torch, tvm_ffi
assert tvm_ffi.core.torch is torch and tvm_ffi._convert.torch is torch and hasattr(torch.cuda.Stream, "__cuda_stream__")
assert not [finder for finder in sys.meta_path if type(finder).__module__.startswith("sattn")
            and getattr(finder, "name", "torch") == "torch"]
multiply()
multiply_tensors()
"""


@pytest.fixture
def run(sattn):
    def run(code):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr
    return run


def test_a_product_of_numpy_imports_no_torch(run):
    run(PRODUCT + "multiply()\nassert 'torch' not in sys.modules")


def test_torch_that_is_imported_later_is_known_to_tvm_ffi(run):
    run(PRODUCT + "multiply()\nimport tvm_ffi\nassert 'torch' not in sys.modules and tvm_ffi.core.torch is None" + KNOWN)


def test_torch_that_was_imported_before(run):
    """Nothing is kept from tvm-ffi."""
    run("import torch" + PRODUCT + KNOWN.replace("torch, tvm_ffi", "tvm_ffi"))


def test_torch_in_another_thread_is_found(run):
    """PyTorch is hidden only from the thread that imports tvm-ffi."""
    run("""
import sys, threading
from sattn._native import tvm_ffi
finder = tvm_ffi._WithoutTorch()
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
""")
