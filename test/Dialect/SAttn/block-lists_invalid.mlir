// RUN: sparse-opt %s --split-input-file --verify-diagnostics

func.func @c1_outs(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
    %o0: tensor<4x2x3xi32>) {
  // expected-error @below {{expected two or four 'outs', but got 1}}
  %0:1 = sattn.block_lists ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%o0 : tensor<4x2x3xi32>) -> tensor<4x2x3xi32>
  return
}

// -----

func.func @c1_rank(%p: index, %counts: tensor<3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
    %o0: tensor<4x2x3xi32>, %o1: tensor<4x2x3x5xi32>) {
  // expected-error @below {{expected 'counts' of rank 4 and element type i32, but got 'tensor<3x5xi32>'}}
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%o0, %o1 : tensor<4x2x3xi32>, tensor<4x2x3x5xi32>) -> tensor<4x2x3xi32>, tensor<4x2x3x5xi32>
  return
}

// -----

func.func @c1_element(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi64>,
    %o0: tensor<4x2x3xi32>, %o1: tensor<4x2x3x5xi32>) {
  // expected-error @below {{expected 'widths' of rank 1 and element type i32, but got 'tensor<5xi64>'}}
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi64>)
      outs(%o0, %o1 : tensor<4x2x3xi32>, tensor<4x2x3x5xi32>) -> tensor<4x2x3xi32>, tensor<4x2x3x5xi32>
  return
}

// -----

func.func @c1_out(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
    %o0: tensor<4x2x3xi32>, %o1: tensor<4x2x3x5xi32>, %o2: tensor<4x2x3xi16>, %o3: tensor<4x2x3x5xi32>) {
  // expected-error @below {{expected 'full_numbers' of rank 3 and element type i32, but got 'tensor<4x2x3xi16>'}}
  %0:4 = sattn.block_lists ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%o0, %o1, %o2, %o3 : tensor<4x2x3xi32>, tensor<4x2x3x5xi32>, tensor<4x2x3xi16>, tensor<4x2x3x5xi32>) -> tensor<4x2x3xi32>, tensor<4x2x3x5xi32>, tensor<4x2x3xi16>, tensor<4x2x3x5xi32>
  return
}

// -----

func.func @c1_result(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
    %o0: tensor<4x2x3xi32>, %o1: tensor<4x2x3x5xi32>) {
  // expected-error @below {{expected the results to have the types of 'outs'}}
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%o0, %o1 : tensor<4x2x3xi32>, tensor<4x2x3x5xi32>) -> tensor<4x2x?xi32>, tensor<4x2x3x5xi32>
  return
}

// -----

func.func @c2_rows(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<4xi32>, %widths: tensor<5xi32>,
    %o0: tensor<4x2x3xi32>, %o1: tensor<4x2x3x5xi32>) {
  // expected-error @below {{expected R of 'heights' (dimension 0) to be 3, but got 4}}
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<4xi32>, tensor<5xi32>)
      outs(%o0, %o1 : tensor<4x2x3xi32>, tensor<4x2x3x5xi32>) -> tensor<4x2x3xi32>, tensor<4x2x3x5xi32>
  return
}

// -----

func.func @c2_columns(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
    %o0: tensor<4x2x3xi32>, %o1: tensor<4x2x3x6xi32>) {
  // expected-error @below {{expected C of 'columns' (dimension 3) to be 5, but got 6}}
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%o0, %o1 : tensor<4x2x3xi32>, tensor<4x2x3x6xi32>) -> tensor<4x2x3xi32>, tensor<4x2x3x6xi32>
  return
}

// -----

func.func @c2_batch(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
    %o0: tensor<4x2x3xi32>, %o1: tensor<1x2x3x5xi32>) {
  // expected-error @below {{expected B of 'columns' (dimension 0) to be 4, but got 1}}
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%o0, %o1 : tensor<4x2x3xi32>, tensor<1x2x3x5xi32>) -> tensor<4x2x3xi32>, tensor<1x2x3x5xi32>
  return
}

// -----

func.func @c3_origin(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
    %o0: tensor<4x2x3xi32>, %o1: tensor<4x2x3x5xi32>) {
  // expected-error @below {{expected 3 numbers in 'origin', but got 1}}
  %0:2 = sattn.block_lists origin(%p) ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%o0, %o1 : tensor<4x2x3xi32>, tensor<4x2x3x5xi32>) -> tensor<4x2x3xi32>, tensor<4x2x3x5xi32>
  return
}
