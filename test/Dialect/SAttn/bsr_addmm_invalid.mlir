// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @c1_rank_of_out(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                          %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                          %b: tensor<?x?xbf16>, %out: tensor<?xbf16>)
    -> tensor<?xbf16> {
  // expected-error @below {{expected 'out' of rank at least 2, but got 'tensor<?xbf16>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?xbf16>)
      -> tensor<?xbf16>
  return %0 : tensor<?xbf16>
}

// -----

func.func @c1_rank_of_crow(%alpha: f32, %beta: f32, %crow: tensor<2x?xi32>,
                           %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                           %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected 'crow' of rank 1 to 1, but got 'tensor<2x?xi32>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<2x?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c1_rank_of_col(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                          %col: tensor<i32>, %values: tensor<?x64x64xbf16>,
                          %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected 'col' of rank 1 to 1, but got 'tensor<i32>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<i32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c1_rank_of_values(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                             %col: tensor<?xi32>, %values: tensor<64x64xbf16>,
                             %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected 'values' of rank 3 to 3, but got 'tensor<64x64xbf16>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c1_rank_of_b(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                        %b: tensor<2x3x?x?xbf16>, %out: tensor<3x?x?xbf16>)
    -> tensor<3x?x?xbf16> {
  // expected-error @below {{expected 'b' of rank 2 to 3, but got 'tensor<2x3x?x?xbf16>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<2x3x?x?xbf16>)
      outs(%out : tensor<3x?x?xbf16>)
      -> tensor<3x?x?xbf16>
  return %0 : tensor<3x?x?xbf16>
}

// -----

func.func @c1_rank_of_input(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                            %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                            %b: tensor<?x?xbf16>, %input: tensor<?xbf16>,
                            %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected 'input' of rank 2 to 2, but got 'tensor<?xbf16>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c1_rank_of_left(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                           %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                           %b: tensor<?x?xbf16>, %left: tensor<2x3x?xbf16>,
                           %out: tensor<3x?x?xbf16>)
    -> tensor<3x?x?xbf16> {
  // expected-error @below {{expected 'left' of rank 1 to 2, but got 'tensor<2x3x?xbf16>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<2x3x?xbf16>)
      outs(%out : tensor<3x?x?xbf16>)
      -> tensor<3x?x?xbf16>
  return %0 : tensor<3x?x?xbf16>
}

// -----

func.func @c1_rank_of_right(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                            %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                            %b: tensor<?x?xbf16>, %right: tensor<f32>,
                            %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected 'right' of rank 1 to 1, but got 'tensor<f32>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      right(%right : tensor<f32>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c1_batch_rank_of_col(%alpha: f32, %beta: f32, %crow: tensor<3x?xi32>,
                                %col: tensor<?xi32>,
                                %values: tensor<3x?x64x64xbf16>,
                                %b: tensor<?x?xbf16>, %out: tensor<3x?x?xbf16>)
    -> tensor<3x?x?xbf16> {
  // expected-error @below {{expected 'col' to have the batch rank of 'crow', 1, but got 0}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<3x?xi32>, tensor<?xi32>,
          tensor<3x?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<3x?x?xbf16>)
      -> tensor<3x?x?xbf16>
  return %0 : tensor<3x?x?xbf16>
}

// -----

func.func @c1_batch_rank_of_values(%alpha: f32, %beta: f32,
                                   %crow: tensor<?xi32>, %col: tensor<?xi32>,
                                   %values: tensor<3x?x64x64xbf16>,
                                   %b: tensor<?x?xbf16>,
                                   %out: tensor<3x?x?xbf16>)
    -> tensor<3x?x?xbf16> {
  // expected-error @below {{expected 'values' to have the batch rank of 'crow', 0, but got 1}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<3x?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<3x?x?xbf16>)
      -> tensor<3x?x?xbf16>
  return %0 : tensor<3x?x?xbf16>
}

// -----

