// RUN: sparse-opt %s --convert-wgtile-to-nvvm --split-input-file \
// RUN:   --verify-diagnostics

gpu.module @kernels {
  gpu.func @no_map(%a: memref<?x?xbf16>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected an offset, and a barrier with a tensor map (wgtile-allocate-shared)}}
    // expected-error @below {{failed to legalize operation}}
    %0 = wgtile.load %a[%c0, %c0] {barrier = 8192 : i64, offset = 0 : i64}
        : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16, swizzle = 128>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @no_offset(
      %map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected an offset, and a barrier with a tensor map (wgtile-allocate-shared)}}
    // expected-error @below {{failed to legalize operation}}
    %0 = wgtile.load %map[%c0, %c0]
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
        -> !wgtile.shared<64x64xbf16, swizzle = 128>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @elements(%source: memref<?x?xi4>, %i: index) kernel {
    // expected-error @below {{expected elements of 8, 16, 32 or 64 bits, but got 'i4'}}
    // expected-error @below {{failed to legalize operation}}
    %0 = wgtile.read %source[%i, %i] in_bounds [true, true]
        : memref<?x?xi4> -> tensor<16x8xi4, #wgtile.mma<warps = 1>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @no_layout(%source: memref<?x?xf32>, %i: index) kernel {
    // expected-error @below {{expected register tiles with a layout (wgtile-assign-layouts), but got 'tensor<16x8xf32>'}}
    %0 = wgtile.read %source[%i, %i] in_bounds [true, true]
        : memref<?x?xf32> -> tensor<16x8xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @ring_without_place() kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    // expected-error @below {{expected a placed ring (wgtile-allocate-shared)}}
    // expected-error @below {{failed to legalize operation}}
    %ring = wgtile.ring : !wgtile.ring<2, [i32]>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @depth(%x: memref<?x?xbf16>, %out: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : tensor<16x16xf32, #wgtile.mma<warps = 1>>
    %a = wgtile.load %x[%c0, %c0] {offset = 0 : i64}
        : memref<?x?xbf16> -> !wgtile.shared<16x12xbf16, swizzle = 32>
    %b = wgtile.load %x[%c0, %c0] {offset = 8192 : i64}
        : memref<?x?xbf16> -> !wgtile.shared<12x16xbf16, swizzle = 32>
    // expected-error @below {{expected a depth that is a multiple of 8, but got '!wgtile.shared<12x16xbf16, swizzle = 32>'}}
    // expected-error @below {{failed to legalize operation 'wgtile.mma'}}
    %product = wgtile.mma %a, %b, %zeros mma_sync
        : !wgtile.shared<16x12xbf16, swizzle = 32>, !wgtile.shared<12x16xbf16, swizzle = 32>
        -> tensor<16x16xf32, #wgtile.mma<warps = 1>>
    wgtile.store %product, %out[%c0, %c0] in_bounds [true, true]
        : tensor<16x16xf32, #wgtile.mma<warps = 1>>, memref<?x?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @swizzle(%x: memref<?x?xbf16>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a tile with a swizzle (wgtile-assign-layouts), but got none}}
    %a = wgtile.load %x[%c0, %c0] {offset = 0 : i64}
        : memref<?x?xbf16> -> !wgtile.shared<16x16xbf16>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @warps(%a: memref<?xf32>, %c0: index) kernel {
    %0 = wgtile.read %a[%c0] in_bounds [true]
        : memref<?xf32> -> tensor<64xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
    // expected-error @below {{expected register tiles of layout #wgtile.mma<warps = 4>, but got 'tensor<64x64xf32, #wgtile.mma<warps = 8>>'}}
    %1 = wgtile.broadcast %0 dimension 0 : tensor<64xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
        -> tensor<64x64xf32, #wgtile.mma<warps = 8>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected a number of threads of whole warps up to 1024 (wgtile-assign-layouts), but got 48}}
  gpu.func @threads() kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{expected a number of threads of whole warps up to 1024 (wgtile-assign-layouts), but got none}}
  gpu.func @roles() kernel {
    wgtile.roles producer warps 4 registers 0 {
    }, consumer warps 4 registers 0 consumer_groups 1 {
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  func.func @no_kernel(%x: memref<?x?xbf16>) {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected to be in a gpu.func}}
    %a = wgtile.load %x[%c0, %c0] {offset = 0 : i64}
        : memref<?x?xbf16> -> !wgtile.shared<16x16xbf16, swizzle = 32>
    return
  }
}

// -----

!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
gpu.module @kernels {
  gpu.func @ring(%ring: !ring) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // expected-error @below {{expected a ring of this kernel (wgtile.ring)}}
    %filled = wgtile.producer_acquire %ring : !ring
    gpu.return
  }
}

