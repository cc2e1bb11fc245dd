// The tile program of sattn.bsr_softmax_backward: some rows of a block row, or one, of which 16 blocks are read as one
// matrix. A loop adds products, another one reads both arrays again and stores.
// RUN: sparse-opt %s --sattn-tile --canonicalize --cse --split-input-file | FileCheck %s

// CHECK-LABEL: func @rows
// CHECK-SAME: %[[CROW:.+]]: tensor<?xi32>, %{{.+}}: tensor<?xi32>, %[[OUTPUT:.+]]: tensor<?x64x64xbf16>, %[[GRAD:.+]]: tensor<?x64x64xbf16>, %[[IN:.+]]: tensor<?x64x64xbf16>)
// CHECK: scf.forall (%[[I:.+]], %[[ROW:.+]]) = (0, 0) to (%{{.+}}, 64) step (1, 16) shared_outs(%[[SHARED:.+]] = %[[IN]])
// CHECK:   %[[FIRST:.+]] = arith.index_cast
// CHECK:   %[[END:.+]] = arith.index_cast
// CHECK:   %[[COUNT:.+]] = affine.apply #{{.+}}(%[[FIRST]], %[[END]])
// CHECK:   %[[MINE:.+]] = tensor.extract_slice %[[SHARED]][%[[FIRST]], %[[ROW]], 0] [%[[COUNT]], 16, 64]
// CHECK:   %[[SUMS:.+]] = scf.for {{.+}} to %[[COUNT]] step %{{.+}} iter_args(%[[OLD:.+]] = %{{.+}}) -> (tensor<16xf32>)
// CHECK:     %[[P:.+]] = tensor.extract_slice %[[OUTPUT]][%{{.+}}, %[[ROW]], 0] [1, 16, 64]
// CHECK:     %[[G:.+]] = tensor.extract_slice %[[GRAD]][%{{.+}}, %[[ROW]], 0] [1, 16, 64]
// CHECK:     linalg.generic {{.+}}iterator_types = ["parallel", "reduction"]} ins(%[[P]], %[[G]] : {{.+}} outs(%[[OLD]] : tensor<16xf32>)
// CHECK:       arith.mulf
// CHECK-NEXT:  arith.addf
// CHECK:   } {sattn.block_loop}
// CHECK:   %[[DONE:.+]] = scf.for %[[B:.+]] = {{.+}} to %[[COUNT]] step %{{.+}} iter_args(%[[CARRIED:.+]] = %[[MINE]])
// CHECK:     %[[P2:.+]] = tensor.extract_slice %[[OUTPUT]]
// CHECK:     %[[G2:.+]] = tensor.extract_slice %[[GRAD]]
// CHECK:     %[[TARGET:.+]] = tensor.extract_slice %[[CARRIED]][%[[B]], 0, 0] [1, 16, 64]
// CHECK:     %[[RESULT:.+]] = linalg.generic {{.+}} ins(%[[P2]], %[[G2]], %[[SUMS]] : {{.+}} outs(%[[TARGET]] : tensor<16x64xbf16>)
// CHECK:       %[[DISTANCE:.+]] = arith.subf %{{.+}}, %{{.+}} : f32
// CHECK:       %[[PRODUCT:.+]] = arith.mulf %{{.+}}, %[[DISTANCE]] : f32
// CHECK:       arith.truncf %[[PRODUCT]] : f32 to bf16
// CHECK:     tensor.insert_slice %[[RESULT]] into %[[CARRIED]][%[[B]], 0, 0] [1, 16, 64]
// CHECK:   } {sattn.block_loop}
// CHECK:   tensor.parallel_insert_slice %[[DONE]] into %[[SHARED]][%[[FIRST]], %[[ROW]], 0] [%[[COUNT]], 16, 64]
func.func @rows(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x64x64xbf16>, %grad_out: tensor<?x64x64xbf16>,
    %grad_in: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x64x64xbf16>)
      outs(%grad_in : tensor<?x64x64xbf16>) {meta = #sattn.meta<tile = [16, 64, 64]>} -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

// -----

// Beyond the columns of a block there are zeros. In f64 all is f64.
// CHECK-LABEL: func @padded
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f64
// CHECK:   scf.for
// CHECK-COUNT-2: tensor.pad {{.+}} high[0, 7]
// CHECK:     linalg.generic {{.+}} outs(%{{.+}} : tensor<15xf64>)
// CHECK-NOT: arith.extf
// CHECK:   } {sattn.block_loop}
// CHECK:     %[[CLIP:.+]] = tensor.extract_slice %{{.+}}[0, 0] [15, 9] [1, 1] : tensor<15x16xf64> to tensor<15x9xf64>
// CHECK:     tensor.insert_slice %[[CLIP]] into
func.func @padded(%crow: tensor<1x?xi64>, %col: tensor<1x?xi64>, %output: tensor<?x?x15x9xf64>, %grad_out: tensor<?x?x15x9xf64>,
    %grad_in: tensor<?x?x15x9xf64>) -> tensor<?x?x15x9xf64> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<1x?xi64>, tensor<1x?xi64>, tensor<?x?x15x9xf64>, tensor<?x?x15x9xf64>)
      outs(%grad_in : tensor<?x?x15x9xf64>) {meta = #sattn.meta<tile = [15, 16, 16]>} -> tensor<?x?x15x9xf64>
  return %0 : tensor<?x?x15x9xf64>
}

