"""Conditions of a tile's elements as words of bits (`wgtile-pack-conditions`), on the CPU's threads."""

import numpy as np
import pytest
from emulation import PIPELINE, Kernel, SHARED, _function, run

# Conditions of each row r and each column's v and w: the text of a condition %cond, and the same in NumPy. %ramp is r -
# j, %rising r + j.
PREDICATES = {"eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal, "sgt": np.greater, "sge": np.greater_equal}
CONDITIONS = {
    "window": ("""
        %a = arith.cmpi sle, %ramp, %radii : !tile
        %b = arith.cmpi sge, %ramp, %zeros : !tile
        %c = arith.cmpi ne, %ramp, %tile_nines : !tile
        %d = arith.andi %a, %b : !bits
        %cond = arith.andi %d, %c : !bits""", lambda r, j, v, w, radius: (r - j <= radius) & (r - j >= 0) & (r - j != 9)),
    "columns": ("""
        %a = arith.cmpi eq, %v, %ones : !columns
        %cond = wgtile.broadcast %a dimension 1 : !column_bits -> !bits""", lambda r, j, v, w, radius: (v == 1) & (r == r)),
    # Conditions of two vectors, one of which is also used by element, beside a condition of rows.
    "several": ("""
        %one = arith.cmpi eq, %v, %ones : !columns
        %two = arith.cmpi slt, %v, %w : !columns
        %both = arith.xori %one, %two : !column_bits
        %a = wgtile.broadcast %both dimension 1 : !column_bits -> !bits
        %three = arith.cmpi sgt, %r, %row_ones : !rows
        %b = wgtile.broadcast %three dimension 0 : !row_bits -> !bits
        %c = arith.cmpi sge, %zeros, %ramp : !tile
        %d = arith.ori %a, %c : !bits
        %e = arith.xori %d, %b : !bits
        %rs = wgtile.broadcast %r dimension 0 : !rows -> !tile
        %vs = wgtile.broadcast %v dimension 1 : !columns -> !tile
        %f = arith.cmpi sle, %rs, %vs : !tile
        %cond = arith.ori %f, %e : !bits""",
                lambda r, j, v, w, radius: (r <= v) | ((((v == 1) ^ (v < w)) | (r - j <= 0)) ^ (r > 1))),
    # A number of each row in the place of one for all.
    "rows": ("""
        %numbers = wgtile.broadcast %r dimension 0 : !rows -> !tile
        %a = arith.cmpi sge, %rising, %radii : !tile
        %b = arith.cmpi slt, %ramp, %numbers : !tile
        %c = arith.cmpi ne, %ramp, %tile_nines : !tile
        %d = arith.andi %b, %a : !bits
        %cond = arith.andi %d, %c : !bits""", lambda r, j, v, w, radius: (r - j < r) & (r + j >= radius) & (r - j != 9)),
} | {f"{name}, {form}": (f"""
        %a = arith.cmpi {name}, %{form}, %radii : !tile
        %b = arith.cmpi sgt, %{form}, %zeros : !tile
        %c = arith.cmpi eq, %ramp, %tile_nines : !tile
        %d = arith.ori %a, %b : !bits
        %cond = arith.ori %c, %d : !bits""",
                         lambda r, j, v, w, radius, compare=compare, sign=sign: compare(r + sign * j, radius) | (r + sign * j > 0) | (r - j == 9))
     for name, compare in PREDICATES.items() for form, sign in (("ramp", -1), ("rising", 1))}


def text(columns, condition):
    return f"""
!rows = tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
!columns = tensor<{columns}xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
!row_bits = tensor<64xi1, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
!column_bits = tensor<{columns}xi1, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
!tile = tensor<64x{columns}xi32, #wgtile.mma<warps = 4>>
!bits = tensor<64x{columns}xi1, #wgtile.mma<warps = 4>>
gpu.module @kernels {{
{SHARED}
  gpu.func @kernel(%row: memref<?xi32>, %first: memref<?xi32>, %second: memref<?xi32>, %out: memref<?x?xi32>, %radius: i32)
      kernel attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %up = arith.constant 1 : i32
    %down = arith.constant -1 : i32
    %zeros = arith.constant dense<0> : !tile
    %sevens = arith.constant dense<7> : !tile
    %nines = arith.constant dense<9> : !tile
    %tile_nines = arith.constant dense<9> : !tile
    %ones = arith.constant dense<1> : !columns
    %row_ones = arith.constant dense<1> : !rows
    %radii = tensor.splat %radius : !tile
    %r = wgtile.read %row[%c0] in_bounds [true] : memref<?xi32> -> !rows
    scf.for %i = %c0 to %c1 step %c1 {{
      %v = wgtile.read %first[%c0] in_bounds [false] padding 1 : i32 : memref<?xi32> -> !columns
      %w = wgtile.read %second[%c0] in_bounds [true] : memref<?xi32> -> !columns
      %ramp = wgtile.ramp %r, %down nsw : !rows, i32 -> !tile
      %rising = wgtile.ramp %r, %up nsw : !rows, i32 -> !tile{condition}
      %result = arith.select %cond, %sevens, %nines : !bits, !tile
      wgtile.store %result, %out[%c0, %c0] in_bounds [true, true] : !tile, memref<?x?xi32>
    }} {{wgtile.block_loop}}
    gpu.return
  }}
}}
"""


@pytest.mark.share(6)
@pytest.mark.parametrize("columns", [8, 64, 80, 128])
@pytest.mark.parametrize("name", CONDITIONS)
def test_selected(emulation_tools, tmp_path, name, columns):
    condition, seen = CONDITIONS[name]
    packed = run(emulation_tools / "sparse-opt", "--wgtile-pack-conditions", "-", text=text(columns, condition))
    assert packed.count("wgtile.test_bits") == 1
    assert packed.count("wgtile.read_lanes") == {"columns": 1, "several": 2}.get(name, 0)
    lowered = run(emulation_tools / "sparse-opt", f"--pass-pipeline={PIPELINE}", "-", text=packed)
    kernel = Kernel(SHARED, _function(lowered, "kernel"), tmp_path)
    rng = np.random.default_rng(0)
    j = np.arange(columns, dtype=np.int64)
    first = rng.integers(0, 4, max(columns - 3, 1)).astype(np.int32)  # Shorter than the tile.
    v = np.append(first, np.ones(columns - len(first), np.int32)).astype(np.int64)
    second = rng.integers(0, 4, columns).astype(np.int32)
    least, most = -2 ** 31, 2 ** 31 - 1
    near = rng.integers(-2, columns + 2, 64)
    ends = np.concatenate([least + columns + np.arange(32), most - columns - np.arange(32)])
    for rows in (near, ends):
        for radius in (0, 5, -3, least, least + 2, most, most - 1, most - columns):
            out = np.zeros((64, columns), np.int32)
            kernel(1, rows.astype(np.int32), first, second, out, int(radius))
            expected = seen(rows.astype(np.int64)[:, None], j[None], v[None], second.astype(np.int64)[None], radius)
            np.testing.assert_array_equal(out, np.where(np.broadcast_to(expected, out.shape), 7, 9))
