// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync))' | FileCheck %s
// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync))' | sattn-test-opt --test-wgtile-drop-sync -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DROP --implicit-check-not="error:" --implicit-check-not="no error"

!q = !wgtile.shared<128x64xbf16, swizzle = 128>
!k = !wgtile.shared<64x64xbf16, swizzle = 128>
!left = !wgtile.ring<1, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!right = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!mapq = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// Results are staged where the left operand was: the last product that reads it is
// waited for before, and its stage is given back when TMA has read the results.

// DROP-DAG: remark: wgtile.stage_borrow without it: 'wgtile.producer_acquire' op expected the ring's memory to be borrowed
// DROP-DAG: remark: wgtile.stage_borrow with it twice: 'wgtile.stage_borrow' op expected a stage whose memory no ring has borrowed
// DROP-DAG: remark: wgtile.stage_return without it: 'wgtile.consumer_release' op expected the memory of the stage, which another ring has borrowed, to be returned
// DROP-DAG: remark: wgtile.stage_return with it twice: 'wgtile.stage_return' op expected a ring that has borrowed memory
// DROP-DAG: remark: wgtile.warpgroup_mma_wait without it: {{.*}} op expected a wait for the
// DROP-DAG: remark: wgtile.fence_proxy_async without it: 'wgtile.tma_store' op expected a fence
// DROP-DAG: remark: wgtile.named_barrier without it: 'wgtile.tma_store' op expected a barrier
// CHECK-LABEL: gpu.func @borrow
// CHECK:         wgtile.stage_borrow
// CHECK:         wgtile.stage_return
gpu.module @kernels {
  gpu.func @borrow(%map: !map, %mapq: !mapq, %zero: !acc, %m: index, %n: index)
      kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %left = wgtile.ring warps 8 {offset = 0 : i64} : !left
    %right = wgtile.ring warps 8 {offset = 16384 : i64} : !right
    %staging = wgtile.ring in %left of !left {offset = 0 : i64} : !staging
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i) in (%m) {
        %q = wgtile.producer_acquire %left : !left
        wgtile.tma_load %left[%q] 0, %mapq[%i, %c0] : !left, !mapq
        wgtile.producer_commit %left[%q] : !left
        scf.for %p = %c0 to %n step %c1 {
          %k = wgtile.producer_acquire %right : !right
          wgtile.tma_load %right[%k] 0, %map[%p, %c0] : !right, !map
          wgtile.producer_commit %right[%k] : !right
        }
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%m) {
        %tq = wgtile.consumer_wait %left : !left
        %q = wgtile.ring_tile %left[%tq] 0 : !left -> !q
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
          %tk = wgtile.consumer_wait %right : !right
          %k = wgtile.ring_tile %right[%tk] 0 : !right -> !k
          %d = wgtile.mma_async %q, %k, %acc : !q, !k -> !acc
          %w = wgtile.warpgroup_mma_wait %d pending 0 : !acc
          wgtile.consumer_release %right[%tk] : !right
          scf.yield %w : !acc
        }
        %t = arith.truncf %r : !acc to !tile
        wgtile.stage_borrow %staging from %tq : !staging
        %s = wgtile.producer_acquire %staging : !staging
        wgtile.ring_store %t, %staging[%s] 0 : !tile, !staging
        wgtile.fence_proxy_async
        wgtile.named_barrier
        wgtile.tma_store %staging[%s] 0, %map[%i, %c0] warpgroups 2 : !staging, !map
        wgtile.producer_commit %staging[%s] : !staging
        wgtile.stage_return %staging : !staging
        wgtile.consumer_release %left[%tq] : !left
      }
    }
    gpu.return
  }
}
