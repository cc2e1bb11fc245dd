// RUN: sparse-opt %s --wgtile-attach-target=chip=sm_80 | FileCheck %s
// RUN: not sparse-opt %s --wgtile-attach-target=chip=sm_42 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not sparse-opt %s --wgtile-schedule 2>&1 | FileCheck %s --check-prefix=NONE

// CHIP: error: expected a chip that kernels can be generated for (sm_90a, sm_80, sm_86, sm_89), but got 'sm_42'
// NONE: 'gpu.module' op expected a gpu.module with 'wgtile.target' (wgtile-attach-target)

// CHECK: gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_80">}
gpu.module @kernels {
}

// A target that is there stays.
// CHECK: gpu.module @others attributes {wgtile.target = #wgtile.target<chip = "sm_90a">}
gpu.module @others attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
}
