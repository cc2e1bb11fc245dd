// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @c1_rank_of_q(%scale: f32, %q: tensor<?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected 'q' of rank 3 or 4, but got 'tensor<?x16xf32>'}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return
}

// -----

func.func @c1_rank_of_k(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected 'k' of rank 3, but got 'tensor<?x?x?x16xf32>'}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return
}

// -----

func.func @c2_element_type(%scale: f32, %q: tensor<?x?x16xi8>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected element type f16, bf16, f32 or f64 of 'q', but got 'i8'}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xi8>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return
}

// -----

func.func @c2_element_type_of_v(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf16>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected element type 'f32' of 'v', but got 'f16'}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf16>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return
}

// -----

func.func @c2_capture(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>, %c: tensor<?xi1>) {
  // expected-error @below {{expected capture 0 to be a number or tensor of f16, bf16, f32, f64, i8, i32 or i64, but got 'tensor<?xi1>'}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) captures(%c : tensor<?xi1>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return
}

// -----

func.func @c3_dynamic(%scale: f32, %q: tensor<?x?x?xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected D to be static and from 1 to 512, but got 'tensor<?x?x?xf32>'}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return
}

// -----

func.func @c3_wide(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x513xf32>, %o: tensor<?x?x513xf32>) {
  // expected-error @below {{expected E to be static and from 1 to 512, but got 'tensor<?x?x513xf32>'}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x513xf32>)
      outs(%o : tensor<?x?x513xf32>) -> tensor<?x?x513xf32>
  return
}

// -----

func.func @c4_group(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected 'group' of at least 1, but got 0}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {group = 0 : i64}
  return
}

// -----

func.func @c4_heads(%scale: f32, %q: tensor<3x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected H of 'q' to be a multiple of 'group', 2, but got 3}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<3x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {group = 2 : i64}
  return
}

// -----

func.func @c4_heads_of_k(%scale: f32, %q: tensor<4x?x16xf32>, %k: tensor<4x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected heads of 'k' (dimension 0) to be 2, but got 4}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<4x?x16xf32>, tensor<4x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {group = 2 : i64}
  return
}

// -----

func.func @c4_batch(%scale: f32, %q: tensor<2x?x?x16xf32>, %k: tensor<3x?x?x16xf32>, %v: tensor<3x?x?x16xf32>, %o: tensor<2x?x?x16xf32>) {
  // expected-error @below {{expected B of 'k' (dimension 0) to be 1 or 2, but got 3}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<2x?x?x16xf32>, tensor<3x?x?x16xf32>, tensor<3x?x?x16xf32>)
      outs(%o : tensor<2x?x?x16xf32>) -> tensor<2x?x?x16xf32>
  return
}

// -----

func.func @c4_batches_of_k_and_v(%scale: f32, %q: tensor<2x?x?x16xf32>, %k: tensor<1x?x?x16xf32>, %v: tensor<2x?x?x16xf32>, %o: tensor<2x?x?x16xf32>) {
  // expected-error @below {{expected B of 'v' (dimension 0) to be 1, but got 2}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<2x?x?x16xf32>, tensor<1x?x?x16xf32>, tensor<2x?x?x16xf32>)
      outs(%o : tensor<2x?x?x16xf32>) -> tensor<2x?x?x16xf32>
  return
}

// -----

func.func @c4_keys(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x5x16xf32>, %v: tensor<?x6x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected N of 'v' (dimension 1) to be 5, but got 6}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x5x16xf32>, tensor<?x6x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return
}

// -----

func.func @c4_depth(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x8xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected D of 'k' (dimension 2) to be 16, but got 8}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x8xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return
}

// -----

func.func @c4_columns(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x8xf32>) {
  // expected-error @below {{expected E of 'out' (dimension 2) to be 16, but got 8}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  return
}

// -----

func.func @c4_queries(%scale: f32, %q: tensor<?x7x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x8x16xf32>) {
  // expected-error @below {{expected M of 'out' (dimension 1) to be 7, but got 8}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x7x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x8x16xf32>) -> tensor<?x8x16xf32>
  return
}

// -----

func.func @c4_key_lengths(%scale: f32, %q: tensor<2x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>, %c: tensor<3xi32>) {
  // expected-error @below {{expected B of 'key_lengths' (dimension 0) to be 2, but got 3}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<2x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) key_lengths(%c : tensor<3xi32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return
}

// -----

func.func @c5_no_block_size(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>, %n: tensor<?x?xi32>, %x: tensor<?x?x?xi32>) {
  // expected-error @below {{expected 'block_size' if and only if there is a block list}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) full(%n, %x : tensor<?x?xi32>, tensor<?x?x?xi32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return
}

// -----

func.func @c5_block_size(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>, %n: tensor<?x?xi32>, %x: tensor<?x?x?xi32>) {
  // expected-error @below {{expected 'block_size' of two positive multiples of 16, but got [64, 24]}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) full(%n, %x : tensor<?x?xi32>, tensor<?x?x?xi32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {block_size = array<i64: 64, 24>}
  return
}

// -----

func.func @c5_blocks(%scale: f32, %q: tensor<?x100x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>, %n: tensor<?x3xi32>, %x: tensor<?x3x?xi32>) {
  // expected-error @below {{expected blocks of queries of 'full_counts' (dimension 1) to be 2, but got 3}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x100x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) full(%n, %x : tensor<?x3xi32>, tensor<?x3x?xi32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {block_size = array<i64: 64, 64>}
  return
}

// -----

