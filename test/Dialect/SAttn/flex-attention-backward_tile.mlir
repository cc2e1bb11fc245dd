// The tile programs of the gradients of flex attention.
// RUN: sparse-opt %s --sattn-tile --canonicalize --cse | FileCheck %s

// A tile of queries walks blocks of keys down from the diagonal, as the forward does.
// CHECK-LABEL: @dq
// CHECK: scf.forall
// CHECK:   scf.for %[[T:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[SUM:.+]] = %{{.+}}) -> (tensor<32x16xf32>)
// CHECK:     linalg.matmul indexing_maps = {{.+}} -> tensor<32x16xf32>
// CHECK:     linalg.matmul indexing_maps = {{.+}} -> tensor<32x16xf32>
// CHECK:     scf.if
// CHECK:     math.exp2
// CHECK:     linalg.matmul ins(%{{.+}}, %{{.+}} : tensor<32x16xf16>, tensor<16x16xf16>) outs(%[[SUM]] :
// CHECK:   {sattn.block_loop}
func.func @dq(%scale: f32, %q: tensor<?x?x16xf16>, %k: tensor<?x?x16xf16>, %v: tensor<?x?x16xf16>, %g: tensor<?x?x16xf16>,
              %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %dq: tensor<?x?x16xf16>) -> tensor<?x?x16xf16> {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf16>, tensor<?x?x16xf16>, tensor<?x?x16xf16>, tensor<?x?x16xf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dq : tensor<?x?x16xf16>) -> tensor<?x?x16xf16>
      {mask = #sattn.mask<right = 0>, meta = #sattn.meta<tile = [32, 16, 16]>}
  return %0 : tensor<?x?x16xf16>
}

// A tile of keys walks blocks of queries up from the diagonal, of each head of its group, and
// has rows of keys: both products with a block are the transposed ones.
// CHECK-LABEL: @dkdv
// CHECK: scf.forall
// CHECK-NOT: scf.for
// CHECK:   scf.for %[[T:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[DV:.+]] = %{{.+}}, %[[DK:.+]] = %{{.+}}) -> (tensor<16x16xf32>, tensor<16x16xf32>)
// CHECK-NOT: arith.divui
// CHECK:     %[[I:.+]] = arith.index_cast %[[T]] : index to i32
// CHECK:     %[[IS_SECOND:.+]] = arith.cmpi uge, %[[I]], %[[BLOCKS:.+]] : i32
// CHECK:     %[[LEFT:.+]] = arith.subi %[[I]], %[[BLOCKS]]
// CHECK:     arith.select %[[IS_SECOND]], %[[LEFT]], %[[I]]
// CHECK:     linalg.matmul indexing_maps = {{.+}} -> tensor<16x32xf32>
// CHECK:     linalg.matmul indexing_maps = {{.+}} -> tensor<16x32xf32>
// CHECK:     math.exp2
// CHECK-DAG: linalg.matmul ins(%{{.+}}, %{{.+}} : tensor<16x32xf16>, tensor<32x16xf16>) outs(%[[DV]] :
// CHECK-DAG: linalg.matmul ins(%{{.+}}, %{{.+}} : tensor<16x32xf16>, tensor<32x16xf16>) outs(%[[DK]] :
func.func @dkdv(%scale: f32, %q: tensor<?x?x16xf16>, %k: tensor<?x?x16xf16>, %v: tensor<?x?x16xf16>, %g: tensor<?x?x16xf16>,
                %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %dk: tensor<?x?x16xf16>, %dv: tensor<?x?x16xf16>)
    -> (tensor<?x?x16xf16>, tensor<?x?x16xf16>) {
  %0:2 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf16>, tensor<?x?x16xf16>, tensor<?x?x16xf16>, tensor<?x?x16xf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dk, %dv : tensor<?x?x16xf16>, tensor<?x?x16xf16>) -> tensor<?x?x16xf16>, tensor<?x?x16xf16>
      {mask = #sattn.mask<right = 0>, group = 2 : i64, meta = #sattn.meta<tile = [32, 16, 16]>}
  return %0#0, %0#1 : tensor<?x?x16xf16>, tensor<?x?x16xf16>
}

