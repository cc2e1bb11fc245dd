// An op that no pass knows goes the whole way: a causal loop with two MMAs in a
// chain and a softmax between them, which carries its maximum and its sum.
// RUN: sattn-test-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-order-warpgroups -o /dev/null 2>&1 | FileCheck %s
// RUN: %if ptxas %{ sattn-test-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third0 %{ sattn-test-translate --to=cubin --refuse-spills --verify-each --schedule=plain %s -o /dev/null %}
// RUN: %if ptxas-third1 %{ sattn-test-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: %if ptxas-third2 %{ sattn-test-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 --schedule=plain %s -o /dev/null %}

// Two loops: of the blocks with a mask, and of those without.
// CHECK-LABEL: gpu.func @attention(
// CHECK: wgtile.roles producer
// CHECK: consumer
// CHECK: scf.for
// CHECK: wgtile.order_wait
// CHECK: wgtile.mma_async {{.+}}
// CHECK: wgtile.step
// CHECK: } {wgtile.block_loop}
// CHECK: scf.for
// CHECK: wgtile.order_wait
// CHECK: wgtile.mma_async {{.+}}
// CHECK-NOT: wgtile.step
// CHECK: } {wgtile.block_loop}
// CHECK: wgtile.row_combine addf
// CHECK: gpu.func @attention_generic(
func.func @attention(%scale: f32, %q: tensor<?x?x128xbf16>, %k: tensor<?x?x128xbf16>,
    %v: tensor<?x?x128xbf16>, %o: tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16> {
  %first = arith.constant 0 : index
  %0 = sattn_test.attention causal scale(%scale) first(%first) tile(128, 64)
      ins(%q, %k, %v : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>)
      outs(%o : tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16>
  return %0 : tensor<?x?x128xbf16>
}
