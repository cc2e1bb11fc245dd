// RUN: sparse-opt %s --sattn-tile --cse --split-input-file | FileCheck %s

// All sizes and scalars known at run time only.
// CHECK-DAG:   #[[WIDTH:.*]] = affine_map<(d0)[s0] -> (-d0 + s0, 128)>
// CHECK-DAG:   #[[BLOCK:.*]] = affine_map<(d0) -> (d0 floordiv 64)>
// CHECK-DAG:   #[[K:.*]] = affine_map<(d0) -> (d0 * 64)>
// CHECK-DAG:   #[[PAD:.*]] = affine_map<(d0) -> (-d0 + 128)>
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME:    %[[ALPHA:.*]]: f32, %[[BETA:.*]]: f32, %[[CROW:.*]]: tensor<?xi32>, %[[COL:.*]]: tensor<?xi32>, %[[VALUES:.*]]: tensor<?x64x64xbf16>, %[[B:.*]]: tensor<?x?xbf16>, %[[OUT:.*]]: tensor<?x?xbf16>
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[M:.*]] = tensor.dim %[[OUT]], %[[C0]]
// CHECK-DAG:     %[[N:.*]] = tensor.dim %[[OUT]], %[[C1]]
// CHECK:         %[[RESULT:.*]] = scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (%[[M]], %[[N]]) step (64, 128) shared_outs(%[[O:.*]] = %[[OUT]]) -> (tensor<?x?xbf16>) {
// CHECK-DAG:       %[[W:.*]] = affine.min #[[WIDTH]](%[[J]])[%[[N]]]
// CHECK-DAG:       %[[ROW:.*]] = affine.apply #[[BLOCK]](%[[I]])
// CHECK-DAG:       %[[ROWS:.*]] = tensor.extract_slice %[[CROW]][%[[ROW]]] [2] [1]
// CHECK-DAG:       %[[COLS:.*]] = tensor.extract_slice %[[COL]]
// CHECK-DAG:       %[[NB:.*]] = tensor.dim %[[B]], %[[C1]]
// CHECK-DAG:       %[[WB:.*]] = affine.min #[[WIDTH]](%[[J]])[%[[NB]]]
// CHECK-DAG:       %[[DEST:.*]] = tensor.extract_slice %[[O]][%[[I]], %[[J]]] [64, %[[W]]] [1, 1]
// CHECK:           %[[E0:.*]] = tensor.extract %[[ROWS]][%[[C0]]]
// CHECK:           %[[BEGIN:.*]] = arith.index_cast %[[E0]] : i32 to index
// CHECK:           %[[E1:.*]] = tensor.extract %[[ROWS]][%[[C1]]]
// CHECK:           %[[LAST:.*]] = arith.index_cast %[[E1]] : i32 to index
//                  Nothing is multiplied where alpha is zero.
// CHECK:           %[[IS_ALPHA:.*]] = arith.cmpf une, %[[ALPHA]], %[[ZERO]]
// CHECK:           %[[END:.*]] = arith.select %[[IS_ALPHA]], %[[LAST]], %[[BEGIN]]
// CHECK:           %[[HAS_BLOCKS:.*]] = arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK:           %[[ZEROS:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK:           %[[SUM:.*]] = scf.for %[[P:.*]] = %[[BEGIN]] to %[[END]] step %[[C1]] iter_args(%[[ACC:.*]] = %[[ZEROS]]) -> (tensor<64x128xf32>) {
// CHECK:             %[[COLUMN:.*]] = tensor.extract %[[COLS]][%[[P]]]
// CHECK:             %[[COLUMN_INDEX:.*]] = arith.index_cast %[[COLUMN]] : i32 to index
// CHECK-DAG:         %[[B_ROW:.*]] = affine.apply #[[K]](%[[COLUMN_INDEX]])
// CHECK-DAG:         %[[B_TILE:.*]] = tensor.extract_slice %[[B]][%[[B_ROW]], %[[J]]] [64, %[[WB]]] [1, 1]
// CHECK-DAG:         %[[HIGH:.*]] = affine.apply #[[PAD]](%[[WB]])
// CHECK:             %[[PADDED:.*]] = tensor.pad %[[B_TILE]] low[0, 0] high[0, %[[HIGH]]]
// CHECK:             %[[A_TILE:.*]] = tensor.extract_slice %[[VALUES]][%[[P]], 0, 0] [1, 64, 64] [1, 1, 1] : tensor<?x64x64xbf16> to tensor<64x64xbf16>
// CHECK:             %[[NEXT:.*]] = linalg.matmul ins(%[[A_TILE]], %[[PADDED]] : tensor<64x64xbf16>, tensor<64x128xbf16>) outs(%[[ACC]] : tensor<64x128xf32>)
// CHECK:             scf.yield %[[NEXT]]
// CHECK:           } {sattn.block_loop}
//                  An alpha of infinity or NaN must not meet the zeros of no block.
// CHECK:           %[[SCALE:.*]] = arith.select %[[HAS_BLOCKS]], %[[ALPHA]], %[[ONE]]
//                  Where beta is zero out is not read.
// CHECK:           %[[IS_BETA:.*]] = arith.cmpf une, %[[BETA]], %[[ZERO]]
// CHECK:           %[[TILE:.*]] = scf.if %[[IS_BETA]] -> (tensor<64x128xbf16>) {
// CHECK:             %[[OLD_PADDED:.*]] = tensor.pad %[[DEST]]
// CHECK:             linalg.generic {{.*}} ins(%[[SUM]], %[[OLD_PADDED]] :
// CHECK:               %[[S0:.*]] = arith.mulf %[[SCALE]], %{{.*}} : f32
// CHECK:               %[[S1:.*]] = arith.extf
// CHECK:               %[[S2:.*]] = arith.mulf %[[BETA]], %[[S1]] : f32
// CHECK:               %[[S3:.*]] = arith.addf %[[S2]], %[[S0]] : f32
// CHECK:               %[[S4:.*]] = arith.truncf %[[S3]] : f32 to bf16
// CHECK:               linalg.yield %[[S4]] : bf16
// CHECK:           } else {
// CHECK-NOT:         %[[O]]
// CHECK:             linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK:               %[[S0:.*]] = arith.mulf %[[SCALE]], %{{.*}} : f32
// CHECK:               %[[S1:.*]] = arith.truncf %[[S0]] : f32 to bf16
// CHECK:               linalg.yield %[[S1]] : bf16
// CHECK:           }
// CHECK:           %[[CLIPPED:.*]] = tensor.extract_slice %[[TILE]][0, 0] [64, %[[W]]] [1, 1]
// CHECK:           %[[WRITTEN:.*]] = tensor.insert_slice %[[CLIPPED]] into %[[DEST]][0, 0] [64, %[[W]]] [1, 1]
// CHECK:           scf.forall.in_parallel {
// CHECK:             tensor.parallel_insert_slice %[[WRITTEN]] into %[[O]][%[[I]], %[[J]]] [64, %[[W]]] [1, 1]
// CHECK:         } {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>], sattn.covers_results}
// CHECK:         return %[[RESULT]]
func.func @dynamic(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                   %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

// Tiles that fit need neither pads nor clips; alpha = 1 and beta = 0 leave
// nothing of the epilogue but the rounding.
// CHECK-LABEL: func.func @static
// CHECK-SAME:    %[[OUT:[a-z0-9]*]]: tensor<512x256xbf16>) ->
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (512, 256) step (64, 128) shared_outs(%[[O:.*]] = %[[OUT]])
// CHECK-NOT:       tensor.pad
// CHECK-NOT:       arith.cmpf
// CHECK-NOT:       arith.select
// CHECK:           %[[SUM:.*]] = scf.for
// CHECK-NOT:         tensor.pad
// CHECK:             linalg.matmul
// CHECK-NOT:       scf.if
// CHECK:           %[[TILE:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<64x128xf32>)
// CHECK-NEXT:      ^bb0(%[[IN:.*]]: f32, %{{.*}}: bf16):
// CHECK-NEXT:        %[[R:.*]] = arith.truncf %[[IN]] : f32 to bf16
// CHECK-NEXT:        linalg.yield %[[R]] : bf16
// CHECK:           scf.forall.in_parallel {
// CHECK:             tensor.parallel_insert_slice %{{.*}} into %[[O]][%[[I]], %[[J]]] [64, 128] [1, 1]
func.func @static(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                  %values: tensor<?x64x64xbf16>, %b: tensor<512x256xbf16>,
                  %out: tensor<512x256xbf16>)
    -> tensor<512x256xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x256xbf16>)
      outs(%out : tensor<512x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}

