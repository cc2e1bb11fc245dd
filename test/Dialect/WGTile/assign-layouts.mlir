// RUN: sparse-opt %s --wgtile-assign-layouts --split-input-file | FileCheck %s

// CHECK-LABEL: gpu.func @product
// CHECK-SAME:    kernel attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.tma}
// CHECK:         %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #wgtile.mma<warps = 4>>
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZEROS]]) -> (tensor<64x128xf32, #wgtile.mma<warps = 4>>) {
// CHECK:           %[[A:.*]] = wgtile.load {{.*}} -> !wgtile.shared<64x64xbf16, swizzle = 128>
// CHECK:           %[[B:.*]] = wgtile.load {{.*}} -> !wgtile.shared<64x128xbf16, swizzle = 128>
// CHECK:           wgtile.mma %[[A]], %[[B]], %[[ACC]] : !wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x128xbf16, swizzle = 128> -> tensor<64x128xf32, #wgtile.mma<warps = 4>>
// CHECK:         %[[OLD:.*]] = wgtile.read {{.*}} -> tensor<64x128xf32, #wgtile.mma<warps = 4>>
// CHECK:         %[[NEW:.*]] = arith.addf %[[SUM]], %[[OLD]] : tensor<64x128xf32, #wgtile.mma<warps = 4>>
// CHECK:         wgtile.store %[[NEW]], {{.*}} : tensor<64x128xf32, #wgtile.mma<warps = 4>>, memref<?x?xf32>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @product(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
                    %out: memref<?x?xf32>, %n: index) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zeros = arith.constant dense<0.0> : tensor<64x128xf32>
    %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zeros)
        -> (tensor<64x128xf32>) {
      %a_tile = wgtile.load %a[%c0, %k]
          : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16>
      %b_tile = wgtile.load %b[%k, %c0]
          : memref<?x?xbf16> -> !wgtile.shared<64x128xbf16>
      %next = wgtile.mma %a_tile, %b_tile, %acc
          : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16>
          -> tensor<64x128xf32>
      scf.yield %next : tensor<64x128xf32>
    }
    %old = wgtile.read %out[%c0, %c0] in_bounds [true, true]
        : memref<?x?xf32> -> tensor<64x128xf32>
    %new = arith.addf %sum, %old : tensor<64x128xf32>
    wgtile.store %new, %out[%c0, %c0] in_bounds [true, true]
        : tensor<64x128xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Operands of wgmma have its swizzle, though a row of 80 columns ends inside a
