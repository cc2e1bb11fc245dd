// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @c1_indices(%tile: tensor<64x64xf32>, %dest: memref<?x?xf32>,
                      %i: index) {
  // expected-error @below {{expected 2 indices, but got 3}}
  wgtile.store %tile, %dest[%i, %i, %i] in_bounds [true, true]
      : tensor<64x64xf32>, memref<?x?xf32>
  return
}

// -----

func.func @c2_element_type(%tile: tensor<64x64xf32>, %dest: memref<?x?xf16>,
                           %i: index) {
  // expected-error @below {{expected a tile of element type 'f16', but got 'f32'}}
  wgtile.store %tile, %dest[%i, %i] in_bounds [true, true]
      : tensor<64x64xf32>, memref<?x?xf16>
  return
}

// -----

func.func @c3_rank(%tile: tensor<1x64x64xf32>, %dest: memref<?x?x?xf32>,
                   %i: index) {
  // expected-error @below {{expected a tile of static sizes and rank 1 to 2, but got 'tensor<1x64x64xf32>'}}
  wgtile.store %tile, %dest[%i, %i, %i] in_bounds [true, true, true]
      : tensor<1x64x64xf32>, memref<?x?x?xf32>
  return
}

// -----

func.func @c3_rank_of_destination(%tile: tensor<64x64xf32>,
                                  %dest: memref<?xf32>, %i: index) {
  // expected-error @below {{expected a tile of static sizes and rank}}
  wgtile.store %tile, %dest[%i] in_bounds [true, true]
      : tensor<64x64xf32>, memref<?xf32>
  return
}

// -----

func.func @c3_dynamic(%tile: tensor<?x64xf32>, %dest: memref<?x?xf32>,
                      %i: index) {
  // expected-error @below {{expected a tile of static sizes and rank 1 to 2, but got 'tensor<?x64xf32>'}}
  wgtile.store %tile, %dest[%i, %i] in_bounds [true, true]
      : tensor<?x64xf32>, memref<?x?xf32>
  return
}

// -----

func.func @c3_in_bounds(%tile: tensor<64x64xf32>, %dest: memref<?x?xf32>,
                        %i: index) {
  // expected-error @below {{expected 2 entries of in_bounds, but got 3}}
  wgtile.store %tile, %dest[%i, %i] in_bounds [true, true, true]
      : tensor<64x64xf32>, memref<?x?xf32>
  return
}

// -----

func.func @c4(%vector: tensor<64xf32>, %dest: memref<?x?xf32>, %i: index) {
  // expected-error @below {{expected a tile of rank 2 with 'transposed', but got 'tensor<64xf32>'}}
  wgtile.store %vector, %dest[%i, %i] in_bounds [true] transposed
      : tensor<64xf32>, memref<?x?xf32>
  return
}
