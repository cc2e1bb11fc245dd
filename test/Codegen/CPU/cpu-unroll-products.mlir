// RUN: sparse-opt %s --sattn-cpu-unroll-products | FileCheck %s

#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>

// Eight iterations become one.
// CHECK-LABEL: func.func @long
// CHECK:         scf.for %{{.*}} = %c0 to %c64 step %c8
// CHECK-COUNT-8:   vector.contract
// CHECK-NOT:       vector.contract
func.func @long(%left: memref<4x64xf32>, %right: memref<64x16xf32>, %zeros: vector<4x16xf32>) -> vector<4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%a = %zeros) -> (vector<4x16xf32>) {
    %l = vector.transfer_read %left[%c0, %k], %zero {in_bounds = [true, true]} : memref<4x64xf32>, vector<4x1xf32>
    %r = vector.transfer_read %right[%k, %c0], %zero {in_bounds = [true, true]} : memref<64x16xf32>, vector<1x16xf32>
    %m = vector.contract {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        %l, %r, %a : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
    scf.yield %m : vector<4x16xf32>
  }
  return %sum : vector<4x16xf32>
}

// Short loops end.
// CHECK-LABEL: func.func @short
// CHECK-NOT:     scf.for
// CHECK-COUNT-24: vector.contract
// CHECK-NOT:     vector.contract
func.func @short(%left: memref<4x24xf32>, %right: memref<24x16xf32>, %zeros: vector<4x16xf32>) -> vector<4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %k = %c0 to %c24 step %c1 iter_args(%a = %zeros) -> (vector<4x16xf32>) {
    %l = vector.transfer_read %left[%c0, %k], %zero {in_bounds = [true, true]} : memref<4x24xf32>, vector<4x1xf32>
    %r = vector.transfer_read %right[%k, %c0], %zero {in_bounds = [true, true]} : memref<24x16xf32>, vector<1x16xf32>
    %m = vector.contract {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        %l, %r, %a : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
    scf.yield %m : vector<4x16xf32>
  }
  return %sum : vector<4x16xf32>
}

// Numbers of iterations that eight does not divide: the next smaller divisor.
// CHECK-LABEL: func.func @odd
// CHECK:         scf.for %{{.*}} = %c0 to %c42 step %c7
// CHECK-COUNT-7:   vector.contract
// CHECK-NOT:       vector.contract
func.func @odd(%left: memref<4x42xf32>, %right: memref<42x16xf32>, %zeros: vector<4x16xf32>) -> vector<4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c42 = arith.constant 42 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %k = %c0 to %c42 step %c1 iter_args(%a = %zeros) -> (vector<4x16xf32>) {
    %l = vector.transfer_read %left[%c0, %k], %zero {in_bounds = [true, true]} : memref<4x42xf32>, vector<4x1xf32>
    %r = vector.transfer_read %right[%k, %c0], %zero {in_bounds = [true, true]} : memref<42x16xf32>, vector<1x16xf32>
    %m = vector.contract {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        %l, %r, %a : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
    scf.yield %m : vector<4x16xf32>
  }
  return %sum : vector<4x16xf32>
}

// Loops of unknown length, of operands of unknown stride, and without products
// stay.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: vector.contract
// CHECK-NOT:     vector.contract
// CHECK:         math.exp
// CHECK-NOT:     math.exp
func.func @kept(%left: memref<4x64xf32, strided<[?, ?]>>, %right: memref<64x16xf32>, %zeros: vector<4x16xf32>, %n: index)
    -> (vector<4x16xf32>, vector<4x16xf32>, vector<4x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %l0 = arith.constant dense<1.0> : vector<4x1xf32>
  %0 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %zeros) -> (vector<4x16xf32>) {
    %r = vector.transfer_read %right[%k, %c0], %zero {in_bounds = [true, true]} : memref<64x16xf32>, vector<1x16xf32>
    %m = vector.contract {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        %l0, %r, %a : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
    scf.yield %m : vector<4x16xf32>
  }
  %1 = scf.for %k = %c0 to %c64 step %c1 iter_args(%a = %zeros) -> (vector<4x16xf32>) {
    %l = vector.transfer_read %left[%c0, %k], %zero {in_bounds = [true, true]}
        : memref<4x64xf32, strided<[?, ?]>>, vector<4x1xf32>
    %r = vector.transfer_read %right[%k, %c0], %zero {in_bounds = [true, true]} : memref<64x16xf32>, vector<1x16xf32>
    %m = vector.contract {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        %l, %r, %a : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
    scf.yield %m : vector<4x16xf32>
  }
  %2 = scf.for %k = %c0 to %c64 step %c1 iter_args(%a = %zeros) -> (vector<4x16xf32>) {
    %e = math.exp %a : vector<4x16xf32>
    scf.yield %e : vector<4x16xf32>
  }
  return %0, %1, %2 : vector<4x16xf32>, vector<4x16xf32>, vector<4x16xf32>
}