// -----

// beta = 1 adds the old content of out as it is.
// CHECK-LABEL: func.func @beta_one
// CHECK:         %[[ALPHA:.*]] = arith.constant 2.000000e+00 : f32
// CHECK:         shared_outs(%[[O:.*]] = %{{.*}})
// CHECK:           %[[OLD:.*]] = tensor.extract_slice %[[O]]
// CHECK-NOT:       arith.cmpf
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %[[OLD]] : tensor<64x128xf32>, tensor<64x128xbf16>)
// CHECK-NEXT:      ^bb0(%[[IN:.*]]: f32, %[[OLD_IN:.*]]: bf16, %{{.*}}: bf16):
// CHECK-NEXT:        %[[S0:.*]] = arith.mulf %[[IN]], %[[ALPHA]] : f32
// CHECK-NEXT:        %[[S1:.*]] = arith.extf %[[OLD_IN]] : bf16 to f32
// CHECK-NEXT:        %[[S2:.*]] = arith.addf %[[S1]], %[[S0]] : f32
// CHECK-NEXT:        %[[S3:.*]] = arith.truncf %[[S2]] : f32 to bf16
// CHECK-NEXT:        linalg.yield %[[S3]] : bf16
func.func @beta_one(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                    %values: tensor<?x64x64xbf16>, %b: tensor<512x256xbf16>,
                    %out: tensor<512x256xbf16>)
    -> tensor<512x256xbf16> {
  %alpha = arith.constant 2.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x256xbf16>)
      outs(%out : tensor<512x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}

