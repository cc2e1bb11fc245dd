"""docs/Troubleshooting.md with CUDA tensors: the messages that it quotes are those that its problems raise."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "Troubleshooting.md").read_text()


def weight(torch, block=64):
    return torch.randn(128, 256).bfloat16().to_sparse_bsr((block, block)).to("cuda")


def dense(torch, columns=64):
    return torch.ones(256, columns).bfloat16().to("cuda")


def test_explained_copies(torch, package):
    text = str(package.explain(None, weight(torch), dense(torch)[:, :63], beta=0))
    assert "copies an argument to memory that TMA can take" in text and "`dense` has elements" not in text
    text = str(package.explain(None, weight(torch), dense(torch, 63), beta=0))
    assert "`dense` has rows of 126 bytes; TMA needs a multiple of 16" in text
    assert "`copies an argument to memory that TMA can take`" in PAGE
    assert "`dense has rows of 126 bytes; TMA needs a multiple of 16`" in PAGE


@pytest.mark.parametrize("failure, message", [
    ("cuMemAllocFromPoolAsync:2,cuMemAllocAsync:2,cuMemAlloc_v2:2",
     "out of device memory: could not allocate 65536 bytes of scratch on device 0"),
    ("cuLaunchKernel:700,cuLaunchKernelEx:700", "cuLaunchKernel failed: unknown error (700)"),
    ("cuModuleLoadDataEx:222,cuModuleLoadData:222",
     "the CUDA driver rejected the image: CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
])
def test_failures_of_the_driver(torch, package, monkeypatch, failure, message):
    monkeypatch.setenv("STUB_CUDA_FAIL", failure)
    # More scratch than other tests have left in the pool.
    matrix, x = weight(torch, 32), dense(torch, 2**16)[:, ::2]
    with pytest.raises(RuntimeError) as error:
        package.bsr_dense_addmm(None, matrix, x, beta=0)
    assert message in re.sub(r"\d+ bytes", "65536 bytes", str(error.value)) and message in PAGE


def test_a_first_call_in_a_capture(torch, package, monkeypatch):
    operand = package.prepare(weight(torch))
    monkeypatch.setenv("STUB_CUDA_CAPTURE", "1")
    with pytest.raises(RuntimeError) as error:
        package.bsr_dense_addmm(None, operand, dense(torch), beta=0)
    assert f"### `{error.value}`" in PAGE


OLD_CARD = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import cuda_tensors
import sattn
library = cuda_tensors.install()
torch = cuda_tensors.torch
matrix = torch.ones(128, 256).bfloat16().to_sparse_bsr((64, 64)).to("cuda")
try:
    sattn.bsr_dense_addmm(None, matrix, torch.ones(256, 64).bfloat16().to("cuda"), beta=0)
except sattn.CompileError as error:
    print(error)
library._destroy()
"""


def test_an_unsupported_chip(package):
    """In a process of its own, since a device is asked for its chip once."""
    done = subprocess.run([sys.executable, "-c", OLD_CARD], env=os.environ | {"STUB_CUDA_CC": "7.5"},
                          capture_output=True, text=True, check=False)
    message = done.stdout.strip().removeprefix("error: ")
    assert message and f"### `{message}`" in PAGE, done.stderr
