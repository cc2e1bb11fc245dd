// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --emit-bytecode | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!m = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK-LABEL: func.func @ring
// CHECK:         wgtile.ring warps 8 {barriers = 65536 : i64, offset = 0 : i64} : !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK:         wgtile.roles producer 40 {
// CHECK:           wgtile.ring_acquire
// CHECK:           wgtile.ring_copy %{{.*}} 0, %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK:           wgtile.ring_commit
// CHECK:         } consumer 232 {
// CHECK:           wgtile.ring_take
// CHECK:           wgtile.ring_tile %{{.*}} 0 : !wgtile.ring
// CHECK:           wgtile.ring_release %{{.*}} held 1
// CHECK:         wgtile.for_each_tile {{.*}} attributes {persistent = 4 : i64}
func.func @ring(%m: !m, %i: index) {
  %ring = wgtile.ring warps 8 {barriers = 65536 : i64, offset = 0 : i64} : !ring
  wgtile.roles producer 40 {
    wgtile.ring_acquire %ring : !ring
    wgtile.ring_copy %ring 0, %m[%i, %i] : !ring, !m
    wgtile.ring_commit %ring : !ring
  } consumer 232 {
    wgtile.ring_take %ring : !ring
    %a = wgtile.ring_tile %ring 0 : !ring -> !a
    wgtile.ring_release %ring held 1 : !ring
  }
  wgtile.for_each_tile (%x, %y) in (%i, %i) attributes {persistent = 4 : i64} {
  }
  return
}

!groups = !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>], instances = [2]>
!t = tensor<64x128xf32>
// CHECK-LABEL: func.func @groups
// CHECK:         wgtile.ring warps 8 : !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>], instances = [2]>
// CHECK:           wgtile.ring_copy %{{.*}} 0 instance 1, %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK:         } consumer 232 groups 2 {
// CHECK:           wgtile.ring_tile %{{.*}} 0 instance %{{.*}} : !wgtile.ring
// CHECK:           wgtile.ring_drain %{{.*}}, %{{.*}} held 2
// CHECK:         wgtile.for_each_tile {{.*}} attributes {groups = array<i64: 2, 1>}
func.func @groups(%m: !m, %i: index, %acc: !t) {
  %ring = wgtile.ring warps 8 : !groups
  wgtile.roles producer 40 {
    wgtile.ring_copy %ring 0 instance 1, %m[%i, %i] : !groups, !m
  } consumer 232 groups 2 {
    %a = wgtile.ring_tile %ring 0 instance %i : !groups -> !a
    %t = wgtile.ring_drain %ring, %acc held 2 : !groups, !t
  }
  wgtile.for_each_tile (%x, %y) in (%i, %i) attributes {groups = array<i64: 2, 1>} {
  }
  return
}

// CHECK-LABEL: func.func @queue
// CHECK:         wgtile.queue_acquire
// CHECK-NEXT:    wgtile.queue_write
// CHECK-NEXT:    wgtile.queue_commit
// CHECK:         wgtile.queue_take
// CHECK-NEXT:    wgtile.queue_read
// CHECK-NEXT:    wgtile.queue_release
func.func @queue(%n: index, %counter: memref<?xi32>) {
  wgtile.roles producer 0 {
    wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
      wgtile.queue_acquire
      wgtile.queue_write
      wgtile.queue_commit
    }
  } consumer 0 {
    wgtile.for_each_tile (%i, %j) in (%n, %n) counter %counter : memref<?xi32> attributes {persistent = 4 : i64} {
      wgtile.queue_take
      wgtile.queue_read
      wgtile.queue_release
    }
  }
  return
}
