// The gradients of flex attention go the whole way with the computed default's tiles: a
// causal mask, a score that is modified, heads that share keys. No kernel of sm_80 spills; on
// Hopper that for operands which TMA does not take may.
// RUN: %if ptxas %{ sparse-translate --to=cubin --verify-each %s -o /dev/null %}
// RUN: %if ptxas-third0 %{ sparse-translate --to=cubin --refuse-spills --verify-each --chip=sm_80 %s -o /dev/null %}
// RUN: sparse-opt %s --sattn-to-cpu -o /dev/null

func.func @gradients(%scale: f32, %q: tensor<?x?x?x64xbf16>, %k: tensor<?x?x?x64xbf16>, %v: tensor<?x?x?x64xbf16>,
                     %g: tensor<?x?x?x64xbf16>, %lse: tensor<?x?x?xf32>, %delta: tensor<?x?x?xf32>,
                     %dq: tensor<?x?x?x64xbf16>, %dk: tensor<?x?x?x64xbf16>, %dv: tensor<?x?x?x64xbf16>)
    -> (tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>) {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>,
          tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%dq : tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32):
        %cap = arith.constant 20.0 : f32
        %x = arith.divf %s, %cap : f32
        %t = math.tanh %x fastmath<afn> : f32
        %r = arith.mulf %t, %cap : f32
        sattn.yield %r : f32
      } {mask = #sattn.mask<right = 0>, group = 2 : i64}
  %1:2 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>,
          tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%dk, %dv : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>
      {mask = #sattn.mask<right = 0>, group = 2 : i64}
  return %0, %1#0, %1#1 : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>
}
