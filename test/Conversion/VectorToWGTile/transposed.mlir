// RUN: sparse-opt %s --convert-vector-to-wgtile --canonicalize --split-input-file | FileCheck %s

// A product with a transposed right operand: the tile is loaded as it lies.
// CHECK-LABEL: gpu.func @shared
// CHECK-SAME:    %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>
// CHECK-DAG:     %[[L:.*]] = wgtile.load %[[A]]{{.*}} -> !wgtile.shared<64x32xbf16>
// CHECK-DAG:     %[[R:.*]] = wgtile.load %[[B]]{{.*}} -> !wgtile.shared<128x32xbf16>
// CHECK:         wgtile.mma %[[L]], %[[R]], %{{.*}} transpose_b : !wgtile.shared<64x32xbf16>, !wgtile.shared<128x32xbf16> -> tensor<64x128xf32>
// CHECK-NOT:     vector
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  gpu.func @shared(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x128xf32>
    %l = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<?x?xbf16>, vector<64x32xbf16>
    %r = vector.transfer_read %b[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<?x?xbf16>, vector<128x32xbf16>
    %s = vector.contract {
        indexing_maps = [#mk, #nk, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %l, %r, %zeros
        : vector<64x32xbf16>, vector<128x32xbf16> into vector<64x128xf32>
    vector.transfer_write %s, %out[%c0, %c0] {in_bounds = [true, true]}
        : vector<64x128xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// The left operand is computed: it stays in registers.
// CHECK-LABEL: gpu.func @registers
// CHECK:         %[[L:.*]] = arith.truncf %{{.*}} : tensor<64x32xf32> to tensor<64x32xf16>
// CHECK:         wgtile.mma %[[L]], %{{.*}} transpose_b : tensor<64x32xf16>, !wgtile.shared<128x32xf16> -> tensor<64x128xf32>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  gpu.func @registers(%a: memref<?x?xf32>, %b: memref<?x?xf16>,
                      %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f16
    %wide_pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64x128xf32>
    %wide = vector.transfer_read %a[%c0, %c0], %wide_pad {in_bounds = [true, true]}
        : memref<?x?xf32>, vector<64x32xf32>
    %l = arith.truncf %wide : vector<64x32xf32> to vector<64x32xf16>
    %r = vector.transfer_read %b[%c0, %c0], %pad {in_bounds = [true, true]}
        : memref<?x?xf16>, vector<128x32xf16>
    %s = vector.contract {
        indexing_maps = [#mk, #nk, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %l, %r, %zeros
        : vector<64x32xf16>, vector<128x32xf16> into vector<64x128xf32>
    vector.transfer_write %s, %out[%c0, %c0] {in_bounds = [true, true]}
        : vector<64x128xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Factors of two types, which a contraction has widened: the MMA takes each as it is.
// CHECK-LABEL: gpu.func @two_types
// CHECK-DAG:     %[[L:.*]] = wgtile.load {{.*}} -> !wgtile.shared<64x32xf8E5M2>
// CHECK-DAG:     %[[R:.*]] = wgtile.load {{.*}} -> !wgtile.shared<128x32xf8E4M3FN>
// CHECK-NOT:     arith.extf
// CHECK:         wgtile.mma %[[L]], %[[R]], %{{.*}} transpose_b : !wgtile.shared<64x32xf8E5M2>, !wgtile.shared<128x32xf8E4M3FN> -> tensor<64x128xf32>
// CHECK-NOT:     wgtile.read
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  gpu.func @two_types(%a: memref<?x?xf8E5M2>, %b: memref<?x?xf8E4M3FN>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %pad_a = arith.constant 0.0 : f8E5M2
    %pad_b = arith.constant 0.0 : f8E4M3FN
    %zeros = arith.constant dense<0.0> : vector<64x128xf32>
    %l = vector.transfer_read %a[%c0, %c0], %pad_a {in_bounds = [true, true]} : memref<?x?xf8E5M2>, vector<64x32xf8E5M2>
    %r = vector.transfer_read %b[%c0, %c0], %pad_b {in_bounds = [true, true]} : memref<?x?xf8E4M3FN>, vector<128x32xf8E4M3FN>
    %wl = arith.extf %l : vector<64x32xf8E5M2> to vector<64x32xf32>
    %wr = arith.extf %r : vector<128x32xf8E4M3FN> to vector<128x32xf32>
    %s = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
        %wl, %wr, %zeros : vector<64x32xf32>, vector<128x32xf32> into vector<64x128xf32>
    vector.transfer_write %s, %out[%c0, %c0] {in_bounds = [true, true]} : vector<64x128xf32>, memref<?x?xf32>
    gpu.return
  }
}
