// RUN: sparse-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync))' | FileCheck %s

// Programs whose synchronization is complete, and pass as they are.

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

// CHECK-LABEL: gpu.func @ring
gpu.module @kernels {
  gpu.func @ring(%map: !map, %zero: !acc, %out: memref<?x?xf32>, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          wgtile.producer_acquire %ring : !ring
          wgtile.tma_load %ring 0, %map[%i, %p] : !ring, !map
          wgtile.tma_load %ring 1, %map[%i, %p] : !ring, !map
          wgtile.producer_commit %ring : !ring
        }
      }
    } consumer 232 {
      wgtile.for_each_tile (%i) in (%m) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          wgtile.consumer_wait %ring : !ring
          %a = wgtile.ring_tile %ring 0 : !ring -> !a
          %b = wgtile.ring_tile %ring 1 : !ring -> !b
          %d = wgtile.mma %a, %b, %acc async : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 1 : !acc
          wgtile.consumer_release %ring held 1 : !ring
          scf.yield %w : !acc
        }
        %w = wgtile.warpgroup_mma_wait %r pending 0 : !acc
        wgtile.consumer_release %ring held 0 : !ring
        wgtile.store %w, %out[%i, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

// Iterations without an MMA: the consumers pass over their stages, and give them
// back before the ring runs out of them. The loops' first value runs through the
// range of the producer's loop.
// CHECK-LABEL: gpu.func @skipping
gpu.module @kernels {
  gpu.func @skipping(%map: !map, %zero: !acc, %out: memref<?x?xf32>, %m: index, %n: index, %present: memref<?xi1>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %yes = memref.load %present[%p] : memref<?xi1>
          wgtile.producer_acquire %ring : !ring
          wgtile.tma_load %ring 0, %map[%i, %p] : !ring, !map
          scf.if %yes {
            wgtile.tma_load %ring 1, %map[%i, %p] : !ring, !map
          }
          wgtile.producer_commit %ring : !ring
        }
      }
    } consumer 232 {
      wgtile.for_each_tile (%i) in (%m) {
        %no = arith.constant false
        %true = arith.constant true
        %r:3 = scf.while (%s = %c0, %yes = %no, %acc = %zero) : (index, i1, !acc) -> (index, i1, !acc) {
          %t:3 = scf.while (%u = %s, %y = %yes, %a = %acc) : (index, i1, !acc) -> (index, i1, !acc) {
            %absent = arith.xori %y, %true : i1
            %inside = arith.cmpi slt, %u, %n : index
            %skips = arith.andi %inside, %absent : i1
            scf.condition(%skips) %u, %y, %a : index, i1, !acc
          } do {
          ^bb0(%u: index, %y: i1, %a: !acc):
            %next = arith.addi %u, %c1 : index
            %ynext = memref.load %present[%next] : memref<?xi1>
            wgtile.consumer_wait %ring : !ring
            %w = wgtile.consumer_drain %ring, %a held 1 : !ring, !acc
            scf.yield %next, %ynext, %w : index, i1, !acc
          }
          %inside = arith.cmpi slt, %t#0, %n : index
          scf.condition(%inside) %t#0, %t#1, %t#2 : index, i1, !acc
        } do {
        ^bb0(%s: index, %yes: i1, %acc: !acc):
          %next = arith.addi %s, %c1 : index
          %ynext = memref.load %present[%next] : memref<?xi1>
          wgtile.consumer_wait %ring : !ring
          %a = wgtile.ring_tile %ring 0 : !ring -> !a
          %b = wgtile.ring_tile %ring 1 : !ring -> !b
          %d = wgtile.mma %a, %b, %acc async : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 1 : !acc
          wgtile.consumer_release %ring held 1 : !ring
          scf.yield %next, %ynext, %w : index, i1, !acc
        }
        %w = wgtile.warpgroup_mma_wait %r#2 pending 0 : !acc
        wgtile.consumer_release %ring held 0 : !ring
        wgtile.store %w, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], instances = [2]>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

// Two groups of consumers, each with an instance of its own, which take the same
// stages; the index of a group's tile is twice the producer's, and one more.
// CHECK-LABEL: gpu.func @groups
gpu.module @kernels {
  gpu.func @groups(%map: !map, %zero: !acc, %b: !a, %out: memref<?x?xf32>, %m: index, %lengths: memref<?xindex>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 8 : !ring
    wgtile.roles producer 56 {
      %half = affine.apply affine_map<()[s0] -> (s0 ceildiv 2)>()[%m]
      wgtile.for_each_tile (%q) in (%half) {
        %j = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%q)
        %n = memref.load %lengths[%q] : memref<?xindex>
        scf.for %p = %c0 to %n step %c1 {
          wgtile.producer_acquire %ring : !ring
          wgtile.tma_load %ring 0, %map[%q, %p] : !ring, !map
          wgtile.tma_load %ring 0 instance 1, %map[%j, %p] : !ring, !map
          wgtile.producer_commit %ring : !ring
        }
      }
    } consumer 224 groups 2 {
      wgtile.for_each_tile (%i) in (%m) attributes {consumer_groups = array<i64: 2>} {
        %q = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%i)
        %g = affine.apply affine_map<(d0) -> (d0 mod 2)>(%i)
        %n = memref.load %lengths[%q] : memref<?xindex>
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          wgtile.consumer_wait %ring : !ring
          %a = wgtile.ring_tile %ring 0 instance %g : !ring -> !a
          %d = wgtile.mma %a, %b, %acc async : !a, !a -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %ring held 0 : !ring
          scf.yield %w : !acc
        }
        wgtile.store %r, %out[%i, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
      }
    }
    gpu.return
  }
}

