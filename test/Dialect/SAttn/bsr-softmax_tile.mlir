// The tile program of sattn.bsr_softmax: some rows of a block row, all of whose
// blocks two loops read, the second of which stores. Or one row, of which 16
// blocks are read as one matrix, or 16 for each warp that shares it.
// RUN: sparse-opt %s --sattn-tile --canonicalize --cse --split-input-file | FileCheck %s

// CHECK-LABEL: func @one_part
// CHECK-SAME: %[[CROW:.+]]: tensor<?xi32>, %{{.+}}: tensor<?xi32>, %[[VALUES:.+]]: tensor<?x64x64xbf16>, %[[OUT:.+]]: tensor<?x64x64xbf16>)
// CHECK: scf.forall (%[[I:.+]], %[[ROW:.+]]) = (0, 0) to (%{{.+}}, 64) step (1, 16) shared_outs(%[[SHARED:.+]] = %[[OUT]])
// CHECK:   %[[FIRST:.+]] = arith.index_cast
// CHECK:   %[[END:.+]] = arith.index_cast
// CHECK:   %[[COUNT:.+]] = affine.apply #{{.+}}(%[[FIRST]], %[[END]])
// CHECK:   %[[MINE:.+]] = tensor.extract_slice %[[SHARED]][%[[FIRST]], %[[ROW]], 0] [%[[COUNT]], 16, 64]
// CHECK:   scf.for {{.+}} to %[[COUNT]] step %{{.+}} iter_args({{.+}}) -> (tensor<16xf32>, tensor<16xf32>)
// CHECK:     tensor.extract_slice %[[VALUES]][%{{.+}}, %[[ROW]], 0] [1, 16, 64]
// CHECK:     arith.maxnumf
// CHECK:     math.exp2
// CHECK:     scf.yield
// CHECK:   } {sattn.block_loop}
// CHECK:   arith.divf
// CHECK:   %[[DONE:.+]] = scf.for %[[P:.+]] = {{.+}} to %[[COUNT]] step %{{.+}} iter_args(%[[CARRIED:.+]] = %[[MINE]])
// CHECK:     %[[TARGET:.+]] = tensor.extract_slice %[[CARRIED]][%[[P]], 0, 0] [1, 16, 64]
// CHECK:     %[[RESULT:.+]] = linalg.generic {{.+}} outs(%[[TARGET]] : tensor<16x64xbf16>)
// CHECK:     %[[NEXT:.+]] = tensor.insert_slice %[[RESULT]] into %[[CARRIED]][%[[P]], 0, 0] [1, 16, 64]
// CHECK:     scf.yield %[[NEXT]]
// CHECK:   } {sattn.block_loop}
// CHECK:   tensor.parallel_insert_slice %[[DONE]] into %[[SHARED]][%[[FIRST]], %[[ROW]], 0] [%[[COUNT]], 16, 64]
func.func @one_part(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
    %out: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>)
      outs(%out : tensor<?x64x64xbf16>) {meta = #sattn.meta<tile = [16, 64, 64]>} -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

// -----

// Two parts in a step are read before either is used; the row may lack the second.
// CHECK-DAG: #[[DIFFERENCE:.+]] = affine_map<(d0, d1) -> (-d0 + d1)>
// CHECK-DAG: #[[LEFT:.+]] = affine_map<(d0, d1, d2) -> (d0 * -16 + d1 * 16 - d2 * 16 - 16, 16)>
// CHECK-LABEL: func @two_parts
// CHECK: scf.forall
// CHECK:   %[[COUNT:.+]] = affine.apply #[[DIFFERENCE]](
// CHECK:   scf.for {{.+}} to %[[COUNT]] step %c2
// CHECK:     affine.min #[[LEFT]]({{.+}}
// CHECK-COUNT-2: tensor.pad
// CHECK:     linalg.generic {{.+}} ins(%[[X:.+]], %[[Y:.+]] : tensor<16x64xf32>, tensor<16x64xf32>) outs({{.+}} : tensor<16xf32>)
// CHECK:   scf.for {{.+}} to %[[COUNT]] step %c2
// CHECK-COUNT-2: math.exp2
// CHECK-COUNT-2: tensor.insert_slice
func.func @two_parts(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xf32>,
    %out: tensor<?x64x64xf32>) -> tensor<?x64x64xf32> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf32>)
      outs(%out : tensor<?x64x64xf32>) {meta = #sattn.meta<tile = [16, 64, 128]>} -> tensor<?x64x64xf32>
  return %0 : tensor<?x64x64xf32>
}

