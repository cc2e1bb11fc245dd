// RUN: sparse-opt %s --sattn-cpu-schedule-threads | FileCheck %s

// CHECK-LABEL: func.func @unequal
// CHECK:         omp.wsloop schedule(dynamic) {
func.func @unequal(%n: index, %a: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        memref.store %x, %a[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// A schedule that is there stays.
// CHECK-LABEL: func.func @chosen
// CHECK:         omp.wsloop schedule(static) {
func.func @chosen(%n: index, %a: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  omp.parallel {
    omp.wsloop schedule(static) {
      omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
        memref.store %x, %a[%i] : memref<?xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// A region gets the most threads of its loop.
// CHECK-LABEL: func.func @few
// CHECK-NOT:     sattn.loop_threads
// CHECK:         omp.parallel {
// CHECK:         %[[TWO:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK:         omp.parallel num_threads(%[[TWO]] : i32) {
func.func @few() attributes {sattn.loop_threads = array<i64: 0, 2>} {
  omp.parallel {
    omp.terminator
  }
  omp.parallel {
    omp.terminator
  }
  return
}
