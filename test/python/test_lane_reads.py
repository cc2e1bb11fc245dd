"""Vectors of columns that the lanes of a warp read together (`wgtile.read_lanes`), on the CPU's threads."""

import numpy as np
import pytest
from emulation import kernel_of_tiles


@pytest.mark.share(4)
@pytest.mark.parametrize("element", ["i32", "f32"])
@pytest.mark.parametrize("columns", [16, 64, 80, 112, 128, 256])
@pytest.mark.parametrize("in_bounds", [True, False])
def test_spread(emulation_tools, tmp_path, element, columns, in_bounds):
    parts = 2 * -(-columns // 64)
    values = ", ".join(f"%p#{part}" for part in range(parts))
    types = ", ".join(["i32"] * parts)
    layout = "#wgtile.mma<warps = 4>"
    vector = f"tensor<{columns}x{element}, #wgtile.slice<dim = 0, parent = {layout}>>"
    tile = f"tensor<64x{columns}x{element}, {layout}>"
    padding = "7 : i32" if element == "i32" else "7.0 : f32"
    kernel = kernel_of_tiles(emulation_tools, f"""
      gpu.func @kernel(%x: memref<?x{element}>, %out: memref<?x?x{element}>, %first: index) kernel
          attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
        %c0 = arith.constant 0 : index
        %p:{parts} = wgtile.read_lanes %x[%first] size {columns} in_bounds {str(in_bounds).lower()} padding {padding}
            : memref<?x{element}> -> {types}
        %v = wgtile.spread_lanes {values} : {types} -> {vector}
        %t = wgtile.broadcast %v dimension 1 : {vector} -> {tile}
        wgtile.store %t, %out[%c0, %c0] in_bounds [true, true] : {tile}, memref<?x?x{element}>
        gpu.return
      }}""", tmp_path)
    dtype = np.dtype("int32" if element == "i32" else "float32")
    memory = np.arange(1000, 2000).astype(dtype)
    # Elements beyond the vector's end are there, in memory, and must not show.
    for first in [3, 40] if in_bounds else [0, 5, 300 - columns, 299, 300, 320]:
        out = np.zeros((64, columns), dtype)
        kernel(1, memory[:300 if not in_bounds else 1000], out, first)
        place = first + np.arange(columns)
        expected = np.where(in_bounds | (place < 300), memory[place], dtype.type(7))
        np.testing.assert_array_equal(out, np.broadcast_to(expected, out.shape))
