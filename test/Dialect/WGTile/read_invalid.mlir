// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @c1_indices(%source: memref<?x?xf32>, %i: index) {
  // expected-error @below {{expected 2 indices, but got 1}}
  %0 = wgtile.read %source[%i] in_bounds [true, true]
      : memref<?x?xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @c2_element_type(%source: memref<?x?xf32>, %i: index) {
  // expected-error @below {{expected a tile of element type 'f32', but got 'bf16'}}
  %0 = wgtile.read %source[%i, %i] in_bounds [true, true]
      : memref<?x?xf32> -> tensor<64x64xbf16>
  return
}

// -----

func.func @c3_rank_of_tile(%source: memref<?x?x?xf32>, %i: index) {
  // expected-error @below {{expected a tile of static sizes and rank 1 to 2, but got 'tensor<2x64x64xf32>'}}
  %0 = wgtile.read %source[%i, %i, %i] in_bounds [true, true, true]
      : memref<?x?x?xf32> -> tensor<2x64x64xf32>
  return
}

// -----

func.func @c3_rank_of_source(%source: memref<?xf32>, %i: index) {
  // expected-error @below {{expected a tile of static sizes and rank 1 to 1, but got 'tensor<64x64xf32>'}}
  %0 = wgtile.read %source[%i] in_bounds [true, true]
      : memref<?xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @c3_no_rank(%source: memref<?xf32>, %i: index) {
  // expected-error @below {{expected a tile of static sizes and rank 1 to 1, but got 'tensor<f32>'}}
  %0 = wgtile.read %source[%i] in_bounds [] : memref<?xf32> -> tensor<f32>
  return
}

// -----

func.func @c3_dynamic(%source: memref<?x?xf32>, %i: index) {
  // expected-error @below {{expected a tile of static sizes and rank 1 to 2, but got 'tensor<64x?xf32>'}}
  %0 = wgtile.read %source[%i, %i] in_bounds [true, true]
      : memref<?x?xf32> -> tensor<64x?xf32>
  return
}

// -----

func.func @c3_in_bounds(%source: memref<?x?xf32>, %i: index) {
  // expected-error @below {{expected 2 entries of in_bounds, but got 1}}
  %0 = wgtile.read %source[%i, %i] in_bounds [true]
      : memref<?x?xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @c2_bits(%source: memref<?x?xi128>, %i: index) {
  // expected-error @below {{expected elements that are integers or floats of up to 64 bits, but got 'memref<?x?xi128>'}}
  %0 = wgtile.read %source[%i, %i] in_bounds [true, true]
      : memref<?x?xi128> -> tensor<64x64xi128>
  return
}

// -----

#layout = affine_map<(d0, d1) -> (d0 floordiv 2, d1)>
func.func @c2_layout(%source: memref<?x?xf32, #layout>, %i: index) {
  // expected-error @below {{expected a strided memref, but got}}
  %0 = wgtile.read %source[%i, %i] in_bounds [true, true]
      : memref<?x?xf32, #layout> -> tensor<64x64xf32>
  return
}

// -----

func.func @c3_huge(%source: memref<?x?xf32>, %i: index) {
  // expected-error @below {{expected sizes of the tile from 1 to 65536, but got 'tensor<64x4611686018427387904xf32>'}}
  %0 = wgtile.read %source[%i, %i] in_bounds [true, true]
      : memref<?x?xf32> -> tensor<64x4611686018427387904xf32>
  return
}

// -----

func.func @c5_padding(%source: memref<?x?xf32>, %i: index) {
  // expected-error @below {{expected padding of type 'f32', but got 1.000000e+00 : bf16}}
  %0 = wgtile.read %source[%i, %i] in_bounds [true, false] padding 1.0 : bf16
      : memref<?x?xf32> -> tensor<64x64xf32>
  return
}
