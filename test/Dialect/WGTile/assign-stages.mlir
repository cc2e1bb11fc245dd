// RUN: sparse-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(wgtile-assign-stages))' | FileCheck %s

!ring = !wgtile.ring<3, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>

// Each role carries the position of its ring through its loops, and a branch in
// which it waits for no stage leaves it.
// CHECK-LABEL: gpu.func @carried
// CHECK:         wgtile.roles producer
// CHECK-DAG:       %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK:           %{{.*}}:2 = wgtile.for_each_tile (%{{.*}}) in (%{{.*}}) iter_args(%[[S0:.*]] = %[[ZERO]], %[[P0:.*]] = %[[ZERO]]) -> (i32, i32) {
// CHECK-NEXT:        %[[L:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[S1:.*]] = %[[S0]], %[[P1:.*]] = %[[P0]]) -> (index, i32, i32) {
// CHECK-NEXT:          %[[I:.*]]:2 = scf.if %{{.*}} -> (i32, i32) {
// CHECK-NEXT:            wgtile.producer_acquire %{{.*}} at %[[S1]], %[[P1]] : !wgtile.ring
// CHECK:                 %[[ONE:.*]] = arith.constant 1 : i32
// CHECK:                 %[[UP:.*]] = arith.addi %[[S1]], %[[ONE]] : i32
// CHECK:                 %[[THREE:.*]] = arith.constant 3 : i32
// CHECK:                 %[[WRAPS:.*]] = arith.cmpi eq, %[[UP]], %[[THREE]] : i32
// CHECK:                 %[[NEXT:.*]] = arith.select %[[WRAPS]], %{{.*}}, %[[UP]] : i32
// CHECK:                 %[[FLIP:.*]] = arith.extui %[[WRAPS]] : i1 to i32
// CHECK:                 %[[PHASE:.*]] = arith.xori %[[P1]], %[[FLIP]] : i32
// CHECK:                 scf.yield %[[NEXT]], %[[PHASE]] : i32, i32
// CHECK-NEXT:          } else {
// CHECK-NEXT:            scf.yield %[[S1]], %[[P1]] : i32, i32
// CHECK-NEXT:          }
// CHECK:               scf.yield %{{.*}}, %[[I]]#0, %[[I]]#1 : index, i32, i32
// CHECK-NEXT:        } {wgtile.block_loop}
// CHECK:             wgtile.end %[[L]]#1, %[[L]]#2 : i32, i32
// CHECK-NEXT:      }
// CHECK-NEXT:    }, consumer
// CHECK:           wgtile.for_each_tile
// CHECK:             %[[W:.*]]:3 = scf.while (%{{.*}} = %{{.*}}, %[[S2:.*]] = %{{.*}}, %[[P2:.*]] = %{{.*}}) : (index, i32, i32) -> (index, i32, i32) {
// CHECK:               scf.condition(%{{.*}}) %{{.*}}, %[[S2]], %[[P2]] : index, i32, i32
// CHECK:             } do {
// CHECK-NEXT:        ^bb0(%{{.*}}: index, %[[S3:.*]]: i32, %[[P3:.*]]: i32):
// CHECK:               wgtile.consumer_wait %{{.*}} at %[[S3]], %[[P3]]
// CHECK:               scf.yield %{{.*}}, %{{.*}}, %{{.*}} : index, i32, i32
// CHECK:             wgtile.end %[[W]]#1, %[[W]]#2 : i32, i32
gpu.module @kernels {
  gpu.func @carried(%map: !map, %n: index, %yes: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 0 {
      wgtile.for_each_tile (%i) in (%n) {
        %r = scf.for %p = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
          scf.if %yes {
            %filled = wgtile.producer_acquire %ring : !ring
            wgtile.tma_load %ring[%filled] 0, %map[%i, %k] : !ring, !map
            wgtile.producer_commit %ring[%filled] : !ring
          }
          %next = arith.addi %k, %c1 : index
          scf.yield %next : index
        } {wgtile.block_loop}
      }
    }, consumer warps 4 registers 0 consumer_groups 1 {
      wgtile.for_each_tile (%i) in (%n) {
        %r = scf.while (%p = %c0) : (index) -> index {
          %inside = arith.cmpi slt, %p, %n : index
          scf.condition(%inside) %p : index
        } do {
        ^bb0(%p: index):
          %full = wgtile.consumer_wait %ring : !ring
          wgtile.consumer_release %ring[%full] : !ring
          %next = arith.addi %p, %c1 : index
          scf.yield %next : index
        }
      }
    }
    gpu.return
  }
}

