// Few queries of heads that share K and V: the rows of one tile, of one warpgroup,
// are queries of several heads. No kernel spills.
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-assign-layouts -o /dev/null 2>&1 | FileCheck %s
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third0 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}

// TMA loads the rows of all heads at once.
// CHECK-LABEL: gpu.func @packed(
// CHECK: wgtile.load %{{.+}} -> !wgtile.shared<64x128xbf16
// CHECK: arith.remsi %{{.+}} : tensor<64xi32
// CHECK: scf.for
// CHECK: wgtile.mma %{{.+}} tensor<64x128xf32
func.func @packed(%scale: f32, %q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>,
    %o: tensor<?x?x?x128xbf16>, %lse: tensor<?x?x?xf32>) -> (tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>) {
  %0:2 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      outs(%o, %lse : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>) -> tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
      {mask = #sattn.mask<right = 0, bottom_right = true>, packed_heads = 8 : i64}
  return %0#0, %0#1 : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
}

// What a head has of its own is read once for each row.
// CHECK-LABEL: gpu.func @alibi(
// CHECK: wgtile.gather %{{.+}} -> tensor<64xf32
// CHECK: scf.for
// CHECK-NOT: wgtile.gather
// CHECK: } {wgtile.block_loop}
func.func @alibi(%scale: f32, %q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>,
    %slopes: tensor<?xf32>, %o: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      captures(%slopes : tensor<?xf32>)
      outs(%o : tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %slopes_in: tensor<?xf32>):
        %head = arith.index_cast %h : i32 to index
        %slope = tensor.extract %slopes_in[%head] : tensor<?xf32>
        %distance = arith.subi %j, %i : i32
        %float = arith.sitofp %distance : i32 to f32
        %bias = arith.mulf %slope, %float : f32
        %r = arith.addf %s, %bias : f32
        sattn.yield %r : f32
      } {packed_heads = 4 : i64}
  return %0 : tensor<?x?x?x128xbf16>
}
