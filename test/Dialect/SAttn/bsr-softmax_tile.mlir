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

// One row: 32 blocks in a step, which it may lack. Their maxima and sums are combined.
// CHECK-DAG: #[[CEIL:.+]] = affine_map<(d0, d1) -> ((-d0 + d1) ceildiv 16)>
// CHECK-DAG: #[[LEFT:.+]] = affine_map<(d0, d1, d2) -> (-d0 + d1 - d2 * 16, 16)>
// CHECK-LABEL: func @one_row
// CHECK: %[[LOWEST:.+]] = arith.constant 0xFF80 : bf16
// CHECK: scf.forall (%{{.+}}, %[[ROW:.+]]) in (%{{.+}}, 64)
// CHECK:   %[[MATRICES:.+]] = affine.apply #[[CEIL]]
// CHECK:   scf.for {{.+}} to %[[MATRICES]] step %c2 iter_args({{.+}}) -> (tensor<16xf32>, tensor<16xf32>)
// CHECK:     %[[LEAST:.+]] = affine.min #[[LEFT]]
// CHECK:     %[[COUNT:.+]] = affine.max {{.+}}(%[[LEAST]])
// CHECK:     tensor.extract_slice %{{.+}}[%{{.+}}, %[[ROW]], 0] [%[[COUNT]], 1, 64]
// CHECK:     tensor.pad {{.+}} high[%{{.+}}, 0]
// CHECK:       tensor.yield %[[LOWEST]]
// CHECK:     tensor.pad
// CHECK:   } {sattn.block_loop}
// CHECK:   linalg.generic {{.+}}iterator_types = ["reduction"]
// CHECK:     arith.maxnumf
// CHECK:   %[[MAXIMUM:.+]] = tensor.extract %{{.+}}[] : tensor<f32>
// CHECK:     math.exp2
// CHECK:   linalg.generic {{.+}}iterator_types = ["reduction"]
// CHECK:     arith.addf
// CHECK:   %[[TOTAL:.+]] = tensor.extract %{{.+}}[] : tensor<f32>
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

// The first two steps of a row stay in registers, the second where there is one; a loop before them is over what is
// longer, two steps in an iteration. The largest of bf16 is found in bf16.
// CHECK-DAG: #[[CEIL:.+]] = affine_map<(d0, d1) -> ((-d0 + d1) ceildiv 16)>
// CHECK-LABEL: func @head
// CHECK: scf.forall (%{{.+}}, %[[ROW:.+]]) in (%{{.+}}, 64)
// CHECK:   %[[MATRICES:.+]] = affine.apply #[[CEIL]]
// CHECK:   %[[LOOP:.+]]:2 = scf.for {{.+}} = %c2 to %[[MATRICES]] step %c2 iter_args
// CHECK-COUNT-2: tensor.pad
// CHECK:   } {sattn.block_loop}
// CHECK:   %[[ANY:.+]] = arith.cmpi sgt, %[[MATRICES]], %c0
// CHECK:   %[[MORE:.+]] = arith.cmpi sgt, %[[MATRICES]], %c1
// CHECK:   %[[PAD0:.+]] = tensor.pad
// CHECK:   %[[PAD1:.+]] = tensor.pad
// CHECK:   %[[LARGEST:.+]] = linalg.generic {{.+}} ins(%[[PAD0]], %[[PAD1]] : tensor<16x64xbf16>, tensor<16x64xbf16>) outs(
// CHECK:     arith.maxnumf %{{.+}}, %{{.+}} : bf16
// CHECK:     arith.extf
// CHECK:     arith.maxnumf %{{.+}}, %{{.+}} : f32
// CHECK:   linalg.generic {{.+}}iterator_types = ["reduction"]{{.+}} ins(%[[LOOP]]#0, %[[LARGEST]]
// CHECK:   %[[OLD:.+]] = linalg.generic {{.+}} ins(%[[LOOP]]#0 : tensor<16xf32>) outs(%[[LOOP]]#1 : tensor<16xf32>)
// CHECK:   %[[SUM:.+]] = scf.if %[[ANY]] -> (tensor<16xf32>) {
// CHECK:     linalg.generic {{.+}} ins(%[[PAD0]] : tensor<16x64xbf16>) outs(%[[OLD]] :
// CHECK:   scf.if %[[MORE]] -> (tensor<16xf32>) {
// CHECK:     linalg.generic {{.+}} ins(%[[PAD1]] : tensor<16x64xbf16>) outs(%[[SUM]] :
// CHECK:   linalg.generic {{.+}}iterator_types = ["reduction"]
// CHECK:   %[[WRITTEN:.+]] = scf.if %[[ANY]] -> (tensor<?x1x64xbf16>) {
// CHECK:     tensor.insert_slice {{.+}} into %{{.+}}[0, 0, 0]
// CHECK:   scf.if %[[MORE]] -> (tensor<?x1x64xbf16>) {
// CHECK:     tensor.insert_slice {{.+}} into %[[WRITTEN]][16, 0, 0]
// CHECK:   scf.for {{.+}} = %c2 to %[[MATRICES]] step %c2
func.func @head(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %out: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.bsr_softmax ins(%crow, %col, %values : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>)
      outs(%out : tensor<?x64x64xbf16>) {meta = #sattn.meta<tile = [1, 64, 1024], stages = 2>} -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}
