// The products of a layer's gradients: blocks in the order of the transposed pattern, and a left factor by its columns, both
// read where they lie.
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third0 %{ sparse-translate --to=cubin --refuse-spills --verify-each --schedule=plain %s -o /dev/null %}
// RUN: %if ptxas-third1 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: sparse-opt %s --sattn-to-cpu -o /dev/null

func.func @product64(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
    %order: tensor<?xi32>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      order(%order : tensor<?xi32>) outs(%out : tensor<?x?xbf16>) {transpose_a, transpose_b, transpose_out} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
func.func @sampled64(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
    %out: tensor<?x64x64xbf16>) -> tensor<?x64x64xbf16> {
  %beta = arith.constant 0.0 : f32
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x64x64xbf16>) {transpose_mat1} -> tensor<?x64x64xbf16>
  return %0 : tensor<?x64x64xbf16>
}

func.func @product16(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xbf16>, %b: tensor<?x?xbf16>,
    %order: tensor<?xi32>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x16x16xbf16>, tensor<?x?xbf16>)
      order(%order : tensor<?xi32>) outs(%out : tensor<?x?xbf16>) {transpose_a, transpose_b, transpose_out} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
func.func @sampled16(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %mat1: tensor<?x?xbf16>, %mat2: tensor<?x?xbf16>,
    %out: tensor<?x16x16xbf16>) -> tensor<?x16x16xbf16> {
  %beta = arith.constant 0.0 : f32
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>, tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x16x16xbf16>) {transpose_mat1} -> tensor<?x16x16xbf16>
  return %0 : tensor<?x16x16xbf16>
}
