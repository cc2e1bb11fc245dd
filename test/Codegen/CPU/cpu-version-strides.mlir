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

// The mask stays where it may leave out an element.
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

// One that has all elements is left out.
// CHECK-LABEL: func.func @full_mask
// CHECK-SAME:    %[[SIZE:[a-z0-9]+]]: index)
// CHECK:         %[[MASK:.*]] = vector.create_mask %[[SIZE]] : vector<8xi1>
// CHECK:         scf.if
// CHECK:           %[[FULL:.*]] = arith.cmpi sge, %[[SIZE]], %c8
// CHECK:           scf.if %[[FULL]] {
// CHECK:             vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}] : vector<8xf32>, memref<?xf32, strided<[1], offset: ?>>
// CHECK:           } else {
// CHECK:             vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}], %[[MASK]] : vector<8xf32>, memref<?xf32, strided<[1], offset: ?>>
// CHECK:         } else {
// CHECK:           vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}], %[[MASK]] : vector<8xf32>, memref<?xf32, strided<[?], offset: ?>>
func.func @full_mask(%v: vector<8xf32>, %b: memref<?xf32, strided<[?], offset: ?>>, %i: index, %size: index) {
  %mask = vector.create_mask %size : vector<8xi1>
  vector.transfer_write %v, %b[%i], %mask : vector<8xf32>, memref<?xf32, strided<[?], offset: ?>>
  return
}

#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>

// Sums of products that read a column of the left operand have two versions, all
// of their loops.
// CHECK-LABEL: func.func @sum
// CHECK-SAME:    %[[LEFT:[a-z0-9]+]]: memref<?x4x8xf32, strided<[?, ?, ?], offset: ?>>
// CHECK:         %[[DENSE:.*]] = arith.cmpi eq, %{{.*}}#2, %c1
// CHECK:         scf.if %[[DENSE]] -> (vector<4x16xf32>) {
// CHECK:           %[[VIEW:.*]] = memref.reinterpret_cast %[[LEFT]]
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               vector.transfer_read %[[VIEW]]{{.*}} : memref<?x4x8xf32, strided<[?, ?, 1], offset: ?>>, vector<4x1xf32>
// CHECK:         } else {
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               vector.transfer_read %[[LEFT]]
// CHECK-NOT:     scf.if
func.func @sum(%left: memref<?x4x8xf32, strided<[?, ?, ?], offset: ?>>, %right: memref<?x8x16xf32>, %count: index,
               %zeros: vector<4x16xf32>) -> vector<4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %p = %c0 to %count step %c1 iter_args(%a = %zeros) -> (vector<4x16xf32>) {
    %next = scf.for %k = %c0 to %c8 step %c1 iter_args(%b = %a) -> (vector<4x16xf32>) {
      %l = vector.transfer_read %left[%p, %c0, %k], %zero {in_bounds = [true, true]}
          : memref<?x4x8xf32, strided<[?, ?, ?], offset: ?>>, vector<4x1xf32>
      %r = vector.transfer_read %right[%p, %k, %c0], %zero {in_bounds = [true, true]}
          : memref<?x8x16xf32>, vector<1x16xf32>
      %m = vector.contract {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
          %l, %r, %b : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
      scf.yield %m : vector<4x16xf32>
    }
    scf.yield %next : vector<4x16xf32>
  }
  return %sum : vector<4x16xf32>
}
