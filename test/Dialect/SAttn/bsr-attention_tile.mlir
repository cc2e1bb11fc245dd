// RUN: sparse-opt %s --sattn-tile --canonicalize --cse | FileCheck %s
// RUN: sparse-opt %s --sattn-record-contracts | FileCheck %s --check-prefix=CONTRACT

// A tile walks the stored blocks of its block row. Rows of keys and values are
// whole blocks: none is padded or clipped. Heads are the last loop.

// CHECK-LABEL: func.func @blocks(
// CHECK-SAME:    %[[SCALE:[^:]*]]: f32, %[[CROW:[^:]*]]: tensor<?xi32>, %[[COL:[^:]*]]: tensor<?xi32>, %[[Q:[^:]*]]: tensor<8x?x64xbf16>, %[[K:[^:]*]]: tensor<8x?x64xbf16>, %[[V:[^:]*]]: tensor<8x?x64xbf16>
// CHECK:         scf.forall (%[[I:.*]], %[[H:.*]]) = (0, 0) to (%{{.*}}, 8) step (64, 1)
// CHECK:           tensor.extract_slice %[[Q]][%[[H]], %[[I]], 0]
// CHECK:           %[[POSITIVE:.*]] = arith.cmpf oge, %[[SCALE]]
// CHECK:           %[[ROW:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK:           %[[BEGIN:.*]] = tensor.extract %[[CROW]][%[[ROW]]]
// CHECK:           %[[FIRST:.*]] = arith.index_cast %[[BEGIN]]
// CHECK:           %[[NEXT:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK:           %[[END:.*]] = tensor.extract %[[CROW]][%[[NEXT]]]
// CHECK:           %[[COUNT:.*]] = affine.apply #{{.*}}(%[[FIRST]], %{{.*}})
// CHECK:           %[[SIGNED:.*]] = arith.select %[[POSITIVE]], %{{.*}}, %[[COUNT]]
// CHECK:           scf.for %[[P:.*]] = %{{.*}} to %[[COUNT]] step %{{.*}} iter_args
// CHECK:             %[[PLACE:.*]] = affine.apply #{{.*}}(%[[FIRST]], %[[P]])
// CHECK:             %[[ENTRY:.*]] = tensor.extract %[[COL]][%[[PLACE]]]
// CHECK:             %[[BLOCK:.*]] = arith.index_cast %[[ENTRY]]
// CHECK:             %[[KEY:.*]] = affine.apply #{{.*}}(%[[BLOCK]])
// CHECK-NOT:         tensor.pad
// CHECK:             tensor.extract_slice %[[K]][%[[H]], %[[KEY]], 0] [1, 64, 64]
// CHECK-NOT:         tensor.pad
// CHECK:             tensor.extract_slice %[[V]][%[[H]], %[[KEY]], 0] [1, 64, 64]
// CHECK-NOT:         tensor.pad
// CHECK:             linalg.matmul
// CHECK:             arith.cmpi slt, %[[P]], %[[SIGNED]]
// CHECK:             scf.if
// CHECK:             linalg.matmul
// CHECK:           } {sattn.block_loop}
// CHECK:           tensor.parallel_insert_slice

// CONTRACT:      sattn.contracts = [{batches = "out", checks = [
// CONTRACT-SAME:   {check = "multiple", extent = {argument = 3 : i64, dimension = 1 : i64}, of = 64 : i64, reason = "the block's 64 rows", what = "M"}
// CONTRACT-SAME:   reason = "M / 64 + 1"
// CONTRACT-SAME:   {check = "multiple", extent = {argument = 4 : i64, dimension = 1 : i64}, of = 64 : i64, reason = "the block's 64 columns", what = "N"}
// CONTRACT-SAME:   {argument = 6 : i64, check = "apart", from = [1, 2, 3, 4, 5]}
// CONTRACT-SAME:   {argument = 2 : i64, below = {argument = 4 : i64, dimension = 1 : i64, divided_by = 64 : i64}, check = "indices", offsets = 1 : i64}
// CONTRACT-SAME:   op = "bsr_attention"
func.func @blocks(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<8x?x64xbf16>,
    %k: tensor<8x?x64xbf16>, %v: tensor<8x?x64xbf16>, %out: tensor<8x?x64xbf16>) -> tensor<8x?x64xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<8x?x64xbf16>, tensor<8x?x64xbf16>, tensor<8x?x64xbf16>)
      outs(%out : tensor<8x?x64xbf16>)
      {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [64, 64, 64]>} -> tensor<8x?x64xbf16>
  return %0 : tensor<8x?x64xbf16>
}

// A constant scale above 0 has no branch; parts of blocks, of rows and of the
// columns of V; columns of Q and K that a tile pads.
// CHECK-LABEL: func.func @parts(
// CHECK:         scf.forall (%[[E:.*]], %[[I:.*]]) = (0, 0) to (128, %{{.*}}) step (64, 32)
// CHECK:           scf.for
// CHECK-NOT:         scf.if
// CHECK:             tensor.extract_slice %{{.*}}[%[[KEY:.*]], 0] [16, 20]
// CHECK:             tensor.pad {{.*}} high[0, 4]
// CHECK:             tensor.extract_slice %{{.*}}[%[[KEY]], %[[E]]] [16, %{{.*}}]
// CHECK-NOT:         scf.if
// CHECK:           } {sattn.block_loop}
func.func @parts(%crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x20xbf16>,
    %k: tensor<?x20xbf16>, %v: tensor<?x128xbf16>, %out: tensor<?x128xbf16>) -> tensor<?x128xbf16> {
  %scale = arith.constant 0.25 : f32
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x20xbf16>, tensor<?x20xbf16>, tensor<?x128xbf16>)
      outs(%out : tensor<?x128xbf16>)
      {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [32, 64, 16]>} -> tensor<?x128xbf16>
  return %0 : tensor<?x128xbf16>
}

