// RUN: sparse-opt %s --sattn-cpu-pack-panels=vector-bits=256 | FileCheck %s

// A copy that swaps no dimensions is not a transposed window.
// CHECK-LABEL: func.func @identity
// CHECK:         linalg.transpose {{.*}} permutation = [0, 1]
// CHECK-NOT:     linalg.unpack
// CHECK:         linalg.matmul
func.func @identity(%a: tensor<8x8xf32>, %p: tensor<16x64xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = scf.forall (%i) in (2) shared_outs(%s = %o) -> (tensor<8x8xf32>) {
    %w = tensor.extract_slice %p[%i, %i] [8, 8] [1, 1] : tensor<16x64xf32> to tensor<8x8xf32>
    %e = tensor.empty() : tensor<8x8xf32>
    %z = arith.constant 0.0 : f32
    %f = linalg.fill ins(%z : f32) outs(%s : tensor<8x8xf32>) -> tensor<8x8xf32>
    %t = linalg.transpose ins(%w : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [0, 1]
    %m = linalg.matmul ins(%a, %t : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %s[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x8xf32>
    }
  }
  return %r : tensor<8x8xf32>
}

// A product without columns reads nothing.
// CHECK-LABEL: func.func @no_columns
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<4x0xf32>)
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<4x0xf32>)
func.func @no_columns(%a: tensor<8x4xf32>, %p: tensor<16x64xf32>, %n: index, %q: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = scf.forall (%i) in (2) shared_outs(%s = %o) -> (tensor<8x8xf32>) {
    %t = tensor.empty() : tensor<8x0xf32>
    %counted = tensor.extract_slice %p[%i, %i] [4, 0] [1, 1] : tensor<16x64xf32> to tensor<4x0xf32>
    %given = tensor.extract_slice %p[%i, %n] [4, 0] [1, 1] : tensor<16x64xf32> to tensor<4x0xf32>
    %0 = linalg.matmul ins(%a, %counted : tensor<8x4xf32>, tensor<4x0xf32>) outs(%t : tensor<8x0xf32>) -> tensor<8x0xf32>
    %1 = linalg.matmul ins(%a, %given : tensor<8x4xf32>, tensor<4x0xf32>) outs(%0 : tensor<8x0xf32>) -> tensor<8x0xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %s[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x8xf32>
    }
  }
  return %r : tensor<8x8xf32>
}
