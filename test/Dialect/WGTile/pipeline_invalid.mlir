// RUN: sparse-opt %s --wgtile-schedule --wgtile-pipeline --verify-diagnostics

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @no_layout(%x: memref<?x?xbf16>, %n: index,
                      %zeros: tensor<64x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<64x64xf32>) {
      // expected-error @below {{expected a tile with a swizzle (wgtile-assign-layouts), but got none}}
      %a = wgtile.load %x[%p, %c0] : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16>
      %d = wgtile.mma %a, %a, %acc : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    gpu.return
  }
}
