// Gradients of scores with a captured bias go the whole way with the computed default's tiles.
// No kernel spills whose operands lie as TMA, or copies of 16 bytes, take them.
// RUN: sparse-opt --sattn-inject-meta=target=sm_80 %s | FileCheck %s --check-prefix=TILE
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --versions=tma --chip=sm_80 %s -o /dev/null %}
// RUN: %if ptxas-third1 %{ sparse-translate --to=cubin --refuse-spills --versions=tma --chip=sm_86 %s -o /dev/null %}
// RUN: %if ptxas-third2 %{ sparse-translate --to=cubin --refuse-spills --versions=tma --chip=sm_89 %s -o /dev/null %}
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --versions=tma %s -o /dev/null %}

// TILE-LABEL: @dk_256_bias(
// TILE: meta = #sattn.meta<tile = [16, 256, 64]
func.func @dk_256_bias(%scale: f32, %q: tensor<?x?x256xbf16>, %k: tensor<?x?x256xbf16>, %v: tensor<?x?x256xbf16>,
    %go: tensor<?x?x256xbf16>, %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %bias: tensor<?x?x?xf32>, %dk: tensor<?x?x256xbf16>) -> tensor<?x?x256xbf16> {
  %0 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x256xbf16>, tensor<?x?x256xbf16>, tensor<?x?x256xbf16>, tensor<?x?x256xbf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      captures(%bias : tensor<?x?x?xf32>)
      outs(%dk : tensor<?x?x256xbf16>) -> tensor<?x?x256xbf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %x: tensor<?x?x?xf32>):
        %at = arith.index_cast %h : i32 to index
        %row = arith.index_cast %i : i32 to index
        %column = arith.index_cast %j : i32 to index
        %y = tensor.extract %x[%at, %row, %column] : tensor<?x?x?xf32>
        %r = arith.addf %s, %y : f32
        sattn.yield %r : f32
      } {only = "dk"}
  return %0 : tensor<?x?x256xbf16>
}

// TILE-LABEL: @dkdv_128_bias(
// TILE: meta = #sattn.meta<tile = [16, 128, 32]
func.func @dkdv_128_bias(%scale: f32, %q: tensor<?x?x128xbf16>, %k: tensor<?x?x128xbf16>, %v: tensor<?x?x128xbf16>,
    %go: tensor<?x?x128xbf16>, %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %bias: tensor<?x?x?xf32>, %dk: tensor<?x?x128xbf16>, %dv: tensor<?x?x128xbf16>) -> (tensor<?x?x128xbf16>, tensor<?x?x128xbf16>) {
  %0:2 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      captures(%bias : tensor<?x?x?xf32>)
      outs(%dk, %dv : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16>, tensor<?x?x128xbf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %x: tensor<?x?x?xf32>):
        %at = arith.index_cast %h : i32 to index
        %row = arith.index_cast %i : i32 to index
        %column = arith.index_cast %j : i32 to index
        %y = tensor.extract %x[%at, %row, %column] : tensor<?x?x?xf32>
        %r = arith.addf %s, %y : f32
        sattn.yield %r : f32
      } {group = 2 : i64}
  return %0#0, %0#1 : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>
}

// The gradient of the bias itself, whose elements are read at places that are computed.
// TILE-LABEL: @dbias_128(
func.func @dbias_128(%scale: f32, %q: tensor<?x?x128xbf16>, %k: tensor<?x?x128xbf16>, %v: tensor<?x?x128xbf16>,
    %go: tensor<?x?x128xbf16>, %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %bias: tensor<?x?x?xf32>, %first: f32, %zero: f32,
    %dbias: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = sattn.flex_attention_dcapture scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      captures(%bias, %first, %zero : tensor<?x?x?xf32>, f32, f32)
      outs(%dbias : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %x: tensor<?x?x?xf32>, %from: f32, %c: f32):
        %start = arith.fptosi %from : f32 to i32
        %query = arith.addi %i, %start : i32
        %at = arith.index_cast %h : i32 to index
        %row = arith.index_cast %query : i32 to index
        %column = arith.index_cast %j : i32 to index
        %y = tensor.extract %x[%at, %row, %column] : tensor<?x?x?xf32>
        %moved = arith.addf %y, %c : f32
        %r = arith.addf %s, %moved : f32
        sattn.yield %r : f32
      } {number = 2 : i64}
  return %0 : tensor<?x?x?xf32>
}
