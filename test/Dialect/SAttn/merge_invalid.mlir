// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @c1_rank_of_q(%n: index, %offsets: tensor<?xi32>, %q: tensor<?x?xi32>,
    %p: tensor<?xi32>, %c: tensor<?xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected 'q' of rank 1, but got 'tensor<?x?xi32>'}}
  %0, %1 = sattn.merge lists(2) grid(64, %n, %n)
      ins(%offsets, %q : tensor<?xi32>, tensor<?x?xi32>) p(%p : tensor<?xi32>)
      outs(%c, %s : tensor<?xi32>, tensor<?x3xi32>)
      -> tensor<?xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c1_rank_of_steps(%n: index, %offsets: tensor<?xi32>, %q: tensor<?xi32>,
    %p: tensor<?xi32>, %c: tensor<?xi32>, %s: tensor<?xi32>) {
  // expected-error @below {{expected 'steps' of rank 2, but got 'tensor<?xi32>'}}
  %0, %1 = sattn.merge lists(2) grid(64, %n, %n)
      ins(%offsets, %q : tensor<?xi32>, tensor<?xi32>) p(%p : tensor<?xi32>)
      outs(%c, %s : tensor<?xi32>, tensor<?xi32>)
      -> tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @c2_element_of_offsets(%n: index, %offsets: tensor<?xi16>, %q: tensor<?xi32>,
    %p: tensor<?xi32>, %c: tensor<?xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected element type i32 or i64 of 'offsets', but got 'i16'}}
  %0, %1 = sattn.merge lists(2) grid(64, %n, %n)
      ins(%offsets, %q : tensor<?xi16>, tensor<?xi32>) p(%p : tensor<?xi32>)
      outs(%c, %s : tensor<?xi32>, tensor<?x3xi32>)
      -> tensor<?xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c2_element_of_counts(%n: index, %offsets: tensor<?xi32>, %q: tensor<?xi32>,
    %p: tensor<?xi32>, %c: tensor<?xi64>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected element type i32 of 'counts', but got 'i64'}}
  %0, %1 = sattn.merge lists(2) grid(64, %n, %n)
      ins(%offsets, %q : tensor<?xi32>, tensor<?xi32>) p(%p : tensor<?xi32>)
      outs(%c, %s : tensor<?xi64>, tensor<?x3xi32>)
      -> tensor<?xi64>, tensor<?x3xi32>
  return
}

// -----

func.func @c2_element_of_steps(%n: index, %offsets: tensor<?xi32>, %q: tensor<?xi32>,
    %p: tensor<?xi64>, %c: tensor<?xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected element type i64 of 'steps', but got 'i32'}}
  %0, %1 = sattn.merge lists(2) grid(64, %n, %n)
      ins(%offsets, %q : tensor<?xi32>, tensor<?xi32>) p(%p : tensor<?xi64>)
      outs(%c, %s : tensor<?xi32>, tensor<?x3xi32>)
      -> tensor<?xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c3_neither(%n: index, %offsets: tensor<?xi32>, %q: tensor<?xi32>,
    %p: tensor<?xi32>, %c: tensor<?xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected either 'p' or 'r', but got neither}}
  %0, %1 = sattn.merge lists(2) grid(64, %n, %n)
      ins(%offsets, %q : tensor<?xi32>, tensor<?xi32>)
      outs(%c, %s : tensor<?xi32>, tensor<?x3xi32>)
      -> tensor<?xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c3_both(%n: index, %offsets: tensor<?xi32>, %q: tensor<?xi32>,
    %p: tensor<?xi32>, %c: tensor<?xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected either 'p' or 'r', but got both}}
  %0, %1 = sattn.merge lists(2) grid(64, %n, %n)
      ins(%offsets, %q : tensor<?xi32>, tensor<?xi32>) p(%p : tensor<?xi32>) r(%p : tensor<?xi32>)
      outs(%c, %s : tensor<?xi32>, tensor<?x3xi32>)
      -> tensor<?xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c4_lists(%n: index, %offsets: tensor<?xi32>, %q: tensor<?xi32>,
    %p: tensor<?xi32>, %c: tensor<?xi32>, %s: tensor<?x2xi32>) {
  // expected-error @below {{expected 2 to 8 lists, but got 1}}
  %0, %1 = sattn.merge lists(1) grid(64, %n, %n)
      ins(%offsets, %q : tensor<?xi32>, tensor<?xi32>) p(%p : tensor<?xi32>)
      outs(%c, %s : tensor<?xi32>, tensor<?x2xi32>)
      -> tensor<?xi32>, tensor<?x2xi32>
  return
}

