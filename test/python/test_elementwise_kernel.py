"""Kernels of elementwise ops by themselves, lowered for a GPU, on the CPU's threads: runs of 16 bytes, and vectors beside them."""

import numpy as np
import pytest
from emulation import kernel_of_program

# Rows of a tile (wgtile-tile-linalg).
ROWS = 64


@pytest.mark.parametrize("version", ["f", "f_generic"], ids=["aligned", "generic"])
@pytest.mark.parametrize("element", ["f16", "f32"])
@pytest.mark.parametrize("rows, columns", [(64, 64), (100, 64), (70, 16), (128, 8)])
def test_scale_and_bias(emulation_tools, tmp_path, version, element, rows, columns):
    matrix, row, column = f"tensor<?x{columns}x{element}>", f"tensor<{columns}x{element}>", f"tensor<?x{element}>"
    kernel = kernel_of_program(emulation_tools, f"""
      #ij = affine_map<(i, j) -> (i, j)>
      #j = affine_map<(i, j) -> (j)>
      #i = affine_map<(i, j) -> (i)>
      func.func @f(%x: {matrix}, %bias: {row}, %scale: {column}, %out: {matrix}) -> {matrix} {{
        %0 = linalg.generic {{indexing_maps = [#ij, #j, #i, #ij], iterator_types = ["parallel", "parallel"]}}
            ins(%x, %bias, %scale : {matrix}, {row}, {column}) outs(%out : {matrix}) {{
        ^bb0(%a: {element}, %b: {element}, %c: {element}, %o: {element}):
          %1 = arith.mulf %a, %c : {element}
          %2 = arith.addf %1, %b : {element}
          linalg.yield %2 : {element}
        }} -> {matrix}
        return %0 : {matrix}
      }}""", version, tmp_path, "schedule=plain")
    dtype = np.dtype("float16" if element == "f16" else "float32")
    rng = np.random.default_rng(0)
    # Small whole numbers: exact in either type. Rows of the result past its end stay.
    x, bias, scale = (rng.integers(-8, 9, shape).astype(dtype) for shape in ((rows, columns), columns, rows))
    whole = np.full((rows + ROWS, columns), np.nan, dtype)
    out = whole[:rows]
    kernel(-(-rows // ROWS), x, bias, scale, out)
    np.testing.assert_array_equal(out, x * scale[:, None] + bias)
    assert np.isnan(whole[rows:]).all()