// -----

// A constant beta that is neither 0 nor 1.
// CHECK-LABEL: func.func @beta_half
// CHECK:         %[[BETA:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NOT:     scf.if
// CHECK:         arith.mulf %{{.*}}, %[[BETA]]
// CHECK-NOT:     arith.mulf
// CHECK:         arith.addf
func.func @beta_half(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x64x64xbf16>, %b: tensor<512x256xbf16>,
                     %out: tensor<512x256xbf16>)
    -> tensor<512x256xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.5 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x256xbf16>)
      outs(%out : tensor<512x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}

// -----

// alpha = 0 leaves no loop: neither the matrix nor b is read.
// CHECK-LABEL: func.func @alpha_zero
// CHECK-SAME:    %[[CROW:.*]]: tensor<?xi32>, %[[COL:.*]]: tensor<?xi32>, %[[VALUES:.*]]: tensor<?x64x64xbf16>, %[[B:.*]]: tensor<512x256xbf16>, %[[OUT:.*]]: tensor<512x256xbf16>)
// CHECK-DAG:     %[[BETA:.*]] = arith.constant 5.000000e-01 : f32
// CHECK:         shared_outs(%[[O:.*]] = %[[OUT]])
// CHECK-NOT:       %[[CROW]]
// CHECK-NOT:       %[[VALUES]]
// CHECK-NOT:       %[[B]]
// CHECK:           %[[OLD:.*]] = tensor.extract_slice %[[O]]
// CHECK-NOT:       scf.for
// CHECK:           linalg.generic {{.*}} ins(%[[OLD]] : tensor<64x128xbf16>)
// CHECK:             arith.mulf %{{.*}}, %[[BETA]]
// CHECK-NOT:       scf.for
// CHECK:           scf.forall.in_parallel
func.func @alpha_zero(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                      %values: tensor<?x64x64xbf16>, %b: tensor<512x256xbf16>,
                      %out: tensor<512x256xbf16>)
    -> tensor<512x256xbf16> {
  %alpha = arith.constant 0.0 : f32
  %beta = arith.constant 0.5 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x256xbf16>)
      outs(%out : tensor<512x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}

