// RUN: sparse-opt %s --sattn-cpu-register-tile | FileCheck %s

// Panels of 16 columns, of which the last has eight: register tiles have the
// panel's width, which is not known before the loop.
// CHECK-LABEL: func.func @clipped
// CHECK:         scf.for %[[COLUMN:.*]] = %c0{{.*}} to %c24{{.*}} step %c16
// CHECK:           %[[WIDTH:.*]] = affine.min #{{.*}}(%[[COLUMN]])
// CHECK:           tensor.extract_slice %{{.*}}[0, 0] [8, %[[WIDTH]]] [1, 1]
func.func @clipped(%a: tensor<8x4xf32>, %p: tensor<2x4x16xf32>, %o: tensor<8x24xf32>) -> tensor<8x24xf32> {
  %r = scf.forall (%i) in (1) shared_outs(%s = %o) -> (tensor<8x24xf32>) {
    %e = tensor.empty() : tensor<4x24xf32>
    %u = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %e : tensor<2x4x16xf32> -> tensor<4x24xf32>
    %z = arith.constant 0.0 : f32
    %t = tensor.empty() : tensor<8x24xf32>
    %f = linalg.fill ins(%z : f32) outs(%t : tensor<8x24xf32>) -> tensor<8x24xf32>
    %m = linalg.matmul ins(%a, %u : tensor<8x4xf32>, tensor<4x24xf32>) outs(%f : tensor<8x24xf32>) -> tensor<8x24xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %s[0, 0] [8, 24] [1, 1] : tensor<8x24xf32> into tensor<8x24xf32>
    }
  }
  return %r : tensor<8x24xf32>
}
