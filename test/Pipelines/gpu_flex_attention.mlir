// sattn.flex_attention goes the whole way with the computed default's tiles: a mask
// that costs nothing where no block needs it, a score that is modified. No kernel
// spills.
// RUN: sparse-opt %s --sattn-to-nvvm --mlir-disable-threading --mlir-print-ir-after=wgtile-order-warpgroups -o /dev/null 2>&1 | FileCheck %s
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third2 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}

// Two loops: of the blocks with a mask, and of those without.
// CHECK-LABEL: gpu.func @causal(
// CHECK: consumer
// CHECK: scf.for
// CHECK: wgtile.mma_async
// CHECK: wgtile.step
// CHECK: } {wgtile.block_loop}
// CHECK: scf.for
// CHECK: wgtile.mma_async
// CHECK-NOT: wgtile.step
// CHECK: } {wgtile.block_loop}
// CHECK: wgtile.row_combine addf
func.func @causal(%scale: f32, %q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>,
    %o: tensor<?x?x?x128xbf16>, %lse: tensor<?x?x?xf32>) -> (tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>) {
  %0:2 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
      outs(%o, %lse : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>) -> tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
      mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      }
  return %0#0, %0#1 : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
}

// CHECK-LABEL: gpu.func @softcap(
// CHECK: consumer
// CHECK: math.tanh
func.func @softcap(%scale: f32, %q: tensor<?x?x128xbf16>, %k: tensor<?x?x128xbf16>, %v: tensor<?x?x128xbf16>,
    %cap: f32, %o: tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>, tensor<?x?x128xbf16>)
      captures(%cap : f32)
      outs(%o : tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %cap_in: f32):
        %one = arith.constant 1.0 : f32
        %inverse = arith.divf %one, %cap_in : f32
        %ratio = arith.mulf %s, %inverse : f32
        %tanh = math.tanh %ratio fastmath<afn> : f32
        %r = arith.mulf %tanh, %cap_in : f32
        sattn.yield %r : f32
      } {mask = #sattn.mask<right = 0>}
  return %0 : tensor<?x?x128xbf16>
}
