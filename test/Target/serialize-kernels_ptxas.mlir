// REQUIRES: ptxas
// RUN: sparse-opt %s --sattn-serialize-kernels="format=cubin ptxas=%ptxas" | FileCheck %s
// RUN: sparse-opt %s --sattn-serialize-kernels=format=cubin | FileCheck %s

// CHECK:      gpu.binary @kernels
// CHECK-SAME:   #gpu.object<#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx86">, bin = "\7FELF
gpu.module @kernels {
  llvm.func @kernel(%x: f32, %out: !llvm.ptr)
      attributes {gpu.kernel, nvvm.kernel,
                  nvvm.reqntid = array<i32: 128, 1, 1>} {
    llvm.store %x, %out : f32, !llvm.ptr
    llvm.return
  }
}
