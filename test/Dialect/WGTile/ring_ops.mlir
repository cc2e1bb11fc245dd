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
// CHECK:           wgtile.ring_release %{{.*}} held 1
// CHECK:         wgtile.for_each_tile {{.*}} attributes {persistent = 4 : i64}
func.func @ring(%m: !m, %i: index) {
  %ring = wgtile.ring warps 8 {barriers = 65536 : i64, offset = 0 : i64} : !ring
  wgtile.roles producer 40 {
    wgtile.ring_acquire %ring : !ring
    wgtile.ring_copy %ring 0, %m[%i, %i] : !ring, !m
    wgtile.ring_commit %ring : !ring
  } consumer 232 {
    %a = wgtile.ring_take %ring : !ring -> !a
    wgtile.ring_release %ring held 1 : !ring
  }
  wgtile.for_each_tile (%x, %y) in (%i, %i) attributes {persistent = 4 : i64} {
  }
  return
}