// -----

func.func @c4_rows(%n: index, %offsets: tensor<?xi32>, %q: tensor<?xi32>,
    %p: tensor<?xi32>, %c: tensor<?xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected at least 1 row of a matrix, but got 0}}
  %0, %1 = sattn.merge lists(2) grid(0, %n, %n)
      ins(%offsets, %q : tensor<?xi32>, tensor<?xi32>) p(%p : tensor<?xi32>)
      outs(%c, %s : tensor<?xi32>, tensor<?x3xi32>)
      -> tensor<?xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c4_steps(%n: index, %offsets: tensor<?xi32>, %q: tensor<?xi32>,
    %p: tensor<?xi32>, %c: tensor<?xi32>, %s: tensor<?x4xi32>) {
  // expected-error @below {{expected 'steps' with rows of 3, q and 2 entries of p, but got 'tensor<?x4xi32>'}}
  %0, %1 = sattn.merge lists(2) grid(64, %n, %n)
      ins(%offsets, %q : tensor<?xi32>, tensor<?xi32>) p(%p : tensor<?xi32>)
      outs(%c, %s : tensor<?xi32>, tensor<?x4xi32>)
      -> tensor<?xi32>, tensor<?x4xi32>
  return
}

// -----

func.func @c5_memrefs_alone(%n: index, %offsets: tensor<?xi32>, %q: memref<?xi32>,
    %p: tensor<?xi32>, %c: tensor<?xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected tensors or memrefs alone, but 'offsets' is 'tensor<?xi32>' and 'q' 'memref<?xi32>'}}
  %0, %1 = sattn.merge lists(2) grid(64, %n, %n)
      ins(%offsets, %q : tensor<?xi32>, memref<?xi32>) p(%p : tensor<?xi32>)
      outs(%c, %s : tensor<?xi32>, tensor<?x3xi32>)
      -> tensor<?xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c6_p(%n: index, %offsets: tensor<9xi32>, %q: tensor<8xi32>,
    %p: tensor<7xi32>, %c: tensor<4xi32>, %s: tensor<8x3xi32>) {
  // expected-error @below {{expected 'p' of 8, as 'q', but got 7}}
  %0, %1 = sattn.merge lists(2) grid(64, %n, %n)
      ins(%offsets, %q : tensor<9xi32>, tensor<8xi32>) p(%p : tensor<7xi32>)
      outs(%c, %s : tensor<4xi32>, tensor<8x3xi32>)
      -> tensor<4xi32>, tensor<8x3xi32>
  return
}

// -----

func.func @c6_steps(%n: index, %offsets: tensor<9xi32>, %q: tensor<8xi32>,
    %p: tensor<8xi32>, %c: tensor<4xi32>, %s: tensor<4x3xi32>) {
  // expected-error @below {{expected 'steps' of 8 rows, as 'q', but got 4}}
  %0, %1 = sattn.merge lists(2) grid(64, %n, %n)
      ins(%offsets, %q : tensor<9xi32>, tensor<8xi32>) p(%p : tensor<8xi32>)
      outs(%c, %s : tensor<4xi32>, tensor<4x3xi32>)
      -> tensor<4xi32>, tensor<4x3xi32>
  return
}

// -----

func.func @c6_counts(%n: index, %offsets: tensor<9xi32>, %q: tensor<8xi32>,
    %p: tensor<8xi32>, %c: tensor<3xi32>, %s: tensor<8x3xi32>) {
  // expected-error @below {{expected 'counts' of 4, one for each group of 2 entries, but got 3}}
  %0, %1 = sattn.merge lists(2) grid(64, %n, %n)
      ins(%offsets, %q : tensor<9xi32>, tensor<8xi32>) p(%p : tensor<8xi32>)
      outs(%c, %s : tensor<3xi32>, tensor<8x3xi32>)
      -> tensor<3xi32>, tensor<8x3xi32>
  return
}
