// RUN: sparse-opt %s --split-input-file --verify-diagnostics

func.func @c1_rank(%p: index, %counts: tensor<3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
    %numbers: tensor<2x4x2x3xi32>, %columns: tensor<2x4x2x3x5xi32>) {
  // expected-error @below {{expected 'counts' of rank 4 and element type i32, but got 'tensor<3x5xi32>'}}
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%numbers, %columns : tensor<2x4x2x3xi32>, tensor<2x4x2x3x5xi32>)
      -> tensor<2x4x2x3xi32>, tensor<2x4x2x3x5xi32> {separate}
  return
}

// -----

func.func @c1_element(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi64>,
    %numbers: tensor<2x4x2x3xi32>, %columns: tensor<2x4x2x3x5xi32>) {
  // expected-error @below {{expected 'widths' of rank 1 and element type i32, but got 'tensor<5xi64>'}}
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi64>)
      outs(%numbers, %columns : tensor<2x4x2x3xi32>, tensor<2x4x2x3x5xi32>)
      -> tensor<2x4x2x3xi32>, tensor<2x4x2x3x5xi32> {separate}
  return
}

// -----

func.func @c1_result(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
    %numbers: tensor<2x4x2x3xi32>, %columns: tensor<2x4x2x3x5xi32>) {
  // expected-error @below {{expected a result of type 'tensor<2x4x2x3xi32>', but got 'tensor<2x4x2x?xi32>'}}
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%numbers, %columns : tensor<2x4x2x3xi32>, tensor<2x4x2x3x5xi32>)
      -> tensor<2x4x2x?xi32>, tensor<2x4x2x3x5xi32> {separate}
  return
}

// -----

func.func @c2_kinds(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
    %numbers: tensor<1x4x2x3xi32>, %columns: tensor<2x4x2x3x5xi32>) {
  // expected-error @below {{expected K of 'numbers' (dimension 0) to be 2, but got 1}}
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%numbers, %columns : tensor<1x4x2x3xi32>, tensor<2x4x2x3x5xi32>)
      -> tensor<1x4x2x3xi32>, tensor<2x4x2x3x5xi32> {separate}
  return
}

// -----

func.func @c3_rows(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<4xi32>, %widths: tensor<5xi32>,
    %numbers: tensor<2x4x2x3xi32>, %columns: tensor<2x4x2x3x5xi32>) {
  // expected-error @below {{expected R of 'heights' (dimension 0) to be 3, but got 4}}
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<4xi32>, tensor<5xi32>)
      outs(%numbers, %columns : tensor<2x4x2x3xi32>, tensor<2x4x2x3x5xi32>)
      -> tensor<2x4x2x3xi32>, tensor<2x4x2x3x5xi32> {separate}
  return
}

// -----

func.func @c3_columns(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
    %numbers: tensor<2x4x2x3xi32>, %columns: tensor<2x4x2x3x6xi32>) {
  // expected-error @below {{expected C of 'columns' (dimension 4) to be 5, but got 6}}
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%numbers, %columns : tensor<2x4x2x3xi32>, tensor<2x4x2x3x6xi32>)
      -> tensor<2x4x2x3xi32>, tensor<2x4x2x3x6xi32> {separate}
  return
}

// -----

func.func @c3_batch(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
    %numbers: tensor<2x4x2x3xi32>, %columns: tensor<2x1x2x3x5xi32>) {
  // expected-error @below {{expected B of 'columns' (dimension 1) to be 4, but got 1}}
  %0:2 = sattn.block_lists ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%numbers, %columns : tensor<2x4x2x3xi32>, tensor<2x1x2x3x5xi32>)
      -> tensor<2x4x2x3xi32>, tensor<2x1x2x3x5xi32> {separate}
  return
}

// -----

func.func @c4_origin(%p: index, %counts: tensor<4x2x3x5xi32>, %heights: tensor<3xi32>, %widths: tensor<5xi32>,
    %numbers: tensor<2x4x2x3xi32>, %columns: tensor<2x4x2x3x5xi32>) {
  // expected-error @below {{expected 4 numbers in 'origin', but got 1}}
  %0:2 = sattn.block_lists origin(%p) ins(%counts, %heights, %widths : tensor<4x2x3x5xi32>, tensor<3xi32>, tensor<5xi32>)
      outs(%numbers, %columns : tensor<2x4x2x3xi32>, tensor<2x4x2x3x5xi32>)
      -> tensor<2x4x2x3xi32>, tensor<2x4x2x3x5xi32> {separate}
  return
}
