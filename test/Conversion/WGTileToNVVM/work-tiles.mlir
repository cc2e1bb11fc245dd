// RUN: sparse-opt %s --split-input-file --convert-wgtile-to-nvvm --canonicalize --cse | FileCheck %s

// Two numbers of 4 bytes at the ring's place; its full barriers, then the empty ones,
// which every warp that consumes arrives at. The phase of an empty barrier is the
// other one, since in the first round nothing has to be read.
// CHECK-LABEL: gpu.func @numbers
// CHECK-DAG:     %[[WARPS:.*]] = arith.constant 4 : i32
// CHECK-DAG:     %[[FULL0:.*]] = llvm.getelementptr %{{.*}}[1032]
// CHECK-DAG:     nvvm.mbarrier.init %[[FULL0]], %{{.*}}
// CHECK-DAG:     %[[EMPTY0:.*]] = llvm.getelementptr %{{.*}}[1048]
// CHECK-DAG:     nvvm.mbarrier.init %[[EMPTY0]], %[[WARPS]]
// The producer: the counter is asked where the number is taken. It becomes 0 with the
// last of as many questions as there are tiles.
// CHECK:         %[[TOTAL:.*]] = arith.muli %[[N:.*]], %[[N]] : i32
// CHECK:         %[[LAST:.*]] = arith.subi %[[TOTAL]], %c1_i32 : i32
// CHECK:         scf.while
// CHECK:           llvm.atomicrmw uinc_wrap %{{.*}}, %[[LAST]] syncscope("device") monotonic
// CHECK:           %[[PHASE:.*]] = arith.xori %{{.*}}, %c1_i32
// CHECK:           %[[EMPTY:.*]] = arith.addi %{{.*}}, %c1048_i32 : i32
// CHECK:           %[[BARRIER:.*]] = llvm.getelementptr %{{.*}}[%[[EMPTY]]]
// CHECK:           nvvm.mbarrier.try_wait.parity %[[BARRIER]], %[[PHASE]]
// CHECK:           %[[OFFSET:.*]] = arith.addi %{{.*}}, %c1024_i32
// CHECK:           %[[ADDRESS:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]]
// CHECK:           llvm.store %[[NEXT:.*]], %[[ADDRESS]] : i32
// CHECK:           %[[FULL:.*]] = arith.addi %{{.*}}, %c1032_i32 : i32
// CHECK:           mbarrier.arrive
// CHECK:           scf.yield %[[NEXT]], %{{.*}} : i32, i32, i32
// The consumers.
// CHECK:         scf.while
// CHECK:           arith.addi %{{.*}}, %c1032_i32 : i32
// CHECK:           nvvm.mbarrier.try_wait.parity
// CHECK:           %[[NUMBER:.*]] = llvm.load volatile
// CHECK:           %[[UNIFORM:.*]] = nvvm.shfl.sync  idx %{{.*}}, %[[NUMBER]]
// CHECK:           arith.addi %{{.*}}, %c1048_i32 : i32
// CHECK:           mbarrier.arrive
// CHECK:           scf.yield %[[UNIFORM]], %{{.*}} : i32, i32, i32
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @numbers(%n: index, %counter: memref<?xi32>, %first: i32, %second: i32) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %tiles = wgtile.ring warps 4 {offset = 1024 : i64, barriers = 1032 : i64} : !tiles
    wgtile.roles producer warps 4 registers 0 {
      wgtile.for_each_tile (%i, %j) in (%n, %n) iter_args(%stage = %first, %phase = %second) -> (i32, i32)
          counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = wgtile.next_tile
        %p = wgtile.producer_acquire %tiles at %stage, %phase : !tiles
        wgtile.ring_store %next, %tiles[%p] 0 : i32, !tiles
        wgtile.producer_commit %tiles[%p] : !tiles
        wgtile.end %next, %phase, %stage : i32, i32, i32
      }
    }, consumer warps 4 registers 0 consumer_groups 1 {
      wgtile.for_each_tile (%i, %j) in (%n, %n) iter_args(%stage = %first, %phase = %second) -> (i32, i32)
          counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %c = wgtile.consumer_wait %tiles at %stage, %phase : !tiles
        %next = wgtile.ring_load %tiles[%c] 0 : !tiles
        wgtile.consumer_release %tiles[%c] : !tiles
        wgtile.end %next, %phase, %stage : i32, i32, i32
      }
    }
    gpu.return
  }
}

// -----

// Without roles the first thread takes the number, and tells the others before a
// barrier of the block.
// CHECK-LABEL: gpu.func @all_threads
// CHECK-NOT:     nvvm.mbarrier.init
// CHECK:         scf.while
// CHECK:           %[[NUMBER:.*]] = scf.if
// CHECK:             llvm.atomicrmw uinc_wrap
// CHECK:           scf.if
// CHECK:             llvm.store %[[NUMBER]], %{{.*}} : i32
// CHECK:           gpu.barrier
// CHECK:           %[[NEXT:.*]] = llvm.load volatile
// CHECK-NOT:       nvvm.shfl
// CHECK:           scf.yield %[[NEXT]]
!tiles = !wgtile.ring<2, [i32]>
gpu.module @kernels {
  gpu.func @all_threads(%n: index, %counter: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %tiles = wgtile.ring {offset = 1024 : i64} : !tiles
    %c0 = arith.constant 0 : i32
    wgtile.for_each_tile (%i, %j) in (%n, %n) iter_args(%stage = %c0, %phase = %c0) -> (i32, i32)
        counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
      %number = wgtile.next_tile
      %p = wgtile.producer_acquire %tiles at %stage, %phase : !tiles
      wgtile.ring_store %number, %tiles[%p] 0 : i32, !tiles
      wgtile.producer_commit %tiles[%p] : !tiles
      %c = wgtile.consumer_wait %tiles at %stage, %phase : !tiles
      %next = wgtile.ring_load %tiles[%c] 0 : !tiles
      wgtile.consumer_release %tiles[%c] : !tiles
      wgtile.end %next, %phase, %stage : i32, i32, i32
    }
    gpu.return
  }
}

// -----

// A role may take the next tile's number in a branch.

// CHECK-LABEL: gpu.func @branches
// CHECK:       scf.while
// CHECK:         %[[NEXT:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK:           llvm.atomicrmw uinc_wrap
// CHECK:         } else {
// CHECK:           llvm.atomicrmw uinc_wrap
// CHECK:         }
// CHECK:         scf.yield %[[NEXT]] : i32
gpu.module @kernels {
  gpu.func @branches(%n: index, %counter: memref<?xi32>, %is: i1) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    wgtile.roles producer warps 4 registers 0 {
      wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
        %next = scf.if %is -> (i32) {
          %number = wgtile.next_tile
          scf.yield %number : i32
        } else {
          %number = wgtile.next_tile
          scf.yield %number : i32
        }
        wgtile.end %next : i32
      }
    }
    gpu.return
  }
}
