// RUN: sparse-opt %s --sattn-tile --canonicalize --cse | FileCheck %s
// RUN: sparse-opt %s --sattn-record-contracts | FileCheck %s --check-prefix=CONTRACT

// A tile is of one entry. In the compressed format its place says which blocks
// are its pairs, and where their places are in q; one value is the tile's place
// where it is read and where it is written, so that it is updated in place.

// CHECK-LABEL: func.func @compressed
// CHECK-SAME:    %[[OFFSETS:.*]]: tensor<?xi32>, %[[Q:.*]]: tensor<?xi32>, %[[BLOCKS:.*]]: tensor<?x64x64xbf16>, %[[OTHERS:.*]]: tensor<?x?x64x256xbf16>, %[[R:.*]]: tensor<?xi32>, %[[OUT:.*]]: tensor<?x?x64x256xbf16>
// CHECK:         %[[ENTRIES:.*]] = tensor.dim %[[R]], %{{.*}}
// CHECK:         scf.forall (%[[I:.*]], %{{.*}}, %{{.*}}) = (0, 0, 0) to (%[[ENTRIES]], 64, 256) step (1, 64, 256) shared_outs(%[[SHARED:.*]] = %[[OUT]])
// CHECK:           %[[PLACE:.*]] = tensor.extract %[[R]][%[[I]]]
// CHECK:           %[[UNIT:.*]] = arith.divui %[[PLACE]], %{{.*}} : i32
// CHECK:           %[[ACROSS:.*]] = tensor.dim %[[OTHERS]]
// CHECK:           %[[ROW32:.*]] = arith.divui %[[UNIT]]
// CHECK:           %[[ROW:.*]] = arith.index_cast %[[ROW32]]
// CHECK:           %[[COLUMN32:.*]] = arith.remui %[[UNIT]]
// CHECK:           %[[COLUMN:.*]] = arith.index_cast %[[COLUMN32]]
// CHECK:           %[[BEGIN32:.*]] = tensor.extract %[[OFFSETS]][%[[ROW]]]
// CHECK:           %[[BEGIN:.*]] = arith.index_cast %[[BEGIN32]]
// CHECK:           %[[END32:.*]] = tensor.extract %[[OFFSETS]]
// CHECK:           %[[END:.*]] = arith.index_cast %[[END32]]
// CHECK:           scf.for %[[G:.*]] = %[[BEGIN]] to %[[END]] step %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<64x256xf32>) {
// CHECK:             %[[LEFT:.*]] = tensor.extract_slice %[[BLOCKS]][%[[G]], 0, 0] [1, 64, 64]
// CHECK:             tensor.extract %[[Q]]
// CHECK:             arith.divui
// CHECK:             arith.remui
// CHECK:             %[[RIGHT:.*]] = tensor.extract_slice %[[OTHERS]][%{{.*}}, %{{.*}}, 0, 0] [1, 1, 64, 256]
// CHECK:             linalg.matmul ins(%[[LEFT]], %[[RIGHT]] : {{.*}}) outs(%[[SUM]]
// CHECK:           } {sattn.block_loop}
// CHECK:           %[[HAS:.*]] = arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK:           tensor.extract_slice %[[SHARED]][%[[ROW]], %[[COLUMN]], 0, 0] [1, 1, 64, 256]
// CHECK:           linalg.generic
// CHECK:             arith.addf
// CHECK:             arith.select %[[HAS]]
// CHECK:             arith.truncf
// CHECK:           tensor.parallel_insert_slice %{{.*}} into %[[SHARED]][%[[ROW]], %[[COLUMN]], 0, 0] [1, 1, 64, 256]

// CONTRACT:      sattn.contracts = [{batches = "out", checks = [
// CONTRACT-SAME:   {check = "equal", extent = {argument = 3 : i64, dimension = 2 : i64}, to = {argument = 2 : i64, dimension = 2 : i64}, what = "rows"}
// CONTRACT-SAME:   {check = "equal", extent = {argument = 0 : i64, dimension = 0 : i64}, reason = "the rows of matrices + 1"
// CONTRACT-SAME:   {argument = 5 : i64, check = "apart", from = [0, 1, 2, 3, 4]}
// CONTRACT-SAME:   {argument = 0 : i64, check = "within", most = {argument = 2 : i64, dimension = 0 : i64}, what = "offsets of blocks"}
// CONTRACT-SAME:   {argument = 0 : i64, check = "offsets", equally_many = [], into = 1 : i64, what = "pairs"}
// CONTRACT-SAME:   {argument = 1 : i64, check = "in_grid", grid = 3 : i64}
// CONTRACT-SAME:   {argument = 4 : i64, check = "in_grid", distinct, grid = 5 : i64}
// CONTRACT-SAME:   op = "scatter_mm"
func.func @compressed(%offsets: tensor<?xi32>, %q: tensor<?xi32>,
                      %blocks: tensor<?x64x64xbf16>,
                      %others: tensor<?x?x64x256xbf16>, %r: tensor<?xi32>,
                      %out: tensor<?x?x64x256xbf16>)
    -> tensor<?x?x64x256xbf16> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?x64x256xbf16>) r(%r : tensor<?xi32>)
      outs(%out : tensor<?x?x64x256xbf16>)
      {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x?x64x256xbf16>
  return %0 : tensor<?x?x64x256xbf16>
}

