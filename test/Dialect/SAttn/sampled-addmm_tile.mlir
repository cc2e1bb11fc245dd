// RUN: sparse-opt %s --sattn-tile --canonicalize --cse | FileCheck %s
// RUN: sparse-opt %s --sattn-record-contracts | FileCheck %s --check-prefix=CONTRACT

// A tile is a stored block. Its block row is the last that begins at the block
// or before it, found two bits at a time; a block that no row has reads no column. The
// bounds of the loop over K are the same for all tiles.

// CHECK-LABEL: func.func @block
// CHECK-SAME:    %[[ALPHA:.*]]: f32, %[[BETA:.*]]: f32, %[[CROW:.*]]: tensor<?xi32>, %[[COL:.*]]: tensor<?xi32>, %[[MAT1:.*]]: tensor<?x?xbf16>, %[[MAT2:.*]]: tensor<?x?xbf16>, %[[OUT:.*]]: tensor<?x64x32xbf16>
// CHECK:         %[[NNZ:.*]] = tensor.dim %[[OUT]], %{{.*}}
// CHECK:         scf.forall (%[[P:.*]], %{{.*}}, %{{.*}}) = (0, 0, 0) to (%[[NNZ]], 64, 32) step (1, 64, 32)
// CHECK:           %[[BLOCK:.*]] = arith.index_cast %[[P]] : index to i32
// CHECK:           %[[STORED:.*]] = arith.andi
// CHECK:           %[[ENTRY:.*]] = tensor.extract %[[COL]][%[[P]]]
// CHECK:           %[[J:.*]] = arith.index_cast %[[ENTRY]]
// CHECK:           arith.cmpf une, %[[ALPHA]]
// CHECK:           math.ctlz %{{.*}} : i32
// CHECK:           %[[FOUND:.*]] = scf.for %{{.*}} iter_args(%[[FORMER:.*]] = %c0_i32) -> (i32)
// CHECK-COUNT-3:     arith.minui
// CHECK:             %[[DIGIT:.*]] = arith.shli
// CHECK:             arith.addi %[[FORMER]], %[[DIGIT]]
// CHECK:           %[[ROW:.*]] = arith.index_cast %[[FOUND]]
// CHECK:           %[[COLUMN:.*]] = arith.select %[[STORED]], %[[J]], %{{.*}}
// CHECK:           scf.for %[[STEP:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<64x32xf32>)
// CHECK:             %[[I0:.*]] = affine.apply #{{.*}}(%[[ROW]])
// CHECK:             tensor.extract_slice %[[MAT1]][%[[I0]], %{{.*}}] [64, %{{.*}}]
// CHECK:             tensor.pad
// CHECK:             %[[J0:.*]] = affine.apply #{{.*}}(%[[COLUMN]])
// CHECK:             tensor.extract_slice %[[MAT2]][%{{.*}}, %[[J0]]] [%{{.*}}, 32]
// CHECK:             tensor.pad
// CHECK:             linalg.matmul {{.*}} outs(%[[SUM]]
// CHECK:           } {sattn.block_loop}
// CHECK:           arith.cmpf une, %[[BETA]]
// CHECK:           scf.if
// CHECK:             tensor.extract_slice %{{.*}}[%[[P]], 0, 0] [1, 64, 32]
// CHECK:           } else {
// CHECK-NOT:         tensor.extract_slice
// CHECK:           tensor.parallel_insert_slice