// Where the derivative of the score is 1, weights are cotangents as they are; else those of 0
// stay 0, whatever the derivative is.
// CHECK-LABEL: @dq_of_a_sum
// CHECK:     math.exp2
// CHECK-NOT: arith.cmpf
// CHECK:   {sattn.block_loop}
// CHECK-LABEL: @dq_of_a_square
// CHECK:     math.exp2
// CHECK:     %[[IS_NOTHING:.+]] = arith.cmpf oeq
// CHECK:     arith.select %[[IS_NOTHING]]
// CHECK:   {sattn.block_loop}
func.func @dq_of_a_sum(%scale: f32, %q: tensor<?x?x16xf16>, %k: tensor<?x?x16xf16>, %v: tensor<?x?x16xf16>, %g: tensor<?x?x16xf16>,
              %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %dq: tensor<?x?x16xf16>) -> tensor<?x?x16xf16> {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf16>, tensor<?x?x16xf16>, tensor<?x?x16xf16>, tensor<?x?x16xf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dq : tensor<?x?x16xf16>) -> tensor<?x?x16xf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32):
        %x = arith.sitofp %j : i32 to f32
        %r = arith.addf %s, %x : f32
        sattn.yield %r : f32
      } {meta = #sattn.meta<tile = [32, 16, 16]>}
  return %0 : tensor<?x?x16xf16>
}
func.func @dq_of_a_square(%scale: f32, %q: tensor<?x?x16xf16>, %k: tensor<?x?x16xf16>, %v: tensor<?x?x16xf16>, %g: tensor<?x?x16xf16>,
              %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %dq: tensor<?x?x16xf16>) -> tensor<?x?x16xf16> {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf16>, tensor<?x?x16xf16>, tensor<?x?x16xf16>, tensor<?x?x16xf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dq : tensor<?x?x16xf16>) -> tensor<?x?x16xf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.mulf %s, %s : f32
        sattn.yield %r : f32
      } {meta = #sattn.meta<tile = [32, 16, 16]>}
  return %0 : tensor<?x?x16xf16>
}

// With fewer columns in a tile than the gradient has, the parts are a loop of tiles. Each
// computes the scores from whole rows, and sums a part of the columns of the other factor.
// CHECK-LABEL: @dq_parts
// CHECK: scf.forall (%[[COLUMN:.+]], %{{.+}}, %{{.+}}) =
// CHECK-SAME: step (16, 32, 1)
// CHECK:   scf.for {{.+}} iter_args(%[[SUM:.+]] = %{{.+}}) -> (tensor<32x16xf32>)
// CHECK:     linalg.matmul indexing_maps = {{.+}} ins(%{{.+}}, %{{.+}} : tensor<32x40xf16>, tensor<16x40xf16>)
// CHECK:     linalg.matmul indexing_maps = {{.+}} ins(%{{.+}}, %{{.+}} : tensor<32x16xf16>, tensor<16x16xf16>)
// CHECK:     tensor.extract_slice %{{.+}}[%{{.+}}, %{{.+}}, %[[COLUMN]]]
// CHECK:     linalg.matmul ins(%{{.+}}, %{{.+}} : tensor<32x16xf16>, tensor<16x16xf16>) outs(%[[SUM]] :
func.func @dq_parts(%scale: f32, %q: tensor<?x?x40xf16>, %k: tensor<?x?x40xf16>, %v: tensor<?x?x16xf16>, %g: tensor<?x?x16xf16>,
              %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %dq: tensor<?x?x40xf16>) -> tensor<?x?x40xf16> {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x40xf16>, tensor<?x?x40xf16>, tensor<?x?x16xf16>, tensor<?x?x16xf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dq : tensor<?x?x40xf16>) -> tensor<?x?x40xf16>
      {meta = #sattn.meta<tile = [32, 16, 16]>}
  return %0 : tensor<?x?x40xf16>
}

