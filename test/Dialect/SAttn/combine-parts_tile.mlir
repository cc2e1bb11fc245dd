// RUN: sparse-opt %s --sattn-tile --canonicalize --cse | FileCheck %s

// A tile is rows of a cut's block row. It searches for the block row, and adds
// its parts where the cut is the row's first; else it writes no row. So the
// loop does not write all of the result.

// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[BLOCKS:[^:]*]]: index, %[[CROW:[^:]*]]: tensor<?xi32>, %[[PARTIAL:[^:]*]]: tensor<3x512x64xf32>, %[[LSE:[^:]*]]: tensor<3x512xf32>, %[[OUT:[^:]*]]: tensor<3x?x64xbf16>
// CHECK:         scf.forall (%[[H:.*]], %[[I:.*]]) = (0, 0) to (3, %{{.*}}) step (1, 16) shared_outs(%[[ARG:.*]] = %[[OUT]])
// CHECK:           arith.ceildivsi %[[BLOCKS]], %c5
// CHECK:           %[[ROW:.*]] = scf.for
// CHECK:             tensor.extract %[[CROW]]
// CHECK:             scf.yield
// CHECK:           tensor.extract %[[CROW]]
// CHECK:           tensor.extract %[[CROW]]
// CHECK:           %[[HAS_PARTS:.*]] = arith.andi
// CHECK:           %[[COUNT:.*]] = arith.select %[[HAS_PARTS]], %{{.*}}, %c0
// CHECK:           %[[FIRST:.*]] = arith.select %[[HAS_PARTS]], %{{.*}}, %{{.*}} : index
// CHECK:           %[[HEIGHT:.*]] = affine.min #{{.*}}(%[[FIRST]])
// CHECK:           tensor.extract_slice %[[ARG]][%[[H]], %[[FIRST]], 0] [1, %[[HEIGHT]], 64]
// CHECK:           scf.for %{{.*}} = %c0 to %[[COUNT]]
// CHECK:             tensor.extract_slice %[[PARTIAL]][%[[H]], %[[PLACE:.*]], 0] [1, 16, 64]
// CHECK:             tensor.extract_slice %[[LSE]][%[[H]], %[[PLACE]]] [1, 16]
// CHECK-COUNT-2:     math.exp2
// CHECK:           arith.divf
// CHECK:           tensor.parallel_insert_slice
// CHECK-NOT:     sattn.covers_results
// CHECK:         return
func.func @parts(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<3x512x64xf32>, %lse: tensor<3x512xf32>,
    %out: tensor<3x?x64xbf16>) -> tensor<3x?x64xbf16> {
  %0 = sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<3x512x64xf32>, tensor<3x512xf32>)
      outs(%out : tensor<3x?x64xbf16>) {block_rows = 64} -> tensor<3x?x64xbf16>
  return %0 : tensor<3x?x64xbf16>
}

// A consumer stays a loop of its own: it takes rows that no tile writes, too.
// CHECK-LABEL: func.func @consumer(
// CHECK:         scf.forall
// CHECK:           tensor.parallel_insert_slice
// CHECK:         linalg.generic
// CHECK:         return
func.func @consumer(%blocks: index, %crow: tensor<?xi64>, %partial: tensor<16x8xf32>, %lse: tensor<16xf32>,
    %out: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi64>, tensor<16x8xf32>, tensor<16xf32>)
      outs(%out : tensor<?x8xf32>) {block_rows = 8} -> tensor<?x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%0 : tensor<?x8xf32>) {
  ^bb0(%x: f32):
    %2 = arith.negf %x : f32
    linalg.yield %2 : f32
  } -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}
