// RUN: sparse-opt %s | sparse-opt | FileCheck %s

// A target names what differs from the chip's own resources.
// CHECK: gpu.module @short attributes {wgtile.target = #wgtile.target<chip = "sm_90a">}
gpu.module @short attributes {wgtile.target = #wgtile.target<chip = "sm_90a", wgmma = true, registers_per_sm = 65536>} {
  // CHECK: #wgtile.schedule<specialized = true, warps = 8, stages = 4, tile_stages = 2, ctas_per_sm = 1, entry_registers = 168,
  // CHECK-SAME: producer_registers = 56, consumer_registers = 224, raster_group = 4, borrow = true, overlap = false, order_warpgroups = true,
  // CHECK-SAME: persistent = true, dynamic = false, tile_order = sorted>
  gpu.func @kernel() kernel attributes {wgtile.schedule = #wgtile.schedule<
      tile_order = sorted, dynamic = false, persistent = true,
      order_warpgroups = true, overlap = false, borrow = true, raster_group = 4, consumer_registers = 224, producer_registers = 56,
      entry_registers = 168, ctas_per_sm = 1, tile_stages = 2, stages = 4, warps = 8, specialized = true>} {
    gpu.return
  }
  // CHECK: gpu.func @nothing() kernel attributes {wgtile.schedule = #wgtile.schedule<>}
  gpu.func @nothing() kernel attributes {wgtile.schedule = #wgtile.schedule<>} {
    gpu.return
  }
}

// An SM has room for one CTA of the shared memory given.
// CHECK: #wgtile.target<chip = "sm_80", shared_bytes = 20000, shared_bytes_per_sm = 21024, tma = true>
gpu.module @less attributes {wgtile.target = #wgtile.target<chip = "sm_80", shared_bytes = 20000, tma = true>} {
}

// CHECK: #wgtile.target<chip = "sm_42", shared_bytes = 1000, shared_bytes_per_sm = 4000, reserved_shared_bytes = 0,
// CHECK-SAME: registers_per_sm = 65536, registers_per_thread = 255, threads_per_cta = 1024, ctas_per_sm = 32, tma = false, wgmma = false, clusters = false>
gpu.module @unknown attributes {wgtile.target = #wgtile.target<chip = "sm_42", shared_bytes = 1000, shared_bytes_per_sm = 4000, reserved_shared_bytes = 0>} {
}
