// Vectors of rows that no tile is made of: the indices of a gather, and what is
// only stored.
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-assign-layouts -o /dev/null 2>&1 | FileCheck %s
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: sparse-translate --to=ptx --schedule=plain %s -o /dev/null
// RUN: sparse-translate --to=ptx --chip=sm_80 %s -o /dev/null

// A mask whose only use of a row's query is to look up what the query has.
// CHECK-LABEL: gpu.func @document(
// CHECK: wgtile.gather %{{.+}} -> tensor<64xi32
// CHECK: scf.for
// CHECK-NOT: wgtile.gather
// CHECK: } {wgtile.block_loop}
func.func @document(%scale: f32, %q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>,
    %doc: tensor<?xi32>, %o: tensor<?x?x?x128xbf16>, %lse: tensor<?x?x?xf32>) -> (tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>) {
  %0:2 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      captures(%doc : tensor<?xi32>)
      outs(%o, %lse : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>) -> tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %doc_in: tensor<?xi32>):
        %query = arith.index_cast %i : i32 to index
        %key = arith.index_cast %j : i32 to index
        %x = tensor.extract %doc_in[%query] : tensor<?xi32>
        %y = tensor.extract %doc_in[%key] : tensor<?xi32>
        %r = arith.cmpi eq, %x, %y : i32
        sattn.yield %r : i1
      } {packed_heads = 8 : i64}
  return %0#0, %0#1 : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
}

// No query sees a key: the kernel stores zeros, and one number for each row.
// CHECK-LABEL: gpu.func @nothing(
// CHECK-NOT: wgtile.mma %
// CHECK: wgtile.store %{{.+}} : tensor<128xf32
func.func @nothing(%scale: f32, %q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>,
    %o: tensor<?x?x?x128xbf16>, %lse: tensor<?x?x?xf32>) -> (tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>) {
  %0:2 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      outs(%o, %lse : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>) -> tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.constant false
        sattn.yield %r : i1
      }
  return %0#0, %0#1 : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
}

// Two numbers for each row: the maximum is stored beside lse, and costs the loop nothing.
// CHECK-LABEL: gpu.func @max_scores(
// CHECK: } {wgtile.block_loop}
// CHECK: wgtile.store %{{.+}} : tensor<128xf32
// CHECK: wgtile.store %{{.+}} : tensor<128xf32
func.func @max_scores(%scale: f32, %q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>,
    %o: tensor<?x?x?x128xbf16>, %lse: tensor<?x?x?xf32>, %max: tensor<?x?x?xf32>)
    -> (tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  %0:3 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      outs(%o, %lse, %max : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      -> tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>, tensor<?x?x?xf32>
      {mask = #sattn.mask<right = 0>}
  return %0#0, %0#1, %0#2 : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>, tensor<?x?x?xf32>
}
