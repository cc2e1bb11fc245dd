// RUN: sparse-opt %s --convert-wgtile-to-nvvm --cse --canonicalize --split-input-file | FileCheck %s

// A transposed right operand: its rows are b's columns, and K runs along them.

!a = !wgtile.shared<64x128xbf16, swizzle = 128>
!b = !wgtile.shared<32x128xbf16, swizzle = 128>
!acc = tensor<64x32xf32, #wgtile.mma<warps = 4>>

// By wgmma b has a descriptor as a has: eight rows are 1024 bytes apart, 16 of K
// are 32 bytes to the right, and after 64 of them, a row of a box, comes the next
// box, 4096 bytes below. The last operand says that b is not transposed: K is its
// major dimension. The accumulator is read.
// CHECK-LABEL: gpu.func @wgmma
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:     %[[BITS:.*]] = arith.constant 65536 : i32
// CHECK:         llvm.ptrtoint
// CHECK:         %[[A:.*]] = arith.ori %{{.*}}, %[[BITS]] : i32
// CHECK:         llvm.getelementptr %{{.*}}[16384]
// CHECK:         %[[B:.*]] = arith.ori %{{.*}}, %[[BITS]] : i32
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att
// CHECK-SAME:      mov.b64 %b0, {$32, 1073741888};\0Amov.b64 %a0, {$33, 1073741888};
// CHECK-SAME:      add.s64 %a, %a0, 0;\0Aadd.s64 %b, %b0, 0;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0, {{[^}]*}}, $15}, %a, %b, 1, 1, 1, 0, 0;
// CHECK-SAME:      add.s64 %a, %a0, 2;\0Aadd.s64 %b, %b0, 2;
// CHECK-SAME:      add.s64 %a, %a0, 6;\0Aadd.s64 %b, %b0, 6;
// CHECK-SAME:      add.s64 %a, %a0, 512;\0Aadd.s64 %b, %b0, 256;
// CHECK-SAME:      add.s64 %a, %a0, 518;\0Aadd.s64 %b, %b0, 262;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0, {{[^}]*}}, $15}, %a, %b, 1, 1, 1, 0, 0;
// CHECK-NOT:       wgmma.mma_async
// CHECK-SAME:      ,r,r,~{memory}" %[[ONE]], {{.*}}, %[[B]], %[[A]] :
gpu.module @kernels {
  gpu.func @wgmma(%ma: !wgtile.tensor_map<64x64xbf16, swizzle = 128>,
                  %mb: !wgtile.tensor_map<32x64xbf16, swizzle = 128>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %ones = arith.constant dense<1.0> : !acc
    %a = wgtile.load %ma[%c0, %c0] {barrier = 32768 : i64, offset = 0 : i64}
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128> -> !a
    %b = wgtile.load %mb[%c0, %c0] {barrier = 32776 : i64, offset = 16384 : i64}
        : !wgtile.tensor_map<32x64xbf16, swizzle = 128> -> !b
    %s = wgtile.mma %a, %b, %ones transpose_b : !a, !b -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

!b = !wgtile.shared<32x64xbf16, swizzle = 128>
!acc = tensor<64x32xf32, #wgtile.mma<warps = 4>>

// A left operand in registers has no flag of its own, and zeros to start with are
// not read: the first instruction's scale is 0. A negative zero is.
// CHECK-LABEL: gpu.func @wgmma_registers
// CHECK:         %[[UNDEF:.*]] = llvm.mlir.undef : f32
// CHECK:         llvm.inline_asm {{.*}}wgmma.fence
// CHECK-NOT:       %a,
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0, {{[^}]*}}, $15}, {$33, $34, $35, $36}, %b, 0, 1, 1, 0;
// CHECK-SAME:      add.s64 %b, %b0, 2;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0, {{[^}]*}}, $15}, {$37, $38, $39, $40}, %b, 1, 1, 1, 0;
// CHECK-SAME:      {$45, $46, $47, $48}, %b, 1, 1, 1, 0;
// CHECK-SAME:      "=f,{{.*}}" %[[UNDEF]], %[[UNDEF]],
// CHECK:         llvm.inline_asm {{.*}}wgmma.fence
// CHECK-SAME:      {$33, $34, $35, $36}, %b, 1, 1, 1, 0;
// CHECK-SAME:      {$37, $38, $39, $40}, %b, 1, 1, 1, 0;
gpu.module @kernels {
  gpu.func @wgmma_registers(%mb: !wgtile.tensor_map<32x64xbf16, swizzle = 128>,
                            %left: memref<?x?xbf16>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : !acc
    %negative = arith.constant dense<-0.0> : !acc
    %a = wgtile.read %left[%c0, %c0] in_bounds [true, true]
        : memref<?x?xbf16> -> tensor<64x64xbf16, #wgtile.mma<warps = 4>>
    %b = wgtile.load %mb[%c0, %c0] {barrier = 32776 : i64, offset = 16384 : i64}
        : !wgtile.tensor_map<32x64xbf16, swizzle = 128> -> !b
    %s = wgtile.mma %a, %b, %zeros transpose_b : tensor<64x64xbf16, #wgtile.mma<warps = 4>>, !b -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    %t = wgtile.mma %a, %b, %negative transpose_b : tensor<64x64xbf16, #wgtile.mma<warps = 4>>, !b -> !acc
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

!a = !wgtile.shared<16x32xbf16, swizzle = 64>
!b = !wgtile.shared<32x32xbf16, swizzle = 64>
!acc = tensor<16x32xf32, #wgtile.mma<warps = 1>>

// By mma.sync one ldmatrix, without transposition, loads two eights of columns:
// lanes 0-7 address the rows of the first eight, 8-15 the same rows 16 bytes to
// the right, and the others the second eight. The next two are 16 rows below.
// CHECK-LABEL: gpu.func @mma_sync
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : i32
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : i32
// CHECK-DAG:     %[[C7:.*]] = arith.constant 7 : i32
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG:     %[[C31:.*]] = arith.constant 31 : i32
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : i32
// CHECK:         %[[LANE:.*]] = arith.andi %{{.*}}, %[[C31]]
// CHECK:         %[[SECOND:.*]] = arith.shrui %[[LANE]], %[[C4]]
// CHECK:         nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 4
// CHECK:         %[[EIGHTH:.*]] = arith.shrui %[[LANE]], %[[C3]]
// CHECK:         %[[CHUNK:.*]] = arith.andi %[[EIGHTH]], %[[C1]]
// CHECK:         %[[ROW:.*]] = arith.andi %[[LANE]], %[[C7]]
// CHECK:         %[[EIGHT:.*]] = arith.muli %[[SECOND]], %[[C8]]
// CHECK:         %[[B_ROW:.*]] = arith.addi %[[ROW]], %[[EIGHT]]
// CHECK:         arith.muli %[[B_ROW]], %[[C64]]
// CHECK:         arith.xori %[[CHUNK]], %{{.*}}
// CHECK:         %[[FIRST:.*]] = nvvm.ldmatrix %[[ADDRESS:.*]] {{{.*}} layout = #nvvm.mma_layout<row>, num = 4
// CHECK-DAG:     %[[B0:.*]] = llvm.extractvalue %[[FIRST]][0]
// CHECK-DAG:     %[[B1:.*]] = llvm.extractvalue %[[FIRST]][1]
// CHECK-DAG:     %[[B2:.*]] = llvm.extractvalue %[[FIRST]][2]
// CHECK-DAG:     %[[B3:.*]] = llvm.extractvalue %[[FIRST]][3]
// CHECK:         %[[BELOW:.*]] = llvm.getelementptr %[[ADDRESS]][1024]
// CHECK:         nvvm.ldmatrix %[[BELOW]] {{.*}} layout = #nvvm.mma_layout<row>, num = 4
// CHECK:         nvvm.mma.sync A[{{.*}}] B[%[[B0]], %[[B1]]]
// CHECK-SAME:      multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK:         nvvm.mma.sync A[{{.*}}] B[%[[B2]], %[[B3]]]
// CHECK-COUNT-6: nvvm.mma.sync
// CHECK-NOT:     nvvm.mma.sync
gpu.module @kernels {
  gpu.func @mma_sync(%ma: !wgtile.tensor_map<16x32xbf16, swizzle = 64>,
                     %mb: !wgtile.tensor_map<32x32xbf16, swizzle = 64>, %out: memref<?x?xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : !acc
    %a = wgtile.load %ma[%c0, %c0] {barrier = 32768 : i64, offset = 0 : i64}
        : !wgtile.tensor_map<16x32xbf16, swizzle = 64> -> !a
    %b = wgtile.load %mb[%c0, %c0] {barrier = 32776 : i64, offset = 16384 : i64}
        : !wgtile.tensor_map<32x32xbf16, swizzle = 64> -> !b
    %s = wgtile.mma %a, %b, %zeros mma_sync transpose_b : !a, !b -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

!a = !wgtile.shared<16x8xbf16, swizzle = 32>
!b = !wgtile.shared<32x8xbf16, swizzle = 32>
!acc = tensor<16x32xf32, #wgtile.mma<warps = 1>>

// A depth of 8 is one chunk of 16 bytes: one ldmatrix loads four eights of
// columns, the rows of which eight lanes each address.
// CHECK-LABEL: gpu.func @one_chunk
// CHECK:         nvvm.ldmatrix {{.*}} num = 2
// CHECK:         %[[B:.*]] = nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 4
// CHECK-NOT:     nvvm.ldmatrix
// CHECK:         %[[B0:.*]] = llvm.extractvalue %[[B]][0]
// CHECK:         nvvm.mma.sync A[%{{.*}}, %{{.*}}] B[%[[B0]]]
// CHECK-SAME:      shape = #nvvm.shape<m = 16, n = 8, k = 8>
// CHECK-COUNT-3: nvvm.mma.sync
// CHECK-NOT:     nvvm.mma.sync
gpu.module @kernels {
  gpu.func @one_chunk(%ma: memref<?x?xbf16>, %mb: memref<?x?xbf16>, %out: memref<?x?xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : !acc
    %a = wgtile.load %ma[%c0, %c0] {offset = 0 : i64} : memref<?x?xbf16> -> !a
    %b = wgtile.load %mb[%c0, %c0] {offset = 16384 : i64} : memref<?x?xbf16> -> !b
    %s = wgtile.mma %a, %b, %zeros mma_sync transpose_b : !a, !b -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

!a = !wgtile.shared<16x16xf32, swizzle = 64>
!b = !wgtile.shared<32x16xf32, swizzle = 64>
!acc = tensor<16x32xf32, #wgtile.mma<warps = 1>>

// Matrices of four 32-bit elements a row are as tf32 fragments want them: ldmatrix
// loads them, and each register is rounded.
// CHECK-LABEL: gpu.func @tf32
// CHECK:         nvvm.ldmatrix
// CHECK-COUNT-4: nvvm.convert.float.to.tf32
// CHECK:         %[[B:.*]] = nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 4
// CHECK:         %[[B0:.*]] = llvm.extractvalue %[[B]][0]
// CHECK:         %[[F0:.*]] = llvm.bitcast %[[B0]] : i32 to f32
// CHECK:         %[[R0:.*]] = nvvm.convert.float.to.tf32 %[[F0]] {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK:         %[[R1:.*]] = nvvm.convert.float.to.tf32
// CHECK:         nvvm.mma.sync A[{{.*}}] B[%[[R0]], %[[R1]]]
// CHECK-SAME:      multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>
// CHECK-COUNT-7: nvvm.mma.sync
// CHECK-NOT:     nvvm.mma.sync
gpu.module @kernels {
  gpu.func @tf32(%ma: !wgtile.tensor_map<16x16xf32, swizzle = 64>,
                 %mb: !wgtile.tensor_map<32x16xf32, swizzle = 64>, %out: memref<?x?xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : !acc
    %a = wgtile.load %ma[%c0, %c0] {barrier = 32768 : i64, offset = 0 : i64}
        : !wgtile.tensor_map<16x16xf32, swizzle = 64> -> !a
    %b = wgtile.load %mb[%c0, %c0] {barrier = 32776 : i64, offset = 16384 : i64}
        : !wgtile.tensor_map<32x16xf32, swizzle = 64> -> !b
    %s = wgtile.mma %a, %b, %zeros mma_sync transpose_b : !a, !b -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x80xbf16, swizzle = 128>
!b = !wgtile.shared<128x80xbf16, swizzle = 128>
!scores = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!weights = tensor<64x128xbf16, #wgtile.mma<warps = 4>>
!acc = tensor<64x80xf32, #wgtile.mma<warps = 4>>

// Rows of 80 columns end inside their second box. Along K that is a fifth step,
// the first of the second box, 8192 bytes of a after the first and 16384 of b;
// along N the 80 columns of an accumulator, the last 16 of them from the second
// box, whose offset the descriptor has. Nothing multiplies more.
// CHECK-LABEL: gpu.func @part_of_a_box
// CHECK-DAG:     %[[K:.*]] = arith.constant 65536 : i32
// CHECK-DAG:     %[[MN:.*]] = arith.constant 67108864 : i32
// CHECK:         llvm.ptrtoint
// CHECK:         %[[A:.*]] = arith.ori %{{.*}}, %[[K]] : i32
// CHECK:         llvm.getelementptr %{{.*}}[16384]
// CHECK:         %[[B:.*]] = arith.ori %{{.*}}, %[[K]] : i32
// CHECK:         llvm.inline_asm
// CHECK-COUNT-4: m64n128k16
// CHECK-NOT:       m64n128k16
// CHECK-SAME:      add.s64 %a, %a0, 512;\0Aadd.s64 %b, %b0, 1024;
// CHECK-SAME:      m64n128k16.f32.bf16.bf16 {$0, {{[^}]*}}, $63}, %a, %b, 1, 1, 1, 0, 0;\0Awgmma.commit_group
// CHECK-SAME:      %[[B]], %[[A]] :
// CHECK:         %[[V:.*]] = arith.ori %{{.*}}, %[[MN]] : i32
// CHECK:         llvm.inline_asm
// CHECK-SAME:      mov.b64 %b0, {$80, 1073741888};
// CHECK-SAME:      add.s64 %b, %b0, 0;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n80k16.f32.bf16.bf16 {$0, {{[^}]*}}, $39}, {$81, $82, $83, $84}, %b, 0, 1, 1, 1;
// CHECK-SAME:      %[[V]], %{{.*}} :
gpu.module @kernels {
  gpu.func @part_of_a_box(%ma: !wgtile.tensor_map<64x64xbf16, swizzle = 128>,
                          %mb: !wgtile.tensor_map<128x64xbf16, swizzle = 128>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : !scores
    %none = arith.constant dense<0.0> : !acc
    %a = wgtile.load %ma[%c0, %c0] {barrier = 81920 : i64, offset = 0 : i64}
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128> -> !a
    %b = wgtile.load %mb[%c0, %c0] {barrier = 81928 : i64, offset = 16384 : i64}
        : !wgtile.tensor_map<128x64xbf16, swizzle = 128> -> !b
    %s = wgtile.mma %a, %b, %zeros transpose_b : !a, !b -> !scores
    %v = wgtile.load %mb[%c0, %c0] {barrier = 81936 : i64, offset = 49152 : i64}
        : !wgtile.tensor_map<128x64xbf16, swizzle = 128> -> !b
    %p = arith.truncf %s : !scores to !weights
    %o = wgtile.mma %p, %v, %none : !weights, !b -> !acc
    wgtile.store %o, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

// A transposed left operand of two warpgroups: its columns are a's rows. 64 of them are a box, which the other warpgroup
// begins after, 4096 bytes below; 16 of K are 16 rows of a box, 2048 bytes. The last operands say that neither is K-major.

!a = !wgtile.shared<32x128xbf16, swizzle = 128>
!b = !wgtile.shared<32x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>

// CHECK-LABEL: gpu.func @transposed_left
// CHECK:         arith.muli %{{.*}}, %c256_i32
// CHECK:         llvm.inline_asm
// CHECK-SAME:      add.s64 %a, %a0, 0;\0Aadd.s64 %b, %b0, 0;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, {{[^}]*}}, $31}, %a, %b, 1, 1, 1, 1, 1;
// CHECK-SAME:      add.s64 %a, %a0, 128;\0Aadd.s64 %b, %b0, 128;
gpu.module @kernels {
  gpu.func @transposed_left(%ma: !wgtile.tensor_map<32x64xbf16, swizzle = 128>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %ones = arith.constant dense<1.0> : !acc
    %a = wgtile.load %ma[%c0, %c0] {barrier = 32768 : i64, offset = 0 : i64}
        : !wgtile.tensor_map<32x64xbf16, swizzle = 128> -> !a
    %b = wgtile.load %ma[%c0, %c0] {barrier = 32776 : i64, offset = 16384 : i64}
        : !wgtile.tensor_map<32x64xbf16, swizzle = 128> -> !b
    %s = wgtile.mma %a, %b, %ones transpose_a : !a, !b -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [false, false] : !acc, memref<?x?xf32>
    gpu.return
  }
}

// -----

// By mma.sync matrices of a that lie beside each other are one below the other, transposed by ldmatrix.

!a = !wgtile.shared<16x32xbf16, swizzle = 64>
!b = !wgtile.shared<16x32xbf16, swizzle = 64>
!acc = tensor<32x32xf32, #wgtile.mma<warps = 2>>

// CHECK-LABEL: gpu.func @transposed_left_of_warps
// CHECK:         nvvm.ldmatrix {{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK:         nvvm.mma.sync
gpu.module @kernels {
  gpu.func @transposed_left_of_warps(%m: memref<16x32xbf16>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %ones = arith.constant dense<1.0> : !acc
    %a = wgtile.load %m[%c0, %c0] {offset = 0 : i64} : memref<16x32xbf16> -> !a
    %b = wgtile.load %m[%c0, %c0] {offset = 1024 : i64} : memref<16x32xbf16> -> !b
    %s = wgtile.mma %a, %b, %ones mma_sync transpose_a : !a, !b -> !acc
    wgtile.store %s, %out[%c0, %c0] in_bounds [false, false] : !acc, memref<?x?xf32>
    gpu.return
  }
}
