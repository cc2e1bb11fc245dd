// What a pair of a query and a key has in registers beside its score leaves a tile of Hopper
// fewer rows to walk: an element of a bias, or the positions of a mask.
// RUN: split-file %s %t
// RUN: cat %t/none.mlir %t/few.mlir | sparse-opt --sattn-inject-meta=target=sm_90a | FileCheck %s
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --versions=tma %t/none.mlir -o /dev/null %}

//--- none.mlir

// CHECK-LABEL: @dq_bias(
// CHECK: meta = #sattn.meta<tile = [128, 64, 96]
func.func @dq_bias(%scale: f32, %q: tensor<?x?x64xbf16>, %k: tensor<?x?x64xbf16>, %v: tensor<?x?x64xbf16>,
    %go: tensor<?x?x64xbf16>, %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %bias: tensor<?x?x?xf32>, %dq: tensor<?x?x64xbf16>) -> tensor<?x?x64xbf16> {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x64xbf16>, tensor<?x?x64xbf16>, tensor<?x?x64xbf16>, tensor<?x?x64xbf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      captures(%bias : tensor<?x?x?xf32>)
      outs(%dq : tensor<?x?x64xbf16>) -> tensor<?x?x64xbf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %x: tensor<?x?x?xf32>):
        %at = arith.index_cast %h : i32 to index
        %row = arith.index_cast %i : i32 to index
        %column = arith.index_cast %j : i32 to index
        %y = tensor.extract %x[%at, %row, %column] : tensor<?x?x?xf32>
        %r = arith.addf %s, %y : f32
        sattn.yield %r : f32
      }
  return %0 : tensor<?x?x64xbf16>
}

// Blocks of 64 queries in a list: two CTAs share an SM.
// CHECK-LABEL: @dq_list(
// CHECK: meta = #sattn.meta<tile = [64, 128, 32]
func.func @dq_list(%scale: f32, %q: tensor<?x?x128xbf16>, %k: tensor<?x?x128xbf16>, %v: tensor<?x?x128xbf16>,
    %go: tensor<?x?x128xbf16>, %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %counts: tensor<?x?xi32>, %indices: tensor<?x?x?xi32>,
    %full_counts: tensor<?x?xi32>, %full_indices: tensor<?x?x?xi32>, %document: tensor<?xi32>, %dq: tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16> {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      partial(%counts, %indices : tensor<?x?xi32>, tensor<?x?x?xi32>)
      full(%full_counts, %full_indices : tensor<?x?xi32>, tensor<?x?x?xi32>)
      captures(%document : tensor<?xi32>)
      outs(%dq : tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %x: tensor<?xi32>):
        %row = arith.index_cast %i : i32 to index
        %column = arith.index_cast %j : i32 to index
        %own = tensor.extract %x[%row] : tensor<?xi32>
        %other = tensor.extract %x[%column] : tensor<?xi32>
        %r = arith.cmpi eq, %own, %other : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 64, 64>}
  return %0 : tensor<?x?x128xbf16>
}

// CHECK-LABEL: @dbias(
// CHECK: meta = #sattn.meta<tile = [128, 64, 64]
func.func @dbias(%scale: f32, %q: tensor<?x?x64xbf16>, %k: tensor<?x?x64xbf16>, %v: tensor<?x?x64xbf16>,
    %go: tensor<?x?x64xbf16>, %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %bias: tensor<?x?xf32>, %first: f32, %zero: f32,
    %dbias: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = sattn.flex_attention_dcapture scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x64xbf16>, tensor<?x?x64xbf16>, tensor<?x?x64xbf16>, tensor<?x?x64xbf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      captures(%bias, %first, %zero : tensor<?x?xf32>, f32, f32)
      outs(%dbias : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %x: tensor<?x?xf32>, %from: f32, %c: f32):
        %start = arith.fptosi %from : f32 to i32
        %query = arith.addi %i, %start : i32
        %row = arith.index_cast %query : i32 to index
        %column = arith.index_cast %j : i32 to index
        %y = tensor.extract %x[%row, %column] : tensor<?x?xf32>
        %moved = arith.addf %y, %c : f32
        %r = arith.addf %s, %moved : f32
        sattn.yield %r : f32
      } {number = 2 : i64}
  return %0 : tensor<?x?x?xf32>
}

// Rows of 2 KB: a tile has as many as fit in shared memory.
// CHECK-LABEL: @dslope(
// CHECK: meta = #sattn.meta<tile = [32, 512, 16]
func.func @dslope(%scale: f32, %q: tensor<?x?x512xf32>, %k: tensor<?x?x512xf32>, %v: tensor<?x?x512xf32>,
    %go: tensor<?x?x512xf32>, %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %slope: f32, %dslope: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = sattn.flex_attention_dcapture scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x512xf32>, tensor<?x?x512xf32>, tensor<?x?x512xf32>, tensor<?x?x512xf32>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      captures(%slope : f32)
      outs(%dslope : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %c: f32):
        %distance = arith.subi %j, %i : i32
        %x = arith.sitofp %distance : i32 to f32
        %y = arith.mulf %x, %c : f32
        %r = arith.addf %s, %y : f32
        sattn.yield %r : f32
      } {number = 0 : i64, precision = "tf32"}
  return %0 : tensor<?x?x?xf32>
}

//--- few.mlir
// Some registers spill, outside the loop mostly.
// CHECK-LABEL: @dkdv_window(
// CHECK: meta = #sattn.meta<tile = [48, 96, 128]
func.func @dkdv_window(%scale: f32, %q: tensor<?x?x96xbf16>, %k: tensor<?x?x96xbf16>, %v: tensor<?x?x96xbf16>,
    %go: tensor<?x?x96xbf16>, %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %dk: tensor<?x?x96xbf16>, %dv: tensor<?x?x96xbf16>) -> (tensor<?x?x96xbf16>, tensor<?x?x96xbf16>) {
  %0:2 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x96xbf16>, tensor<?x?x96xbf16>, tensor<?x?x96xbf16>, tensor<?x?x96xbf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dk, %dv : tensor<?x?x96xbf16>, tensor<?x?x96xbf16>) -> tensor<?x?x96xbf16>, tensor<?x?x96xbf16>
      {mask = #sattn.mask<left = 255, right = 0>}
  return %0#0, %0#1 : tensor<?x?x96xbf16>, tensor<?x?x96xbf16>
}
