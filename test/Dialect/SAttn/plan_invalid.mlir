// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @c1_rank_of_crow(%columns: index, %crow: tensor<i32>,
    %col: tensor<?xi32>, %p: tensor<4x4xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected 'crow' of rank at least 1, but got 'tensor<i32>'}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<i32>, tensor<?xi32>)
      outs(%p, %s : tensor<4x4xi32>, tensor<?x3xi32>)
      -> tensor<4x4xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c1_rank_of_col(%columns: index, %crow: tensor<9xi32>,
    %col: tensor<2x?xi32>, %p: tensor<4x4xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected 'col' of rank 1, but got 'tensor<2x?xi32>'}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<9xi32>, tensor<2x?xi32>)
      outs(%p, %s : tensor<4x4xi32>, tensor<?x3xi32>)
      -> tensor<4x4xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c1_rank_of_steps(%columns: index, %crow: tensor<9xi32>,
    %col: tensor<?xi32>, %p: tensor<4x4xi32>, %s: tensor<2x?x3xi32>) {
  // expected-error @below {{expected 'steps' of rank 2, but got 'tensor<2x?x3xi32>'}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<9xi32>, tensor<?xi32>)
      outs(%p, %s : tensor<4x4xi32>, tensor<2x?x3xi32>)
      -> tensor<4x4xi32>, tensor<2x?x3xi32>
  return
}

// -----

func.func @c1_batch(%columns: index, %crow: tensor<5x9xi32>,
    %col: tensor<5x?xi32>, %p: tensor<1x4x4xi32>, %s: tensor<5x?x3xi32>) {
  // expected-error @below {{expected batch dimension 0 of 'row_block_groups' to be 5, as of 'crow', but got 1}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<5x9xi32>, tensor<5x?xi32>)
      outs(%p, %s : tensor<1x4x4xi32>, tensor<5x?x3xi32>)
      -> tensor<1x4x4xi32>, tensor<5x?x3xi32>
  return
}

// -----

func.func @c2_crow(%columns: index, %crow: tensor<9xi16>,
    %col: tensor<?xi32>, %p: tensor<4x4xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected element type i32 or i64 of 'crow', but got 'i16'}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<9xi16>, tensor<?xi32>)
      outs(%p, %s : tensor<4x4xi32>, tensor<?x3xi32>)
      -> tensor<4x4xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c2_col(%columns: index, %crow: tensor<9xi32>,
    %col: tensor<?xi64>, %p: tensor<4x4xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected element type 'i32' of 'col', but got 'i64'}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<9xi32>, tensor<?xi64>)
      outs(%p, %s : tensor<4x4xi32>, tensor<?x3xi32>)
      -> tensor<4x4xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c2_row_block_groups(%columns: index, %crow: tensor<9xi64>,
    %col: tensor<?xi64>, %p: tensor<4x2xi64>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected element type 'i32' of 'row_block_groups', but got 'i64'}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<9xi64>, tensor<?xi64>)
      outs(%p, %s : tensor<4x2xi64>, tensor<?x3xi32>)
      -> tensor<4x2xi64>, tensor<?x3xi32>
  return
}

// -----

func.func @c2_steps(%columns: index, %crow: tensor<9xi32>,
    %col: tensor<?xi32>, %p: tensor<4x4xi32>, %s: tensor<?x3xi64>) {
  // expected-error @below {{expected element type 'i32' of 'steps', but got 'i64'}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<9xi32>, tensor<?xi32>)
      outs(%p, %s : tensor<4x4xi32>, tensor<?x3xi64>)
      -> tensor<4x4xi32>, tensor<?x3xi64>
  return
}

// -----

