// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-insert-delays{nanoseconds=500}))' | FileCheck %s
// RUN: not sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-insert-delays{nanoseconds=0}))' 2>&1 | FileCheck %s --check-prefix=ZERO

// ZERO: expected 'nanoseconds' to be from 1 to 1000000, but got 0

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128>]>

// Waits, arrivals and products are delayed, each at a site of its own; what only
// names a tile is not.
// CHECK-LABEL: gpu.func @consumer
// CHECK:         wgtile.delay 500 site 0
// CHECK-NEXT:    wgtile.consumer_wait
// CHECK-NEXT:    wgtile.ring_tile
// CHECK-NEXT:    wgtile.ring_tile
// CHECK-NEXT:    wgtile.delay 500 site 1
// CHECK-NEXT:    wgtile.mma
// CHECK-NEXT:    wgtile.delay 500 site 2
// CHECK-NEXT:    wgtile.warpgroup_mma_wait
// CHECK-NEXT:    wgtile.delay 500 site 3
// CHECK-NEXT:    wgtile.consumer_release
// CHECK-NEXT:    gpu.return
gpu.module @kernels {
  gpu.func @consumer(%zero: !acc) kernel {
    %ring = wgtile.ring warps 4 : !ring
    %full = wgtile.consumer_wait %ring : !ring
    %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
    %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
    %d = wgtile.mma_async %a, %b, %zero : !a, !b -> !acc
    %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
    wgtile.consumer_release %ring[%full] : !ring
    gpu.return
  }
}