// second row of it.
// CHECK-LABEL: gpu.func @part_of_a_row
// CHECK:         wgtile.mma %{{[^:]*}} transpose_b : !wgtile.shared<64x80xf16, swizzle = 128>, !wgtile.shared<64x80xf16, swizzle = 128> -> tensor<64x64xf32, #wgtile.mma<warps = 4>>
// CHECK:         wgtile.mma %{{[^:]*}} : tensor<64x64xf16, #wgtile.mma<warps = 4>>, !wgtile.shared<64x80xf16, swizzle = 128> -> tensor<64x80xf32, #wgtile.mma<warps = 4>>
// Less than a row, and what is no step along K, are multiplied by mma.sync; so is
// a product alone, whose columns warps divide.
// CHECK-LABEL: gpu.func @less_than_a_row
// CHECK:         wgtile.mma {{.*}} mma_sync transpose_b : !wgtile.shared<64x48xf16, swizzle = 32>, !wgtile.shared<64x48xf16, swizzle = 32>
// CHECK-LABEL: gpu.func @no_step
// CHECK:         wgtile.mma {{.*}} mma_sync transpose_b : !wgtile.shared<64x72xf16, swizzle = 32>, !wgtile.shared<64x72xf16, swizzle = 32>
// CHECK-LABEL: gpu.func @alone
// CHECK:         wgtile.mma {{.*}} mma_sync : !wgtile.shared<64x80xf16, swizzle = 32>, !wgtile.shared<80x96xf16, swizzle = 64>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @part_of_a_row(%a: memref<?x?xf16>, %out: memref<?x?xf32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    %none = arith.constant dense<0.0> : tensor<64x80xf32>
    %a_tile = wgtile.load %a[%c0, %c0] : memref<?x?xf16> -> !wgtile.shared<64x80xf16>
    %s = wgtile.mma %a_tile, %a_tile, %zeros transpose_b
        : !wgtile.shared<64x80xf16>, !wgtile.shared<64x80xf16> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %o = wgtile.mma %p, %a_tile, %none : tensor<64x64xf16>, !wgtile.shared<64x80xf16> -> tensor<64x80xf32>
    wgtile.store %o, %out[%c0, %c0] in_bounds [true, true] : tensor<64x80xf32>, memref<?x?xf32>
    gpu.return
  }
  gpu.func @less_than_a_row(%a: memref<?x?xf16>, %out: memref<?x?xf32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    %none = arith.constant dense<0.0> : tensor<64x48xf32>
    %a_tile = wgtile.load %a[%c0, %c0] : memref<?x?xf16> -> !wgtile.shared<64x48xf16>
    %s = wgtile.mma %a_tile, %a_tile, %zeros transpose_b
        : !wgtile.shared<64x48xf16>, !wgtile.shared<64x48xf16> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %o = wgtile.mma %p, %a_tile, %none : tensor<64x64xf16>, !wgtile.shared<64x48xf16> -> tensor<64x48xf32>
    wgtile.store %o, %out[%c0, %c0] in_bounds [true, true] : tensor<64x48xf32>, memref<?x?xf32>
    gpu.return
  }
  gpu.func @no_step(%a: memref<?x?xf16>, %out: memref<?x?xf32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    %none = arith.constant dense<0.0> : tensor<64x72xf32>
    %a_tile = wgtile.load %a[%c0, %c0] : memref<?x?xf16> -> !wgtile.shared<64x72xf16>
    %s = wgtile.mma %a_tile, %a_tile, %zeros transpose_b
        : !wgtile.shared<64x72xf16>, !wgtile.shared<64x72xf16> -> tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %o = wgtile.mma %p, %a_tile, %none : tensor<64x64xf16>, !wgtile.shared<64x72xf16> -> tensor<64x72xf32>
    wgtile.store %o, %out[%c0, %c0] in_bounds [true, true] : tensor<64x72xf32>, memref<?x?xf32>
    gpu.return
  }
  gpu.func @alone(%a: memref<?x?xf16>, %out: memref<?x?xf32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : tensor<64x96xf32>
    %a_tile = wgtile.load %a[%c0, %c0] : memref<?x?xf16> -> !wgtile.shared<64x80xf16>
    %b_tile = wgtile.load %a[%c0, %c0] : memref<?x?xf16> -> !wgtile.shared<80x96xf16>
    %product = wgtile.mma %a_tile, %b_tile, %zeros
        : !wgtile.shared<64x80xf16>, !wgtile.shared<80x96xf16> -> tensor<64x96xf32>
    wgtile.store %product, %out[%c0, %c0] in_bounds [true, true]
        : tensor<64x96xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Two warpgroups for 128 rows.
// CHECK-LABEL: gpu.func @rows_128
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>
// CHECK:         wgtile.mma {{.*}} -> tensor<128x64xf32, #wgtile.mma<warps = 8>>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @rows_128(%a: memref<?x?xf16>, %b: memref<?x?xf16>,
                     %out: memref<?x?xf32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
    %a_tile = wgtile.load %a[%c0, %c0]
        : memref<?x?xf16> -> !wgtile.shared<128x64xf16>
    %b_tile = wgtile.load %b[%c0, %c0]
        : memref<?x?xf16> -> !wgtile.shared<64x64xf16>
    %product = wgtile.mma %a_tile, %b_tile, %zeros
        : !wgtile.shared<128x64xf16>, !wgtile.shared<64x64xf16>
        -> tensor<128x64xf32>
    wgtile.store %product, %out[%c0, %c0] in_bounds [true, true]
        : tensor<128x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// A vector has the layout of its broadcast, and so have those from which it is
// computed. Rows follow from the store where there is no product.
// CHECK-LABEL: gpu.func @vectors
// CHECK-SAME:    known_block_size = array<i32: 32, 1, 1>
// CHECK:         %[[L16:.*]] = wgtile.read {{.*}} -> tensor<16xbf16, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>>
// CHECK:         %[[L:.*]] = arith.extf %[[L16]] : tensor<16xbf16, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>> to tensor<16xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>>
// CHECK:         wgtile.broadcast %[[L]] dimension 0 : tensor<16xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>> -> tensor<16x16xf32, #wgtile.mma<warps = 1>>
// CHECK:         %[[R:.*]] = wgtile.read {{.*}} -> tensor<16xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>
// CHECK:         wgtile.broadcast %[[R]] dimension 1 : tensor<16xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>> -> tensor<16x16xf32, #wgtile.mma<warps = 1>>
// CHECK:         tensor.splat %{{.*}} : tensor<16x16xf32, #wgtile.mma<warps = 1>>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @vectors(%left: memref<?xbf16>, %right: memref<?xf32>, %x: f32,
                    %out: memref<?x?xf32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %l16 = wgtile.read %left[%c0] in_bounds [true]
        : memref<?xbf16> -> tensor<16xbf16>
    %l = arith.extf %l16 : tensor<16xbf16> to tensor<16xf32>
    %l_tile = wgtile.broadcast %l dimension 0
        : tensor<16xf32> -> tensor<16x16xf32>
    %r = wgtile.read %right[%c0] in_bounds [true]
        : memref<?xf32> -> tensor<16xf32>
    %r_tile = wgtile.broadcast %r dimension 1
        : tensor<16xf32> -> tensor<16x16xf32>
    %x_tile = tensor.splat %x : tensor<16x16xf32>
    %0 = arith.mulf %l_tile, %r_tile : tensor<16x16xf32>
    %1 = arith.mulf %0, %x_tile : tensor<16x16xf32>
    wgtile.store %1, %out[%c0, %c0] in_bounds [true, true]
        : tensor<16x16xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// One vector of numbers serves rows and columns: each use gets its own.
// CHECK-LABEL: gpu.func @numbers
// CHECK-DAG:     %[[ROW:.*]] = wgtile.step : tensor<16xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>>
// CHECK-DAG:     %[[COLUMN:.*]] = wgtile.step : tensor<16xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>
// CHECK-DAG:     wgtile.broadcast %[[ROW]] dimension 0
// CHECK-DAG:     wgtile.broadcast %[[COLUMN]] dimension 1
// CHECK-NOT:     wgtile.step
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @numbers(%out: memref<?x?xi32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %numbers = wgtile.step : tensor<16xi32>
    %rows = wgtile.broadcast %numbers dimension 0
        : tensor<16xi32> -> tensor<16x16xi32>
    %columns = wgtile.broadcast %numbers dimension 1
        : tensor<16xi32> -> tensor<16x16xi32>
    %sum = arith.addi %rows, %columns : tensor<16x16xi32>
    wgtile.store %sum, %out[%c0, %c0] in_bounds [true, true]
        : tensor<16x16xi32>, memref<?x?xi32>
    gpu.return
  }
}