func.func @c5_heads(%scale: f32, %q: tensor<4x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>, %n: tensor<2x?xi32>, %x: tensor<2x?x?xi32>) {
  // expected-error @below {{expected H of 'full_counts' (dimension 0) to be 1 or 4, but got 2}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<4x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) full(%n, %x : tensor<2x?xi32>, tensor<2x?x?xi32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {block_size = array<i64: 64, 64>}
  return
}

// -----

func.func @c6_results(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected results of the types of 'outs', ('tensor<?x?x16xf32>'), but got ('tensor<?x3x16xf32>')}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x3x16xf32>
  return
}

// -----

func.func @c6_number(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected 'out' and at most 'lse' and 'max_scores' in 'outs', but got 4 operands}}
  %0:4 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o, %o, %o, %o : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return
}

// -----

func.func @c7_arguments(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected arguments of 'mask_mod' of types ('i32', 'i32', 'i32', 'i32'), but got ('i32', 'i32')}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> mask_mod {
      ^bb0(%i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      }
  return
}

// -----

func.func @c7_yield(%scale: f32, %q: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  %0 = sattn.flex_attention scale(%scale) ins(%q, %q, %q : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> score_mod {
      ^bb0(%s: f32, %b: i32, %h: i32, %i: i32, %j: i32):
        // expected-error @below {{expected a value of type 'f32' of 'score_mod', but got 'i32'}}
        sattn.yield %i : i32
      }
  return
}

// -----

func.func @c7_op(%scale: f32, %q: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  %0 = sattn.flex_attention scale(%scale) ins(%q, %q, %q : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        // expected-error @below {{expected constants, elementwise ops on scalars and reads of captured tensors in 'mask_mod'}}
        %0 = tensor.empty() : tensor<4xi1>
        %c0 = arith.constant 0 : index
        %r = tensor.extract %0[%c0] : tensor<4xi1>
        sattn.yield %r : i1
      }
  return
}

// -----

func.func @c8_columns(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected N of the tile to be a multiple of 8 from 8 to 64, all columns and their padding, but got 72}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {meta = #sattn.meta<tile = [16, 72, 16]>}
  return
}

// -----

func.func @c8_rows(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected M of the tile to be a multiple of 8 from 8 to 1024, but got 12}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {meta = #sattn.meta<tile = [12, 16, 16]>}
  return
}

// -----

func.func @c8_keys_of_a_block(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>, %n: tensor<?x?xi32>, %x: tensor<?x?x?xi32>) {
  // expected-error @below {{expected K of the tile to divide 64 of 'block_size', but got 24}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) full(%n, %x : tensor<?x?xi32>, tensor<?x?x?xi32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {block_size = array<i64: 64, 64>, meta = #sattn.meta<tile = [16, 16, 24]>}
  return
}

// -----

func.func @c10_precision(%scale: f32, %q: tensor<?x?x16xbf16>, %k: tensor<?x?x16xbf16>, %v: tensor<?x?x16xbf16>, %o: tensor<?x?x16xbf16>) {
  // expected-error @below {{expected precision "ieee", but got "tf32" for elements of 'bf16'}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xbf16>, tensor<?x?x16xbf16>, tensor<?x?x16xbf16>)
      outs(%o : tensor<?x?x16xbf16>) -> tensor<?x?x16xbf16> {precision = "tf32"}
  return
}

// -----

func.func @c10_precision_f32(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected precision "ieee" or "tf32", but got "high" for elements of 'f32'}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {precision = "high"}
  return
}

// -----

func.func @c11_packed_heads(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) {
  // expected-error @below {{expected 'packed_heads' from 1 to 1024, but got 0}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {packed_heads = 0 : i64}
  return
}

// -----

func.func @c11_packed_rows(%scale: f32, %q: tensor<?x10x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x10x16xf32>) {
  // expected-error @below {{expected 'packed_heads' to divide the 10 rows of 'q', but got 4}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x10x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x10x16xf32>) -> tensor<?x10x16xf32> {packed_heads = 4 : i64}
  return
}

// -----

func.func @c5_packed_lists(%scale: f32, %q: tensor<?x80x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %pn: tensor<1x2xi32>, %pi: tensor<1x2x?xi32>, %o: tensor<?x80x16xf32>) {
  // expected-error @below {{expected at most 16 queries of each of 'packed_heads', one block of 'block_size', but got 20}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x80x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      partial(%pn, %pi : tensor<1x2xi32>, tensor<1x2x?xi32>)
      outs(%o : tensor<?x80x16xf32>) -> tensor<?x80x16xf32> {block_size = array<i64: 16, 16>, packed_heads = 4 : i64}
  return
}

// -----

func.func @c9_origin_of_columns(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x8xf32>, %i: index) {
  // expected-error @below {{expected 3 numbers in 'origin', but got 2}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) origin(%i, %i)
      outs(%o : tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {meta = #sattn.meta<tile = [16, 8, 16]>}
  return
}

// -----

func.func @c9_origin(%scale: f32, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>, %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>, %i: index) {
  // expected-error @below {{expected 2 numbers in 'origin', but got 1}}
  %0 = sattn.flex_attention scale(%scale) ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) origin(%i)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return
}

// -----

// expected-error @below {{expected 'left' or 'right'}}
#mask = #sattn.mask<prefix = 4>

// -----

// expected-error @below {{expected 'prefix' of at least 0, but got -4}}
#mask = #sattn.mask<right = 0, prefix = -4>

// -----

func.func @yield_elsewhere(%x: i1) -> i1 {
  // expected-error @below {{expected to end a region of an op of 'sattn', but got one of 'func.func'}}
  sattn.yield %x : i1
}
