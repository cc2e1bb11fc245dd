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
