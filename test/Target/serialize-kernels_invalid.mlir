// RUN: sparse-opt %s --sattn-serialize-kernels --verify-diagnostics

// expected-error @below {{expected kernels in the LLVM and NVVM dialects}}
gpu.module @kernels {
  // expected-error @below {{unsupported GPU operation: gpu.func}}
  // expected-error @below {{LLVM Translation failed for operation: gpu.func}}
  gpu.func @kernel() kernel {
    gpu.return
  }
}
