// RUN: sparse-opt %s --convert-sattn-plan-to-gpu | FileCheck %s
// RUN: sparse-opt %s --convert-sattn-plan-to-gpu --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=LAUNCH

// CHECK:       gpu.module @kernels
// A mask of the columns of each row of a window.
// CHECK-DAG:     memref.global "private" @masks{{.*}} : memref<64x8xi32, 3> = uninitialized
// The tables of a window: as many columns as fit, a multiple of the threads.
// CHECK-DAG:     memref.global "private" @counters{{.*}} : memref<8x1024xi32, 3> = uninitialized
// CHECK-DAG:     memref.global "private" @counters{{.*}} : memref<32x256xi32, 3> = uninitialized
// All threads mark the columns of the rows.
// CHECK:         gpu.func @row_block_groups_group(
// CHECK-SAME:      kernel attributes {known_block_size = array<i32: 1024, 1, 1>}
// CHECK:           memref.atomic_rmw ori
// CHECK:           gpu.barrier
// One warp makes a row-block group after the other: its place, its first row, and seven
// more with the most columns in common.
// CHECK:           scf.for
// CHECK:             memref.store %{{.*}}, %{{.*}} : memref<?x10xi32>
// CHECK:             llvm.intr.cttz
// CHECK:             memref.store %{{.*}}, %{{.*}} : memref<?x10xi32>
// CHECK-COUNT-7:     nvvm.redux.sync umax
// CHECK:           gpu.return
// CHECK:         gpu.func @row_block_groups_plan(
// CHECK-SAME:      kernel attributes {known_block_size = array<i32: 256, 1, 1>}
// A thread counts the blocks of its share, finds the next window,
// CHECK:           scf.while
// CHECK:             memref.atomic_rmw addi
// CHECK:             memref.atomic_rmw mins
// CHECK:             gpu.barrier
// writes steps that lie inside the memory alone,
// CHECK:             arith.cmpi ult
// CHECK:             memref.store %{{.*}}, %{{.*}} : memref<?x9xi32>
// and the row-block group's two ends.
// CHECK:           memref.store %{{.*}} : memref<?x10xi32>
// CHECK:           memref.store %{{.*}} : memref<?x10xi32>
// CHECK:           gpu.return
// CHECK:         gpu.func @batches_plan(

// LAUNCH-LABEL: func.func @row_block_groups
// LAUNCH:         %[[CROW:.*]] = memref.dim %arg1, %c0
// LAUNCH:         %[[ROWS:.*]] = arith.subi %[[CROW]], %c1
// LAUNCH:         %[[WINDOWS:.*]] = arith.ceildivsi %[[ROWS]], %c64
// LAUNCH:         %[[COUNT:.*]] = memref.dim %{{.*}}, %c0 : memref<?x10xi32>
// LAUNCH:         wgtile.launch @kernels::@row_block_groups_group grid(%[[WINDOWS]]) args(%arg1, %arg2, %arg3) preprocess :
// LAUNCH:         wgtile.launch @kernels::@row_block_groups_plan grid(%[[COUNT]]) args(%arg1, %arg2, %arg3, %arg4, %arg0) preprocess :
// LAUNCH-NOT:     sattn.plan
func.func @row_block_groups(%columns: index,
                  %crow: memref<?xi32, strided<[?], offset: ?>>,
                  %col: memref<?xi32, strided<[?], offset: ?>>,
                  %p: memref<?x10xi32>, %s: memref<?x9xi32>) {
  sattn.plan groups(8) columns(%columns)
      ins(%crow, %col : memref<?xi32, strided<[?], offset: ?>>,
          memref<?xi32, strided<[?], offset: ?>>)
      outs(%p, %s : memref<?x10xi32>, memref<?x9xi32>)
  return
}

// One CTA a row-block group of each batch.
// LAUNCH-LABEL: func.func @batches
// LAUNCH:         %[[C15:.*]] = arith.constant 15 : index
// LAUNCH:         wgtile.launch @kernels::@batches_plan grid(%[[C15]])
func.func @batches(%columns: index, %crow: memref<5x97xi64>,
                   %col: memref<5x?xi64>, %p: memref<5x3x34xi32>,
                   %s: memref<5x?x33xi32>) {
  sattn.plan groups(32) columns(%columns)
      ins(%crow, %col : memref<5x97xi64>, memref<5x?xi64>)
      outs(%p, %s : memref<5x3x34xi32>, memref<5x?x33xi32>)
  return
}
