// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @c1_rank_of_grad_out(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected 'grad_out' of rank 3, but got 'tensor<?x16xf32>'}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> 
  return
}

// -----

func.func @c1_rank_of_delta(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected 'delta' of rank 2, but got 'tensor<?xf32>'}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> 
  return
}

// -----

func.func @c2_element_type_of_lse2(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf16>, %delta: tensor<?x?xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected element type 'f32' of 'lse2', but got 'f16'}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf16>, tensor<?x?xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> 
  return
}

// -----

func.func @c2_element_type_of_a_result(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x16xf16>) {
  // expected-error @below {{expected element type 'f32' of 'dq', but got 'f16'}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?x16xf16>) -> tensor<?x?x16xf16> 
  return
}

// -----

func.func @c3_columns(%scale: f32, %q: tensor<?x?x513xf32>, %k: tensor<?x?x513xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x513xf32>) {
  // expected-error @below {{expected D to be static and from 1 to 512, but got 'tensor<?x?x513xf32>'}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x513xf32>, tensor<?x?x513xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?x513xf32>) -> tensor<?x?x513xf32> 
  return
}

// -----

func.func @c4_columns_of_grad_out(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected E of 'grad_out' (dimension 2) to be 16, but got 8}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> 
  return
}

// -----

func.func @c4_rows_of_lse2(%scale: f32, %q: tensor<?x40x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x39xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected M of 'lse2' (dimension 1) to be 40, but got 39}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x40x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x39xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> 
  return
}

// -----

func.func @c4_columns_of_dq(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x24xf32>) {
  // expected-error @below {{expected D of 'dq' (dimension 2) to be 16, but got 24}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?x24xf32>) -> tensor<?x?x24xf32> 
  return
}

// -----

func.func @c4_rows_of_dk(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x40x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x41x16xf32>) {
  // expected-error @below {{expected N of 'dk' (dimension 1) to be 40, but got 41}}
  %0:2 = sattn.flex_attention_dkdv scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x40x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o, %o : tensor<?x41x16xf32>, tensor<?x41x16xf32>) -> tensor<?x41x16xf32>, tensor<?x41x16xf32> 
  return
}

// -----

func.func @c4_group(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected 'group' of at least 1, but got 0}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {group = 0 : i64}
  return
}

// -----

func.func @c5_lists_by_keys(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x64x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x64x16xf32>, %num: tensor<?x3xi32>, %idx: tensor<?x3x?xi32>) {
  // expected-error @below {{expected blocks of keys of 'partial_counts' (dimension 1) to be 4, but got 3}}
  %0:2 = sattn.flex_attention_dkdv scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x64x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      partial(%num, %idx : tensor<?x3xi32>, tensor<?x3x?xi32>)
      outs(%o, %o : tensor<?x64x16xf32>, tensor<?x64x16xf32>) -> tensor<?x64x16xf32>, tensor<?x64x16xf32> {block_size = array<i64: 32, 16>}
  return
}

// -----

func.func @c6_one_result(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected 1 operand in 'outs', 'dq', but got 2}}
  %0:2 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o, %o : tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>, tensor<?x?x16xf32> 
  return
}

// -----

func.func @c6_two_results(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected 2 operands in 'outs', 'dk' and 'dv', but got 1}}
  %0:1 = sattn.flex_attention_dkdv scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> 
  return
}

// -----

func.func @c7_arguments(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected arguments of 'score_mod' of types ('f32', 'i32', 'i32', 'i32', 'i32'), but got ('i32')}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      score_mod {
      ^bb0(%b: i32):
        sattn.yield %b : i32
      } 
  return
}

// -----

func.func @c7_score_mod(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x?xf32>) {
  // expected-error @below {{expected 'score_mod'}}
  %0:1 = sattn.flex_attention_dcapture scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {number = 0 : i64}
  return
}

// -----

func.func @c8_columns_of_the_tile(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected N of the tile to be a multiple of 8 from 8 to 64, all columns and their padding, but got 72}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {meta = #sattn.meta<tile = [16, 72, 16]>}
  return
}

// -----

