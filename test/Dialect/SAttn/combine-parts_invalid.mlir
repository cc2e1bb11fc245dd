// RUN: sparse-opt %s --split-input-file --verify-diagnostics
// Each function breaks one constraint of the op's description.

// -----

func.func @c1_out(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<?x64xf32>, %lse: tensor<?xf32>, %out: tensor<64xbf16>) {
  // expected-error @below {{expected 'out' of rank at least 2, but got 'tensor<64xbf16>'}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<?x64xf32>, tensor<?xf32>)
      outs(%out : tensor<64xbf16>) {block_rows = 64} -> tensor<64xbf16>
  return
}

// -----

func.func @c1_crow(%blocks: index, %crow: tensor<2x?xi32>, %partial: tensor<?x64xf32>, %lse: tensor<?xf32>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'crow' of rank 1 to 1, but got 'tensor<2x?xi32>'}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<2x?xi32>, tensor<?x64xf32>, tensor<?xf32>)
      outs(%out : tensor<?x64xbf16>) {block_rows = 64} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c1_partial(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<2x?x64xf32>, %lse: tensor<?xf32>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'partial' of rank 2, but got 'tensor<2x?x64xf32>'}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<2x?x64xf32>, tensor<?xf32>)
      outs(%out : tensor<?x64xbf16>) {block_rows = 64} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c1_lse(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<?x64xf32>, %lse: tensor<2x?xf32>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'lse' of rank 1, but got 'tensor<2x?xf32>'}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<?x64xf32>, tensor<2x?xf32>)
      outs(%out : tensor<?x64xbf16>) {block_rows = 64} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c2_crow(%blocks: index, %crow: tensor<?xi16>, %partial: tensor<?x64xf32>, %lse: tensor<?xf32>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected element type i32 or i64 of 'crow', but got 'i16'}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi16>, tensor<?x64xf32>, tensor<?xf32>)
      outs(%out : tensor<?x64xbf16>) {block_rows = 64} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c2_partial(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<?x64xbf16>, %lse: tensor<?xf32>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected element type f32 of 'partial', but got 'bf16'}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<?x64xbf16>, tensor<?xf32>)
      outs(%out : tensor<?x64xbf16>) {block_rows = 64} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c2_lse(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<?x64xf32>, %lse: tensor<?xf64>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected element type f32 of 'lse', but got 'f64'}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<?x64xf32>, tensor<?xf64>)
      outs(%out : tensor<?x64xbf16>) {block_rows = 64} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c2_out(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<?x64xf32>, %lse: tensor<?xf32>, %out: tensor<?x64xf64>) {
  // expected-error @below {{expected element type f16, bf16 or f32 of 'out', but got 'f64'}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<?x64xf32>, tensor<?xf32>)
      outs(%out : tensor<?x64xf64>) {block_rows = 64} -> tensor<?x64xf64>
  return
}

// -----

func.func @c3_dynamic(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<?x64xf32>, %lse: tensor<?xf32>, %out: tensor<?x?xbf16>) {
  // expected-error @below {{expected E to be static and positive, but got 'tensor<?x64xf32>' and 'tensor<?x?xbf16>'}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<?x64xf32>, tensor<?xf32>)
      outs(%out : tensor<?x?xbf16>) {block_rows = 64} -> tensor<?x?xbf16>
  return
}

// -----

func.func @c3_partial(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<?x?xf32>, %lse: tensor<?xf32>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected E to be static and positive, but got 'tensor<?x?xf32>' and 'tensor<?x64xbf16>'}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<?x?xf32>, tensor<?xf32>)
      outs(%out : tensor<?x64xbf16>) {block_rows = 64} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c3_empty(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<?x64xf32>, %lse: tensor<?xf32>, %out: tensor<?x0xbf16>) {
  // expected-error @below {{expected E to be static and positive, but got 'tensor<?x64xf32>' and 'tensor<?x0xbf16>'}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<?x64xf32>, tensor<?xf32>)
      outs(%out : tensor<?x0xbf16>) {block_rows = 64} -> tensor<?x0xbf16>
  return
}

// -----

func.func @c3_rows(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<?x64xf32>, %lse: tensor<?xf32>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 'block_rows' to be a positive multiple of 8, but got 12}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<?x64xf32>, tensor<?xf32>)
      outs(%out : tensor<?x64xbf16>) {block_rows = 12} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c4_multiple(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<?x64xf32>, %lse: tensor<64xf32>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected rows of 'lse' to be a multiple of 128, but got 64}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<?x64xf32>, tensor<64xf32>)
      outs(%out : tensor<?x64xbf16>) {block_rows = 64} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c4_rows(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<128x64xf32>, %lse: tensor<256xf32>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected rows of 'partial' (dimension 0) to be 256, but got 128}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<128x64xf32>, tensor<256xf32>)
      outs(%out : tensor<?x64xbf16>) {block_rows = 64} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c4_e(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<?x32xf32>, %lse: tensor<?xf32>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected E of 'partial' (dimension 1) to be 64, but got 32}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<?x32xf32>, tensor<?xf32>)
      outs(%out : tensor<?x64xbf16>) {block_rows = 64} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c4_m(%blocks: index, %crow: tensor<5xi32>, %partial: tensor<?x64xf32>, %lse: tensor<?xf32>, %out: tensor<320x64xbf16>) {
  // expected-error @below {{expected M of 'out' (dimension 0) to be 256, but got 320}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<5xi32>, tensor<?x64xf32>, tensor<?xf32>)
      outs(%out : tensor<320x64xbf16>) {block_rows = 64} -> tensor<320x64xbf16>
  return
}

// -----

func.func @c4_batch(%blocks: index, %crow: tensor<3x?xi32>, %partial: tensor<2x?x64xf32>, %lse: tensor<2x?xf32>, %out: tensor<2x?x64xbf16>) {
  // expected-error @below {{expected batch dimension 0 of 'crow' to be 1 or 2, but got 3}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<3x?xi32>, tensor<2x?x64xf32>, tensor<2x?xf32>)
      outs(%out : tensor<2x?x64xbf16>) {block_rows = 64} -> tensor<2x?x64xbf16>
  return
}

// -----

func.func @c5(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<?x64xf32>, %lse: tensor<?xf32>, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected the result to have the type of 'out', 'tensor<?x64xbf16>', but got 'tensor<64x64xbf16>'}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<?x64xf32>, tensor<?xf32>)
      outs(%out : tensor<?x64xbf16>) {block_rows = 64} -> tensor<64x64xbf16>
  return
}

// -----

func.func @c6(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<?x64xf32>, %lse: tensor<?xf32>, %i: index, %out: tensor<?x64xbf16>) {
  // expected-error @below {{expected 4 numbers in 'origin', but got 1}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<?x64xf32>, tensor<?xf32>)
      origin(%i) outs(%out : tensor<?x64xbf16>) {block_rows = 64} -> tensor<?x64xbf16>
  return
}

// -----

func.func @c4_batch_of_partial(%blocks: index, %crow: tensor<?xi32>, %partial: tensor<1x?x64xf32>, %lse: tensor<2x?xf32>, %out: tensor<2x?x64xbf16>) {
  // expected-error @below {{expected the batch dimensions of 'out' of 'partial', but got 'tensor<1x?x64xf32>'}}
  sattn.combine_parts blocks(%blocks) ins(%crow, %partial, %lse : tensor<?xi32>, tensor<1x?x64xf32>, tensor<2x?xf32>)
      outs(%out : tensor<2x?x64xbf16>) {block_rows = 64} -> tensor<2x?x64xbf16>
  return
}
