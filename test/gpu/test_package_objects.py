"""On a CUDA device: operands that are copied, pickled, moved and modules; PyTorch that is imported after a product."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tvm_ffi")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import sattn  # noqa: E402
import sattn.nn  # noqa: E402


def problem(dtype=torch.bfloat16, device="cuda"):
    """A matrix, in BSR too, and what it is multiplied with."""
    generator = torch.Generator().manual_seed(0)
    mask = (torch.rand(6, 8, generator=generator) < 0.4).repeat_interleave(64, 0).repeat_interleave(64, 1)
    matrix = (torch.randn(384, 512, generator=generator) * mask).to(device, dtype)
    return matrix, matrix.to_sparse_bsr((64, 64)), torch.randn(512, 192, generator=generator).to(device, dtype)


def near(result, matrix, dense):
    expected = matrix.double().cpu() @ dense.double().cpu()
    assert (result.double().cpu() - expected).norm() <= 5e-3 * expected.norm()


def test_copies_and_pickles_stay_on_the_device():
    matrix, bsr, dense = problem()
    operand = sattn.prepare(bsr)
    for other in (operand, copy.copy(operand), copy.deepcopy(operand), pickle.loads(pickle.dumps(operand))):
        assert other.device == operand.device and repr(other) == repr(operand)
        for _ in range(2):
            near(other @ dense, matrix, dense)


def test_a_module_moves():
    matrix, bsr, dense = problem(torch.float32, "cpu")
    module = torch.nn.Sequential(sattn.nn.Bsr(bsr))
    near(module(dense), matrix, dense)
    module.to("cuda", torch.bfloat16)
    assert module[0].operand.device.type == "cuda"
    near(module(dense.to("cuda", torch.bfloat16)), matrix, dense)
    near(sattn.prepare(bsr).to("cuda", torch.float16) @ dense.to("cuda", torch.float16), matrix, dense)


def test_memory_goes_with_the_last_reference():
    _, bsr, dense = problem()
    # The first call of its kind keeps what it was called with until the next one.
    for _ in range(2):
        sattn.prepare(bsr) @ dense
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    for _ in range(3):
        operand = sattn.prepare(bsr)
        operand @ dense
        del operand
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == before


@pytest.mark.parametrize("prepared", [False, True])
def test_under_torch_compile(prepared):
    matrix, bsr, dense = problem()
    operand = sattn.prepare(bsr) if prepared else bsr
    torch._dynamo.reset()
    compiled = torch.compile(lambda dense: sattn.bsr_dense_addmm(None, operand, dense * 2, beta=0), backend="eager")
    for _ in range(2):
        near(compiled(dense), matrix, 2 * dense)


# Had the product run on another stream than PyTorch's current one, it would have seen zeros.
LATER = """
import sys
import numpy as np
import sattn
bsr = np.array([0, 1], np.int32), np.array([0], np.int32), np.ones((1, 64, 64), np.float32)
assert (sattn.bsr_dense_addmm(None, bsr, np.ones((64, 8), np.float32), beta=0) == 64).all()
assert "torch" not in sys.modules
import torch
bsr = tuple(torch.from_numpy(array).cuda() for array in (bsr[0], bsr[1], bsr[2].astype(np.float16)))
dense = torch.zeros(64, 64, dtype=torch.float16, device="cuda")
sattn.bsr_dense_addmm(None, bsr, dense, beta=0)
torch.cuda.synchronize()
stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    torch.cuda._sleep(50_000_000)
    dense.fill_(1)
    result = sattn.bsr_dense_addmm(None, bsr, dense, beta=0)
stream.synchronize()
assert (result == 64).all()
"""


def test_torch_that_is_imported_after_a_product():
    subprocess.run([sys.executable, "-c", LATER], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
