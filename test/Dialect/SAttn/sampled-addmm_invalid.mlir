// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// Each function breaks one constraint of sattn.sampled_addmm, after which it is
// named.

func.func @c1_out_rank(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<16x32xf16>) -> tensor<16x32xf16> {
  // expected-error @below {{expected 'out' of rank at least 3, but got 'tensor<16x32xf16>'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<16x32xf16>) -> tensor<16x32xf16>
  return %0 : tensor<16x32xf16>
}

// -----

func.func @c1_rank(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<2x128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected 'mat1' of rank 2 to 2, but got 'tensor<2x128x96xf16>'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<2x128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c1_rank_input(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %input: tensor<16x32xf16>, %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected 'input' of rank 3 to 3, but got 'tensor<16x32xf16>'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      input(%input : tensor<16x32xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c2_crow(%alpha: f32, %beta: f32, %crow: tensor<9xi16>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected element type i32 or i64 of 'crow', but got 'i16'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi16>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c2_col(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi64>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected element type 'i32' of 'col', but got 'i64'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi64>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c3_mat2(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xbf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected element type 'f16' of 'mat2', but got 'bf16'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xbf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c3_input(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %input: tensor<20x16x32xf32>, %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected element type 'f16' of 'input', but got 'f32'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      input(%input : tensor<20x16x32xf32>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c3_mat2_of_integers(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xi8>, %mat2: tensor<96x160xf8E4M3FN>,
    %out: tensor<20x16x32xi32>) -> tensor<20x16x32xi32> {
  // expected-error @below {{expected element type 'i8' of 'mat2', but got 'f8E4M3FN'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xi8>, tensor<96x160xf8E4M3FN>)
      outs(%out : tensor<20x16x32xi32>) -> tensor<20x16x32xi32>
  return %0 : tensor<20x16x32xi32>
}

// -----

func.func @c3_input_of_integers(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xi8>, %mat2: tensor<96x160xi8>,
    %input: tensor<20x16x32xi32>, %out: tensor<20x16x32xf32>) -> tensor<20x16x32xf32> {
  // expected-error @below {{expected element type 'f32' of 'input', but got 'i32'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xi8>, tensor<96x160xi8>)
      input(%input : tensor<20x16x32xi32>)
      outs(%out : tensor<20x16x32xf32>) -> tensor<20x16x32xf32>
  return %0 : tensor<20x16x32xf32>
}

// -----

func.func @c4_out_of_integers(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xi8>, %mat2: tensor<96x160xi8>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected element type i32, bf16 or f32 of 'out' with 'mat1' of 'i8', but got 'f16'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xi8>, tensor<96x160xi8>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c4_mat1(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xi16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected element type f16, bf16, f32, f64, i8, f8E4M3FN or f8E5M2 of 'mat1', but got 'i16'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xi16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c4_out_of_f64(%alpha: f64, %beta: f64, %crow: tensor<9xi32>, %col: tensor<20xi32>,
    %mat1: tensor<128x96xf64>, %mat2: tensor<96x160xf64>, %out: tensor<20x16x32xf32>) {
  // expected-error @below {{expected element type f64 of 'out' with 'mat1' of 'f64', but got 'f32'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf64>, tensor<96x160xf64>)
      outs(%out : tensor<20x16x32xf32>) -> tensor<20x16x32xf32>
  return
}

// -----

func.func @c17(%alpha: f64, %beta: f32, %crow: tensor<9xi32>, %col: tensor<20xi32>,
    %mat1: tensor<128x96xf64>, %mat2: tensor<96x160xf64>, %out: tensor<20x16x32xf64>) {
  // expected-error @below {{failed to verify that 'beta' is f64 with 'mat1' of f64, else f32}}
  %0 = "sattn.sampled_addmm"(%alpha, %beta, %crow, %col, %mat1, %mat2, %out)
      <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 1>}>
      : (f64, f32, tensor<9xi32>, tensor<20xi32>, tensor<128x96xf64>, tensor<96x160xf64>, tensor<20x16x32xf64>)
      -> tensor<20x16x32xf64>
  return
}

// -----

func.func @c4_out(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xi8>) -> tensor<20x16x32xi8> {
  // expected-error @below {{expected element type f16, bf16 or f32 of 'out', but got 'i8'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xi8>) -> tensor<20x16x32xi8>
  return %0 : tensor<20x16x32xi8>
}

// -----

func.func @c5_dynamic(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x?x32xf16>) -> tensor<20x?x32xf16> {
  // expected-error @below {{expected static block sizes that are positive multiples of 8, but got 'tensor<20x?x32xf16>'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x?x32xf16>) -> tensor<20x?x32xf16>
  return %0 : tensor<20x?x32xf16>
}

// -----

func.func @c5_multiple(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x20xf16>) -> tensor<20x16x20xf16> {
  // expected-error @below {{expected static block sizes that are positive multiples of 8, but got 'tensor<20x16x20xf16>'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x20xf16>) -> tensor<20x16x20xf16>
  return %0 : tensor<20x16x20xf16>
}

// -----

func.func @c5_positive(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x0x32xf16>) -> tensor<20x0x32xf16> {
  // expected-error @below {{expected static block sizes that are positive multiples of 8, but got 'tensor<20x0x32xf16>'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x0x32xf16>) -> tensor<20x0x32xf16>
  return %0 : tensor<20x0x32xf16>
}

// -----

func.func @c6_rows(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<112x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected M of 'mat1' (dimension 0) to be 128, but got 112}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<112x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c6_no_offset(%alpha: f32, %beta: f32, %crow: tensor<0xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected 'crow' of at least one entry, but got 'tensor<0xi32>'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<0xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c6_multiple(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<20xi32>, %mat1: tensor<120x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected M of 'mat1' (dimension 0) to be a multiple of the block's 16 rows, but got 120}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<?xi32>, tensor<20xi32>, tensor<120x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c6_overflow(%alpha: f32, %beta: f32, %crow: tensor<1000000000000000000xi32>,
    %col: tensor<20xi32>, %mat1: tensor<?x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected 'crow' of less than 2^63 rows, but got 'tensor<1000000000000000000xi32>' and blocks of 16 rows}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<1000000000000000000xi32>, tensor<20xi32>, tensor<?x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c7_columns(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x168xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected N of 'mat2' (dimension 1) to be a multiple of the block's 32 columns, but got 168}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x168xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c7_columns_transposed(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<168x96xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected N of 'mat2' (dimension 0) to be a multiple of the block's 32 columns, but got 168}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<168x96xf16>)
      outs(%out : tensor<20x16x32xf16>) {transpose_mat2} -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c8_sums(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<80x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected K of 'mat2' (dimension 0) to be 96, but got 80}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<80x160xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c8_sums_transposed(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<160x80xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected K of 'mat2' (dimension 1) to be 96, but got 80}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<160x80xf16>)
      outs(%out : tensor<20x16x32xf16>) {transpose_mat2} -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c9_col(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<21xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected nnz of 'col' (dimension 0) to be 20, but got 21}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<21xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c9_input(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %input: tensor<19x16x32xf16>, %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected nnz of 'input' (dimension 0) to be 20, but got 19}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      input(%input : tensor<19x16x32xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c9_input_block(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %input: tensor<20x16x16xf16>, %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected the block's columns of 'input' (dimension 2) to be 32, but got 16}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      input(%input : tensor<20x16x16xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c9_input_block_rows(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %input: tensor<20x32x32xf16>, %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected the block's rows of 'input' (dimension 1) to be 16, but got 32}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      input(%input : tensor<20x32x32xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c10_batch(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<2x128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<3x20x16x32xf16>) -> tensor<3x20x16x32xf16> {
  // expected-error @below {{expected batch dimension 0 of 'mat1' to be 1 or 3, but got 2}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<2x128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<3x20x16x32xf16>) -> tensor<3x20x16x32xf16>
  return %0 : tensor<3x20x16x32xf16>
}

// -----

func.func @c11_result(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<?x16x32xf16> {
  // expected-error @below {{expected the result to have the type of 'out', 'tensor<20x16x32xf16>', but got 'tensor<?x16x32xf16>'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<?x16x32xf16>
  return %0 : tensor<?x16x32xf16>
}

// -----

func.func @c12_rows(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected the tile's M to divide the block's 16 rows, but got 24}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) {meta = #sattn.meta<tile = [24, 32, 32]>} -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c12_columns(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected the tile's N to divide the block's 32 columns or to be up to 32 times as many, but got 48}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) {meta = #sattn.meta<tile = [16, 48, 32]>} -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c12_blocks(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected the tile's N to divide the block's 32 columns or to be up to 32 times as many, but got 1056}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) {meta = #sattn.meta<tile = [16, 1056, 32]>} -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c12_multiple(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected the tile's K to be a multiple of 8 and at most 65536, but got 12}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) {meta = #sattn.meta<tile = [16, 32, 12]>} -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c12_size(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected the tile's K to be a multiple of 8 and at most 65536, but got 65544}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) {meta = #sattn.meta<tile = [16, 32, 65544]>} -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c12_elements(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<?x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x2048x32xf16>) -> tensor<20x2048x32xf16> {
  // expected-error @below {{expected the tile's M x N, M x K and K x N to be at most 67108864 elements, but got 2048 x 8 x 65536}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<?x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x2048x32xf16>) {meta = #sattn.meta<tile = [2048, 8, 65536]>} -> tensor<20x2048x32xf16>
  return %0 : tensor<20x2048x32xf16>
}

// -----

func.func @c13_word(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected precision "ieee", but got "tf32" for matrices of 'f16'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) {precision = "tf32"} -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c13_f32(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf32>, %mat2: tensor<96x160xf32>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected precision "ieee" or "tf32", but got "fast" for matrices of 'f32'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf32>, tensor<96x160xf32>)
      outs(%out : tensor<20x16x32xf16>) {precision = "fast"} -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c14_alone(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %i0: index, %i1: index, %i2: index,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected 'origin' and 'block_size' together}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      origin(%i0, %i1, %i2)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c14_block_size_alone(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected 'origin' and 'block_size' together}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) {block_size = array<i64: 16, 32>} -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c14_count(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %i0: index, %i1: index, %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected 3 numbers in 'origin', but got 2}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      origin(%i0, %i1)
      outs(%out : tensor<20x16x32xf16>) {block_size = array<i64: 16, 32>} -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

func.func @c14_block_size(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %i0: index, %i1: index, %i2: index,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected 2 numbers in 'block_size', but got 1}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      origin(%i0, %i1, %i2)
      outs(%out : tensor<20x16x32xf16>) {block_size = array<i64: 16>} -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 16 : dense,
    j floordiv 32 : compressed, i mod 16 : dense, j mod 32 : dense)}>

func.func @c15_other_operand(%alpha: f32, %mat1: tensor<128x96xf16, #bsr>, %mat2: tensor<96x160xf16>,
    %out: tensor<128x160xf16, #bsr>) {
  // expected-error @below {{expected an encoding of no operand but 'out' without 'crow' and 'col', but got 'tensor<128x96xf16, #sparse_tensor.encoding<}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%alpha)
      ins(%mat1, %mat2 : tensor<128x96xf16, #bsr>, tensor<96x160xf16>)
      outs(%out : tensor<128x160xf16, #bsr>) -> tensor<128x160xf16, #bsr>
  return
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 16 : dense,
    j floordiv 32 : compressed, i mod 16 : dense, j mod 32 : dense)}>

func.func @c15_both(%alpha: f32, %crow: tensor<9xi32>, %col: tensor<20xi32>,
    %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>, %out: tensor<128x160xf16, #bsr>) {
  // expected-error @below {{expected an encoding of no operand but 'out' without 'crow' and 'col', but got 'tensor<128x160xf16, #sparse_tensor.encoding<}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%alpha)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<128x160xf16, #bsr>) -> tensor<128x160xf16, #bsr>
  return
}

// -----

func.func @c15_together(%alpha: f32, %crow: tensor<9xi32>, %mat1: tensor<128x96xf16>,
    %mat2: tensor<96x160xf16>, %out: tensor<20x16x32xf16>) {
  // expected-error @below {{expected 'crow' and 'col' together}}
  %0 = "sattn.sampled_addmm"(%alpha, %alpha, %crow, %mat1, %mat2, %out)
      {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 0, 0, 1>}
      : (f32, f32, tensor<9xi32>, tensor<128x96xf16>, tensor<96x160xf16>, tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return
}

// -----

func.func @c15_not_encoded(%alpha: f32, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<20x16x32xf16>) {
  // expected-error @below {{expected 'out' to be a matrix of blocks: expected a matrix in an encoding of sparse_tensor, in 'tensor<20x16x32xf16>'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%alpha)
      ins(%mat1, %mat2 : tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return
}

// -----

#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

func.func @c15_levels(%alpha: f32, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<128x160xf16, #csr>) {
  // expected-error @below {{expected 'out' to be a matrix of blocks: expected levels (i floordiv BM : dense}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%alpha)
      ins(%mat1, %mat2 : tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<128x160xf16, #csr>) -> tensor<128x160xf16, #csr>
  return
}

// -----

#stacked = #sparse_tensor.encoding<{map = (n, i, j) -> (n : dense, i floordiv 16 : dense,
    j floordiv 32 : compressed, i mod 16 : dense, j mod 32 : dense)}>

func.func @c15_dense_batches(%alpha: f32, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<3x128x160xf16, #stacked>) {
  // expected-error @below {{expected batch levels of 'out' that are all 'batch', but got 'tensor<3x128x160xf16, #sparse_tensor.encoding<}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%alpha)
      ins(%mat1, %mat2 : tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<3x128x160xf16, #stacked>) -> tensor<3x128x160xf16, #stacked>
  return
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 16 : dense,
    j floordiv 32 : compressed, i mod 16 : dense, j mod 32 : dense)}>

func.func @c15_input(%alpha: f32, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %input: tensor<20x16x32xf16>,
    %out: tensor<128x160xf16, #bsr>) {
  // expected-error @below {{expected no 'input' and no 'origin' without 'crow' and 'col'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%alpha)
      ins(%mat1, %mat2 : tensor<128x96xf16>, tensor<96x160xf16>)
      input(%input : tensor<20x16x32xf16>)
      outs(%out : tensor<128x160xf16, #bsr>) -> tensor<128x160xf16, #bsr>
  return
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 16 : dense,
    j floordiv 32 : compressed, i mod 16 : dense, j mod 32 : dense)}>

func.func @c15_origin(%alpha: f32, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %i: index, %out: tensor<128x160xf16, #bsr>) {
  // expected-error @below {{expected no 'input' and no 'origin' without 'crow' and 'col'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%alpha)
      ins(%mat1, %mat2 : tensor<128x96xf16>, tensor<96x160xf16>)
      origin(%i, %i)
      outs(%out : tensor<128x160xf16, #bsr>) {block_size = array<i64: 16, 32>} -> tensor<128x160xf16, #bsr>
  return
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 4 : dense,
    j floordiv 32 : compressed, i mod 4 : dense, j mod 32 : dense)}>

func.func @c5_encoded(%alpha: f32, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<128x160xf16, #bsr>) {
  // expected-error @below {{expected static block sizes that are positive multiples of 8}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%alpha)
      ins(%mat1, %mat2 : tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<128x160xf16, #bsr>) -> tensor<128x160xf16, #bsr>
  return
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 16 : dense,
    j floordiv 32 : compressed, i mod 16 : dense, j mod 32 : dense)}>

func.func @c6_encoded(%alpha: f32, %mat1: tensor<64x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<128x160xf16, #bsr>) {
  // expected-error @below {{expected M of 'mat1' (dimension 0) to be 128, but got 64}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%alpha)
      ins(%mat1, %mat2 : tensor<64x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<128x160xf16, #bsr>) -> tensor<128x160xf16, #bsr>
  return
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 16 : dense,
    j floordiv 32 : compressed, i mod 16 : dense, j mod 32 : dense)}>

func.func @c7_encoded(%alpha: f32, %mat1: tensor<128x96xf16>, %mat2: tensor<96x192xf16>,
    %out: tensor<128x160xf16, #bsr>) {
  // expected-error @below {{expected N of 'mat2' (dimension 1) to be 160, but got 192}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%alpha)
      ins(%mat1, %mat2 : tensor<128x96xf16>, tensor<96x192xf16>)
      outs(%out : tensor<128x160xf16, #bsr>) -> tensor<128x160xf16, #bsr>
  return
}

// -----

#batch = #sparse_tensor.encoding<{map = (n, i, j) -> (n : batch, i floordiv 16 : dense,
    j floordiv 32 : compressed, i mod 16 : dense, j mod 32 : dense)}>

func.func @c10_encoded(%alpha: f32, %mat1: tensor<2x128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<3x128x160xf16, #batch>) {
  // expected-error @below {{expected batch dimension 0 of 'mat1' to be 1 or 3, but got 2}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%alpha)
      ins(%mat1, %mat2 : tensor<2x128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<3x128x160xf16, #batch>) -> tensor<3x128x160xf16, #batch>
  return
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 16 : dense,
    j floordiv 32 : compressed, i mod 16 : dense, j mod 32 : dense)}>

func.func @c11_encoded(%alpha: f32, %mat1: tensor<128x96xf16>, %mat2: tensor<96x160xf16>,
    %out: tensor<128x160xf16, #bsr>) {
  // expected-error @below {{expected the result to have the type of 'out'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%alpha)
      ins(%mat1, %mat2 : tensor<128x96xf16>, tensor<96x160xf16>)
      outs(%out : tensor<128x160xf16, #bsr>) -> tensor<20x16x32xf16>
  return
}

// -----

func.func @c16_bytes(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
    %col: tensor<20xi32>, %mat1: tensor<128x96xf16>, %mat2: tensor<96x1000000000000000000xf16>,
    %out: tensor<20x16x32xf16>) -> tensor<20x16x32xf16> {
  // expected-error @below {{expected 'mat2' of less than 2^63 bytes, but got 'tensor<96x1000000000000000000xf16>'}}
  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<20xi32>, tensor<128x96xf16>, tensor<96x1000000000000000000xf16>)
      outs(%out : tensor<20x16x32xf16>) -> tensor<20x16x32xf16>
  return %0 : tensor<20x16x32xf16>
}