// Parts are those of the wider gradient. The narrower one ends before, where its parts are empty.
// CHECK-LABEL: @dkdv_parts
// CHECK: scf.forall (%[[COLUMN:.+]], %{{.+}}, %{{.+}}) =
// CHECK-SAME: to (40,
// CHECK-SAME: step (16, 16, 1) shared_outs(%[[DK:.+]] = %{{.+}}, %[[DV:.+]] = %{{.+}})
// CHECK:   tensor.extract_slice %[[DK]][%{{.+}}, %{{.+}}, %[[COLUMN]]]
// CHECK:   tensor.extract_slice %[[DV]][%{{.+}}, %{{.+}}, %[[FIRST:[0-9a-z]+]]] [1, %{{.+}}, %{{.+}}] [1, 1, 1]
// CHECK:   scf.for {{.+}} -> (tensor<16x16xf32>, tensor<16x16xf32>)
// CHECK-DAG: tensor.extract_slice %{{.+}}[%{{.+}}, %{{.+}}, %[[FIRST]]]
// CHECK-DAG: tensor.extract_slice %{{.+}}[%{{.+}}, %{{.+}}, %[[COLUMN]]]
func.func @dkdv_parts(%scale: f32, %q: tensor<?x?x40xf16>, %k: tensor<?x?x40xf16>, %v: tensor<?x?x16xf16>, %g: tensor<?x?x16xf16>,
                %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %dk: tensor<?x?x40xf16>, %dv: tensor<?x?x16xf16>)
    -> (tensor<?x?x40xf16>, tensor<?x?x16xf16>) {
  %0:2 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x40xf16>, tensor<?x?x40xf16>, tensor<?x?x16xf16>, tensor<?x?x16xf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dk, %dv : tensor<?x?x40xf16>, tensor<?x?x16xf16>) -> tensor<?x?x40xf16>, tensor<?x?x16xf16>
      {meta = #sattn.meta<tile = [32, 16, 16]>}
  return %0#0, %0#1 : tensor<?x?x40xf16>, tensor<?x?x16xf16>
}

// A tile of keys walks the stored blocks of its block row, none of which is masked. The sign of a weight says whether it is
// dropped.
// CHECK-LABEL: @dkdv_stored
// CHECK-SAME: %[[CROW:[^:, ]*]]: tensor<1x?xi64>, %[[COL:[^:]*]]: tensor<1x?xi64>
// CHECK: scf.forall (%[[J:.+]], %{{.+}}) =
// CHECK:   %[[ROW:.+]] = affine.apply #{{.+}}(%[[J]])
// CHECK:   %[[BEGIN:.+]] = tensor.extract %[[CROW]][%{{.+}}, %[[ROW]]]
// CHECK:   %[[FIRST:.+]] = arith.index_cast %[[BEGIN]]
// CHECK:   tensor.extract %[[CROW]]
// CHECK:   scf.for %[[P:.+]] = %{{.+}} to %{{.+}} step
// CHECK:     %[[PLACE:.+]] = affine.apply #{{.+}}(%[[FIRST]], %[[P]])
// CHECK:     tensor.extract %[[COL]][%{{.+}}, %[[PLACE]]]
// CHECK-NOT: scf.if
// CHECK:     math.exp2
// CHECK:     arith.negf
// CHECK:     arith.select
// CHECK:     arith.maximumf
// CHECK:     math.absf
// CHECK:     arith.cmpf oge
// CHECK:   } {sattn.block_loop}
func.func @dkdv_stored(%scale: f32, %q: tensor<?x?x16xf16>, %k: tensor<?x?x16xf16>, %g: tensor<?x?x16xf16>, %lse: tensor<?x?xf32>,
                       %crow: tensor<1x?xi64>, %col: tensor<1x?xi64>, %p: f32, %random: tensor<2xi64>, %dk: tensor<?x?x16xf16>,
                       %dv: tensor<?x?x16xf16>) -> (tensor<?x?x16xf16>, tensor<?x?x16xf16>) {
  %0:2 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %k, %k, %g, %lse, %lse : tensor<?x?x16xf16>, tensor<?x?x16xf16>, tensor<?x?x16xf16>, tensor<?x?x16xf16>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      stored(%crow, %col : tensor<1x?xi64>, tensor<1x?xi64>) dropout(%p, %random : tensor<2xi64>)
      outs(%dk, %dv : tensor<?x?x16xf16>, tensor<?x?x16xf16>) -> tensor<?x?x16xf16>, tensor<?x?x16xf16>
      {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [32, 16, 64]>}
  return %0#0, %0#1 : tensor<?x?x16xf16>, tensor<?x?x16xf16>
}
