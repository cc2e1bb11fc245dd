// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync))' \
// RUN:   --verify-diagnostics

// A kernel before wgtile-assign-layouts: its shared tiles have no place yet.
gpu.module @kernels {
  gpu.func @no_swizzle(%source: memref<?x?xbf16>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{swizzle}}
    %0 = wgtile.load %source[%c0, %c0]
        : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16>
    gpu.return
  }
}
