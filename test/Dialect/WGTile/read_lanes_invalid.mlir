// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @c1_indices(%source: memref<?x?xf32>, %i: index) {
  // expected-error @below {{expected 2 indices, but got 1}}
  %0:2 = wgtile.read_lanes %source[%i] size 64 in_bounds true
      : memref<?x?xf32> -> i32, i32
  return
}

// -----

func.func @c1_element_type(%source: memref<?xbf16>, %i: index) {
  // expected-error @below {{expected a memref whose elements have 32 bits and are next to each other, but got 'memref<?xbf16>'}}
  %0:2 = wgtile.read_lanes %source[%i] size 64 in_bounds true
      : memref<?xbf16> -> i32, i32
  return
}

// -----

func.func @c1_index(%source: memref<?xindex>, %i: index) {
  // expected-error @below {{expected a memref whose elements have 32 bits and are next to each other, but got 'memref<?xindex>'}}
  %0:2 = wgtile.read_lanes %source[%i] size 64 in_bounds true
      : memref<?xindex> -> i32, i32
  return
}

// -----

func.func @c1_stride(%source: memref<?xi32, strided<[2]>>, %i: index) {
  // expected-error @below {{expected a memref whose elements have 32 bits and are next to each other, but got 'memref<?xi32, strided<[2]>>'}}
  %0:2 = wgtile.read_lanes %source[%i] size 64 in_bounds true
      : memref<?xi32, strided<[2]>> -> i32, i32
  return
}

// -----

func.func @c2_size(%source: memref<?xi32>, %i: index) {
  // expected-error @below {{expected a size from 1 to 65536, but got 0}}
  %0 = wgtile.read_lanes %source[%i] size 0 in_bounds true : memref<?xi32> -> i32
  return
}

// -----

func.func @c2_parts(%source: memref<?xi32>, %i: index) {
  // expected-error @below {{expected 4 parts of 80 elements, but got 2}}
  %0:2 = wgtile.read_lanes %source[%i] size 80 in_bounds true
      : memref<?xi32> -> i32, i32
  return
}

// -----

func.func @c3_padding(%source: memref<?xi32>, %i: index) {
  // expected-error @below {{expected padding of type 'i32', but got 1.000000e+00 : f32}}
  %0:2 = wgtile.read_lanes %source[%i] size 64 in_bounds false padding 1.0 : f32
      : memref<?xi32> -> i32, i32
  return
}

// -----

func.func @spread_c1_rows(%a: i32) {
  // expected-error @below {{expected a vector of the columns of a tile that warps divide along its rows alone, of 32 bits and in runs of 2}}
  %0 = wgtile.spread_lanes %a, %a : i32, i32
      -> tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
  return
}

// -----

func.func @spread_c1_column_warps(%a: i32) {
  // expected-error @below {{expected a vector of the columns of a tile that warps divide along its rows alone, of 32 bits and in runs of 2}}
  %0 = wgtile.spread_lanes %a, %a : i32, i32
      -> tensor<64xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4, column_warps = 2>>>
  return
}

// -----

func.func @spread_c1_element_type(%a: i32) {
  // expected-error @below {{expected a vector of the columns of a tile that warps divide along its rows alone, of 32 bits and in runs of 2}}
  %0 = wgtile.spread_lanes %a, %a : i32, i32
      -> tensor<64xbf16, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
  return
}

// -----

func.func @spread_c2_parts(%a: i32) {
  // expected-error @below {{expected 4 parts of 128 elements, but got 2}}
  %0 = wgtile.spread_lanes %a, %a : i32, i32
      -> tensor<128xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
  return
}
