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
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %filled = wgtile.producer_acquire %ring : !ring
          wgtile.tma_load %ring[%filled] 0, %map[%i, %p] : !ring, !map
          wgtile.tma_load %ring[%filled] 1, %map[%i, %p] : !ring, !map
          wgtile.producer_commit %ring[%filled] : !ring
        }
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %none = wgtile.no_stage
        %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero, %prev = %none) -> (!acc, !wgtile.token) {
          %full = wgtile.consumer_wait %ring : !ring
          %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
          %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 1 : !acc
          wgtile.consumer_release %ring[%prev] : !ring
          scf.yield %w, %full : !acc, !wgtile.token
        }
        %w = wgtile.warpgroup_mma_wait %r#0 pending 0 : !acc
        wgtile.consumer_release %ring[%r#1] : !ring
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
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %yes = memref.load %present[%p] : memref<?xi1>
          %filled = wgtile.producer_acquire %ring : !ring
          wgtile.tma_load %ring[%filled] 0, %map[%i, %p] : !ring, !map
          scf.if %yes {
            wgtile.tma_load %ring[%filled] 1, %map[%i, %p] : !ring, !map
          }
          wgtile.producer_commit %ring[%filled] : !ring
        }
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %no = arith.constant false
        %true = arith.constant true
        %none = wgtile.no_stage
        %r:4 = scf.while (%s = %c0, %yes = %no, %last = %none, %acc = %zero) : (index, i1, !wgtile.token, !acc) -> (index, i1, !wgtile.token, !acc) {
          %t:4 = scf.while (%u = %s, %y = %yes, %l = %last, %a = %acc) : (index, i1, !wgtile.token, !acc) -> (index, i1, !wgtile.token, !acc) {
            %absent = arith.xori %y, %true : i1
            %inside = arith.cmpi slt, %u, %n : index
            %skips = arith.andi %inside, %absent : i1
            scf.condition(%skips) %u, %y, %l, %a : index, i1, !wgtile.token, !acc
          } do {
          ^bb0(%u: index, %y: i1, %l: !wgtile.token, %a: !acc):
            %next = arith.addi %u, %c1 : index
            %ynext = memref.load %present[%next] : memref<?xi1>
            %passed = wgtile.consumer_wait %ring : !ring
            wgtile.consumer_release %ring[%passed] : !ring
            %w = wgtile.consumer_drain %ring[%l], %a : !ring, !acc
            scf.yield %next, %ynext, %none, %w : index, i1, !wgtile.token, !acc
          }
          %inside = arith.cmpi slt, %t#0, %n : index
          scf.condition(%inside) %t#0, %t#1, %t#2, %t#3 : index, i1, !wgtile.token, !acc
        } do {
        ^bb0(%s: index, %yes: i1, %last: !wgtile.token, %acc: !acc):
          %next = arith.addi %s, %c1 : index
          %ynext = memref.load %present[%next] : memref<?xi1>
          %full = wgtile.consumer_wait %ring : !ring
          %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
          %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 1 : !acc
          wgtile.consumer_release %ring[%last] : !ring
          scf.yield %next, %ynext, %full, %w : index, i1, !wgtile.token, !acc
        }
        %w = wgtile.warpgroup_mma_wait %r#3 pending 0 : !acc
        wgtile.consumer_release %ring[%r#2] : !ring
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
    wgtile.roles producer warps 4 registers 56 {
      %half = affine.apply affine_map<()[s0] -> (s0 ceildiv 2)>()[%m]
      wgtile.for_each_tile (%q) in (%half) {
        %j = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%q)
        %n = memref.load %lengths[%q] : memref<?xindex>
        scf.for %p = %c0 to %n step %c1 {
          %filled = wgtile.producer_acquire %ring : !ring
          wgtile.tma_load %ring[%filled] 0, %map[%q, %p] : !ring, !map
          wgtile.tma_load %ring[%filled] 0 instance 1, %map[%j, %p] : !ring, !map
          wgtile.producer_commit %ring[%filled] : !ring
        }
      }
    }, consumer warps 8 registers 224 consumer_groups 2 {
      wgtile.for_each_tile (%i) in (%m) attributes {consumer_groups = array<i64: 2>} {
        %q = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%i)
        %g = affine.apply affine_map<(d0) -> (d0 mod 2)>(%i)
        %n = memref.load %lengths[%q] : memref<?xindex>
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %full = wgtile.consumer_wait %ring : !ring
          %a = wgtile.ring_tile %ring[%full] 0 instance %g : !ring -> !a
          %d = wgtile.mma_async %a, %b, %acc : !a, !a -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %ring[%full] : !ring
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

!staging = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!words = !wgtile.ring<1, [!wgtile.shared<64x32xf32, swizzle = 128>], warpgroups = 1>

// CHECK-LABEL: gpu.func @staged
gpu.module @kernels {
  gpu.func @staged(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring : !staging
    scf.for %i = %c0 to %n step %c1 {
      %s = wgtile.producer_acquire %ring : !staging
      wgtile.named_barrier
      wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
      wgtile.fence_proxy_async
      wgtile.named_barrier
      wgtile.tma_store %ring[%s] 0, %map[%i, %c0] warpgroups 1 : !staging, !map
      wgtile.producer_commit %ring[%s] : !staging
    }
    wgtile.producer_tail %ring : !staging
    gpu.return
  }

  // Stores in a branch, beside those of another ring: each acquire waits for all
  // copies but the newest ones, whatever came before it.
  // CHECK-LABEL: gpu.func @staged_branch
  gpu.func @staged_branch(%map: !map, %words: !wgtile.tensor_map<64x32xf32, swizzle = 128>,
                          %t: !t, %w: tensor<64x32xf32, #wgtile.mma<warps = 4>>,
                          %n: index, %yes: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring : !staging
    %other = wgtile.ring : !words
    scf.for %i = %c0 to %n step %c1 {
      scf.if %yes {
        %s = wgtile.producer_acquire %ring : !staging
        wgtile.named_barrier
        wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %ring[%s] 0, %map[%i, %c0] warpgroups 1 : !staging, !map
        wgtile.producer_commit %ring[%s] : !staging
      }
      %o = wgtile.producer_acquire %other : !words
      wgtile.named_barrier
      wgtile.ring_store %w, %other[%o] 0
          : tensor<64x32xf32, #wgtile.mma<warps = 4>>, !words
      wgtile.fence_proxy_async
      wgtile.named_barrier
      wgtile.tma_store %other[%o] 0, %words[%i, %c0] warpgroups 1
          : !words, !wgtile.tensor_map<64x32xf32, swizzle = 128>
      wgtile.producer_commit %other[%o] : !words
    }
    wgtile.producer_tail %ring : !staging
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
      %s = wgtile.mma_async %q, %v, %zero : !left, !v -> !acc
      %d = wgtile.mma_async %t, %v, %acc : !left, !v -> !acc
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

!tiles = !wgtile.ring<2, [i32]>

// A ring of tiles' numbers.
// CHECK-LABEL: gpu.func @numbers
gpu.module @kernels {
  gpu.func @numbers(%m: index, %counter: memref<?xi32>) kernel {
    %tiles = wgtile.ring warps 4 : !tiles
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.producer_acquire %tiles : !tiles
        wgtile.ring_store %next, %tiles[%p] 0 : i32, !tiles
        wgtile.producer_commit %tiles[%p] : !tiles
        wgtile.end %next : i32
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i, %j) in (%m, %m) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %c = wgtile.consumer_wait %tiles : !tiles
        %next = wgtile.ring_load %tiles[%c] 0 : !tiles
        wgtile.consumer_release %tiles[%c] : !tiles
        wgtile.end %next : i32
      }
    }
    gpu.return
  }
}

