// A score_mod whose derivative is not known (C7) is refused where it is needed.
// RUN: sparse-opt %s --sattn-tile --split-input-file --verify-diagnostics

func.func @c7_derivative_of_dq(%scale: f32, %q: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %dq: tensor<?x?x16xf32>) {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %q, %q, %q, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>,
          tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dq : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32):
        %low = arith.constant -1.0 : f32
        %high = arith.constant 1.0 : f32
        // expected-error @below {{expected an op whose derivative is known, but got 'math.clampf'}}
        %r = math.clampf %s to [%low, %high] : f32
        sattn.yield %r : f32
      } {meta = #sattn.meta<tile = [16, 16, 16]>}
  return
}

// -----

func.func @c7_derivative_of_dkdv(%scale: f32, %q: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %dk: tensor<?x?x16xf32>, %dv: tensor<?x?x16xf32>) {
  %0:2 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %q, %q, %q, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>,
          tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dk, %dv : tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>, tensor<?x?x16xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32):
        %low = arith.constant -1.0 : f32
        %high = arith.constant 1.0 : f32
        // expected-error @below {{expected an op whose derivative is known, but got 'math.clampf'}}
        %r = math.clampf %s to [%low, %high] : f32
        sattn.yield %r : f32
      } {meta = #sattn.meta<tile = [16, 16, 16]>}
  return
}
