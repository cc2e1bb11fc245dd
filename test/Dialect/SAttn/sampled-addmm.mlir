// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --emit-bytecode | sparse-opt | FileCheck %s

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME:    %[[ALPHA:.*]]: f32, %[[BETA:.*]]: f32, %[[CROW:.*]]: tensor<?xi32>, %[[COL:.*]]: tensor<?xi32>, %[[MAT1:.*]]: tensor<?x?xbf16>, %[[MAT2:.*]]: tensor<?x?xbf16>, %[[OUT:.*]]: tensor<?x64x64xbf16>
// CHECK:         sattn.sampled_addmm alpha(%[[ALPHA]]) beta(%[[BETA]]) ins(%[[CROW]], %[[COL]], %[[MAT1]], %[[MAT2]] : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%[[OUT]] : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
func.func @dynamic(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<?xi32>, %mat1: tensor<?x?xbf16>,
                   %mat2: tensor<?x?xbf16>, %out: tensor<?x64x64xbf16>)
    -> tensor<?x64x64xbf16> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>,
          tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

// Static sizes, i64 indices, blocks that are not square, batches, a transposed
// mat2, an input and a wider result.
// CHECK-LABEL: func.func @static
// CHECK:         sattn.sampled_addmm {{.*}} : tensor<9xi64>, tensor<20xi64>, tensor<2x128x100xf16>, tensor<160x100xf16>) input(%{{.*}} : tensor<1x20x16x32xf16>) outs(%{{.*}} : tensor<2x20x16x32xf32>) {meta = #sattn.meta<tile = [8, 32, 24]>, transpose_mat2} -> tensor<2x20x16x32xf32>
func.func @static(%alpha: f32, %beta: f32, %crow: tensor<9xi64>,
                  %col: tensor<20xi64>, %mat1: tensor<2x128x100xf16>,
                  %mat2: tensor<160x100xf16>, %input: tensor<1x20x16x32xf16>,
                  %out: tensor<2x20x16x32xf32>) -> tensor<2x20x16x32xf32> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi64>, tensor<20xi64>,
          tensor<2x128x100xf16>, tensor<160x100xf16>)
      input(%input : tensor<1x20x16x32xf16>)
      outs(%out : tensor<2x20x16x32xf32>)
      {meta = #sattn.meta<tile = [8, 32, 24]>, transpose_mat2}
      -> tensor<2x20x16x32xf32>
  return %0 : tensor<2x20x16x32xf32>
}

// A tile: a part of one block.
// CHECK-LABEL: func.func @tile
// CHECK:         origin(%{{.*}}, %{{.*}}, %{{.*}}) outs(%{{.*}} : tensor<1x8x32xf32>) {block_size = array<i64: 16, 32>, meta = #sattn.meta<tile = [8, 32, 24]>, precision = "tf32"} -> tensor<1x8x32xf32>
func.func @tile(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
                %col: tensor<20xi32>, %mat1: tensor<128x100xf32>,
                %mat2: tensor<100x160xf32>, %p: index, %i: index, %j: index,
                %out: tensor<1x8x32xf32>) -> tensor<1x8x32xf32> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>,
          tensor<128x100xf32>, tensor<100x160xf32>)
      origin(%p, %i, %j)
      outs(%out : tensor<1x8x32xf32>)
      {block_size = array<i64: 16, 32>, meta = #sattn.meta<tile = [8, 32, 24]>,
       precision = "tf32"} -> tensor<1x8x32xf32>
  return %0 : tensor<1x8x32xf32>
}

// The matrix is one operand in upstream's encoding, and so is the result.
#bsr = #sparse_tensor.encoding<{map = (n, i, j) -> (n : batch, i floordiv 64 : dense, j floordiv 32 : compressed, i mod 64 : dense, j mod 32 : dense), posWidth = 32, crdWidth = 32}>
// CHECK-LABEL: func.func @encoded
// CHECK-SAME:    %[[MAT1:[a-z0-9]+]]: tensor<2x512x?xbf16>, %[[MAT2:.*]]: tensor<?x?xbf16>, %[[OUT:.*]]: tensor<2x512x?xbf16, #[[BSR:.*]]>)
// CHECK:         sattn.sampled_addmm alpha(%{{.*}}) beta(%{{.*}}) ins(%[[MAT1]], %[[MAT2]] : tensor<2x512x?xbf16>, tensor<?x?xbf16>) outs(%[[OUT]] : tensor<2x512x?xbf16, #[[BSR]]>) {meta = #sattn.meta<tile = [64, 32, 64]>} -> tensor<2x512x?xbf16, #[[BSR]]>
func.func @encoded(%alpha: f32, %beta: f32, %mat1: tensor<2x512x?xbf16>,
                   %mat2: tensor<?x?xbf16>, %out: tensor<2x512x?xbf16, #bsr>)
    -> tensor<2x512x?xbf16, #bsr> {
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%mat1, %mat2 : tensor<2x512x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<2x512x?xbf16, #bsr>)
      {meta = #sattn.meta<tile = [64, 32, 64]>}
      -> tensor<2x512x?xbf16, #bsr>
  return %0 : tensor<2x512x?xbf16, #bsr>
}
