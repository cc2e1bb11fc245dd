// Without MMAs a thread has as many neighboring columns as one access moves, and
// warps divide columns where the schedule asks for more of them.
// RUN: sparse-opt %s --wgtile-assign-layouts --split-input-file | FileCheck %s

// CHECK-LABEL: gpu.func @of_16_bits
// CHECK: wgtile.read {{.*}} aligned {{.*}} -> tensor<16x64xbf16, #wgtile.mma<warps = 1, run = 8>>
// CHECK: wgtile.row_reduce {{.*}} : tensor<16x64xf32, #wgtile.mma<warps = 1, run = 8>> -> tensor<16xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1, run = 8>>>
gpu.module @of_16_bits_module attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @of_16_bits(%a: memref<?x64xbf16>, %out: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<?x64xbf16> -> tensor<16x64xbf16>
    %wide = arith.extf %t : tensor<16x64xbf16> to tensor<16x64xf32>
    %sum = wgtile.row_reduce addf %wide : tensor<16x64xf32> -> tensor<16xf32>
    wgtile.store %sum, %out[%c0] in_bounds [true] : tensor<16xf32>, memref<?xf32>
    gpu.return
  }
}

// -----

// CHECK-LABEL: gpu.func @of_32_bits
// CHECK: tensor<32x48xf32, #wgtile.mma<warps = 2, run = 4>>
gpu.module @of_32_bits_module attributes {wgtile.target = #wgtile.target<chip = "sm_80">} {
  gpu.func @of_32_bits(%a: memref<?x48xf32>) kernel {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<?x48xf32> -> tensor<32x48xf32>
    wgtile.store %t, %a[%c0, %c0] in_bounds [true, true] aligned : tensor<32x48xf32>, memref<?x48xf32>
    gpu.return
  }
}

// -----

// All tiles have the same layout: 24 columns are three of eight, of two each.
// CHECK-LABEL: gpu.func @of_few_columns
// CHECK: tensor<16x24xbf16, #wgtile.mma<warps = 1>>
gpu.module @of_few_columns_module attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @of_few_columns(%a: memref<?x24xbf16>, %b: memref<?x64xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %s = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<?x24xbf16> -> tensor<16x24xbf16>
    %t = wgtile.read %b[%c0, %c0] in_bounds [true, true] aligned : memref<?x64xbf16> -> tensor<16x64xbf16>
    wgtile.store %s, %a[%c0, %c0] in_bounds [true, true] aligned : tensor<16x24xbf16>, memref<?x24xbf16>
    wgtile.store %t, %b[%c0, %c0] in_bounds [true, true] aligned : tensor<16x64xbf16>, memref<?x64xbf16>
    gpu.return
  }
}

// -----

// Where nothing is known of addresses, elements are accessed one by one.
// CHECK-LABEL: gpu.func @unaligned
// CHECK: tensor<16x64xbf16, #wgtile.mma<warps = 1>>
gpu.module @unaligned_module attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @unaligned(%a: memref<?x64xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] : memref<?x64xbf16> -> tensor<16x64xbf16>
    wgtile.store %t, %a[%c0, %c0] in_bounds [true, true] : tensor<16x64xbf16>, memref<?x64xbf16>
    gpu.return
  }
}

// -----