// CONTRACT:      sattn.contracts = [{batches = "out", checks = [
// CONTRACT-SAME:   {check = "multiple", extent = {argument = 4 : i64, dimension = 0 : i64}, of = 64 : i64, reason = "the block's 64 rows", what = "M"}
// CONTRACT-SAME:   {check = "multiple", extent = {argument = 5 : i64, dimension = 1 : i64}, of = 32 : i64, reason = "the block's 32 columns", what = "N"}
// CONTRACT-SAME:   {check = "equal", extent = {argument = 5 : i64, dimension = 0 : i64}, to = {argument = 4 : i64, dimension = 1 : i64}, what = "K"}
// CONTRACT-SAME:   {argument = 6 : i64, check = "apart", from = [2, 3, 4, 5]}
// CONTRACT-SAME:   {argument = 3 : i64, below = {argument = 5 : i64, dimension = 1 : i64, divided_by = 32 : i64}, check = "indices", offsets = 2 : i64}
// CONTRACT-SAME:   op = "sampled_addmm"
func.func @block(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                 %col: tensor<?xi32>, %mat1: tensor<?x?xbf16>,
                 %mat2: tensor<?x?xbf16>, %out: tensor<?x64x32xbf16>)
    -> tensor<?x64x32xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>,
          tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x64x32xbf16>)
      {meta = #sattn.meta<tile = [64, 32, 64]>} -> tensor<?x64x32xbf16>
  return %0 : tensor<?x64x32xbf16>
}

// With constants nothing is read that is not needed: no input at beta = 0, and
// neither index nor matrix at alpha = 0.
// CHECK-LABEL: func.func @constants
// CHECK-SAME:    tensor<8x16x16xf32>, %[[OUT:[^:]*]]: tensor<8x16x16xf16>
// CHECK:         scf.forall
// CHECK-NOT:       tensor.extract
// CHECK-NOT:       scf.for
// CHECK:           %[[INPUT:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}, %{{.*}}, 0] [1, 8, 16]
// CHECK:           linalg.generic {{.*}} ins(%[[INPUT]] : tensor<8x16xf32>)
func.func @constants(%crow: tensor<3xi32>, %col: tensor<8xi32>,
                     %mat1: tensor<32x20xf32>, %mat2: tensor<20x64xf32>,
                     %input: tensor<8x16x16xf32>, %out: tensor<8x16x16xf16>)
    -> tensor<8x16x16xf16> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %0 = sattn.sampled_addmm alpha(%zero) beta(%two)
      ins(%crow, %col, %mat1, %mat2 : tensor<3xi32>, tensor<8xi32>,
          tensor<32x20xf32>, tensor<20x64xf32>)
      input(%input : tensor<8x16x16xf32>)
      outs(%out : tensor<8x16x16xf16>)
      {meta = #sattn.meta<tile = [8, 16, 24]>} -> tensor<8x16x16xf16>
  return %0 : tensor<8x16x16xf16>
}

// Batches broadcast, a part of a block begins at its own row, and a transposed
// mat2 is a transposed right operand. Of three block rows the number has one
// digit.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    tensor<1x4xi64>, %{{.*}}: tensor<?xi64>, %[[MAT1:.*]]: tensor<?x48x20xf16>, %[[MAT2:.*]]: tensor<64x20xf16>
// CHECK:         scf.forall (%[[B:.*]], %{{.*}}, %[[I:.*]], %{{.*}}) =
// CHECK-COUNT-2:   arith.extui %{{.*}} : i1 to i32
// CHECK:           %[[FOUND:.*]] = arith.addi
// CHECK:           %[[ROW:.*]] = arith.index_cast %[[FOUND]] : i32 to index
// CHECK:           %[[BATCH:.*]] = affine.min #{{.*}}(%[[B]])[%{{.*}}]
// CHECK:           %[[I0:.*]] = affine.apply #{{.*}}(%[[ROW]], %[[I]])
// CHECK:           tensor.extract_slice %[[MAT1]][%[[BATCH]], %[[I0]], %{{.*}}] [1, 8, %{{.*}}]
// CHECK:           tensor.extract_slice %[[MAT2]][%{{.*}}, %{{.*}}] [16, %{{.*}}]
// CHECK:           linalg.matmul indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}] ins(%{{.*}}, %{{.*}} : tensor<8x24xf16>, tensor<16x24xf16>)
func.func @parts(%alpha: f32, %crow: tensor<1x4xi64>, %col: tensor<?xi64>,
                 %mat1: tensor<?x48x20xf16>, %mat2: tensor<64x20xf16>,
                 %out: tensor<?x?x16x16xf16>) -> tensor<?x?x16x16xf16> {
  %zero = arith.constant 0.0 : f32
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%zero)
      ins(%crow, %col, %mat1, %mat2 : tensor<1x4xi64>, tensor<?xi64>,
          tensor<?x48x20xf16>, tensor<64x20xf16>)
      outs(%out : tensor<?x?x16x16xf16>)
      {meta = #sattn.meta<tile = [8, 16, 24]>, transpose_mat2}
      -> tensor<?x?x16x16xf16>
  return %0 : tensor<?x?x16x16xf16>
}