func.func @c3_no_group(%columns: index, %crow: tensor<9xi32>,
    %col: tensor<?xi32>, %p: tensor<4x2xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected 1 to 32 groups, but got 0}}
  %0, %1 = sattn.plan groups(0) columns(%columns)
      ins(%crow, %col : tensor<9xi32>, tensor<?xi32>)
      outs(%p, %s : tensor<4x2xi32>, tensor<?x3xi32>)
      -> tensor<4x2xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c3_groups(%columns: index, %crow: tensor<9xi32>,
    %col: tensor<?xi32>, %p: tensor<4x35xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected 1 to 32 groups, but got 33}}
  %0, %1 = sattn.plan groups(33) columns(%columns)
      ins(%crow, %col : tensor<9xi32>, tensor<?xi32>)
      outs(%p, %s : tensor<4x35xi32>, tensor<?x3xi32>)
      -> tensor<4x35xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c4_crow(%columns: index, %crow: tensor<0xi32>,
    %col: tensor<?xi32>, %p: tensor<4x4xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected 'crow' of at least one entry, but got 'tensor<0xi32>'}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<0xi32>, tensor<?xi32>)
      outs(%p, %s : tensor<4x4xi32>, tensor<?x3xi32>)
      -> tensor<4x4xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c4_row_block_groups(%columns: index, %crow: tensor<9xi32>,
    %col: tensor<?xi32>, %p: tensor<4x5xi32>, %s: tensor<?x4xi32>) {
  // expected-error @below {{expected 'row_block_groups' of 3 rows, but got 4}}
  %0, %1 = sattn.plan groups(3) columns(%columns)
      ins(%crow, %col : tensor<9xi32>, tensor<?xi32>)
      outs(%p, %s : tensor<4x5xi32>, tensor<?x4xi32>)
      -> tensor<4x5xi32>, tensor<?x4xi32>
  return
}

// -----

func.func @c4_row(%columns: index, %crow: tensor<9xi32>,
    %col: tensor<?xi32>, %p: tensor<4x?xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected 'row_block_groups' with rows of 4, two steps and 2 block rows, but got 'tensor<4x?xi32>'}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<9xi32>, tensor<?xi32>)
      outs(%p, %s : tensor<4x?xi32>, tensor<?x3xi32>)
      -> tensor<4x?xi32>, tensor<?x3xi32>
  return
}

// -----

func.func @c5_nnz(%columns: index, %crow: tensor<9xi32>,
    %col: tensor<7xi32>, %p: tensor<4x4xi32>, %s: tensor<8x3xi32>) {
  // expected-error @below {{expected 'steps' of 7 rows, the nnz of 'col', but got 8}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<9xi32>, tensor<7xi32>)
      outs(%p, %s : tensor<4x4xi32>, tensor<8x3xi32>)
      -> tensor<4x4xi32>, tensor<8x3xi32>
  return
}

// -----

func.func @c5_row(%columns: index, %crow: tensor<9xi32>,
    %col: tensor<?xi32>, %p: tensor<4x4xi32>, %s: tensor<?x4xi32>) {
  // expected-error @below {{expected 'steps' with rows of 3, a column and 2 groups, but got 'tensor<?x4xi32>'}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<9xi32>, tensor<?xi32>)
      outs(%p, %s : tensor<4x4xi32>, tensor<?x4xi32>)
      -> tensor<4x4xi32>, tensor<?x4xi32>
  return
}

// -----

func.func @c5_dynamic_row(%columns: index, %crow: tensor<9xi32>,
    %col: tensor<?xi32>, %p: tensor<4x4xi32>, %s: tensor<?x?xi32>) {
  // expected-error @below {{expected 'steps' with rows of 3, a column and 2 groups, but got 'tensor<?x?xi32>'}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<9xi32>, tensor<?xi32>)
      outs(%p, %s : tensor<4x4xi32>, tensor<?x?xi32>)
      -> tensor<4x4xi32>, tensor<?x?xi32>
  return
}

// -----

func.func @c6_mixed(%columns: index, %crow: tensor<9xi32>,
    %col: memref<?xi32>, %p: tensor<4x4xi32>, %s: tensor<?x3xi32>) {
  // expected-error @below {{expected tensors or memrefs alone, but 'crow' is 'tensor<9xi32>' and 'col' 'memref<?xi32>'}}
  %0, %1 = sattn.plan groups(2) columns(%columns)
      ins(%crow, %col : tensor<9xi32>, memref<?xi32>)
      outs(%p, %s : tensor<4x4xi32>, tensor<?x3xi32>)
      -> tensor<4x4xi32>, tensor<?x3xi32>
  return
}
