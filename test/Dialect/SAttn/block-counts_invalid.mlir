// RUN: sparse-opt %s --split-input-file --verify-diagnostics

func.func @c1_rank(%out: tensor<1x?x?xi32>) {
  // expected-error @below {{expected 'out' of rank 4 and element type i32, but got 'tensor<1x?x?xi32>'}}
  %0 = sattn.block_counts outs(%out : tensor<1x?x?xi32>) -> tensor<1x?x?xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>}
  return
}

// -----

func.func @c1_element(%out: tensor<1x1x?x?xi8>) {
  // expected-error @below {{expected 'out' of rank 4 and element type i32, but got 'tensor<1x1x?x?xi8>'}}
  %0 = sattn.block_counts outs(%out : tensor<1x1x?x?xi8>) -> tensor<1x1x?x?xi8> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>}
  return
}

// -----

func.func @c1_result(%out: tensor<1x1x?x?xi32>) {
  // expected-error @below {{expected the results to have the types of 'outs'}}
  %0 = sattn.block_counts outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x4xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>}
  return
}

// -----

func.func @c2_size(%out: tensor<1x1x?x?xi32>) {
  // expected-error @below {{expected 'block_size' of two positive numbers with a product below 2^31, but got [0, 64]}}
  %0 = sattn.block_counts outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 0, 64>}
  return
}

// -----

func.func @c2_number(%out: tensor<1x1x?x?xi32>) {
  // expected-error @below {{expected 'block_size' of two positive numbers with a product below 2^31, but got [64]}}
  %0 = sattn.block_counts outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 64>}
  return
}

// -----

func.func @c2_product(%out: tensor<1x1x?x?xi32>) {
  // expected-error @below {{expected 'block_size' of two positive numbers with a product below 2^31, but got [65536, 32768]}}
  %0 = sattn.block_counts outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 65536, 32768>}
  return
}

// -----

func.func @c3_arguments(%out: tensor<1x1x?x?xi32>) {
  // expected-error @below {{expected arguments of 'mask_mod' of types ('i32', 'i32', 'i32', 'i32'), but got ('i32', 'i32')}}
  %0 = sattn.block_counts outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> mask_mod {
      ^bb0(%i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>}
  return
}

// -----

func.func @c4_capture(%x: tensor<?xi16>, %out: tensor<1x1x?x?xi32>) {
  // expected-error @below {{expected capture 0 to be a number or tensor of f16, bf16, f32, f64, i8, i32 or i64, but got 'tensor<?xi16>'}}
  %0 = sattn.block_counts captures(%x : tensor<?xi16>) outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %x_in: tensor<?xi16>):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>}
  return
}

// -----

func.func @c5_origin(%p: index, %out: tensor<1x1x?x?xi32>) {
  // expected-error @below {{expected 4 numbers in 'origin', but got 1}}
  %0 = sattn.block_counts origin(%p) outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>}
  return
}

// -----

func.func @c1_outs(%out: tensor<1x1x?x?xi32>) {
  // expected-error @below {{expected one or two 'outs', but got 3}}
  %0:3 = sattn.block_counts outs(%out, %out, %out : tensor<1x1x?x?xi32>, tensor<1x1x?x?xi32>, tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32>, tensor<1x1x?x?xi32>, tensor<1x1x?x?xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>}
  return
}

// -----

func.func @c1_transposed(%out: tensor<1x1x3x4xi32>) {
  // expected-error @below {{expected C of 'transposed' (dimension 2) to be 4, but got 3}}
  %0:2 = sattn.block_counts outs(%out, %out : tensor<1x1x3x4xi32>, tensor<1x1x3x4xi32>) -> tensor<1x1x3x4xi32>, tensor<1x1x3x4xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>}
  return
}

// -----

func.func @c6_number(%x: tensor<?xi32>, %out: tensor<1x1x?x?xi32>) {
  // expected-error @below {{expected four 'bounds' for each of 'bounded', 4, but got 1}}
  %0 = sattn.block_counts captures(%x : tensor<?xi32>) bounds(%x : tensor<?xi32>) outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %x_in: tensor<?xi32>):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {bounded = array<i64: 0>, block_size = array<i64: 128, 64>}
  return
}

// -----

func.func @c6_none(%x: tensor<?xi32>, %out: tensor<1x1x?x?xi32>) {
  // expected-error @below {{expected four 'bounds' for each of 'bounded', 0, but got 1}}
  %0 = sattn.block_counts bounds(%x : tensor<?xi32>) outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {block_size = array<i64: 128, 64>}
  return
}

// -----

func.func @c6_capture(%x: tensor<?xi32>, %out: tensor<1x1x?x?xi32>) {
  // expected-error @below {{expected 'bounded' of numbers of captured vectors of integers, but got 1}}
  %0 = sattn.block_counts captures(%x : tensor<?xi32>) bounds(%x, %x, %x, %x : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %x_in: tensor<?xi32>):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {bounded = array<i64: 1>, block_size = array<i64: 128, 64>}
  return
}

// -----

func.func @c6_type(%x: tensor<?xi32>, %y: tensor<?xi8>, %out: tensor<1x1x?x?xi32>) {
  // expected-error @below {{expected 'bounds' of rank 1 and element type i32 or i64, but got 'tensor<?xi8>'}}
  %0 = sattn.block_counts captures(%x : tensor<?xi32>) bounds(%x, %y, %x, %x : tensor<?xi32>, tensor<?xi8>, tensor<?xi32>, tensor<?xi32>) outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %x_in: tensor<?xi32>):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {bounded = array<i64: 0>, block_size = array<i64: 128, 64>}
  return
}

// -----

func.func @c6_size(%x: tensor<?xi32>, %y: tensor<5xi32>, %out: tensor<1x1x5x6xi32>) {
  // expected-error @below {{expected C of 'bounds' (dimension 0) to be 6, but got 5}}
  %0 = sattn.block_counts captures(%x : tensor<?xi32>) bounds(%y, %y, %y, %y : tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>) outs(%out : tensor<1x1x5x6xi32>) -> tensor<1x1x5x6xi32> mask_mod {
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %x_in: tensor<?xi32>):
        %r = arith.cmpi sge, %i, %j : i32
        sattn.yield %r : i1
      } {bounded = array<i64: 0>, block_size = array<i64: 128, 64>}
  return
}