// A tile of two blocks: they are two tiles of one CTA, in at most two
// block rows, which are searched together. Each reads one of the two parts of mat1,
// by whether its block is in the first row, and a part of mat2 of its own. Bounds are
// the same for all tiles.
// CHECK-LABEL: func.func @two_blocks
// CHECK-SAME:    %[[CROW:[^:]*]]: tensor<?xi32>, %[[COL:[^:]*]]: tensor<?xi32>, %[[MAT1:[^:]*]]: tensor<?x?xbf16>, %[[MAT2:[^:]*]]: tensor<?x?xbf16>
// CHECK:         scf.forall (%[[P:.*]], %{{.*}}, %{{.*}}) = (0, 0, 0) to (%{{.*}}, 64, 32) step (1, 64, 32)
// CHECK:           %[[BLOCK:.*]] = arith.index_cast %[[P]] : index to i32
// CHECK:           %[[FIRST:.*]] = affine.apply #{{.*}}(%[[P]])
// CHECK:           %[[FIRST32:.*]] = arith.index_cast %[[FIRST]]
// CHECK:           %[[BEGIN:.*]] = arith.maxsi %{{.*}}, %[[FIRST32]] : i32
// CHECK:           %[[BEHIND:.*]] = affine.apply #{{.*}}(%[[P]])
// CHECK:           %[[LEAST:.*]] = arith.minsi %{{.*}}, %[[BEHIND]] : index
// CHECK:           %[[END:.*]] = arith.index_cast %[[LEAST]]
// CHECK:           %[[LEFT:.*]] = arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK:           %[[PLACE:.*]] = arith.minsi %[[P]], %{{.*}}
// CHECK:           tensor.extract %[[COL]][%[[PLACE]]]
// CHECK:           %[[FOUND:.*]]:4 = scf.if %[[LEFT]] -> (index, i32, index, i32)
// CHECK:             %[[LAST:.*]] = arith.subi %[[END]], %c1_i32
// CHECK:             %{{.*}}:2 = scf.for {{.*}} -> (i32, i32)
// CHECK:               arith.cmpi sle, %{{.*}}, %[[BEGIN]]
// CHECK:               arith.cmpi sle, %{{.*}}, %[[LAST]]
// CHECK-COUNT-2:     tensor.extract %[[CROW]]
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %c0, %[[BEGIN]], %c0, %[[END]]
// CHECK:           %[[INFIRST:.*]] = arith.cmpi slt, %[[BLOCK]], %[[FOUND]]#1
// CHECK:           %[[ROW:.*]] = arith.select %[[INFIRST]], %[[FOUND]]#0, %[[FOUND]]#2 : index
// CHECK:           scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<64x32xf32>)
// CHECK:             %[[I:.*]] = affine.apply #{{.*}}(%[[ROW]])
// CHECK:             tensor.extract_slice %[[MAT1]][%[[I]],
// CHECK-NOT:         scf.if
// CHECK:             tensor.extract_slice %[[MAT2]]
// CHECK:             linalg.matmul {{.*}} outs(%[[SUM]]
// CHECK:           } {sattn.block_loop}
// CHECK:         sattn.consumer_groups = array<i64: 2, 1, 1>
func.func @two_blocks(%crow: tensor<?xi32>, %col: tensor<?xi32>, %mat1: tensor<?x?xbf16>,
                      %mat2: tensor<?x?xbf16>, %out: tensor<?x64x32xbf16>)
    -> tensor<?x64x32xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.sampled_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>,
          tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x64x32xbf16>)
      {meta = #sattn.meta<tile = [64, 64, 64]>} -> tensor<?x64x32xbf16>
  return %0 : tensor<?x64x32xbf16>
}

