// A score_mod whose derivative is not known is refused where it is needed.
// RUN: not sparse-opt %s --sattn-inject-meta --sattn-tile 2>&1 | FileCheck %s

// CHECK: error: {{.*}}'math.clampf'
func.func @no_derivative(%scale: f32, %q: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %dq: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %q, %q, %q, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>,
          tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dq : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32):
        %low = arith.constant -1.0 : f32
        %high = arith.constant 1.0 : f32
        %r = math.clampf %s to [%low, %high] : f32
        sattn.yield %r : f32
      }
  return %0 : tensor<?x?x16xf32>
}
