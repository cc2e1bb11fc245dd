// RUN: sparse-opt %s --sattn-tile --canonicalize --cse | FileCheck %s

// A tile is a part of a block row, and branches around all that it does if the
// block row has no parts: it then writes no row. So the loop does not write all
// of the result. Parts are read two by two; one that is not there has no weight.

// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[BLOCKS:[^:]*]]: index, %[[CROW:[^:]*]]: tensor<?xi32>, %[[PARTIAL:[^:]*]]: tensor<3x512x128xf32>, %[[LSE:[^:]*]]: tensor<3x512xf32>, %[[OUT:[^:]*]]: tensor<3x?x128xbf16>
// CHECK:         %[[ROWS:.*]] = tensor.dim %[[OUT]]
// CHECK:         scf.forall (%[[H:.*]], %[[I:.*]], %[[J:.*]]) = (0, 0, 0) to (3, %[[ROWS]], 128) step (1, 64, 64) shared_outs(%[[ARG:.*]] = %[[OUT]])
// CHECK-COUNT-2:   tensor.extract %[[CROW]]
// CHECK:           arith.ceildivsi %[[BLOCKS]], %c5
// CHECK:           %[[HAS_PARTS:.*]] = arith.cmpi sgt
// CHECK:           %[[FIRST:.*]] = arith.select %[[HAS_PARTS]], %[[I]], %[[ROWS]] : index
// CHECK:           %[[HEIGHT:.*]] = affine.min #{{.*}}(%[[FIRST]])
// CHECK:           %[[TILE:.*]] = tensor.extract_slice %[[ARG]][%[[H]], %[[FIRST]], %[[J]]] [1, %[[HEIGHT]], 64]
// CHECK:           scf.if %[[HAS_PARTS]]
// CHECK:             %[[COUNT:.*]] = arith.select %{{.*}}, %{{.*}}, %c0 : index
// CHECK:             scf.for %{{.*}} = %c0 to %[[COUNT]] step %c2
// CHECK:               %[[EXISTS:.*]] = arith.cmpi sle
// CHECK:               tensor.extract_slice %[[PARTIAL]][%[[H]], %[[PLACE:.*]], %[[J]]] [1, 64, 64]
// CHECK:               tensor.extract_slice %[[LSE]][%[[H]], %[[PLACE]]] [1, 64]
// CHECK:               arith.select %[[EXISTS]]
// CHECK:               tensor.extract_slice %[[PARTIAL]]
// CHECK-COUNT-3:       math.exp2
// CHECK:             arith.divf
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[TILE]]
// CHECK:           tensor.parallel_insert_slice
// CHECK-NOT:     sattn.covers_results
// CHECK:         sattn.skips_results
// CHECK:         return
func.func @parts(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<3x512x128xf32>, %lse: tensor<3x512xf32>,
    %out: tensor<3x?x128xbf16>) -> tensor<3x?x128xbf16> {
  %0 = sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<3x512x128xf32>, tensor<3x512xf32>)
      outs(%out : tensor<3x?x128xbf16>) {block_rows = 64} -> tensor<3x?x128xbf16>
  return %0 : tensor<3x?x128xbf16>
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
