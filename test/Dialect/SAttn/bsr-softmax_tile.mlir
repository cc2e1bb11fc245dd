// The tile program of sattn.bsr_softmax: some rows of a block row, all of whose
// blocks two loops read, the second of which stores. Or one row, of which 16
// blocks are read as one matrix.
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

// Two parts in a step are read before either is used; what is left over has loops of its own.
// CHECK-DAG: #[[DIFFERENCE:.+]] = affine_map<(d0, d1) -> (-d0 + d1)>
// CHECK-DAG: #[[EVEN:.+]] = affine_map<(d0, d1) -> (((-d0 + d1) floordiv 2) * 2)>
// CHECK-LABEL: func @two_parts
// CHECK: scf.forall
// CHECK:   %[[COUNT:.+]] = affine.apply #[[DIFFERENCE]](
// CHECK:   %[[WHOLE:.+]] = affine.apply #[[EVEN]](
// CHECK:   scf.for {{.+}} to %[[WHOLE]] step %c2
// CHECK-COUNT-2: tensor.extract_slice {{.+}} to tensor<16x64xf32>
// CHECK:     linalg.generic {{.+}} ins(%[[X:.+]], %[[Y:.+]] : tensor<16x64xf32>, tensor<16x64xf32>) outs({{.+}} : tensor<16xf32>)
// CHECK:   scf.for {{.+}} = %[[WHOLE]] to %[[COUNT]] step %c1
// CHECK:   scf.for {{.+}} to %[[WHOLE]] step %c2
// CHECK-COUNT-2: math.exp2
// CHECK-COUNT-2: tensor.insert_slice
// CHECK:   scf.for {{.+}} = %[[WHOLE]] to %[[COUNT]] step %c1
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

