// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected 'stages' to be positive, but got 0}}
func.func private @schedule_c1() attributes {test.schedule = #wgtile.schedule<stages = 0>}

// -----

// expected-error @below {{expected 'entry_registers' to be a multiple of 8 up to 256, but got 100}}
func.func private @schedule_c2() attributes {test.schedule = #wgtile.schedule<entry_registers = 100>}

// -----

// expected-error @below {{expected a field of a schedule, but got 'depth'}}
func.func private @schedule_field() attributes {test.schedule = #wgtile.schedule<depth = 1>}

// -----

// expected-error @below {{expected each field once, but got 'stages' again}}
func.func private @schedule_twice() attributes {test.schedule = #wgtile.schedule<stages = 1, stages = 1>}

// -----

// expected-error @below {{expected one of true, false}}
func.func private @schedule_flag() attributes {test.schedule = #wgtile.schedule<overlap = maybe>}

// -----

// expected-error @below {{expected one of ascending, descending, sorted}}
func.func private @schedule_order() attributes {test.schedule = #wgtile.schedule<tile_order = random>}

// -----

// expected-error @below {{expected 'registers_per_sm' to be from 1 to 2147483647, but got 0}}
func.func private @target_c1() attributes {test.target = #wgtile.target<chip = "sm_90a", registers_per_sm = 0>}

// -----

// expected-error @below {{expected at most 1000 bytes of shared memory, those of an SM, but got 1000 and 1024 reserved}}
func.func private @target_c2() attributes {test.target = #wgtile.target<chip = "sm_90a", shared_bytes = 1000, shared_bytes_per_sm = 1000>}

// -----

// expected-error @below {{expected a chip that kernels can be generated for (sm_90a, sm_80, sm_86, sm_89), but got 'sm_42' without 'shared_bytes'}}
func.func private @target_chip() attributes {test.target = #wgtile.target<chip = "sm_42">}

// -----

// expected-error @below {{expected a field of a target, but got 'bytes'}}
func.func private @target_field() attributes {test.target = #wgtile.target<chip = "sm_90a", bytes = 1>}

// -----

// expected-error @below {{expected 'wgtile.target' to be a #wgtile.target of a gpu.module, but got 1 : i64}}
gpu.module @target attributes {wgtile.target = 1 : i64} {
}

// -----

// expected-error @below {{expected 'wgtile.schedule' to be a #wgtile.schedule of a gpu.func, but got #wgtile.schedule<>}}
func.func private @schedule() attributes {wgtile.schedule = #wgtile.schedule<>}

// -----

// expected-error @below {{expected 'wgtile.zeroed' to be a unit attribute of a memref.alloc, but got unit}}
func.func private @zeroed() attributes {wgtile.zeroed}

// -----

// expected-error @below {{expected 'wgtile.left_zero' to be a unit attribute of a memref.alloc, but got unit}}
func.func private @left_zero() attributes {wgtile.left_zero}

// -----

gpu.module @tma {
  // expected-error @below {{expected 'wgtile.tma' to be a unit attribute of a function, but got true}}
  gpu.func @kernel() kernel attributes {wgtile.tma = true} {
    gpu.return
  }
}

// -----

gpu.module @tma_compatible {
  // expected-error @below {{expected 'wgtile.tma_compatible' to be a unit attribute of a function's argument, but got 1 : i64}}
  gpu.func @kernel(%m: memref<?x?xf32> {wgtile.tma_compatible = 1}) kernel {
    gpu.return
  }
}
