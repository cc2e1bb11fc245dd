// RUN: sparse-opt %s --convert-vector-to-wgtile --canonicalize --cse --split-input-file | FileCheck %s

// A vector that is broadcast is one of columns; one that is broadcast and then
// transposed, of rows.
// CHECK-LABEL: gpu.func @broadcasts
// CHECK-DAG:     %[[ROW:.*]] = wgtile.read %{{.*}} -> tensor<64xf32>
// CHECK-DAG:     %[[COLUMN:.*]] = wgtile.read %{{.*}} -> tensor<128xf32>
// CHECK-DAG:     %[[ROWS:.*]] = wgtile.broadcast %[[ROW]] dimension 0 : tensor<64xf32> -> tensor<64x128xf32>
// CHECK-DAG:     %[[COLUMNS:.*]] = wgtile.broadcast %[[COLUMN]] dimension 1 : tensor<128xf32> -> tensor<64x128xf32>
// CHECK:         arith.addf %[[ROWS]], %[[COLUMNS]] : tensor<64x128xf32>
// CHECK-NOT:     vector
// CHECK-NOT:     unrealized_conversion_cast
gpu.module @kernels {
  gpu.func @broadcasts(%r: memref<?xf32>, %c: memref<?xf32>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %row = vector.transfer_read %r[%c0], %pad {in_bounds = [true]}
        : memref<?xf32>, vector<64xf32>
    %column = vector.transfer_read %c[%c0], %pad {in_bounds = [true]}
        : memref<?xf32>, vector<128xf32>
    %wide = vector.broadcast %row : vector<64xf32> to vector<128x64xf32>
    %rows = vector.transpose %wide, [1, 0] : vector<128x64xf32> to vector<64x128xf32>
    %columns = vector.broadcast %column : vector<128xf32> to vector<64x128xf32>
    %sum = arith.addf %rows, %columns : vector<64x128xf32>
    vector.transfer_write %sum, %out[%c0, %c0] {in_bounds = [true, true]}
        : vector<64x128xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// The vector that is spread may be computed, and carried by a loop.
// CHECK-LABEL: gpu.func @carried
// CHECK:         scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}}) -> (tensor<64xf32>)
// CHECK:           %[[TWICE:.*]] = arith.addf %[[M]], %[[M]] : tensor<64xf32>
// CHECK:           wgtile.broadcast %[[TWICE]] dimension 0 : tensor<64xf32> -> tensor<64x128xf32>
gpu.module @kernels {
  gpu.func @carried(%n: index, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : vector<64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %zeros) -> (vector<64xf32>) {
      %twice = arith.addf %m, %m : vector<64xf32>
      %wide = vector.broadcast %twice : vector<64xf32> to vector<128x64xf32>
      %rows = vector.transpose %wide, [1, 0] : vector<128x64xf32> to vector<64x128xf32>
      vector.transfer_write %rows, %out[%c0, %c0] {in_bounds = [true, true]}
          : vector<64x128xf32>, memref<?x?xf32>
      scf.yield %twice : vector<64xf32>
    }
    gpu.return
  }
}

// -----

// Numbers along rows and columns become i32 while they are vectors, whatever is
// done to them first: an index is cast before it is spread.
// CHECK-LABEL: gpu.func @mask
// CHECK-SAME:    %[[I:[a-z0-9]+]]: index
// CHECK-DAG:     %[[COLUMN:.*]] = wgtile.step : tensor<128xi32>
// CHECK-DAG:     %[[COLUMNS:.*]] = wgtile.broadcast %[[COLUMN]] dimension 1 : tensor<128xi32> -> tensor<64x128xi32>
// CHECK-DAG:     %[[ROW:.*]] = wgtile.step : tensor<64xi32>
// CHECK-DAG:     %[[ROWS:.*]] = wgtile.broadcast %[[ROW]] dimension 0 : tensor<64xi32> -> tensor<64x128xi32>
// CHECK-DAG:     %[[NUMBER:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK-DAG:     %[[SPLAT:.*]] = tensor.splat %[[NUMBER]] : tensor<64x128xi32>
// CHECK:         %[[FROM:.*]] = arith.addi %[[ROWS]], %[[SPLAT]] : tensor<64x128xi32>
// CHECK:         %[[SEEN:.*]] = arith.cmpi sle, %[[COLUMNS]], %[[FROM]] : tensor<64x128xi32>
// CHECK:         arith.select %[[SEEN]]
// CHECK-NOT:     xindex>
gpu.module @kernels {
  gpu.func @mask(%i: index, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %ones = arith.constant dense<1.0> : vector<64x128xf32>
    %zeros = arith.constant dense<0.0> : vector<64x128xf32>
    %column = vector.step : vector<128xindex>
    %wide_columns = vector.broadcast %column : vector<128xindex> to vector<64x128xindex>
    %columns = arith.index_cast %wide_columns : vector<64x128xindex> to vector<64x128xi32>
    %row = vector.step : vector<64xindex>
    %wide_row = vector.broadcast %row : vector<64xindex> to vector<128x64xindex>
    %wide_rows = vector.transpose %wide_row, [1, 0] : vector<128x64xindex> to vector<64x128xindex>
    %rows = arith.index_cast %wide_rows : vector<64x128xindex> to vector<64x128xi32>
    %wide_i = vector.broadcast %i : index to vector<64x128xindex>
    %numbers = arith.index_cast %wide_i : vector<64x128xindex> to vector<64x128xi32>
    %from = arith.addi %rows, %numbers : vector<64x128xi32>
    %seen = arith.cmpi sle, %columns, %from : vector<64x128xi32>
    %s = arith.select %seen, %ones, %zeros : vector<64x128xi1>, vector<64x128xf32>
    vector.transfer_write %s, %out[%c0, %c0] {in_bounds = [true, true]}
        : vector<64x128xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// What is read past the end is what the transfer says, unless it does not matter.
// CHECK-LABEL: gpu.func @padding
// CHECK:         wgtile.read %{{.*}} in_bounds [true, false] padding 0xFC00 : f16 : memref<?x?xf16>
// CHECK:         wgtile.read %{{.*}} in_bounds [true, false] : memref<?x?xf16>
// CHECK:         wgtile.read %{{.*}} in_bounds [false, false] : memref<?x?xf16>
// CHECK:         wgtile.read %{{.*}} in_bounds [true, true] : memref<?x?xf16>
gpu.module @kernels {
  gpu.func @padding(%a: memref<?x?xf16>, %out: memref<?x?xf16>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFC00 : f16
    %zero = arith.constant 0.0 : f16
    %any = ub.poison : f16
    %0 = vector.transfer_read %a[%i, %c0], %lowest {in_bounds = [true, false]}
        : memref<?x?xf16>, vector<16x32xf16>
    vector.transfer_write %0, %out[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<?x?xf16>
    %1 = vector.transfer_read %a[%i, %c0], %zero {in_bounds = [true, false]}
        : memref<?x?xf16>, vector<16x32xf16>
    vector.transfer_write %1, %out[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<?x?xf16>
    %2 = vector.transfer_read %a[%i, %c0], %any {in_bounds = [false, false]}
        : memref<?x?xf16>, vector<16x32xf16>
    vector.transfer_write %2, %out[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<?x?xf16>
    %3 = vector.transfer_read %a[%i, %c0], %lowest {in_bounds = [true, true]}
        : memref<?x?xf16>, vector<16x32xf16>
    vector.transfer_write %3, %out[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<?x?xf16>
    gpu.return
  }
}

// -----

// The number of an element is split into the indices that it was computed from,
// without a division; one that was computed otherwise is divided.
// CHECK-LABEL: gpu.func @gathers(
// CHECK-SAME:    %[[TABLE:[a-z0-9]+]]: memref<?x?x8xf32>
// CHECK:         %[[ROW:.*]] = wgtile.read {{.*}} memref<?xi64{{.*}} -> tensor<64xi64>
// CHECK:         %[[COLUMN:.*]] = wgtile.read {{.*}} memref<?xi64{{.*}} -> tensor<64xi64>
// CHECK-NOT:     arith.divui
// CHECK:         wgtile.gather %[[TABLE]][%[[ROW]], %[[COLUMN]], %[[ROW]] : {{.*}}] : memref<?x?x8xf32>
// CHECK:         %[[LAST:.*]] = arith.remui %[[ROW]]
// CHECK:         %[[REST:.*]] = arith.divui %[[ROW]]
// CHECK:         wgtile.gather %[[TABLE]][%{{.*}}, %{{.*}}, %[[LAST]] : {{.*}}] : memref<?x?x8xf32>
gpu.module @kernels {
  gpu.func @gathers(%table: memref<?x?x8xf32>, %at: memref<?xi64>, %out: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0 : i64
    %all = arith.constant dense<true> : vector<64xi1>
    %none = arith.constant dense<0.0> : vector<64xf32>
    %row = vector.transfer_read %at[%c0], %pad {in_bounds = [true]} : memref<?xi64>, vector<64xi64>
    %column = vector.transfer_read %at[%c64], %pad {in_bounds = [true]} : memref<?xi64>, vector<64xi64>
    %i = arith.index_cast %row : vector<64xi64> to vector<64xindex>
    %j = arith.index_cast %column : vector<64xi64> to vector<64xindex>
    %extent = memref.dim %table, %c1 : memref<?x?x8xf32>
    %extents = vector.broadcast %extent : index to vector<64xindex>
    %eights = arith.constant dense<8> : vector<64xindex>
    %rows = arith.muli %i, %extents : vector<64xindex>
    %place = arith.addi %j, %rows : vector<64xindex>
    %places = arith.muli %place, %eights : vector<64xindex>
    %number = arith.addi %places, %i : vector<64xindex>
    %x = vector.gather %table[%c0, %c0, %c0][%number], %all, %none
        : memref<?x?x8xf32>, vector<64xindex>, vector<64xi1>, vector<64xf32> into vector<64xf32>
    %y = vector.gather %table[%c0, %c0, %c0][%i], %all, %none
        : memref<?x?x8xf32>, vector<64xindex>, vector<64xi1>, vector<64xf32> into vector<64xf32>
    %sum = arith.addf %x, %y : vector<64xf32>
    vector.transfer_write %sum, %out[%c0] {in_bounds = [true]} : vector<64xf32>, memref<?xf32>
    gpu.return
  }
}