// -----

!rows = tensor<32xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4, column_warps = 2>>>

// The threads of two warps share a row.
gpu.module @kernels {
  gpu.func @row_combine(%v: memref<?xf32>, %out: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %parts = wgtile.read %v[%c0] in_bounds [true] : memref<?xf32> -> !rows
    // expected-error @below {{expected a vector of rows that each belong to one warp, but got 'tensor<32xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4, column_warps = 2>>>'}}
    // expected-error @below {{failed to legalize operation}}
    %whole = wgtile.row_combine addf %parts : !rows
    wgtile.store %whole, %out[%c0] in_bounds [true] : !rows, memref<?xf32>
    gpu.return
  }
}

// -----

!columns = tensor<64xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>

gpu.module @kernels {
  gpu.func @row_combine_columns(%v: memref<?xf32>, %out: memref<?xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %parts = wgtile.read %v[%c0] in_bounds [true] : memref<?xf32> -> !columns
    // expected-error @below {{expected a vector of rows that each belong to one warp, but got 'tensor<64xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>'}}
    // expected-error @below {{failed to legalize operation}}
    %whole = wgtile.row_combine addf %parts : !columns
    wgtile.store %whole, %out[%c0] in_bounds [true] : !columns, memref<?xf32>
    gpu.return
  }
}

// -----

!tile = tensor<32x8xf32, #wgtile.mma<warps = 2>>

gpu.module @kernels {
  gpu.func @tile_reduce(%x: f32, %out: memref<f32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = tensor.splat %x : !tile
    // expected-error @below {{expected a place in shared memory for the warps' numbers (wgtile-allocate-shared)}}
    // expected-error @below {{failed to legalize operation}}
    %sum = wgtile.tile_reduce addf %t : !tile -> f32
    memref.store %sum, %out[] : memref<f32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @tile_combine(%x: f32, %out: memref<f32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error @below {{expected a place in shared memory for the warps' numbers (wgtile-allocate-shared)}}
    // expected-error @below {{failed to legalize operation}}
    %sum = wgtile.tile_combine addf %x : f32
    memref.store %sum, %out[] : memref<f32>
    gpu.return
  }
}

// -----

!tile = tensor<16x8xf32, #wgtile.mma<warps = 1>>

// One of the block's two warps has the tile, also in parts.
gpu.module @kernels {
  gpu.func @tile_reduce_threads(%x: f32, %out: memref<f32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = tensor.splat %x : !tile
    // expected-error @below {{expected a tile that 64 threads have, but got 'tensor<16x8xf32, #wgtile.mma<warps = 1>>'}}
    // expected-error @below {{failed to legalize operation}}
    %sum = wgtile.tile_reduce addf %t partial : !tile -> f32
    memref.store %sum, %out[] : memref<f32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @tile_combine_role(%x: f32, %out: memref<f32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    wgtile.roles producer warps 4 registers 0 {
    }, consumer warps 4 registers 0 consumer_groups 1 {
      // expected-error @below {{expected all threads of the block to take part, but got a role}}
      // expected-error @below {{failed to legalize operation}}
      %sum = wgtile.tile_combine addf %x {offset = 0 : i64} : f32
      memref.store %sum, %out[] : memref<f32>
    }
    gpu.return
  }
}

// -----

!tile = tensor<32x8xf32, #wgtile.mma<warps = 2>>

gpu.module @kernels {
  gpu.func @tile_scan(%x: f32, %out: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = tensor.splat %x : !tile
    // expected-error @below {{expected a tile that 32 threads have, but got 'tensor<32x8xf32, #wgtile.mma<warps = 2>>'}}
    // expected-error @below {{failed to legalize operation}}
    %sums = wgtile.tile_scan addf %t from %x : !tile, f32
    wgtile.store %sums, %out[%c0, %c0] in_bounds [true, true] : !tile, memref<?x?xf32>
    gpu.return
  }
}
