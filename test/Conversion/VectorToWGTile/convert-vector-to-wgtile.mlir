// RUN: sparse-opt %s --convert-vector-to-wgtile --canonicalize --split-input-file | FileCheck %s

// Reads that feed a product are loads of shared memory, of the argument itself.
// CHECK-DAG:   #[[COLUMN:.*]] = affine_map<()[s0] -> (s0 * 128)>
// CHECK-LABEL: gpu.func @product
// CHECK-SAME:    (%[[A:.*]]: memref<?x64x64xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[OUT:.*]]: memref<?x?xf32>, %[[N:.*]]: index, %[[T:.*]]: index) kernel
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64x128xf32>
// CHECK:         %[[SUM:.*]] = scf.for %[[P:[a-z0-9]*]] = {{.*}} iter_args(%[[ACC:.*]] = %[[ZEROS]]) -> (tensor<64x128xf32>) {
// CHECK-DAG:       %[[L:.*]] = wgtile.load %[[A]][%[[P]], %[[C0]], %[[C0]]] : memref<?x64x64xbf16> -> !wgtile.shared<64x64xbf16>
// CHECK-DAG:       %[[J:.*]] = affine.apply #[[COLUMN]]()[%[[T]]]
// CHECK-DAG:       %[[R:.*]] = wgtile.load %[[B]][%[[P]], %[[J]]] : memref<?x?xbf16> -> !wgtile.shared<64x128xbf16>
// CHECK:           %[[NEXT:.*]] = wgtile.mma %[[L]], %[[R]], %[[ACC]] : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         } {wgtile.block_loop}
// CHECK:         %[[J_OUT:.*]] = affine.apply #[[COLUMN]]()[%[[T]]]
// CHECK:         wgtile.store %[[SUM]], %[[OUT]][%[[C0]], %[[J_OUT]]] in_bounds [true, false] : tensor<64x128xf32>, memref<?x?xf32>
// CHECK-NOT:     vector
// CHECK-NOT:     unrealized_conversion_cast
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#times128 = affine_map<(d0) -> (d0 * 128)>
#width = affine_map<(d0)[s0] -> (-d0 + s0, 128)>
gpu.module @kernels {
  gpu.func @product(%a: memref<?x64x64xbf16>, %b: memref<?x?xbf16>,
                    %out: memref<?x?xf32>, %n: index, %t: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x128xf32>
    %j = affine.apply #times128(%t)
    %columns_b = memref.dim %b, %c1 : memref<?x?xbf16>
    %width_b = affine.min #width(%j)[%columns_b]
    %columns = memref.dim %out, %c1 : memref<?x?xf32>
    %width = affine.min #width(%j)[%columns]
    %sum = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zeros)
        -> (vector<64x128xf32>) {
      %view = memref.subview %b[%p, %j] [64, %width_b] [1, 1]
          : memref<?x?xbf16> to memref<64x?xbf16, strided<[?, 1], offset: ?>>
      %l = vector.transfer_read %a[%p, %c0, %c0], %pad {in_bounds = [true, true]}
          : memref<?x64x64xbf16>, vector<64x64xbf16>
      %r = vector.transfer_read %view[%c0, %c0], %pad {in_bounds = [true, false]}
          : memref<64x?xbf16, strided<[?, 1], offset: ?>>, vector<64x128xbf16>
      %next = vector.contract {
          indexing_maps = [#mk, #kn, #mn],
          iterator_types = ["parallel", "parallel", "reduction"]} %l, %r, %acc
          : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
      scf.yield %next : vector<64x128xf32>
    } {sattn.block_loop}
    %dest = memref.subview %out[0, %j] [64, %width] [1, 1]
        : memref<?x?xf32> to memref<64x?xf32, strided<[?, 1], offset: ?>>
    vector.transfer_write %sum, %dest[%c0, %c0] {in_bounds = [true, false]}
        : vector<64x128xf32>, memref<64x?xf32, strided<[?, 1], offset: ?>>
    gpu.return
  }
}

// -----