// Of four blocks there are two passes, each over the first and the last block row
// that are left. Where a pass has all, nothing is searched again, and a tile takes
// part in the pass of its row.
// CHECK-LABEL: func.func @four_blocks
// CHECK-SAME:    %{{[^:]*}}: tensor<?xi32>, %{{[^:]*}}: tensor<?xi32>, %[[MAT1:[^:]*]]: tensor<?x?xbf16>, %[[MAT2:[^:]*]]: tensor<?x?xbf16>
// CHECK:         scf.forall (%[[P:.*]], %{{.*}}, %{{.*}}) =
// CHECK:           %[[BLOCK:.*]] = arith.index_cast %[[P]] : index to i32
// CHECK:           scf.for %{{.*}} = %{{.*}} to %c2 step %{{.*}} iter_args(%[[NEXT:.*]] = %{{.*}}, %[[END:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (i32, i32, tensor<64x32xf32>)
// CHECK:             %[[LEFT:.*]] = arith.cmpi slt, %[[NEXT]], %[[END]]
// CHECK:             %[[FOUND:.*]]:4 = scf.if %[[LEFT]] -> (index, i32, index, i32)
// CHECK:             %[[INFIRST:.*]] = arith.cmpi slt, %[[BLOCK]], %[[FOUND]]#1
// CHECK:             %[[INLAST:.*]] = arith.cmpi sle, %[[FOUND]]#3, %[[BLOCK]]
// CHECK-DAG:         %[[FROM:.*]] = arith.cmpi sle, %[[NEXT]], %[[BLOCK]]
// CHECK-DAG:         %[[TO:.*]] = arith.cmpi slt, %[[BLOCK]], %[[END]]
// CHECK:             %[[INSIDE:.*]] = arith.andi %[[FROM]], %[[TO]]
// CHECK:             %[[INEITHER:.*]] = arith.ori %[[INFIRST]], %[[INLAST]]
// CHECK:             %[[PRESENT:.*]] = arith.andi %[[INSIDE]], %[[INEITHER]]
// CHECK:             %[[ROW:.*]] = arith.select %[[INFIRST]], %[[FOUND]]#0, %[[FOUND]]#2 : index
// CHECK:             %[[COLUMN:.*]] = arith.select %[[PRESENT]]
// CHECK:             %[[STEPS:.*]] = arith.select %[[LEFT]], %{{.*}}, %c0
// CHECK:             scf.for %{{.*}} = %{{.*}} to %[[STEPS]] step %{{.*}} iter_args(%[[PART:.*]] = %[[SUM]]) -> (tensor<64x32xf32>)
// CHECK:               tensor.extract_slice %[[MAT1]]
// CHECK:               scf.if %[[PRESENT]]
// CHECK:                 affine.apply #{{.*}}(%[[COLUMN]])
// CHECK:                 tensor.extract_slice %[[MAT2]]
// CHECK:                 linalg.matmul
// CHECK:               } else {
// CHECK-NEXT:            scf.yield %[[PART]]
// CHECK:             } {sattn.block_loop}
// CHECK:             scf.yield %[[FOUND]]#1, %[[FOUND]]#3, %{{.*}} : i32, i32, tensor<64x32xf32>
// CHECK:         sattn.consumer_groups = array<i64: 4, 1, 1>
func.func @four_blocks(%crow: tensor<?xi32>, %col: tensor<?xi32>, %mat1: tensor<?x?xbf16>,
                       %mat2: tensor<?x?xbf16>, %out: tensor<?x64x32xbf16>)
    -> tensor<?x64x32xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.sampled_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>,
          tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x64x32xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x64x32xbf16>
  return %0 : tensor<?x64x32xbf16>
}

