// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --emit-bytecode | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!m = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK-LABEL: func.func @ring
// CHECK:         wgtile.ring warps 8 {barriers = 65536 : i64, offset = 0 : i64} : !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK:         wgtile.roles producer 40 {
// CHECK:           wgtile.producer_acquire
// CHECK:           wgtile.tma_load %{{.*}} 0, %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK:           wgtile.producer_commit
// CHECK:         } consumer 232 {
// CHECK:           wgtile.consumer_wait
// CHECK:           wgtile.ring_tile %{{.*}} 0 : !wgtile.ring
// CHECK:           wgtile.consumer_release %{{.*}} held 1
// CHECK:         wgtile.for_each_tile {{.*}} attributes {persistent = 4 : i64}
func.func @ring(%m: !m, %i: index) {
  %ring = wgtile.ring warps 8 {barriers = 65536 : i64, offset = 0 : i64} : !ring
  wgtile.roles producer 40 {
    wgtile.producer_acquire %ring : !ring
    wgtile.tma_load %ring 0, %m[%i, %i] : !ring, !m
    wgtile.producer_commit %ring : !ring
  } consumer 232 {
    wgtile.consumer_wait %ring : !ring
    %a = wgtile.ring_tile %ring 0 : !ring -> !a
    wgtile.consumer_release %ring held 1 : !ring
  }
  wgtile.for_each_tile (%x, %y) in (%i, %i) attributes {persistent = 4 : i64} {
  }
  return
}

!groups = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>], instances = [2]>
!t = tensor<64x128xf32>
// CHECK-LABEL: func.func @groups
// CHECK:         wgtile.ring warps 8 : !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>], instances = [2]>
// CHECK:           wgtile.tma_load %{{.*}} 0 instance 1, %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK:         } consumer 232 groups 2 {
// CHECK:           wgtile.ring_tile %{{.*}} 0 instance %{{.*}} : !wgtile.ring
// CHECK:           wgtile.consumer_drain %{{.*}}, %{{.*}} held 2
// CHECK:         wgtile.for_each_tile {{.*}} attributes {consumer_groups = array<i64: 2, 1>}
func.func @groups(%m: !m, %i: index, %acc: !t) {
  %ring = wgtile.ring warps 8 : !groups
  wgtile.roles producer 40 {
    wgtile.tma_load %ring 0 instance 1, %m[%i, %i] : !groups, !m
  } consumer 232 groups 2 {
    %a = wgtile.ring_tile %ring 0 instance %i : !groups -> !a
    %t = wgtile.consumer_drain %ring, %acc held 2 : !groups, !t
  }
  wgtile.for_each_tile (%x, %y) in (%i, %i) attributes {consumer_groups = array<i64: 2, 1>} {
  }
  return
}

// CHECK-LABEL: func.func @queue
// CHECK:         wgtile.work_tile_acquire
// CHECK-NEXT:    wgtile.work_tile_write
// CHECK-NEXT:    wgtile.work_tile_commit
// CHECK:         wgtile.work_tile_wait
// CHECK-NEXT:    wgtile.work_tile_read
// CHECK-NEXT:    wgtile.work_tile_release
func.func @queue(%n: index, %counter: memref<?xi32>) {
  wgtile.roles producer 0 {
    wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
      wgtile.work_tile_acquire
      wgtile.work_tile_write
      wgtile.work_tile_commit
    }
  } consumer 0 {
    wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
      wgtile.work_tile_wait
      wgtile.work_tile_read
      wgtile.work_tile_release
    }
  }
  return
}
