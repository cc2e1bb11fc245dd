// RUN: sparse-opt %s --split-input-file --pass-pipeline='builtin.module(wgtile-schedule,gpu.module(wgtile-specialize,wgtile-verify-sync))' | FileCheck %s

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// Tiles that one op reads last travel in one stage, whatever reads them before:
// %a and %b. Those of another op have a ring of their own, and its stage is given
// back as soon as that op is over: %k.
// CHECK-LABEL: gpu.func @last_reader
// CHECK:         %[[K:.*]] = wgtile.ring warps 4 : !wgtile.ring<{{[0-9]+}}, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK:         %[[AB:.*]] = wgtile.ring warps 4 : !wgtile.ring<{{[0-9]+}}, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK-NOT:     wgtile.ring warps
// CHECK:         wgtile.roles producer
// CHECK:           wgtile.producer_acquire %[[K]]
// CHECK-NEXT:      wgtile.tma_load %[[K]][%{{.*}}] 0, %[[MK:[a-z0-9]+]]
// CHECK-NEXT:      wgtile.producer_commit %[[K]]
// CHECK:           wgtile.producer_acquire %[[AB]]
// CHECK-NEXT:      wgtile.tma_load %[[AB]][%{{.*}}] 0
// CHECK-NEXT:      wgtile.tma_load %[[AB]][%{{.*}}] 1
// CHECK-NEXT:      wgtile.producer_commit %[[AB]]
// CHECK:         consumer
// CHECK:           wgtile.consumer_wait %[[K]]
// CHECK:           wgtile.consumer_wait %[[AB]]
// CHECK:           wgtile.mma
// CHECK-NEXT:      wgtile.consumer_release %[[K]][%{{.*}}]
// CHECK:           wgtile.mma
// CHECK-NEXT:      wgtile.consumer_release %[[AB]][%{{.*}}]
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @last_reader(%mk: !ma, %ma: !ma, %mb: !ma, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %k = wgtile.load %mk[%p, %j] : !ma -> !a
        %a = wgtile.load %ma[%p, %i] : !ma -> !a
        %b = wgtile.load %mb[%p, %i] : !ma -> !a
        %s = wgtile.mma %a, %k, %acc : !a, !a -> !acc
        %d = wgtile.mma %a, %b, %s : !a, !a -> !acc
        scf.yield %d : !acc
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// Two loops, one after the other, as one that was cut: of two rings with equal
// tiles, the second loop goes on with the one of the same memory, in either order.
// CHECK-LABEL: gpu.func @same_source
// CHECK-SAME:    %[[MK:[a-z0-9]+]]: !wgtile.tensor_map<64x64xbf16, swizzle = 128>, %[[MV:[a-z0-9]+]]: !wgtile.tensor_map
// CHECK:         wgtile.ring warps
// CHECK:         wgtile.ring warps
// CHECK:         wgtile.ring warps
// CHECK-NOT:     wgtile.ring warps
// CHECK:         wgtile.roles producer
// CHECK:           scf.for
// CHECK:             wgtile.tma_load %[[K:[a-z0-9]+]][%{{.*}}] 0, %[[MK]]
// CHECK:             wgtile.tma_load %[[V:[a-z0-9]+]][%{{.*}}] 0, %[[MV]]
// CHECK:           scf.for
// CHECK:             wgtile.tma_load %[[V]][%{{.*}}] 0, %[[MV]]
// CHECK:             wgtile.tma_load %[[K]][%{{.*}}] 0, %[[MK]]
// CHECK:         consumer
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @same_source(%mk: !ma, %mv: !ma, %mq: !ma, %out: memref<?x?xf32>, %n: index, %m: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %q = wgtile.load %mq[%i, %j] : !ma -> !a
      %r = scf.for %p = %c0 to %m step %c1 iter_args(%acc = %zero) -> (!acc) {
        %k = wgtile.load %mk[%p, %j] : !ma -> !a
        %s = wgtile.mma_async %q, %k, %zero : !a, !a -> !acc
        %v = wgtile.load %mv[%p, %j] : !ma -> !a
        %d = wgtile.mma_async %q, %v, %acc : !a, !a -> !acc
        %w:2 = wgtile.warpgroup_mma_wait %s, %d pending 0 : !acc, !acc
        %sum = arith.addf %w#0, %w#1 : !acc
        scf.yield %sum : !acc
      }
      %t = scf.for %p = %m to %n step %c1 iter_args(%acc = %r) -> (!acc) {
        %v = wgtile.load %mv[%p, %j] : !ma -> !a
        %d = wgtile.mma_async %q, %v, %acc : !a, !a -> !acc
        %k = wgtile.load %mk[%p, %j] : !ma -> !a
        %s = wgtile.mma_async %q, %k, %zero : !a, !a -> !acc
        %w:2 = wgtile.warpgroup_mma_wait %s, %d pending 0 : !acc, !acc
        %sum = arith.addf %w#0, %w#1 : !acc
        scf.yield %sum : !acc
      }
      wgtile.store %t, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// An asynchronous product still reads its tile when the next one is loaded: the two
// have different rings. Once they are waited for, a third tile takes the first of
// these rings again.
// CHECK-LABEL: gpu.func @still_running
// CHECK:         %[[Q:.*]] = wgtile.ring warps
// CHECK:         %[[K:.*]] = wgtile.ring warps
// CHECK:         %[[V:.*]] = wgtile.ring warps
// CHECK-NOT:     wgtile.ring warps
// CHECK:         wgtile.roles producer
// CHECK:           wgtile.producer_commit %[[Q]]
// CHECK:           wgtile.producer_commit %[[K]]
// CHECK:           wgtile.producer_commit %[[V]]
// CHECK:           wgtile.producer_commit %[[K]]
// CHECK:         consumer
// CHECK:           wgtile.consumer_wait %[[K]]
// CHECK:           wgtile.consumer_wait %[[V]]
// CHECK:           wgtile.warpgroup_mma_wait
// CHECK:           wgtile.consumer_wait %[[K]]
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @still_running(%mk: !ma, %mq: !ma, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %q = wgtile.load %mq[%i, %j] : !ma -> !a
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %k = wgtile.load %mk[%p, %j] : !ma -> !a
        %s = wgtile.mma_async %q, %k, %zero : !a, !a -> !acc
        %v = wgtile.load %mk[%p, %i] : !ma -> !a
        %d = wgtile.mma_async %q, %v, %acc : !a, !a -> !acc
        %w:2 = wgtile.warpgroup_mma_wait %s, %d pending 0 : !acc, !acc
        %sum = arith.addf %w#0, %w#1 : !acc
        %u = wgtile.load %mk[%i, %p] : !ma -> !a
        %e = wgtile.mma %q, %u, %sum : !a, !a -> !acc
        scf.yield %e : !acc
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}
