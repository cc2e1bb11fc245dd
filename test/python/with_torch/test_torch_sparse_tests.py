"""test/gpu/torch_sparse_tests.py on a file of tests of its own, on the CPU."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "test" / "gpu" / "torch_sparse_tests.py"
TESTS = """
import os, time, unittest
import torch
from test_sparse import CUSPARSE_SPMM_COMPLEX128_SUPPORTED

class TestKernelsCPU(unittest.TestCase):
    def product(self, dtype):
        from torch.sparse import _triton_ops
        print("output of a test")
        bsr = torch.eye(32, dtype=dtype).to_sparse_bsr((16, 16))
        b = torch.arange(512).to(dtype).reshape(32, 16)
        self.assertTrue((_triton_ops.bsr_dense_addmm(b, bsr, b, beta=0) == b).all())
    def test_product(self): self.product(torch.float32)
    def test_complex(self): self.product(torch.complex64)
    def test_wrong(self): self.assertEqual(1, 2, "one is not two")
    def test_only_here(self):
        import sattn.torch
        self.assertFalse(sattn.torch.is_enabled())
    def test_skipped(self): self.skipTest("no such device")
    def test_crash(self): os._exit(3)
    def test_hang(self): time.sleep(600)

class TestOthersCPU(unittest.TestCase):
    def test_other(self): pass
"""


def start(*arguments, built_tools):
    environment = {**os.environ, "SATTN_LIBRARIES": str(built_tools.parent / "lib")}
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, check=False,
                          env=environment, timeout=300)


def test_outcomes(built_tools, tmp_path):
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "test_sparse_csr.py").write_text(TESTS)
    done = start("--source", tmp_path, "--out", tmp_path / "out.json", "--class", "TestKernels", "--seconds", 30,
                 built_tools=built_tools)
    assert done.returncode == 1, done.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    tests = {test.pop("name").removeprefix("TestKernelsCPU.test_"): test for test in found["tests"]}
    assert {name: test["outcome"] for name, test in tests.items()} == {
        "product": "passed", "complex": "failed", "wrong": "failed", "only_here": "failed", "skipped": "skipped",
        "crash": "crashed", "hang": "hung"}
    assert tests["product"]["products"] == 1 and tests["product"]["left"] == {}
    assert list(tests["complex"]["left"]) == [
        "bsr_dense_addmm: elements are of torch.complex64, not of float16, bfloat16, float32 or float64"]
    assert tests["complex"]["alone"]["outcome"] == "failed"  # Without Triton PyTorch's own fails, too.
    assert tests["wrong"]["reason"] == tests["wrong"]["alone"]["reason"] == "AssertionError: 1 != 2 : one is not two"
    assert tests["only_here"]["alone"] == {"outcome": "passed", "reason": ""}
    assert tests["skipped"]["reason"] == "no such device" and tests["crash"]["reason"] == "status 3"
    assert found["counts"] == {"passed": 1, "failed": 3, "skipped": 1, "crashed": 1, "hung": 1, "passed with products": 1,
                               "fail only with sattn": 3}


def test_matching_tests_alone(built_tools, tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(TESTS)
    done = start("--source", path, "--out", tmp_path / "out.json", "--class", "TestKernels", "--match", "product",
                 built_tools=built_tools)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("out.json: 0 fail only with sattn, 1 passed, 1 passed with products\n")


@pytest.mark.parametrize("arguments, message", [
    (["--source", "/nowhere"], "expected test_sparse_csr.py, or a PyTorch source with test/test_sparse_csr.py, at "
                               "'/nowhere'"),
    ([], "--source names one"),
    (["--source", __file__, "--class", "TestNothing"], "expected tests of TestNothing in")])
def test_nothing_to_run(built_tools, arguments, message):
    done = start(*arguments, built_tools=built_tools)
    assert done.returncode == 1 and message in done.stderr
