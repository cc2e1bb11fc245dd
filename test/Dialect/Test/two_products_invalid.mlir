// RUN: sattn-test-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @c1_rank(%crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<?x128xbf16>, tensor<?xf32>) {
  // expected-error @below {{expected 'b' of rank 2, but got 'tensor<?xbf16>'}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}

// -----

func.func @c2_element_type_of_crow(%crow: tensor<?xi16>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<?x128xbf16>, tensor<?xf32>) {
  // expected-error @below {{expected element type i32 or i64 of 'crow', but got 'i16'}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi16>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}

// -----

func.func @c2_element_type_of_col(%crow: tensor<?xi32>, %col: tensor<?xi64>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<?x128xbf16>, tensor<?xf32>) {
  // expected-error @below {{expected element type that of 'crow' of 'col', but got 'i64'}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi64>,
          tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}

// -----

func.func @c2_element_type_of_values(%crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xf32>, %b: tensor<?x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<?x128xbf16>, tensor<?xf32>) {
  // expected-error @below {{expected element type f16 or bf16 of 'values', but got 'f32'}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xf32>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}

// -----

func.func @c2_element_type_of_d(%crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<128x128xf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<?x128xbf16>, tensor<?xf32>) {
  // expected-error @below {{expected element type that of 'values' of 'd', but got 'f16'}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}

// -----

func.func @c2_element_type_of_o(%crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xf64>, %m: tensor<?xf32>) -> (tensor<?x128xf64>, tensor<?xf32>) {
  // expected-error @below {{expected element type f16, bf16 or f32 of 'o', but got 'f64'}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xf64>, tensor<?xf32>)
      -> tensor<?x128xf64>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xf64>, tensor<?xf32>
}

// -----

func.func @c2_element_type_of_m(%crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xbf16>) -> (tensor<?x128xbf16>, tensor<?xbf16>) {
  // expected-error @below {{expected element type f32 of 'm', but got 'bf16'}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xbf16>)
      -> tensor<?x128xbf16>, tensor<?xbf16>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xbf16>
}

// -----

func.func @c3_dynamic_width(%crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<?x128xbf16>, tensor<?xf32>) {
  // expected-error @below {{expected W to be a static, positive multiple of 8}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x?xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}

// -----

func.func @c3_block(%crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x60x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<?x128xbf16>, tensor<?xf32>) {
  // expected-error @below {{expected BM to be a static, positive multiple of 8}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x60x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}

// -----

func.func @c4_width(%crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<64x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<?x128xbf16>, tensor<?xf32>) {
  // expected-error @below {{expected dimension 0 of 'd' to be 128, but got 64}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<64x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}

// -----

func.func @c4_nnz(%crow: tensor<?xi32>, %col: tensor<3xi32>,
    %values: tensor<4x64x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<?x128xbf16>, tensor<?xf32>) {
  // expected-error @below {{expected dimension 0 of 'values' to be 3, but got 4}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<3xi32>,
          tensor<4x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}

// -----

func.func @c4_rows(%crow: tensor<3xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<64x128xbf16>, %m: tensor<?xf32>) -> (tensor<64x128xbf16>, tensor<?xf32>) {
  // expected-error @below {{expected dimension 0 of 'o' to be 128, but got 64}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<3xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<64x128xbf16>, tensor<?xf32>)
      -> tensor<64x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<64x128xbf16>, tensor<?xf32>
}

// -----

func.func @c4_rows_of_m(%crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<64x128xbf16>, %m: tensor<128xf32>) -> (tensor<64x128xbf16>, tensor<128xf32>) {
  // expected-error @below {{expected dimension 0 of 'm' to be 64, but got 128}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<64x128xbf16>, tensor<128xf32>)
      -> tensor<64x128xbf16>, tensor<128xf32>
  return %0#0, %0#1 : tensor<64x128xbf16>, tensor<128xf32>
}

// -----

func.func @c4_no_entry(%crow: tensor<0xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<?x128xbf16>, tensor<?xf32>) {
  // expected-error @below {{expected 'crow' of at least one entry, but got none}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<0xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}

// -----

func.func @c4_depth(%crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<96x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<?x128xbf16>, tensor<?xf32>) {
  // expected-error @below {{expected dimension 0 of 'b' to be a multiple of 64, but got 96}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<96x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<?x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<?x128xbf16>, tensor<?xf32>
}

// -----

func.func @c5_result(%crow: tensor<?xi32>, %col: tensor<?xi32>,
    %values: tensor<?x64x64xbf16>, %b: tensor<?x128xbf16>, %d: tensor<128x128xbf16>,
    %o: tensor<?x128xbf16>, %m: tensor<?xf32>) -> (tensor<64x128xbf16>, tensor<?xf32>) {
  // expected-error @below {{expected a result of type 'tensor<?x128xbf16>', but got 'tensor<64x128xbf16>'}}
  %0:2 = sattn_test.two_products
      ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
          tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
      outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
      -> tensor<64x128xbf16>, tensor<?xf32>
  return %0#0, %0#1 : tensor<64x128xbf16>, tensor<?xf32>
}
