"""Scans and reductions of register tiles, and elements stored at computed places, lowered for a GPU, on the CPU's threads."""

import numpy as np
import pytest
from emulation import kernel_of_tiles

SHAPES = [(16, 8, 2), (16, 16, 2), (16, 16, 4), (16, 64, 8), (32, 24, 2)]


def layout_of(run):
    return f"#wgtile.mma<warps = 1{f', run = {run}' if run != 2 else ''}>"


@pytest.mark.share(4)
@pytest.mark.parametrize("kind", ["addi", "mins", "maxs"])
@pytest.mark.parametrize("element", ["i32", "i64"])
@pytest.mark.parametrize("rows, columns, run", SHAPES)
def test_what_precedes(emulation_tools, tmp_path, rows, columns, run, element, kind):
    memory, layout = f"memref<{rows}x{columns}x{element}>", layout_of(run)
    tile, numbers, places, marks = (f"tensor<{rows}x{columns}x{own}, {layout}>" for own in (element, "i32", "i64", "i1"))
    of_rows, of_columns = (f"tensor<{size}xi32, #wgtile.slice<dim = {dim}, parent = {layout}>>"
                           for size, dim in ((rows, 1), (columns, 0)))
    kernel = kernel_of_tiles(emulation_tools, f"""
      gpu.func @kernel(%in: {memory}, %out: {memory}, %first: memref<1x{element}>, %all: memref<1x{element}>) kernel
          attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
        %c0 = arith.constant 0 : index
        %initial = memref.load %first[%c0] : memref<1x{element}>
        %row = wgtile.step : {of_rows}
        %column = wgtile.step : {of_columns}
        %rows = wgtile.broadcast %row dimension 0 : {of_rows} -> {numbers}
        %columns = wgtile.broadcast %column dimension 1 : {of_columns} -> {numbers}
        %i = arith.extsi %rows : {numbers} to {places}
        %j = arith.extsi %columns : {numbers} to {places}
        %t = wgtile.gather %in[%i, %j : {places}, {places}] : {memory} -> {tile}
        %scan = wgtile.tile_scan {kind} %t from %initial : {tile}, {element}
        %mask = arith.constant dense<true> : {marks}
        wgtile.scatter %scan, %out[%i, %j : {places}, {places}] mask %mask : {tile}, {marks}, {memory}
        %whole = wgtile.tile_reduce {kind} %t : {tile} -> {element}
        memref.store %whole, %all[%c0] : memref<1x{element}>
        gpu.return
      }}""", tmp_path)
    dtype = np.dtype(f"int{element[1:]}")
    given = np.random.default_rng(0).integers(-2**20, 2**20, (rows, columns), dtype)
    out, first, whole = np.zeros_like(given), np.array([7], dtype), np.zeros(1, dtype)
    kernel(1, given, out, first, whole)
    operation = {"addi": np.add, "mins": np.minimum, "maxs": np.maximum}[kind]
    expected = operation.accumulate(np.concatenate([first, given.ravel()]))
    np.testing.assert_array_equal(out.ravel(), expected[:-1])
    assert whole[0] == operation.reduce(given, axis=None)


@pytest.mark.parametrize("share", [0, 3, 10])
def test_lists(emulation_tools, tmp_path, share):
    """Numbers of the elements that are not zero, packed: those of others are not stored."""
    tile, marks, places = (f"tensor<16x16x{element}, {layout_of(2)}>" for element in ("i32", "i1", "i64"))
    kernel = kernel_of_tiles(emulation_tools, f"""
      gpu.func @kernel(%in: memref<16x16xi32>, %list: memref<?xi32>) kernel attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
        %c0 = arith.constant 0 : index
        %none = arith.constant 0 : i32
        %zeros = arith.constant dense<0> : {tile}
        %ones = arith.constant dense<1> : {tile}
        %t = wgtile.read %in[%c0, %c0] in_bounds [true, true] : memref<16x16xi32> -> {tile}
        %mask = arith.cmpi ne, %t, %zeros : {tile}
        %counted = arith.select %mask, %ones, %zeros : {marks}, {tile}
        %before = wgtile.tile_scan addi %counted from %none : {tile}, i32
        %number = wgtile.tile_scan addi %ones from %none : {tile}, i32
        %at = arith.extsi %before : {tile} to {places}
        wgtile.scatter %number, %list[%at : {places}] mask %mask : {tile}, {marks}, memref<?xi32>
        gpu.return
      }}""", tmp_path)
    given = (np.random.default_rng(share).integers(0, 10, (16, 16)) < share).astype(np.int32) * 5
    expected = np.flatnonzero(given)
    listed = np.full(len(expected) + 4, -1, np.int32)
    kernel(1, given, listed)
    np.testing.assert_array_equal(listed, [*expected, -1, -1, -1, -1])
