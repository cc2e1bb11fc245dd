// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --emit-bytecode | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!m = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK-LABEL: func.func @ring
// CHECK:         wgtile.ring warps 8 {barriers = 65536 : i64, offset = 0 : i64} : !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK:         %[[NONE:.*]] = wgtile.no_stage
// CHECK:         wgtile.roles producer warps 4 registers 40 {
// CHECK:           %[[FILLED:.*]] = wgtile.producer_acquire
// CHECK:           wgtile.tma_load %{{.*}}[%[[FILLED]]] 0, %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK:           wgtile.producer_commit %{{.*}}[%[[FILLED]]]
// CHECK:         }, consumer warps 8 registers 232 consumer_groups 1 {
// CHECK:           %[[FULL:.*]] = wgtile.consumer_wait
// CHECK:           wgtile.ring_tile %{{.*}}[%[[FULL]]] 0 : !wgtile.ring
// CHECK:           wgtile.consumer_release %{{.*}}[%[[NONE]]]
// CHECK:         wgtile.for_each_tile {{.*}} attributes {persistent = 4 : i64}
func.func @ring(%m: !m, %i: index) {
  %ring = wgtile.ring warps 8 {barriers = 65536 : i64, offset = 0 : i64} : !ring
  %none = wgtile.no_stage
  wgtile.roles producer warps 4 registers 40 {
    %filled = wgtile.producer_acquire %ring : !ring
    wgtile.tma_load %ring[%filled] 0, %m[%i, %i] : !ring, !m
    wgtile.producer_commit %ring[%filled] : !ring
  }, consumer warps 8 registers 232 consumer_groups 1 {
    %full = wgtile.consumer_wait %ring : !ring
    %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
    wgtile.consumer_release %ring[%none] : !ring
  }
  wgtile.for_each_tile (%x, %y) in (%i, %i) attributes {persistent = 4 : i64} {
  }
  return
}

!groups = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>], instances = [2]>
!t = tensor<64x128xf32>
// CHECK-LABEL: func.func @groups
// CHECK:         wgtile.ring warps 8 : !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>], instances = [2]>
// CHECK:           wgtile.tma_load %{{.*}}[%{{.*}}] 0 instance 1, %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK:         }, consumer warps 8 registers 232 consumer_groups 2 {
// CHECK:           wgtile.ring_tile %{{.*}}[%{{.*}}] 0 instance %{{.*}} : !wgtile.ring
// CHECK:           wgtile.consumer_drain %{{.*}}[%{{.*}}], %{{.*}} : !wgtile.ring
// CHECK:         wgtile.for_each_tile {{.*}} attributes {consumer_groups = array<i64: 2, 1>}
func.func @groups(%m: !m, %i: index, %acc: !t) {
  %ring = wgtile.ring warps 8 : !groups
  wgtile.roles producer warps 4 registers 40 {
    %filled = wgtile.producer_acquire %ring : !groups
    wgtile.tma_load %ring[%filled] 0 instance 1, %m[%i, %i] : !groups, !m
  }, consumer warps 8 registers 232 consumer_groups 2 {
    %full = wgtile.consumer_wait %ring : !groups
    %a = wgtile.ring_tile %ring[%full] 0 instance %i : !groups -> !a
    %t = wgtile.consumer_drain %ring[%full], %acc : !groups, !t
  }
  wgtile.for_each_tile (%x, %y) in (%i, %i) attributes {consumer_groups = array<i64: 2, 1>} {
  }
  return
}

// CHECK-LABEL: func.func @numbers
// CHECK:         %[[RING:.*]] = wgtile.ring warps 8 : !wgtile.ring<2, [i32]>
// CHECK:         %[[NEXT:.*]] = wgtile.next_tile
// CHECK:         wgtile.ring_store %[[NEXT]], %[[RING]][%{{.*}}] 0 : i32, !wgtile.ring<2, [i32]>
// CHECK:         wgtile.end %[[NEXT]] : i32
// CHECK:         %[[TOLD:.*]] = wgtile.ring_load %[[RING]][%{{.*}}] 0 : !wgtile.ring<2, [i32]>
// CHECK:         wgtile.end %[[TOLD]] : i32
func.func @numbers(%n: index, %counter: memref<?xi32>) {
  %ring = wgtile.ring warps 8 : !wgtile.ring<2, [i32]>
  wgtile.roles producer warps 4 registers 0 {
    wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
      %next = wgtile.next_tile
      %p = wgtile.producer_acquire %ring : !wgtile.ring<2, [i32]>
      wgtile.ring_store %next, %ring[%p] 0 : i32, !wgtile.ring<2, [i32]>
      wgtile.producer_commit %ring[%p] : !wgtile.ring<2, [i32]>
      wgtile.end %next : i32
    }
  }, consumer warps 8 registers 0 consumer_groups 1 {
    wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
      %c = wgtile.consumer_wait %ring : !wgtile.ring<2, [i32]>
      %next = wgtile.ring_load %ring[%c] 0 : !wgtile.ring<2, [i32]>
      wgtile.consumer_release %ring[%c] : !wgtile.ring<2, [i32]>
      wgtile.end %next : i32
    }
  }
  return
}

