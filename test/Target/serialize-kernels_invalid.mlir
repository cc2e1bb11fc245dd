// RUN: sparse-opt %s --sattn-serialize-kernels=chip=sm_80 --split-input-file --verify-diagnostics

gpu.module @barriers {
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel} {
    // expected-error @below {{expected an instruction that sm_80 has; was the kernel made for another chip?}}
    nvvm.fence.mbarrier.init
    llvm.return
  }
}

// -----

gpu.module @warpgroups {
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel} {
    // expected-error @below {{expected an instruction that sm_80 has}}
    nvvm.wgmma.fence.aligned
    llvm.return
  }
}

// -----

// LLVM would end the process at these.
gpu.module @functions {
  llvm.func @kernel(%x: f64, %y: f32, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.intr.tanh(%y) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    %1 = llvm.intr.exp2(%y) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    // expected-error @below {{expected a function that a GPU can compute, but got 'llvm.intr.powi' of 'f32'}}
    %2 = llvm.intr.powi(%y, %n) : (f32, i32) -> f32
    llvm.return
  }
}

// -----

gpu.module @doubles {
  llvm.func @kernel(%x: f64) attributes {gpu.kernel, nvvm.kernel} {
    // expected-error @below {{expected a function that a GPU can compute, but got 'llvm.intr.log' of 'f64'}}
    %0 = llvm.intr.log(%x) : (f64) -> f64
    llvm.return
  }
}