// One row: 32 whole blocks in a step, then 16 at a time, the last of which are clipped. Their maxima and sums are combined.
// CHECK-DAG: #[[WHOLE_OF:.+]] = affine_map<(d0, d1) -> ((((-d0 + d1) floordiv 16) floordiv 2) * 2)>
// CHECK-DAG: #[[LEFT:.+]] = affine_map<(d0, d1, d2) -> (-d0 + d1 - d2 * 16, 16)>
// CHECK-LABEL: func @one_row
// CHECK: %[[LOWEST:.+]] = arith.constant 0xFF80 : bf16
// CHECK: scf.forall (%{{.+}}, %[[ROW:.+]]) in (%{{.+}}, 64)
// CHECK:   %[[WHOLE:.+]] = affine.apply #[[WHOLE_OF]]
// CHECK:   scf.for {{.+}} to %[[WHOLE]] step %c2 iter_args({{.+}}) -> (tensor<16xf32>, tensor<16xf32>)
// CHECK-COUNT-2: tensor.extract_slice %{{.+}}[%{{.+}}, %[[ROW]], 0] [16, 1, 64] [1, 1, 1] : tensor<?x64x64xbf16> to tensor<16x64xbf16>
// CHECK-NOT:  tensor.pad
// CHECK:   } {sattn.block_loop}
// CHECK:   scf.for {{.+}} step %c1
// CHECK:     %[[COUNT:.+]] = affine.min #[[LEFT]]
// CHECK:     tensor.extract_slice %{{.+}}[%{{.+}}, %[[ROW]], 0] [%[[COUNT]], 1, 64]
// CHECK:     tensor.pad {{.+}} high[%{{.+}}, 0]
// CHECK:       tensor.yield %[[LOWEST]]
// CHECK:   } {sattn.block_loop}
// CHECK:   linalg.generic {{.+}}iterator_types = ["reduction"]
// CHECK:     arith.maxnumf
// CHECK:   %[[MAXIMUM:.+]] = tensor.extract %{{.+}}[] : tensor<f32>
// CHECK:     math.exp2
// CHECK:   linalg.generic {{.+}}iterator_types = ["reduction"]
// CHECK:     arith.addf
// CHECK:   %[[TOTAL:.+]] = tensor.extract %{{.+}}[] : tensor<f32>
// CHECK:   arith.divf
// CHECK:   scf.for
// CHECK-COUNT-2: tensor.insert_slice {{.+}} [16, 1, 64]
// CHECK:   scf.for
// CHECK:     %[[CLIP:.+]] = tensor.extract_slice %{{.+}}[0, 0] [%{{.+}}, 64] [1, 1] : tensor<16x64xbf16> to tensor<?x64xbf16>
// CHECK:     tensor.insert_slice %[[CLIP]] into
func.func @one_row(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %out: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>)
      outs(%out : tensor<?x64x64xbf16>) {meta = #sattn.meta<tile = [1, 64, 2048]>} -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

// -----

// The first two steps of a row stay in registers, the second where there is one; loops go on with what is longer.
// CHECK-DAG: #[[CEIL:.+]] = affine_map<(d0, d1) -> ((-d0 + d1) ceildiv 16)>
// CHECK-DAG: #[[FIRST:.+]] = affine_map<(d0, d1) -> (-d0 + d1, 16)>
// CHECK-DAG: #[[SECOND:.+]] = affine_map<(d0, d1) -> (-d0 + d1 - 16, 16)>
// CHECK-DAG: #[[NONE:.+]] = affine_map<(d0) -> (0, d0)>
// CHECK-DAG: #[[WHOLE_OF:.+]] = affine_map<(d0, d1) -> (2, (-d0 + d1) floordiv 16)>
// CHECK-LABEL: func @head
// CHECK: scf.forall (%{{.+}}, %[[ROW:.+]]) in (%{{.+}}, 64)
// CHECK:   %[[MATRICES:.+]] = affine.apply #[[CEIL]]
// CHECK:   %[[WHOLE:.+]] = affine.max #[[WHOLE_OF]]
// CHECK:   %[[ANY:.+]] = arith.cmpi sgt, %[[MATRICES]], %c0
// CHECK:   %[[MORE:.+]] = arith.cmpi sgt, %[[MATRICES]], %c1
// CHECK:   %[[PAD0:.+]] = tensor.pad
// CHECK:   %[[PAD1:.+]] = tensor.pad
// CHECK:   %[[LARGEST:.+]] = scf.if %[[ANY]] -> (tensor<16xf32>) {
// CHECK:     linalg.generic {{.+}} ins(%[[PAD0]] :
// CHECK:   %[[LARGER:.+]] = scf.if %[[MORE]] -> (tensor<16xf32>) {
// CHECK:     linalg.generic {{.+}} ins(%[[PAD1]] : tensor<16x64xbf16>) outs(%[[LARGEST]] :
// CHECK:   } else {
// CHECK:     scf.yield %[[LARGEST]]
// CHECK:   %[[LOOP:.+]]:2 = scf.for {{.+}} = %c2 to %[[WHOLE]] step %c1 iter_args(%{{.+}} = %[[LARGER]], {{.+}})
// CHECK:   %[[REST:.+]]:2 = scf.for {{.+}} = %[[WHOLE]] to %[[MATRICES]] step %c1 iter_args(%{{.+}} = %[[LOOP]]#0, %{{.+}} = %[[LOOP]]#1)
// CHECK:   linalg.generic {{.+}}iterator_types = ["reduction"]{{.+}} ins(%[[REST]]#0
// CHECK:   %[[OLD:.+]] = linalg.generic {{.+}} ins(%[[REST]]#0 : tensor<16xf32>) outs(%[[REST]]#1 : tensor<16xf32>)
// CHECK:   %[[SUM:.+]] = scf.if %[[ANY]] -> (tensor<16xf32>) {
// CHECK:     linalg.generic {{.+}} ins(%[[PAD0]] : tensor<16x64xbf16>) outs(%[[OLD]] :
// CHECK:   scf.if %[[MORE]] -> (tensor<16xf32>) {
// CHECK:     linalg.generic {{.+}} ins(%[[PAD1]] : tensor<16x64xbf16>) outs(%[[SUM]] :
// CHECK:   linalg.generic {{.+}}iterator_types = ["reduction"]
// CHECK:   %[[WRITTEN:.+]] = scf.if %[[ANY]] -> (tensor<?x1x64xbf16>) {
// CHECK:     tensor.insert_slice {{.+}} into %{{.+}}[0, 0, 0]
// CHECK:   scf.if %[[MORE]] -> (tensor<?x1x64xbf16>) {
// CHECK:     tensor.insert_slice {{.+}} into %[[WRITTEN]][16, 0, 0]
// CHECK:   scf.for {{.+}} = %c2 to %[[WHOLE]]
// CHECK:   scf.for {{.+}} = %[[WHOLE]] to %[[MATRICES]]
func.func @head(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %out: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>)
      outs(%out : tensor<?x64x64xbf16>) {meta = #sattn.meta<tile = [1, 64, 1024], stages = 2>} -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}
