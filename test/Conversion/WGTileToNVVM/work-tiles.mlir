// RUN: sparse-opt %s --split-input-file --convert-wgtile-to-nvvm --canonicalize --cse | FileCheck %s

// Two numbers of 4 bytes at the queue's place, then the full barriers, then the
// empty ones, which every warp that consumes arrives at. The phase of a full
// barrier is that of the round, two turns each; of an empty one the other, since in
// the first round nothing has to be read.
// CHECK-LABEL: gpu.func @queue
// CHECK-DAG:     %[[WARPS:.*]] = arith.constant 4 : i32
// CHECK-DAG:     %[[FULL0:.*]] = llvm.getelementptr %{{.*}}[1032]
// CHECK-DAG:     nvvm.mbarrier.init %[[FULL0]], %{{.*}}
// CHECK-DAG:     %[[EMPTY0:.*]] = llvm.getelementptr %{{.*}}[1048]
// CHECK-DAG:     nvvm.mbarrier.init %[[EMPTY0]], %[[WARPS]]
// The producer: the counter is asked at the turn's start.
// CHECK:         scf.while
// CHECK:           llvm.atomicrmw add
// CHECK:           %[[EMPTY:.*]] = arith.addi %{{.*}}, %c1048_i32 : i32
// CHECK:           llvm.getelementptr %{{.*}}[%[[EMPTY]]]
// CHECK:           arith.xori
// CHECK:           nvvm.mbarrier.try_wait.parity
// CHECK:           llvm.store %[[NEXT:.*]], %{{.*}} : i32
// CHECK:           %[[FULL:.*]] = arith.addi %{{.*}}, %c1032_i32 : i32
// CHECK:           mbarrier.arrive
// CHECK:           scf.yield %[[NEXT]], %{{.*}} : i32, i32
// The consumers.
// CHECK:         scf.while
// CHECK:           arith.addi %{{.*}}, %c1032_i32 : i32
// CHECK:           nvvm.mbarrier.try_wait.parity
// CHECK:           %[[NUMBER:.*]] = llvm.load volatile
// CHECK:           %[[UNIFORM:.*]] = nvvm.shfl.sync  idx %{{.*}}, %[[NUMBER]]
// CHECK:           arith.addi %{{.*}}, %c1048_i32 : i32
// CHECK:           mbarrier.arrive
// CHECK:           scf.yield %[[UNIFORM]], %{{.*}} : i32, i32
gpu.module @kernels {
  gpu.func @queue(%n: index, %counter: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    wgtile.roles producer warps 4 registers 0 {
      wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<?xi32>
          attributes {persistent = 4 : i64, work_tiles = 1024 : i64} {
        wgtile.work_tile_acquire
        wgtile.work_tile_write
        wgtile.work_tile_commit
      }
    }, consumer warps 4 registers 0 consumer_groups 1 {
      wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<?xi32>
          attributes {persistent = 4 : i64, work_tiles = 1024 : i64} {
        wgtile.work_tile_wait
        wgtile.work_tile_read
        wgtile.work_tile_release
      }
    }
    gpu.return
  }
}
