// RUN: sparse-opt %s --wgtile-subtile-epilogue --cse --split-input-file | FileCheck %s
// RUN: sparse-opt %s --wgtile-subtile-epilogue=bytes=256 --split-input-file | FileCheck %s --check-prefix=HALVES

// Everything that a tile is computed from is cut with its store: elementwise
// ops, reads, broadcasts of columns, splats and constants. A broadcast of rows has
// its vector whole, and so has what comes from elsewhere.
// CHECK-DAG:   #[[SHIFT:.*]] = affine_map<()[s0] -> (s0 + 32)>
// CHECK-LABEL: gpu.func @slices
// CHECK-SAME:    (%[[LEFT:.*]]: memref<?xf32>, %[[RIGHT:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?x?xf32>, %[[X:.*]]: f32, %[[PRODUCT:.*]]: tensor<64x64xf32>, %[[I:.*]]: index, %[[J:.*]]: index) kernel
// CHECK:         %[[L:.*]] = wgtile.read %[[LEFT]][%[[I]]] in_bounds [true] : memref<?xf32> -> tensor<64xf32>
// CHECK-DAG:     %[[P0:.*]] = wgtile.extract_columns %[[PRODUCT]] from 0 : tensor<64x64xf32> -> tensor<64x32xf32>
// CHECK-DAG:     %[[L0:.*]] = wgtile.broadcast %[[L]] dimension 0 : tensor<64xf32> -> tensor<64x32xf32>
// CHECK-DAG:     %[[R0:.*]] = wgtile.read %[[RIGHT]][%[[J]]] in_bounds [false] padding 1.000000e+00 : f32 : memref<?xf32> -> tensor<32xf32>
// CHECK-DAG:     %[[RT0:.*]] = wgtile.broadcast %[[R0]] dimension 1 : tensor<32xf32> -> tensor<64x32xf32>
// CHECK-DAG:     %[[O0:.*]] = wgtile.read %[[OUT]][%[[I]], %[[J]]] in_bounds [true, false] : memref<?x?xf32> -> tensor<64x32xf32>
// CHECK-DAG:     %[[X0:.*]] = tensor.splat %[[X]] : tensor<64x32xf32>
// CHECK-DAG:     %[[ONES:.*]] = arith.constant dense<1.000000e+00> : tensor<64x32xf32>
// CHECK-DAG:     %[[S0:.*]] = arith.mulf %[[P0]], %[[L0]] : tensor<64x32xf32>
// CHECK-DAG:     arith.mulf %[[S0]], %[[RT0]] : tensor<64x32xf32>
// CHECK:         wgtile.store %{{.*}}, %[[OUT]][%[[I]], %[[J]]] in_bounds [true, false] : tensor<64x32xf32>, memref<?x?xf32>
// CHECK-DAG:     wgtile.extract_columns %[[PRODUCT]] from 32
// CHECK-DAG:     %[[J1:.*]] = affine.apply #[[SHIFT]]()[%[[J]]]
// CHECK-DAG:     wgtile.read %[[RIGHT]][%[[J1]]] in_bounds [false] padding 1.000000e+00 : f32 : memref<?xf32> -> tensor<32xf32>
// CHECK-DAG:     wgtile.read %[[OUT]][%[[I]], %[[J1]]] in_bounds [true, false] : memref<?x?xf32> -> tensor<64x32xf32>
// CHECK:         wgtile.store %{{.*}}, %[[OUT]][%[[I]], %[[J1]]] in_bounds [true, false]
// CHECK-NOT:     wgtile.store
// HALVES-LABEL: gpu.func @slices
// HALVES-NOT:     wgtile.extract_columns
// HALVES:         wgtile.store {{.*}} : tensor<64x64xf32>
gpu.module @kernels {
  gpu.func @slices(%left: memref<?xf32>, %right: memref<?xf32>,
                   %out: memref<?x?xf32>, %x: f32,
                   %product: tensor<64x64xf32>, %i: index, %j: index) kernel {
    %ones = arith.constant dense<1.0> : tensor<64x64xf32>
    %l = wgtile.read %left[%i] in_bounds [true]
        : memref<?xf32> -> tensor<64xf32>
    %r = wgtile.read %right[%j] in_bounds [false] padding 1.0 : f32
        : memref<?xf32> -> tensor<64xf32>
    %old = wgtile.read %out[%i, %j] in_bounds [true, false]
        : memref<?x?xf32> -> tensor<64x64xf32>
    %l_tile = wgtile.broadcast %l dimension 0
        : tensor<64xf32> -> tensor<64x64xf32>
    %r_tile = wgtile.broadcast %r dimension 1
        : tensor<64xf32> -> tensor<64x64xf32>
    %x_tile = tensor.splat %x : tensor<64x64xf32>
    %0 = arith.mulf %product, %l_tile : tensor<64x64xf32>
    %1 = arith.mulf %0, %r_tile : tensor<64x64xf32>
    %2 = arith.mulf %old, %x_tile : tensor<64x64xf32>
    %3 = arith.addf %1, %2 : tensor<64x64xf32>
    %4 = arith.addf %3, %ones : tensor<64x64xf32>
    wgtile.store %4, %out[%i, %j] in_bounds [true, false]
        : tensor<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// A branch is cut with its result, what it computes in each slice's own branch;
// the last slice is what remains.
// CHECK-LABEL: gpu.func @branch
// CHECK-SAME:    %[[C:[a-z0-9]*]]: i1, %[[A:.*]]: tensor<64x72xf32>, %[[B:.*]]: tensor<64x72xf32>
// CHECK:         scf.if %[[C]] -> (tensor<64x32xf32>)
// CHECK:           wgtile.extract_columns %[[A]] from 0 : tensor<64x72xf32> -> tensor<64x32xf32>
// CHECK:         } else {
// CHECK:           wgtile.extract_columns %[[B]] from 0 : tensor<64x72xf32> -> tensor<64x32xf32>
// CHECK:         wgtile.store
// CHECK:         %[[LAST:.*]] = scf.if %[[C]] -> (tensor<64x8xf32>)
// CHECK:           wgtile.extract_columns %[[A]] from 64 : tensor<64x72xf32> -> tensor<64x8xf32>
// CHECK:         wgtile.store %[[LAST]], {{.*}} : tensor<64x8xf32>
// HALVES-LABEL: gpu.func @branch
// HALVES:         wgtile.extract_columns %{{.*}} from 64 : tensor<64x72xf32> -> tensor<64x8xf32>
gpu.module @kernels {
  gpu.func @branch(%out: memref<?x?xf32>, %c: i1, %a: tensor<64x72xf32>,
                   %b: tensor<64x72xf32>, %i: index) kernel {
    %tile = scf.if %c -> (tensor<64x72xf32>) {
      scf.yield %a : tensor<64x72xf32>
    } else {
      scf.yield %b : tensor<64x72xf32>
    }
    wgtile.store %tile, %out[%i, %i] in_bounds [true, true]
        : tensor<64x72xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// In a branch the numbers of the columns are those of the rows as well: columns
// have their part of them, rows all.
// CHECK-LABEL: gpu.func @rows_and_columns
// CHECK:         scf.if
// CHECK-DAG:       %[[STEP:.*]] = wgtile.step : tensor<64xi32>
// CHECK-DAG:       %[[PART:.*]] = wgtile.extract_columns %[[STEP]] from 32 : tensor<64xi32> -> tensor<32xi32>
// CHECK-DAG:       wgtile.broadcast %[[PART]] dimension 1 : tensor<32xi32> -> tensor<64x32xi32>
// CHECK-DAG:       wgtile.broadcast %[[STEP]] dimension 0 : tensor<64xi32> -> tensor<64x32xi32>
gpu.module @kernels {
  gpu.func @rows_and_columns(%out: memref<?x?xi32>, %c: i1, %a: tensor<64x64xi32>, %i: index) kernel {
    %tile = scf.if %c -> (tensor<64x64xi32>) {
      %step = wgtile.step : tensor<64xi32>
      %columns = wgtile.broadcast %step dimension 1 : tensor<64xi32> -> tensor<64x64xi32>
      %rows = wgtile.broadcast %step dimension 0 : tensor<64xi32> -> tensor<64x64xi32>
      %sum = arith.addi %columns, %rows : tensor<64x64xi32>
      scf.yield %sum : tensor<64x64xi32>
    } else {
      scf.yield %a : tensor<64x64xi32>
    }
    wgtile.store %tile, %out[%i, %i] in_bounds [true, true] : tensor<64x64xi32>, memref<?x?xi32>
    gpu.return
  }
}

// -----

// Another place of the destination is read before any of it is stored.
// CHECK-LABEL: gpu.func @overlap
// CHECK:         %[[TILE:.*]] = wgtile.read {{.*}} -> tensor<64x64xf32>
// CHECK-NOT:     wgtile.read
// CHECK:         wgtile.extract_columns %[[TILE]] from 0
// CHECK:         wgtile.extract_columns %[[TILE]] from 32
gpu.module @kernels {
  gpu.func @overlap(%out: memref<?x?xf32>, %i: index, %j: index) kernel {
    %tile = wgtile.read %out[%i, %j] in_bounds [true, true]
        : memref<?x?xf32> -> tensor<64x64xf32>
    wgtile.store %tile, %out[%i, %i] in_bounds [true, true]
        : tensor<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// What was read before another store stays before it.
// CHECK-LABEL: gpu.func @store_between
// CHECK:         %[[TILE:.*]] = wgtile.read {{.*}} -> tensor<64x64xf32>
// CHECK:         wgtile.store
// CHECK-NOT:     wgtile.read
// CHECK:         wgtile.extract_columns %[[TILE]] from 32
gpu.module @kernels {
  gpu.func @store_between(%source: memref<?x?xf32>, %out: memref<?x?xf32>,
                          %small: tensor<64x32xf32>, %i: index) kernel {
    %tile = wgtile.read %source[%i, %i] in_bounds [true, true]
        : memref<?x?xf32> -> tensor<64x64xf32>
    wgtile.store %small, %source[%i, %i] in_bounds [true, true]
        : tensor<64x32xf32>, memref<?x?xf32>
    wgtile.store %tile, %out[%i, %i] in_bounds [true, true]
        : tensor<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// A slice starts at a multiple of 16 bytes where its tile does.
// CHECK-LABEL: gpu.func @aligned
// CHECK:         wgtile.store {{.*}} in_bounds [true, false] aligned : tensor<64x64xbf16>
// CHECK:         wgtile.store {{.*}} in_bounds [true, false] aligned : tensor<64x64xbf16>
gpu.module @kernels {
  gpu.func @aligned(%out: memref<?x?xbf16>, %product: tensor<64x128xbf16>, %i: index, %j: index) kernel {
    wgtile.store %product, %out[%i, %j] in_bounds [true, false] aligned
        : tensor<64x128xbf16>, memref<?x?xbf16>
    gpu.return
  }
}

// -----

// Of more than 192 rows that may have any strides: half as wide.
// CHECK-LABEL: gpu.func @tall
// CHECK-COUNT-2: wgtile.store %{{.*}} in_bounds [true, true] : tensor<200x32xbf16>
// CHECK-NOT:     wgtile.store
// CHECK-LABEL: gpu.func @tall_aligned
// CHECK:         wgtile.store %{{.*}} aligned : tensor<200x64xbf16>
gpu.module @kernels {
  gpu.func @tall(%out: memref<?x?xbf16>, %tile: tensor<200x64xbf16>, %i: index) kernel {
    wgtile.store %tile, %out[%i, %i] in_bounds [true, true]
        : tensor<200x64xbf16>, memref<?x?xbf16>
    gpu.return
  }
  gpu.func @tall_aligned(%out: memref<?x?xbf16>, %tile: tensor<200x64xbf16>, %i: index) kernel {
    wgtile.store %tile, %out[%i, %i] in_bounds [true, true] aligned
        : tensor<200x64xbf16>, memref<?x?xbf16>
    gpu.return
  }
}

// -----

// What is left of a tile's columns is cut into rows of narrower swizzles.
// CHECK-LABEL: gpu.func @rest
// CHECK:         wgtile.store %{{.*}} aligned : tensor<64x64xbf16>
// CHECK:         wgtile.extract_columns %{{.*}} from 64 : tensor<64x112xbf16> -> tensor<64x32xbf16>
// CHECK:         wgtile.extract_columns %{{.*}} from 96 : tensor<64x112xbf16> -> tensor<64x16xbf16>
// CHECK-NOT:     wgtile.extract_columns
// HALVES-LABEL: gpu.func @rest
// HALVES:         wgtile.store %{{.*}} : tensor<64x112xbf16>
gpu.module @kernels {
  gpu.func @rest(%out: memref<?x?xbf16>, %product: tensor<64x112xbf16>, %i: index, %j: index) kernel {
    wgtile.store %product, %out[%i, %j] in_bounds [true, false] aligned
        : tensor<64x112xbf16>, memref<?x?xbf16>
    gpu.return
  }
}
