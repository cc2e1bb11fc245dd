"""Core tests of the CPU's code once more, with another CPU's vectors than this machine's: AVX2 where it has AVX-512."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("tvm_ffi")
FOLDER = Path(__file__).parent
TESTS = {
    "test_attention_cpu.py::test_agrees_with_definition": ["tail", "causal", "d64", "d128", "value_dim", "f16_causal"],
    "test_bsr_addmm_cpu.py::test_agrees_with_reference": [
        "f32-24x40", "bf16-64x128-n64", "f64-16x16-linear", "i8-48x96", "e4m3-16x16", "linear-transpose_b"],
    "test_flex_attention_backward_cpu.py::test_agrees_with_definition": ["group_causal", "parts_of_keys"],
    "test_exp2_cpu.py::test_error": ["-125-128"],
}


@pytest.mark.skipif(" avx512f " not in Path("/proc/cpuinfo").read_text(), reason="no AVX-512 to leave out")
def test_avx2():
    environment = {name: value for name, value in os.environ.items() if name != "SATTN_TEST_SEED"}
    chosen = [f"{FOLDER / test}[{case}]" for test, cases in TESTS.items() for case in cases]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:xdist", "-c", FOLDER / "pytest.ini", "--rootdir", FOLDER, *chosen],
        env=environment | {"SATTN_CPU": "haswell"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout, done.stdout
