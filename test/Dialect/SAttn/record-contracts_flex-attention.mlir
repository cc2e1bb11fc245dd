// RUN: sparse-opt %s --sattn-record-contracts --mlir-print-local-scope | FileCheck %s

// Extents against each other, contents of lists and of key lengths, memory.
// CHECK-LABEL: func.func @lists
// CHECK-SAME:    checks = [
// CHECK-SAME:    {check = "equal", extent = {argument = 10 : i64, dimension = 0 : i64}, to = {argument = 1 : i64, dimension = 0 : i64}, what = "B"},
// CHECK-SAME:    {check = "equal", extent = {argument = 10 : i64, dimension = 1 : i64}, to = {argument = 1 : i64, dimension = 1 : i64}, what = "H"},
// CHECK-SAME:    {check = "equal", extent = {argument = 10 : i64, dimension = 2 : i64}, to = {argument = 1 : i64, dimension = 2 : i64}, what = "M"},
// CHECK-SAME:    {check = "equal", extent = {argument = 11 : i64, dimension = 0 : i64}, to = {argument = 1 : i64, dimension = 0 : i64}, what = "B"},
// CHECK-SAME:    {check = "multiple", extent = {argument = 1 : i64, dimension = 1 : i64}, of = 2 : i64, reason = "the group", what = "H"},
// CHECK-SAME:    {check = "equal", extent = {argument = 2 : i64, dimension = 0 : i64}, to = {argument = 1 : i64, dimension = 0 : i64}, what = "B"},
// CHECK-SAME:    {check = "equal", extent = {argument = 2 : i64, dimension = 1 : i64}, reason = "H / 2", to = {argument = 1 : i64, dimension = 1 : i64, divided_by = 2 : i64}, what = "heads"},
// CHECK-SAME:    {check = "equal", extent = {argument = 3 : i64, dimension = 2 : i64}, to = {argument = 2 : i64, dimension = 2 : i64}, what = "N"},
// CHECK-SAME:    {check = "equal", extent = {argument = 8 : i64, dimension = 0 : i64}, to = {argument = 1 : i64, dimension = 0 : i64}, what = "B"},
// CHECK-SAME:    {argument = 8 : i64, check = "within", most = {argument = 2 : i64, dimension = 2 : i64}, what = "key lengths"},
// The lists of all heads are one.
// CHECK-SAME:    {check = "equal", extent = {argument = 4 : i64, dimension = 0 : i64}, to = {argument = 1 : i64, dimension = 0 : i64}, what = "B"},
// CHECK-NOT:     argument = 4 : i64, dimension = 1
// CHECK-SAME:    {check = "equal", extent = {argument = 4 : i64, dimension = 2 : i64}, reason = "ceil(M / 64)", to = {argument = 1 : i64, dimension = 2 : i64, divided_by = 64 : i64, rounded_up}, what = "blocks of queries"},
// CHECK-SAME:    {argument = 5 : i64, below = {argument = 2 : i64, dimension = 2 : i64, divided_by = 32 : i64, rounded_up}, check = "listed", counts = 4 : i64, what = "blocks of keys"},
// CHECK-SAME:    {argument = 7 : i64, below = {argument = 2 : i64, dimension = 2 : i64, divided_by = 32 : i64}, check = "listed", counts = 6 : i64, last_below = {argument = 2 : i64, dimension = 2 : i64, divided_by = 32 : i64, rounded_up}, what = "blocks of keys, one that ends after N last,"},
// CHECK-SAME:    {check = "at_least", extent = {argument = 9 : i64, dimension = 0 : i64}, least = 1 : i64, what = "element in each dimension"},
// CHECK-SAME:    {argument = 11 : i64, check = "apart", from = [1, 2, 3, 4, 5, 6, 7, 8, 9]},
// CHECK-SAME:    {argument = 10 : i64, check = "apart", from = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11]}], op = "flex_attention", operands = [
// CHECK-SAME:    {argument = 0 : i64, name = "scale"},
// CHECK-SAME:    {argument = 1 : i64, name = "q", rank = 4 : i64, types = ["f16", "bf16", "f32", "f64"]},
// CHECK-SAME:    {argument = 2 : i64, name = "k", rank = 4 : i64, type_of = "q"},
// CHECK-SAME:    {argument = 5 : i64, name = "partial_indices", rank = 4 : i64, types = ["i32"]},
// CHECK-SAME:    {argument = 8 : i64, name = "key_lengths", rank = 1 : i64, types = ["i32"]},
// CHECK-SAME:    {argument = 9 : i64, name = "capture_0", rank = 1 : i64,
// CHECK-SAME:    {argument = 11 : i64, name = "lse", rank = 3 : i64, types = ["f32"], written},
// CHECK-SAME:    {constant = 2.000000e+00 : f64, name = "group"}, {constant = 1.000000e+00 : f64, name = "functions"},
// CHECK-SAME:    {constant = 6.400000e+01 : f64, name = "block_queries"}, {constant = 3.200000e+01 : f64, name = "block_keys"},
// CHECK-SAME:    {constant = 0.000000e+00 : f64, name = "right"},
// CHECK-SAME:    {argument = 10 : i64, name = "out", rank = 4 : i64, type_of = "q", written}]}]
!heads = tensor<?x?x?x16xf32>
func.func @lists(%scale: f32, %q: !heads, %k: !heads, %v: !heads,
    %partial_counts: tensor<?x1x?xi32>, %partial_indices: tensor<?x1x?x?xi32>,
    %full_counts: tensor<?x1x?xi32>, %full_indices: tensor<?x1x?x?xi32>,
    %lengths: tensor<?xi32>, %table: tensor<?xf32>, %o: !heads,
    %lse: tensor<?x?x?xf32>) -> (!heads, tensor<?x?x?xf32>) {
  %0:2 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : !heads, !heads, !heads)
      partial(%partial_counts, %partial_indices : tensor<?x1x?xi32>, tensor<?x1x?x?xi32>)
      full(%full_counts, %full_indices : tensor<?x1x?xi32>, tensor<?x1x?x?xi32>)
      key_lengths(%lengths : tensor<?xi32>) captures(%table : tensor<?xf32>)
      outs(%o, %lse : !heads, tensor<?x?x?xf32>) -> !heads, tensor<?x?x?xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %table_in: tensor<?xf32>):
        %at = arith.index_cast %h : i32 to index
        %bias = tensor.extract %table_in[%at] : tensor<?xf32>
        %r = arith.addf %s, %bias : f32
        sattn.yield %r : f32
      } {group = 2 : i64, mask = #sattn.mask<right = 0>, block_size = array<i64: 64, 32>}
  return %0#0, %0#1 : !heads, tensor<?x?x?xf32>
}

// An operand that is no argument: only what the op requires of extents is
// recorded.
// CHECK-LABEL: func.func @computed
// CHECK-NOT:     sattn.contracts
// CHECK:         return
func.func @computed(%scale: f32, %q: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>,
    %o: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %k = arith.addf %q, %v : tensor<4x8x16xf32>
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>)
      outs(%o : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %0 : tensor<4x8x16xf32>
}
