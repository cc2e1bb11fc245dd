// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync))' | FileCheck %s
// RUN: sattn-test-opt %s --test-wgtile-drop-sync -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DROP --implicit-check-not="error:" --implicit-check-not="no error"

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x64xbf16, swizzle = 128>
!loads = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapa = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// Results are staged in a stage of the loads' ring: it is taken empty, and given
// back when TMA has read the results.

// DROP-DAG: remark: wgtile.stage_borrow without it: 'wgtile.producer_acquire' op expected the ring's memory to be borrowed
// DROP-DAG: remark: wgtile.stage_borrow with it twice: 'wgtile.stage_borrow' op expected
// DROP-DAG: remark: wgtile.stage_return without it: 'wgtile.consumer_release' op expected the memory of the stage, which another ring has borrowed, to be returned
// DROP-DAG: remark: wgtile.stage_return with it twice: 'wgtile.stage_return' op expected a ring that has borrowed memory
// DROP-DAG: remark: wgtile.fence_proxy_async without it: 'wgtile.tma_store' op expected a fence
// DROP-DAG: remark: wgtile.named_barrier without it: 'wgtile.tma_store' op expected a barrier
// CHECK-LABEL: gpu.func @borrow
// CHECK:         wgtile.stage_borrow
// CHECK:         wgtile.stage_return
gpu.module @kernels {
  gpu.func @borrow(%map: !map, %mapa: !mapa, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %loads = wgtile.ring warps 8 {offset = 0 : i64} : !loads
    %staging = wgtile.ring in %loads of !loads {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        scf.for %p = %c0 to %n step %c1 {
          %s = wgtile.producer_acquire %loads : !loads
          wgtile.tma_load %loads[%s] 0, %mapa[%i, %p] : !loads, !mapa
          wgtile.tma_load %loads[%s] 1, %map[%p, %c0] : !loads, !map
          wgtile.producer_commit %loads[%s] : !loads
        }
        %lent = wgtile.producer_acquire %loads : !loads
        wgtile.producer_commit %loads[%lent] : !loads
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %s = wgtile.consumer_wait %loads : !loads
          %a = wgtile.ring_tile %loads[%s] 0 : !loads -> !a
          %b = wgtile.ring_tile %loads[%s] 1 : !loads -> !b
          %d = wgtile.mma_async %a, %b, %acc : !a, !b -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %loads[%s] : !loads
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        %lent = wgtile.consumer_wait %loads : !loads
        wgtile.stage_borrow %staging from %lent : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %loads[%lent] : !loads
      }
    }
    gpu.return
  }
}
