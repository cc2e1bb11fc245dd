// RUN: sparse-opt %s --sattn-serialize-kernels | FileCheck %s
// RUN: not sparse-opt %s --sattn-serialize-kernels=chip=sm_42 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not sparse-opt %s --sattn-serialize-kernels=format=elf 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not sparse-opt %s --sattn-serialize-kernels="format=cubin ptxas=%t.none" 2>&1 | FileCheck %s --check-prefix=PTXAS

// CHECK-NOT:   gpu.module
// CHECK:       gpu.binary @kernels
// CHECK-SAME:    #gpu.object<#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx86">
// CHECK-SAME:    .target sm_90a
// CHECK-SAME:    .entry kernel(
// CHECK-SAME:    .reqntid 128, 1, 1
// CHECK-NOT:   gpu.module

// CHIP: error: expected a chip that kernels can be generated for (sm_90a, sm_80, sm_86, sm_89), but got 'sm_42'
// FORMAT: error: expected format ptx or cubin, but got 'elf'
// PTXAS: error: expected ptxas at {{.*}}.none, but found none
gpu.module @kernels {
  llvm.func @kernel(%x: f32, %out: !llvm.ptr)
      attributes {gpu.kernel, nvvm.kernel,
                  nvvm.reqntid = array<i32: 128, 1, 1>} {
    llvm.store %x, %out : f32, !llvm.ptr
    llvm.return
  }
}
