// RUN: sparse-opt %s --wgtile-schedule --wgtile-pipeline --remarks-filter=wgtile-schedule -o %t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s < %t.mlir

// CHECK-NOT: wgtile.stages
// CHECK: wgtile.load
!a = !wgtile.shared<16x64xbf16, swizzle = 128>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @kernel(%n: index, %a: memref<?x16x64xbf16>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      // REMARK: [[@LINE+1]]:7: remark: {{.*}}Pipeline{{.*}}loads are not issued ahead: the loop's step is not 1
      scf.for %p = %c0 to %n step %c2 {
        %x = wgtile.load %a[%p, %c0, %c0] aligned : memref<?x16x64xbf16> -> !a
      }
      // REMARK: [[@LINE+1]]:12: remark: {{.*}}Pipeline{{.*}}loads are not issued ahead: a load's place is not computed from the loop's index alone
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%at = %c0) -> (index) {
        %x = wgtile.load %a[%at, %c0, %c0] aligned : memref<?x16x64xbf16> -> !a
        %next = arith.addi %at, %p : index
        scf.yield %next : index
      }
      // Copies of one of two loops around each other are issued ahead.
      // REMARK: [[@LINE+1]]:7: remark: {{.*}}Pipeline{{.*}}loads are not issued ahead: a loop in it has loads that are
      scf.for %p = %c0 to %n step %c1 {
        %x = wgtile.load %a[%p, %c0, %c0] aligned : memref<?x16x64xbf16> -> !a
        scf.for %s = %c0 to %n step %c1 {
          %y = wgtile.load %a[%s, %c0, %c0] aligned : memref<?x16x64xbf16> -> !a
        }
      }
      // Nothing to load.
      scf.for %p = %c0 to %n step %c2 {
      }
    }
    gpu.return
  }
}
