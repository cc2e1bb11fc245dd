// RUN: sparse-opt %s --sattn-cpu-pack-panels=vector-bits=256 | FileCheck %s

// A window that each tile reads at another place is packed by the tile, without
// a pad where it is whole: rows from their first panel to their last, and of a
// transposed one squares of eight rows from their first column to their last.
// CHECK-LABEL: func.func @keys
// CHECK-SAME:    %{{[^:]*}}: tensor<32x64xf32>, %[[K:[^:]*]]: tensor<?x64xbf16>
// CHECK:         scf.forall (%[[I:.*]]) =
// CHECK:           scf.for %[[T:.*]] =
// CHECK:             %[[SIZE:.*]] = affine.min
// CHECK:             %[[PAD:.*]] = tensor.pad
// CHECK:             %[[PANELS:.*]] = tensor.empty() : tensor<2x64x16xf32>
// CHECK:             %[[IS_WHOLE:.*]] = arith.cmpi eq, %[[SIZE]], %c32
// CHECK:             %[[PACKED:.*]] = scf.if %[[IS_WHOLE]]
// CHECK:               %[[WHOLE:.*]] = tensor.extract_slice %[[K]][%{{.*}}, 0] [32, 64] [1, 1]
// CHECK:               scf.for %[[P:.*]] = %c0{{.*}} to %c2{{.*}} iter_args(%{{.*}} = %[[PANELS]])
// CHECK:                 scf.for %[[S:.*]] = %c0{{.*}} to %c2
// CHECK:                   %[[ROW:.*]] = affine.apply #{{.*}}(%[[P]], %[[S]])
// CHECK:                   %[[COLUMN:.*]] = affine.apply #{{.*}}(%[[S]])
// CHECK:                   tensor.extract_slice %[[WHOLE]][%[[ROW]], 0] [8, 64] [1, 1]
// CHECK:                   tensor.extract_slice %{{.*}}[%[[P]], 0, %[[COLUMN]]] [1, 64, 8] [1, 1, 1]
// CHECK:                   linalg.generic {{.*}} ins(%{{.*}} : tensor<8x64xbf16>) outs(%{{.*}} : tensor<64x8xf32>)
// CHECK:             } else {
// CHECK:               tensor.extract_slice %[[PAD]]
// CHECK:             linalg.unpack %[[PACKED]] outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16]
// CHECK:             linalg.matmul {{.*}} : tensor<32x64xf32>, tensor<64x32xf32>

// CHECK:             %[[ROWS:.*]] = tensor.empty() : tensor<4x32x16xf32>
// CHECK:             scf.if
// CHECK:               scf.for %[[R:.*]] = %c0{{.*}} to %c32{{.*}} iter_args(%{{.*}} = %[[ROWS]])
// CHECK:                 scf.for %[[P:.*]] = %c0{{.*}} to %c4
// CHECK:                   %[[COLUMN:.*]] = affine.apply #{{.*}}(%[[P]])
// CHECK:                   tensor.extract_slice %{{.*}}[%[[R]], %[[COLUMN]]] [1, 16] [1, 1]
// CHECK:                   tensor.extract_slice %{{.*}}[%[[P]], %[[R]], 0] [1, 1, 16] [1, 1, 1]
// CHECK:             linalg.matmul {{.*}} : tensor<32x32xf32>, tensor<32x64xf32>
func.func @keys(%q: tensor<32x64xf32>, %k: tensor<?x64xbf16>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %nothing = arith.constant 0.0 : bf16
  %n = tensor.dim %k, %c0 : tensor<?x64xbf16>
  %m = tensor.dim %out, %c0 : tensor<?x64xf32>
  %blocks = affine.apply affine_map<()[s0] -> (s0 ceildiv 32)>()[%n]
  %0 = scf.forall (%i) = (0) to (%m) step (32) shared_outs(%o = %out) -> (tensor<?x64xf32>) {
    %target = tensor.extract_slice %o[%i, 0] [32, 64] [1, 1] : tensor<?x64xf32> to tensor<32x64xf32>
    %sum = scf.for %t = %c0 to %blocks step %c1 iter_args(%acc = %target) -> (tensor<32x64xf32>) {
      %place = affine.apply affine_map<(d0) -> (d0 * 32)>(%t)
      %size = affine.min affine_map<(d0)[s0] -> (d0 * -32 + s0, 32)>(%t)[%n]
      %slice = tensor.extract_slice %k[%place, 0] [%size, 64] [1, 1] : tensor<?x64xbf16> to tensor<?x64xbf16>
      %high = affine.apply affine_map<(d0) -> (-d0 + 32)>(%size)
      %pad = tensor.pad %slice low[0, 0] high[%high, 0] {
      ^bb0(%x: index, %y: index):
        tensor.yield %nothing : bf16
      } : tensor<?x64xbf16> to tensor<32x64xbf16>
      %turned = tensor.empty() : tensor<64x32xbf16>
      %kt = linalg.transpose ins(%pad : tensor<32x64xbf16>) outs(%turned : tensor<64x32xbf16>) permutation = [1, 0]
      %scores = tensor.empty() : tensor<32x32xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%scores : tensor<32x32xf32>) -> tensor<32x32xf32>
      %s = linalg.matmul ins(%q, %kt : tensor<32x64xf32>, tensor<64x32xbf16>) outs(%zeros : tensor<32x32xf32>) -> tensor<32x32xf32>
      %next = linalg.matmul ins(%s, %pad : tensor<32x32xf32>, tensor<32x64xbf16>) outs(%acc : tensor<32x64xf32>) -> tensor<32x64xf32>
      scf.yield %next : tensor<32x64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %o[%i, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<?x64xf32>
    }
  }
  return %0 : tensor<?x64xf32>
}

// A window that does not change in the loop of a tile is packed before it.
// CHECK-LABEL: func.func @fixed
// CHECK:         scf.forall
// CHECK:           %[[PACKED:.*]] = scf.if
// CHECK:           scf.for {{.*}} -> (tensor<32x64xf32>)
// CHECK:             linalg.unpack %[[PACKED]]
// CHECK-NOT:         linalg.copy
// CHECK:             linalg.matmul
func.func @fixed(%left: tensor<?x32x32xf32>, %b: tensor<?x64xf32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %b, %c0 : tensor<?x64xf32>
  %m = tensor.dim %left, %c0 : tensor<?x32x32xf32>
  %0 = scf.forall (%i) = (0) to (%n) step (32) shared_outs(%o = %out) -> (tensor<?x64xf32>) {
    %target = tensor.extract_slice %o[%i, 0] [32, 64] [1, 1] : tensor<?x64xf32> to tensor<32x64xf32>
    %size = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 32)>(%i)[%n]
    %slice = tensor.extract_slice %b[%i, 0] [%size, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %high = affine.apply affine_map<(d0) -> (-d0 + 32)>(%size)
    %pad = tensor.pad %slice low[0, 0] high[%high, 0] {
    ^bb0(%x: index, %y: index):
      tensor.yield %zero : f32
    } : tensor<?x64xf32> to tensor<32x64xf32>
    %sum = scf.for %t = %c0 to %m step %c1 iter_args(%acc = %target) -> (tensor<32x64xf32>) {
      %l = tensor.extract_slice %left[%t, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<?x32x32xf32> to tensor<32x32xf32>
      %p = linalg.matmul ins(%l, %pad : tensor<32x32xf32>, tensor<32x64xf32>) outs(%acc : tensor<32x64xf32>) -> tensor<32x64xf32>
      scf.yield %p : tensor<32x64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %o[%i, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<?x64xf32>
    }
  }
  return %0 : tensor<?x64xf32>
}
