// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// staging (C1)
func.func @rows() {
  // expected-error @below {{expected a tile of 64 rows, each one row of its swizzle, or of as many columns and a multiple of 8 rows, but got '!wgtile.shared<12x64xbf16, swizzle = 128>'}}
  %s = wgtile.staging : !wgtile.shared<12x64xbf16, swizzle = 128>
  return
}

// -----

// staging (C1)
func.func @columns() {
  // expected-error @below {{expected a tile of 64 rows, each one row of its swizzle}}
  %s = wgtile.staging : !wgtile.shared<64x128xbf16, swizzle = 128>
  return
}

// -----

// store_shared (C1)
func.func @warps(%t: tensor<32x64xbf16, #wgtile.mma<warps = 2>>) {
  %s = wgtile.staging : !wgtile.shared<64x64xbf16, swizzle = 128>
  // expected-error @below {{expected a tile of whole warpgroups}}
  wgtile.store_shared %t, %s : tensor<32x64xbf16, #wgtile.mma<warps = 2>>,
      !wgtile.shared<64x64xbf16, swizzle = 128>
  return
}

// -----

// store_shared (C1)
func.func @transposed(%t: tensor<64x32xbf16, #wgtile.mma<warps = 4>>) {
  %s = wgtile.staging : !wgtile.shared<16x64xbf16, swizzle = 128>
  // expected-error @below {{expected a tile of 16 columns of 'bf16', of 16 or 32 bits}}
  wgtile.store_shared %t, %s transposed : tensor<64x32xbf16, #wgtile.mma<warps = 4>>,
      !wgtile.shared<16x64xbf16, swizzle = 128>
  return
}

// -----

// store_shared (C1)
func.func @element(%t: tensor<64x64xf16, #wgtile.mma<warps = 4>>) {
  %s = wgtile.staging : !wgtile.shared<64x64xbf16, swizzle = 128>
  // expected-error @below {{expected a tile of 64 columns of 'bf16', of 16 or 32 bits}}
  wgtile.store_shared %t, %s : tensor<64x64xf16, #wgtile.mma<warps = 4>>,
      !wgtile.shared<64x64xbf16, swizzle = 128>
  return
}

// -----

// tma_store (C1)
func.func @indices(%map: !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>,
                   %i: index) {
  %s = wgtile.staging : !wgtile.shared<64x64xbf16, swizzle = 128>
  // expected-error @below {{expected 3 indices, but got 2}}
  wgtile.tma_store %s, %map[%i, %i] warpgroups 1
      : !wgtile.shared<64x64xbf16, swizzle = 128>,
        !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
  return
}

// -----

// tma_store (C2)
func.func @box(%map: !wgtile.tensor_map<128x64xbf16, swizzle = 128>,
               %i: index) {
  %s = wgtile.staging : !wgtile.shared<64x64xbf16, swizzle = 128>
  // expected-error @below {{expected a map whose box is the tile}}
  wgtile.tma_store %s, %map[%i, %i] warpgroups 1
      : !wgtile.shared<64x64xbf16, swizzle = 128>,
        !wgtile.tensor_map<128x64xbf16, swizzle = 128>
  return
}

// -----

// tma_store (C3)
func.func @warpgroups(%map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>,
                      %i: index) {
  %s = wgtile.staging : !wgtile.shared<64x64xbf16, swizzle = 128>
  // expected-error @below {{attribute 'warpgroups' failed to satisfy constraint}}
  wgtile.tma_store %s, %map[%i, %i] warpgroups 0
      : !wgtile.shared<64x64xbf16, swizzle = 128>,
        !wgtile.tensor_map<64x64xbf16, swizzle = 128>
  return
}

// -----

// prefetch (C1)
func.func @prefetch(%map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>,
                    %i: index) {
  // expected-error @below {{expected 2 indices, but got 1}}
  wgtile.prefetch %map[%i] warpgroups 1
      : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
  return
}

// -----

// read_shared (C1)
func.func @read_shape(%s: !wgtile.shared<64x64xbf16, swizzle = 128>) {
  // expected-error @below {{expected a result of the shape and element type of the source, of 16 or 32 bits, but got}}
  %0 = wgtile.read_shared %s : !wgtile.shared<64x64xbf16, swizzle = 128>
      -> tensor<128x64xbf16>
  return
}

// -----

// read_shared (C2)
func.func @read_warps(%s: !wgtile.shared<64x64xbf16, swizzle = 128>) {
  // expected-error @below {{expected a result of whole warpgroups and a source whose rows are one row of its swizzle, but got}}
  %0 = wgtile.read_shared %s : !wgtile.shared<64x64xbf16, swizzle = 128>
      -> tensor<64x64xbf16, #wgtile.mma<warps = 4, column_warps = 2>>
  return
}

// -----

// read_shared (C2)
func.func @read_rows(%s: !wgtile.shared<64x128xbf16, swizzle = 128>) {
  // expected-error @below {{expected a result of whole warpgroups and a source whose rows are one row of its swizzle, but got}}
  %0 = wgtile.read_shared %s : !wgtile.shared<64x128xbf16, swizzle = 128>
      -> tensor<64x128xbf16, #wgtile.mma<warps = 4>>
  return
}

// -----

func.func @block_barrier_c1_role() {
  wgtile.roles producer warps 4 registers 0 {
  }, consumer warps 4 registers 0 consumer_groups 1 {
    // expected-error @below {{expected no role around a barrier of the thread block}}
    wgtile.block_barrier
  }
  return
}
