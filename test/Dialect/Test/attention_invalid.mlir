// RUN: sattn-test-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @c1_rank(%scale: f32, %first: index, %q: tensor<?x?x16xf32>, %k: tensor<?x16xf32>,
    %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  // expected-error @below {{expected 'k' of rank 3, but got 'tensor<?x16xf32>'}}
  %0 = sattn_test.attention scale(%scale) first(%first) tile(16, 16)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return %0 : tensor<?x?x16xf32>
}

// -----

func.func @c2_element_type(%scale: f32, %first: index, %q: tensor<?x?x16xf64>, %k: tensor<?x?x16xf64>,
    %v: tensor<?x?x16xf64>, %o: tensor<?x?x16xf64>) -> tensor<?x?x16xf64> {
  // expected-error @below {{expected element type f16, bf16 or f32, but got 'f64'}}
  %0 = sattn_test.attention scale(%scale) first(%first) tile(16, 16)
      ins(%q, %k, %v : tensor<?x?x16xf64>, tensor<?x?x16xf64>, tensor<?x?x16xf64>)
      outs(%o : tensor<?x?x16xf64>) -> tensor<?x?x16xf64>
  return %0 : tensor<?x?x16xf64>
}

// -----

func.func @c2_element_type_of_v(%scale: f32, %first: index, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>,
    %v: tensor<?x?x16xf16>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  // expected-error @below {{expected 'v' to have the element type 'f32', but got 'f16'}}
  %0 = sattn_test.attention scale(%scale) first(%first) tile(16, 16)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf16>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return %0 : tensor<?x?x16xf32>
}

// -----

func.func @c3_dynamic(%scale: f32, %first: index, %q: tensor<?x?x?xf32>, %k: tensor<?x?x16xf32>,
    %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  // expected-error @below {{expected D to be a static, positive multiple of 8}}
  %0 = sattn_test.attention scale(%scale) first(%first) tile(16, 16)
      ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return %0 : tensor<?x?x16xf32>
}

// -----

func.func @c3_columns(%scale: f32, %first: index, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>,
    %v: tensor<?x?x12xf32>, %o: tensor<?x?x12xf32>) -> tensor<?x?x12xf32> {
  // expected-error @below {{expected E to be a static, positive multiple of 8}}
  %0 = sattn_test.attention scale(%scale) first(%first) tile(16, 16)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x12xf32>)
      outs(%o : tensor<?x?x12xf32>) -> tensor<?x?x12xf32>
  return %0 : tensor<?x?x12xf32>
}

// -----

func.func @c3_queries_of_a_tile(%scale: f32, %first: index, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>,
    %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  // expected-error @below {{expected block_q to be a static, positive multiple of 8}}
  %0 = sattn_test.attention scale(%scale) first(%first) tile(20, 16)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return %0 : tensor<?x?x16xf32>
}

// -----

func.func @c3_keys_of_an_iteration(%scale: f32, %first: index, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>,
    %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  // expected-error @below {{expected block_kv to be a static, positive multiple of 8}}
  %0 = sattn_test.attention scale(%scale) first(%first) tile(16, 0)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return %0 : tensor<?x?x16xf32>
}

// -----

func.func @c4_heads(%scale: f32, %first: index, %q: tensor<2x?x16xf32>, %k: tensor<?x?x16xf32>,
    %v: tensor<3x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  // expected-error @below {{expected dimension 0 of 'v' to be 2, but got 3}}
  %0 = sattn_test.attention scale(%scale) first(%first) tile(16, 16)
      ins(%q, %k, %v : tensor<2x?x16xf32>, tensor<?x?x16xf32>, tensor<3x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return %0 : tensor<?x?x16xf32>
}

// -----

func.func @c4_queries(%scale: f32, %first: index, %q: tensor<?x40x16xf32>, %k: tensor<?x?x16xf32>,
    %v: tensor<?x?x16xf32>, %o: tensor<?x41x16xf32>) -> tensor<?x41x16xf32> {
  // expected-error @below {{expected dimension 1 of 'o' to be 40, but got 41}}
  %0 = sattn_test.attention scale(%scale) first(%first) tile(16, 16)
      ins(%q, %k, %v : tensor<?x40x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x41x16xf32>) -> tensor<?x41x16xf32>
  return %0 : tensor<?x41x16xf32>
}

// -----

func.func @c4_keys(%scale: f32, %first: index, %q: tensor<?x?x16xf32>, %k: tensor<?x40x16xf32>,
    %v: tensor<?x41x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  // expected-error @below {{expected dimension 1 of 'v' to be 40, but got 41}}
  %0 = sattn_test.attention scale(%scale) first(%first) tile(16, 16)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x40x16xf32>, tensor<?x41x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return %0 : tensor<?x?x16xf32>
}

// -----

func.func @c4_depth(%scale: f32, %first: index, %q: tensor<?x?x16xf32>, %k: tensor<?x?x24xf32>,
    %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  // expected-error @below {{expected dimension 2 of 'k' to be 16, but got 24}}
  %0 = sattn_test.attention scale(%scale) first(%first) tile(16, 16)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x24xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return %0 : tensor<?x?x16xf32>
}

// -----

func.func @c4_columns(%scale: f32, %first: index, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>,
    %v: tensor<?x?x16xf32>, %o: tensor<?x?x24xf32>) -> tensor<?x?x24xf32> {
  // expected-error @below {{expected dimension 2 of 'o' to be 16, but got 24}}
  %0 = sattn_test.attention scale(%scale) first(%first) tile(16, 16)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x24xf32>) -> tensor<?x?x24xf32>
  return %0 : tensor<?x?x24xf32>
}

// -----

func.func @c5_result(%scale: f32, %first: index, %q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>,
    %v: tensor<?x?x16xf32>, %o: tensor<?x?x16xf32>) -> tensor<1x?x16xf32> {
  // expected-error @below {{expected a result of type 'tensor<?x?x16xf32>', but got 'tensor<1x?x16xf32>'}}
  %0 = sattn_test.attention scale(%scale) first(%first) tile(16, 16)
      ins(%q, %k, %v : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      outs(%o : tensor<?x?x16xf32>) -> tensor<1x?x16xf32>
  return %0 : tensor<1x?x16xf32>
}
