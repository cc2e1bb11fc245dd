// RUN: sparse-opt %s --sattn-cpu-record-threads | FileCheck %s

// CHECK-LABEL: func.func @two
// CHECK-SAME:    attributes {sattn.loop_threads = array<i64: 0, 2>}
func.func @two(%a: memref<8xf32>, %x: f32) {
  scf.forall (%i) in (8) {
    memref.store %x, %a[%i] : memref<8xf32>
  }
  scf.forall (%i) in (8) {
    memref.store %x, %a[%i] : memref<8xf32>
  } {sattn.threads = 2 : i64}
  return
}

// CHECK-LABEL: func.func @any
// CHECK-NOT:     sattn.loop_threads
func.func @any(%a: memref<8xf32>, %x: f32) {
  scf.forall (%i) in (8) {
    memref.store %x, %a[%i] : memref<8xf32>
  }
  return
}
