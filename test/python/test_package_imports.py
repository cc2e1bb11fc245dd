"""The package needs no PyTorch: these tests, and all others of this folder, run where there is none."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("tvm_ffi")


@pytest.mark.skipif("SATTN_REQUIRE_TOOLS" not in os.environ, reason="not run by ./dev test, whose environment has no PyTorch")
def test_there_is_no_torch():
    assert importlib.util.find_spec("torch") is None


@pytest.mark.parametrize("call", [
    "sattn.bsr_dense_addmm(None, (crow, col, blocks), dense, beta=0)", "sattn.prepare((crow, col, blocks))",
    "sattn.create_block_mask(lambda b, h, q, k: q >= k, None, None, 16, 16).to_dense()",
    "sattn.flex_attention(*[np.ones((1, 1, 16, 16), np.float32)] * 3, lambda s, b, h, q, k: np.tanh(s))"])
def test_a_call_imports_no_torch(sattn, call):
    code = ("import sys\nimport numpy as np\nimport sattn\ncrow, col = np.array([0, 1], np.int32), np.array([0], np.int32)\n"
            f"blocks, dense = np.ones((1, 16, 16), np.float32), np.ones((16, 4), np.float32)\n{call}\nassert 'torch' not in sys.modules")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr


def test_version(sattn):
    cmake = (Path(__file__).resolve().parents[2] / "CMakeLists.txt").read_text()
    assert sattn.__version__ == re.search(r"project\(sattn VERSION ([\d.]+)", cmake)[1] == sattn._compiler.c_api.version()


def test_public_names(sattn):
    """Nothing that the package imports for itself is one of its names."""
    modules = {"nn", "torch"}  # Where another test has imported them.
    names = {name for name in dir(sattn) if not name.startswith("_")} - modules
    assert names | {"tuning"} == set(sattn.__all__)  # It is imported at its first use.
