// RUN: sparse-opt %s --wgtile-allocate-shared --split-input-file \
// RUN:   --verify-diagnostics

// The default is what sm_90 has.
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  // expected-error @below {{expected at most 232448 bytes of shared memory, but the tiles need 262160; choose smaller tiles}}
  gpu.func @too_large(
      %map: !wgtile.tensor_map<256x64xbf16, swizzle = 128>) kernel {
    %c0 = arith.constant 0 : index
    %0 = wgtile.load %map[%c0, %c0]
        : !wgtile.tensor_map<256x64xbf16, swizzle = 128>
        -> !wgtile.shared<256x256xbf16, swizzle = 128>
    %1 = wgtile.load %map[%c0, %c0]
        : !wgtile.tensor_map<256x64xbf16, swizzle = 128>
        -> !wgtile.shared<256x256xbf16, swizzle = 128>
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @no_swizzle(
      %map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a tile with a swizzle (wgtile-assign-layouts), but got none}}
    %0 = wgtile.load %map[%c0, %c0]
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
        -> !wgtile.shared<64x64xbf16>
    gpu.return
  }
}
