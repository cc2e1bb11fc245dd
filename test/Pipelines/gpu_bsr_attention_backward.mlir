// The gradients of attention at stored blocks, with and without dropout, go the whole way with the computed default's tiles.
// No kernel spills with heads of 64 columns.
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third1 %{ sparse-translate --to=cubin --verify-each --schedule=plain %s -o /dev/null %}
// RUN: %if ptxas-third2 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: sparse-opt %s --sattn-to-cpu -o /dev/null

func.func @stored(%scale: f32, %q: tensor<?x?x?x64xbf16>, %k: tensor<?x?x?x64xbf16>, %v: tensor<?x?x?x64xbf16>,
    %g: tensor<?x?x?x64xbf16>, %lse: tensor<?x?x?xf32>, %delta: tensor<?x?x?xf32>, %crow: tensor<1x?x?xi32>, %col: tensor<1x?x?xi32>,
    %crow_t: tensor<1x?x?xi32>, %col_t: tensor<1x?x?xi32>, %p: f32, %random: tensor<2xi64>,
    %dq: tensor<?x?x?x64xbf16>, %dk: tensor<?x?x?x64xbf16>, %dv: tensor<?x?x?x64xbf16>)
    -> (tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>) {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>,
          tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      stored(%crow, %col : tensor<1x?x?xi32>, tensor<1x?x?xi32>)
      outs(%dq : tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16> {block_size = array<i64: 64, 64>}
  %1:2 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>,
          tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      stored(%crow_t, %col_t : tensor<1x?x?xi32>, tensor<1x?x?xi32>)
      outs(%dk, %dv : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>
      {block_size = array<i64: 64, 64>}
  return %0, %1#0, %1#1 : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>
}

func.func @dropped(%scale: f32, %q: tensor<?x?x?x64xbf16>, %k: tensor<?x?x?x64xbf16>, %v: tensor<?x?x?x64xbf16>,
    %g: tensor<?x?x?x64xbf16>, %lse: tensor<?x?x?xf32>, %delta: tensor<?x?x?xf32>, %crow: tensor<1x?x?xi64>, %col: tensor<1x?x?xi64>,
    %crow_t: tensor<1x?x?xi64>, %col_t: tensor<1x?x?xi64>, %p: f32, %random: tensor<2xi64>,
    %dq: tensor<?x?x?x64xbf16>, %dk: tensor<?x?x?x64xbf16>, %dv: tensor<?x?x?x64xbf16>)
    -> (tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>) {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>,
          tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      stored(%crow, %col : tensor<1x?x?xi64>, tensor<1x?x?xi64>) dropout(%p, %random : tensor<2xi64>)
      outs(%dq : tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16> {block_size = array<i64: 128, 128>}
  %1:2 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>,
          tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      stored(%crow_t, %col_t : tensor<1x?x?xi64>, tensor<1x?x?xi64>) dropout(%p, %random : tensor<2xi64>)
      outs(%dk, %dv : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>
      {block_size = array<i64: 128, 128>}
  return %0, %1#0, %1#1 : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>
}
