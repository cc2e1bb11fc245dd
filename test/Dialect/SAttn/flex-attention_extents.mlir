// What sattn.flex_attention requires of extents. Its functions clamp their indices,
// so that a captured tensor needs no more than an element. The result is no
// argument, so that there is no contract.
// RUN: sparse-opt %s --sattn-record-contracts --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @gather
// CHECK-SAME: equal = affine_map<{{.+}} -> ({{s[0-9]+}}, {{s[0-9]+}} * 2)>
// CHECK-SAME: at_least = affine_map<{{.+}} -> ({{s[0-9]+}}, 1)>
func.func @gather(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>,
    %table: tensor<?xf32>) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = tensor.dim %q, %c0 : tensor<?x?x16xf32>
  %queries = tensor.dim %q, %c1 : tensor<?x?x16xf32>
  %o = tensor.empty(%heads, %queries) : tensor<?x?x16xf32>
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      captures(%table : tensor<?xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %table_in: tensor<?xf32>):
        %distance = arith.subi %j, %i : i32
        %at = arith.index_cast %distance : i32 to index
        %r = tensor.extract %table_in[%at] : tensor<?xf32>
        sattn.yield %r : f32
      } {group = 2 : i64}
  return %0 : tensor<?x?x16xf32>
}

// Rows are queries of each packed head, and lists have one block of them.
// CHECK-LABEL: func.func @packed
// CHECK-SAME: equal = affine_map<{{.+}} -> (({{s[0-9]+}} floordiv 4) * 4, {{s[0-9]+}})>
func.func @packed(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>,
    %pn: tensor<1x?xi32>, %pi: tensor<1x?x?xi32>) -> tensor<?x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = tensor.dim %q, %c0 : tensor<?x?x16xf32>
  %rows = tensor.dim %q, %c1 : tensor<?x?x16xf32>
  %o = tensor.empty(%heads, %rows) : tensor<?x?x16xf32>
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      partial(%pn, %pi : tensor<1x?xi32>, tensor<1x?x?xi32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {block_size = array<i64: 16, 16>, packed_heads = 4 : i64}
  return %0 : tensor<?x?x16xf32>
}
