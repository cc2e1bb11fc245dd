// RUN: sparse-opt %s --sattn-cpu-pack-panels | FileCheck %s

// A right operand whose columns are contiguous is packed as any other: panels
// of its rows' elements, transposed where they are copied. The last panel is
// cleared before, instead of a pad of the rows that are read.
// CHECK-DAG:   #[[PANELS:.*]] = affine_map<()[s0] -> ((s0 ceildiv 128) * 2)>
// CHECK-DAG:   #[[JI:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @bf16
// CHECK-SAME:    %[[L:.*]]: tensor<64x32xbf16>, %[[X:.*]]: tensor<?x?xbf16>, %[[K:.*]]: index
// CHECK:         %[[COUNT:.*]] = affine.apply #[[PANELS]]()
// CHECK:         %[[PACKED:.*]] = scf.forall (%[[ROW:.*]]) = (0) to (%{{.*}}) step (32)
// CHECK:           scf.for %[[P:.*]] = %{{.*}} to %[[COUNT]]
// CHECK:             %[[S:.*]] = tensor.extract_slice %[[X]][%{{.*}}, %[[ROW]]] [%[[IN:.*]], %[[H:.*]]] [1, 1]
// CHECK-NOT:         tensor.pad
// CHECK:             %[[FULL:.*]] = arith.cmpi eq, %[[IN]], %c64
// CHECK:             %[[PANEL:.*]] = scf.if %[[FULL]]
// CHECK:             } else {
// CHECK:               linalg.fill
// CHECK:             %[[T:.*]] = tensor.extract_slice %[[PANEL]][0, 0] [%[[H]], %[[IN]]] [1, 1]
// CHECK:             linalg.generic {indexing_maps = [#[[JI]], #{{.*}}], {{.*}}} ins(%[[S]] : tensor<?x?xbf16>) outs(%[[T]] : tensor<?x?xf32>)
// CHECK:               arith.extf
// CHECK:         scf.forall (%[[J:.*]], %[[I:.*]]) =
// CHECK:           %[[SLICE:.*]] = tensor.extract_slice %[[PACKED]][%{{.*}}, %[[K]], 0] [2, 32, 64] [1, 1, 1]
// CHECK:           %[[R:.*]] = linalg.unpack %[[SLICE]]
// CHECK:           linalg.matmul ins(%[[L]], %[[R]] : tensor<64x32xbf16>, tensor<32x128xf32>)
func.func @bf16(%l: tensor<64x32xbf16>, %x: tensor<?x?xbf16>, %k: index, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : bf16
  %acc = tensor.empty() : tensor<64x128xf32>
  %m = tensor.dim %out, %c0 : tensor<?x?xf32>
  %n = tensor.dim %out, %c1 : tensor<?x?xf32>
  %0 = scf.forall (%i, %j) = (0, 0) to (%m, %n) step (64, 128) shared_outs(%o = %out) -> (tensor<?x?xf32>) {
    %d = tensor.dim %x, %c0 : tensor<?x?xbf16>
    %w = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 128)>(%j)[%d]
    %s = tensor.extract_slice %x[%j, %k] [%w, 32] [1, 1] : tensor<?x?xbf16> to tensor<?x32xbf16>
    %h = affine.apply affine_map<(d0) -> (-d0 + 128)>(%w)
    %r = tensor.pad %s low[0, 0] high[%h, 0] {
    ^bb0(%p: index, %q: index):
      tensor.yield %zero : bf16
    } : tensor<?x32xbf16> to tensor<128x32xbf16>
    %p = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                        affine_map<(m, n, k) -> (m, n)>]
        ins(%l, %r : tensor<64x32xbf16>, tensor<128x32xbf16>)
        outs(%acc : tensor<64x128xf32>) -> tensor<64x128xf32>
    %c = tensor.extract_slice %p[0, 0] [64, %w] [1, 1] : tensor<64x128xf32> to tensor<64x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%i, %j] [64, %w] [1, 1] : tensor<64x?xf32> into tensor<?x?xf32>
    }
  } {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
  return %0 : tensor<?x?xf32>
}