// -----

// CHECK-LABEL: gpu.func @no_tiles
// CHECK-SAME:    known_block_size = array<i32: 32, 1, 1>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @no_tiles() kernel attributes {wgtile.tma} {
    gpu.return
  }
}

// -----

// Columns of tiles have the layout of the tile, and those of vectors that of the
// vector.
// CHECK-LABEL: gpu.func @columns
// CHECK:         %[[R:.*]] = wgtile.read {{.*}} -> tensor<32xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>
// CHECK:         wgtile.extract_columns %[[R]] from 16 : tensor<32xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>> -> tensor<16xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>
// CHECK:         wgtile.extract_columns %{{.*}} from 16 : tensor<16x32xf32, #wgtile.mma<warps = 1>> -> tensor<16x16xf32, #wgtile.mma<warps = 1>>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @columns(%right: memref<?xf32>, %out: memref<?x?xf32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %r = wgtile.read %right[%c0] in_bounds [true]
        : memref<?xf32> -> tensor<32xf32>
    %some = wgtile.extract_columns %r from 16
        : tensor<32xf32> -> tensor<16xf32>
    %tile = wgtile.broadcast %some dimension 1
        : tensor<16xf32> -> tensor<16x16xf32>
    %old = wgtile.read %out[%c0, %c0] in_bounds [true, true]
        : memref<?x?xf32> -> tensor<16x32xf32>
    %columns = wgtile.extract_columns %old from 16
        : tensor<16x32xf32> -> tensor<16x16xf32>
    %sum = arith.addf %tile, %columns : tensor<16x16xf32>
    wgtile.store %sum, %out[%c0, %c0] in_bounds [true, true]
        : tensor<16x16xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Four tiles a CTA: eight warps in all, two for each tile.
