"""Kernels of the gradients of flex attention, lowered for a GPU, on the threads of the CPU: parts of the columns, tails,
and copies whose rows have different patterns of the swizzle. f32 in IEEE precision, which has no MMA."""

import math
import re

import numpy as np
import pytest
from emulation import kernel_of_program
from flex_backward_programs import gradients, operands, program
from flex_programs import Flex, Sizes

SIZES = Sizes(queries=21, keys=19, heads=2)
CASES = {
    "whole": Flex(rank=3, scale=0.2, head_dim=24, right=0, tile=(32, 16)),
    "parts": Flex(rank=3, scale=0.2, head_dim=40, value_dim=24, right=0, tile=(16, 16, 16)),
    "parts_of_values": Flex(rank=3, scale=0.2, head_dim=8, value_dim=40, tile=(16, 16, 16)),
    # Chunks of a thread are in rows of one column, two rows apart.
    "wide": Flex(rank=3, scale=0.2, head_dim=64, right=0, tile=(16, 16, 32)),
}


def kernel(tools, text, name, version, folder):
    function = re.search(rf"func.func @{name}\(.*?\n}}\n", text, re.DOTALL)[0]
    folder = folder / name
    folder.mkdir()
    return kernel_of_program(tools, function, f"{name}{version}", folder, "schedule=plain chip=sm_80")


@pytest.mark.parametrize("version", ["", "_generic"])
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_definition(emulation_tools, tmp_path, case, version):
    variant = CASES[case]
    given, arrays, cotangents = operands(variant, SIZES)
    expected = gradients(variant, arrays, *cotangents)
    text = program(variant)
    columns = {"dq": variant.head_dim, "dkdv": max(variant.head_dim, variant.values)}
    for name, own in given.items():
        part = variant.tile[2] if len(variant.tile) > 2 else columns[name]
        rows, size = (SIZES.queries, variant.tile[0]) if name == "dq" else (SIZES.keys, variant.tile[1])
        blocks = SIZES.heads * math.ceil(rows / size) * math.ceil(columns[name] / part)
        kernel(emulation_tools, text, name, version, tmp_path)(blocks, *own.values())
        for result in ("dq",) if name == "dq" else ("dk", "dv"):
            np.testing.assert_allclose(own[result], expected[result], rtol=1e-4, atol=2e-5)
