// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(convert-wgtile-to-nvvm))' | FileCheck %s

// CHECK-LABEL: gpu.func @delay
// CHECK:         llvm.inline_asm has_side_effects {{.*}}%clock{{.*}}mul.hi.u32 a, a, 1000;{{.*}}nanosleep.u32 a;
gpu.module @kernels {
  gpu.func @delay() kernel {
    wgtile.delay 2000 site 7
    gpu.return
  }
}
