// RUN: sparse-opt %s --sattn-cpu-drop-results | FileCheck %s

// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %{{.*}}: memref<?xf32>) {
// CHECK:         return{{$}}
func.func @in_place(%a: memref<?xf32>) -> memref<?xf32> {
  return %a : memref<?xf32>
}

// Only the result that the caller has goes away.
// CHECK-LABEL: func.func @one_of_two(
// CHECK-SAME:    -> memref<4xf32> {
// CHECK:         return %{{.*}} : memref<4xf32>
func.func @one_of_two(%a: memref<4xf32>) -> (memref<?xf32>, memref<4xf32>) {
  %b = memref.cast %a : memref<4xf32> to memref<?xf32>
  %c = memref.alloc() : memref<4xf32>
  return %b, %c : memref<?xf32>, memref<4xf32>
}

// Somebody in the module reads the result.
// CHECK-LABEL: func.func @called(
// CHECK-SAME:    -> memref<?xf32>
func.func @called(%a: memref<?xf32>) -> memref<?xf32> {
  return %a : memref<?xf32>
}
func.func @caller(%a: memref<?xf32>) {
  %0 = call @called(%a) : (memref<?xf32>) -> memref<?xf32>
  return
}

// CHECK: func.func private @external(memref<?xf32>) -> memref<?xf32>
func.func private @external(memref<?xf32>) -> memref<?xf32>
