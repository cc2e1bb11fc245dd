"""The examples and the demo on a CUDA device."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(script, *arguments):
    path = os.pathsep.join([str(ROOT / "bin"), str(ROOT / "build" / "bin"), os.environ["PATH"]])
    libraries = os.pathsep.join(filter(None, [str(ROOT / "python"), os.environ.get("PYTHONPATH")]))
    return subprocess.run([sys.executable, ROOT / "examples" / script, *map(str, arguments)], capture_output=True,
                          text=True, check=False, env={**os.environ, "PATH": path, "PYTHONPATH": libraries})


def test_pytorch():
    pytest.importorskip("torch")
    pytest.importorskip("tvm_ffi")
    done = run("python/pytorch.py")
    assert done.returncode == 0, done.stderr
    found = re.fullmatch(r"\(2, 128, 1024\) -> \(2, 128, 4096\), torch.bfloat16 on cuda: error (\S+)\n", done.stdout)
    assert float(found[1]) < 1e-2


@pytest.mark.parametrize("arguments", [[], ["--dtype", "f32"], ["--block", "auto", "--fem"], ["--block", 16]])
def test_demo(tmp_path, arguments):
    pytest.importorskip("scipy")
    if shutil.which("ptxas") is None:
        pytest.skip("no ptxas, by which the demo assembles its PTX")
    done = run("demo.py", "--output-dir", tmp_path, *arguments)
    assert done.returncode == 0, done.stderr
    dtype = "tf32" if "f32" in arguments else "bf16"
    found = re.search(rf"^  sattn, {dtype}, NVIDIA.*? +(\d\.\de-\d\d) ", done.stdout, re.MULTILINE)
    assert float(found[1]) < 1e-2
