// RUN: sparse-opt %s --sattn-cpu-version-strides | FileCheck %s

// CHECK-LABEL: func.func @read
// CHECK-SAME:    %[[B:.*]]: memref<64x?xbf16, strided<[?, ?], offset: ?>>
// CHECK:         %{{.*}}, %[[OFFSET:.*]], %[[SIZES:.*]]:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[B]]
// CHECK:         %[[DENSE:.*]] = arith.cmpi eq, %[[STRIDES]]#1, %c1
// CHECK:         %[[R:.*]] = scf.if %[[DENSE]] -> (vector<64xbf16>) {
// CHECK:           %[[C:.*]] = memref.reinterpret_cast %[[B]] to offset: [%[[OFFSET]]], sizes: [64, %[[SIZES]]#1], strides: [%[[STRIDES]]#0, 1]
// CHECK:           vector.transfer_read %[[C]]{{.*}} : memref<64x?xbf16, strided<[?, 1], offset: ?>>, vector<64xbf16>
// CHECK:         } else {
// CHECK:           vector.transfer_read %[[B]]{{.*}} : memref<64x?xbf16, strided<[?, ?], offset: ?>>, vector<64xbf16>
// CHECK:         return %[[R]]
func.func @read(%b: memref<64x?xbf16, strided<[?, ?], offset: ?>>, %i: index, %j: index) -> vector<64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %v = vector.transfer_read %b[%i, %j], %zero
      : memref<64x?xbf16, strided<[?, ?], offset: ?>>, vector<64xbf16>
  return %v : vector<64xbf16>
}

// The mask stays.
// CHECK-LABEL: func.func @masked_write
// CHECK:         scf.if
// CHECK:           vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}], %[[MASK:.*]] : vector<8xf32>, memref<?xf32, strided<[1], offset: ?>>
// CHECK:         } else {
// CHECK:           vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}], %[[MASK]] : vector<8xf32>, memref<?xf32, strided<[?], offset: ?>>
func.func @masked_write(%v: vector<8xf32>, %mask: vector<8xi1>, %b: memref<?xf32, strided<[?], offset: ?>>, %i: index) {
  vector.transfer_write %v, %b[%i], %mask : vector<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  return
}

// Several rows have one stride.
// CHECK-LABEL: func.func @square
// CHECK:         scf.if
// CHECK:           vector.transfer_read {{.*}} : memref<?x?xf32, strided<[?, 1], offset: ?>>, vector<16x16xf32>
// CHECK:         } else {
// CHECK:           vector.transfer_read {{.*}} : memref<?x?xf32, strided<[?, ?], offset: ?>>, vector<16x16xf32>
func.func @square(%b: memref<?x?xf32, strided<[?, ?], offset: ?>>, %i: index) -> vector<16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %b[%i, %i], %zero {in_bounds = [true, true]}
      : memref<?x?xf32, strided<[?, ?], offset: ?>>, vector<16x16xf32>
  return %v : vector<16x16xf32>
}

// Known strides, and reads of one element, need no question.
// CHECK-LABEL: func.func @known
// CHECK-NOT:     scf.if
func.func @known(%a: memref<?x?xf32>, %b: memref<?xf32, strided<[?], offset: ?>>, %i: index)
    -> (vector<8xf32>, vector<1xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = vector.transfer_read %a[%i, %i], %zero : memref<?x?xf32>, vector<8xf32>
  %1 = vector.transfer_read %b[%i], %zero : memref<?xf32, strided<[?], offset: ?>>, vector<1xf32>
  return %0, %1 : vector<8xf32>, vector<1xf32>
}
