"""Kernels of elementwise ops by themselves, lowered for a GPU, on the CPU's threads: runs of 16 bytes, and vectors beside them."""

import numpy as np
import pytest
from emulation import kernel_of_program

# Rows of a tile (wgtile-tile-linalg).
ROWS = 64


@pytest.mark.share(4)
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


@pytest.mark.parametrize("version", ["f", "f_generic"], ids=["aligned", "generic"])
@pytest.mark.parametrize("rows, columns", [(64, 64), (100, 72)])
def test_places_and_extractions(emulation_tools, tmp_path, version, rows, columns):
    """Elements of tensors at computed places, of the tile, of the batch and of the program."""
    tensor = f"tensor<?x?x{columns}xi32>"
    kernel = kernel_of_program(emulation_tools, f"""
      #bij = affine_map<(b, i, j) -> (b, i, j)>
      func.func @f(%table: tensor<?xi32>, %grid: tensor<?x?xi32>, %shifts: tensor<?xi32>, %numbers: tensor<2xi32>,
                      %out: {tensor}) -> {tensor} {{
        %c1 = arith.constant 1 : index
        %number = tensor.extract %numbers[%c1] : tensor<2xi32>
        %thousands = arith.muli %number, %number : i32
        %0 = linalg.generic {{indexing_maps = [#bij], iterator_types = ["parallel", "parallel", "parallel"]}} outs(%out : {tensor}) {{
        ^bb0(%o: i32):
          %b = linalg.index 0 : index
          %i = linalg.index 1 : index
          %j = linalg.index 2 : index
          %shift = tensor.extract %shifts[%b] : tensor<?xi32>
          %more = arith.index_cast %shift : i32 to index
          %shifted = arith.addi %i, %more : index
          %place = arith.addi %shifted, %j : index
          %entry = tensor.extract %table[%place] : tensor<?xi32>
          %cell = tensor.extract %grid[%shifted, %j] : tensor<?x?xi32>
          %both = arith.addi %entry, %cell : i32
          %column = arith.index_cast %j : index to i32
          %1 = arith.muli %column, %thousands : i32
          %2 = arith.addi %both, %1 : i32
          linalg.yield %2 : i32
        }} -> {tensor}
        return %0 : {tensor}
      }}""", version, tmp_path, "schedule=plain")
    shifts, numbers = np.array([3, 0, 1], np.int32), np.array([7, 100], np.int32)
    # The table ends with the last place: what is read for padding must be in it. A wrong read finds no number of its own.
    memory = np.full(rows + columns + 2 + 4096, -10**9, np.int32)
    table = memory[:rows + columns + 2]
    table[:] = np.random.default_rng(0).permutation(len(table))
    grid = 1000 * np.random.default_rng(1).permutation((rows + 3) * columns).astype(np.int32).reshape(rows + 3, columns)
    whole = np.full((4, rows, columns), -1, np.int32)
    out = whole[:3]
    kernel(3 * -(-rows // ROWS) * -(-columns // ROWS), table, grid, shifts, numbers, out)
    shifted = shifts[:, None, None] + np.arange(rows)[:, None]
    places = shifted + np.arange(columns)
    np.testing.assert_array_equal(out, table[places] + grid[shifted, np.arange(columns)] + 10000 * np.arange(columns))
    assert (whole[3:] == -1).all()