// CHECK-LABEL: gpu.func @groups
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>
// CHECK:         wgtile.mma {{.*}} mma_sync : {{.*}} -> tensor<32x256xf32, #wgtile.mma<warps = 2, column_warps = 2>>
// Where threads load for themselves, without TMA's attribute: a
// tile a CTA. Rows of padding count.
// CHECK-LABEL: gpu.func @groups_by_threads
// CHECK-SAME:    known_block_size = array<i32: 128, 1, 1>
// CHECK-LABEL: gpu.func @groups_padded
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @groups(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>, %n: index) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : tensor<32x256xf32>
    wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {consumer_groups = array<i64: 4, 1>} {
      %x = wgtile.load %a[%i, %j] : memref<?x?xbf16> -> !wgtile.shared<32x32xbf16>
      %y = wgtile.load %b[%j, %i] : memref<?x?xbf16> -> !wgtile.shared<32x256xbf16>
      %d = wgtile.mma %x, %y, %zeros
          : !wgtile.shared<32x32xbf16>, !wgtile.shared<32x256xbf16> -> tensor<32x256xf32>
      wgtile.store %d, %out[%i, %j] in_bounds [true, true] : tensor<32x256xf32>, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @groups_by_threads(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : tensor<32x256xf32>
    wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {consumer_groups = array<i64: 4, 1>} {
      %x = wgtile.load %a[%i, %j] : memref<?x?xbf16> -> !wgtile.shared<32x32xbf16>
      %y = wgtile.load %b[%j, %i] : memref<?x?xbf16> -> !wgtile.shared<32x256xbf16>
      %d = wgtile.mma %x, %y, %zeros
          : !wgtile.shared<32x32xbf16>, !wgtile.shared<32x256xbf16> -> tensor<32x256xf32>
      wgtile.store %d, %out[%i, %j] in_bounds [true, true] : tensor<32x256xf32>, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @groups_padded(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>, %n: index) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : tensor<24x256xf32>
    wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {consumer_groups = array<i64: 4, 1>} {
      %x = wgtile.load %a[%i, %j] : memref<?x?xbf16> -> !wgtile.shared<24x32xbf16>
      %y = wgtile.load %b[%j, %i] : memref<?x?xbf16> -> !wgtile.shared<32x256xbf16>
      %d = wgtile.mma %x, %y, %zeros
          : !wgtile.shared<24x32xbf16>, !wgtile.shared<32x256xbf16> -> tensor<24x256xf32>
      wgtile.store %d, %out[%i, %j] in_bounds [true, true] : tensor<24x256xf32>, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

// As many warps as the loop over tiles asks for, where there is a choice: 8 at
// most, and no fewer than leave a thread 64 registers of the accumulator.
// CHECK-LABEL: gpu.func @eight_warps
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>
// CHECK-LABEL: gpu.func @two_warps
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>
// CHECK:         wgtile.mma {{.*}} mma_sync : {{.*}} -> tensor<32x128xf32, #wgtile.mma<warps = 2, column_warps = 2>>
// CHECK-LABEL: gpu.func @one_warp
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>
// CHECK-LABEL: gpu.func @many_warps
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @eight_warps(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>, %n: index) kernel
      attributes {wgtile.schedule = #wgtile.schedule<warps = 8>} {
    %zeros = arith.constant dense<0.0> : tensor<32x128xf32>
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %x = wgtile.load %a[%i, %j] : memref<?x?xbf16> -> !wgtile.shared<32x32xbf16>
      %y = wgtile.load %b[%j, %i] : memref<?x?xbf16> -> !wgtile.shared<32x128xbf16>
      %d = wgtile.mma %x, %y, %zeros
          : !wgtile.shared<32x32xbf16>, !wgtile.shared<32x128xbf16> -> tensor<32x128xf32>
      wgtile.store %d, %out[%i, %j] in_bounds [true, true] : tensor<32x128xf32>, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @two_warps(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>, %n: index) kernel
      attributes {wgtile.schedule = #wgtile.schedule<warps = 2>} {
    %zeros = arith.constant dense<0.0> : tensor<32x128xf32>
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %x = wgtile.load %a[%i, %j] : memref<?x?xbf16> -> !wgtile.shared<32x32xbf16>
      %y = wgtile.load %b[%j, %i] : memref<?x?xbf16> -> !wgtile.shared<32x128xbf16>
      %d = wgtile.mma %x, %y, %zeros
          : !wgtile.shared<32x32xbf16>, !wgtile.shared<32x128xbf16> -> tensor<32x128xf32>
      wgtile.store %d, %out[%i, %j] in_bounds [true, true] : tensor<32x128xf32>, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @one_warp(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>, %n: index) kernel
      attributes {wgtile.schedule = #wgtile.schedule<warps = 1>} {
    %zeros = arith.constant dense<0.0> : tensor<32x128xf32>
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %x = wgtile.load %a[%i, %j] : memref<?x?xbf16> -> !wgtile.shared<32x32xbf16>
      %y = wgtile.load %b[%j, %i] : memref<?x?xbf16> -> !wgtile.shared<32x128xbf16>
      %d = wgtile.mma %x, %y, %zeros
          : !wgtile.shared<32x32xbf16>, !wgtile.shared<32x128xbf16> -> tensor<32x128xf32>
      wgtile.store %d, %out[%i, %j] in_bounds [true, true] : tensor<32x128xf32>, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @many_warps(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>, %n: index) kernel
      attributes {wgtile.schedule = #wgtile.schedule<warps = 100>} {
    %zeros = arith.constant dense<0.0> : tensor<32x128xf32>
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %x = wgtile.load %a[%i, %j] : memref<?x?xbf16> -> !wgtile.shared<32x32xbf16>
      %y = wgtile.load %b[%j, %i] : memref<?x?xbf16> -> !wgtile.shared<32x128xbf16>
      %d = wgtile.mma %x, %y, %zeros
          : !wgtile.shared<32x32xbf16>, !wgtile.shared<32x128xbf16> -> tensor<32x128xf32>
      wgtile.store %d, %out[%i, %j] in_bounds [true, true] : tensor<32x128xf32>, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

// The warps of a group's tiles are asked for together.
// CHECK-LABEL: gpu.func @group_of_four_warps
// CHECK-SAME:    known_block_size = array<i32: 32, 1, 1>
// CHECK-LABEL: gpu.func @group_of_eight_warps
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @group_of_four_warps(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>, %n: index) kernel attributes {wgtile.tma, wgtile.schedule = #wgtile.schedule<warps = 4>} {
    %zeros = arith.constant dense<0.0> : tensor<32x64xf32>
    wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {consumer_groups = array<i64: 4, 1>} {
      %x = wgtile.load %a[%i, %j] : memref<?x?xbf16> -> !wgtile.shared<32x32xbf16>
      %y = wgtile.load %b[%j, %i] : memref<?x?xbf16> -> !wgtile.shared<32x64xbf16>
      %d = wgtile.mma %x, %y, %zeros
          : !wgtile.shared<32x32xbf16>, !wgtile.shared<32x64xbf16> -> tensor<32x64xf32>
      wgtile.store %d, %out[%i, %j] in_bounds [true, true] : tensor<32x64xf32>, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @group_of_eight_warps(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>, %n: index) kernel attributes {wgtile.tma, wgtile.schedule = #wgtile.schedule<warps = 8>} {
    %zeros = arith.constant dense<0.0> : tensor<32x64xf32>
    wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {consumer_groups = array<i64: 4, 1>} {
      %x = wgtile.load %a[%i, %j] : memref<?x?xbf16> -> !wgtile.shared<32x32xbf16>
      %y = wgtile.load %b[%j, %i] : memref<?x?xbf16> -> !wgtile.shared<32x64xbf16>
      %d = wgtile.mma %x, %y, %zeros
          : !wgtile.shared<32x32xbf16>, !wgtile.shared<32x64xbf16> -> tensor<32x64xf32>
      wgtile.store %d, %out[%i, %j] in_bounds [true, true] : tensor<32x64xf32>, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

// wgmma leaves no choice: one warp for 16 rows. Where the left operand is in
// registers a warp owns whole rows, and a hint divides them.
// CHECK-LABEL: gpu.func @wgmma_warps
// CHECK-SAME:    known_block_size = array<i32: 128, 1, 1>
// CHECK-LABEL: gpu.func @rows_of_a_warp
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @wgmma_warps(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>, %n: index) kernel attributes {wgtile.tma, wgtile.schedule = #wgtile.schedule<warps = 8>} {
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %x = wgtile.load %a[%i, %j] : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16>
      %y = wgtile.load %b[%j, %i] : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16>
      %d = wgtile.mma %x, %y, %zeros
          : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x64xbf16> -> tensor<64x64xf32>
      wgtile.store %d, %out[%i, %j] in_bounds [true, true] : tensor<64x64xf32>, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @rows_of_a_warp(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>, %n: index) kernel
      attributes {wgtile.schedule = #wgtile.schedule<warps = 3>} {
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %x = wgtile.read %a[%i, %j] in_bounds [true, true] : memref<?x?xbf16> -> tensor<64x64xbf16>
      %y = wgtile.load %b[%j, %i] : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16>
      %d = wgtile.mma %x, %y, %zeros
          : tensor<64x64xbf16>, !wgtile.shared<64x64xbf16> -> tensor<64x64xf32>
      wgtile.store %d, %out[%i, %j] in_bounds [true, true] : tensor<64x64xf32>, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

// So do sums of numbers: those of columns are computed anew.
// CHECK-LABEL: gpu.func @sums
// CHECK-DAG:     %[[ROW:.*]] = arith.addi %{{.+}}, %{{.+}} : tensor<16xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>>
// CHECK-DAG:     %[[COLUMN:.*]] = arith.addi %{{.+}}, %{{.+}} : tensor<16xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>
// CHECK-DAG:     wgtile.ramp %[[ROW]], %{{.+}} : tensor<16xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>>, i32 -> tensor<16x16xi32, #wgtile.mma<warps = 1>>
// CHECK-DAG:     wgtile.broadcast %[[COLUMN]] dimension 1
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @sums(%out: memref<?x?xi32>, %first: i32) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %numbers = wgtile.step : tensor<16xi32>
    %firsts = tensor.splat %first : tensor<16xi32>
    %sums = arith.addi %numbers, %firsts : tensor<16xi32>
    %ramp = wgtile.ramp %sums, %first : tensor<16xi32>, i32 -> tensor<16x16xi32>
    %columns = wgtile.broadcast %sums dimension 1
        : tensor<16xi32> -> tensor<16x16xi32>
    %sum = arith.addi %ramp, %columns : tensor<16x16xi32>
    wgtile.store %sum, %out[%c0, %c0] in_bounds [true, true]
        : tensor<16x16xi32>, memref<?x?xi32>
    gpu.return
  }
}

// -----

// The indices of a gather run along the dimension of its result: those of rows and
// of columns are computed apart.
// CHECK-LABEL: gpu.func @gathers
// CHECK-DAG:     wgtile.gather %{{.+}}[%[[ROW:.+]] : tensor<16xi64, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>>] : memref<?xi32> -> tensor<16xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>>
// CHECK-DAG:     wgtile.gather %{{.+}}[%[[COLUMN:.+]] : tensor<16xi64, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>] : memref<?xi32> -> tensor<16xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>
// CHECK-DAG:     %[[ROW]] = arith.extsi
// CHECK-DAG:     %[[COLUMN]] = arith.extsi
// A vector that is only stored is of rows.
// CHECK-LABEL: gpu.func @stored_vector
// CHECK:         wgtile.store %{{.+}} : tensor<16xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @gathers(%out: memref<?x?xi32>, %table: memref<?xi32>, %first: i32) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %numbers = wgtile.step : tensor<16xi32>
    %firsts = tensor.splat %first : tensor<16xi32>
    %sums = arith.addi %numbers, %firsts : tensor<16xi32>
    %at = arith.extsi %sums : tensor<16xi32> to tensor<16xi64>
    %found = wgtile.gather %table[%at : tensor<16xi64>]
        : memref<?xi32> -> tensor<16xi32>
    %rows = wgtile.broadcast %found dimension 0
        : tensor<16xi32> -> tensor<16x16xi32>
    %columns = wgtile.broadcast %found dimension 1
        : tensor<16xi32> -> tensor<16x16xi32>
    %sum = arith.addi %rows, %columns : tensor<16x16xi32>
    wgtile.store %sum, %out[%c0, %c0] in_bounds [true, true]
        : tensor<16x16xi32>, memref<?x?xi32>
    gpu.return
  }
  gpu.func @stored_vector(%out: memref<?xf32>, %x: f32) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %splat = tensor.splat %x : tensor<16xf32>
    wgtile.store %splat, %out[%c0] in_bounds [true]
        : tensor<16xf32>, memref<?xf32>
    gpu.return
  }
}

// -----

// A left operand with rows of 32 bytes is packed if its source has dense rows.
// CHECK-LABEL: gpu.func @packed
// CHECK-DAG:     %[[A:.*]] = wgtile.load %{{.*}} : memref<?x16x16xbf16> -> !wgtile.shared<16x16xbf16, swizzle = 128, packed>
// CHECK-DAG:     %[[C:.*]] = wgtile.load %{{.*}} : memref<?x16x16xbf16> -> !wgtile.shared<16x16xbf16, swizzle = 32>
// CHECK-DAG:     %[[B:.*]] = wgtile.load %{{.*}} : memref<?x?xbf16> -> !wgtile.shared<16x16xbf16, swizzle = 32>
// CHECK:         wgtile.mma %[[A]], %[[B]]
// CHECK:         wgtile.mma %[[C]], %[[B]]
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @packed(%a: memref<?x16x16xbf16> {wgtile.dense_rows, wgtile.tma_compatible},
                   %c: memref<?x16x16xbf16> {wgtile.tma_compatible},
                   %b: memref<?x?xbf16> {wgtile.tma_compatible},
                   %out: memref<?x?xf32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
    %a_tile = wgtile.load %a[%c0, %c0, %c0]
        : memref<?x16x16xbf16> -> !wgtile.shared<16x16xbf16>
    %c_tile = wgtile.load %c[%c0, %c0, %c0]
        : memref<?x16x16xbf16> -> !wgtile.shared<16x16xbf16>
    %b_tile = wgtile.load %b[%c0, %c0]
        : memref<?x?xbf16> -> !wgtile.shared<16x16xbf16>
    %0 = wgtile.mma %a_tile, %b_tile, %zeros
        : !wgtile.shared<16x16xbf16>, !wgtile.shared<16x16xbf16> -> tensor<16x16xf32>
    %1 = wgtile.mma %c_tile, %b_tile, %0
        : !wgtile.shared<16x16xbf16>, !wgtile.shared<16x16xbf16> -> tensor<16x16xf32>
    wgtile.store %1, %out[%c0, %c0] in_bounds [true, true]
        : tensor<16x16xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// 8-bit elements: rows of 64 bytes have a swizzle of 64 bytes, with which wgmma
// takes them; the right operand lies along K.
// CHECK-LABEL: gpu.func @bytes
// CHECK:         %[[A:.*]] = wgtile.load {{.*}} -> !wgtile.shared<64x64xi8, swizzle = 64>
// CHECK:         %[[B:.*]] = wgtile.load {{.*}} -> !wgtile.shared<128x64xi8, swizzle = 64>
// CHECK:         wgtile.mma %[[A]], %[[B]], %{{.*}} transpose_b : {{.*}} -> tensor<64x128xi32, #wgtile.mma<warps = 4>>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @bytes(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %out: memref<?x?xi32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0> : tensor<64x128xi32>
    %a_tile = wgtile.load %a[%c0, %c0] : memref<?x?xi8> -> !wgtile.shared<64x64xi8>
    %b_tile = wgtile.load %b[%c0, %c0] : memref<?x?xi8> -> !wgtile.shared<128x64xi8>
    %sum = wgtile.mma %a_tile, %b_tile, %zeros transpose_b
        : !wgtile.shared<64x64xi8>, !wgtile.shared<128x64xi8> -> tensor<64x128xi32>
    wgtile.store %sum, %out[%c0, %c0] in_bounds [true, true] : tensor<64x128xi32>, memref<?x?xi32>
    gpu.return
  }
}

// -----

// Integers have fewer numbers of columns: 40 are mma.sync's, and so are rows of 32
// bytes.
// CHECK-LABEL: gpu.func @forty
// CHECK:         wgtile.mma {{.*}} mma_sync transpose_b
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @forty(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %out: memref<?x?xi32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0> : tensor<64x40xi32>
    %a_tile = wgtile.load %a[%c0, %c0] : memref<?x?xi8> -> !wgtile.shared<64x64xi8>
    %b_tile = wgtile.load %b[%c0, %c0] : memref<?x?xi8> -> !wgtile.shared<40x64xi8>
    %sum = wgtile.mma %a_tile, %b_tile, %zeros transpose_b
        : !wgtile.shared<64x64xi8>, !wgtile.shared<40x64xi8> -> tensor<64x40xi32>
    wgtile.store %sum, %out[%c0, %c0] in_bounds [true, true] : tensor<64x40xi32>, memref<?x?xi32>
    gpu.return
  }
}

// -----

// What is scattered gives the rows, and its places and mask have its layout.
// CHECK-LABEL: gpu.func @scattered
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>
// CHECK:         wgtile.scatter %{{.+}}[%{{.+}} : tensor<32xi64, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 2>>>] mask %{{.+}} : tensor<32xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 2>>>, tensor<32xi1, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 2>>>, memref<?xi32>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @scattered(%list: memref<?xi32>, %x: i32) kernel attributes {wgtile.tma} {
    %numbers = wgtile.step : tensor<32xi32>
    %all = tensor.splat %x : tensor<32xi32>
    %mask = arith.cmpi slt, %numbers, %all : tensor<32xi32>
    %at = arith.extsi %numbers : tensor<32xi32> to tensor<32xi64>
    wgtile.scatter %all, %list[%at : tensor<32xi64>] mask %mask : tensor<32xi32>, tensor<32xi1>, memref<?xi32>
    gpu.return
  }
}

// -----

// A constant that nobody uses.
// CHECK-LABEL: gpu.func @dead_constant
// CHECK:         wgtile.store {{.*}} : tensor<64x64xf32, #wgtile.mma<warps = 4>>
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @dead_constant(%out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %dead = arith.constant dense<0.0> : tensor<64x64xf32>
    %one = arith.constant dense<1.0> : tensor<64x64xf32>
    wgtile.store %one, %out[%c0, %c0] in_bounds [true, true] : tensor<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}
