"""Products of f32 in IEEE precision, lowered for a GPU: their code on the CPU's threads gives the exact products."""

import numpy as np
import pytest
from emulation import kernel_of_tiles

# Where tiles begin in shared memory.
A, B, C = 0, 1 << 16, 1 << 17


def whole(rng, *shape):
    """Numbers whose products and sums are exact."""
    return rng.integers(-8, 9, shape).astype(np.float32)


def tile_type(rows, columns):
    swizzle = min(128, 4 * columns)
    return f"!wgtile.shared<{rows}x{columns}xf32, swizzle = {swizzle}>", swizzle


@pytest.mark.share(4)
@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("m, n, k, warps, column_warps", [
    (64, 64, 32, 4, 1), (64, 64, 32, 4, 2), (16, 128, 32, 4, 4), (128, 64, 64, 8, 1), (64, 32, 8, 4, 1), (40, 64, 16, 4, 1),
    (24, 16, 16, 2, 1), (8, 8, 8, 1, 1)])
def test_both_in_shared_memory(emulation_tools, tmp_path, m, n, k, warps, column_warps, is_transposed):
    rng = np.random.default_rng(0)
    a, b = whole(rng, m, k), whole(rng, k, n)
    (left, left_swizzle), (right, right_swizzle) = tile_type(m, k), tile_type(*((n, k) if is_transposed else (k, n)))
    layout = f"tensor<{m}x{n}xf32, #wgtile.mma<warps = {warps}, column_warps = {column_warps}>>"
    kernel = kernel_of_tiles(emulation_tools, f"""
      gpu.func @kernel(%out: memref<{m}x{n}xf32>) kernel attributes {{known_block_size = array<i32: {32 * warps}, 1, 1>}} {{
        %c0 = arith.constant 0 : index
        %at_a = arith.constant {A} : i32
        %at_b = arith.constant {B} : i32
        %halves = arith.constant dense<0.5> : {layout}
        %a = builtin.unrealized_conversion_cast %at_a : i32 to {left}
        %b = builtin.unrealized_conversion_cast %at_b : i32 to {right}
        %s = wgtile.mma %a, %b, %halves mma_sync ieee {"transpose_b" if is_transposed else ""} : {left}, {right} -> {layout}
        wgtile.store %s, %out[%c0, %c0] in_bounds [{"true" if m % 16 == 0 else "false"}, true] : {layout}, memref<{m}x{n}xf32>
        gpu.return
      }}""", tmp_path)
    kernel.put(A, a, left_swizzle)
    kernel.put(B, b.T if is_transposed else b, right_swizzle)
    out = np.full((m, n), np.nan, np.float32)
    kernel(1, out)
    np.testing.assert_array_equal(out, a @ b + 0.5)


@pytest.mark.parametrize("keys, columns", [(64, 32), (16, 64), (32, 8)])
def test_left_tile_in_registers(emulation_tools, tmp_path, keys, columns):
    """As weights of attention: a product is the left operand of the next."""
    rng = np.random.default_rng(0)
    a, b, c = whole(rng, 64, 32), whole(rng, 32, keys), whole(rng, keys, columns)
    (left, left_swizzle), (right, right_swizzle), (last, last_swizzle) = (
        tile_type(*array.shape) for array in (a, b, c))
    scores, layout = (f"tensor<64x{size}xf32, #wgtile.mma<warps = 4>>" for size in (keys, columns))
    kernel = kernel_of_tiles(emulation_tools, f"""
      gpu.func @kernel(%out: memref<64x{columns}xf32>) kernel attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
        %c0 = arith.constant 0 : index
        %at_a = arith.constant {A} : i32
        %at_b = arith.constant {B} : i32
        %at_c = arith.constant {C} : i32
        %zero = arith.constant dense<0.0> : {scores}
        %zeros = arith.constant dense<0.0> : {layout}
        %a = builtin.unrealized_conversion_cast %at_a : i32 to {left}
        %b = builtin.unrealized_conversion_cast %at_b : i32 to {right}
        %c = builtin.unrealized_conversion_cast %at_c : i32 to {last}
        %s = wgtile.mma %a, %b, %zero mma_sync ieee : {left}, {right} -> {scores}
        %t = wgtile.mma %s, %c, %zeros mma_sync ieee : {scores}, {last} -> {layout}
        wgtile.store %t, %out[%c0, %c0] in_bounds [true, true] : {layout}, memref<64x{columns}xf32>
        gpu.return
      }}""", tmp_path)
    for place, tile, swizzle in ((A, a, left_swizzle), (B, b, right_swizzle), (C, c, last_swizzle)):
        kernel.put(place, tile, swizzle)
    out = np.full((64, columns), np.nan, np.float32)
    kernel(1, out)
    np.testing.assert_array_equal(out, a @ b @ c)


