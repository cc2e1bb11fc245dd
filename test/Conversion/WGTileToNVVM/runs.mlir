// RUN: sparse-opt %s --convert-wgtile-to-nvvm --cse --canonicalize --split-input-file | FileCheck %s

// Eight columns of 16 bits in a lane: one access of 16 bytes for each row. Words 0,
// 2, 4 and 6 are those of the first row, the others those eight rows below.
// CHECK-LABEL: gpu.func @of_16_bits
// CHECK: llvm.inline_asm {{.*}}ld.global.v4.b32 {$0, $2, $4, $6}, [$8+0];\0Ald.global.v4.b32 {$1, $3, $5, $7}, [$9+0];
// CHECK: llvm.inline_asm {{.*}}st.global.v4.b32 [$8+0], {$0, $2, $4, $6};\0Ast.global.v4.b32 [$9+0], {$1, $3, $5, $7};
!tile = tensor<16x32xbf16, #wgtile.mma<warps = 1, run = 8>>
gpu.module @of_16_bits_module {
  gpu.func @of_16_bits(%a: memref<16x32xbf16>, %out: memref<16x32xbf16>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<16x32xbf16> -> !tile
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, true] aligned : !tile, memref<16x32xbf16>
    gpu.return
  }
}

// -----

// Columns beyond the end: each word by itself, and the last one by half.
// CHECK-LABEL: gpu.func @clipped
// CHECK: mov.b32 $0, 0;
// CHECK-SAME: setp.gt.s32 %q, ${{[0-9]+}}, 3;\0A@%q ld.global.b32 $2, [${{[0-9]+}}+4];\0Asetp.eq.s32 %q, ${{[0-9]+}}, 3;\0A@%q ld.global.u16 $2, [${{[0-9]+}}+4];
// CHECK-SAME: WHOLE:\0Ald.global.v2.b32 {$0, $2}, [${{[0-9]+}}+0];\0Ald.global.v2.b32 {$1, $3}, [${{[0-9]+}}+0];
!narrow = tensor<16x16xf16, #wgtile.mma<warps = 1, run = 4>>
gpu.module @clipped_module {
  gpu.func @clipped(%a: memref<?x?xf16, strided<[?, 1]>>, %out: memref<16x16xf16>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, false] aligned : memref<?x?xf16, strided<[?, 1]>> -> !narrow
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, true] aligned : !narrow, memref<16x16xf16>
    gpu.return
  }
}

// -----

// Of 32 bits four at once; eight are two accesses, 16 bytes apart.
// CHECK-LABEL: gpu.func @of_32_bits
// CHECK: ld.global.v4.b32 {$0, $1, $4, $5}, [$16+0];\0Ald.global.v4.b32 {$8, $9, $12, $13}, [$16+16];
!wide = tensor<16x32xf32, #wgtile.mma<warps = 1, run = 8>>
gpu.module @of_32_bits_module {
  gpu.func @of_32_bits(%a: memref<16x32xf32>, %out: memref<16x32xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<16x32xf32> -> !wide
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, true] : !wide, memref<16x32xf32>
    gpu.return
  }
}

// -----

// Two neighbors of 32 bits, as an accumulator has them, are one access.
// CHECK-LABEL: gpu.func @of_an_accumulator
// CHECK: ld.global.v2.b32 {$0, $1}, [$4+0];\0Ald.global.v2.b32 {$2, $3}, [$5+0];
// CHECK: st.global.v2.b32 [$4+0], {$0, $1};\0Ast.global.v2.b32 [$5+0], {$2, $3};
!pairs = tensor<16x8xf32, #wgtile.mma<warps = 1>>
gpu.module @of_an_accumulator_module {
  gpu.func @of_an_accumulator(%a: memref<16x8xf32>, %out: memref<16x8xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %a[%c0, %c0] in_bounds [true, true] aligned : memref<16x8xf32> -> !pairs
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, true] aligned : !pairs, memref<16x8xf32>
    gpu.return
  }
}