func.func @c8_columns_of_values(%scale: f32, %q: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %o: tensor<?x?x?xf32>, %x: f32) {
  // expected-error @below {{expected N of the tile to be at least the 16 columns of 'v', but got 8}}
  %0:1 = sattn.flex_attention_dcapture scale(%scale) ins(%q, %q, %q, %q, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      captures(%x : f32)
      outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %y: f32):
        sattn.yield %s : f32
      } {number = 0 : i64, meta = #sattn.meta<tile = [16, 8, 16]>}
  return
}

// -----

func.func @c9_origin(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x16xf32>, %i: index) {
  // expected-error @below {{expected 2 numbers in 'origin', but got 1}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>) origin(%i)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> 
  return
}

// -----

func.func @c9_origin_of_a_part(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x16xf32>, %i: index) {
  // expected-error @below {{expected 3 numbers in 'origin', but got 1}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>) origin(%i)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {meta = #sattn.meta<tile = [16, 8, 16]>}
  return
}

// -----

func.func @c10_precision(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected precision "ieee" or "tf32", but got "fast" for elements of 'f32'}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {precision = "fast"}
  return
}

// -----

func.func @c11_number(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x?xf32>, %x: f32) {
  // expected-error @below {{expected 'number' of one of 1 captures, but got 1}}
  %0:1 = sattn.flex_attention_dcapture scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      captures(%x : f32)
      outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %y: f32):
        sattn.yield %s : f32
      } {number = 1 : i64}
  return
}

// -----

func.func @c11_a_tensor(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %g: tensor<?x?x16xf32>, %lse: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %o: tensor<?x?x?xf32>, %x: tensor<?xf32>) {
  // expected-error @below {{expected capture 0 to be a number of type 'f32', but got 'tensor<?xf32>'}}
  %0:1 = sattn.flex_attention_dcapture scale(%scale) ins(%q, %k, %v, %g, %lse, %delta : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      captures(%x : tensor<?xf32>)
      outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
      score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32, %y: tensor<?xf32>):
        sattn.yield %s : f32
      } {number = 0 : i64}
  return
}

// -----

func.func @c6_only_what_there_is(%scale: f32, %q: tensor<?x?x16xf32>, %v: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>) {
  // expected-error @below {{expected 'only' to be "dk" or "dv", but got "dq"}}
  %0:1 = sattn.flex_attention_dkdv scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%v : tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {only = "dq"}
  return
}

// -----

func.func @c6_one_result(%scale: f32, %q: tensor<?x?x16xf32>, %v: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>) {
  // expected-error @below {{expected 1 operand in 'outs', 'dk', but got 2}}
  %0:2 = sattn.flex_attention_dkdv scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%q, %v : tensor<?x?x16xf32>, tensor<?x?x8xf32>) -> tensor<?x?x16xf32>, tensor<?x?x8xf32> {only = "dk"}
  return
}

// -----

func.func @c6_two_results(%scale: f32, %q: tensor<?x?x16xf32>, %v: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>) {
  // expected-error @below {{expected 2 operands in 'outs', 'dk' and 'dv', but got 1}}
  %0:1 = sattn.flex_attention_dkdv scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%q : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return
}

// -----

func.func @c4_columns_of_the_only_result(%scale: f32, %q: tensor<?x?x16xf32>, %v: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>) {
  // expected-error @below {{expected D of 'dk' (dimension 2) to be 16, but got 8}}
  %0:1 = sattn.flex_attention_dkdv scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%v : tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {only = "dk"}
  return
}

// -----

