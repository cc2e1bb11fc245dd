// RUN: sparse-opt %s --sattn-cpu-pack-operands | FileCheck %s

// CHECK-LABEL: func.func @bf16
// CHECK-SAME:    %[[L:.*]]: tensor<64x32xbf16>, %[[R:.*]]: tensor<32x128xbf16>
// CHECK:         scf.forall
// CHECK:           %[[LE:.*]] = tensor.empty() : tensor<64x32xf32>
// CHECK:           %[[LP:.*]] = linalg.generic {{.*}} ins(%[[L]] : tensor<64x32xbf16>) outs(%[[LE]] : tensor<64x32xf32>)
// CHECK:             arith.extf %{{.*}} : bf16 to f32
// CHECK:           %[[RE:.*]] = tensor.empty() : tensor<32x128xf32>
// CHECK:           %[[RP:.*]] = linalg.generic {{.*}} ins(%[[R]] : tensor<32x128xbf16>) outs(%[[RE]] : tensor<32x128xf32>)
// CHECK:             arith.extf %{{.*}} : bf16 to f32
// CHECK:           linalg.matmul ins(%[[LP]], %[[RP]] : tensor<64x32xf32>, tensor<32x128xf32>)
func.func @bf16(%l: tensor<64x32xbf16>, %r: tensor<32x128xbf16>, %out: tensor<64x128xf32>)
    -> tensor<64x128xf32> {
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<64x128xf32>) {
    %m = linalg.matmul ins(%l, %r : tensor<64x32xbf16>, tensor<32x128xbf16>)
        outs(%o : tensor<64x128xf32>) -> tensor<64x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0, 0] [64, 128] [1, 1] : tensor<64x128xf32> into tensor<64x128xf32>
    }
  }
  return %0 : tensor<64x128xf32>
}

// In f32 the right operand is copied as it is, since its rows may have any
// strides; the left one is read in place.
// CHECK-LABEL: func.func @f32
// CHECK-SAME:    %[[L:.*]]: tensor<64x32xf32>, %[[R:.*]]: tensor<32x128xf32>
// CHECK:         %[[RP:.*]] = linalg.copy ins(%[[R]] : tensor<32x128xf32>)
// CHECK-NOT:     linalg.copy
// CHECK:         linalg.matmul ins(%[[L]], %[[RP]] :
func.func @f32(%l: tensor<64x32xf32>, %r: tensor<32x128xf32>, %out: tensor<64x128xf32>)
    -> tensor<64x128xf32> {
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<64x128xf32>) {
    %m = linalg.matmul ins(%l, %r : tensor<64x32xf32>, tensor<32x128xf32>)
        outs(%o : tensor<64x128xf32>) -> tensor<64x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0, 0] [64, 128] [1, 1] : tensor<64x128xf32> into tensor<64x128xf32>
    }
  }
  return %0 : tensor<64x128xf32>
}

// What is no tile program is left alone.
// CHECK-LABEL: func.func @outside
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.matmul
func.func @outside(%l: tensor<64x32xf32>, %r: tensor<32x128xf32>, %out: tensor<64x128xf32>)
    -> tensor<64x128xf32> {
  %m = linalg.matmul ins(%l, %r : tensor<64x32xf32>, tensor<32x128xf32>)
      outs(%out : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %m : tensor<64x128xf32>
}

// Panels are dense and in f32 already.
// CHECK-LABEL: func.func @panels
// CHECK:         %[[R:.*]] = linalg.unpack
// CHECK:         %[[LP:.*]] = linalg.generic
// CHECK-NOT:     linalg.copy
// CHECK:         linalg.matmul ins(%[[LP]], %[[R]] :
func.func @panels(%l: tensor<64x32xbf16>, %panels: tensor<2x32x64xf32>, %out: tensor<64x128xf32>)
    -> tensor<64x128xf32> {
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<64x128xf32>) {
    %e = tensor.empty() : tensor<32x128xf32>
    %r = linalg.unpack %panels outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [64] into %e
        : tensor<2x32x64xf32> -> tensor<32x128xf32>
    %m = linalg.matmul ins(%l, %r : tensor<64x32xbf16>, tensor<32x128xf32>)
        outs(%o : tensor<64x128xf32>) -> tensor<64x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0, 0] [64, 128] [1, 1] : tensor<64x128xf32> into tensor<64x128xf32>
    }
  }
  return %0 : tensor<64x128xf32>
}