// Two warps have half of the columns each, runs and all; of two rows of warps
// and a hint of six, four of them: a power of two divides columns.
// CHECK-LABEL: gpu.func @of_two_warps
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK: wgtile.tile_reduce {{.*}} : tensor<16x64xbf16, #wgtile.mma<warps = 2, column_warps = 2, run = 8>> -> bf16
// CHECK-LABEL: gpu.func @of_shorter_runs
// CHECK: tensor<16x32xbf16, #wgtile.mma<warps = 2, column_warps = 2, run = 4>>
// CHECK-LABEL: gpu.func @of_two_rows
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK: tensor<32x64xbf16, #wgtile.mma<warps = 4, column_warps = 2, run = 8>>
// CHECK-LABEL: gpu.func @of_odd_columns
// CHECK-SAME: known_block_size = array<i32: 32, 1, 1>
// CHECK: tensor<16x24xbf16, #wgtile.mma<warps = 1>>
gpu.module @of_two_warps_module attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @of_two_warps(%a: memref<?x64xbf16>, %out: memref<bf16>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<warps = 2>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<?x64xbf16> -> tensor<16x64xbf16>
    %m = wgtile.tile_reduce maxnumf %t : tensor<16x64xbf16> -> bf16
    memref.store %m, %out[] : memref<bf16>
    gpu.return
  }
  gpu.func @of_shorter_runs(%a: memref<?x32xbf16>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<warps = 2>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<?x32xbf16> -> tensor<16x32xbf16>
    wgtile.store %t, %a[%c0, %c0] in_bounds [true, true] aligned : tensor<16x32xbf16>, memref<?x32xbf16>
    gpu.return
  }
  gpu.func @of_two_rows(%a: memref<?x64xbf16>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<warps = 6>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<?x64xbf16> -> tensor<32x64xbf16>
    wgtile.store %t, %a[%c0, %c0] in_bounds [true, true] aligned : tensor<32x64xbf16>, memref<?x64xbf16>
    gpu.return
  }
  gpu.func @of_odd_columns(%a: memref<?x24xbf16>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<warps = 2>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<?x24xbf16> -> tensor<16x24xbf16>
    wgtile.store %t, %a[%c0, %c0] in_bounds [true, true] aligned : tensor<16x24xbf16>, memref<?x24xbf16>
    gpu.return
  }
}

// -----

// One warp has whole rows where these are reduced, a tile is scanned or cut. At
// most eight divide columns.
// CHECK-LABEL: gpu.func @of_whole_rows
// CHECK-SAME: known_block_size = array<i32: 32, 1, 1>
// CHECK: wgtile.row_reduce {{.*}} : tensor<16x64xf32, #wgtile.mma<warps = 1, run = 4>>
// CHECK-LABEL: gpu.func @of_scanned
// CHECK-SAME: known_block_size = array<i32: 32, 1, 1>
// CHECK: wgtile.tile_scan {{.*}} : tensor<16x64xi32, #wgtile.mma<warps = 1, run = 4>>
// CHECK-LABEL: gpu.func @of_parts
// CHECK-SAME: known_block_size = array<i32: 32, 1, 1>
// CHECK-LABEL: gpu.func @of_many_warps
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
gpu.module @of_whole_rows_module attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @of_whole_rows(%a: memref<?x64xf32>, %out: memref<?xf32>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<warps = 2>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<?x64xf32> -> tensor<16x64xf32>
    %sum = wgtile.row_reduce addf %t : tensor<16x64xf32> -> tensor<16xf32>
    wgtile.store %sum, %out[%c0] in_bounds [true] : tensor<16xf32>, memref<?xf32>
    gpu.return
  }
  gpu.func @of_scanned(%a: memref<?x64xi32>, %x: i32) kernel
      attributes {wgtile.schedule = #wgtile.schedule<warps = 2>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<?x64xi32> -> tensor<16x64xi32>
    %sums = wgtile.tile_scan addi %t from %x : tensor<16x64xi32>, i32
    wgtile.store %sums, %a[%c0, %c0] in_bounds [true, true] aligned : tensor<16x64xi32>, memref<?x64xi32>
    gpu.return
  }
  gpu.func @of_parts(%a: memref<?x64xbf16>, %out: memref<?x32xbf16>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<warps = 4>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<?x64xbf16> -> tensor<16x64xbf16>
    %part = wgtile.extract_columns %t from 32 : tensor<16x64xbf16> -> tensor<16x32xbf16>
    wgtile.store %part, %out[%c0, %c0] in_bounds [true, true] aligned : tensor<16x32xbf16>, memref<?x32xbf16>
    gpu.return
  }
  gpu.func @of_many_warps(%a: memref<?x512xbf16>) kernel
      attributes {wgtile.schedule = #wgtile.schedule<warps = 64>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<?x512xbf16> -> tensor<16x512xbf16>
    wgtile.store %t, %a[%c0, %c0] in_bounds [true, true] aligned : tensor<16x512xbf16>, memref<?x512xbf16>
    gpu.return
  }
}