// -----

// CHECK-LABEL: func.func @both_zero
// CHECK:         scf.forall {{.*}} shared_outs(%[[O:.*]] = %{{.*}})
// CHECK-NOT:       tensor.extract_slice %[[O]]
// CHECK:           %[[ZEROS:.*]] = linalg.fill ins(%{{.*}} : bf16) outs(%{{.*}} : tensor<64x128xbf16>)
// CHECK:           tensor.parallel_insert_slice %[[ZEROS]] into %[[O]]
func.func @both_zero(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x64x64xbf16>, %b: tensor<512x256xbf16>,
                     %out: tensor<512x256xbf16>)
    -> tensor<512x256xbf16> {
  %alpha = arith.constant 0.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x256xbf16>)
      outs(%out : tensor<512x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}

// -----

// An alpha known at run time only, which is the one that ends the loop early.
// CHECK-LABEL: func.func @beta_zero
// CHECK-SAME:    %[[ALPHA:.*]]: f32,
// CHECK-NOT:     scf.if
// CHECK:         arith.cmpf une, %[[ALPHA]]
// CHECK-NOT:     scf.if
// CHECK:         return
func.func @beta_zero(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x64x64xbf16>, %b: tensor<512x256xbf16>,
                     %out: tensor<512x256xbf16>)
    -> tensor<512x256xbf16> {
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x256xbf16>)
      outs(%out : tensor<512x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}

// -----

// N is no multiple of the tile.
// CHECK-DAG:   #[[WIDTH:.*]] = affine_map<(d0) -> (-d0 + 200, 128)>
// CHECK-DAG:   #[[PAD:.*]] = affine_map<(d0) -> (-d0 + 128)>
// CHECK-LABEL: func.func @ragged
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (512, 200) step (64, 128)
// CHECK:           %[[W:.*]] = affine.min #[[WIDTH]](%[[J]])
// CHECK:           %[[HIGH:.*]] = affine.apply #[[PAD]](%[[W]])
// CHECK:           tensor.pad %{{.*}} low[0, 0] high[0, %[[HIGH]]]
// CHECK:           tensor.extract_slice %{{.*}}[0, 0] [64, %[[W]]] [1, 1] : tensor<64x128xbf16> to tensor<64x?xbf16>
// CHECK:           tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[I]], %[[J]]] [64, %[[W]]] [1, 1]
func.func @ragged(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                  %values: tensor<?x64x64xbf16>, %b: tensor<512x200xbf16>,
                  %out: tensor<512x200xbf16>)
    -> tensor<512x200xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x200xbf16>)
      outs(%out : tensor<512x200xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x200xbf16>
  return %0 : tensor<512x200xbf16>
}

// -----