// -----

!s = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// Two producers, each with a ring of its own, in the order in which the consumers
// take their stages or not; stages are given back in any order.
// CHECK-LABEL: gpu.func @two_producers
gpu.module @kernels {
  gpu.func @two_producers(%map: !map, %zero: !acc, %out: memref<?x?xf32>, %n: index)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %left = wgtile.ring warps 4 : !ring
    %right = wgtile.ring warps 4 : !ring
    wgtile.roles left warps 1 registers 0 {
      scf.for %p = %c0 to %n step %c1 {
        %filled = wgtile.producer_acquire %left : !ring
        wgtile.tma_load %left[%filled] 0, %map[%c0, %p] : !ring, !map
        wgtile.producer_commit %left[%filled] : !ring
      }
    }, right warps 3 registers 0 {
      scf.for %p = %c0 to %n step %c1 {
        %filled = wgtile.producer_acquire %right : !ring
        wgtile.tma_load %right[%filled] 0, %map[%p, %c0] : !ring, !map
        wgtile.producer_commit %right[%filled] : !ring
      }
    }, consumer warps 4 registers 0 consumer_groups 1 {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %l = wgtile.consumer_wait %left : !ring
        %r = wgtile.consumer_wait %right : !ring
        %a = wgtile.ring_tile %left[%l] 0 : !ring -> !s
        %b = wgtile.ring_tile %right[%r] 0 : !ring -> !s
        %d = wgtile.mma %a, %b, %acc : !s, !s -> !acc
        wgtile.consumer_release %right[%r] : !ring
        wgtile.consumer_release %left[%l] : !ring
        scf.yield %d : !acc
      }
      wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

// What loops in step carry is equal if it begins so and an iteration keeps it
// so, whatever else they carry: the inner loops have the same ranges. What a
// loop without stages gives is equal for the same reason.
// CHECK-LABEL: gpu.func @carried_range
gpu.module @kernels {
  gpu.func @carried_range(%map: !map, %m: index, %n: index, %lengths: memref<?xindex>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %r = %c0 to %n step %c1 iter_args(%x = %c1) -> (index) {
          %y = scf.for %s = %c0 to %x step %c1 iter_args(%sum = %c0) -> (index) {
            %l = memref.load %lengths[%s] : memref<?xindex>
            %next = arith.addi %sum, %l : index
            scf.yield %next : index
          }
          scf.for %p = %c0 to %y step %c1 {
            %filled = wgtile.producer_acquire %ring : !ring
            wgtile.tma_load %ring[%filled] 0, %map[%i, %p] : !ring, !map
            wgtile.producer_commit %ring[%filled] : !ring
          }
          scf.yield %y : index
        }
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %r = %c0 to %n step %c1 iter_args(%other = %c1, %x = %c1) -> (index, index) {
          %y = scf.for %s = %c0 to %x step %c1 iter_args(%sum = %c0) -> (index) {
            %l = memref.load %lengths[%s] : memref<?xindex>
            %next = arith.addi %sum, %l : index
            scf.yield %next : index
          }
          scf.for %p = %c0 to %y step %c1 {
            %full = wgtile.consumer_wait %ring : !ring
            wgtile.consumer_release %ring[%full] : !ring
          }
          %double = arith.addi %other, %other : index
          scf.yield %double, %y : index, index
        }
      }
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], instances = [2]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// One of two instances, the second of which only some of the tiles have.
// CHECK-LABEL: gpu.func @choice
gpu.module @kernels {
  gpu.func @choice(%map: !map, %m: index, %u: index, %v: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %filled = wgtile.producer_acquire %ring : !ring
        wgtile.tma_load %ring[%filled] 0, %map[%u, %c0] : !ring, !map
        %other = arith.cmpi ne, %u, %v : index
        scf.if %other {
          wgtile.tma_load %ring[%filled] 0 instance 1, %map[%v, %c0] : !ring, !map
        }
        wgtile.producer_commit %ring[%filled] : !ring
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %full = wgtile.consumer_wait %ring : !ring
        %same = arith.cmpi eq, %u, %v : index
        %which = arith.select %same, %c0, %c1 : index
        %a = wgtile.ring_tile %ring[%full] 0 instance %which : !ring -> !a
        %t = wgtile.read_shared %a : !a -> !t
        wgtile.fence_proxy_async
        wgtile.warp_barrier
        wgtile.consumer_release %ring[%full] : !ring
      }
    }
    gpu.return
  }
}
