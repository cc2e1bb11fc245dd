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

// A left operand that is padded is copied, once where a loop takes it each time.
// CHECK-LABEL: func.func @padded
// CHECK:         scf.forall
// CHECK:           %[[PAD:.*]] = tensor.pad
// CHECK:           %[[COPY:.*]] = linalg.copy ins(%[[PAD]] : tensor<8x16xf32>)
// CHECK:           scf.for
// CHECK:             linalg.matmul ins(%[[COPY]], %{{.*}} :
func.func @padded(%l: tensor<?x16xf32>, %r: tensor<?x16x64xf32>, %out: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %r, %c0 : tensor<?x16x64xf32>
  %0 = scf.forall (%t) in (1) shared_outs(%o = %out) -> (tensor<8x64xf32>) {
    %size = tensor.dim %l, %c0 : tensor<?x16xf32>
    %high = affine.apply affine_map<()[s0] -> (8 - s0)>()[%size]
    %tile = tensor.pad %l low[0, 0] high[%high, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<?x16xf32> to tensor<8x16xf32>
    %1 = scf.for %p = %c0 to %n step %c1 iter_args(%sum = %o) -> (tensor<8x64xf32>) {
      %b = tensor.extract_slice %r[%p, 0, 0] [1, 16, 64] [1, 1, 1] : tensor<?x16x64xf32> to tensor<16x64xf32>
      %2 = linalg.matmul ins(%tile, %b : tensor<8x16xf32>, tensor<16x64xf32>) outs(%sum : tensor<8x64xf32>) -> tensor<8x64xf32>
      scf.yield %2 : tensor<8x64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %o[0, 0] [8, 64] [1, 1] : tensor<8x64xf32> into tensor<8x64xf32>
    }
  }
  return %0 : tensor<8x64xf32>
}

// A transposed operand is copied once: it is dense in f32 already, or widened as
// it is transposed.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME:    %[[L:.*]]: tensor<8x16xf32>, %[[F32:.*]]: tensor<64x16xf32>, %[[F16:.*]]: tensor<64x16xf16>
// CHECK:         %[[R32:.*]] = linalg.transpose ins(%[[F32]] :
// CHECK-NOT:     linalg.copy
// CHECK:         linalg.matmul ins(%[[L]], %[[R32]] :
// CHECK:         %[[R16:.*]] = linalg.generic {{.*}} ins(%[[F16]] : tensor<64x16xf16>) outs(%{{.*}} : tensor<16x64xf32>)
// CHECK:         linalg.matmul ins(%[[L]], %[[R16]] :
func.func @transposed(%l: tensor<8x16xf32>, %f32: tensor<64x16xf32>, %f16: tensor<64x16xf16>, %out: tensor<8x64xf32>)
    -> tensor<8x64xf32> {
  %0 = scf.forall (%t) in (1) shared_outs(%o = %out) -> (tensor<8x64xf32>) {
    %e32 = tensor.empty() : tensor<16x64xf32>
    %r32 = linalg.transpose ins(%f32 : tensor<64x16xf32>) outs(%e32 : tensor<16x64xf32>) permutation = [1, 0]
    %1 = linalg.matmul ins(%l, %r32 : tensor<8x16xf32>, tensor<16x64xf32>) outs(%o : tensor<8x64xf32>) -> tensor<8x64xf32>
    %e16 = tensor.empty() : tensor<16x64xf16>
    %r16 = linalg.transpose ins(%f16 : tensor<64x16xf16>) outs(%e16 : tensor<16x64xf16>) permutation = [1, 0]
    %2 = linalg.matmul ins(%l, %r16 : tensor<8x16xf32>, tensor<16x64xf16>) outs(%1 : tensor<8x64xf32>) -> tensor<8x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %2 into %o[0, 0] [8, 64] [1, 1] : tensor<8x64xf32> into tensor<8x64xf32>
    }
  }
  return %0 : tensor<8x64xf32>
}
