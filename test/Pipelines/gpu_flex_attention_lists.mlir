// Lists of partial and full blocks: a loop with a mask and one without. The kernel
// spills a few registers, outside of its loops.
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-order-warpgroups -o /dev/null 2>&1 | FileCheck %s
// RUN: sparse-translate --to=ptx --verify-each %s -o /dev/null
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}

// CHECK-LABEL: gpu.func @lists(
// CHECK: consumer
// CHECK: scf.for
// CHECK: wgtile.step
// CHECK: } {wgtile.block_loop}
// CHECK: scf.for
// CHECK-NOT: wgtile.step
// CHECK: } {wgtile.block_loop}
func.func @lists(%scale: f32, %q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>,
    %pn: tensor<?x1x?xi32>, %pi: tensor<?x1x?x?xi32>, %fn: tensor<?x1x?xi32>, %fi: tensor<?x1x?x?xi32>,
    %o: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      partial(%pn, %pi : tensor<?x1x?xi32>, tensor<?x1x?x?xi32>)
      full(%fn, %fi : tensor<?x1x?xi32>, tensor<?x1x?x?xi32>)
      outs(%o : tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
      {block_size = array<i64: 128, 128>, mask = #sattn.mask<right = 0>}
  return %0 : tensor<?x?x?x128xbf16>
}
