// sattn.block_counts on GPUs: elementwise code, a loop over elements that most
// blocks skip, and one warp a tile.
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-assign-layouts -o /dev/null 2>&1 | FileCheck %s
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third0 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: sparse-translate --to=ptx --schedule=plain %s -o /dev/null

// CHECK-LABEL: gpu.func @document(
// CHECK: scf.for
// CHECK:   wgtile.gather
// CHECK: wgtile.tile_reduce mins
// CHECK: wgtile.tile_reduce maxs
// CHECK: scf.for {{.*}} -> (tensor<16x16xi32
// CHECK:   scf.for {{.*}} -> (tensor<16x16xi32
// CHECK: wgtile.tile_reduce addi
// CHECK: scf.for {{.*}} -> (tensor<16x16xi32
// CHECK:   wgtile.tile_reduce mins
// CHECK:   scf.for {{.*}} -> (tensor<16x16xi32, #{{[^,]*}}>) {
// CHECK:     wgtile.gather
// CHECK:   wgtile.tile_reduce addi
// CHECK: wgtile.scatter
func.func @document(%doc: tensor<?xi32>, %out: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %0 = sattn.block_counts captures(%doc : tensor<?xi32>) outs(%out : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %doc_in: tensor<?xi32>):
        %query = arith.index_cast %i : i32 to index
        %key = arith.index_cast %j : i32 to index
        %x = tensor.extract %doc_in[%query] : tensor<?xi32>
        %y = tensor.extract %doc_in[%key] : tensor<?xi32>
        %r = arith.cmpi eq, %x, %y : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 128>}
  return %0 : tensor<?x?x?x?xi32>
}

// Each block's verdict is elementwise code, which a tile that is decided as a
// whole skips.
// CHECK-LABEL: gpu.func @causal(
// CHECK: scf.if
// CHECK:   arith.cmpi sle, {{.*}} : tensor<16x16xi64
// CHECK:   wgtile.tile_reduce addi
// CHECK:   scf.for
// CHECK: wgtile.store
// CHECK-SAME: aligned
func.func @causal(%out: tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32> {
  %0 = sattn.block_counts outs(%out : tensor<?x?x?x?xi32>) -> tensor<?x?x?x?xi32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {approximate, block_size = array<i64: 128, 128>}
  return %0 : tensor<?x?x?x?xi32>
}