// -----

// The first step of a row stays in registers: both parts of both arrays are read in a branch where there is one, else 0,
// before anything else. The products of a step are one sum, to which those of the head come last.
// CHECK-LABEL: func @head
// CHECK-SAME: %{{.+}}: tensor<?xi32>, %{{.+}}: tensor<?xi32>, %[[OUTPUT:.+]]: tensor<?x64x64xbf16>, %[[GRAD:.+]]: tensor<?x64x64xbf16>,
// CHECK-DAG: %[[ZERO:.+]] = arith.constant 0.000000e+00 : bf16
// CHECK: scf.forall
// CHECK:   %[[ANY:.+]] = arith.cmpi sgt
// CHECK:   %[[HEAD:.+]]:4 = scf.if %[[ANY]]
// CHECK:     tensor.extract_slice %[[OUTPUT]]
// CHECK:     %[[P0:.+]] = tensor.pad
// CHECK:     tensor.extract_slice %[[GRAD]]
// CHECK:     %[[G0:.+]] = tensor.pad
// CHECK:     tensor.extract_slice %[[OUTPUT]]
// CHECK:     %[[P1:.+]] = tensor.pad
// CHECK:     tensor.extract_slice %[[GRAD]]
// CHECK:     %[[G1:.+]] = tensor.pad
// CHECK:     scf.yield %[[P0]], %[[G0]], %[[P1]], %[[G1]]
// CHECK:   } else {
// CHECK:     linalg.fill ins(%[[ZERO]] : bf16)
// CHECK:   %[[LOOP:.+]] = scf.for {{.+}} = %c2 to %{{.+}} step %c2 iter_args(%[[OLD:.+]] = %{{.+}}) -> (f32)
// CHECK-COUNT-4: tensor.pad
// CHECK:     %[[START:.+]] = linalg.fill ins(%[[OLD]] : f32)
// CHECK:     linalg.generic {{.+}}iterator_types = ["reduction", "reduction"]} {{.+}} outs(%[[START]] : tensor<f32>)
// CHECK:       arith.mulf
// CHECK:       math.fma
// CHECK:       arith.addf
// CHECK:   } {sattn.block_loop}
// CHECK:   scf.if %[[ANY]]
// CHECK:     %[[REST:.+]] = linalg.fill ins(%[[LOOP]] : f32)
// CHECK:     linalg.generic {{.+}} ins(%[[HEAD]]#0, %[[HEAD]]#1, %[[HEAD]]#2, %[[HEAD]]#3 : {{.+}} outs(%[[REST]] : tensor<f32>)
// CHECK:     linalg.generic {{.+}} ins(%[[HEAD]]#0, %[[HEAD]]#1 : tensor<16x64xbf16>, tensor<16x64xbf16>)
// CHECK:     linalg.generic {{.+}} ins(%[[HEAD]]#2, %[[HEAD]]#3 : tensor<16x64xbf16>, tensor<16x64xbf16>)
// CHECK-COUNT-2: tensor.insert_slice
// CHECK:   scf.for {{.+}} = %c2 to %{{.+}} step %c2
func.func @head(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x64x64xbf16>, %grad_out: tensor<?x64x64xbf16>,
    %grad_in: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x64x64xbf16>)
      outs(%grad_in : tensor<?x64x64xbf16>) {meta = #sattn.meta<tile = [1, 64, 2048], stages = 1>} -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}
