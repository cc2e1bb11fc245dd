// The ops of the gradients of flex attention print what they parse.
// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s

// CHECK-LABEL: @dq
// CHECK: sattn.flex_attention_dq scale(%{{.*}}) ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}) max_scores(%{{.*}} : tensor<?x?x?xf32>)
// CHECK-SAME: partial(%{{.*}}, %{{.*}} : tensor<1x?x?xi32>, tensor<1x?x?x?xi32>) full(%{{.*}}, %{{.*}} : tensor<1x?x?xi32>, tensor<1x?x?x?xi32>)
// CHECK-SAME: key_lengths(%{{.*}} : tensor<?xi32>) captures(%{{.*}} : f32)
// CHECK-SAME: outs(%{{.*}} : tensor<?x?x?x16xf16>) -> tensor<?x?x?x16xf16> score_mod {
// CHECK: } mask_mod {
// CHECK: } {block_size = array<i64: 32, 32>, group = 2 : i64, mask = #sattn.mask<right = 0>, meta = #sattn.meta<tile = [32, 24, 16]>}
func.func @dq(%scale: f32, %q: tensor<?x?x?x16xf16>, %k: tensor<?x?x?x16xf16>, %v: tensor<?x?x?x24xf16>,
              %g: tensor<?x?x?x24xf16>, %lse: tensor<?x?x?xf32>, %delta: tensor<?x?x?xf32>, %max: tensor<?x?x?xf32>,
              %num: tensor<1x?x?xi32>, %idx: tensor<1x?x?x?xi32>, %lengths: tensor<?xi32>, %gain: f32,
              %dq: tensor<?x?x?x16xf16>) -> tensor<?x?x?x16xf16> {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x?x16xf16>, tensor<?x?x?x16xf16>, tensor<?x?x?x24xf16>,
          tensor<?x?x?x24xf16>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      max_scores(%max : tensor<?x?x?xf32>)
      partial(%num, %idx : tensor<1x?x?xi32>, tensor<1x?x?x?xi32>)
      full(%num, %idx : tensor<1x?x?xi32>, tensor<1x?x?x?xi32>)
      key_lengths(%lengths : tensor<?xi32>) captures(%gain : f32)
      outs(%dq : tensor<?x?x?x16xf16>) -> tensor<?x?x?x16xf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %x: f32):
        %r = arith.mulf %s, %x : f32
        sattn.yield %r : f32
      } mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %x: f32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {mask = #sattn.mask<right = 0>, block_size = array<i64: 32, 32>, group = 2 : i64,
         meta = #sattn.meta<tile = [32, 24, 16]>}
  return %0 : tensor<?x?x?x16xf16>
}

// CHECK-LABEL: @dkdv
// CHECK: sattn.flex_attention_dkdv scale(%{{.*}}) ins({{.*}}) outs(%{{.*}}, %{{.*}} : tensor<?x?x16xf64>, tensor<?x?x8xf64>) -> tensor<?x?x16xf64>, tensor<?x?x8xf64>
func.func @dkdv(%scale: f64, %q: tensor<?x?x16xf64>, %v: tensor<?x?x8xf64>, %lse: tensor<?x?xf64>,
                %dk: tensor<?x?x16xf64>, %dv: tensor<?x?x8xf64>) -> (tensor<?x?x16xf64>, tensor<?x?x8xf64>) {
  %0:2 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf64>, tensor<?x?x16xf64>, tensor<?x?x8xf64>,
          tensor<?x?x8xf64>, tensor<?x?xf64>, tensor<?x?xf64>)
      outs(%dk, %dv : tensor<?x?x16xf64>, tensor<?x?x8xf64>) -> tensor<?x?x16xf64>, tensor<?x?x8xf64>
  return %0#0, %0#1 : tensor<?x?x16xf64>, tensor<?x?x8xf64>
}

