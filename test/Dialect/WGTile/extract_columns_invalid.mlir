// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @c1_rank(%t: tensor<64x64xf32>) {
  // expected-error @below {{expected a result of the source's rank, rows and element type, but got 'tensor<64x64xf32>' and 'tensor<32xf32>'}}
  %0 = wgtile.extract_columns %t from 0 : tensor<64x64xf32> -> tensor<32xf32>
  return
}

// -----

func.func @c1_large_rank(%t: tensor<1x64x64xf32>) {
  // expected-error @below {{expected a result of the source's rank, rows and element type}}
  %0 = wgtile.extract_columns %t from 0
      : tensor<1x64x64xf32> -> tensor<1x64x32xf32>
  return
}

// -----

func.func @c1_rows(%t: tensor<64x64xf32>) {
  // expected-error @below {{expected a result of the source's rank, rows and element type, but got 'tensor<64x64xf32>' and 'tensor<32x32xf32>'}}
  %0 = wgtile.extract_columns %t from 0
      : tensor<64x64xf32> -> tensor<32x32xf32>
  return
}

// -----

func.func @c1_element_type(%t: tensor<64x64xf32>) {
  // expected-error @below {{expected a result of the source's rank, rows and element type, but got 'tensor<64x64xf32>' and 'tensor<64x32xf16>'}}
  %0 = wgtile.extract_columns %t from 0
      : tensor<64x64xf32> -> tensor<64x32xf16>
  return
}

// -----

func.func @c1_start(%t: tensor<64x64xf32>) {
  // expected-error @below {{expected columns between multiples of 8 in 'tensor<64x64xf32>', but got 4 to 36}}
  %0 = wgtile.extract_columns %t from 4
      : tensor<64x64xf32> -> tensor<64x32xf32>
  return
}

// -----

func.func @c1_end(%t: tensor<64xf32>) {
  // expected-error @below {{expected columns between multiples of 8 in 'tensor<64xf32>', but got 8 to 12}}
  %0 = wgtile.extract_columns %t from 8 : tensor<64xf32> -> tensor<4xf32>
  return
}

// -----

func.func @c1_negative(%t: tensor<64x64xf32>) {
  // expected-error @below {{expected columns between multiples of 8 in 'tensor<64x64xf32>', but got -8 to 24}}
  %0 = wgtile.extract_columns %t from -8
      : tensor<64x64xf32> -> tensor<64x32xf32>
  return
}

// -----

func.func @c1_inside(%t: tensor<64x64xf32>) {
  // expected-error @below {{expected columns between multiples of 8 in 'tensor<64x64xf32>', but got 40 to 72}}
  %0 = wgtile.extract_columns %t from 40
      : tensor<64x64xf32> -> tensor<64x32xf32>
  return
}
