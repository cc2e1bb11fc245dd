// RUN: sparse-opt %s --sattn-cpu-register-tile | FileCheck %s --check-prefixes=CHECK,W512
// RUN: sparse-opt %s --sattn-cpu-register-tile=vector-bits=256 | FileCheck %s --check-prefixes=CHECK,W256
// RUN: sparse-opt %s --sattn-cpu-register-tile="register-tile=8,32" | FileCheck %s --check-prefixes=CHECK,GIVEN
// RUN: not sparse-opt %s --sattn-cpu-register-tile=vector-bits=100 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not sparse-opt %s --sattn-cpu-register-tile=register-tile=8 2>&1 | FileCheck %s --check-prefix=SIZES

// BITS: error: expected vector-bits to be a power of two of at least 32, but got 100
// SIZES: error: expected register-tile to be two positive sizes

#id = affine_map<(d0, d1) -> (d0, d1)>

// Panels of columns with their copy of the right operand, rows, steps of 1.
// CHECK-LABEL: func.func @product
// CHECK:         %[[LEFT:.*]] = scf.for
// CHECK:         scf.for {{.*}} to %c128 step
// CHECK:           scf.for
// W512:              linalg.generic {{.*}} ins(%{{.*}} : tensor<1x64xbf16>) outs(%{{.*}} : tensor<1x64xf32>)
// W256:              linalg.generic {{.*}} ins(%{{.*}} : tensor<1x16xbf16>) outs(%{{.*}} : tensor<1x16xf32>)
// GIVEN:             linalg.generic {{.*}} ins(%{{.*}} : tensor<1x32xbf16>) outs(%{{.*}} : tensor<1x32xf32>)
// CHECK:           scf.for {{.*}} to %c64 step
// CHECK:             scf.for {{.*}} to %c64 step %c1
// W512:                linalg.matmul ins(%{{.*}} : tensor<4x1xf32>, tensor<1x64xf32>) outs(%{{.*}} : tensor<4x64xf32>)
// W256:                linalg.matmul ins(%{{.*}} : tensor<4x1xf32>, tensor<1x16xf32>) outs(%{{.*}} : tensor<4x16xf32>)
// GIVEN:               linalg.matmul ins(%{{.*}} : tensor<8x1xf32>, tensor<1x32xf32>) outs(%{{.*}} : tensor<8x32xf32>)
func.func @product(%l: tensor<64x64xbf16>, %r: tensor<64x128xbf16>, %out: tensor<64x128xf32>)
    -> tensor<64x128xf32> {
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<64x128xf32>) {
    %le = tensor.empty() : tensor<64x64xf32>
    %lp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%l : tensor<64x64xbf16>) outs(%le : tensor<64x64xf32>) {
    ^bb0(%x: bf16, %y: f32):
      %e = arith.extf %x : bf16 to f32
      linalg.yield %e : f32
    } -> tensor<64x64xf32>
    %re = tensor.empty() : tensor<64x128xf32>
    %rp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%r : tensor<64x128xbf16>) outs(%re : tensor<64x128xf32>) {
    ^bb0(%x: bf16, %y: f32):
      %e = arith.extf %x : bf16 to f32
      linalg.yield %e : f32
    } -> tensor<64x128xf32>
    %m = linalg.matmul ins(%lp, %rp : tensor<64x64xf32>, tensor<64x128xf32>)
        outs(%o : tensor<64x128xf32>) -> tensor<64x128xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0, 0] [64, 128] [1, 1] : tensor<64x128xf32> into tensor<64x128xf32>
    }
  }
  return %0 : tensor<64x128xf32>
}

// Sizes that the register tile does not divide get a smaller one.
// CHECK-LABEL: func.func @odd_sizes
// W512:          linalg.matmul {{.*}} outs(%{{.*}} : tensor<4x40xf32>)
// W256:          linalg.matmul {{.*}} outs(%{{.*}} : tensor<8x8xf32>)
// GIVEN:         linalg.matmul {{.*}} outs(%{{.*}} : tensor<8x20xf32>)
func.func @odd_sizes(%l: tensor<24x8xf32>, %r: tensor<8x40xf32>, %out: tensor<24x40xf32>)
    -> tensor<24x40xf32> {
  %0 = scf.forall (%j) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<24x40xf32>) {
    %m = linalg.matmul ins(%l, %r : tensor<24x8xf32>, tensor<8x40xf32>)
        outs(%o : tensor<24x40xf32>) -> tensor<24x40xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0, 0] [24, 40] [1, 1] : tensor<24x40xf32> into tensor<24x40xf32>
    }
  }
  return %0 : tensor<24x40xf32>
}

// Rows of unknown length are tiled by a divisor of their largest.
// CHECK-LABEL: func.func @clipped
// CHECK:         scf.for {{.*}} to %c24 step %c1
// W512:            scf.for {{.*}} step %c40
// W256:            scf.for {{.*}} step %c8
// GIVEN:           scf.for {{.*}} step %c20
// CHECK:             linalg.fill {{.*}} tensor<1x?xf32>
func.func @clipped(%value: f32, %out: tensor<24x?xf32>) -> tensor<24x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %out, %c1 : tensor<24x?xf32>
  %0 = scf.forall (%j) = (0) to (%n) step (40) shared_outs(%o = %out) -> (tensor<24x?xf32>) {
    %w = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 40)>(%j)[%n]
    %s = tensor.extract_slice %o[0, %j] [24, %w] [1, 1] : tensor<24x?xf32> to tensor<24x?xf32>
    %f = linalg.fill ins(%value : f32) outs(%s : tensor<24x?xf32>) -> tensor<24x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %f into %o[0, %j] [24, %w] [1, 1] : tensor<24x?xf32> into tensor<24x?xf32>
    }
  }
  return %0 : tensor<24x?xf32>
}

// A row is reduced in pieces of a panel's width.
// CHECK-LABEL: func.func @reduce
// CHECK:         scf.for {{.*}} to %c8 step %c1
// CHECK:           scf.for {{.*}} to %c128 step
// W512:              linalg.generic {{.*}} ins(%{{.*}} : tensor<1x64xf32>) outs(%{{.*}} : tensor<1xf32>)
// W256:              linalg.generic {{.*}} ins(%{{.*}} : tensor<1x16xf32>) outs(%{{.*}} : tensor<1xf32>)
// GIVEN:             linalg.generic {{.*}} ins(%{{.*}} : tensor<1x32xf32>) outs(%{{.*}} : tensor<1xf32>)
func.func @reduce(%in: tensor<8x128xf32>, %out: tensor<8xf32>) -> tensor<8xf32> {
  %0 = scf.forall (%i) = (0) to (1) step (1) shared_outs(%o = %out) -> (tensor<8xf32>) {
    %m = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%in : tensor<8x128xf32>) outs(%o : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32):
      %n = arith.maximumf %x, %y : f32
      linalg.yield %n : f32
    } -> tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}
