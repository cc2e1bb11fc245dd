// RUN: sparse-opt %s --canonicalize | FileCheck %s

// What front ends put around a linear layer goes into the op: x and the result
// are taken as they lie.
// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x64xf16>, %[[Y:[^:]*]]: tensor<?x128xf16>
// CHECK-NOT:     linalg
// CHECK:         %[[R:.*]] = sattn.bsr_addmm {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[X]] : {{.*}}) outs(%[[Y]] : tensor<?x128xf16>) {transpose_b, transpose_out} -> tensor<?x128xf16>
// CHECK-NEXT:    return %[[R]]
func.func @linear(%x: tensor<?x64xf16>, %y: tensor<?x128xf16>, %bt: tensor<64x?xf16>, %rt: tensor<128x?xf16>,
                  %crow: tensor<9xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xf16>) -> tensor<?x128xf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %b = linalg.transpose ins(%x : tensor<?x64xf16>) outs(%bt : tensor<64x?xf16>) permutation = [1, 0]
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<?xi32>, tensor<?x16x16xf16>, tensor<64x?xf16>)
      outs(%rt : tensor<128x?xf16>) -> tensor<128x?xf16>
  %1 = linalg.transpose ins(%0 : tensor<128x?xf16>) outs(%y : tensor<?x128xf16>) permutation = [1, 0]
  return %1 : tensor<?x128xf16>
}

// Transposed twice is not transposed; batches stay in front.
// CHECK-LABEL: func.func @twice(
// CHECK-SAME:    %[[B:[^:]*]]: tensor<3x64x?xf16>
// CHECK:         sattn.bsr_addmm {{.*}}, %[[B]] : {{.*}} -> tensor<3x128x?xf16>
// CHECK-NOT:     transpose
func.func @twice(%b: tensor<3x64x?xf16>, %bt: tensor<3x?x64xf16>, %out: tensor<3x128x?xf16>,
                 %crow: tensor<9xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xf16>) -> tensor<3x128x?xf16> {
  %one = arith.constant 1.0 : f32
  %0 = linalg.transpose ins(%b : tensor<3x64x?xf16>) outs(%bt : tensor<3x?x64xf16>) permutation = [0, 2, 1]
  %1 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%crow, %col, %values, %0 : tensor<9xi32>, tensor<?xi32>, tensor<?x16x16xf16>, tensor<3x?x64xf16>)
      outs(%out : tensor<3x128x?xf16>) {transpose_b} -> tensor<3x128x?xf16>
  return %1 : tensor<3x128x?xf16>
}

// A residual that is transposed, too, is added as it lies.
// CHECK-LABEL: func.func @residual(
// CHECK-SAME:    %[[C:[^:]*]]: tensor<?x128xf16>, %[[Y:[^:]*]]: tensor<?x128xf16>
// CHECK-NOT:     linalg
// CHECK:         sattn.bsr_addmm {{.*}} input(%[[C]] : tensor<?x128xf16>) outs(%[[Y]] : tensor<?x128xf16>) {transpose_out}
func.func @residual(%c: tensor<?x128xf16>, %y: tensor<?x128xf16>, %b: tensor<64x?xf16>, %rt: tensor<128x?xf16>,
                    %crow: tensor<9xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xf16>) -> tensor<?x128xf16> {
  %one = arith.constant 1.0 : f32
  %0 = linalg.transpose ins(%c : tensor<?x128xf16>) outs(%rt : tensor<128x?xf16>) permutation = [1, 0]
  %1 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<?xi32>, tensor<?x16x16xf16>, tensor<64x?xf16>)
      outs(%0 : tensor<128x?xf16>) -> tensor<128x?xf16>
  %2 = linalg.transpose ins(%1 : tensor<128x?xf16>) outs(%y : tensor<?x128xf16>) permutation = [1, 0]
  return %2 : tensor<?x128xf16>
}

