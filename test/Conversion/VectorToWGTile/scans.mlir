// RUN: sparse-opt %s --convert-vector-to-wgtile --canonicalize --cse --split-input-file | FileCheck %s

// All elements of a tile in row-major order, after a number; places in a memref
// of two dimensions become indices.
// CHECK-LABEL: gpu.func @scan
// CHECK-SAME:  %[[LIST:[a-z0-9]+]]: memref<?x?xi32>, %[[FIRST:[a-z0-9]+]]: i32
// CHECK:       %[[TILE:.*]] = wgtile.read
// CHECK:       %[[PLACES:.*]] = wgtile.tile_scan addi %[[TILE]] from %[[FIRST]] : tensor<16x16xi32>, i32
// CHECK:       %[[MASK:.*]] = arith.cmpi ne, %[[TILE]]
// CHECK:       %[[NUMBER:.*]] = arith.extsi %[[PLACES]] : tensor<16x16xi32> to tensor<16x16xi64>
// CHECK:       %[[WIDTH:.*]] = tensor.splat
// CHECK:       %[[COLUMN:.*]] = arith.remui %[[NUMBER]], %[[WIDTH]]
// CHECK:       %[[ROW:.*]] = arith.divui %[[NUMBER]], %[[WIDTH]]
// CHECK:       wgtile.scatter %[[TILE]], %[[LIST]][%[[ROW]], %[[COLUMN]] : tensor<16x16xi64>, tensor<16x16xi64>] mask %[[MASK]] : tensor<16x16xi32>, tensor<16x16xi1>, memref<?x?xi32>
// CHECK-NOT:   vector
// CHECK-NOT:   unrealized_conversion_cast
gpu.module @kernels {
  gpu.func @scan(%list: memref<?x?xi32>, %first: i32, %a: memref<?x?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %zeros = arith.constant dense<0> : vector<16x16xi32>
    %tile = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<?x?xi32>, vector<16x16xi32>
    %flat = vector.shape_cast %tile : vector<16x16xi32> to vector<256xi32>
    %start = vector.broadcast %first : i32 to vector<i32>
    %before, %last = vector.scan <add>, %flat, %start {inclusive = false, reduction_dim = 0 : i64} : vector<256xi32>, vector<i32>
    %places = vector.shape_cast %before : vector<256xi32> to vector<16x16xi32>
    %mask = arith.cmpi ne, %tile, %zeros : vector<16x16xi32>
    vector.scatter %list[%c0, %c0][%places], %mask, %tile : memref<?x?xi32>, vector<16x16xi32>, vector<16x16xi1>, vector<16x16xi32>
    gpu.return
  }
}

// -----

// The number may be a constant.
// CHECK-LABEL: gpu.func @from_constant
// CHECK:       %[[SEVEN:.*]] = arith.constant 7 : i32
// CHECK:       wgtile.tile_scan maxs %{{.*}} from %[[SEVEN]] : tensor<16x8xi32>, i32
// CHECK-NOT:   vector
gpu.module @kernels {
  gpu.func @from_constant(%a: memref<?x?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %start = arith.constant dense<7> : vector<i32>
    %tile = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<?x?xi32>, vector<16x8xi32>
    %flat = vector.shape_cast %tile : vector<16x8xi32> to vector<128xi32>
    %before, %last = vector.scan <maxsi>, %flat, %start {inclusive = false, reduction_dim = 0 : i64} : vector<128xi32>, vector<i32>
    %most = vector.shape_cast %before : vector<128xi32> to vector<16x8xi32>
    vector.transfer_write %most, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xi32>, memref<?x?xi32>
    gpu.return
  }
}
