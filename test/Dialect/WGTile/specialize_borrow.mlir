// RUN: sparse-opt %s --wgtile-schedule | FileCheck %s --check-prefix=SCHEDULE
// RUN: sparse-opt %s --pass-pipeline='builtin.module(wgtile-schedule,gpu.module(wgtile-place-waits,wgtile-specialize,wgtile-allocate-shared,wgtile-place-fences,wgtile-verify-sync))' | FileCheck %s

!q = !wgtile.shared<128x256xbf16, swizzle = 128>
!k = !wgtile.shared<160x256xbf16, swizzle = 128>
!k128 = !wgtile.shared<128x256xbf16, swizzle = 128>
!mq = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!mk = !wgtile.tensor_map<160x64xbf16, swizzle = 128>
!mk128 = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!mo = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!d = tensor<128x160xf32, #wgtile.mma<warps = 8>>
!d128 = tensor<128x128xf32, #wgtile.mma<warps = 8>>
!part = tensor<128x64xf32, #wgtile.mma<warps = 8>>
!stored = tensor<128x64xbf16, #wgtile.mma<warps = 8>>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>

// Two stages of 80 KB beside a left operand of 64 KB leave 3 KB for the results:
// these are staged in a stage of the loop's ring, in one place for each store.

// SCHEDULE-LABEL: gpu.func @borrow(
// SCHEDULE-SAME:    #wgtile.schedule<specialized = true, stages = 2, tile_stages = 1, ctas_per_sm = 1,
// SCHEDULE-SAME:    borrow = true,
// CHECK-LABEL: gpu.func @borrow(
// CHECK:         %[[B:.*]] = wgtile.ring warps 8 {{.*}} : !wgtile.ring<2, [!wgtile.shared<160x256xbf16, swizzle = 128>]>
// CHECK-NEXT:    %[[O:.*]] = wgtile.ring in %[[B]] of !wgtile.ring<2, [!wgtile.shared<160x256xbf16, swizzle = 128>]> {offset = 65536 : i64}
// CHECK-SAME:      : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
// CHECK:         producer warps 4
// CHECK:           scf.for
// CHECK:           }
// CHECK-NEXT:      %[[EMPTY:.*]] = wgtile.producer_acquire %[[B]]
// CHECK-NEXT:      wgtile.producer_commit %[[B]][%[[EMPTY]]]
// CHECK-NEXT:    }
// CHECK:         consumer warps 8
// CHECK:           scf.for
// CHECK:           }
// CHECK:           %[[HELD:.*]] = wgtile.consumer_wait %[[B]]
// CHECK-NEXT:      wgtile.stage_borrow %[[O]] from %[[HELD]]
// CHECK-NEXT:      wgtile.producer_acquire %[[O]]
// CHECK:           wgtile.tma_store
// CHECK:           wgtile.tma_store
// CHECK:           wgtile.stage_return %[[O]]
// CHECK-NEXT:      wgtile.consumer_release %[[B]][%[[HELD]]]
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @borrow(%mq: !mq, %mk: !mk, %mo: !mo, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !d
    %staging = wgtile.ring : !staging
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %q = wgtile.load %mq[%i, %c0] : !mq -> !q
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!d) {
        %k = wgtile.load %mk[%p, %c0] : !mk -> !k
        %d = wgtile.mma %q, %k, %acc transpose_b : !q, !k -> !d
        scf.yield %d : !d
      }
      %left = wgtile.extract_columns %r from 0 : !d -> !part
      %t0 = arith.truncf %left : !part to !stored
      %s0 = wgtile.producer_acquire %staging : !staging
      wgtile.ring_store %t0, %staging[%s0] 0 : !stored, !staging
      wgtile.tma_store %staging[%s0] 0, %mo[%i, %c0] warpgroups 2 : !staging, !mo
      wgtile.producer_commit %staging[%s0] : !staging
      %right = wgtile.extract_columns %r from 64 : !d -> !part
      %t1 = arith.truncf %right : !part to !stored
      %s1 = wgtile.producer_acquire %staging : !staging
      wgtile.ring_store %t1, %staging[%s1] 0 : !stored, !staging
      wgtile.tma_store %staging[%s1] 0, %mo[%i, %c64] warpgroups 2 : !staging, !mo
      wgtile.producer_commit %staging[%s1] : !staging
    }
    wgtile.producer_tail %staging : !staging
    gpu.return
  }

  // Two stages of 64 KB leave room for results.
  // SCHEDULE-LABEL: gpu.func @fits(
  // SCHEDULE-SAME:    #wgtile.schedule<specialized = true, stages = 2, tile_stages = 1, ctas_per_sm = 1,
  // SCHEDULE-SAME:    consumer_registers = {{[0-9]+}}, overlap
  // CHECK-LABEL: gpu.func @fits(
  // CHECK-NOT:     wgtile.stage_borrow
  gpu.func @fits(%mq: !mq, %mk: !mk128, %mo: !mo, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !d128
    %staging = wgtile.ring : !staging
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %q = wgtile.load %mq[%i, %c0] : !mq -> !q
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!d128) {
        %k = wgtile.load %mk[%p, %c0] : !mk128 -> !k128
        %d = wgtile.mma %q, %k, %acc transpose_b : !q, !k128 -> !d128
        scf.yield %d : !d128
      }
      %left = wgtile.extract_columns %r from 0 : !d128 -> !part
      %t0 = arith.truncf %left : !part to !stored
      %s0 = wgtile.producer_acquire %staging : !staging
      wgtile.ring_store %t0, %staging[%s0] 0 : !stored, !staging
      wgtile.tma_store %staging[%s0] 0, %mo[%i, %c0] warpgroups 2 : !staging, !mo
      wgtile.producer_commit %staging[%s0] : !staging
      %right = wgtile.extract_columns %r from 64 : !d128 -> !part
      %t1 = arith.truncf %right : !part to !stored
      %s1 = wgtile.producer_acquire %staging : !staging
      wgtile.ring_store %t1, %staging[%s1] 0 : !stored, !staging
      wgtile.tma_store %staging[%s1] 0, %mo[%i, %c64] warpgroups 2 : !staging, !mo
      wgtile.producer_commit %staging[%s1] : !staging
    }
    wgtile.producer_tail %staging : !staging
    gpu.return
  }

  // A hint is kept.
  // SCHEDULE-LABEL: gpu.func @asked(
  // SCHEDULE-SAME:    borrow = true,
  // CHECK-LABEL: gpu.func @asked(
  // CHECK:         wgtile.stage_borrow
  gpu.func @asked(%mq: !mq, %mk: !mk128, %mo: !mo, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, wgtile.schedule = #wgtile.schedule<borrow = true>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !d128
    %staging = wgtile.ring : !staging
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %q = wgtile.load %mq[%i, %c0] : !mq -> !q
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!d128) {
        %k = wgtile.load %mk[%p, %c0] : !mk128 -> !k128
        %d = wgtile.mma %q, %k, %acc transpose_b : !q, !k128 -> !d128
        scf.yield %d : !d128
      }
      %left = wgtile.extract_columns %r from 0 : !d128 -> !part
      %t0 = arith.truncf %left : !part to !stored
      %s0 = wgtile.producer_acquire %staging : !staging
      wgtile.ring_store %t0, %staging[%s0] 0 : !stored, !staging
      wgtile.tma_store %staging[%s0] 0, %mo[%i, %c0] warpgroups 2 : !staging, !mo
      wgtile.producer_commit %staging[%s0] : !staging
      %right = wgtile.extract_columns %r from 64 : !d128 -> !part
      %t1 = arith.truncf %right : !part to !stored
      %s1 = wgtile.producer_acquire %staging : !staging
      wgtile.ring_store %t1, %staging[%s1] 0 : !stored, !staging
      wgtile.tma_store %staging[%s1] 0, %mo[%i, %c64] warpgroups 2 : !staging, !mo
      wgtile.producer_commit %staging[%s1] : !staging
    }
    wgtile.producer_tail %staging : !staging
    gpu.return
  }

  // Results that are staged before the loop would be in the way of its stages.
  // SCHEDULE-LABEL: gpu.func @before(
  // SCHEDULE-SAME:    #wgtile.schedule<specialized = true, stages = 1,
  // SCHEDULE-SAME:    consumer_registers = {{[0-9]+}}, overlap
  gpu.func @before(%mq: !mq, %mk: !mk, %mo: !mo, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !d
    %staging = wgtile.ring : !staging
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %q = wgtile.load %mq[%i, %c0] : !mq -> !q
      %first = arith.constant dense<0.0> : !stored
      %s2 = wgtile.producer_acquire %staging : !staging
      wgtile.ring_store %first, %staging[%s2] 0 : !stored, !staging
      wgtile.tma_store %staging[%s2] 0, %mo[%i, %c0] warpgroups 2 : !staging, !mo
      wgtile.producer_commit %staging[%s2] : !staging
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!d) {
        %k = wgtile.load %mk[%p, %c0] : !mk -> !k
        %d = wgtile.mma %q, %k, %acc transpose_b : !q, !k -> !d
        scf.yield %d : !d
      }
      %left = wgtile.extract_columns %r from 0 : !d -> !part
      %t0 = arith.truncf %left : !part to !stored
      %s0 = wgtile.producer_acquire %staging : !staging
      wgtile.ring_store %t0, %staging[%s0] 0 : !stored, !staging
      wgtile.tma_store %staging[%s0] 0, %mo[%i, %c0] warpgroups 2 : !staging, !mo
      wgtile.producer_commit %staging[%s0] : !staging
      %right = wgtile.extract_columns %r from 64 : !d -> !part
      %t1 = arith.truncf %right : !part to !stored
      %s1 = wgtile.producer_acquire %staging : !staging
      wgtile.ring_store %t1, %staging[%s1] 0 : !stored, !staging
      wgtile.tma_store %staging[%s1] 0, %mo[%i, %c64] warpgroups 2 : !staging, !mo
      wgtile.producer_commit %staging[%s1] : !staging
    }
    wgtile.producer_tail %staging : !staging
    gpu.return
  }
}
