// RUN: sparse-opt %s --split-input-file --verify-diagnostics

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
  // expected-error @below {{expected a result of whole warpgroups and a source whose rows are whole rows of its swizzle, but got}}
  %0 = wgtile.read_shared %s : !wgtile.shared<64x64xbf16, swizzle = 128>
      -> tensor<64x64xbf16, #wgtile.mma<warps = 4, column_warps = 2>>
  return
}

// -----

// read_shared (C2)
func.func @read_rows(%s: !wgtile.shared<64x80xbf16, swizzle = 128>) {
  // expected-error @below {{expected a result of whole warpgroups and a source whose rows are whole rows of its swizzle, but got}}
  %0 = wgtile.read_shared %s : !wgtile.shared<64x80xbf16, swizzle = 128>
      -> tensor<64x80xbf16, #wgtile.mma<warps = 4>>
  return
}

// -----

func.func @block_barrier_c1_role() {
  wgtile.roles producer warps 4 registers 0 {
  }, consumer warps 4 registers 0 consumer_groups 1 {
    // expected-error @below {{expected no role around a barrier of the CTA}}
    wgtile.block_barrier
  }
  return
}