func.func @c2_type_of_crow(%alpha: f32, %beta: f32, %crow: tensor<?xi16>,
                           %col: tensor<?xi16>, %values: tensor<?x64x64xbf16>,
                           %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected element type i32 or i64 of 'crow', but got 'i16'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi16>, tensor<?xi16>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c2_index_type_of_crow(%alpha: f32, %beta: f32,
                                 %crow: tensor<?xindex>, %col: tensor<?xindex>,
                                 %values: tensor<?x64x64xbf16>,
                                 %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected element type i32 or i64 of 'crow', but got 'index'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xindex>, tensor<?xindex>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c2_unsigned_type_of_crow(%alpha: f32, %beta: f32,
                                    %crow: tensor<?xui32>, %col: tensor<?xui32>,
                                    %values: tensor<?x64x64xbf16>,
                                    %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected element type i32 or i64 of 'crow', but got 'ui32'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xui32>, tensor<?xui32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c2_type_of_col(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                          %col: tensor<?xi64>, %values: tensor<?x64x64xbf16>,
                          %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected element type 'i32' of 'col', but got 'i64'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi64>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c3_type_of_b(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                        %b: tensor<?x?xf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected element type 'bf16' of 'b', but got 'f16'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c3_type_of_input(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                            %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                            %b: tensor<?x?xbf16>, %input: tensor<?x?xf32>,
                            %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected element type 'bf16' of 'input', but got 'f32'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x?xf32>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c3_type_of_b_of_integers(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xi8>, %b: tensor<?x?xf8E5M2>, %out: tensor<?x?xi32>)
    -> tensor<?x?xi32> {
  // expected-error @below {{expected element type 'i8' of 'b', but got 'f8E5M2'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xi8>, tensor<?x?xf8E5M2>)
      outs(%out : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// -----

// Of 8-bit floats both kinds are taken, and no other.
func.func @c3_type_of_b_of_floats(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xf8E4M3FN>, %b: tensor<?x?xf8E5M2>, %c: tensor<?x?xbf16>,
    %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf8E4M3FN>, tensor<?x?xf8E5M2>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  // expected-error @below {{expected element type f8E4M3FN or f8E5M2 of 'b', but got 'bf16'}}
  %1 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %c : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf8E4M3FN>, tensor<?x?xbf16>)
      outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

func.func @c3_type_of_input_of_integers(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xi8>, %b: tensor<?x?xi8>, %input: tensor<?x?xi8>,
    %out: tensor<?x?xi32>) -> tensor<?x?xi32> {
  // expected-error @below {{expected element type 'i32' of 'input', but got 'i8'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xi8>, tensor<?x?xi8>)
      input(%input : tensor<?x?xi8>)
      outs(%out : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// -----

func.func @c4_type_of_out_of_integers(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xi8>, %b: tensor<?x?xi8>, %out: tensor<?x?xi8>)
    -> tensor<?x?xi8> {
  // expected-error @below {{expected element type i32, bf16 or f32 of 'out' with 'values' of 'i8', but got 'i8'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xi8>, tensor<?x?xi8>)
      outs(%out : tensor<?x?xi8>) -> tensor<?x?xi8>
  return %0 : tensor<?x?xi8>
}

// -----

func.func @c4_type_of_out_of_floats(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xf8E5M2>, %b: tensor<?x?xf8E5M2>, %out: tensor<?x?xf16>)
    -> tensor<?x?xf16> {
  // expected-error @below {{expected element type bf16 or f32 of 'out' with 'values' of 'f8E5M2', but got 'f16'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf8E5M2>, tensor<?x?xf8E5M2>)
      outs(%out : tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// -----

func.func @c5_type_of_left_of_integers(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
    %col: tensor<?xi32>, %values: tensor<?x64x64xi8>, %b: tensor<?x?xi8>, %left: tensor<?xi8>,
    %out: tensor<?x?xi32>) -> tensor<?x?xi32> {
  // expected-error @below {{expected element type 'f32' of 'left', but got 'i8'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xi8>, tensor<?x?xi8>)
      left(%left : tensor<?xi8>)
      outs(%out : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// -----

func.func @c4_type_of_values(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                             %col: tensor<?xi32>, %values: tensor<?x64x64xi16>,
                             %b: tensor<?x?xi16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected element type f16, bf16, f32, f64, i8, f8E4M3FN or f8E5M2 of 'values', but got 'i16'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xi16>, tensor<?x?xi16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c4_out_of_f64(%alpha: f64, %beta: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xf64>, %b: tensor<?x?xf64>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{expected element type f64 of 'out' with 'values' of 'f64', but got 'f32'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf64>, tensor<?x?xf64>)
      outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @c4_f64_of_f32(%alpha: f32, %beta: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xf32>, %b: tensor<?x?xf32>, %out: tensor<?x?xf64>) -> tensor<?x?xf64> {
  // expected-error @below {{expected element type f16, bf16 or f32 of 'out', but got 'f64'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf32>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// -----

func.func @c3_b_of_f64(%alpha: f64, %beta: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xf64>, %b: tensor<?x?xf32>, %out: tensor<?x?xf64>) -> tensor<?x?xf64> {
  // expected-error @below {{expected element type 'f64' of 'b', but got 'f32'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf64>, tensor<?x?xf32>)
      outs(%out : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// -----

func.func @c5_left_of_f64(%alpha: f64, %beta: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xf64>, %b: tensor<?x?xf64>, %left: tensor<?xf16>, %out: tensor<?x?xf64>) -> tensor<?x?xf64> {
  // expected-error @below {{expected element type 'f64' or f32 of 'left', but got 'f16'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf64>, tensor<?x?xf64>)
      left(%left : tensor<?xf16>) outs(%out : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// -----

func.func @c18_alpha(%alpha: f32, %beta: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xf64>, %b: tensor<?x?xf64>, %out: tensor<?x?xf64>) -> tensor<?x?xf64> {
  // expected-error @below {{failed to verify that 'alpha' is f64 with 'values' of f64, else f32}}
  %0 = "sattn.bsr_addmm"(%alpha, %beta, %crow, %col, %values, %b, %out)
      <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1>}>
      : (f32, f64, tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf64>, tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// -----

func.func @c18_beta(%alpha: f32, %beta: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xi8>, %b: tensor<?x?xi8>, %out: tensor<?x?xi32>) -> tensor<?x?xi32> {
  // expected-error @below {{failed to verify that 'beta' is f64 with 'values' of f64, else f32}}
  %0 = "sattn.bsr_addmm"(%alpha, %beta, %crow, %col, %values, %b, %out)
      <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1>}>
      : (f32, f64, tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xi8>, tensor<?x?xi8>, tensor<?x?xi32>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// -----

// The text has no type of its own for scalars.
// expected-note @below {{prior use here}}
func.func @c18_text(%alpha: f32, %beta: f64, %crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xf64>, %b: tensor<?x?xf64>, %out: tensor<?x?xf64>) {
  // expected-error @below {{use of value '%alpha' expects different type than prior uses: 'f64' vs 'f32'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xf64>, tensor<?x?xf64>)
      outs(%out : tensor<?x?xf64>) -> tensor<?x?xf64>
  return
}

// -----

func.func @c4_type_of_out(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                          %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                          %b: tensor<?x?xbf16>, %out: tensor<?x?xi32>)
    -> tensor<?x?xi32> {
  // expected-error @below {{expected element type f16, bf16 or f32 of 'out', but got 'i32'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xi32>)
      -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// -----

func.func @c5_type_of_left(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                           %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                           %b: tensor<?x?xbf16>, %left: tensor<?xf16>,
                           %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected element type 'bf16' or f32 of 'left', but got 'f16'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<?xf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

// Where the values are f32, there is only one choice.
func.func @c5_type_of_right(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                            %col: tensor<?xi32>, %values: tensor<?x64x64xf32>,
                            %b: tensor<?x?xf32>, %right: tensor<?xf16>,
                            %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected element type 'f32' of 'right', but got 'f16'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf32>, tensor<?x?xf32>)
      right(%right : tensor<?xf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c6_block_rows(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x12x64xbf16>,
                         %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected static block sizes that are positive multiples of 8, but got 'tensor<?x12x64xbf16>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x12x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c6_block_columns(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                            %col: tensor<?xi32>, %values: tensor<?x64x20xbf16>,
                            %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected static block sizes that are positive multiples of 8, but got 'tensor<?x64x20xbf16>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x20xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c6_dynamic_block(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                            %col: tensor<?xi32>, %values: tensor<?x64x?xbf16>,
                            %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected static block sizes that are positive multiples of 8, but got 'tensor<?x64x?xbf16>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c6_empty_block(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                          %col: tensor<?xi32>, %values: tensor<?x0x64xbf16>,
                          %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected static block sizes that are positive multiples of 8, but got 'tensor<?x0x64xbf16>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x0x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c7_size_of_crow(%alpha: f32, %beta: f32, %crow: tensor<0xi32>,
                           %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                           %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected 'crow' of at least one entry, but got 'tensor<0xi32>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<0xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c7_m_of_out(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
                       %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                       %b: tensor<?x?xbf16>, %out: tensor<448x?xbf16>)
    -> tensor<448x?xbf16> {
  // expected-error @below {{expected M of 'out' (dimension 0) to be 512, but got 448}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<448x?xbf16>)
      -> tensor<448x?xbf16>
  return %0 : tensor<448x?xbf16>
}

// -----

func.func @c7_m_of_out_in_a_batch(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
                                  %col: tensor<?xi32>,
                                  %values: tensor<?x64x64xbf16>,
                                  %b: tensor<?x?xbf16>,
                                  %out: tensor<3x448x?xbf16>)
    -> tensor<3x448x?xbf16> {
  // expected-error @below {{expected M of 'out' (dimension 1) to be 512, but got 448}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<3x448x?xbf16>)
      -> tensor<3x448x?xbf16>
  return %0 : tensor<3x448x?xbf16>
}

// -----

func.func @c7_m_is_no_multiple(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                               %col: tensor<?xi32>,
                               %values: tensor<?x64x64xbf16>,
                               %b: tensor<?x?xbf16>, %out: tensor<500x?xbf16>)
    -> tensor<500x?xbf16> {
  // expected-error @below {{expected M of 'out' to be a multiple of the block's 64 rows, but got 500}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<500x?xbf16>)
      -> tensor<500x?xbf16>
  return %0 : tensor<500x?xbf16>
}

// -----

func.func @c7_m_of_input(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                         %b: tensor<?x?xbf16>, %input: tensor<64x?xbf16>,
                         %out: tensor<512x?xbf16>)
    -> tensor<512x?xbf16> {
  // expected-error @below {{expected M of 'input' (dimension 0) to be 512, but got 64}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<64x?xbf16>)
      outs(%out : tensor<512x?xbf16>)
      -> tensor<512x?xbf16>
  return %0 : tensor<512x?xbf16>
}

// -----

func.func @c7_m_of_input_by_crow(%alpha: f32, %beta: f32, %crow: tensor<9xi32>,
                                 %col: tensor<?xi32>,
                                 %values: tensor<?x64x64xbf16>,
                                 %b: tensor<?x?xbf16>,
                                 %input: tensor<64x?xbf16>,
                                 %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected M of 'input' (dimension 0) to be 512, but got 64}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<64x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c7_m_of_left(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                        %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                        %b: tensor<?x?xbf16>, %left: tensor<3x576xbf16>,
                        %out: tensor<3x512x?xbf16>)
    -> tensor<3x512x?xbf16> {
  // expected-error @below {{expected M of 'left' (dimension 1) to be 512, but got 576}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<3x576xbf16>)
      outs(%out : tensor<3x512x?xbf16>)
      -> tensor<3x512x?xbf16>
  return %0 : tensor<3x512x?xbf16>
}

// -----

func.func @c8_n_of_b(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                     %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                     %b: tensor<?x95xbf16>, %out: tensor<?x96xbf16>)
    -> tensor<?x96xbf16> {
  // expected-error @below {{expected N of 'b' (dimension 1) to be 96, but got 95}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x95xbf16>)
      outs(%out : tensor<?x96xbf16>)
      -> tensor<?x96xbf16>
  return %0 : tensor<?x96xbf16>
}

// -----

func.func @c8_n_of_input(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                         %b: tensor<?x?xbf16>, %input: tensor<?x1xbf16>,
                         %out: tensor<?x96xbf16>)
    -> tensor<?x96xbf16> {
  // expected-error @below {{expected N of 'input' (dimension 1) to be 96, but got 1}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      input(%input : tensor<?x1xbf16>)
      outs(%out : tensor<?x96xbf16>)
      -> tensor<?x96xbf16>
  return %0 : tensor<?x96xbf16>
}

// -----

func.func @c8_n_of_right(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                         %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                         %b: tensor<?x?xbf16>, %right: tensor<1x97xf32>,
                         %out: tensor<3x?x96xbf16>)
    -> tensor<3x?x96xbf16> {
  // expected-error @below {{expected N of 'right' (dimension 1) to be 96, but got 97}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      right(%right : tensor<1x97xf32>)
      outs(%out : tensor<3x?x96xbf16>)
      -> tensor<3x?x96xbf16>
  return %0 : tensor<3x?x96xbf16>
}

// -----

func.func @c9_k_of_b(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                     %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                     %b: tensor<96x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected K of 'b' (dimension 0) to be a multiple of the block's 64 columns, but got 96}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<96x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c10_nnz(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                   %col: tensor<7xi32>, %values: tensor<8x64x64xbf16>,
                   %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected nnz of 'values' (dimension 0) to be 7, but got 8}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<7xi32>,
          tensor<8x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c10_nnz_in_a_batch(%alpha: f32, %beta: f32, %crow: tensor<1x?xi32>,
                              %col: tensor<1x7xi32>,
                              %values: tensor<1x8x64x64xbf16>,
                              %b: tensor<?x?xbf16>, %out: tensor<3x?x?xbf16>)
    -> tensor<3x?x?xbf16> {
  // expected-error @below {{expected nnz of 'values' (dimension 1) to be 7, but got 8}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<1x?xi32>, tensor<1x7xi32>,
          tensor<1x8x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<3x?x?xbf16>)
      -> tensor<3x?x?xbf16>
  return %0 : tensor<3x?x?xbf16>
}

// -----

func.func @c11_batch_of_crow(%alpha: f32, %beta: f32, %crow: tensor<2x?xi32>,
                             %col: tensor<2x?xi32>,
                             %values: tensor<2x?x64x64xbf16>,
                             %b: tensor<?x?xbf16>, %out: tensor<3x?x?xbf16>)
    -> tensor<3x?x?xbf16> {
  // expected-error @below {{expected batch dimension 0 of 'crow' to be 1 or 3, but got 2}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<2x?xi32>, tensor<2x?xi32>,
          tensor<2x?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<3x?x?xbf16>)
      -> tensor<3x?x?xbf16>
  return %0 : tensor<3x?x?xbf16>
}

// -----

func.func @c11_batch_of_values(%alpha: f32, %beta: f32, %crow: tensor<3x?xi32>,
                               %col: tensor<3x?xi32>,
                               %values: tensor<2x?x64x64xbf16>,
                               %b: tensor<?x?xbf16>, %out: tensor<3x?x?xbf16>)
    -> tensor<3x?x?xbf16> {
  // expected-error @below {{expected batch dimension 0 of 'values' to be 1 or 3, but got 2}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<3x?xi32>, tensor<3x?xi32>,
          tensor<2x?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<3x?x?xbf16>)
      -> tensor<3x?x?xbf16>
  return %0 : tensor<3x?x?xbf16>
}

// -----

func.func @c11_batch_of_b(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                          %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                          %b: tensor<3x3x?x?xbf16>, %out: tensor<3x4x?x?xbf16>)
    -> tensor<3x4x?x?xbf16> {
  // expected-error @below {{expected batch dimension 1 of 'b' to be 1 or 4, but got 3}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<3x3x?x?xbf16>)
      outs(%out : tensor<3x4x?x?xbf16>)
      -> tensor<3x4x?x?xbf16>
  return %0 : tensor<3x4x?x?xbf16>
}

// -----

func.func @c11_batches_are_aligned_at_the_last(%alpha: f32, %beta: f32,
                                               %crow: tensor<?xi32>,
                                               %col: tensor<?xi32>,
                                               %values: tensor<?x64x64xbf16>,
                                               %b: tensor<3x?x?xbf16>,
                                               %out: tensor<3x4x?x?xbf16>)
    -> tensor<3x4x?x?xbf16> {
  // expected-error @below {{expected batch dimension 0 of 'b' to be 1 or 4, but got 3}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<3x?x?xbf16>)
      outs(%out : tensor<3x4x?x?xbf16>)
      -> tensor<3x4x?x?xbf16>
  return %0 : tensor<3x4x?x?xbf16>
}

// -----

// out does not broadcast.
func.func @c11_batch_of_out_is_full(%alpha: f32, %beta: f32,
                                    %crow: tensor<?xi32>, %col: tensor<?xi32>,
                                    %values: tensor<?x64x64xbf16>,
                                    %b: tensor<3x?x?xbf16>,
                                    %out: tensor<1x?x?xbf16>)
    -> tensor<1x?x?xbf16> {
  // expected-error @below {{expected batch dimension 0 of 'b' to be 1 or 1, but got 3}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<3x?x?xbf16>)
      outs(%out : tensor<1x?x?xbf16>)
      -> tensor<1x?x?xbf16>
  return %0 : tensor<1x?x?xbf16>
}

// -----

func.func @c11_batch_of_left(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                             %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                             %b: tensor<?x?xbf16>, %left: tensor<2x?xbf16>,
                             %out: tensor<3x?x?xbf16>)
    -> tensor<3x?x?xbf16> {
  // expected-error @below {{expected batch dimension 0 of 'left' to be 1 or 3, but got 2}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      left(%left : tensor<2x?xbf16>)
      outs(%out : tensor<3x?x?xbf16>)
      -> tensor<3x?x?xbf16>
  return %0 : tensor<3x?x?xbf16>
}

// -----

func.func @c12_type_of_result(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                              %col: tensor<?xi32>,
                              %values: tensor<?x64x64xbf16>,
                              %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<512x?xbf16> {
  // expected-error @below {{expected the result to have the type of 'out', 'tensor<?x?xbf16>', but got 'tensor<512x?xbf16>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      -> tensor<512x?xbf16>
  return %0 : tensor<512x?xbf16>
}

// -----

func.func @c13_tile_m(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected the tile's M to be a multiple of the block's 64 rows or, as a multiple of 8, a divisor of them, but got 96}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [96, 128, 64]>}
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c13_tile_n(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected the tile's N to be a multiple of 8, but got 100}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 100, 64]>}
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c13_size_m(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected the tile's M to be at most 65536, but got 9223372036854775744}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [9223372036854775744, 128, 64]>}
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c13_size_n(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected the tile's N to be at most 65536, but got 65544}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 65544, 64]>}
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c13_size_k(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected the tile's K to be at most 65536, but got 65600}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 64, 65600]>}
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c13_elements(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected the tile's M x N and K x N to be at most 67108864 elements, but got 65536 x 1032 and 64 x 1032}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [65536, 1032, 64]>}
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c13_tile_k(%alpha: f32, %beta: f32, %crow: tensor<?xi32>,
                      %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
                      %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected the tile's K to divide the block's 64 columns, but got 48}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 48]>}
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @c13_tile_k_of_two_blocks(%alpha: f32, %beta: f32,
                                    %crow: tensor<?xi32>, %col: tensor<?xi32>,
                                    %values: tensor<?x64x64xbf16>,
                                    %b: tensor<?x?xbf16>,
                                    %out: tensor<?x?xbf16>)
    -> tensor<?x?xbf16> {
  // expected-error @below {{expected the tile's K to divide the block's 64 columns, but got 128}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>)
      {meta = #sattn.meta<tile = [64, 128, 128]>}
      -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// -----

func.func @operand_count(%alpha: f32, %crow: tensor<?xi32>,
                         %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>,
                         %out: tensor<?x?xbf16>) {
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      // expected-error @below {{expected 2 operands, or 4 with crow and col before them, and as many types, but got 3 and 3}}
      ins(%crow, %values, %b : tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return
}

// -----

func.func @c16_not_encoded(%alpha: f32, %a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
                           %out: tensor<?x?xbf16>) {
  // expected-error @below {{expected 'values' to be a matrix of blocks: expected a matrix in an encoding of sparse_tensor, in 'tensor<?x?xbf16>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return
}

// -----

#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @c16_levels(%alpha: f32, %a: tensor<?x?xbf16, #csr>, %b: tensor<?x?xbf16>,
                      %out: tensor<?x?xbf16>) {
  // expected-error @below {{expected 'values' to be a matrix of blocks: expected levels (i floordiv BM : dense}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%a, %b : tensor<?x?xbf16, #csr>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>
func.func @c16_other_operand(%alpha: f32, %a: tensor<?x?xbf16, #bsr>, %b: tensor<?x?xbf16, #bsr>,
                             %out: tensor<?x?xbf16>) {
  // expected-error @below {{expected an encoding of no operand but 'values' without 'crow' and 'col', but got}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%a, %b : tensor<?x?xbf16, #bsr>, tensor<?x?xbf16, #bsr>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>
func.func @c7_encoded_m(%alpha: f32, %a: tensor<512x?xbf16, #bsr>, %b: tensor<?x?xbf16>,
                        %out: tensor<256x?xbf16>) {
  // expected-error @below {{expected M of 'out' (dimension 0) to be 512, but got 256}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%a, %b : tensor<512x?xbf16, #bsr>, tensor<?x?xbf16>)
      outs(%out : tensor<256x?xbf16>) -> tensor<256x?xbf16>
  return
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>
func.func @c9_encoded_k(%alpha: f32, %a: tensor<?x512xbf16, #bsr>, %b: tensor<256x?xbf16>,
                        %out: tensor<?x?xbf16>) {
  // expected-error @below {{expected K of 'b' (dimension 0) to be 512, but got 256}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%a, %b : tensor<?x512xbf16, #bsr>, tensor<256x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return
}

// -----

#bsr = #sparse_tensor.encoding<{map = (i, j) -> (i floordiv 4 : dense, j floordiv 64 : compressed, i mod 4 : dense, j mod 64 : dense)}>
func.func @c6_encoded(%alpha: f32, %a: tensor<?x?xbf16, #bsr>, %b: tensor<?x?xbf16>,
                      %out: tensor<?x?xbf16>) {
  // expected-error @below {{expected static block sizes that are positive multiples of 8}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%a, %b : tensor<?x?xbf16, #bsr>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return
}

// -----

#bsr = #sparse_tensor.encoding<{map = (n, i, j) -> (n : batch, i floordiv 64 : dense, j floordiv 64 : compressed, i mod 64 : dense, j mod 64 : dense)}>
func.func @c11_encoded(%alpha: f32, %a: tensor<3x?x?xbf16, #bsr>, %b: tensor<?x?xbf16>,
                       %out: tensor<2x?x?xbf16>) {
  // expected-error @below {{expected batch dimension 0 of 'values' to be 1 or 2, but got 3}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%a, %b : tensor<3x?x?xbf16, #bsr>, tensor<?x?xbf16>)
      outs(%out : tensor<2x?x?xbf16>) -> tensor<2x?x?xbf16>
  return
}

// -----

func.func @c17(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x64xbf16>,
               %b: tensor<?x9223372036854775807xbf16>, %out: tensor<?x9223372036854775807xbf16>) {
  // expected-error @below {{expected 'b' of less than 2^63 bytes, but got 'tensor<?x9223372036854775807xbf16>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%crow, %col, %values, %b
          : tensor<?xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x9223372036854775807xbf16>)
      outs(%out : tensor<?x9223372036854775807xbf16>) -> tensor<?x9223372036854775807xbf16>
  return
}

// -----

func.func @c17_rows(%alpha: f32, %crow: tensor<1152921504606846976xi32>, %col: tensor<?xi32>,
                    %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>, %out: tensor<?x?xbf16>) {
  // expected-error @below {{expected 'crow' of less than 2^63 rows, but got 'tensor<1152921504606846976xi32>' and blocks of 64 rows}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%crow, %col, %values, %b
          : tensor<1152921504606846976xi32>, tensor<?xi32>, tensor<?x64x64xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return
}

// -----

func.func @c7_transposed(%alpha: f32, %crow: tensor<3xi32>, %col: tensor<?xi32>, %values: tensor<?x8x8xf32>,
                         %b: tensor<16x8xf32>, %out: tensor<16x24xf32>) {
  // expected-error @below {{expected M of 'out' (dimension 1) to be 16, but got 24}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>, tensor<?x8x8xf32>, tensor<16x8xf32>)
      outs(%out : tensor<16x24xf32>) {transpose_b, transpose_out} -> tensor<16x24xf32>
  return
}

// -----

func.func @c8_transposed(%alpha: f32, %crow: tensor<3xi32>, %col: tensor<?xi32>, %values: tensor<?x8x8xf32>,
                         %b: tensor<32x8xf32>, %out: tensor<4x16xf32>) {
  // expected-error @below {{expected N of 'b' (dimension 0) to be 4, but got 32}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>, tensor<?x8x8xf32>, tensor<32x8xf32>)
      outs(%out : tensor<4x16xf32>) {transpose_b, transpose_out} -> tensor<4x16xf32>
  return
}

// -----

func.func @c9_transposed(%alpha: f32, %crow: tensor<3xi32>, %col: tensor<?xi32>, %values: tensor<?x8x8xf32>,
                         %b: tensor<4x12xf32>, %out: tensor<16x4xf32>) {
  // expected-error @below {{expected K of 'b' (dimension 1) to be a multiple of the block's 8 columns, but got 12}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>, tensor<?x8x8xf32>, tensor<4x12xf32>)
      outs(%out : tensor<16x4xf32>) {transpose_b} -> tensor<16x4xf32>
  return
}

// -----

func.func @c19_order(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, %values: tensor<?x64x32xbf16>, %b: tensor<?x?xbf16>,
    %order: tensor<?xi64>, %out: tensor<?x?xbf16>) {
  // expected-error @below {{expected 'order' to have the type of 'col', 'tensor<?xi32>', but got 'tensor<?xi64>'}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%crow, %col, %values, %b : tensor<?xi32>, tensor<?xi32>, tensor<?x64x32xbf16>, tensor<?x?xbf16>)
      order(%order : tensor<?xi64>) outs(%out : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return
}

// -----

// Blocks of the matrix have 32 rows.
func.func @c7_transposed(%alpha: f32, %crow: tensor<3xi32>, %col: tensor<?xi32>, %values: tensor<?x64x32xbf16>,
    %b: tensor<?x?xbf16>, %out: tensor<128x?xbf16>) {
  // expected-error @below {{expected M of 'out' (dimension 0) to be 64, but got 128}}
  %0 = sattn.bsr_addmm alpha(%alpha) beta(%alpha)
      ins(%crow, %col, %values, %b : tensor<3xi32>, tensor<?xi32>, tensor<?x64x32xbf16>, tensor<?x?xbf16>)
      outs(%out : tensor<128x?xbf16>) {transpose_a} -> tensor<128x?xbf16>
  return
}