// Dropout's bits are of the batch, the row and the column of an element: the
// key's words are computed before the loop, and the sum has all weights.
// CHECK-LABEL: func.func @dropout(
// CHECK-SAME:    %[[RANDOM:[^:]*]]: tensor<2xi64>
// CHECK:         scf.forall
// CHECK:           %[[SEED:.*]] = tensor.extract %[[RANDOM]][%c0]
// CHECK:           tensor.extract %[[RANDOM]][%c1]
// CHECK:           scf.for
// CHECK:             linalg.matmul
// CHECK:             %[[W:[0-9]+]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64xf32>)
// CHECK:               math.exp2
// CHECK:             linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[W]] :
// CHECK:             linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[W]] :
// CHECK-COUNT-19:      arith.muli {{.*}} : i64
// CHECK:               arith.cmpi sge
// CHECK:               arith.select
// CHECK:           } {sattn.block_loop}
func.func @dropout(%scale: f32, %p: f32, %random: tensor<2xi64>, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %q: tensor<2x?x64xf32>, %k: tensor<2x?x64xf32>, %v: tensor<2x?x64xf32>, %out: tensor<2x?x64xf32>) -> tensor<2x?x64xf32> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>)
      dropout(%p, %random : tensor<2xi64>) outs(%out : tensor<2x?x64xf32>)
      {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [64, 64, 64]>} -> tensor<2x?x64xf32>
  return %0 : tensor<2x?x64xf32>
}

// In parts there is a tile for each cut, which searches for the row that has it.
// A row of more than one and a quarter lengths has its result in the partial ones
// from its first cut on, and no other row writes there.
// CHECK-LABEL: func.func @in_parts(
// CHECK-SAME:    %[[CROW:[^:]*]]: tensor<?xi32>, %[[COL:[^:]*]]: tensor<?xi32>, %[[Q:[^:]*]]: tensor<?x64xbf16>
// CHECK-SAME:    %[[PARTIAL:[^:]*]]: tensor<256x64xf32>, %[[LSE:[^:]*]]: tensor<256xf32>
// CHECK:         %[[M:.*]] = tensor.dim %{{.*}}, %c0
// CHECK:         %[[ROWS:.*]] = affine.apply #{{.*}}()[%[[M]]]
// CHECK:         %[[ALL:.*]] = arith.select %{{.*}}, %c0, %[[ROWS]]
// CHECK:         scf.forall (%[[I:.*]]) = (0) to (%[[ALL]]) step (64) shared_outs(%[[OUT:.*]] = %{{.*}}, %[[PARTS:.*]] = %[[PARTIAL]], %[[LOGS:.*]] = %[[LSE]])
// CHECK:           %[[BEHIND:.*]] = arith.cmpi sge
// CHECK:           %[[DIGITS:.*]] = arith.select %[[BEHIND]], %{{.*}}, %c0
// CHECK:           %[[FOUND:.*]] = scf.for %{{.*}} = %c0 to %[[DIGITS]]
// CHECK:             tensor.extract %[[CROW]]
// CHECK:             scf.yield
// CHECK:           arith.select %[[BEHIND]], %[[FOUND]]
// CHECK:           %[[BEGIN:.*]] = tensor.extract %[[CROW]]
// CHECK:           %[[END:.*]] = tensor.extract %[[CROW]]
// CHECK:           %[[SIZE:.*]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK:           arith.cmpi sgt, %[[SIZE]]
// CHECK:           tensor.extract_slice %[[OUT]]
// CHECK:           tensor.extract_slice %[[PARTS]][%[[PLACE:.*]], 0] [%[[HEIGHT:.*]], 64]
// CHECK:           tensor.extract_slice %[[LOGS]][%[[PLACE]]] [%[[HEIGHT]]]
// CHECK:           scf.for
// CHECK:           } {sattn.block_loop}
// CHECK:           %[[IS_PART:.*]] = arith.cmpi sgt, %[[HEIGHT]], %c0
// CHECK:           scf.if %[[IS_PART]]
// CHECK:             math.log2
// CHECK:           scf.forall.in_parallel
// CHECK-COUNT-3:     tensor.parallel_insert_slice
// CHECK-NOT:     sattn.covers_results
// CHECK:         sattn.skips_results
func.func @in_parts(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>,
    %v: tensor<?x64xbf16>, %out: tensor<?x64xbf16>, %partial: tensor<256x64xf32>, %lse: tensor<256xf32>)
    -> (tensor<?x64xbf16>, tensor<256x64xf32>, tensor<256xf32>) {
  %0:3 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x64xbf16>)
      outs(%out, %partial, %lse : tensor<?x64xbf16>, tensor<256x64xf32>, tensor<256xf32>)
      {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [64, 64, 64]>}
      -> tensor<?x64xbf16>, tensor<256x64xf32>, tensor<256xf32>
  return %0#0, %0#1, %0#2 : tensor<?x64xbf16>, tensor<256x64xf32>, tensor<256xf32>
}
