// RUN: sparse-opt %s --sattn-record-contracts --mlir-print-local-scope | FileCheck %s

// Every operand is an argument.
// CHECK-LABEL: func.func @arguments
// CHECK-SAME:    attributes {sattn.contracts = [{batches = "out", checks = [
// CHECK-SAME:    {check = "multiple", extent = {argument = 6 : i64, dimension = 0 : i64}, of = 64 : i64, reason = "the block's 64 rows", what = "M"},
// CHECK-SAME:    {check = "multiple", extent = {argument = 5 : i64, dimension = 0 : i64}, of = 64 : i64, reason = "the block's 64 columns", what = "K"},
// CHECK-SAME:    {check = "equal", extent = {argument = 2 : i64, dimension = 0 : i64}, reason = "M / 64 + 1", to = {argument = 6 : i64, dimension = 0 : i64, divided_by = 64 : i64, plus = 1 : i64}, what = "offsets"},
// CHECK-SAME:    {check = "equal", extent = {argument = 4 : i64, dimension = 1 : i64}, reason = "the block's", to = {constant = 64 : i64}, what = "block rows"},
// CHECK-SAME:    {check = "equal", extent = {argument = 4 : i64, dimension = 2 : i64}, reason = "the block's", to = {constant = 64 : i64}, what = "block columns"},
// CHECK-SAME:    {check = "equal", extent = {argument = 3 : i64, dimension = 0 : i64}, to = {argument = 4 : i64, dimension = 0 : i64}, what = "stored blocks"},
// CHECK-SAME:    {check = "equal", extent = {argument = 5 : i64, dimension = 1 : i64}, to = {argument = 6 : i64, dimension = 1 : i64}, what = "N"},
// CHECK-SAME:    {argument = 6 : i64, check = "apart", from = [4, 5, 2, 3]},
// CHECK-SAME:    {argument = 2 : i64, check = "offsets", equally_many = [3, 4], into = 3 : i64},
// CHECK-SAME:    {argument = 3 : i64, below = {argument = 5 : i64, dimension = 0 : i64, divided_by = 64 : i64}, check = "indices", offsets = 2 : i64}], op = "bsr_addmm", operands = [
// CHECK-SAME:    {argument = 0 : i64, name = "alpha"}, {argument = 1 : i64, name = "beta"},
// CHECK-SAME:    {argument = 2 : i64, name = "crow", rank = 1 : i64, types = ["i32", "i64"]}, {argument = 3 : i64, name = "col", rank = 1 : i64, types = ["i32", "i64"]},
// CHECK-SAME:    {argument = 4 : i64, name = "values", rank = 3 : i64, types = ["f16", "bf16", "f32", "f64", "i8", "f8E4M3FN", "f8E5M2"]}, {argument = 5 : i64, name = "b", rank = 2 : i64, type_of = "values"},
// CHECK-SAME:    {argument = 6 : i64, name = "out", rank = 2 : i64, types = ["f16", "bf16", "f32"], written}]}]}
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
// CHECK-SAME:    operands = [{constant = 2.000000e+00 : f32, name = "alpha"}, {constant = 0.000000e+00 : f32, name = "beta"}, {argument = 0 : i64, name = "crow",
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
// CHECK-SAME:    {check = "equal", extent = {argument = 6 : i64, dimension = 0 : i64}, to = {argument = 9 : i64, dimension = 0 : i64}, what = "M"},
// CHECK-SAME:    {check = "equal", extent = {argument = 6 : i64, dimension = 1 : i64}, to = {argument = 9 : i64, dimension = 1 : i64}, what = "N"},
// CHECK-SAME:    {check = "equal", extent = {argument = 7 : i64, dimension = 0 : i64}, to = {argument = 9 : i64, dimension = 0 : i64}, what = "M"},
// CHECK-SAME:    {check = "equal", extent = {argument = 8 : i64, dimension = 0 : i64}, to = {argument = 9 : i64, dimension = 1 : i64}, what = "N"},
// CHECK-SAME:    {argument = 9 : i64, check = "apart", from = [4, 5, 2, 3, 7, 8], or_exactly = 6 : i64}
// CHECK-SAME:    {argument = 6 : i64, name = "input", rank = 2 : i64, type_of = "values"}, {argument = 7 : i64, name = "left", rank = 1 : i64, type_of = "values", types = ["f32"]}, {argument = 8 : i64, name = "right", rank = 1 : i64, type_of = "values", types = ["f32"]},
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
// CHECK-SAME:    {argument = 0 : i64, name = "alpha"}, {argument = 1 : i64, name = "beta"},{{.*}} operands = [{argument = 1 : i64, name = "alpha"}, {argument = 0 : i64, name = "beta"},
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
// CHECK-SAME:    attributes {sattn.contracts = [{checks = [{check = "equal", extent = {argument = 4 : i64, dimension = 1 : i64},
// CHECK-SAME:    {check = "multiple", extent = {argument = 5 : i64, dimension = 0 : i64}, of = 64 : i64, reason = "the block's 64 columns", what = "K"}, {check = "at_least", extent = {argument = 2 : i64, dimension = 0 : i64}, least = 1 : i64, what = "offset"}, {arguments = [2, 3], check = "read_only"},
// CHECK-SAME:    {argument = 3 : i64, below = {argument = 5 : i64, dimension = 0 : i64, divided_by = 64 : i64}, check = "indices", offsets = 2 : i64}], op = "bsr_storage", operands = [{argument = 4 : i64, name = "values", rank = 3 : i64}, {argument = 3 : i64, name = "col",
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
// CHECK-SAME:    {check = "equal", extent = {argument = 0 : i64, dimension = 0 : i64}, reason = "M / 8 + 1", to = {constant = 64 : i64, divided_by = 8 : i64, plus = 1 : i64}, what = "offsets"},
// CHECK-SAME:    {argument = 1 : i64, below = {argument = 3 : i64, dimension = 1 : i64, divided_by = 16 : i64}, check = "indices", offsets = 0 : i64}], op = "bsr_storage",
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
// CHECK-SAME:    {check = "stacked", each = {constant = 64 : i64, divided_by = 8 : i64}, extent = {argument = 0 : i64, dimension = 0 : i64}, reason = "M / 8", what = "offset"},{{.*}} op = "bsr_storage",
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
// CHECK-SAME:    {argument = 6 : i64, check = "apart", from = [2, 3, 0, 1], or_exactly = 4 : i64},{{.*}} fused, op = "bsr_addmm", operands = [{{.*}} {constant = 1.000000e+00 : f32, name = "beta"},{{.*}} {argument = 4 : i64, name = "input",{{.*}} {argument = 6 : i64, name = "out",
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
// CHECK-SAME:    fused, op = "bsr_addmm", operands = [{{.*}} {argument = 3 : i64, name = "b", rank = 2 : i64, type_of = "values"}, {argument = 4 : i64, name = "out",
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

