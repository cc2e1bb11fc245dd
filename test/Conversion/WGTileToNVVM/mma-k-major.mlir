// RUN: sparse-opt %s --convert-wgtile-to-nvvm --cse --canonicalize --split-input-file | FileCheck %s

// Operands of 8 and 32 bits, which lie along K.

!a = !wgtile.shared<64x64xi8, swizzle = 64>
!b = !wgtile.shared<32x64xi8, swizzle = 64>
!acc = tensor<64x32xi32, #wgtile.mma<warps = 4>>

// Rows of 64 bytes have a swizzle of 64: number 2 in the descriptor (bits 30-31 of
// the upper half), eight rows 512 bytes apart. 32 of K are 32 bytes to the right.
// The lower halves are operands, b's before a's. Integers have no signs to choose,
// and no transpositions; zeros to start with are not read. The accumulator is in
// integer registers.
// CHECK-LABEL: gpu.func @wgmma_i8
// CHECK-DAG:     %[[BITS:.*]] = arith.constant 65536 : i32
// CHECK:         llvm.ptrtoint
// CHECK:         %[[A:.*]] = arith.ori %{{.*}}, %[[BITS]] : i32
// CHECK:         llvm.getelementptr %{{.*}}[16384]
// CHECK:         %[[B:.*]] = arith.ori %{{.*}}, %[[BITS]] : i32
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att
// CHECK-SAME:      mov.b64 %b0, {$32, -2147483616};\0Amov.b64 %a0, {$33, -2147483616};
// CHECK-SAME:      add.s64 %a, %a0, 0;
// CHECK-SAME:      add.s64 %b, %b0, 0;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 {$0, {{[^}]*}}, $15}, %a, %b, 0;
// CHECK-SAME:      add.s64 %a, %a0, 2;
// CHECK-SAME:      add.s64 %b, %b0, 2;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 {$0, {{[^}]*}}, $15}, %a, %b, 1;
// CHECK-NOT:       wgmma.mma_async
// CHECK-SAME:      "=r,=r,{{.*}},15,r,r,~{memory}"
// CHECK-SAME:      %[[B]], %[[A]] : (i32,
gpu.module @kernels {
  gpu.func @wgmma_i8(%ma: !wgtile.tensor_map<64x64xi8, swizzle = 64>,
                     %mb: !wgtile.tensor_map<32x64xi8, swizzle = 64>, %out: memref<?x?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0> : !acc
    %a = wgtile.load %ma[%c0, %c0] {barrier = 32768 : i64, offset = 0 : i64}
        : !wgtile.tensor_map<64x64xi8, swizzle = 64> -> !a
    %b = wgtile.load %mb[%c0, %c0] {barrier = 32776 : i64, offset = 16384 : i64}
        : !wgtile.tensor_map<32x64xi8, swizzle = 64> -> !b
    %s = wgtile.mma %a, %b, %zeros transpose_b : !a, !b -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xi32>
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x128xf8E4M3FN, swizzle = 128>
!b = !wgtile.shared<32x128xf8E5M2, swizzle = 128>
!acc = tensor<64x32xf32, #wgtile.mma<warps = 4>>

// Floats have signs, and each operand a type of its own.
// CHECK-LABEL: gpu.func @wgmma_f8
// CHECK:         llvm.inline_asm
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e5m2 {$0, {{.*}}, $15}, %a, %b, 1, 1, 1;
// CHECK-SAME:      "=f,=f,
gpu.module @kernels {
  gpu.func @wgmma_f8(%ma: !wgtile.tensor_map<64x128xf8E4M3FN, swizzle = 128>,
                     %mb: !wgtile.tensor_map<32x128xf8E5M2, swizzle = 128>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %ones = arith.constant dense<1.0> : !acc
    %a = wgtile.load %ma[%c0, %c0] {barrier = 32768 : i64, offset = 0 : i64}
        : !wgtile.tensor_map<64x128xf8E4M3FN, swizzle = 128> -> !a
    %b = wgtile.load %mb[%c0, %c0] {barrier = 32776 : i64, offset = 16384 : i64}
        : !wgtile.tensor_map<32x128xf8E5M2, swizzle = 128> -> !b
    %s = wgtile.mma %a, %b, %ones transpose_b : !a, !b -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

!a = !wgtile.shared<16x48xi8, swizzle = 64>
!b = !wgtile.shared<8x48xi8, swizzle = 64>
!acc = tensor<16x8xi32, #wgtile.mma<warps = 1>>

// By mma.sync: fragments have the bytes of those of 16 bits. The last of three
// chunks of 16 bytes is an MMA of half the depth. Sums wrap around.
// CHECK-LABEL: gpu.func @mma_sync_i8
// CHECK:         nvvm.mma.sync {{.*}} {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, {{.*}}multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<s8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>}
// CHECK:         nvvm.mma.sync {{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 16>}
// CHECK-NOT:     nvvm.mma.sync
gpu.module @kernels {
  gpu.func @mma_sync_i8(%ga: memref<?x?xi8>, %gb: memref<?x?xi8>, %out: memref<?x?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0> : !acc
    %a = wgtile.load %ga[%c0, %c0] {offset = 0 : i64} : memref<?x?xi8> -> !a
    %b = wgtile.load %gb[%c0, %c0] {offset = 16384 : i64} : memref<?x?xi8> -> !b
    %s = wgtile.mma %a, %b, %zeros mma_sync transpose_b : !a, !b -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xi32>
    gpu.return
  }
}

// -----

!a = !wgtile.shared<16x32xf8E4M3FN, swizzle = 32>
!b = !wgtile.shared<8x32xf8E5M2, swizzle = 32>
!acc = tensor<16x8xf32, #wgtile.mma<warps = 1>>

// 8-bit floats by mma.sync are f16, exactly: a byte of e5m2 is the high one of an
// f16; one of e4m3 is shifted, scaled by 2^8, and its NaN fixed. Two MMAs of f16
// for 32 of K.
// CHECK-LABEL: gpu.func @mma_sync_f8
// CHECK-DAG:     arith.constant dense<2.560000e+02> : vector<2xf16>
// CHECK:         arith.mulf {{.*}} : vector<2xf16>
// CHECK:         nvvm.mma.sync {{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32)
// CHECK:         nvvm.mma.sync {{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, f32)
// CHECK-NOT:     nvvm.mma.sync
gpu.module @kernels {
  gpu.func @mma_sync_f8(%ga: memref<?x?xf8E4M3FN>, %gb: memref<?x?xf8E5M2>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : !acc
    %a = wgtile.load %ga[%c0, %c0] {offset = 0 : i64} : memref<?x?xf8E4M3FN> -> !a
    %b = wgtile.load %gb[%c0, %c0] {offset = 16384 : i64} : memref<?x?xf8E5M2> -> !b
    %s = wgtile.mma %a, %b, %zeros mma_sync transpose_b : !a, !b -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x32xf32, swizzle = 128>
!b = !wgtile.shared<32x32xf32, swizzle = 128>
!acc = tensor<64x32xf32, #wgtile.mma<warps = 4>>

// So do elements of 32 bits.
// CHECK-LABEL: gpu.func @wgmma_tf32
// CHECK:         llvm.inline_asm
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 {$0, {{[^}]*}}, $15}, %a, %b, 0, 1, 1;
gpu.module @kernels {
  gpu.func @wgmma_tf32(%ma: !wgtile.tensor_map<64x32xf32, swizzle = 128>,
                       %mb: !wgtile.tensor_map<32x32xf32, swizzle = 128>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : !acc
    %a = wgtile.load %ma[%c0, %c0] {barrier = 32768 : i64, offset = 0 : i64}
        : !wgtile.tensor_map<64x32xf32, swizzle = 128> -> !a
    %b = wgtile.load %mb[%c0, %c0] {barrier = 32776 : i64, offset = 16384 : i64}
        : !wgtile.tensor_map<32x32xf32, swizzle = 128> -> !b
    %s = wgtile.mma %a, %b, %zeros transpose_b : !a, !b -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}