// left and right multiply the product, one before it and one after; they are
// not read where there is no block. The input is read in the place of out, in
// its own element type.
// CHECK-LABEL: func.func @operands
// CHECK-SAME:    %[[B:[a-z0-9]*]]: tensor<512x256xbf16>, %[[INPUT:.*]]: tensor<512x256xbf16>, %[[LEFT:.*]]: tensor<512xbf16>, %[[RIGHT:.*]]: tensor<256xf32>, %[[OUT:.*]]: tensor<512x256xf32>)
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]]) = {{.*}} shared_outs(%[[O:.*]] = %[[OUT]])
// CHECK-DAG:       %[[INPUT_TILE:.*]] = tensor.extract_slice %[[INPUT]][%[[I]], %[[J]]] [64, 128] [1, 1]
// CHECK-DAG:       %[[LEFT_TILE:.*]] = tensor.extract_slice %[[LEFT]][%[[I]]] [64] [1]
// CHECK-DAG:       %[[RIGHT_TILE:.*]] = tensor.extract_slice %[[RIGHT]][%[[J]]] [128] [1]
// CHECK:           %[[HAS_BLOCKS:.*]] = arith.cmpi slt
// CHECK:           %[[SUM:.*]] = scf.for
// CHECK:           scf.if %[[HAS_BLOCKS]] -> (tensor<64x128xf32>) {
// CHECK:             linalg.generic {{.*}} ins(%[[SUM]], %[[LEFT_TILE]], %[[RIGHT_TILE]], %[[INPUT_TILE]] :
// CHECK-NEXT:        ^bb0(%[[P:.*]]: f32, %[[L:.*]]: bf16, %[[R:.*]]: f32, %[[IN:.*]]: bf16, %{{.*}}: f32):
// CHECK-NEXT:          %[[L32:.*]] = arith.extf %[[L]] : bf16 to f32
// CHECK-NEXT:          %[[S0:.*]] = arith.mulf %[[L32]], %[[P]] : f32
// CHECK-NEXT:          %[[S1:.*]] = arith.mulf %[[S0]], %[[R]] : f32
// CHECK-NEXT:          %[[IN32:.*]] = arith.extf %[[IN]] : bf16 to f32
// CHECK-NEXT:          %[[S2:.*]] = arith.addf %[[IN32]], %[[S1]] : f32
// CHECK-NEXT:          linalg.yield %[[S2]] : f32
// CHECK:           } else {
// CHECK-NOT:         %[[LEFT_TILE]]
// CHECK-NOT:         %[[RIGHT_TILE]]
// CHECK:             linalg.generic {{.*}} ins(%[[INPUT_TILE]] :
// CHECK:           scf.forall.in_parallel
func.func @operands(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                    %values: tensor<?x64x64xbf16>, %b: tensor<512x256xbf16>,
                    %input: tensor<512x256xbf16>, %left: tensor<512xbf16>,
                    %right: tensor<256xf32>, %out: tensor<512x256xf32>)
    -> tensor<512x256xf32> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<512x256xbf16>)
      input(%input : tensor<512x256xbf16>)
      left(%left : tensor<512xbf16>)
      right(%right : tensor<256xf32>)
      outs(%out : tensor<512x256xf32>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}

// -----

// A step of the reduction is a part of a block's columns: four to a block.
// CHECK-DAG:   #[[STEPS:.*]] = affine_map<(d0) -> (d0 * 4)>
// CHECK-DAG:   #[[BLOCK:.*]] = affine_map<(d0) -> (d0 floordiv 4)>
// CHECK-DAG:   #[[IN_BLOCK:.*]] = affine_map<(d0) -> (d0 * 32 - (d0 floordiv 4) * 128)>
// CHECK-DAG:   #[[K:.*]] = affine_map<(d0, d1) -> (d0 * 128 + d1 * 32 - (d1 floordiv 4) * 128)>
// CHECK-LABEL: func.func @steps
// CHECK:         %[[BEGIN:.*]] = affine.apply #[[STEPS]]
// CHECK:         %[[END:.*]] = affine.apply #[[STEPS]]
// CHECK:         scf.for %[[S:.*]] = %[[BEGIN]] to %[[END]]
// CHECK-DAG:       %[[P:.*]] = affine.apply #[[BLOCK]](%[[S]])
// CHECK-DAG:       %[[Q:.*]] = affine.apply #[[IN_BLOCK]](%[[S]])
// CHECK-DAG:       %[[ENTRY:.*]] = tensor.extract %{{.*}}[%[[P]]]
// CHECK-DAG:       %[[COLUMN:.*]] = arith.index_cast %[[ENTRY]]
// CHECK-DAG:       tensor.extract_slice %{{.*}}[%[[P]], 0, %[[Q]]] [1, 64, 32] [1, 1, 1]
// CHECK-DAG:       %[[ROW:.*]] = affine.apply #[[K]](%[[COLUMN]], %[[S]])
// CHECK-DAG:       tensor.extract_slice %{{.*}}[%[[ROW]], %{{.*}}] [32, 128] [1, 1]
// CHECK:           linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<64x32xbf16>, tensor<32x128xbf16>)
func.func @steps(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                 %values: tensor<?x64x128xbf16>, %b: tensor<?x256xbf16>,
                 %out: tensor<512x256xbf16>)
    -> tensor<512x256xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x128xbf16>, tensor<?x256xbf16>)
      outs(%out : tensor<512x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 32]>} -> tensor<512x256xbf16>
  return %0 : tensor<512x256xbf16>
}

