// RUN: sparse-opt %s --split-input-file --verify-diagnostics

func.func @c1_indices(%m: memref<?x?xi32>, %i: index) {
  // expected-error @below {{expected 2 indices, but got 1}}
  %0 = wgtile.peek %m[%i] : memref<?x?xi32>
  return
}

// -----

func.func @c1_strided(%m: memref<?xi32, affine_map<(d0) -> (d0 floordiv 2)>>, %i: index) {
  // expected-error @below {{expected a strided memref, but got 'memref<?xi32, affine_map<(d0) -> (d0 floordiv 2)>>'}}
  %0 = wgtile.peek %m[%i] : memref<?xi32, affine_map<(d0) -> (d0 floordiv 2)>>
  return
}

// -----

func.func @element(%m: memref<?xf32>, %i: index) {
  // expected-error @below {{memref of 32-bit signless integer or 64-bit signless integer values}}
  %0 = wgtile.peek %m[%i] : memref<?xf32>
  return
}