// An elementwise op that reads the result transposed, here once it was merged with
// the transpose after it, reads a transposed result in order.
// CHECK-LABEL: func.func @read(
// CHECK-SAME:    %[[BIAS:[^:]*]]: tensor<128xf16>, %[[Y:[^:]*]]: tensor<3x?x128xf16>
// CHECK:         %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<3x?x128xf16>
// CHECK:         %[[R:.*]] = sattn.bsr_addmm {{.*}} outs(%[[E]] : tensor<3x?x128xf16>) {transpose_out} -> tensor<3x?x128xf16>
// CHECK:         linalg.generic {indexing_maps = [#[[ID:.*]], #{{.*}}, #[[ID]]]
// CHECK-SAME:      ins(%[[R]], %[[BIAS]] : {{.*}}) outs(%[[Y]] : tensor<3x?x128xf16>)
func.func @read(%bias: tensor<128xf16>, %y: tensor<3x?x128xf16>, %b: tensor<3x64x?xf16>, %rt: tensor<3x128x?xf16>,
                %crow: tensor<9xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xf16>) -> tensor<3x?x128xf16> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<?xi32>, tensor<?x16x16xf16>, tensor<3x64x?xf16>)
      outs(%rt : tensor<3x128x?xf16>) -> tensor<3x128x?xf16>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(b, i, j) -> (b, j, i)>, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0, %bias : tensor<3x128x?xf16>, tensor<128xf16>) outs(%y : tensor<3x?x128xf16>) {
  ^bb0(%in: f16, %a: f16, %o: f16):
    %2 = arith.addf %in, %a : f16
    linalg.yield %2 : f16
  } -> tensor<3x?x128xf16>
  return %1 : tensor<3x?x128xf16>
}

// What stays: a result with another use, one to which a matrix in rows is added,
// and a permutation of batches.
// CHECK-LABEL: func.func @left(
// CHECK:         sattn.bsr_addmm {{.*}} -> tensor<128x?xf16>
// CHECK:         linalg.transpose
// CHECK:         sattn.bsr_addmm {{.*}} input({{.*}} -> tensor<128x?xf16>
// CHECK:         linalg.transpose
// CHECK:         linalg.transpose {{.*}} permutation = [1, 0, 2]
// CHECK:         sattn.bsr_addmm {{.*}} -> tensor<3x128x?xf16>
func.func @left(%c: tensor<128x?xf16>, %y: tensor<?x128xf16>, %z: tensor<?x128xf16>, %b: tensor<64x?xf16>,
                %bs: tensor<64x3x?xf16>, %bt: tensor<3x64x?xf16>, %out: tensor<3x128x?xf16>,
                %crow: tensor<9xi32>, %col: tensor<?xi32>, %values: tensor<?x16x16xf16>)
    -> (tensor<128x?xf16>, tensor<?x128xf16>, tensor<?x128xf16>, tensor<3x128x?xf16>) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<?xi32>, tensor<?x16x16xf16>, tensor<64x?xf16>)
      outs(%c : tensor<128x?xf16>) -> tensor<128x?xf16>
  %1 = linalg.transpose ins(%0 : tensor<128x?xf16>) outs(%y : tensor<?x128xf16>) permutation = [1, 0]
  %2 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<?xi32>, tensor<?x16x16xf16>, tensor<64x?xf16>)
      input(%c : tensor<128x?xf16>) outs(%0 : tensor<128x?xf16>) -> tensor<128x?xf16>
  %3 = linalg.transpose ins(%2 : tensor<128x?xf16>) outs(%z : tensor<?x128xf16>) permutation = [1, 0]
  %4 = linalg.transpose ins(%bs : tensor<64x3x?xf16>) outs(%bt : tensor<3x64x?xf16>) permutation = [1, 0, 2]
  %5 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %4 : tensor<9xi32>, tensor<?xi32>, tensor<?x16x16xf16>, tensor<3x64x?xf16>)
      outs(%out : tensor<3x128x?xf16>) -> tensor<3x128x?xf16>
  return %0, %1, %3, %5 : tensor<128x?xf16>, tensor<?x128xf16>, tensor<?x128xf16>, tensor<3x128x?xf16>
}