// -----

// Batches broadcast: a size of 1 reads index 0, a size known at run time only is
// compared with 1 there.
// CHECK-DAG:   #[[BATCH:.*]] = affine_map<(d0)[s0] -> (d0, s0 - 1)>
// CHECK-LABEL: func.func @batched
// CHECK-SAME:    %[[CROW:.*]]: tensor<?x?xi64>, %[[COL:.*]]: tensor<?x?xi64>, %[[VALUES:.*]]: tensor<?x?x64x64xbf16>, %[[B:.*]]: tensor<3x1x512x256xbf16>, %[[OUT:.*]]: tensor<3x2x512x256xbf16>)
// CHECK:         scf.forall (%[[X:.*]], %[[Y:.*]], %[[I:.*]], %[[J:.*]]) = (0, 0, 0, 0) to (3, 2, 512, 256) step (1, 1, 64, 128)
// CHECK-DAG:       %[[CROW_SIZE:.*]] = tensor.dim %[[CROW]], %{{.*}}
// CHECK-DAG:       %[[CROW_BATCH:.*]] = affine.min #[[BATCH]](%[[Y]])[%[[CROW_SIZE]]]
// CHECK-DAG:       tensor.extract_slice %[[CROW]][%[[CROW_BATCH]], %{{.*}}] [1, 2] [1, 1]
// CHECK-DAG:       %[[VALUES_SIZE:.*]] = tensor.dim %[[VALUES]], %{{.*}}
// CHECK-DAG:       %[[VALUES_BATCH:.*]] = affine.min #[[BATCH]](%[[Y]])[%[[VALUES_SIZE]]]
// CHECK:           scf.for %[[P:[a-z0-9]*]] =
// CHECK:             arith.index_cast %{{.*}} : i64 to index
// CHECK-DAG:         tensor.extract_slice %[[VALUES]][%[[VALUES_BATCH]], %[[P]], 0, 0] [1, 1, 64, 64] [1, 1, 1, 1] : tensor<?x?x64x64xbf16> to tensor<64x64xbf16>
// CHECK-DAG:         tensor.extract_slice %[[B]][%[[X]], 0, %{{.*}}, %[[J]]] [1, 1, 64, 128] [1, 1, 1, 1] : tensor<3x1x512x256xbf16> to tensor<64x128xbf16>
// CHECK:           tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[X]], %[[Y]], %[[I]], %[[J]]] [1, 1, 64, 128] [1, 1, 1, 1]
// CHECK:         } {mapping = [#gpu.block<linear_dim_3>, #gpu.block<linear_dim_2>, #gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>], sattn.covers_results}
func.func @batched(%crow: tensor<?x?xi64>, %col: tensor<?x?xi64>,
                   %values: tensor<?x?x64x64xbf16>,
                   %b: tensor<3x1x512x256xbf16>, %out: tensor<3x2x512x256xbf16>)
    -> tensor<3x2x512x256xbf16> {
  %alpha = arith.constant 1.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?x?xi64>, tensor<?x?xi64>,
          tensor<?x?x64x64xbf16>, tensor<3x1x512x256xbf16>)
      outs(%out : tensor<3x2x512x256xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<3x2x512x256xbf16>
  return %0 : tensor<3x2x512x256xbf16>
}

// -----

// What the parameters ask of the schedule, where they do.
// CHECK-LABEL: func.func @schedule
// CHECK:         } {mapping = {{.*}}, sattn.raster_group = 2 : i64, sattn.stages = 3 : i64, sattn.warps = 8 : i64}
// CHECK-LABEL: func.func @no_schedule
// CHECK:         } {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>], sattn.covers_results}
func.func @schedule(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>,
                    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x16x16xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [16, 128, 16], stages = 3, warps = 8, raster_group = 2>}
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
func.func @no_schedule(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                       %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>,
                       %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x16x16xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [16, 128, 16]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