// -----

// Columns beyond the block's are -inf. Batches share the offsets of the first.
// CHECK-LABEL: func @padded
// CHECK-SAME: %[[CROW:[a-z0-9]+]]: tensor<1x?xi64>
// CHECK: %[[LOWEST:.+]] = arith.constant 0xFC00 : f16
// CHECK: scf.forall (%[[B:.+]], %[[I:.+]], %{{.+}}) = (0, 0, 0) to (%{{.+}}, %{{.+}}, 15) step (1, 1, 15)
// CHECK:   tensor.extract %[[CROW]][%c0, %[[I]]]
// CHECK:     tensor.pad {{.+}} low[0, 0] high[0, 7]
// CHECK:       tensor.yield %[[LOWEST]]
// CHECK:     tensor<15x9xf16> to tensor<15x16xf16>
// CHECK:   } {sattn.block_loop}
// CHECK:     %[[CLIP:.+]] = tensor.extract_slice %{{.+}}[0, 0] [15, 9] [1, 1] : tensor<15x16xf16> to tensor<15x9xf16>
// CHECK:     tensor.insert_slice %[[CLIP]] into
func.func @padded(%crow: tensor<1x?xi64>, %col: tensor<1x?xi64>, %values: tensor<?x?x15x9xf16>,
    %out: tensor<?x?x15x9xf16>) -> tensor<?x?x15x9xf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<1x?xi64>, tensor<1x?xi64>, tensor<?x?x15x9xf16>)
      outs(%out : tensor<?x?x15x9xf16>) {meta = #sattn.meta<tile = [15, 16, 16]>} -> tensor<?x?x15x9xf16>
  return %0 : tensor<?x?x15x9xf16>
}

// -----

