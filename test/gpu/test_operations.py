"""Operations in a score_mod on a GPU, on every pair of types and edge values, against NumPy and PyTorch.

SATTN_OPERATIONS_DEVICE=cpu runs the same on the CPU, by tensors.
"""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from operation_table import KERNELS, check_kernel  # noqa: E402

sattn = pytest.importorskip("sattn")
torch = pytest.importorskip("torch")

DEVICE = os.environ.get("SATTN_OPERATIONS_DEVICE", "cuda")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: "-".join(kernel[0]))
def test_operations(kernel, dtype):
    if dtype == "bfloat16" and kernel != [("int32",)] and ("int32", "int32") not in kernel:
        pytest.skip("operands of 16 bits differ by flags alone, which one kernel of each kind shows")

    def attend(score_mod, shape):
        batch, heads, queries, keys = shape
        make = {"dtype": getattr(torch, dtype), "device": DEVICE}
        query, key = torch.zeros(batch, heads, queries, 16, **make), torch.zeros(batch, 1, keys, 16, **make)
        options = {"precision": "tf32"} if dtype == "float32" and DEVICE != "cpu" else None
        _, lse = sattn.flex_attention(query, key, key, score_mod, enable_gqa=True, return_lse=True, kernel_options=options)
        return lse.cpu().numpy()

    # tanh of scores of 16-bit operands is an instruction's on a GPU (docs/Masks.md).
    errors = [("tanh", 2.0**-10.9)] if dtype == "bfloat16" and DEVICE != "cpu" else []
    differing = check_kernel(attend, kernel, lambda array: torch.from_numpy(array).to(DEVICE), errors)
    assert not differing, "\n".join(differing)
