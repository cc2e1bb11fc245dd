// RUN: sparse-opt %s --sattn-record-contracts | FileCheck %s

// Every operand is an argument.
// CHECK-LABEL: func.func @arguments
// CHECK-SAME:    attributes {sattn.contracts = [{alpha = 0 : i64, b = 5 : i64, beta = 1 : i64, block = array<i64: 64, 64>, col = 3 : i64, crow = 2 : i64, op = "bsr_addmm", out = 6 : i64, values = 4 : i64}]}
func.func @arguments(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                     %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                     %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// Scalars are constants.
// CHECK-LABEL: func.func @constants
// CHECK-SAME:    attributes {sattn.contracts = [{alpha = 2.000000e+00 : f32, b = 3 : i64, beta = 0.000000e+00 : f32, block = array<i64: 64, 64>, col = 1 : i64, crow = 0 : i64, op = "bsr_addmm", out = 4 : i64, values = 2 : i64}]}
func.func @constants(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                     %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                     %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %alpha = arith.constant 2.0 : f32
  %beta = arith.constant 0.0 : f32
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: func.func @optional_operands
// CHECK-SAME:    attributes {sattn.contracts = [{alpha = 0 : i64, b = 5 : i64, beta = 1 : i64, block = array<i64: 16, 32>, col = 3 : i64, crow = 2 : i64, input = 6 : i64, left = 7 : i64, op = "bsr_addmm", out = 9 : i64, right = 8 : i64, values = 4 : i64}]}
func.func @optional_operands(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                             %col: tensor<?xi32>, %values: tensor<?x16x32xbf16>,
                             %b: tensor<?x?xbf16>, %input: tensor<?x?xbf16>,
                             %left: tensor<?xf32>, %right: tensor<?xbf16>,
                             %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x16x32xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xbf16>)
      left(%left : tensor<?xf32>)
      right(%right : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// Two ops, one contract each.
// CHECK-LABEL: func.func @two
// CHECK-SAME:    sattn.contracts = [{{{.*}} beta = 1 : i64,{{.*}}}, {{{.*}} beta = 0 : i64,{{.*}}}]
func.func @two(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
               %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
               %out0: tensor<?x?xbf16>, %out1: tensor<?x?xbf16>)
    -> (tensor<?x?xbf16>, tensor<?x?xbf16>) {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out0 : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %1 = sattn.bsr_addmm alpha(%beta) beta(%alpha)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out1 : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0, %1 : tensor<?x?xbf16>, tensor<?x?xbf16>
}

// An operand that is computed: nothing can be said of it before the call.
// CHECK-LABEL: func.func @computed
// CHECK-NOT:     sattn.contracts
// CHECK:         return
func.func @computed(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                    %b: tensor<?x?xbf16>, %m: index, %n: index)
    -> tensor<?x?xbf16> {
  %out = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: func.func @none
// CHECK-NOT:     sattn.contracts
// CHECK:         return
func.func @none(%x: f32) {
  return
}

// Elementwise ops that follow write another argument; what the op adds is then
// an input.
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
// CHECK-LABEL: func.func @fused(
// CHECK-SAME:    sattn.contracts = [{{{.*}} beta = 1.000000e+00 : f32, {{.*}} fused, input = 4 : i64, op = "bsr_addmm", out = 6 : i64,
func.func @fused(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x8x8xf32>, %b: tensor<?x?xf32>,
                 %c: tensor<?x?xf32>, %bias: tensor<?xf32>, %out: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %one = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xf32>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%out : tensor<?x?xbf16>) {
  ^bb0(%x: f32, %y: f32, %z: bf16):
    %2 = arith.addf %x, %y : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<?x?xbf16>
  return %1 : tensor<?x?xbf16>
}

// In place, nothing is an input.
// CHECK-LABEL: func.func @fused_in_place(
// CHECK-SAME:    fused, op = "bsr_addmm", out = 4 : i64,
func.func @fused_in_place(%crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x8x8xf32>, %b: tensor<?x?xf32>,
                          %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %one = arith.constant 1.0 : f32
  %0 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x8x8xf32>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.exp ins(%0 : tensor<?x?xf32>) outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = linalg.negf ins(%1 : tensor<?x?xf32>) outs(%1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
