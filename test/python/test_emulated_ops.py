"""Whole kernels of ops whose factors are f32 in IEEE precision, lowered for a GPU, on the CPU's threads: all but the MMAs."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gpu"))
import bsr_attention_cases  # noqa: E402
import sampled_cases  # noqa: E402
import scatter_cases  # noqa: E402
from emulation import kernel_of_program  # noqa: E402


def generic(tools, cases, case, folder):
    """(the version for any strides of the case's kernel, its operands)."""
    arrays = cases.operands(case)
    return kernel_of_program(tools, cases.program(case, arrays), "f_generic", folder, "schedule=plain chip=sm_80"), arrays


@pytest.mark.parametrize("block", [(16, 16), (15, 15), (2, 3), (64, 32)])
def test_scatter_mm(emulation_tools, tmp_path, block):
    case = scatter_cases.Case("", format=scatter_cases.FORMATS[0], dtype="f32", block=block)
    kernel, arrays = generic(emulation_tools, scatter_cases, case, tmp_path)
    out, wanted = arrays["out"].copy(), arrays["out"].astype(np.float64)
    offsets = arrays["offsets"]
    for entry, (first, last) in enumerate(zip(offsets, offsets[1:])):
        for pair in range(first, last):
            wanted[entry] += arrays["blocks"][arrays["p"][pair]].astype(np.float64) @ arrays["others"][arrays["q"][pair]]
    kernel(len(out), *(arrays[name] if name != "out" else out for name in case.names))
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("pattern", ["random", "empty_rows", "window"])
@pytest.mark.parametrize("block, count", [((16, 16), 1), ((64, 32), 1), ((16, 16), 4)])
def test_sampled_addmm(emulation_tools, tmp_path, block, count, pattern):
    """With `count` stored blocks a tile."""
    case = sampled_cases.Case("", dtype="f32", block=block, tile=(16, count * block[1], 32), shape=(4 * block[0], 40, 5 * block[1]),
                              alpha="2.0", beta="0.0", pattern=pattern)
    kernel, arrays = generic(emulation_tools, sampled_cases, case, tmp_path)
    out = np.full_like(arrays["out"], np.nan)
    kernel(len(out) * (block[0] // 16), *(arrays[name] if name != "out" else out for name in case.names))
    product = 2 * arrays["mat1"].astype(np.float64) @ arrays["mat2"]
    wanted = np.zeros(out.shape)
    crow, col = arrays["crow"], arrays["col"]
    for i, (first, last) in enumerate(zip(crow, crow[1:])):
        for place in range(first, last):
            wanted[place] = product[block[0] * i:block[0] * (i + 1), block[1] * col[place]:block[1] * (col[place] + 1)]
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("block, columns", [((16, 16), (40, 72)), ((64, 32), (64, 64))])
@pytest.mark.parametrize("pattern", ["random", "empty_rows"])
def test_bsr_attention(emulation_tools, tmp_path, block, columns, pattern):
    case = bsr_attention_cases.Case("", dtype="f32", block=block, tile=(block[0], columns[1], block[1]), blocks=(3, 5),
                                    columns=columns, scale="0.125", pattern=pattern)
    kernel, arrays = generic(emulation_tools, bsr_attention_cases, case, tmp_path)
    q, k, v = (arrays[name].astype(np.float64) for name in "qkv")
    visible = np.zeros((3, 5), bool)
    for i, (first, last) in enumerate(zip(arrays["crow"], arrays["crow"][1:])):
        visible[i, arrays["col"][first:last]] = True
    scores = np.where(np.kron(visible, np.ones(block)) != 0, 0.125 * q @ k.T, -np.inf)
    powers = np.exp(scores - np.maximum(scores.max(-1, keepdims=True), -1e300))
    wanted = powers / np.maximum(powers.sum(-1, keepdims=True), 1e-300) @ v
    out = np.full_like(arrays["out"], np.nan)
    kernel(len(q) // block[0], *(arrays[name] if name != "out" else out for name in case.names))
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-5)
