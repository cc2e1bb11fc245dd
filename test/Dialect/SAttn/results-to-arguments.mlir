// RUN: sparse-opt %s --sattn-results-to-arguments --canonicalize --mlir-print-local-scope | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>

// Through the ops that write the tensor to where it is made.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[CROW:.*]]: tensor<?xi32>, %[[COL:.*]]: tensor<?xi32>, %[[VALUES:.*]]: tensor<?x8x8xf32>, %[[B:.*]]: tensor<?x?xf32>, %[[OUT:.*]]: tensor<?x?xf32>, %[[OUT1:.*]]: tensor<64x32xbf16>)
// CHECK:         %[[FILL:.*]] = linalg.fill {{.*}} outs(%[[OUT]] : tensor<?x?xf32>)
// CHECK:         %[[R:.*]] = sattn.bsr_addmm {{.*}} outs(%[[FILL]] : tensor<?x?xf32>)
// CHECK:         %[[R1:.*]] = linalg.generic {{.*}} outs(%[[OUT1]] : tensor<64x32xbf16>)
// CHECK:         return %[[R]], %[[R1]], %[[R]], %[[B]]
func.func @chain(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x8x8xf32>, %b: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<64x32xbf16>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %b, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %0 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %1 = linalg.fill ins(%one : f32) outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = sattn.bsr_addmm alpha(%one) beta(%one) ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xf32>, tensor<?x?xf32>)
      outs(%1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %cast = tensor.cast %2 : tensor<?x?xf32> to tensor<64x32xf32>
  %3 = tensor.empty() : tensor<64x32xbf16>
  %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%cast : tensor<64x32xf32>) outs(%3 : tensor<64x32xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %5 = arith.truncf %in : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<64x32xbf16>
  return %2, %4, %2, %b : tensor<?x?xf32>, tensor<64x32xbf16>, tensor<?x?xf32>, tensor<?x?xf32>
}

// Without ops of sattn, or called, a function keeps its signature.
// CHECK-LABEL: func.func @other() -> tensor<4xf32>
func.func @other() -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @called({{[^)]*}}tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK:         tensor.empty
func.func @called(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x8x8xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?x?xf32>
  %0 = tensor.empty(%n, %n) : tensor<?x?xf32>
  %1 = sattn.bsr_addmm alpha(%one) beta(%one) ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xf32>, tensor<?x?xf32>)
      outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
func.func @caller(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x8x8xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = call @called(%crow, %col, %values, %b) : (tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// The caller's memory must have the size that the program would have taken.
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME:    attributes {sattn.extent_checks = {checks = [{equal = affine_map<()[s0, s1] -> (s1, s0)>}], extents = [array<i64: 3, 1>, array<i64: 4, 1>]}}
func.func @sizes(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x8x8xf32>, %b: tensor<?x?xf32>)
    -> tensor<64x?xf32> {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %0 = tensor.empty(%n) : tensor<64x?xf32>
  %1 = sattn.bsr_addmm alpha(%one) beta(%zero) ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xf32>, tensor<?x?xf32>)
      outs(%0 : tensor<64x?xf32>) -> tensor<64x?xf32>
  return %1 : tensor<64x?xf32>
}
