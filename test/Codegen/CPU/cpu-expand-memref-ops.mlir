// RUN: sparse-opt %s --sattn-cpu-expand-memref-ops --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @copy_of_rows(
// CHECK-SAME:    %[[X:.*]]: memref<4x?xf32, strided<[?, 1]>>, %[[Y:.*]]: memref<4x?xf32>)
// CHECK-NOT:     memref.copy
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%[[Y]] : memref<4x?xf32>)
func.func @copy_of_rows(%x: memref<4x?xf32, strided<[?, 1]>>, %y: memref<4x?xf32>) {
  memref.copy %x, %y : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
  return
}

// These are copied by memcpy.
// CHECK-LABEL: func.func @contiguous(
// CHECK-COUNT-2: memref.copy
func.func @contiguous(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<2x8xf32, strided<[8, 1], offset: ?>>,
                      %w: memref<2x8xf32>) {
  memref.copy %x, %y : memref<?x?xf32> to memref<?x?xf32>
  memref.copy %z, %w : memref<2x8xf32, strided<[8, 1], offset: ?>> to memref<2x8xf32>
  return
}

// The source's stride is that of the last dimension of a group.
// CHECK-LABEL: func.func @expand(
// CHECK-SAME:    %[[X:.*]]: memref<?x4xf32, strided<[?, 1], offset: ?>>, %[[I:.*]]: index, %[[J:.*]]: index)
// CHECK:         %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[X]]
// CHECK:         %[[OUTER:.*]] = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%[[STRIDES]]#0, %[[J]]]
// CHECK-NEXT:    %{{.*}} = memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [%[[I]], %[[J]], 2, 2],
// CHECK-SAME:      strides: [%[[OUTER]], %[[STRIDES]]#0, 2, 1]
func.func @expand(%x: memref<?x4xf32, strided<[?, 1], offset: ?>>, %i: index, %j: index)
    -> memref<?x?x2x2xf32, strided<[?, ?, 2, 1], offset: ?>> {
  %0 = memref.expand_shape %x [[0, 1], [2, 3]] output_shape [%i, %j, 2, 2]
      : memref<?x4xf32, strided<[?, 1], offset: ?>> into memref<?x?x2x2xf32, strided<[?, ?, 2, 1], offset: ?>>
  return %0 : memref<?x?x2x2xf32, strided<[?, ?, 2, 1], offset: ?>>
}

// CHECK-LABEL: func.func @expand_by_one_size(
// CHECK:         memref.expand_shape
func.func @expand_by_one_size(%x: memref<?xf32>, %i: index) -> memref<?x8xf32> {
  %0 = memref.expand_shape %x [[0, 1]] output_shape [%i, 8] : memref<?xf32> into memref<?x8xf32>
  return %0 : memref<?x8xf32>
}
