// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @c1_indices(%source: memref<?x64x64xbf16>, %i: index) {
  // expected-error @below {{expected 3 indices, but got 2}}
  %0 = wgtile.load %source[%i, %i]
      : memref<?x64x64xbf16> -> !wgtile.shared<64x64xbf16>
  return
}

// -----

func.func @c1_indices_of_map(
    %map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>, %i: index) {
  // expected-error @below {{expected 2 indices, but got 3}}
  %0 = wgtile.load %map[%i, %i, %i]
      : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
      -> !wgtile.shared<64x64xbf16>
  return
}

// -----

func.func @c1_rank(%source: memref<?xbf16>, %i: index) {
  // expected-error @below {{expected a source of rank at least 2, but got 'memref<?xbf16>'}}
  %0 = wgtile.load %source[%i] : memref<?xbf16> -> !wgtile.shared<64x64xbf16>
  return
}

// -----

func.func @c2_element_type(%source: memref<?x?xf16>, %i: index) {
  // expected-error @below {{expected a tile of element type 'f16', but got 'bf16'}}
  %0 = wgtile.load %source[%i, %i]
      : memref<?x?xf16> -> !wgtile.shared<64x64xbf16>
  return
}

// -----

func.func @c2_element_type_of_map(
    %map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>, %i: index) {
  // expected-error @below {{expected a tile of element type 'bf16', but got 'f16'}}
  %0 = wgtile.load %map[%i, %i]
      : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
      -> !wgtile.shared<64x64xf16>
  return
}

// -----

func.func @c3_stride(%source: memref<?x?xbf16, strided<[?, 2]>>, %i: index) {
  // expected-error @below {{expected a source of innermost stride 1 with 'aligned', but got 'memref<?x?xbf16, strided<[?, 2]>>'}}
  %0 = wgtile.load %source[%i, %i] aligned
      : memref<?x?xbf16, strided<[?, 2]>> -> !wgtile.shared<64x64xbf16>
  return
}

// -----

#map = affine_map<(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)>
func.func @c3_no_strides(%source: memref<?x?xbf16, #map>, %i: index) {
  // expected-error @below {{expected a strided source, but got}}
  %0 = wgtile.load %source[%i, %i]
      : memref<?x?xbf16, #map> -> !wgtile.shared<64x64xbf16>
  return
}

// -----

func.func @c3_map(%map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>,
                  %i: index) {
  // expected-error @below {{expected a memref with 'aligned', but got '!wgtile.tensor_map<64x64xbf16, swizzle = 128>'}}
  %0 = wgtile.load %map[%i, %i] aligned
      : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
      -> !wgtile.shared<64x64xbf16>
  return
}

// -----

func.func @c4_barrier_alone(%source: memref<?x?xbf16>, %i: index) {
  // expected-error @below {{expected 'offset' with 'barrier', but got none}}
  %0 = wgtile.load %source[%i, %i] {barrier = 0 : i64}
      : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16>
  return
}
