"""rowsum(A * B), which the backward of attention begins with: on the CPU, and its kernel on the CPU's threads."""

import numpy as np
import pytest
from emulation import kernel_of_program

# Rows of a tile (wgtile-tile-linalg).
ROWS = 64
LOOPS = "bhik"


def program(rank, columns, element):
    loops = LOOPS[4 - rank:]
    tensor = f"tensor<{'?x' * (rank - 1)}{columns}x{element}>"
    sums = f"tensor<{'?x' * (rank - 1)}f32>"
    inputs, out = ", ".join(loops), ", ".join(loops[:-1])
    iterators = ", ".join(['"parallel"'] * (rank - 1) + ['"reduction"'])
    return f"""
      #in = affine_map<({inputs}) -> ({inputs})>
      #out = affine_map<({inputs}) -> ({out})>
      func.func @f(%a: {tensor}, %b: {tensor}, %out: {sums}) -> {sums} {{
        %zero = arith.constant 0.0 : f32
        %zeros = linalg.fill ins(%zero : f32) outs(%out : {sums}) -> {sums}
        %0 = linalg.generic {{indexing_maps = [#in, #in, #out], iterator_types = [{iterators}]}}
            ins(%a, %b : {tensor}, {tensor}) outs(%zeros : {sums}) {{
        ^bb0(%x: {element}, %y: {element}, %sum: f32):
          %1 = arith.extf %x : {element} to f32
          %2 = arith.extf %y : {element} to f32
          %3 = arith.mulf %1, %2 : f32
          %4 = arith.addf %sum, %3 : f32
          linalg.yield %4 : f32
        }} -> {sums}
        return %0 : {sums}
      }}"""


def bfloat16(values):
    """The upper halves of whole numbers in f32."""
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


@pytest.mark.parametrize("version", ["f", "f_generic"], ids=["aligned", "generic"])
@pytest.mark.parametrize("rank, shape", [(2, (100, 64)), (3, (2, 70, 128)), (4, (2, 3, 65, 64)), (4, (1, 2, 64, 72))])
def test_kernels(emulation_tools, tmp_path, version, rank, shape):
    kernel = kernel_of_program(emulation_tools, program(rank, shape[-1], "bf16"), version, tmp_path, "schedule=plain")
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-8, 9, shape) for _ in range(2))
    memory = np.full((shape[0] + 1, *shape[1:-1]), np.nan, np.float32)
    out = memory[:shape[0]]
    kernel(int(np.prod(shape[:-2])) * -(-shape[-2] // ROWS), bfloat16(a), bfloat16(b), out)
    np.testing.assert_array_equal(out, (a * b).sum(-1))
    assert np.isnan(memory[shape[0]:]).all()