// Where K is one step and nothing is added, several blocks are a run: a tile goes
// through block rows, with rows of mat1 in each, and in a row through its blocks,
// each of which is stored. Without anything to multiply there are zeros. Runs are
// at most two blocks, and equal shares for 264 CTAs.
// CHECK-LABEL: func.func @run
// CHECK-SAME:    %[[CROW:.*]]: tensor<?xi32>, %[[COL:.*]]: tensor<?xi32>, %[[MAT1:.*]]: tensor<?x48xbf16>, %[[MAT2:.*]]: tensor<48x?xbf16>, %[[OUT:.*]]: tensor<?x64x32xbf16>
// CHECK:         %[[BLOCKS:.*]] = tensor.dim %[[OUT]]
// CHECK:         %[[TIMES:.*]] = arith.ceildivsi %[[BLOCKS]], %c528
// CHECK:         %[[ANY:.*]] = arith.maxsi %[[TIMES]], %c1
// CHECK:         %[[SHARES:.*]] = arith.muli %[[ANY]], %c264
// CHECK:         %[[SHARE:.*]] = arith.ceildivsi %[[BLOCKS]], %[[SHARES]]
// CHECK:         %[[LENGTH:.*]] = arith.maxsi %[[SHARE]], %c1
// CHECK:         scf.forall (%[[FIRST:.*]], %{{.*}}) = (0, 0) to (%[[BLOCKS]], 64) step (%[[LENGTH]], 64)
// CHECK:           %[[COUNT:.*]] = affine.min #{{.*}}(%[[FIRST]])
// CHECK:           %[[END:.*]] = affine.apply #{{.*}}(%[[FIRST]], %[[COUNT]])
// CHECK:           %[[ROWS:.*]]:2 = scf.for {{.*}} -> (i32, i32)
// CHECK:           scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ALL:.*]] = %{{.*}}) -> (tensor<?x64x32xbf16>) {
// CHECK:             tensor.extract_slice %[[MAT1]]
// CHECK:             %[[FROM:.*]] = arith.select %{{.*}}, %[[FIRST]], %{{.*}} : index
// CHECK:             %[[TO:.*]] = arith.select %{{.*}}, %[[END]], %{{.*}} : index
// CHECK:             scf.for %[[BLOCK:.*]] = %[[FROM]] to %[[TO]] step %{{.*}} iter_args(%[[SOME:.*]] = %[[ALL]])
// CHECK:               tensor.extract %[[COL]][%[[BLOCK]]]
// CHECK:               tensor.extract_slice %[[MAT2]]
// CHECK:               linalg.matmul
// CHECK:               %[[PLACE:.*]] = affine.apply #{{.*}}(%[[BLOCK]], %[[FIRST]])
// CHECK:               tensor.insert_slice %{{.*}} into %[[SOME]][%[[PLACE]], 0, 0] [1, 64, 32]
// CHECK:           scf.for
// CHECK:             linalg.fill
// CHECK-NOT:         linalg.matmul
// CHECK:             tensor.insert_slice
// CHECK:           scf.forall.in_parallel
// CHECK-NOT:     consumer_groups
func.func @run(%crow: tensor<?xi32>, %col: tensor<?xi32>, %mat1: tensor<?x48xbf16>,
               %mat2: tensor<48x?xbf16>, %out: tensor<?x64x32xbf16>)
    -> tensor<?x64x32xbf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.sampled_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>,
          tensor<?x48xbf16>, tensor<48x?xbf16>)
      outs(%out : tensor<?x64x32xbf16>)
      {meta = #sattn.meta<tile = [64, 64, 64]>} -> tensor<?x64x32xbf16>
  return %0 : tensor<?x64x32xbf16>
}