// -----

!s = !wgtile.shared<64x64xbf16, swizzle = 128>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// CHECK-LABEL: gpu.func @staged
gpu.module @kernels {
  gpu.func @staged(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s0 = wgtile.staging : !s
    %s1 = wgtile.staging : !s
    scf.for %i = %c0 to %n step %c1 {
      wgtile.tma_store_wait pending 1 read
      wgtile.named_barrier
      wgtile.store_shared %t, %s0 : !t, !s
      wgtile.fence_proxy_async
      wgtile.named_barrier
      wgtile.tma_store %s0, %map[%i, %c0] warpgroups 1 : !s, !map
      wgtile.tma_store_wait pending 1 read
      wgtile.named_barrier
      wgtile.store_shared %t, %s1 : !t, !s
      wgtile.fence_proxy_async
      wgtile.named_barrier
      wgtile.tma_store %s1, %map[%i, %c1] warpgroups 1 : !s, !map
    }
    wgtile.tma_store_wait pending 0
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

// Loads and products that wait.
// CHECK-LABEL: gpu.func @plain
gpu.module @kernels {
  gpu.func @plain(%map: !ma, %zero: !acc, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
      %a = wgtile.load %map[%c0, %p] : !ma -> !a
      %b = wgtile.load %map[%p, %c0] : !ma -> !b
      %d = wgtile.mma %a, %b, %acc : !a, !b -> !acc
      scf.yield %d : !acc
    }
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

!v = !wgtile.shared<128x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!left = tensor<64x128xbf16, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<128x128xbf16, swizzle = 128>]>

// Registers that products read: of the turn before, kept to the end of the turn,
// and of no turn, kept over the loop.
// CHECK-LABEL: gpu.func @register_operands
gpu.module @kernels {
  gpu.func @register_operands(%v: !v, %zero: !acc, %t0: !left, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %q = arith.negf %t0 : !left
    %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero, %t = %t0) -> (!acc, !left) {
      %s = wgtile.mma %q, %v, %zero async : !left, !v -> !acc
      %d = wgtile.mma %t, %v, %acc async : !left, !v -> !acc
      %w = wgtile.warpgroup_mma_wait %s pending 1 : !acc
      %next = arith.truncf %w : !acc to !left
      %kept = wgtile.warpgroup_mma_wait %t pending 0 : !left
      scf.yield %d, %next : !acc, !left
    }
    %w:2 = wgtile.warpgroup_mma_wait %r#0, %q pending 0 : !acc, !left
    wgtile.store %w#0, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    %e = arith.negf %w#1 : !left
    gpu.return
  }
}

// -----

// The work-tile pipeline.
// CHECK-LABEL: gpu.func @queue
gpu.module @kernels {
  gpu.func @queue(%m: index, %counter: memref<?xi32>) kernel {
    wgtile.roles producer 56 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        wgtile.work_tile_acquire
        wgtile.work_tile_write
        wgtile.work_tile_commit
      }
    } consumer 232 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        wgtile.work_tile_wait
        wgtile.work_tile_read
        wgtile.work_tile_release
      }
    }
    gpu.return
  }
}
