// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-specialize,wgtile-verify-sync))' | FileCheck %s

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
!mb = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>

// A ring of one stage: each turn waits for its product and gives the stage back.
// CHECK-LABEL: gpu.func @product
// CHECK:         wgtile.ring warps 4 : !wgtile.ring<1, [
// CHECK:             scf.for
// CHECK:               wgtile.consumer_wait
// CHECK:               %[[D:.*]] = wgtile.mma_async {{.*}}
// CHECK-NEXT:          %[[W:.*]] = wgtile.warpgroup_mma_wait %[[D]] pending 0
// CHECK-NEXT:          wgtile.consumer_release %{{.*}}[%{{.*}}]
// CHECK-NEXT:          scf.yield %[[W]]
// CHECK-NOT:         wgtile.consumer_release
gpu.module @kernels {
  gpu.func @product(%ma: !ma, %mb: !mb, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.schedule = #wgtile.schedule<specialized = true, stages = 1, tile_stages = 1, ctas_per_sm = 1,
        entry_registers = 248, producer_registers = 56, consumer_registers = 248>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %a = wgtile.load %ma[%p, %c0, %c0] : !ma -> !a
        %b = wgtile.load %mb[%p, %j] : !mb -> !b
        %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
        scf.yield %d : !acc
      }
      %w = wgtile.warpgroup_mma_wait %r pending 0 : !acc
      wgtile.store %w, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}
