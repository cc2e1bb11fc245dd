// RUN: sparse-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(wgtile-place-waits))' | FileCheck %s

// CHECK-LABEL: gpu.func @accumulate
// CHECK:         %[[R:.*]] = scf.for
// CHECK:           wgtile.mma {{.*}} async :
// CHECK-NOT:       wgtile.wait_mma
// CHECK:         }
// CHECK:         %[[W:.*]] = wgtile.wait_mma %[[R]] pending 0 : tensor<64x128xf32>
// CHECK:         wgtile.store %[[W]]
gpu.module @kernels {
  gpu.func @accumulate(%a: !wgtile.shared<64x64xbf16>, %b: !wgtile.shared<64x128xbf16>,
                       %zero: tensor<64x128xf32>, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %d = wgtile.mma %a, %b, %acc : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
      scf.yield %d : tensor<64x128xf32>
    }
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : tensor<64x128xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// A product whose result is used in its own turn stays synchronous.
// CHECK-LABEL: gpu.func @used_in_turn
// CHECK:         wgtile.mma
// CHECK-NOT:     async
// CHECK-NOT:     wgtile.wait_mma
gpu.module @kernels {
  gpu.func @used_in_turn(%a: !wgtile.shared<64x64xbf16>, %b: !wgtile.shared<64x128xbf16>,
                         %zero: tensor<64x128xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %d = wgtile.mma %a, %b, %acc : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
      %e = arith.addf %d, %d : tensor<64x128xf32>
      scf.yield %e : tensor<64x128xf32>
    }
    gpu.return
  }
}
