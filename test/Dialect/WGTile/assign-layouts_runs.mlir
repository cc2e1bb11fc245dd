// Without MMAs a thread has as many neighboring columns as one access moves.
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
