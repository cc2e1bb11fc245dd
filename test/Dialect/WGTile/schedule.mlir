// RUN: sparse-opt %s --split-input-file --remarks-filter='wgtile-schedule' --wgtile-schedule 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.err
// RUN: sparse-opt %s --split-input-file --wgtile-schedule | sparse-opt --split-input-file --wgtile-schedule | FileCheck %s

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
!mb = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!left = tensor<64x128xbf16, #wgtile.mma<warps = 4>>

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  // One warpgroup computes, so two CTAs share an SM: each has four stages of 24 KB.
  // CHECK-LABEL: gpu.func @product(
  // CHECK-SAME:    #wgtile.schedule<specialized = true, stages = 4, tile_stages = 2, ctas_per_sm = 2, entry_registers = 128,
  // CHECK-SAME:    producer_registers = 56, consumer_registers = 200, overlap = false, order_warpgroups = false>
  gpu.func @product(%ma: !ma, %mb: !mb, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %a = wgtile.load %ma[%p, %c0, %c0] : !ma -> !a
        %b = wgtile.load %mb[%p, %j] : !mb -> !b
        %d = wgtile.mma %a, %b, %acc : !a, !b -> !acc
        scf.yield %d : !acc
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }

  // A hint is kept as far as it fits, and the CTAs that are asked for share the memory.
  // CHECK-LABEL: gpu.func @hints(
  // CHECK-SAME:    specialized = true, stages = 3, tile_stages = 2, ctas_per_sm = 1, entry_registers = 248
  gpu.func @hints(%ma: !ma, %mb: !mb, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>,
                  wgtile.schedule = #wgtile.schedule<stages = 3, ctas_per_sm = 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %a = wgtile.load %ma[%p, %c0, %c0] : !ma -> !a
        %b = wgtile.load %mb[%p, %j] : !mb -> !b
        %d = wgtile.mma %a, %b, %acc : !a, !b -> !acc
        scf.yield %d : !acc
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }

  // Of two MMAs in a chain the next block's first will run beside this block's last:
  // their tiles, of one type, have rings of their own.
  // CHECK-LABEL: gpu.func @chain(
  // CHECK-SAME:    specialized = true, stages = 1, tile_stages = 1, ctas_per_sm = 2
  // CHECK-SAME:    overlap = true, order_warpgroups = false
  gpu.func @chain(%mb: !mb, %out: memref<?x?xf32>, %q: !b, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %k = wgtile.load %mb[%p, %c0] : !mb -> !wgtile.shared<128x128xbf16, swizzle = 128>
        %s = wgtile.mma %q, %k, %zero : !b, !wgtile.shared<128x128xbf16, swizzle = 128> -> !acc
        %t = arith.truncf %s : !acc to !left
        %v = wgtile.load %mb[%p, %c1] : !mb -> !wgtile.shared<128x128xbf16, swizzle = 128>
        %d = wgtile.mma %t, %v, %acc : !left, !wgtile.shared<128x128xbf16, swizzle = 128> -> !acc
        scf.yield %d : !acc
      } {wgtile.block_loop}
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }

  // REMARK: remark: {{.*}}two MMAs in a chain do not overlap: it writes to memory
  // CHECK-LABEL: gpu.func @writes(
  // CHECK-SAME:    overlap = false
  gpu.func @writes(%mb: !mb, %out: memref<?x?xf32>, %q: !a, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %k = wgtile.load %mb[%p, %c0] : !mb -> !b
        %s = wgtile.mma %q, %k, %zero : !a, !b -> !acc
        wgtile.store %s, %out[%i, %p] in_bounds [true, true] : !acc, memref<?x?xf32>
        %t = arith.truncf %s : !acc to !left
        %v = wgtile.load %mb[%p, %c1] : !mb -> !wgtile.shared<128x128xbf16, swizzle = 128>
        %d = wgtile.mma %t, %v, %acc : !left, !wgtile.shared<128x128xbf16, swizzle = 128> -> !acc
        scf.yield %d : !acc
      } {wgtile.block_loop}
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }

  // Threads copy what TMA cannot: four stages, and two CTAs of an SM.
  // CHECK-LABEL: gpu.func @copies(
  // CHECK-SAME:    #wgtile.schedule<specialized = false, stages = 4, ctas_per_sm = 2, overlap = false, order_warpgroups = false>
  gpu.func @copies(%x: memref<?x?xbf16>, %n: index, %zeros: !acc) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (!acc) {
      %a = wgtile.load %x[%p, %c0] : memref<?x?xbf16> -> !a
      %b = wgtile.load %x[%p, %c1] : memref<?x?xbf16> -> !b
      %d = wgtile.mma %a, %b, %acc mma_sync : !a, !b -> !acc
      scf.yield %d : !acc
    }
    gpu.return
  }

  // REMARK: remark: {{.*}}loads are not issued ahead: two stages of 131072 bytes do not fit
  // CHECK-LABEL: gpu.func @too_large(
  // CHECK-SAME:    #wgtile.schedule<specialized = false, overlap = false, order_warpgroups = false>
  gpu.func @too_large(%x: memref<?x?xbf16>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %p = %c0 to %n step %c1 {
      %a = wgtile.load %x[%p, %c0] : memref<?x?xbf16> -> !wgtile.shared<256x256xbf16, swizzle = 128>
      scf.yield
    }
    gpu.return
  }
}

