"""The counter of tiles (wgtile.for_each_tile), on the CPU: each tile is taken once, and the counter is zero again after it."""

import numpy as np
import pytest
from emulation import kernel_of_tiles

KERNEL = """
  gpu.func @kernel(%rows: index, %columns: index, %counter: memref<?xi32>, %order: memref<?xi32>, %seen: memref<?x?xi32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %tiles = wgtile.ring {offset = 1024 : i64} : !wgtile.ring<2, [i32]>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0 : index
    wgtile.for_each_tile (%i, %j) in (%rows, %columns) iter_args(%stage = %c0, %phase = %c0) -> (i32, i32)
        counter %counter : memref<?xi32> ORDER attributes {persistent = 2 : i64} {
      %odd = arith.remui %i, %columns : index
      %is = arith.cmpi eq, %odd, %zero : index
      %number = scf.if %is -> (i32) {
        %taken = wgtile.next_tile
        scf.yield %taken : i32
      } else {
        %taken = wgtile.next_tile
        scf.yield %taken : i32
      }
      %old = memref.atomic_rmw addi %c1, %seen[%i, %j] : (i32, memref<?x?xi32>) -> i32
      %p = wgtile.producer_acquire %tiles at %stage, %phase : !wgtile.ring<2, [i32]>
      wgtile.ring_store %number, %tiles[%p] 0 : i32, !wgtile.ring<2, [i32]>
      wgtile.producer_commit %tiles[%p] : !wgtile.ring<2, [i32]>
      %c = wgtile.consumer_wait %tiles at %stage, %phase : !wgtile.ring<2, [i32]>
      %next = wgtile.ring_load %tiles[%c] 0 : !wgtile.ring<2, [i32]>
      wgtile.consumer_release %tiles[%c] : !wgtile.ring<2, [i32]>
      %flipped = arith.xori %stage, %c1 : i32
      %turned = arith.xori %phase, %stage : i32
      wgtile.end %next, %flipped, %turned : i32, i32, i32
    }
    gpu.return
  }
"""


@pytest.mark.parametrize("is_sorted", [False, True])
def test_each_tile_is_taken_once(emulation_tools, tmp_path, is_sorted):
    kernel = kernel_of_tiles(emulation_tools, KERNEL.replace("ORDER", "order %order : memref<?xi32>" * is_sorted), tmp_path)
    rng = np.random.default_rng(0)
    counter = np.zeros(1, np.int32)
    for rows, columns, blocks in [(1, 2, 1), (5, 3, 1), (5, 3, 4), (7, 2, 13), (4, 3, 12), (3, 5, 2)]:
        for order in (np.arange(rows, dtype=np.int32), rng.permutation(rows).astype(np.int32)):
            seen = np.zeros((rows, columns), np.int32)
            kernel(blocks, rows, columns, counter, order, seen)
            assert (seen == 32).all()
            # For the next launch, of another kernel maybe.
            assert counter[0] == 0
