// RUN: sparse-opt %s --convert-kernel-to-llvm | FileCheck %s

// The special-function unit computes powers of two and logarithms to the base of
// two where approximations are allowed, and tanh is left to LLVM with that flag.
// CHECK-LABEL: llvm.func @approximate(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: f32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[X]]) : (f32) -> f32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
// CHECK:         llvm.intr.tanh({{.*}}) {fastmathFlags = #llvm.fastmath<afn>}

// Without the flag, of other types, or with other flags they stay exact.
// CHECK-LABEL: llvm.func @exact(
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         llvm.intr.exp2
// CHECK:         llvm.intr.log2
// CHECK:         llvm.intr.exp2
// CHECK:         llvm.intr.exp2({{.*}}) {fastmathFlags = #llvm.fastmath<afn>} : (f64) -> f64
// CHECK-NOT:     llvm.call_intrinsic
gpu.module @kernels {
  gpu.func @approximate(%x: f32, %out: memref<f32>) kernel {
    %0 = math.exp2 %x fastmath<afn> : f32
    %1 = math.log2 %0 fastmath<afn> : f32
    %2 = math.exp2 %1 fastmath<fast> : f32
    %3 = math.tanh %2 fastmath<afn> : f32
    memref.store %3, %out[] : memref<f32>
    gpu.return
  }

  gpu.func @exact(%x: f32, %y: f64, %out: memref<f32>, %out64: memref<f64>) kernel {
    %0 = math.exp2 %x : f32
    %1 = math.log2 %0 : f32
    %2 = math.exp2 %1 fastmath<nnan, contract> : f32
    memref.store %2, %out[] : memref<f32>
    %3 = math.exp2 %y fastmath<afn> : f64
    memref.store %3, %out64[] : memref<f64>
    gpu.return
  }
}