// One row: 32 blocks in a step, of which it may lack the second half. Its maximum and sum are numbers.
// CHECK-DAG: #[[CEIL:.+]] = affine_map<(d0, d1) -> ((-d0 + d1) ceildiv 16)>
// CHECK-DAG: #[[FIRST:.+]] = affine_map<(d0, d1, d2) -> (-d0 + d1 - d2 * 16, 16)>
// CHECK-DAG: #[[SECOND:.+]] = affine_map<(d0, d1, d2) -> (-d0 + d1 - d2 * 16 - 16, 16)>
// CHECK-LABEL: func @one_row
// CHECK: %[[LOWEST:.+]] = arith.constant 0xFF80 : bf16
// CHECK: scf.forall (%{{.+}}, %[[ROW:.+]]) in (%{{.+}}, 64)
// CHECK:   %[[MATRICES:.+]] = affine.apply #[[CEIL]]
// CHECK:   %[[LOOP:.+]]:2 = scf.for {{.+}} to %[[MATRICES]] step %c2 iter_args(%[[OLD:.+]] = %{{.+}}, %[[TOTAL:.+]] = %{{.+}}) -> (f32, f32)
// CHECK:     %[[COUNT:.+]] = affine.min #[[FIRST]]
// CHECK:     %[[LEAST:.+]] = affine.min #[[SECOND]]
// CHECK:     %[[REST:.+]] = affine.max {{.+}}(%[[LEAST]])
// CHECK:     tensor.extract_slice %{{.+}}[%{{.+}}, %[[ROW]], 0] [%[[COUNT]], 1, 64]
// CHECK:     %[[X:.+]] = tensor.pad {{.+}} high[%{{.+}}, 0]
// CHECK:       tensor.yield %[[LOWEST]]
// CHECK:     tensor.extract_slice %{{.+}}[%{{.+}}, %[[ROW]], 0] [%[[REST]], 1, 64]
// CHECK:     %[[Y:.+]] = tensor.pad
// CHECK:     linalg.generic {{.+}}iterator_types = ["reduction", "reduction"]} ins(%[[X]], %[[Y]] : {{.+}} outs(%{{.+}} : tensor<f32>)
// CHECK:       arith.maxnumf %{{.+}}, %{{.+}} : bf16
// CHECK:     %[[LARGEST:.+]] = tensor.extract %{{.+}}[] : tensor<f32>
// CHECK:     %[[MAXIMUM:.+]] = arith.maxnumf %[[LARGEST]], %[[OLD]] : f32
// CHECK:     %[[SCALED:.+]] = arith.mulf %[[TOTAL]], %{{.+}} : f32
// CHECK:     %[[START:.+]] = linalg.fill ins(%[[SCALED]] : f32)
// CHECK:     linalg.generic {{.+}}iterator_types = ["reduction", "reduction"]} ins(%[[X]], %[[Y]] : {{.+}} outs(%[[START]] : tensor<f32>)
// CHECK-COUNT-2: math.exp2
// CHECK:     %[[SUM:.+]] = tensor.extract %{{.+}}[] : tensor<f32>
// CHECK:     scf.yield %[[MAXIMUM]], %[[SUM]] : f32, f32
// CHECK:   } {sattn.block_loop}
// CHECK:   arith.divf
// CHECK:   scf.for {{.+}} to %[[MATRICES]] step %c2
// CHECK:     %[[CLIP:.+]] = tensor.extract_slice %{{.+}}[0, 0] [%{{.+}}, 64] [1, 1] : tensor<16x64xbf16> to tensor<?x64xbf16>
// CHECK:     tensor.insert_slice %[[CLIP]] into
func.func @one_row(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %out: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>)
      outs(%out : tensor<?x64x64xbf16>) {meta = #sattn.meta<tile = [1, 64, 2048]>} -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

// -----

// The first two steps of a row stay in registers, each read in a branch where there is one, else -inf, before anything
// else; a loop is over what is longer, a step in an iteration. Sums of the head count after the loop's, whose maximum
// may be smaller. The largest of bf16 is found in bf16.
// CHECK-DAG: #[[COUNT:.+]] = affine_map<(d0, d1) -> (-d0 + d1)>
// CHECK-DAG: #[[CEIL:.+]] = affine_map<(d0, d1) -> ((-d0 + d1) ceildiv 16)>
// CHECK-LABEL: func @head
// CHECK-DAG: %[[LOWEST:.+]] = arith.constant 0xFF80 : bf16
// CHECK: scf.forall (%{{.+}}, %[[ROW:.+]]) in (%{{.+}}, 64)
// CHECK:   %[[BLOCKS:.+]] = affine.apply #[[COUNT]]
// CHECK:   %[[ANY:.+]] = arith.cmpi sgt, %[[BLOCKS]], %c0
// CHECK:   %[[HEAD0:.+]] = scf.if %[[ANY]] -> (tensor<16x64xbf16>) {
// CHECK:     %[[PAD0:.+]] = tensor.pad
// CHECK:     scf.yield %[[PAD0]]
// CHECK:   } else {
// CHECK:     linalg.fill ins(%[[LOWEST]] : bf16)
// CHECK:   %[[MORE:.+]] = arith.cmpi sgt, %[[BLOCKS]], %c16
// CHECK:   %[[HEAD1:.+]] = scf.if %[[MORE]] -> (tensor<16x64xbf16>) {
// CHECK:     tensor.pad
// CHECK:   } else {
// CHECK:     linalg.fill ins(%[[LOWEST]] : bf16)
// CHECK:   %[[MATRICES:.+]] = affine.apply #[[CEIL]]
// CHECK:   %[[LOOP:.+]]:2 = scf.for {{.+}} = %c2 to %[[MATRICES]] step %c1 iter_args({{.+}}) -> (f32, f32)
// CHECK:     tensor.pad
// CHECK-NOT: tensor.pad
// CHECK:   } {sattn.block_loop}
// CHECK:   linalg.generic {{.+}} ins(%[[HEAD0]], %[[HEAD1]] : tensor<16x64xbf16>, tensor<16x64xbf16>) outs(
// CHECK:     arith.maxnumf %{{.+}}, %{{.+}} : bf16
// CHECK:     arith.extf
// CHECK:     arith.maxnumf %{{.+}}, %{{.+}} : f32
// CHECK:   %[[LARGEST:.+]] = tensor.extract
// CHECK:   arith.maxnumf %[[LARGEST]], %[[LOOP]]#0 : f32
// CHECK:   %[[OLD:.+]] = arith.mulf %[[LOOP]]#1, %{{.+}} : f32
// CHECK:   %[[SUM:.+]] = scf.if %[[ANY]] -> (f32) {
// CHECK:     linalg.fill ins(%[[OLD]] : f32)
// CHECK:     linalg.generic {{.+}} ins(%[[HEAD0]] : tensor<16x64xbf16>) outs(
// CHECK:   } else {
// CHECK:     scf.yield %[[OLD]]
// CHECK:   %[[TOTAL:.+]] = scf.if %[[MORE]] -> (f32) {
// CHECK:     linalg.fill ins(%[[SUM]] : f32)
// CHECK:     linalg.generic {{.+}} ins(%[[HEAD1]] : tensor<16x64xbf16>) outs(
// CHECK:   } else {
// CHECK:     scf.yield %[[SUM]]
// CHECK:   arith.cmpf oeq, %[[TOTAL]],
// CHECK:   %[[WRITTEN:.+]] = scf.if %[[ANY]] -> (tensor<?x1x64xbf16>) {
// CHECK:     tensor.insert_slice {{.+}} into %{{.+}}[0, 0, 0]
// CHECK:   scf.if %[[MORE]] -> (tensor<?x1x64xbf16>) {
// CHECK:     tensor.insert_slice {{.+}} into %[[WRITTEN]][16, 0, 0]
// CHECK:   scf.for {{.+}} = %c2 to %[[MATRICES]] step %c1
func.func @head(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %out: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>)
      outs(%out : tensor<?x64x64xbf16>) {meta = #sattn.meta<tile = [1, 64, 1024], stages = 2>} -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

// -----

// Two warps share a row. Of 64 columns each has a half; of 16 columns, which lanes' accesses do not divide, each has
// 16 blocks of a matrix of 32.
// CHECK-LABEL: func @warps_of_columns
// CHECK: tensor<16x64xbf16>
// CHECK-NOT: tensor<32x64xbf16>
// CHECK-LABEL: func @warps_of_blocks
// CHECK: tensor.pad
// CHECK: tensor<?x16xbf16> to tensor<32x16xbf16>
func.func @warps_of_columns(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %out: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>)
      outs(%out : tensor<?x64x64xbf16>) {meta = #sattn.meta<tile = [1, 64, 2048], warps = 2>} -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}
func.func @warps_of_blocks(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>, %out: tensor<?x16x16xbf16>) -> tensor<?x16x16xbf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x16x16xbf16>)
      outs(%out : tensor<?x16x16xbf16>) {meta = #sattn.meta<tile = [1, 16, 512], warps = 2>} -> tensor<?x16x16xbf16>
  return %0 : tensor<?x16x16xbf16>
}