// Values that are computed do not excuse indices that are arguments, which two
// ops share here.
// CHECK-LABEL: func.func @computed_values
// CHECK-SAME:    sattn.contracts = [{checks = [
// CHECK-SAME:    {argument = 0 : i64, check = "offsets", equally_many = [1], into = 1 : i64},
// CHECK-SAME:    {argument = 1 : i64, below = {argument = 3 : i64, dimension = 1 : i64, divided_by = 16 : i64}, check = "indices", offsets = 0 : i64}], op = "bsr_storage"
// CHECK-SAME:    {argument = 1 : i64, below = {argument = 4 : i64, dimension = 0 : i64, divided_by = 16 : i64}, check = "indices", offsets = 0 : i64}], op = "bsr_storage"
func.func @computed_values(%crow: tensor<?xi32>, %col: tensor<?xi32>,
                           %mat1: tensor<?x?xf32>, %mat2: tensor<?x?xf32>,
                           %b: tensor<?x?xf32>, %out: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
  %nnz = tensor.dim %col, %first : tensor<?xi32>
  %empty = tensor.empty(%nnz) : tensor<?x16x16xf32>
  %values = sattn.sampled_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<?xi32>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%empty : tensor<?x16x16xf32>) -> tensor<?x16x16xf32>
  %0 = sattn.bsr_addmm alpha(%one) beta(%zero)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x16x16xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