func.func @c11_rank(%scale: f32, %q: tensor<?x?x16xf32>, %v: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>, %crow: tensor<?xi32>, %col: tensor<?x?xi32>) {
  // expected-error @below {{expected 'crow' of rank 2, but got 'tensor<?xi32>'}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      stored(%crow, %col : tensor<?xi32>, tensor<?x?xi32>)
      outs(%q : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {block_size = array<i64: 32, 32>}
  return
}

// -----

func.func @c11_rank_of_columns(%scale: f32, %q: tensor<?x?x16xf32>, %v: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>, %crow: tensor<?x?xi32>, %col: tensor<?xi32>) {
  // expected-error @below {{expected 'col' of rank 2, but got 'tensor<?xi32>'}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      stored(%crow, %col : tensor<?x?xi32>, tensor<?xi32>)
      outs(%q : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {block_size = array<i64: 32, 32>}
  return
}

// -----

func.func @c11_element(%scale: f32, %q: tensor<?x?x16xf32>, %v: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>, %crow: tensor<?x?xi16>, %col: tensor<?x?xi32>) {
  // expected-error @below {{expected element type i32 or i64 of 'crow', but got 'i16'}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      stored(%crow, %col : tensor<?x?xi16>, tensor<?x?xi32>)
      outs(%q : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {block_size = array<i64: 32, 32>}
  return
}

// -----

func.func @c11_other_element(%scale: f32, %q: tensor<?x?x16xf32>, %v: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>, %crow: tensor<?x?xi32>, %col: tensor<?x?xi64>) {
  // expected-error @below {{expected element type 'i32' of 'col', but got 'i64'}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      stored(%crow, %col : tensor<?x?xi32>, tensor<?x?xi64>)
      outs(%q : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {block_size = array<i64: 32, 32>}
  return
}

// -----

func.func @c11_mask(%scale: f32, %q: tensor<?x?x16xf32>, %v: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>, %crow: tensor<?x?xi32>, %col: tensor<?x?xi32>) {
  // expected-error @below {{expected 'stored' without lists, key lengths, a mask or functions}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      stored(%crow, %col : tensor<?x?xi32>, tensor<?x?xi32>)
      outs(%q : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {block_size = array<i64: 32, 32>, mask = #sattn.mask<right = 0>}
  return
}

// -----

func.func @c5_block_size(%scale: f32, %q: tensor<?x?x16xf32>, %v: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>, %crow: tensor<?x?xi32>, %col: tensor<?x?xi32>) {
  // expected-error @below {{expected 'block_size' if and only if there is a block list}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      stored(%crow, %col : tensor<?x?xi32>, tensor<?x?xi32>)
      outs(%q : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {precision = "ieee"}
  return
}

// -----

func.func @c11_rows(%scale: f32, %q: tensor<?x40x16xf32>, %v: tensor<?x40x8xf32>, %lse: tensor<?x?xf32>, %crow: tensor<?x?xi32>, %col: tensor<?x?xi32>) {
  // expected-error @below {{expected M to be a multiple of 32 of 'block_size', but got 40}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<?x40x16xf32>, tensor<?x40x16xf32>, tensor<?x40x8xf32>, tensor<?x40x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      stored(%crow, %col : tensor<?x?xi32>, tensor<?x?xi32>)
      outs(%q : tensor<?x40x16xf32>) -> tensor<?x40x16xf32> {block_size = array<i64: 32, 32>}
  return
}

// -----

func.func @c11_offsets(%scale: f32, %q: tensor<?x64x16xf32>, %v: tensor<?x64x8xf32>, %lse: tensor<?x?xf32>, %crow: tensor<?x4xi32>, %col: tensor<?x?xi32>) {
  // expected-error @below {{expected offsets of 'crow' (dimension 1) to be 3, but got 4}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<?x64x16xf32>, tensor<?x64x16xf32>, tensor<?x64x8xf32>, tensor<?x64x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      stored(%crow, %col : tensor<?x4xi32>, tensor<?x?xi32>)
      outs(%q : tensor<?x64x16xf32>) -> tensor<?x64x16xf32> {block_size = array<i64: 32, 32>}
  return
}

// -----

func.func @c11_heads(%scale: f32, %q: tensor<4x?x16xf32>, %v: tensor<4x?x8xf32>, %lse: tensor<?x?xf32>, %crow: tensor<?x?xi32>, %col: tensor<2x?xi32>) {
  // expected-error @below {{expected H of 'col' (dimension 0) to be 1 or 4, but got 2}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<4x?x16xf32>, tensor<4x?x16xf32>, tensor<4x?x8xf32>, tensor<4x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      stored(%crow, %col : tensor<?x?xi32>, tensor<2x?xi32>)
      outs(%q : tensor<4x?x16xf32>) -> tensor<4x?x16xf32> {block_size = array<i64: 32, 32>}
  return
}

// -----

func.func @c12_random(%scale: f32, %q: tensor<?x?x16xf32>, %v: tensor<?x?x8xf32>, %lse: tensor<?x?xf32>, %random: tensor<3xi64>) {
  // expected-error @below {{expected 'random' of two elements of i64, but got 'tensor<3xi64>'}}
  %0:1 = sattn.flex_attention_dq scale(%scale) ins(%q, %q, %v, %v, %lse, %lse : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      dropout(%scale, %random : tensor<3xi64>)
      outs(%q : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {precision = "ieee"}
  return
}
