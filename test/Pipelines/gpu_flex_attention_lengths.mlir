// Key lengths: rows of V after a batch's keys, which may be anything, are cleared
// before they are multiplied. In blocks without a mask all rows count. No kernel
// spills, and no wgmma is serialized.
// RUN: sparse-opt %s --sattn-to-nvvm=versions=tma --mlir-disable-threading --mlir-print-ir-after=wgtile-order-warpgroups -o /dev/null 2>&1 | FileCheck %s
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third0 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}

// CHECK-LABEL: gpu.func @lengths(
// CHECK: consumer
// CHECK: scf.for
// CHECK: wgtile.mma_async {{.*}} transpose_b
// CHECK: wgtile.mma_async {{.*}} rows %
// CHECK: } {wgtile.block_loop}
// CHECK: scf.for
// CHECK: wgtile.mma_async {{.*}} rows %
// CHECK: } {wgtile.block_loop}
func.func @lengths(%scale: f32, %q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>,
    %lengths: tensor<?xi32>, %o: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      key_lengths(%lengths : tensor<?xi32>)
      outs(%o : tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
  return %0 : tensor<?x?x?x128xbf16>
}
