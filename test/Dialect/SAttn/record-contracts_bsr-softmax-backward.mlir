// RUN: sparse-opt %s --sattn-record-contracts --mlir-print-local-scope | FileCheck %s

// Extents against each other, blocks of the compiled size, offsets within the stored blocks, memory.
// CHECK-LABEL: func.func @batches
// CHECK-SAME:    batches = "grad_in", checks = [
// CHECK-SAME:    {check = "at_least", extent = {argument = 0 : i64, dimension = 1 : i64}, least = 1 : i64, what = "offset"},
// CHECK-SAME:    {check = "equal", extent = {argument = 2 : i64, dimension = 2 : i64}, reason = "the block's", to = {constant = 12 : i64}, what = "block rows"},
// CHECK-SAME:    {check = "equal", extent = {argument = 2 : i64, dimension = 3 : i64}, reason = "the block's", to = {constant = 15 : i64}, what = "block columns"},
// CHECK-SAME:    {check = "equal", extent = {argument = 1 : i64, dimension = 0 : i64}, to = {argument = 2 : i64, dimension = 1 : i64}, what = "stored blocks"},
// CHECK-SAME:    {check = "equal", extent = {argument = 2 : i64, dimension = 0 : i64}, to = {argument = 4 : i64, dimension = 0 : i64}, what = "batches"},
// CHECK-SAME:    {check = "equal", extent = {argument = 3 : i64, dimension = 0 : i64}, to = {argument = 4 : i64, dimension = 0 : i64}, what = "batches"},
// CHECK-SAME:    {check = "equal", extent = {argument = 3 : i64, dimension = 1 : i64}, to = {argument = 2 : i64, dimension = 1 : i64}, what = "stored blocks"},
// CHECK-SAME:    {check = "equal", extent = {argument = 3 : i64, dimension = 2 : i64}, to = {argument = 2 : i64, dimension = 2 : i64}, what = "block rows"},
// CHECK-SAME:    {check = "equal", extent = {argument = 3 : i64, dimension = 3 : i64}, to = {argument = 2 : i64, dimension = 3 : i64}, what = "block columns"},
// CHECK-SAME:    {check = "equal", extent = {argument = 4 : i64, dimension = 1 : i64}, to = {argument = 2 : i64, dimension = 1 : i64}, what = "stored blocks"},
// CHECK-SAME:    {check = "equal", extent = {argument = 4 : i64, dimension = 2 : i64}, to = {argument = 2 : i64, dimension = 2 : i64}, what = "block rows"},
// CHECK-SAME:    {check = "equal", extent = {argument = 4 : i64, dimension = 3 : i64}, to = {argument = 2 : i64, dimension = 3 : i64}, what = "block columns"},
// CHECK-SAME:    {argument = 4 : i64, check = "apart", from = [2, 3, 0, 1]},
// CHECK-SAME:    {argument = 0 : i64, check = "offsets", equally_many = [1, 2], into = 1 : i64},
// CHECK-SAME:    {argument = 1 : i64, check = "indices", offsets = 0 : i64}], op = "bsr_softmax_backward", operands = [
// CHECK-SAME:    {argument = 0 : i64, name = "crow", rank = 1 : i64, types = ["i32", "i64"]},
// CHECK-SAME:    {argument = 1 : i64, name = "col", rank = 1 : i64, types = ["i32", "i64"]},
// CHECK-SAME:    {argument = 2 : i64, name = "output", rank = 3 : i64, types = ["f16", "bf16", "f32", "f64"]},
// CHECK-SAME:    {argument = 3 : i64, name = "grad_out", rank = 3 : i64, type_of = "output"},
// CHECK-SAME:    {argument = 4 : i64, name = "grad_in", rank = 3 : i64, type_of = "output", written}]}]}
func.func @batches(%crow: tensor<?x?xi32>, %col: tensor<?xi32>, %output: tensor<?x?x12x15xbf16>, %grad_out: tensor<?x?x12x15xbf16>,
    %grad_in: tensor<?x?x12x15xbf16>) -> tensor<?x?x12x15xbf16> {
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %grad_out : tensor<?x?xi32>, tensor<?xi32>, tensor<?x?x12x15xbf16>, tensor<?x?x12x15xbf16>)
      outs(%grad_in : tensor<?x?x12x15xbf16>) -> tensor<?x?x12x15xbf16>
  return %0 : tensor<?x?x12x15xbf16>
}

// The extents of a computed array.
// CHECK-LABEL: func.func @computed
// CHECK-SAME:    extents = [array<i64: 0, 0>, array<i64: 1, 0>,
func.func @computed(%crow: tensor<?xi32>, %col: tensor<?xi32>, %output: tensor<?x12x15xf32>, %by: tensor<?x12x15xf32>,
    %grad_in: tensor<?x12x15xf32>) -> tensor<?x12x15xf32> {
  %scaled = linalg.mul ins(%output, %by : tensor<?x12x15xf32>, tensor<?x12x15xf32>)
      outs(%grad_in : tensor<?x12x15xf32>) -> tensor<?x12x15xf32>
  %0 = sattn.bsr_softmax_backward ins(%crow, %col, %output, %scaled : tensor<?xi32>, tensor<?xi32>, tensor<?x12x15xf32>, tensor<?x12x15xf32>)
      outs(%grad_in : tensor<?x12x15xf32>) -> tensor<?x12x15xf32>
  return %0 : tensor<?x12x15xf32>
}
