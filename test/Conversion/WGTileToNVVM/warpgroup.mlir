// RUN: sparse-opt %s --wgtile-assign-stages --convert-wgtile-to-nvvm --cse --canonicalize | FileCheck %s

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!ring = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>

// The number of a thread's warpgroup, which its rows of a follow from, is shuffled
// once at the start of the consumers' role: nothing moves a shuffle out of a loop.
// CHECK-LABEL: gpu.func @product
// CHECK:         nvvm.setmaxregister increase
// CHECK:         %[[WARP:.*]] = arith.shrui
// CHECK:         %[[UNIFORM:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[WARP]],
// CHECK:         %[[WARPGROUP:.*]] = arith.shrui %[[UNIFORM]]
// CHECK:         scf.for
// CHECK-NOT:       nvvm.shfl.sync
// CHECK:           wgmma.mma_async
// CHECK-NOT:       nvvm.shfl.sync
// CHECK:           scf.yield
gpu.module @kernels {
  gpu.func @product(%out: memref<?x?xf32>, %n: index) kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 8 {barriers = 65536 : i64, offset = 0 : i64} : !ring
    wgtile.roles producer warps 4 registers 24 {
    }, consumer warps 8 registers 240 consumer_groups 1 {
      %zero = arith.constant dense<0.0> : !acc
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %full = wgtile.consumer_wait %ring : !ring
        %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
        %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
        %d = wgtile.mma %a, %b, %acc : !a, !b -> !acc
        wgtile.consumer_release %ring[%full] : !ring
        scf.yield %d : !acc
      }
      wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}
