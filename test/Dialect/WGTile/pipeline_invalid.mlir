// RUN: sparse-opt %s --wgtile-pipeline --verify-diagnostics
// RUN: not sparse-opt %s --wgtile-pipeline=max-stages=4611686018427387904 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not sparse-opt %s --wgtile-pipeline=max-shared-bytes=9223372036854775807 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not sparse-opt %s --wgtile-pipeline=max-shared-bytes=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// STAGES: error: expected 'max-stages' to be from 2 to 64, but got 4611686018427387904
// BYTES: error: expected 'max-shared-bytes' to be from 0 to 2147483647, but got 9223372036854775807
// NEGATIVE: error: expected 'max-shared-bytes' to be from 0 to 2147483647, but got -1

gpu.module @kernels {
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
