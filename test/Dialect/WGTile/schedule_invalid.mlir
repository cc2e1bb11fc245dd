// RUN: sparse-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(wgtile-schedule)'

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  // expected-error @below {{expected a kernel without roles: wgtile-schedule runs before wgtile-specialize}}
  gpu.func @too_late() kernel {
    wgtile.roles producer warps 4 registers 0 {
    }, consumer warps 4 registers 0 consumer_groups 1 {
    }
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  // expected-error @below {{expected a number of threads of whole warps up to 1024 (wgtile-assign-layouts), but got 0}}
  gpu.func @no_threads(%n: index) kernel attributes {known_block_size = array<i32: 0, 8, 8>} {
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
    }
    gpu.return
  }
}