// -----

!ring = !wgtile.ring<3, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

gpu.module @kernels {
  gpu.func @other_region(%n: index) kernel {
    %ring = wgtile.ring warps 4 : !ring
    // expected-error @below {{'scf.index_switch' op expected waits for stages in loops over tiles and in loops and branches of scf only}}
    scf.index_switch %n
    default {
      %full = wgtile.consumer_wait %ring : !ring
      wgtile.consumer_release %ring[%full] : !ring
    }
    gpu.return
  }
}

// -----

!staging = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!ring = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!two = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// A loop that leaves a position where it was does not carry it: two waits for a
// ring of two stages without barriers, one in each branch; two rounds of one stage
// with barriers, whose phase comes back.
// CHECK-LABEL: gpu.func @returning
// CHECK:         wgtile.for_each_tile (%{{.*}}) in (%{{.*}}) {
// CHECK-NEXT:      wgtile.producer_acquire %{{.*}} at %[[FIRST:.*]], %[[FIRST]] : !wgtile.ring<2,
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT:      scf.if %{{.*}} -> (i32, i32) {
// CHECK-NEXT:        wgtile.producer_acquire %{{.*}} at %[[ONE]], %[[FIRST]]
// CHECK:           } else {
// CHECK-NEXT:        wgtile.producer_acquire %{{.*}} at %[[ONE]], %[[FIRST]]
// CHECK:           wgtile.consumer_wait %{{.*}} at %[[START:.*]], %[[START]] : !wgtile.ring<1,
// CHECK-NEXT:      %[[STAGE:.*]] = arith.constant 0 : i32
// CHECK-NEXT:      %[[FLIPPED:.*]] = arith.constant 1 : i32
// CHECK-NEXT:      wgtile.consumer_wait %{{.*}} at %[[STAGE]], %[[FLIPPED]] : !wgtile.ring<1,
// CHECK-NOT:       wgtile.end %
// After one round of two stages with barriers the phase is the other one.
// CHECK-LABEL: gpu.func @one_round
// CHECK:         wgtile.for_each_tile (%{{.*}}) in (%{{.*}}) iter_args(%[[STAGE:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (i32, i32) {
// CHECK-NEXT:      wgtile.consumer_wait %{{.*}} at %[[STAGE]], %[[PHASE]]
// CHECK:           wgtile.end %{{.*}}, %{{.*}} : i32, i32
// An odd number: the stage is carried, and stays in the first phase.
// CHECK-LABEL: gpu.func @odd
// CHECK:         wgtile.for_each_tile (%{{.*}}) in (%{{.*}}) iter_args(%[[STAGE:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (i32, i32) {
// CHECK-NEXT:      wgtile.producer_acquire %{{.*}} at %[[STAGE]], %[[PHASE]]
// CHECK:           %[[NEXT:.*]] = arith.select
// CHECK:           wgtile.end %[[NEXT]], %[[PHASE]] : i32, i32
gpu.module @kernels {
  gpu.func @returning(%n: index, %yes: i1) kernel {
    %ring = wgtile.ring : !staging
    %full = wgtile.ring warps 4 : !ring
    wgtile.for_each_tile (%i) in (%n) {
      %s0 = wgtile.producer_acquire %ring : !staging
      scf.if %yes {
        %s1 = wgtile.producer_acquire %ring : !staging
      } else {
        %s1 = wgtile.producer_acquire %ring : !staging
      }
      %f0 = wgtile.consumer_wait %full : !ring
      %f1 = wgtile.consumer_wait %full : !ring
    }
    gpu.return
  }
  gpu.func @one_round(%n: index) kernel {
    %ring = wgtile.ring warps 4 : !two
    wgtile.for_each_tile (%i) in (%n) {
      %s0 = wgtile.consumer_wait %ring : !two
      %s1 = wgtile.consumer_wait %ring : !two
    }
    gpu.return
  }
  gpu.func @odd(%n: index) kernel {
    %ring = wgtile.ring : !staging
    wgtile.for_each_tile (%i) in (%n) {
      %s0 = wgtile.producer_acquire %ring : !staging
    }
    gpu.return
  }
}
