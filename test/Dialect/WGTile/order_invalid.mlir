// RUN: sparse-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(wgtile-overlap,wgtile-specialize,wgtile-order-warpgroups))'

// Passes in an order that would silently do nothing, or harm.

gpu.module @kernels {
  // expected-error @below {{expected a kernel without roles: wgtile-overlap runs before wgtile-specialize}}
  gpu.func @overlap() kernel attributes {wgtile.schedule = #wgtile.schedule<overlap = true>} {
    wgtile.roles producer warps 4 registers 0 {
    }, consumer warps 4 registers 0 consumer_groups 1 {
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected roles: wgtile-order-warpgroups runs after wgtile-specialize}}
  gpu.func @order() kernel attributes {wgtile.schedule = #wgtile.schedule<order_warpgroups = true>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @persistent(%n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>,
                  wgtile.schedule = #wgtile.schedule<specialized = true, stages = 2, tile_stages = 1, ctas_per_sm = 1,
                      entry_registers = 168, producer_registers = 56, consumer_registers = 224>} {
    // expected-error @below {{expected a loop that is not persistent: wgtile-specialize runs before wgtile-persist}}
    wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {persistent = 4 : i64} {
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected a specialized kernel with stages, CTAs and registers (wgtile-schedule)}}
  gpu.func @incomplete(%n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.schedule = #wgtile.schedule<specialized = true>} {
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
    }
    gpu.return
  }
}