// CHECK-LABEL: @dkdv_all
// CHECK: %{{.*}}:2 = sattn.flex_attention_dkdv scale(%{{.*}}) ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}) max_scores(%{{.*}} : tensor<?x?x?xf32>)
// CHECK-SAME: partial(%{{.*}}, %{{.*}} : tensor<1x?x?xi32>, tensor<1x?x?x?xi32>) full(%{{.*}}, %{{.*}} : tensor<?x1x?xi32>, tensor<?x1x?x?xi32>)
// CHECK-SAME: key_lengths(%{{.*}} : tensor<?xi32>) captures(%{{.*}}, %{{.*}} : tensor<?xf32>, f32) origin(%[[B:.*]], %[[H:.*]], %[[J:.*]]) outs(
// CHECK-SAME: score_mod {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: tensor<?xf32>, %{{.*}}: f32):
// CHECK:   sattn.yield %{{.*}} : f32
// CHECK: } mask_mod {
// CHECK-NEXT: ^bb0(%{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: tensor<?xf32>, %{{.*}}: f32):
// CHECK:   sattn.yield %{{.*}} : i1
// CHECK: } {block_size = array<i64: 64, 32>, group = 2 : i64, mask = #sattn.mask<left = 9, right = 0, prefix = 3, bottom_right = true>, meta = #sattn.meta<tile = [32, 24, 16]>, precision = "tf32"}
func.func @dkdv_all(%scale: f32, %q: tensor<?x?x?x16xf32>, %k: tensor<?x?x?x16xf32>, %v: tensor<?x?x?x24xf32>,
    %g: tensor<?x?x?x24xf32>, %lse: tensor<?x?x?xf32>, %delta: tensor<?x?x?xf32>, %max: tensor<?x?x?xf32>,
    %num: tensor<1x?x?xi32>, %idx: tensor<1x?x?x?xi32>, %full_num: tensor<?x1x?xi32>, %full_idx: tensor<?x1x?x?xi32>,
    %lengths: tensor<?xi32>, %slopes: tensor<?xf32>, %gain: f32, %b: index, %h: index, %j: index,
    %dk: tensor<?x?x?x16xf32>, %dv: tensor<?x?x?x24xf32>) -> (tensor<?x?x?x16xf32>, tensor<?x?x?x24xf32>) {
  %0:2 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>, tensor<?x?x?x24xf32>,
          tensor<?x?x?x24xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      max_scores(%max : tensor<?x?x?xf32>)
      partial(%num, %idx : tensor<1x?x?xi32>, tensor<1x?x?x?xi32>)
      full(%full_num, %full_idx : tensor<?x1x?xi32>, tensor<?x1x?x?xi32>)
      key_lengths(%lengths : tensor<?xi32>) captures(%slopes, %gain : tensor<?xf32>, f32) origin(%b, %h, %j)
      outs(%dk, %dv : tensor<?x?x?x16xf32>, tensor<?x?x?x24xf32>) -> tensor<?x?x?x16xf32>, tensor<?x?x?x24xf32>
      score_mod {
      ^bb0(%s: f32, %b_in: i32, %h_in: i32, %i_in: i32, %j_in: i32, %slopes_in: tensor<?xf32>, %x: f32):
        %r = arith.mulf %s, %x : f32
        sattn.yield %r : f32
      } mask_mod {
      ^bb0(%b_in: i32, %h_in: i32, %i_in: i32, %j_in: i32, %slopes_in: tensor<?xf32>, %x: f32):
        %r = arith.cmpi sge, %i_in, %j_in : i32
        sattn.yield %r : i1
      } {mask = #sattn.mask<bottom_right = true, right = 0, left = 9, prefix = 3>, block_size = array<i64: 64, 32>,
         group = 2 : i64, meta = #sattn.meta<tile = [32, 24, 16]>, precision = "tf32"}
  return %0#0, %0#1 : tensor<?x?x?x16xf32>, tensor<?x?x?x24xf32>
}

// CHECK-LABEL: @dkdv_of_values
// CHECK: %{{.*}} = sattn.flex_attention_dkdv scale(%{{.*}}) ins({{.*}}) outs(%{{.*}} : tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {only = "dv"}
func.func @dkdv_of_values(%scale: f32, %q: tensor<?x?x16xf32>, %v: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>,
                          %dv: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %0 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>,
          tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dv : tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {only = "dv"}
  return %0 : tensor<?x?x8xf32>
}

// CHECK-LABEL: @dcapture
// CHECK: sattn.flex_attention_dcapture scale(%{{.*}}) ins({{.*}}) captures(%{{.*}} : f32) outs(%{{.*}} : tensor<?x?x?xf32>) -> tensor<?x?x?xf32> score_mod {
// CHECK: } {number = 0 : i64}
func.func @dcapture(%scale: f32, %q: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %x: f32,
                    %grad: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = sattn.flex_attention_dcapture scale(%scale)
      ins(%q, %q, %q, %q, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>,
          tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      captures(%x : f32) outs(%grad : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %y: f32):
        %r = arith.mulf %s, %y : f32
        sattn.yield %r : f32
      } {number = 0 : i64}
  return %0 : tensor<?x?x?xf32>
}

// CHECK-LABEL: @dq_stored
// CHECK: sattn.flex_attention_dq scale(%{{.*}}) ins({{.*}}) stored(%{{.*}}, %{{.*}} : tensor<1x?xi64>, tensor<1x?xi64>) dropout(%{{.*}}, %{{.*}} : tensor<2xi64>) outs(
func.func @dq_stored(%scale: f32, %q: tensor<?x?x16xf32>, %v: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>, %crow: tensor<1x?xi64>,
                     %col: tensor<1x?xi64>, %p: f32, %random: tensor<2xi64>) -> tensor<?x?x16xf32> {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      stored(%crow, %col : tensor<1x?xi64>, tensor<1x?xi64>) dropout(%p, %random : tensor<2xi64>)
      outs(%q : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {block_size = array<i64: 32, 16>}
  return %0 : tensor<?x?x16xf32>
}