@pytest.mark.share(4)
@pytest.mark.parametrize("rows", [-3, 0, 1, 17, 32, 40])
@pytest.mark.parametrize("columns", [8, 64])
def test_rows_that_do_not_count(emulation_tools, tmp_path, rows, columns):
    """They are cleared before the product, whatever they hold, and others are not."""
    rng = np.random.default_rng(0)
    a, b = whole(rng, 64, 32), whole(rng, 32, columns)
    (left, left_swizzle), (right, right_swizzle) = tile_type(64, 32), tile_type(32, columns)
    layout = f"tensor<64x{columns}xf32, #wgtile.mma<warps = 4>>"
    kernel = kernel_of_tiles(emulation_tools, f"""
      gpu.func @kernel(%out: memref<64x{columns}xf32>, %rows: index) kernel
          attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
        %c0 = arith.constant 0 : index
        %at_a = arith.constant {A} : i32
        %at_b = arith.constant {B} : i32
        %zeros = arith.constant dense<0.0> : {layout}
        %a = builtin.unrealized_conversion_cast %at_a : i32 to {left}
        %b = builtin.unrealized_conversion_cast %at_b : i32 to {right}
        %s = wgtile.mma %a, %b, %zeros rows %rows mma_sync ieee : {left}, {right} -> {layout}
        wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : {layout}, memref<64x{columns}xf32>
        gpu.return
      }}""", tmp_path)
    kernel.put(A, a, left_swizzle)
    kernel.put(B, np.where(np.arange(32)[:, None] < rows, b, np.float32(np.nan)), right_swizzle)
    out = np.full((64, columns), np.nan, np.float32)
    kernel(1, out, rows)
    count = min(max(rows, 0), 32)
    np.testing.assert_array_equal(out, a[:, :count] @ b[:count])


def test_products_are_not_rounded(emulation_tools, tmp_path):
    """Factors whose bits tf32 has not, and a product that a sum needs unrounded."""
    tile, swizzle = tile_type(16, 8)
    right, _ = tile_type(8, 8)
    layout = "tensor<16x8xf32, #wgtile.mma<warps = 1>>"
    kernel = kernel_of_tiles(emulation_tools, f"""
      gpu.func @kernel(%out: memref<16x8xf32>) kernel attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
        %c0 = arith.constant 0 : index
        %at_a = arith.constant {A} : i32
        %at_b = arith.constant {B} : i32
        %ones = arith.constant dense<-1.0> : {layout}
        %a = builtin.unrealized_conversion_cast %at_a : i32 to {tile}
        %b = builtin.unrealized_conversion_cast %at_b : i32 to {right}
        %s = wgtile.mma %a, %b, %ones mma_sync ieee : {tile}, {right} -> {layout}
        wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : {layout}, memref<16x8xf32>
        gpu.return
      }}""", tmp_path)
    a, b = np.zeros((16, 8), np.float32), np.zeros((8, 8), np.float32)
    a[:, 0], b[0] = 1 + 2.0**-23, 1 - 2.0**-23
    kernel.put(A, a, swizzle)
    kernel.put(B, b, swizzle)
    out = np.full((16, 8), np.nan, np.float32)
    kernel(1, out)
    np.testing.assert_array_equal(out, -(2.0**-46))
