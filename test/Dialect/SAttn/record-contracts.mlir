// RUN: sparse-opt %s --sattn-record-contracts --mlir-print-local-scope | FileCheck %s

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

// An operand that is computed: what remains are the indices, and extents as far
// as they are those of arguments.
// CHECK-LABEL: func.func @computed
// CHECK-SAME:    attributes {sattn.contracts = [{block = array<i64: 64, 64>, col = 3 : i64, columns = {argument = 5 : i64, dimension = 0 : i64}, crow = 2 : i64, op = "bsr_storage", values = 4 : i64}],
func.func @computed(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                    %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                    %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %entries = tensor.dim %crow, %c0 : tensor<?xi32>
  %n = tensor.dim %b, %c1 : tensor<?x?xbf16>
  %m = affine.apply affine_map<(d0) -> (d0 * 64 - 64)>(%entries)
  %out = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// Through transposes, what writes a tensor in place, and casts. The product's N
// is another argument's dimension than the result's.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME:    attributes {sattn.contracts = [{block = array<i64: 8, 16>, col = 1 : i64, columns = {argument = 3 : i64, dimension = 1 : i64}, crow = 0 : i64, op = "bsr_storage", rows = {constant = 64 : i64}, values = 2 : i64}],
// CHECK-SAME:    sattn.extent_checks = {checks = [{equal = affine_map<()[s0, s1, s2, s3, s4] -> (s2, s4)>}, {equal = affine_map<()[s0, s1, s2, s3, s4] -> (s3 mod 16, 0)>},
// CHECK-SAME:    {equal = affine_map<()[s0, s1, s2, s3, s4] -> (s0, s1)>}], extents = [array<i64: 1, 0>, array<i64: 2, 0>, array<i64: 3, 0>, array<i64: 3, 1>, array<i64: 4, 1>]}} {
func.func @transposed(%crow: tensor<9xi64>, %col: tensor<?xi64>, %values: tensor<?x8x16xf32>, %x: tensor<?x?xf32>,
                      %out: tensor<64x?xf32>) -> tensor<64x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %offsets = tensor.cast %crow : tensor<9xi64> to tensor<?xi64>
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %k = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%k, %n) : tensor<?x?xf32>
  %b = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) permutation = [1, 0]
  %c = linalg.fill ins(%one : f32) outs(%out : tensor<64x?xf32>) -> tensor<64x?xf32>
  %0 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%offsets, %col, %values, %b : tensor<?xi64>, tensor<?xi64>, tensor<?x8x16xf32>, tensor<?x?xf32>)
      outs(%c : tensor<64x?xf32>) -> tensor<64x?xf32>
  return %0 : tensor<64x?xf32>
}

// Offsets of all batches in one list, as sattn-unpack-bsr reads them.
// CHECK-LABEL: func.func @one_list
// CHECK-SAME:    crow = 0 : i64, one_list, op = "bsr_storage",
func.func @one_list(%list: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x8x8xf32>, %b: tensor<2x64x8xf32>,
                    %out: tensor<2x64x8xf32>) -> tensor<2x64x8xf32> {
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %crow = tensor.generate {
  ^bb0(%batch: index, %row: index):
    %first = arith.muli %batch, %c8 : index
    %i = arith.addi %first, %row : index
    %offset = tensor.extract %list[%i] : tensor<?xi32>
    tensor.yield %offset : i32
  } : tensor<2x9xi32>
  %0 = sattn.bsr_addmm alpha(%one) beta(%one)
      ins(%crow, %col, %values, %b : tensor<2x9xi32>, tensor<?xi32>, tensor<?x8x8xf32>, tensor<2x64x8xf32>)
      outs(%out : tensor<2x64x8xf32>) -> tensor<2x64x8xf32>
  return %0 : tensor<2x64x8xf32>
}

// CHECK-LABEL: func.func @none
// CHECK-NOT:     sattn.contracts
// CHECK:         return
func.func @none(%x: f32) {
  return
}

// Elementwise ops that follow write another argument; what the op adds is then
// an input. Operands of one loop must have the same extent.
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
// CHECK-LABEL: func.func @fused(
// CHECK-SAME:    sattn.contracts = [{{{.*}} beta = 1.000000e+00 : f32, {{.*}} fused, input = 4 : i64, op = "bsr_addmm", out = 6 : i64,
// CHECK-SAME:    sattn.extent_checks = {checks = [{equal = affine_map<()[s0, s1, s2, s3, s4] -> (s2, s1)>}, {equal = affine_map<()[s0, s1, s2, s3, s4] -> (s3, s0)>}, {equal = affine_map<()[s0, s1, s2, s3, s4] -> (s4, s1)>}],
// CHECK-SAME:    extents = [array<i64: 4, 0>, array<i64: 4, 1>, array<i64: 5, 0>, array<i64: 6, 0>, array<i64: 6, 1>]}
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