// -----

// Tiles that are read to registers are CTAs of their own, and start
// before the kernel in front of them ends, unless the schedule says otherwise.
module attributes {gpu.container_module} {
  gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
    // CHECK-LABEL: gpu.func @registers(
    // CHECK-SAME:    #wgtile.schedule<specialized = false, overlap = false, order_warpgroups = false, persistent = false, programmatic_launch = true>
    gpu.func @registers(%x: memref<?x?xf32>, %n: index) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %t = wgtile.read %x[%i, %j] in_bounds [true, true] : memref<?x?xf32> -> tensor<64x64xf32>
        wgtile.store %t, %x[%i, %j] in_bounds [true, true] : tensor<64x64xf32>, memref<?x?xf32>
      }
      gpu.return
    }
    // A tile of 32 registers is kept over a loop: 64 more, and 20 warps share an SM.
    // CHECK-LABEL: gpu.func @kept(
    // CHECK-SAME:    ctas_per_sm = 20, {{.*}}persistent = false, programmatic_launch = true>
    gpu.func @kept(%x: memref<?x?xf32>, %n: index) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %t = wgtile.read %x[%i, %j] in_bounds [true, true] aligned : memref<?x?xf32> -> tensor<16x64xf32, #wgtile.mma<warps = 1, run = 4>>
        scf.for %p = %c0 to %n step %c1 {
          %u = wgtile.read %x[%i, %p] in_bounds [true, true] aligned : memref<?x?xf32> -> tensor<16x64xf32, #wgtile.mma<warps = 1, run = 4>>
          wgtile.store %u, %x[%i, %p] in_bounds [true, true] aligned : tensor<16x64xf32, #wgtile.mma<warps = 1, run = 4>>, memref<?x?xf32>
        } {wgtile.block_loop}
        wgtile.store %t, %x[%i, %j] in_bounds [true, true] aligned : tensor<16x64xf32, #wgtile.mma<warps = 1, run = 4>>, memref<?x?xf32>
      }
      gpu.return
    }
    // Tiles of two arrays: half of the 64 once more.
    // CHECK-LABEL: gpu.func @kept_pair(
    // CHECK-SAME:    ctas_per_sm = 12, {{.*}}persistent = false, programmatic_launch = true>
    gpu.func @kept_pair(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %n: index) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %t = wgtile.read %x[%i, %j] in_bounds [true, true] aligned : memref<?x?xf32> -> tensor<16x64xf32, #wgtile.mma<warps = 1, run = 4>>
        %transposed = memref.transpose %y (d0, d1) -> (d1, d0) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
        %back = memref.transpose %transposed (d0, d1) -> (d1, d0) : memref<?x?xf32, strided<[1, ?]>> to memref<?x?xf32, strided<[?, 1]>>
        %u = wgtile.read %back[%i, %j] in_bounds [true, true] aligned : memref<?x?xf32, strided<[?, 1]>> -> tensor<16x64xf32, #wgtile.mma<warps = 1, run = 4>>
        scf.for %p = %c0 to %n step %c1 {
          wgtile.store %u, %x[%i, %p] in_bounds [true, true] aligned : tensor<16x64xf32, #wgtile.mma<warps = 1, run = 4>>, memref<?x?xf32>
        } {wgtile.block_loop}
        wgtile.store %t, %x[%i, %j] in_bounds [true, true] aligned : tensor<16x64xf32, #wgtile.mma<warps = 1, run = 4>>, memref<?x?xf32>
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @persistent(
    // CHECK-SAME:    ctas_per_sm = 8, {{.*}}persistent = true, dynamic = true
    // CHECK-NOT:     programmatic_launch
    // CHECK:         wgtile.for_each_tile
    gpu.func @persistent(%x: memref<?x?xf32>, %n: index) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.schedule = #wgtile.schedule<persistent = true>} {
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %t = wgtile.read %x[%i, %j] in_bounds [true, true] : memref<?x?xf32> -> tensor<64x64xf32>
        wgtile.store %t, %x[%i, %j] in_bounds [true, true] : tensor<64x64xf32>, memref<?x?xf32>
      }
      gpu.return
    }
  }
  func.func @host(%x: memref<?x?xf32>, %n: index) {
    wgtile.launch @kernels::@registers grid(%n) args(%x, %n) : memref<?x?xf32>, index
    wgtile.launch @kernels::@kept grid(%n) args(%x, %n) : memref<?x?xf32>, index
    wgtile.launch @kernels::@persistent grid(%n) args(%x, %n) : memref<?x?xf32>, index
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
    // CHECK-LABEL: gpu.func @seven(
    // CHECK-SAME:    raster_group = 7, {{.*}} persistent = true, dynamic = true, tile_order = ascending>
    gpu.func @seven(%n: index) kernel attributes {wgtile.schedule = #wgtile.schedule<raster_group = 7>} {
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @too_many(
    // CHECK-SAME:    raster_group = 64,
    gpu.func @too_many(%n: index) kernel attributes {wgtile.schedule = #wgtile.schedule<raster_group = 4294967296>} {
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @one_index(
    // CHECK-SAME:    persistent = false>
    gpu.func @one_index(%n: index) kernel {
      wgtile.for_each_tile (%i) in (%n) {
      }
      gpu.return
    }
    // The work grows with the row.
    // CHECK-LABEL: gpu.func @causal(
    // CHECK-SAME:    raster_group = 4, {{.*}} tile_order = descending>
    gpu.func @causal(%n: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        scf.for %p = %c0 to %i step %c1 {
        }
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @by_rows(
    // CHECK-SAME:    tile_order = sorted>
    gpu.func @by_rows(%n: index, %rows: memref<?xindex>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %end = memref.load %rows[%i] : memref<?xindex>
        scf.for %p = %c0 to %end step %c1 {
        }
      }
      gpu.return
    }
    // What the program asks for is kept.
    // CHECK-LABEL: gpu.func @asked(
    // CHECK-SAME:    dynamic = false, tile_order = ascending>
    gpu.func @asked(%n: index, %rows: memref<?xindex>) kernel
        attributes {wgtile.schedule = #wgtile.schedule<dynamic = false>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %end = memref.load %rows[%i] : memref<?xindex>
        scf.for %p = %c0 to %end step %c1 {
        }
      }
      gpu.return
    }
    // REMARK: remark: {{.*}}tiles of unequal cost are not sorted
    // CHECK-LABEL: gpu.func @count_in_memory(
    // CHECK-SAME:    tile_order = ascending>
    gpu.func @count_in_memory(%rows: memref<?xindex>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = memref.load %rows[%c0] : memref<?xindex>
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %end = memref.load %rows[%i] : memref<?xindex>
        scf.for %p = %c0 to %end step %c1 {
        }
      }
      gpu.return
    }
  }
  func.func @host(%n: index, %rows: memref<?xindex>) {
    wgtile.launch @kernels::@seven grid(%n) args(%n) : index
    wgtile.launch @kernels::@too_many grid(%n) args(%n) : index
    wgtile.launch @kernels::@one_index grid(%n) args(%n) : index
    wgtile.launch @kernels::@causal grid(%n) args(%n) : index
    wgtile.launch @kernels::@by_rows grid(%n) args(%n, %rows) : index, memref<?xindex>
    wgtile.launch @kernels::@asked grid(%n) args(%n, %rows) : index, memref<?xindex>
    wgtile.launch @kernels::@count_in_memory grid(%n) args(%rows) : memref<?xindex>
    return
  }
}

// -----

// Tiles of a few MMAs have a fixed order, whether or not they have a step at run
// time; longer ones, and those whose length is not known, a counter.

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x128xf32, #wgtile.mma<warps = 4>>
module attributes {gpu.container_module} {
  gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
    // CHECK-LABEL: gpu.func @four_steps(
    // CHECK-SAME:    persistent = true, dynamic = false, programmatic_launch = true,
    gpu.func @four_steps(%ma: !ma, %out: memref<?x?xf32>, %n: index, %some: i1) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %steps = arith.select %some, %c4, %c0 : index
      %zero = arith.constant dense<0.0> : !acc
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %r = scf.for %p = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (!acc) {
          %a = wgtile.load %ma[%p, %i] : !ma -> !a
          %b = wgtile.load %ma[%p, %j] : !ma -> !b
          %d = wgtile.mma %a, %b, %acc : !a, !b -> !acc
          scf.yield %d : !acc
        } {wgtile.block_loop}
        wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @five_steps(
    // CHECK-SAME:    persistent = true, dynamic = true,
    gpu.func @five_steps(%ma: !ma, %out: memref<?x?xf32>, %n: index) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      %zero = arith.constant dense<0.0> : !acc
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %r = scf.for %p = %c0 to %c5 step %c1 iter_args(%acc = %zero) -> (!acc) {
          %a = wgtile.load %ma[%p, %i] : !ma -> !a
          %b = wgtile.load %ma[%p, %j] : !ma -> !b
          %d = wgtile.mma %a, %b, %acc : !a, !b -> !acc
          scf.yield %d : !acc
        } {wgtile.block_loop}
        wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
      }
      gpu.return
    }
    // CHECK-LABEL: gpu.func @unknown_steps(
    // CHECK-SAME:    persistent = true, dynamic = true,
    gpu.func @unknown_steps(%ma: !ma, %out: memref<?x?xf32>, %n: index, %some: i1) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %steps = arith.select %some, %n, %c0 : index
      %zero = arith.constant dense<0.0> : !acc
      wgtile.for_each_tile (%i, %j) in (%n, %n) {
        %r = scf.for %p = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (!acc) {
          %a = wgtile.load %ma[%p, %i] : !ma -> !a
          %b = wgtile.load %ma[%p, %j] : !ma -> !b
          %d = wgtile.mma %a, %b, %acc : !a, !b -> !acc
          scf.yield %d : !acc
        } {wgtile.block_loop}
        wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
      }
      gpu.return
    }
  }
  func.func @host(%ma: !ma, %out: memref<?x?xf32>, %n: index, %some: i1) {
    wgtile.launch @kernels::@four_steps grid(%n) args(%ma, %out, %n, %some) : !ma, memref<?x?xf32>, index, i1
    wgtile.launch @kernels::@five_steps grid(%n) args(%ma, %out, %n) : !ma, memref<?x?xf32>, index
    wgtile.launch @kernels::@unknown_steps grid(%n) args(%ma, %out, %n, %some) : !ma, memref<?x?xf32>, index, i1
    return
  }
}