// Everything else is the same on tiles; reads along one dimension are
// broadcasts of vectors.
// CHECK-LABEL: gpu.func @epilogue
// CHECK-SAME:    (%[[LEFT:.*]]: memref<?xbf16>, %[[RIGHT:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?x?xbf16>, %[[X:.*]]: f32, %[[C:.*]]: i1, %[[I:.*]]: index, %[[J:.*]]: index) kernel
// CHECK:         %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64x128xbf16>
// CHECK:         %[[TILE:.*]] = scf.if %[[C]] -> (tensor<64x128xbf16>) {
// CHECK-DAG:       %[[L:.*]] = wgtile.read %[[LEFT]][%[[I]]] in_bounds [true] : memref<?xbf16> -> tensor<64xbf16>
// CHECK-DAG:       %[[L_TILE:.*]] = wgtile.broadcast %[[L]] dimension 0 : tensor<64xbf16> -> tensor<64x128xbf16>
// CHECK-DAG:       %[[R:.*]] = wgtile.read %[[RIGHT]][%[[J]]] in_bounds [false] : memref<?xf32> -> tensor<128xf32>
// CHECK-DAG:       %[[R_TILE:.*]] = wgtile.broadcast %[[R]] dimension 1 : tensor<128xf32> -> tensor<64x128xf32>
// CHECK-DAG:       %[[X_TILE:.*]] = tensor.splat %[[X]] : tensor<64x128xf32>
// CHECK-DAG:       %[[OLD:.*]] = wgtile.read %[[OUT]][%[[I]], %[[J]]] in_bounds [true, true] : memref<?x?xbf16> -> tensor<64x128xbf16>
// CHECK-DAG:       %[[L32:.*]] = arith.extf %[[L_TILE]] : tensor<64x128xbf16> to tensor<64x128xf32>
// CHECK-DAG:       %[[S0:.*]] = arith.mulf %[[L32]], %[[R_TILE]] : tensor<64x128xf32>
// CHECK-DAG:       %[[S1:.*]] = arith.mulf %[[S0]], %[[X_TILE]] : tensor<64x128xf32>
// CHECK-DAG:       %[[OLD32:.*]] = arith.extf %[[OLD]] : tensor<64x128xbf16> to tensor<64x128xf32>
// CHECK:           %[[S2:.*]] = arith.addf %[[S1]], %[[OLD32]] : tensor<64x128xf32>
// CHECK:           %[[S3:.*]] = arith.truncf %[[S2]] : tensor<64x128xf32> to tensor<64x128xbf16>
// CHECK:           scf.yield %[[S3]] : tensor<64x128xbf16>
// CHECK:         } else {
// CHECK:           scf.yield %[[ZEROS]] : tensor<64x128xbf16>
// CHECK:         wgtile.store %[[TILE]], %[[OUT]][%[[I]], %[[J]]] in_bounds [true, true]
// CHECK-NOT:     vector
#rows = affine_map<(d0) -> (d0, 0)>
#columns = affine_map<(d0) -> (0, d0)>
gpu.module @kernels {
  gpu.func @epilogue(%left: memref<?xbf16>, %right: memref<?xf32>,
                     %out: memref<?x?xbf16>, %x: f32, %c: i1, %i: index,
                     %j: index) kernel {
    %pad = arith.constant 0.0 : bf16
    %pad32 = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64x128xbf16>
    %tile = scf.if %c -> (vector<64x128xbf16>) {
      %l = vector.transfer_read %left[%i], %pad
          {in_bounds = [true, true], permutation_map = #rows}
          : memref<?xbf16>, vector<64x128xbf16>
      %r = vector.transfer_read %right[%j], %pad32
          {in_bounds = [true, false], permutation_map = #columns}
          : memref<?xf32>, vector<64x128xf32>
      %x_tile = vector.broadcast %x : f32 to vector<64x128xf32>
      %old = vector.transfer_read %out[%i, %j], %pad {in_bounds = [true, true]}
          : memref<?x?xbf16>, vector<64x128xbf16>
      %l32 = arith.extf %l : vector<64x128xbf16> to vector<64x128xf32>
      %s0 = arith.mulf %l32, %r : vector<64x128xf32>
      %s1 = arith.mulf %s0, %x_tile : vector<64x128xf32>
      %old32 = arith.extf %old : vector<64x128xbf16> to vector<64x128xf32>
      %s2 = arith.addf %s1, %old32 : vector<64x128xf32>
      %s3 = arith.truncf %s2 : vector<64x128xf32> to vector<64x128xbf16>
      scf.yield %s3 : vector<64x128xbf16>
    } else {
      scf.yield %zeros : vector<64x128xbf16>
    }
    vector.transfer_write %tile, %out[%i, %j] {in_bounds = [true, true]}
        : vector<64x128xbf16>, memref<?x?xbf16>
    gpu.return
  }
}

// -----

// Views of views; a dimension that the view drops; a cast.
// CHECK-DAG:   #[[SUM:.*]] = affine_map<()[s0, s1] -> (s0 + s1)>
// CHECK-LABEL: gpu.func @views
// CHECK-SAME:    (%[[SOURCE:.*]]: memref<4x?x?xf32>, %[[OUT:.*]]: memref<?x?xf32>, %[[I:.*]]: index, %[[J:.*]]: index) kernel
// CHECK:         %[[ROW:.*]] = affine.apply #[[SUM]]()[%[[J]], %[[I]]]
// CHECK:         wgtile.read %[[SOURCE]][%[[I]], %[[ROW]], %[[J]]] in_bounds [true, true]
gpu.module @kernels {
  gpu.func @views(%source: memref<4x?x?xf32>, %out: memref<?x?xf32>, %i: index,
                  %j: index) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %cast = memref.cast %source : memref<4x?x?xf32> to memref<?x?x?xf32>
    %0 = memref.subview %cast[%i, %i, %j] [1, 128, 64] [1, 1, 1]
        : memref<?x?x?xf32> to memref<128x64xf32, strided<[?, 1], offset: ?>>
    %1 = memref.subview %0[%j, 0] [64, 64] [1, 1]
        : memref<128x64xf32, strided<[?, 1], offset: ?>>
        to memref<64x64xf32, strided<[?, 1], offset: ?>>
    %tile = vector.transfer_read %1[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<64x64xf32, strided<[?, 1], offset: ?>>, vector<64x64xf32>
    vector.transfer_write %tile, %out[%c0, %c0] {in_bounds = [true, true]}
        : vector<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// A left operand that was computed stays in registers; rows are reduced, and
// combined with what there was; a vector is stored.
// CHECK-LABEL: gpu.func @registers
// CHECK:         %[[OLD:.*]] = wgtile.read %{{.*}} -> tensor<64xf32>
// CHECK:         %[[T:.*]] = arith.truncf %{{.*}} : tensor<64x64xf32> to tensor<64x64xf16>
// CHECK:         %[[B:.*]] = wgtile.load
// CHECK:         %[[D:.*]] = wgtile.mma %[[T]], %[[B]], %{{.*}} : tensor<64x64xf16>, !wgtile.shared<64x64xf16> -> tensor<64x64xf32>
// CHECK:         %[[MAX:.*]] = wgtile.row_reduce maximumf %[[D]] : tensor<64x64xf32> -> tensor<64xf32>
// CHECK:         %[[NEW:.*]] = arith.maximumf %[[OLD]], %[[MAX]] : tensor<64xf32>
// CHECK:         wgtile.store %[[NEW]], %{{.*}} in_bounds [true] : tensor<64xf32>, memref<?xf32>
gpu.module @kernels {
  gpu.func @registers(%b: memref<?x?xf16>, %m: memref<?xf32>, %x: f32) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f16
    %zero = arith.constant 0.0 : f32
    %acc = vector.broadcast %x : f32 to vector<64x64xf32>
    %old = vector.transfer_read %m[%c0], %zero {in_bounds = [true]}
        : memref<?xf32>, vector<64xf32>
    %t = arith.truncf %acc : vector<64x64xf32> to vector<64x64xf16>
    %r = vector.transfer_read %b[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<?x?xf16>, vector<64x64xf16>
    %d = vector.contract {
        indexing_maps = [#mk, #kn, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %t, %r, %acc
        : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    %new = vector.multi_reduction <maximumf>, %d, %old [1]
        : vector<64x64xf32> to vector<64xf32>
    vector.transfer_write %new, %m[%c0] {in_bounds = [true]}
        : vector<64xf32>, memref<?xf32>
    gpu.return
  }
}

// -----

// A tile whose rows are columns of memory. Where other dimensions are between or
// after them, the memref is seen transposed.
#transposed = affine_map<(d0, d1) -> (d1, d0)>
#columns = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-LABEL: gpu.func @transposed(
// CHECK-SAME:    %[[SOURCE:[^:]*]]: memref<?x?xf32>, %[[BATCHES:[^:]*]]: memref<?x?x?xf32>
// CHECK-DAG:     wgtile.read %[[SOURCE]][%[[I:.*]], %[[J:.*]]] in_bounds [true, false] transposed
// CHECK-DAG:     %[[INNER:.*]] = memref.transpose %[[BATCHES]] (d0, d1, d2) -> (d1, d2, d0)
// CHECK-DAG:     wgtile.read %[[INNER]][%{{.*}}, %[[J]], %[[I]]] in_bounds [true, true]
gpu.module @kernels {
  gpu.func @transposed(%source: memref<?x?xf32>, %batches: memref<?x?x?xf32>,
                       %out: memref<?x?xf32>, %i: index, %j: index) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %tile = vector.transfer_read %source[%i, %j], %pad
        {in_bounds = [true, false], permutation_map = #transposed}
        : memref<?x?xf32>, vector<64x64xf32>
    %other = vector.transfer_read %batches[%i, %c0, %j], %pad
        {in_bounds = [true, true], permutation_map = #columns}
        : memref<?x?x?xf32>, vector<64x64xf32>
    %sum = arith.addf %tile, %other : vector<64x64xf32>
    vector.transfer_write %sum, %out[%c0, %c0] {in_bounds = [true, true]}
        : vector<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Sums of integers, as counts are.
// CHECK-LABEL: gpu.func @integer_sums
// CHECK: %[[SUM:.*]] = wgtile.row_reduce addi %{{.*}} : tensor<16x8xi32> -> tensor<16xi32>
// CHECK: wgtile.store %[[SUM]], %{{.*}} : tensor<16xi32>
gpu.module @integer_sums_module {
  gpu.func @integer_sums(%a: memref<?x?xi32>, %out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %zeros = arith.constant dense<0> : vector<16xi32>
    %tile = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<?x?xi32>, vector<16x8xi32>
    %sums = vector.multi_reduction <add>, %tile, %zeros [1] : vector<16x8xi32> to vector<16xi32>
    vector.transfer_write %sums, %out[%c0] {in_bounds = [true]} : vector<16xi32>, memref<?xi32>
    gpu.return
  }
}

// -----

// Views that end before the memref under them: what goes to registers, or comes
// from them, is clipped by a view of the memref that ends there.
// CHECK-DAG: #[[END:.+]] = affine_map<()[s0, s1] -> (s0 + s1)>
// CHECK-LABEL: gpu.func @view_ends_elsewhere(
// CHECK-SAME:    %[[OUT:.*]]: memref<?x?xf32>, %[[J:.*]]: index, %[[N:.*]]: index)
// CHECK-DAG:     %[[LAST:.*]] = affine.apply #[[END]]()[%[[N]], %[[J]]]
// CHECK-DAG:     %[[ROWS:.*]] = memref.dim %[[OUT]], %c0
// CHECK:         %[[VIEW:.*]] = memref.subview %[[OUT]][0, 0] [%[[ROWS]], %[[LAST]]] [1, 1]
// CHECK:         wgtile.store %{{.*}}, %[[VIEW]][%{{.*}}, %[[J]]] in_bounds [true, false]
gpu.module @kernels {
  gpu.func @view_ends_elsewhere(%out: memref<?x?xf32>, %j: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %view = memref.subview %out[0, %j] [64, %n] [1, 1]
        : memref<?x?xf32> to memref<64x?xf32, strided<[?, 1], offset: ?>>
    vector.transfer_write %zeros, %view[%c0, %c0] {in_bounds = [true, false]}
        : vector<64x64xf32>, memref<64x?xf32, strided<[?, 1], offset: ?>>
    gpu.return
  }
}

// -----

// The size of another memref says nothing; a view of a view ends at the earlier end, whatever the other's. The dimension
// between rows and columns is seen first.
#width = affine_map<(d0)[s0] -> (-d0 + s0, 16)>
// CHECK-LABEL: gpu.func @end_of_another(
// CHECK-SAME:    %[[OUT:.*]]: memref<?x8x64xf32>
// CHECK:         %[[WIDTH:.*]] = affine.min
// CHECK:         %[[SEEN:.*]] = memref.transpose %[[OUT]] (d0, d1, d2) -> (d1, d0, d2)
// CHECK:         %[[VIEW:.*]] = memref.subview %[[SEEN]][0, 0, 0] [8, %{{.*}}, 64] [1, 1, 1]
// CHECK:         wgtile.store %{{.*}}, %[[VIEW]][%{{.*}}, %{{.*}}, %c0{{.*}}] in_bounds [false, true]
gpu.module @kernels {
  gpu.func @end_of_another(%out: memref<?x8x64xf32>, %other: memref<?xf32>,
                           %first: index, %count: index, %j: index, %r: index) kernel {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : vector<16x64xf32>
    %n = memref.dim %other, %c0 : memref<?xf32>
    %width = affine.min #width(%j)[%n]
    %outer = memref.subview %out[%first, 0, 0] [%count, 8, 64] [1, 1, 1]
        : memref<?x8x64xf32> to memref<?x8x64xf32, strided<[512, 64, 1], offset: ?>>
    %view = memref.subview %outer[%j, %r, 0] [%width, 1, 64] [1, 1, 1]
        : memref<?x8x64xf32, strided<[512, 64, 1], offset: ?>> to memref<?x64xf32, strided<[512, 1], offset: ?>>
    vector.transfer_write %zeros, %view[%c0, %c0] {in_bounds = [false, true]}
        : vector<16x64xf32>, memref<?x64xf32, strided<[512, 1], offset: ?>>
    gpu.return
  }
}

// -----

// A vector's reduction, and a sum of products of two vectors' elements, which is no MMA.
#along = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
// CHECK-LABEL: gpu.func @vector_reduce(
// CHECK:         %[[V:.*]] = wgtile.read
// CHECK:         %[[M:.*]] = wgtile.tile_reduce maxnumf %[[V]] : tensor<16xf32> -> f32
// CHECK:         %[[MAXIMUM:.*]] = arith.maxnumf %{{.*}}, %[[M]] : f32
// CHECK:         %[[PRODUCTS:.*]] = arith.mulf %[[V]], %[[V]] : tensor<16xf32>
// CHECK:         %[[S:.*]] = wgtile.tile_reduce addf %[[PRODUCTS]] : tensor<16xf32> -> f32
// CHECK:         arith.addf %[[MAXIMUM]], %[[S]] : f32
gpu.module @kernels {
  gpu.func @vector_reduce(%m: memref<?xf32>, %x: f32, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %m[%c0], %zero {in_bounds = [true]} : memref<?xf32>, vector<16xf32>
    %maximum = vector.multi_reduction <maxnumf>, %v, %x [0] : vector<16xf32> to f32
    %sum = vector.contract {
        indexing_maps = [#along, #along, #none], iterator_types = ["reduction"],
        kind = #vector.kind<add>} %v, %v, %maximum : vector<16xf32>, vector<16xf32> into f32
    memref.store %sum, %out[] : memref<f32>
    gpu.return
  }
}

// -----

// The sum of the products of all of two tiles is none either; it may be carried.
#tile = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: gpu.func @tiles_reduce(
// CHECK-SAME:    %{{.*}}: memref<?x?xf16>, %{{.*}}: memref<?x?xf16>, %[[FORMER:[a-z0-9]+]]: f32
// CHECK-COUNT-2: arith.extf {{.*}} : tensor<16x8xf16> to tensor<16x8xf32>
// CHECK:         %[[PRODUCTS:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<16x8xf32>
// CHECK:         %[[S:.*]] = wgtile.tile_reduce addf %[[PRODUCTS]] : tensor<16x8xf32> -> f32
// CHECK:         arith.addf %[[FORMER]], %[[S]] : f32
gpu.module @kernels {
  gpu.func @tiles_reduce(%x: memref<?x?xf16>, %y: memref<?x?xf16>, %former: f32, %out: memref<f32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f16
    %a = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : memref<?x?xf16>, vector<16x8xf16>
    %b = vector.transfer_read %y[%c0, %c0], %zero {in_bounds = [true, true]} : memref<?x?xf16>, vector<16x8xf16>
    %sum = vector.contract {
        indexing_maps = [#tile, #tile, #none], iterator_types = ["reduction", "reduction"],
        kind = #vector.kind<add>} %a, %b, %former : vector<16x8xf16>, vector<16x8xf16> into f32
    memref.store %sum, %out[] : memref<f32>
    gpu.return
  }
}

// -----

// Of whole tiles to one number, which is combined with the one before.
// CHECK-LABEL: gpu.func @numbers
// CHECK-SAME:  %[[FORMER:[a-z0-9]+]]: i32, %[[LEAST:[a-z0-9]+]]: i64
// CHECK:       %[[SUM:.*]] = wgtile.tile_reduce addi %{{.*}} : tensor<16x8xi32> -> i32
// CHECK-NEXT:  arith.addi %[[FORMER]], %[[SUM]] : i32
// CHECK:       %[[MIN:.*]] = wgtile.tile_reduce mins %{{.*}} : tensor<16x8xi64> -> i64
// CHECK-NEXT:  arith.minsi %[[LEAST]], %[[MIN]] : i64
// CHECK:       %[[MAX:.*]] = wgtile.tile_reduce maxs %{{.*}} : tensor<16x8xi64> -> i64
// CHECK-NEXT:  arith.maxsi %[[LEAST]], %[[MAX]] : i64
gpu.module @numbers_module {
  gpu.func @numbers(%former: i32, %least: i64, %a: memref<?x?xi32>, %b: memref<?x?xi64>, %sum: memref<i32>, %limits: memref<2xi64>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %long = arith.constant 0 : i64
    %tile = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<?x?xi32>, vector<16x8xi32>
    %0 = vector.multi_reduction <add>, %tile, %former [0, 1] : vector<16x8xi32> to i32
    memref.store %0, %sum[] : memref<i32>
    %wide = vector.transfer_read %b[%c0, %c0], %long {in_bounds = [true, true]} : memref<?x?xi64>, vector<16x8xi64>
    %1 = vector.multi_reduction <minsi>, %wide, %least [0, 1] : vector<16x8xi64> to i64
    memref.store %1, %limits[%c0] : memref<2xi64>
    %2 = vector.multi_reduction <maxsi>, %wide, %least [0, 1] : vector<16x8xi64> to i64
    memref.store %2, %limits[%c1] : memref<2xi64>
    gpu.return
  }
}

// -----

// A view of rows that ends before the memref: all rows are loaded, and those after
// the view's end do not count.
// CHECK-LABEL: gpu.func @rows
// CHECK-SAME:    (%[[B:.*]]: memref<?x128xbf16>, %[[FIRST:.*]]: index, %[[N:.*]]: index,
// CHECK:         %[[R:.*]] = wgtile.load %[[B]][%[[FIRST]], %{{.+}}] : memref<?x128xbf16> -> !wgtile.shared<64x128xbf16>
// CHECK:         wgtile.mma %{{.+}}, %[[R]], %{{.+}} rows %[[N]] : tensor<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  gpu.func @rows(%b: memref<?x128xbf16>, %first: index, %n: index,
                 %l: vector<64x64xbf16>, %acc: vector<64x128xf32>,
                 %out: memref<64x128xf32>) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %view = memref.subview %b[%first, 0] [%n, 128] [1, 1]
        : memref<?x128xbf16> to memref<?x128xbf16, strided<[128, 1], offset: ?>>
    %r = vector.transfer_read %view[%c0, %c0], %pad {in_bounds = [false, true]}
        : memref<?x128xbf16, strided<[128, 1], offset: ?>>, vector<64x128xbf16>
    %0 = vector.contract {
        indexing_maps = [#mk, #kn, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %l, %r, %acc
        : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
    vector.transfer_write %0, %out[%c0, %c0] {in_bounds = [true, true]}
        : vector<64x128xf32>, memref<64x128xf32>
    gpu.return
  }
}

// -----

// The largest of widened elements is that of the narrow ones, widened; their sum is not.
// CHECK-LABEL: gpu.func @narrow_numbers
// CHECK:       %[[T:.*]] = wgtile.read {{.*}} -> tensor<16x8xbf16>
// CHECK:       %[[W:.*]] = arith.extf %[[T]]
// CHECK:       %[[M:.*]] = wgtile.tile_reduce maxnumf %[[T]] : tensor<16x8xbf16> -> bf16
// CHECK-NEXT:  %[[MAXIMUM:.*]] = arith.extf %[[M]] : bf16 to f32
// CHECK-NEXT:  arith.maxnumf %{{.*}}, %[[MAXIMUM]] : f32
// CHECK:       wgtile.tile_reduce addf %[[W]] : tensor<16x8xf32> -> f32
gpu.module @narrow_numbers_module {
  gpu.func @narrow_numbers(%x: f32, %a: memref<?x?xbf16>, %out: memref<2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : bf16
    %tile = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<?x?xbf16>, vector<16x8xbf16>
    %wide = arith.extf %tile : vector<16x8xbf16> to vector<16x8xf32>
    %0 = vector.multi_reduction <maxnumf>, %wide, %x [0, 1] : vector<16x8xf32> to f32
    memref.store %0, %out[%c0] : memref<2xf32>
    %1 = vector.multi_reduction <add>, %wide, %x [0, 1] : vector<16x8xf32> to f32
    memref.store %1, %out[%c1] : memref<2xf32>
    gpu.return
  }
}

// -----

// Two products of one read: one load, whose tile both have.
// CHECK-LABEL: gpu.func @shared_operand
// CHECK-SAME:    (%[[X:.*]]: memref<64x64xbf16>, %[[W:.*]]: memref<64x64xbf16>
// CHECK:         %[[TILE:.*]] = wgtile.load %[[X]]
// CHECK-NOT:     wgtile.load %[[X]]
// CHECK:         wgtile.mma %[[TILE]], %{{.*}}, %{{.*}} :
// CHECK-NOT:     wgtile.load %[[X]]
// CHECK:         wgtile.mma %{{.*}}, %[[TILE]], %{{.*}} transpose_b :
// CHECK-NOT:     vector
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  gpu.func @shared_operand(%x: memref<64x64xbf16>, %w: memref<64x64xbf16>,
                           %out: memref<64x64xf32>, %other: memref<64x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %tile = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<64x64xbf16>, vector<64x64xbf16>
    %weights = vector.transfer_read %w[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<64x64xbf16>, vector<64x64xbf16>
    %0 = vector.contract {
        indexing_maps = [#mk, #kn, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %tile, %weights, %zeros
        : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
    %1 = vector.contract {
        indexing_maps = [#mk, #nk, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %weights, %tile, %zeros
        : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
    vector.transfer_write %0, %out[%c0, %c0] {in_bounds = [true, true]}
        : vector<64x64xf32>, memref<64x64xf32>
    vector.transfer_write %1, %other[%c0, %c0] {in_bounds = [true, true]}
        : vector<64x64xf32>, memref<64x64xf32>
    gpu.return
  }
}

// -----

// A left operand of 16 bits by its columns.
// CHECK-LABEL: gpu.func @transposed_left
// CHECK:         %[[TILE:.*]] = wgtile.load
// CHECK:         wgtile.mma %[[TILE]], %[[TILE]], %{{.*}} transpose_a : !wgtile.shared<64x64xf16>, !wgtile.shared<64x64xf16>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  gpu.func @transposed_left(%a: memref<?x?xf16>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f16
    %l = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<?x?xf16>, vector<64x64xf16>
    %acc = arith.constant dense<0.0> : vector<64x64xf32>
    %0 = vector.contract {
        indexing_maps = [#km, #kn, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %l, %l, %acc
        : vector<64x64xf16>, vector<64x64xf16> into vector<64x64xf32>
    vector.transfer_write %0, %out[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}
