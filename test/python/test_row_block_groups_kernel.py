"""The kernel that groups block rows with common columns, lowered for a GPU, on the CPU's threads."""

import numpy as np
import pytest
from emulation import kernel_of_program

PROGRAM = """
func.func @f(%crow: tensor<?x{index}>, %col: tensor<?x{index}>, %values: tensor<?x16x16xbf16>, %b: tensor<?x?xbf16>,
             %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {{
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?x{index}>, tensor<?x{index}>, tensor<?x16x16xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) {{meta = #sattn.meta<tile = [{rows}, 64, 16]>}} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}}"""
#: Rows that are grouped with one another, at most, and bits of the mask of a row's columns.
WINDOW, BITS = 64, 256


def groups_of(crow, col, count):
    """(where the blocks of each group begin, its rows): of a window the first row that is left, then those that share the
    most columns with the rows before; a number past the last row where none is left."""
    rows, found = len(crow) - 1, []
    masks = [{column % BITS for column in col[begin:end]} for begin, end in zip(crow, crow[1:])]
    size = WINDOW // count * count
    for first in range(0, rows, size):
        left, place = list(range(first, min(first + size, rows))), crow[first] - crow[0]
        while left:
            group, together = [], set()
            for _ in range(count):
                # The first of the rows that share as many.
                best = max(left, key=lambda row: (len(masks[row] & together), -row), default=None)
                group.append(rows if best is None else best)
                if best is not None:
                    left.remove(best)
                    together |= masks[best]
            found.append((place, *group))
            place += sum(crow[row + 1] - crow[row] for row in group if row < rows)
    return np.array(found)


@pytest.mark.parametrize("index, height, rows, columns", [
    ("i32", 64, 150, 40), ("i32", 64, 61, 700), ("i64", 128, 129, 9), ("i32", 32, 1, 5)])
def test_groups(emulation_tools, tmp_path, index, height, rows, columns):
    """Windows that are whole or cut, columns beyond the mask, and rows without blocks."""
    rng = np.random.default_rng(rows)
    count = height // 16
    listed = [np.sort(rng.choice(columns, rng.integers(0, min(columns, 12)), replace=False)) for _ in range(rows)]
    crow = np.cumsum([0, *map(len, listed)]).astype(f"int{index[1:]}")
    col = np.concatenate([*listed, [0]]).astype(f"int{index[1:]}")[:max(crow[-1], 1)]
    expected = groups_of(crow, col, count)
    windows = -(-rows // (WINDOW // count * count))
    found = np.full((len(expected), 2 + count), -7, np.int32)
    kernel = kernel_of_program(emulation_tools, PROGRAM.format(index=index, rows=height), "f_group", tmp_path)
    kernel(windows, crow, col, found)
    np.testing.assert_array_equal(found[:, [0, *range(2, 2 + count)]], expected)
