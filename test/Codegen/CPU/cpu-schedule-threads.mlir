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
