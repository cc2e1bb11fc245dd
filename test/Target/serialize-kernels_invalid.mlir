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