// CHECK-LABEL: func.func @three_roles
// CHECK:         wgtile.roles producer warps 4 registers 24 {
// CHECK-NEXT:    }, "next tile" warps 4 registers 0 {
// CHECK-NEXT:    }, consumer warps 8 registers 240 consumer_groups 1 {
// CHECK-NEXT:    } attributes {test.attribute}
func.func @three_roles() {
  wgtile.roles producer warps 4 registers 24 {
  }, "next tile" warps 4 registers 0 {
  }, consumer warps 8 registers 240 consumer_groups 1 {
  } attributes {test.attribute}
  return
}

// CHECK-LABEL: func.func @positions
// CHECK:         %{{.*}}:2 = wgtile.for_each_tile (%{{.*}}) in (%{{.*}}) iter_args(%[[S:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) -> (i32, i32) {
// CHECK:           wgtile.producer_acquire %{{.*}} at %[[S]], %[[P]] : !wgtile.ring
// CHECK:           wgtile.end %[[P]], %[[S]] : i32, i32
func.func @positions(%ring: !ring, %n: index, %x: i32) {
  %r:2 = wgtile.for_each_tile (%i) in (%n) iter_args(%stage = %x, %phase = %x) -> (i32, i32) {
    %filled = wgtile.producer_acquire %ring at %stage, %phase : !ring
    wgtile.producer_commit %ring[%filled] : !ring
    wgtile.end %phase, %stage : i32, i32
  }
  return
}

// CHECK-LABEL: func.func @staging
// CHECK:         %[[RING:.*]] = wgtile.ring {offset = 0 : i64} : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
// CHECK:         %[[S:.*]] = wgtile.producer_acquire %[[RING]]
// CHECK:         wgtile.ring_store %{{.*}}, %[[RING]][%[[S]]] 0 : tensor<128x64xbf16, #wgtile.mma<warps = 8>>, !wgtile.ring
// CHECK:         wgtile.tma_store %[[RING]][%[[S]]] 0, %{{.*}}[%{{.*}}, %{{.*}}] warpgroups 2 : !wgtile.ring
// CHECK:         wgtile.producer_commit %[[RING]][%[[S]]]
// CHECK:         wgtile.producer_tail %[[RING]]
!staging = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
func.func @staging(%t: tensor<128x64xbf16, #wgtile.mma<warps = 8>>, %m: !m, %i: index) {
  %ring = wgtile.ring {offset = 0 : i64} : !staging
  %s = wgtile.producer_acquire %ring : !staging
  wgtile.ring_store %t, %ring[%s] 0 : tensor<128x64xbf16, #wgtile.mma<warps = 8>>, !staging
  wgtile.tma_store %ring[%s] 0, %m[%i, %i] warpgroups 2 : !staging, !m
  wgtile.producer_commit %ring[%s] : !staging
  wgtile.producer_tail %ring : !staging
  return
}

!lender = !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
!borrower = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
// CHECK-LABEL: func.func @borrow
// CHECK:         %[[LENDER:.*]] = wgtile.ring warps 8 : !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>]>
// CHECK:         %[[RING:.*]] = wgtile.ring in %[[LENDER]] of !wgtile.ring<2, [!wgtile.shared<128x64xbf16, swizzle = 128>]> : !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
// CHECK:         %[[STAGE:.*]] = wgtile.consumer_wait %[[LENDER]]
// CHECK:         wgtile.stage_borrow %[[RING]] from %[[STAGE]] : !wgtile.ring<1
// CHECK:         wgtile.stage_return %[[RING]] : !wgtile.ring<1
func.func @borrow() {
  %lender = wgtile.ring warps 8 : !lender
  %ring = wgtile.ring in %lender of !lender : !borrower
  %stage = wgtile.consumer_wait %lender : !lender
  wgtile.stage_borrow %ring from %stage : !borrower
  wgtile.stage_return %ring : !borrower
  wgtile.consumer_release %lender[%stage] : !lender
  return
}