// With lists of numbers nothing is divided. A step is a part of a block's
// columns, and what no tile divides is padded.
// CHECK-LABEL: func.func @matrices
// CHECK-SAME:    %[[OFFSETS:.*]]: tensor<?xi32>, %[[Q:.*]]: tensor<?xi64>, %[[BLOCKS:.*]]: tensor<?x15x30xf16>, %[[OTHERS:.*]]: tensor<?x30x?xf16>, %[[P:.*]]: tensor<?xi32>, %[[OUT:.*]]: tensor<?x15x?xf32>
// CHECK-NOT:     arith.divui
// CHECK:         scf.forall (%[[I:.*]], %{{.*}}, %[[J:.*]]) = (0, 0, 0) to (%{{.*}}, 15, %{{.*}}) step (1, 15, 64) shared_outs(%[[SHARED:.*]] = %[[OUT]])
// CHECK:           tensor.extract %[[OFFSETS]][%[[I]]]
// CHECK:           scf.for %[[STEP:[a-z0-9]+]] = 
// CHECK:             %[[G:.*]] = affine.apply #{{.*}}(%[[STEP]])
// CHECK:             %[[ENTRY:.*]] = tensor.extract %[[P]][%[[G]]]
// CHECK:             %[[BLOCK:.*]] = arith.index_cast %[[ENTRY]]
// CHECK:             %[[K:.*]] = affine.apply #{{.*}}(%[[STEP]])
// CHECK:             tensor.extract_slice %[[BLOCKS]][%[[BLOCK]], 0, %[[K]]] [1, 15, %{{.*}}]
// CHECK:             tensor.pad %{{.*}} low[0, 0] high[1, %{{.*}}]
// CHECK:             tensor.extract %[[Q]][%[[G]]]
// CHECK:             tensor.extract_slice %[[OTHERS]][%{{.*}}, %[[K]], %[[J]]]
// CHECK:             tensor.pad
// CHECK:             linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<16x16xf16>, tensor<16x64xf16>)
// CHECK:           tensor.pad
// CHECK:           linalg.generic
// CHECK:           tensor.parallel_insert_slice %{{.*}} into %[[SHARED]][%[[I]], 0, %[[J]]] [1, 15, %{{.*}}]
// CHECK-NOT:     arith.divui
func.func @matrices(%offsets: tensor<?xi32>, %q: tensor<?xi64>,
                    %blocks: tensor<?x15x30xf16>, %others: tensor<?x30x?xf16>,
                    %p: tensor<?xi32>, %out: tensor<?x15x?xf32>)
    -> tensor<?x15x?xf32> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi64>,
          tensor<?x15x30xf16>, tensor<?x30x?xf16>) p(%p : tensor<?xi32>)
      outs(%out : tensor<?x15x?xf32>)
      {meta = #sattn.meta<tile = [16, 64, 16]>} -> tensor<?x15x?xf32>
  return %0 : tensor<?x15x?xf32>
}

// Batches, a list of places beside that of blocks, and parts of a matrix, which
// begin at their own row.
// CHECK-LABEL: func.func @strided
// CHECK-SAME:    %[[OFFSETS:.*]]: tensor<7xi32>, %[[Q:.*]]: tensor<20xi32>, %[[BLOCKS:.*]]: tensor<10x16x32xf16>, %[[OTHERS:.*]]: tensor<2x4x3x32x40xf16>, %[[P:.*]]: tensor<20xi32>, %[[R:.*]]: tensor<6xi64>
// CHECK:         scf.forall (%[[B:.*]], %[[I:.*]], %[[M0:.*]], %{{.*}}) = (0, 0, 0, 0) to (2, 6, 16, 40) step (1, 1, 8, 40)
// CHECK:           tensor.extract %[[R]][%[[I]]]
// CHECK:           arith.divui %{{.*}} : i64
// CHECK:           tensor.extract %[[OFFSETS]][%[[I]]]
// CHECK:             tensor.extract_slice %[[BLOCKS]][%{{.*}}, %[[M0]], 0] [1, 8, 32]
// CHECK:             tensor.extract_slice %[[OTHERS]][%[[B]], %{{.*}}, %{{.*}}, 0, 0] [1, 1, 1, 32, 40]
// CHECK:           tensor.parallel_insert_slice %{{.*}}[%[[B]], %{{.*}}, %{{.*}}, %[[M0]], 0] [1, 1, 1, 8, 40]
func.func @strided(%offsets: tensor<7xi32>, %q: tensor<20xi32>,
                   %blocks: tensor<10x16x32xf16>,
                   %others: tensor<2x4x3x32x40xf16>, %p: tensor<20xi32>,
                   %r: tensor<6xi64>, %out: tensor<2x2x3x16x40xf32>)
    -> tensor<2x2x3x16x40xf32> {
  %0 = sattn.scatter_mm
      ins(%offsets, %q, %blocks, %others : tensor<7xi32>, tensor<20xi32>,
          tensor<10x16x32xf16>, tensor<2x4x3x32x40xf16>)
      p(%p : tensor<20xi32>) r(%r : tensor<6xi64>)
      outs(%out : tensor<2x2x3x16x40xf32>)
      {meta = #sattn.meta<tile = [8, 40, 32]>} -> tensor<2x2x3x16x40xf32>
  return %0 : tensor<2x2x3x16x40xf32>
}
