// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-assign-stages,convert-wgtile-to-nvvm,canonicalize,cse))' | FileCheck %s

!pairs = !wgtile.ring<1, [!wgtile.shared<24x64xbf16, swizzle = 128>], warpgroups = 2>
!words = !wgtile.ring<1, [!wgtile.shared<8x64xf32, swizzle = 128>], warpgroups = 1>

// A warpgroup's rows are columns of its staging tile. Matrices of 16 bits are
// transposed as they are written, sixteen rows of 128 bytes at a time and the
// last eight alone; the swizzle is the same for all of them.
// CHECK-LABEL: gpu.func @pairs
// CHECK:         stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [$0+2048], {$1, $2, $3, $4};
// CHECK:         stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [$0+4096], {$1, $2};
// CHECK-NOT:     stmatrix
// The second warpgroup has the next 64 columns of memory.
// CHECK:         cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$0, {%c, $2}], [$3+2048];
// CHECK-NOT:     cp.async.bulk.tensor
// Words go one by one: of a thread's four, the two of one row of registers are in
// two rows of the tile, the next two eight words further. Boxes of 32 words
// follow each other, padded to sixteen rows.
// CHECK-LABEL: gpu.func @words
// CHECK:         xor.b32 %a, $0, 0;{{.*}}st.shared.b32 [%a+0], $1;
// CHECK:         xor.b32 %a, $0, 16;{{.*}}st.shared.b32 [%a+128], $1;
// CHECK:         xor.b32 %a, $0, 32;{{.*}}st.shared.b32 [%a+0], $1;
// CHECK:         xor.b32 %a, $0, 48;{{.*}}st.shared.b32 [%a+128], $1;
// CHECK-NOT:     st.shared
// CHECK:         add.s32 %c, $1, 0;{{.*}}[$0, {%c, $2}], [$3+0];{{.*}}add.s32 %c, $1, 32;{{.*}}[$0, {%c, $2}], [$3+2048];{{.*}}cp.async.bulk.commit_group
gpu.module @kernels {
  gpu.func @pairs(%map: !wgtile.tensor_map<24x64xbf16, swizzle = 128>, %i: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = arith.constant dense<1.0> : tensor<128x24xbf16, #wgtile.mma<warps = 8>>
    %ring = wgtile.ring {offset = 2048 : i64} : !pairs
    %s = wgtile.producer_acquire %ring : !pairs
    wgtile.ring_store %t, %ring[%s] 0 transposed : tensor<128x24xbf16, #wgtile.mma<warps = 8>>, !pairs
    wgtile.tma_store %ring[%s] 0, %map[%i, %i] warpgroups 2 transposed
        : !pairs, !wgtile.tensor_map<24x64xbf16, swizzle = 128>
    gpu.return
  }
  gpu.func @words(%map: !wgtile.tensor_map<8x32xf32, swizzle = 128>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = arith.constant dense<1.0> : tensor<64x8xf32, #wgtile.mma<warps = 4>>
    %ring = wgtile.ring {offset = 0 : i64} : !words
    %s = wgtile.producer_acquire %ring : !words
    wgtile.ring_store %t, %ring[%s] 0 transposed : tensor<64x8xf32, #wgtile.mma<warps = 4>>, !words
    wgtile.tma_store %ring[%s] 0, %map[%i, %i] warpgroups 1 transposed
        : !words, !wgtile.tensor_map<8x32xf32, swizzle = 128>
    gpu.return
  }
}
