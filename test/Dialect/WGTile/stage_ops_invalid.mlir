// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// The number in a function's name is that of the constraint in the op's
// description.

func.func @fill_c1_tile(%b: memref<?x?xbf16>, %i: index) {
  %stages = wgtile.stages : !wgtile.stages<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>
  // expected-error @below {{expected a tile of the stages (0 to 0), but got 1}}
  wgtile.async_copy %stages[%i] 1, %b[%i, %i]
      : !wgtile.stages<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>, memref<?x?xbf16>
  return
}

// -----

func.func @fill_c1_type(%b: memref<?x?xf16>, %i: index) {
  %stages = wgtile.stages : !wgtile.stages<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>
  // expected-error @below {{expected a source of element type 'bf16', but got 'memref<?x?xf16>'}}
  wgtile.async_copy %stages[%i] 0, %b[%i, %i]
      : !wgtile.stages<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>, memref<?x?xf16>
  return
}

// -----

func.func @fill_c2(%b: memref<?x?xbf16>, %i: index) {
  %stages = wgtile.stages : !wgtile.stages<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>
  // expected-error @below {{expected a source of rank at least 2 and as many indices, but got 'memref<?x?xbf16>' and 1}}
  wgtile.async_copy %stages[%i] 0, %b[%i]
      : !wgtile.stages<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>, memref<?x?xbf16>
  return
}

// -----

func.func @stage_c1(%i: index) {
  %stages = wgtile.stages : !wgtile.stages<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>
  // expected-error @below {{expected the tiles of '!wgtile.stages<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>', but got '!wgtile.shared<16x64xf16, swizzle = 128>'}}
  %tile = wgtile.stage %stages[%i]
      : !wgtile.stages<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>
      -> !wgtile.shared<16x64xf16, swizzle = 128>
  return
}

// -----

#layout = affine_map<(d0, d1) -> (d0 floordiv 2, d1)>
func.func @fill_layout(%b: memref<?x?xbf16, #layout>, %i: index) {
  %stages = wgtile.stages : !wgtile.stages<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>
  // expected-error @below {{expected a strided source, but got}}
  wgtile.async_copy %stages[%i] 0, %b[%i, %i]
      : !wgtile.stages<2, [!wgtile.shared<16x64xbf16, swizzle = 128>]>, memref<?x?xbf16, #layout>
  return
}
