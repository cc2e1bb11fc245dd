// RUN: sparse-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(wgtile-overlap))'

gpu.module @kernels {
  // expected-error @below {{expected a number of threads of whole warps up to 1024 (wgtile-assign-layouts), but got 0}}
  gpu.func @no_threads() kernel
      attributes {known_block_size = array<i32: 0, 1, 1>, wgtile.schedule = #wgtile.schedule<overlap = true>} {
    gpu.return
  }
}
