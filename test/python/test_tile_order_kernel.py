"""The order in which a CTA takes sorted tiles (`order` of `wgtile.for_each_tile`), on the CPU's threads."""

import numpy as np
import pytest
from emulation import PIPELINE, SHARED, Kernel, _function, run

# A kernel of one CTA, which writes each tile's indices in the order in which it takes them.
KERNEL = """
      gpu.func @kernel(%planes: index, %rows: index, %columns: index, %counter: memref<?xi32>, %order: memref<?xi32>,
          %out: memref<?x?xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
        %tiles = wgtile.ring {offset = 1024 : i64} : !wgtile.ring<2, [i32]>
        %zero = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %r:3 = wgtile.for_each_tile (%p, %i, %j) in (%planes, %rows, %columns)
            iter_args(%taken = %zero, %stage = %zero, %phase = %zero) -> (i32, i32, i32)
            counter %counter : memref<?xi32> order %order : memref<?xi32> attributes {persistent = 2 : i64} {
          %at = arith.index_cast %taken : i32 to index
          %p32 = arith.index_cast %p : index to i32
          %i32 = arith.index_cast %i : index to i32
          %j32 = arith.index_cast %j : index to i32
          memref.store %p32, %out[%at, %c0] : memref<?x?xi32>
          memref.store %i32, %out[%at, %c1] : memref<?x?xi32>
          memref.store %j32, %out[%at, %c2] : memref<?x?xi32>
          %number = wgtile.next_tile
          %a = wgtile.producer_acquire %tiles at %stage, %phase : !wgtile.ring<2, [i32]>
          wgtile.ring_store %number, %tiles[%a] 0 : i32, !wgtile.ring<2, [i32]>
          wgtile.producer_commit %tiles[%a] : !wgtile.ring<2, [i32]>
          %c = wgtile.consumer_wait %tiles at %stage, %phase : !wgtile.ring<2, [i32]>
          %next = wgtile.ring_load %tiles[%c] 0 : !wgtile.ring<2, [i32]>
          wgtile.consumer_release %tiles[%c] : !wgtile.ring<2, [i32]>
          %more = arith.addi %taken, %one : i32
          %other = arith.xori %stage, %one : i32
          wgtile.end %next, %more, %other, %phase : i32, i32, i32, i32
        }
        gpu.return
      }"""


def expected(planes, rows, columns, order):
    """The first 32nd of each plane, then the rest of each: rows as they are sorted, columns in groups of 2."""
    plane = [(order[place], column) for group in range(0, columns, 2) for place in range(rows)
             for column in range(group, min(group + 2, columns))]
    first = rows * columns // 32
    return [(p, *tile) for part in (plane[:first], plane[first:]) for p in range(planes) for tile in part]


@pytest.mark.parametrize(("planes", "rows", "columns"), [(1, 5, 1), (1, 40, 1), (3, 40, 1), (4, 32, 1), (5, 31, 1), (2, 11, 3),
                                                         (2, 40, 3)])
def test_sorted(emulation_tools, tmp_path, planes, rows, columns):
    # The ring brings shared memory of its own.
    lowered = run(emulation_tools / "sparse-opt", f"--pass-pipeline={PIPELINE}", "-", text=f"gpu.module @kernels {{{KERNEL}\n}}\n")
    kernel = Kernel(SHARED, _function(lowered, "kernel"), tmp_path)
    order = np.random.default_rng(0).permutation(rows)
    out = np.full((planes * rows * columns, 3), -1, np.int32)
    kernel(1, planes, rows, columns, np.zeros(1, np.int32), np.tile(order, planes).astype(np.int32), out)
    assert list(map(tuple, out.tolist())) == [tuple(map(int, tile)) for tile in expected(planes, rows, columns, order)]
