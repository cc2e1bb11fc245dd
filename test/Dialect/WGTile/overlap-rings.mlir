// RUN: sparse-opt %s --pass-pipeline='builtin.module(wgtile-schedule,gpu.module(wgtile-overlap,wgtile-place-waits,wgtile-specialize,wgtile-verify-sync))' | FileCheck %s

// A rotated loop in which both products load a tile each turn: the first one's of
// the next block and the second one's of this block are read for the last time by
// different products, and have rings of their own, which the first block and the
// last one share. The tile that is held meanwhile has a ring, too.

!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!shared = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!left = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// CHECK-LABEL: gpu.func @own_loads
// CHECK:         %[[HELD:.*]] = wgtile.ring warps 4 : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK:         %[[FIRST:.*]] = wgtile.ring warps 4 : !wgtile.ring<6, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK:         %[[SECOND:.*]] = wgtile.ring warps 4 : !wgtile.ring<6, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK-NOT:     wgtile.ring warps
// CHECK:         wgtile.roles producer
// CHECK:           wgtile.producer_commit %[[HELD]]
// CHECK:           scf.if
// CHECK:             wgtile.producer_acquire %[[FIRST]]
// CHECK:             wgtile.tma_load %[[FIRST]][%{{.*}}] 0
// CHECK:             wgtile.producer_commit %[[FIRST]]
// CHECK:             scf.for
// CHECK:               wgtile.producer_acquire %[[FIRST]]
// CHECK:               wgtile.tma_load %[[FIRST]][%{{.*}}] 0
// CHECK:               wgtile.producer_commit %[[FIRST]]
// CHECK:               wgtile.producer_acquire %[[SECOND]]
// CHECK:               wgtile.tma_load %[[SECOND]][%{{.*}}] 0
// CHECK:               wgtile.producer_commit %[[SECOND]]
// CHECK:             wgtile.producer_acquire %[[SECOND]]
// CHECK:             wgtile.tma_load %[[SECOND]][%{{.*}}] 0
// CHECK:             wgtile.producer_commit %[[SECOND]]
// CHECK:         consumer
// CHECK:           wgtile.consumer_wait %[[HELD]]
// CHECK:           scf.if
// CHECK:             wgtile.consumer_wait %[[FIRST]]
// CHECK:             wgtile.warpgroup_mma_wait %{{.*}} pending 0
// CHECK-NEXT:        wgtile.consumer_release %[[FIRST]][%{{.*}}]
// CHECK:             scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[T:.*]] = %{{.*}})
// CHECK:               wgtile.consumer_wait %[[FIRST]]
// CHECK:               %[[S:.*]] = wgtile.mma_async {{.*}}
// CHECK:               wgtile.consumer_wait %[[SECOND]]
// CHECK:               wgtile.mma_async %[[T]], {{.*}}
// CHECK:               wgtile.warpgroup_mma_wait %[[S]] pending 1
// CHECK-NEXT:          wgtile.consumer_release %[[FIRST]][%{{.*}}]
// The second product is over when its left operand is.
// CHECK:               wgtile.warpgroup_mma_wait %{{.*}}, %[[T]] pending 0
// CHECK-NEXT:          wgtile.consumer_release %[[SECOND]][%{{.*}}]
// CHECK-NEXT:          arith.truncf
// CHECK-NEXT:          scf.yield
// CHECK:             wgtile.consumer_wait %[[SECOND]]
// CHECK:             wgtile.consumer_release %[[SECOND]][%{{.*}}]
// CHECK:           wgtile.consumer_release %[[HELD]][%{{.*}}]
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @own_loads(%n: index, %begin: index, %end: index, %a: !map, %v: !map, %q: !map, %out: memref<?x?xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    wgtile.for_each_tile (%i) in (%n) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : !acc
      %held = wgtile.load %q[%i, %c0] : !map -> !shared
      %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (!acc) {
        %b = wgtile.load %a[%p, %c0] : !map -> !shared
        %s = wgtile.mma %held, %b, %zero : !shared, !shared -> !acc
        %t = arith.truncf %s : !acc to !left
        %w = wgtile.load %v[%p, %c0] : !map -> !shared
        %d = wgtile.mma %t, %w, %acc : !left, !shared -> !acc
        scf.yield %d : !acc
      } {wgtile.block_loop}
      wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}
