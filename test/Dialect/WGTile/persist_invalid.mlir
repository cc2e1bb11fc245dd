// RUN: sparse-opt %s --wgtile-persist --split-input-file --verify-diagnostics

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{expected loops over tiles of two indices that are not persistent}}
    gpu.func @one_index(%n: index) kernel
        attributes {wgtile.schedule = #wgtile.schedule<persistent = true, raster_group = 4>} {
      wgtile.for_each_tile (%i) in (%n) {
      }
      gpu.return
    }
  }
  func.func @host(%n: index) {
    wgtile.launch @kernels::@one_index grid(%n) args(%n) : index
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{expected a persistent kernel with a raster group (wgtile-schedule)}}
    gpu.func @no_group(%n: index) kernel attributes {wgtile.schedule = #wgtile.schedule<persistent = true>} {
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
      }
      gpu.return
    }
  }
  func.func @host(%n: index) {
    wgtile.launch @kernels::@no_group grid(%n) args(%n) : index
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{expected sorted tiles to have a counter, and work that the host's arguments tell}}
    gpu.func @even(%n: index) kernel
        attributes {wgtile.schedule = #wgtile.schedule<persistent = true, dynamic = true, raster_group = 4, tile_order = sorted>} {
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
      }
      gpu.return
    }
  }
  func.func @host(%n: index) {
    wgtile.launch @kernels::@even grid(%n) args(%n) : index
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' op expected a loop over tiles in a persistent kernel, but got none}}
    gpu.func @k(%m: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.schedule = #wgtile.schedule<persistent = true, raster_group = 8, tile_order = sorted>} {
      gpu.return
    }
  }
  func.func @f(%m: memref<?xf32>, %n: index) {
    wgtile.launch @kernels::@k grid(%n) args(%m) : memref<?xf32>
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @below {{'gpu.func' op expected a loop over tiles in a persistent kernel, but got none}}
    gpu.func @k(%m: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.schedule = #wgtile.schedule<persistent = true, raster_group = 8, dynamic = true>} {
      gpu.return
    }
  }
  func.func @f(%m: memref<?xf32>, %n: index) {
    wgtile.launch @kernels::@k grid(%n) args(%m) : memref<?xf32>
    return
  }
}
