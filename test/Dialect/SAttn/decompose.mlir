// RUN: sparse-opt %s --sattn-decompose --canonicalize --cse | FileCheck %s

// Scores and weights are f32 up to the softmax; weights are rounded to the type
// of the values.
// CHECK-LABEL: func.func @attention(
// CHECK-SAME:    %[[SCALE:[^:]*]]: f32, %[[CROW:[^:]*]]: tensor<?xi32>, %[[COL:[^:]*]]: tensor<1x?xi32>, %[[Q:[^:]*]]: tensor<3x?x64xbf16>, %[[K:[^:]*]]: tensor<?x64xbf16>, %[[V:[^:]*]]: tensor<3x?x32xbf16>, %[[OUT:[^:]*]]: tensor<3x?x32xbf16>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.0
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.0
// CHECK:         %[[NNZ:.*]] = tensor.dim %[[COL]], %c1
// CHECK:         %[[EMPTY:.*]] = tensor.empty(%[[NNZ]]) : tensor<3x?x64x32xf32>
// CHECK:         %[[SCORES:.*]] = sattn.sampled_addmm alpha(%[[SCALE]]) beta(%[[ZERO]]) ins(%[[CROW]], %[[COL]], %[[Q]], %[[K]] : {{.*}}) outs(%[[EMPTY]] : {{.*}}) {transpose_mat2}
// CHECK:         %[[WEIGHTS:.*]] = sattn.bsr_softmax ins(%[[CROW]], %[[COL]], %[[SCORES]] : {{.*}})
// CHECK:         %[[ROUNDED:.*]] = linalg.generic {{.*}} ins(%[[WEIGHTS]]
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.truncf
// CHECK:         %[[OFFSETS:.*]] = tensor.expand_shape %[[CROW]] {{\[\[}}0, 1]]
// CHECK:         sattn.bsr_addmm alpha(%[[ONE]]) beta(%[[ZERO]]) ins(%[[OFFSETS]], %[[COL]], %[[ROUNDED]], %[[V]] : {{.*}}) outs(%[[OUT]] :
// CHECK-NOT:     sattn.bsr_attention
func.func @attention(%scale: f32, %crow: tensor<?xi32>, %col: tensor<1x?xi32>, %q: tensor<3x?x64xbf16>,
    %k: tensor<?x64xbf16>, %v: tensor<3x?x32xbf16>, %out: tensor<3x?x32xbf16>) -> tensor<3x?x32xbf16> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<1x?xi32>, tensor<3x?x64xbf16>, tensor<?x64xbf16>, tensor<3x?x32xbf16>)
      outs(%out : tensor<3x?x32xbf16>) {block_size = array<i64: 64, 32>} -> tensor<3x?x32xbf16>
  return %0 : tensor<3x?x32xbf16>
}

// Nothing to round, and the precision is that of both products.
// CHECK-LABEL: func.func @f32(
// CHECK:         sattn.sampled_addmm {{.*}} {precision = "tf32", transpose_mat2}
// CHECK:         sattn.bsr_softmax
// CHECK-NOT:     linalg.generic
// CHECK:         sattn.bsr_addmm {{.*}} {precision = "tf32"}
func.func @f32(%scale: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %q: tensor<?x64xf32>, %k: tensor<?x64xf32>,
    %v: tensor<?x32xf32>, %out: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x32xf32>)
      outs(%out : tensor<?x32xf32>) {block_size = array<i64: 64, 32>, precision = "tf32"} -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// The row of a block is the last one that begins before it or with it, found by halves.
// CHECK-LABEL: func.func @dropout(
// CHECK-SAME:    %[[CROW:[^:]*]]: tensor<?xi32>, %[[COL:[^:]*]]: tensor<?xi32>
// CHECK:         sattn.bsr_softmax
// CHECK:         %[[ROWS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} outs({{.*}} : tensor<?xi32>)
// CHECK-COUNT-31:  tensor.extract %[[CROW]]
// CHECK-NOT:       tensor.extract %[[CROW]]
// CHECK:         linalg.generic
// CHECK:           tensor.extract %[[ROWS]]
// CHECK:           tensor.extract %[[COL]]
// CHECK-COUNT-18:  arith.muli {{.*}} : i64
// CHECK:         sattn.bsr_addmm
func.func @dropout(%scale: f32, %p: f32, %random: tensor<2xi64>, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %v: tensor<?x32xf32>, %out: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = sattn.bsr_attention scale(%scale)
      ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x32xf32>)
      dropout(%p, %random : tensor<2xi64>)
      outs(%out : tensor<?x32xf32>) {block_size = array<i64: 64, 32>} -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// What upstream's ops are made of is no matter of this pass.
// CHECK-LABEL: func.func @upstream(
// CHECK:         linalg.softmax
func.func @upstream(%x: tensor<4x8xf32>, %out: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
