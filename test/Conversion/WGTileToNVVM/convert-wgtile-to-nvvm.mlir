// RUN: sparse-opt %s --convert-wgtile-to-nvvm --cse --canonicalize --split-input-file | FileCheck %s

// The first thread initializes the barrier, and later tells it the tile's bytes
// and issues a copy for each box of 64 columns; all threads wait.
// CHECK-LABEL: gpu.module @load
// CHECK:         llvm.mlir.global external @wgtile_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK:         gpu.func @load(%[[MAP:.*]]: !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>, %[[N:.*]]: index, %[[COLUMN:.*]]: index) kernel
// CHECK-DAG:       %[[I0:.*]] = arith.constant 0 : i32
// CHECK-DAG:       %[[I1:.*]] = arith.constant 1 : i32
// CHECK-DAG:       %[[I64:.*]] = arith.constant 64 : i32
// CHECK-DAG:       %[[BYTES:.*]] = arith.constant 16384 : i32
// CHECK:           %[[PHASE:.*]] = memref.alloca() : memref<i32>
// CHECK:           memref.store %[[I0]], %[[PHASE]][]
// CHECK:           %[[T:.*]] = gpu.thread_id x
// CHECK:           %[[THREAD:.*]] = arith.index_cast %[[T]] : index to i32
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %[[I0]]
// CHECK:           scf.if %[[FIRST]] {
// CHECK:             %[[BARRIER0:.*]] = llvm.getelementptr %{{.*}}[24576]
// CHECK:             nvvm.mbarrier.init %[[BARRIER0]], %[[I1]]
// CHECK:             nvvm.fence.mbarrier.init
// CHECK:           }
// CHECK:           gpu.barrier
//                  No thread may still read what the copy overwrites.
// CHECK:           scf.for %[[P:[a-z0-9]*]] =
// CHECK:             gpu.barrier
// CHECK:             scf.if %[[FIRST]] {
// CHECK-DAG:           %[[BARRIER:.*]] = llvm.getelementptr %{{.*}}[24576]
// CHECK:               nvvm.mbarrier.arrive.expect_tx %[[BARRIER]], %[[BYTES]]
// CHECK-DAG:           %[[X:.*]] = arith.index_cast %[[COLUMN]] : index to i32
// CHECK-DAG:           %[[Z:.*]] = arith.index_cast %[[P]] : index to i32
// CHECK-DAG:           %[[POINTER:.*]] = builtin.unrealized_conversion_cast %[[MAP]]
// CHECK-DAG:           %[[BOX0:.*]] = llvm.getelementptr %{{.*}}[8192]
// CHECK:               nvvm.cp.async.bulk.tensor.shared.cluster.global %[[BOX0]], %[[POINTER]], %[[BARRIER]], box[%[[X]], %[[I0]], %[[Z]]]
// CHECK-DAG:           %[[X1:.*]] = arith.addi %[[X]], %[[I64]]
// CHECK-DAG:           %[[BOX1:.*]] = llvm.getelementptr %{{.*}}[16384]
// CHECK:               nvvm.cp.async.bulk.tensor.shared.cluster.global %[[BOX1]], %[[POINTER]], %[[BARRIER]], box[%[[X1]], %[[I0]], %[[Z]]]
// CHECK-NOT:           nvvm.cp.async
// CHECK:             }
// CHECK:             %[[CURRENT:.*]] = memref.load %[[PHASE]][]
// CHECK:             nvvm.mbarrier.try_wait.parity %{{.*}}, %[[CURRENT]]
// CHECK:             %[[NEXT:.*]] = arith.xori %[[CURRENT]], %[[I1]]
// CHECK:             memref.store %[[NEXT]], %[[PHASE]][]
// CHECK-NOT:       wgtile.load
gpu.module @load {
  gpu.func @load(%map: !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>,
                 %n: index, %column: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %p = %c0 to %n step %c1 {
      %0 = wgtile.load %map[%p, %c0, %column]
          {barrier = 24576 : i64, offset = 8192 : i64}
          : !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
          -> !wgtile.shared<64x128xbf16, swizzle = 128>
    }
    gpu.return
  }
}

// -----

// A product is one block of inline assembly: fence, a wgmma for each 16 of K,
// commit, wait. A step of a is 32 bytes to the right, one of b 16 rows below;
// descriptors count in 16 bytes. Their upper halves are constants, and the lower
// ones operands, b's before a's. The first wgmma does not read an accumulator of
// zeros.
// CHECK-LABEL: gpu.func @product
// CHECK-DAG:     %[[UNDEF:.*]] = llvm.mlir.undef : f32
//                a: 16 in the unused field (bits 16-29).
// CHECK-DAG:     %[[A_LOW:.*]] = arith.constant 65536 : i32
//                b: 8192 bytes from a box to the next (bits 16-29).
// CHECK-DAG:     %[[B_LOW:.*]] = arith.constant 33554432 : i32
// CHECK:         llvm.ptrtoint
// CHECK:         %[[A:.*]] = arith.ori %{{.*}}, %[[A_LOW]] : i32
// CHECK:         llvm.getelementptr %{{.*}}[8192]
// CHECK:         %[[B:.*]] = arith.ori %{{.*}}, %[[B_LOW]] : i32
// CHECK:         %[[SUM:.*]] = llvm.inline_asm has_side_effects asm_dialect = att
//                Upper halves: 128-byte swizzle (bits 62-63), 1024 bytes to the
//                next eight rows (bits 32-45).
// CHECK-SAME:      mov.b64 %b0, {$64, 1073741888};\0Amov.b64 %a0, {$65, 1073741888};
// CHECK-SAME:      wgmma.fence.sync.aligned;
// CHECK-SAME:      add.s64 %a, %a0, 0;
// CHECK-SAME:      add.s64 %b, %b0, 0;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, $1, {{[^}]*}}, $31}, %a, %b, 0, 1, 1, 0, 1;
// CHECK-SAME:      add.s64 %a, %a0, 2;
// CHECK-SAME:      add.s64 %b, %b0, 128;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, $1, {{[^}]*}}, $31}, %a, %b, 1, 1, 1, 0, 1;
// CHECK-SAME:      add.s64 %a, %a0, 4;
// CHECK-SAME:      add.s64 %b, %b0, 256;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, $1, {{[^}]*}}, $31}, %a, %b, 1, 1, 1, 0, 1;
// CHECK-SAME:      add.s64 %a, %a0, 6;
// CHECK-SAME:      add.s64 %b, %b0, 384;
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, $1, {{[^}]*}}, $31}, %a, %b, 1, 1, 1, 0, 1;
// CHECK-NOT:       wgmma.mma_async
// CHECK-SAME:      wgmma.commit_group.sync.aligned;
// CHECK-SAME:      wgmma.wait_group.sync.aligned 0;
// CHECK-SAME:      "=f,{{.*}},0,1,{{.*}},31,r,r,~{memory}"
// CHECK-SAME:      %[[UNDEF]], {{.*}}, %[[B]], %[[A]] :
// CHECK:         llvm.extractvalue %[[SUM]][0]
// CHECK:         llvm.extractvalue %[[SUM]][31]
// CHECK-NOT:     wgtile.mma
gpu.module @kernels {
  gpu.func @product(%map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>,
                    %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0>
        : tensor<64x64xf32, #wgtile.mma<warps = 4>>
    %a = wgtile.load %map[%c0, %c0] {barrier = 16384 : i64, offset = 0 : i64}
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
        -> !wgtile.shared<64x64xbf16, swizzle = 128>
    %b = wgtile.load %map[%c0, %c0] {barrier = 16392 : i64, offset = 8192 : i64}
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
        -> !wgtile.shared<64x64xbf16, swizzle = 128>
    %product = wgtile.mma %a, %b, %zeros
        : !wgtile.shared<64x64xbf16, swizzle = 128>,
          !wgtile.shared<64x64xbf16, swizzle = 128>
        -> tensor<64x64xf32, #wgtile.mma<warps = 4>>
    wgtile.store %product, %out[%c0, %c0] in_bounds [true, true]
        : tensor<64x64xf32, #wgtile.mma<warps = 4>>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Two warpgroups: each takes 64 rows of a, 8192 bytes apart.
// CHECK-LABEL: gpu.func @two_warpgroups
// CHECK-DAG:     %[[I2:.*]] = arith.constant 2 : i32
// CHECK-DAG:     %[[I5:.*]] = arith.constant 5 : i32
// CHECK-DAG:     %[[STEP:.*]] = arith.constant 512 : i32
// CHECK:         %[[WARP:.*]] = arith.shrui %{{.*}}, %[[I5]] : i32
// CHECK:         %[[UNIFORM:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[WARP]]
// CHECK:         %[[GROUP:.*]] = arith.shrui %[[UNIFORM]], %[[I2]] : i32
// CHECK:         %[[OFFSET:.*]] = arith.muli %[[GROUP]], %[[STEP]] : i32
// CHECK:         %[[A:.*]] = arith.addi %{{.*}}, %[[OFFSET]] : i32
// CHECK:         wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0,
// CHECK-SAME:      %[[A]] :
gpu.module @kernels {
  gpu.func @two_warpgroups(%map: !wgtile.tensor_map<64x64xf16, swizzle = 128>,
                           %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0>
        : tensor<128x64xf32, #wgtile.mma<warps = 8>>
    %a = wgtile.load %map[%c0, %c0] {barrier = 24576 : i64, offset = 0 : i64}
        : !wgtile.tensor_map<64x64xf16, swizzle = 128>
        -> !wgtile.shared<128x64xf16, swizzle = 128>
    %b = wgtile.load %map[%c0, %c0] {barrier = 24584 : i64, offset = 16384 : i64}
        : !wgtile.tensor_map<64x64xf16, swizzle = 128>
        -> !wgtile.shared<64x64xf16, swizzle = 128>
    %product = wgtile.mma %a, %b, %zeros
        : !wgtile.shared<128x64xf16, swizzle = 128>,
          !wgtile.shared<64x64xf16, swizzle = 128>
        -> tensor<128x64xf32, #wgtile.mma<warps = 8>>
    wgtile.store %product, %out[%c0, %c0] in_bounds [true, true]
        : tensor<128x64xf32, #wgtile.mma<warps = 8>>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// A thread's first element is at row 16 warp + lane / 4, column 2 (lane % 4);
// its others are one column to the right and eight rows below. In bounds,
// nothing is predicated. Where columns are known to be neighbours, their distance
// is a part of the address.
// CHECK-LABEL: gpu.func @in_bounds
// CHECK-SAME:    (%[[SOURCE:.*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>, %[[OUT:.*]]: memref<?x?xf32>, %[[I:.*]]: index, %[[J:.*]]: index) kernel
// CHECK-DAG:     %[[I2:.*]] = arith.constant 2 : i32
// CHECK-DAG:     %[[I3:.*]] = arith.constant 3 : i32
// CHECK-DAG:     %[[I5:.*]] = arith.constant 5 : i32
// CHECK-DAG:     %[[I16:.*]] = arith.constant 16 : i32
// CHECK-DAG:     %[[I31:.*]] = arith.constant 31 : i32
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[ROWS8:.*]] = arith.constant 8 : i64
// CHECK:         %{{.*}}, %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[SOURCE]]
// CHECK-DAG:     %[[WARP:.*]] = arith.shrui %[[THREAD:.*]], %[[I5]] : i32
// CHECK-DAG:     %[[LANE:.*]] = arith.andi %{{.*}}, %[[I31]] : i32
// CHECK-DAG:     %[[QUAD:.*]] = arith.shrui %[[LANE]], %[[I2]] : i32
// CHECK-DAG:     %[[WARP_ROW:.*]] = arith.muli %[[WARP]], %[[I16]] : i32
// CHECK-DAG:     arith.addi %[[WARP_ROW]], %[[QUAD]] : i32
// CHECK-DAG:     %[[ROW_BYTES:.*]] = arith.muli %[[STRIDES]]#0, %[[C4]] : index
// CHECK-DAG:     %[[ROW_STRIDE:.*]] = arith.index_cast %[[ROW_BYTES]] : index to i64
// CHECK-DAG:     %[[IN_QUAD:.*]] = arith.andi %[[LANE]], %[[I3]] : i32
// CHECK-DAG:     arith.muli %[[IN_QUAD]], %[[I2]] : i32
// CHECK-DAG:     %[[COLUMN_BYTES:.*]] = arith.muli %[[STRIDES]]#1, %[[C4]] : index
// CHECK-DAG:     %[[COLUMN_STRIDE:.*]] = arith.index_cast %[[COLUMN_BYTES]] : index to i64
// CHECK:         llvm.inline_asm has_side_effects {{.*}}ld.global.b32 $0, [$1];{{.*}} %[[BASE:.*]] : (i64) -> i32
// CHECK:         llvm.inline_asm has_side_effects {{.*}}mad.lo.s64 %a, $2, 1, $1;{{[^@]*}}ld.global.b32 $0, [%a];{{.*}} %[[BASE]], %[[COLUMN_STRIDE]] : (i64, i64) -> i32
// CHECK:         %[[DOWN:.*]] = arith.muli %[[ROW_STRIDE]], %[[ROWS8]] : i64
// CHECK:         %[[BELOW:.*]] = arith.addi %[[BASE]], %[[DOWN]] : i64
// CHECK:         llvm.inline_asm has_side_effects {{.*}}ld.global.b32 $0, [$1];{{.*}} %[[BELOW]] : (i64) -> i32
// CHECK:         llvm.inline_asm has_side_effects {{.*}}mad.lo.s64 %a, $2, 1, $1;{{[^@]*}}ld.global.b32 $0, [%a];{{.*}} %[[BELOW]], %[[COLUMN_STRIDE]] : (i64, i64) -> i32
// CHECK:         llvm.inline_asm has_side_effects {{[^@]*}}st.global.b32 [$1], $0;
// CHECK:         llvm.inline_asm has_side_effects {{[^@]*}}st.global.b32 [$1+4], $0;
// CHECK:         llvm.inline_asm has_side_effects {{[^@]*}}st.global.b32 [$1], $0;
// CHECK:         llvm.inline_asm has_side_effects {{[^@]*}}st.global.b32 [$1+4], $0;
// CHECK-NOT:     llvm.inline_asm
// CHECK-NOT:     setp
gpu.module @kernels {
  gpu.func @in_bounds(%source: memref<?x?xf32, strided<[?, ?], offset: ?>>,
                      %out: memref<?x?xf32>, %i: index, %j: index) kernel {
    %tile = wgtile.read %source[%i, %j] in_bounds [true, true]
        : memref<?x?xf32, strided<[?, ?], offset: ?>>
        -> tensor<16x8xf32, #wgtile.mma<warps = 1>>
    wgtile.store %tile, %out[%i, %j] in_bounds [true, true]
        : tensor<16x8xf32, #wgtile.mma<warps = 1>>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Not in bounds along the columns: what is left of them from the thread's first
// on is compared with each element's; what is not read is zero.
// CHECK-LABEL: gpu.func @out_of_bounds
// CHECK-SAME:    (%[[SOURCE:.*]]: memref<?x?xbf16>, %[[OUT:.*]]: memref<?x?xbf16>,
// CHECK:         %{{.*}}, %{{.*}}, %[[SIZES:.*]]:2, %{{.*}}:2 = memref.extract_strided_metadata %[[SOURCE]]
// CHECK:         %[[REST:.*]] = arith.subi %[[SIZES]]#1, %{{.*}} : index
// CHECK:         %[[CLAMPED:.*]] = arith.minsi %[[REST]], %{{.*}} : index
// CHECK:         %[[LIMIT:.*]] = arith.index_cast %[[CLAMPED]] : index to i32
// CHECK:         llvm.inline_asm {{.*}}mov.b16 $0, 0;{{.*}}setp.gt.s32 %p, $2, 0;{{.*}}@%p ld.global.b16 $0, [$1];{{.*}}"=&h,l,r" %{{.*}}, %[[LIMIT]] : (i64, i32) -> i16
// CHECK:         llvm.inline_asm {{.*}}mov.b16 $0, 0;{{.*}}setp.gt.s32 %p, $2, 1;{{.*}}@%p ld.global.b16 $0, [$1+2];{{.*}} %[[LIMIT]] :
// CHECK:         llvm.inline_asm {{.*}}setp.gt.s32 %p, $2, 0;{{.*}}@%p ld.global.b16 $0, [$1];{{.*}} %[[LIMIT]] :
// CHECK:         llvm.inline_asm {{.*}}setp.gt.s32 %p, $2, 1;{{.*}}@%p ld.global.b16 $0, [$1+2];{{.*}} %[[LIMIT]] :
//                Rows and columns.
// CHECK:         llvm.inline_asm {{.*}}setp.gt.s32 %p, $2, 0;{{.*}}setp.gt.s32 %q, $3, 0;{{.*}}and.pred %p, %p, %q;{{.*}}@%p st.global.b16 [$1], $0;
// CHECK:         llvm.inline_asm {{.*}}setp.gt.s32 %p, $2, 0;{{.*}}setp.gt.s32 %q, $3, 1;{{.*}}@%p st.global.b16 [$1+2], $0;
// CHECK:         llvm.inline_asm {{.*}}setp.gt.s32 %p, $2, 8;{{.*}}setp.gt.s32 %q, $3, 0;{{.*}}@%p st.global.b16 [$1], $0;
// CHECK:         llvm.inline_asm {{.*}}setp.gt.s32 %p, $2, 8;{{.*}}setp.gt.s32 %q, $3, 1;{{.*}}@%p st.global.b16 [$1+2], $0;
gpu.module @kernels {
  gpu.func @out_of_bounds(%source: memref<?x?xbf16>, %out: memref<?x?xbf16>,
                          %i: index, %j: index) kernel {
    %tile = wgtile.read %source[%i, %j] in_bounds [true, false]
        : memref<?x?xbf16> -> tensor<16x8xbf16, #wgtile.mma<warps = 1>>
    wgtile.store %tile, %out[%i, %j] in_bounds [false, false]
        : tensor<16x8xbf16, #wgtile.mma<warps = 1>>, memref<?x?xbf16>
    gpu.return
  }
}

// -----

// What is not read has the bits of the padding.
// CHECK-LABEL: gpu.func @padding
// CHECK:         llvm.inline_asm {{.*}}mov.b16 $0, 65408;{{.*}}@%p ld.global.b16 $0, [$1];
// CHECK:         llvm.inline_asm {{.*}}mov.b16 $0, 65408;{{.*}}@%p ld.global.b16 $0, [$1+2];
gpu.module @kernels {
  gpu.func @padding(%source: memref<?x?xbf16>, %out: memref<?x?xbf16>,
                    %i: index, %j: index) kernel {
    %tile = wgtile.read %source[%i, %j] in_bounds [true, false] padding 0xFF80 : bf16
        : memref<?x?xbf16> -> tensor<16x8xbf16, #wgtile.mma<warps = 1>>
    wgtile.store %tile, %out[%i, %j] in_bounds [false, false]
        : tensor<16x8xbf16, #wgtile.mma<warps = 1>>, memref<?x?xbf16>
    gpu.return
  }
}

// -----

// A row vector is two registers, eight rows apart; a column vector of eight is
// two neighbours, read at once where the address allows it.
// CHECK-LABEL: gpu.func @broadcast
// CHECK:         %[[L0:.*]] = llvm.inline_asm {{.*}}ld.global.b32
// CHECK:         %[[F0:.*]] = arith.bitcast %[[L0]] : i32 to f32
// CHECK:         %[[L1:.*]] = llvm.inline_asm {{.*}}ld.global.b32
// CHECK:         %[[F1:.*]] = arith.bitcast %[[L1]] : i32 to f32
// CHECK:         %[[R:.*]] = llvm.inline_asm
// CHECK-SAME:      and.b64 %a, $2, 7;\0Asetp.eq.s64 %p, %a, 0;\0A@%p bra WHOLE;
// CHECK-SAME:      ld.global.b32 $0, [$2+0];\0Ald.global.b32 $1, [$2+4];\0Abra DONE;
// CHECK-SAME:      WHOLE:\0Ald.global.v2.b32 {$0, $1}, [$2+0];
// CHECK:         %[[R0:.*]] = llvm.extractvalue %[[R]][0]
// CHECK:         %[[R1:.*]] = llvm.extractvalue %[[R]][1]
// CHECK:         %[[G0:.*]] = llvm.bitcast %[[R0]] : i32 to f32
// CHECK:         %[[G1:.*]] = llvm.bitcast %[[R1]] : i32 to f32
// CHECK:         arith.mulf %[[F0]], %[[G0]] : f32
// CHECK-NEXT:    arith.mulf %[[F0]], %[[G1]] : f32
// CHECK-NEXT:    arith.mulf %[[F1]], %[[G0]] : f32
// CHECK-NEXT:    arith.mulf %[[F1]], %[[G1]] : f32
gpu.module @kernels {
  gpu.func @broadcast(%left: memref<?xf32>, %right: memref<?xf32>,
                      %out: memref<?x?xf32>, %i: index, %j: index) kernel {
    %l = wgtile.read %left[%i] in_bounds [true]
        : memref<?xf32> -> tensor<16xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>>
    %r = wgtile.read %right[%j] in_bounds [true]
        : memref<?xf32> -> tensor<8xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>
    %l_tile = wgtile.broadcast %l dimension 0
        : tensor<16xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 1>>>
        -> tensor<16x8xf32, #wgtile.mma<warps = 1>>
    %r_tile = wgtile.broadcast %r dimension 1
        : tensor<8xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>
        -> tensor<16x8xf32, #wgtile.mma<warps = 1>>
    %product = arith.mulf %l_tile, %r_tile
        : tensor<16x8xf32, #wgtile.mma<warps = 1>>
    wgtile.store %product, %out[%i, %j] in_bounds [true, true]
        : tensor<16x8xf32, #wgtile.mma<warps = 1>>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// 16-bit elements are computed and converted in pairs of columns; a condition
// that is no tile serves all.
// CHECK-LABEL: gpu.func @pairs
// CHECK-SAME:    %[[C:.*]]: i1,
// CHECK:         %[[P0:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf16>
// CHECK:         %[[P1:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf16>
// CHECK:         %[[S:.*]] = vector.broadcast %{{.*}} : f16 to vector<2xf16>
// CHECK:         %[[Q0:.*]] = arith.addf %[[P0]], %[[S]] : vector<2xf16>
// CHECK:         %[[Q1:.*]] = arith.addf %[[P1]], %[[S]] : vector<2xf16>
// CHECK:         %[[W0:.*]] = arith.extf %[[Q0]] : vector<2xf16> to vector<2xf32>
// CHECK:         %[[W1:.*]] = arith.extf %[[Q1]] : vector<2xf16> to vector<2xf32>
// CHECK:         %[[E0:.*]] = vector.extract %[[W0]][0]
// CHECK:         arith.select %[[C]], %[[E0]], %{{.*}} : f32
// CHECK-COUNT-3: arith.select %[[C]], {{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : vector<2xf32> to vector<2xf16>
// CHECK:         arith.truncf %{{.*}} : vector<2xf32> to vector<2xf16>
// CHECK-COUNT-4: st.global.b16
gpu.module @kernels {
  gpu.func @pairs(%c: i1, %x: f16, %out: memref<?x?xf16>, %i: index) kernel {
    %zeros = arith.constant dense<0.0> : tensor<16x8xf32, #wgtile.mma<warps = 1>>
    %tile = wgtile.read %out[%i, %i] in_bounds [true, true]
        : memref<?x?xf16> -> tensor<16x8xf16, #wgtile.mma<warps = 1>>
    %splat = tensor.splat %x : tensor<16x8xf16, #wgtile.mma<warps = 1>>
    %sum = arith.addf %tile, %splat : tensor<16x8xf16, #wgtile.mma<warps = 1>>
    %wide = arith.extf %sum : tensor<16x8xf16, #wgtile.mma<warps = 1>>
        to tensor<16x8xf32, #wgtile.mma<warps = 1>>
    %either = arith.select %c, %wide, %zeros
        : tensor<16x8xf32, #wgtile.mma<warps = 1>>
    %narrow = arith.truncf %either : tensor<16x8xf32, #wgtile.mma<warps = 1>>
        to tensor<16x8xf16, #wgtile.mma<warps = 1>>
    wgtile.store %narrow, %out[%i, %i] in_bounds [true, true]
        : tensor<16x8xf16, #wgtile.mma<warps = 1>>, memref<?x?xf16>
    gpu.return
  }
}

// -----

// LLVM must not widen pairs of f16 in the branch that reads them: it would keep them wide. Where anything else uses them
// it does not.
// CHECK-LABEL: gpu.func @kept
// CHECK:         %[[KEPT:.*]]:4 = scf.if
// CHECK:         %[[BITS:.*]] = llvm.bitcast %[[KEPT]]#0 : vector<2xf16> to i32
// CHECK-NEXT:    %[[SAME:.*]] = llvm.inline_asm {{.*}} "mov.b32 $0, $1;", "=r,r" %[[BITS]] : (i32) -> i32
// CHECK-NEXT:    %[[PAIR:.*]] = llvm.bitcast %[[SAME]] : i32 to vector<2xf16>
// CHECK-NEXT:    %[[LOW:.*]] = vector.extract %[[PAIR]][0]
// CHECK-NEXT:    arith.extf %[[LOW]] : f16 to f32
// CHECK-NEXT:    %[[HIGH:.*]] = vector.extract %[[PAIR]][1]
// CHECK-NEXT:    arith.extf %[[HIGH]] : f16 to f32
// CHECK:         mov.b32
// CHECK-NOT:     mov.b32
// CHECK:         arith.addf %[[KEPT]]#2, %[[KEPT]]#2 : vector<2xf16>
// CHECK:         arith.extf {{.*}} : vector<2xf16> to vector<2xf32>
// CHECK-NOT:     mov.b32
// CHECK:         gpu.return
!half = tensor<16x8xf16, #wgtile.mma<warps = 1>>
!single = tensor<16x8xf32, #wgtile.mma<warps = 1>>
gpu.module @kernels {
  gpu.func @kept(%c: i1, %x: memref<?x?xf16>, %i: index) kernel {
    %zeros = arith.constant dense<0.0> : !half
    %kept:2 = scf.if %c -> (!half, !half) {
      %first = wgtile.read %x[%i, %i] in_bounds [true, true] : memref<?x?xf16> -> !half
      %second = wgtile.read %x[%i, %i] in_bounds [true, true] : memref<?x?xf16> -> !half
      scf.yield %first, %second : !half, !half
    } else {
      scf.yield %zeros, %zeros : !half, !half
    }
    %wide = arith.extf %kept#0 : !half to !single
    %sum = arith.addf %kept#1, %kept#1 : !half
    %other = arith.extf %kept#1 : !half to !single
    %product = arith.mulf %wide, %other : !single
    %narrow = arith.truncf %product : !single to !half
    wgtile.store %narrow, %x[%i, %i] in_bounds [true, true] : !half, memref<?x?xf16>
    wgtile.store %sum, %x[%i, %i] in_bounds [true, true] : !half, memref<?x?xf16>
    gpu.return
  }
}

// -----

// A tile that a loop carries is carried register by register.
// CHECK-LABEL: gpu.func @loop
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %[[ZERO]], %[[B:.*]] = %[[ZERO]], %[[C:.*]] = %[[ZERO]], %[[D:.*]] = %[[ZERO]]) -> (f32, f32, f32, f32)
// CHECK-COUNT-4:   arith.addf {{.*}} : f32
// CHECK:           scf.yield {{.*}} : f32, f32, f32, f32
gpu.module @kernels {
  gpu.func @loop(%x: f32, %out: memref<?x?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : tensor<16x8xf32, #wgtile.mma<warps = 1>>
    %splat = tensor.splat %x : tensor<16x8xf32, #wgtile.mma<warps = 1>>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros)
        -> (tensor<16x8xf32, #wgtile.mma<warps = 1>>) {
      %next = arith.addf %acc, %splat : tensor<16x8xf32, #wgtile.mma<warps = 1>>
      scf.yield %next : tensor<16x8xf32, #wgtile.mma<warps = 1>>
    }
    wgtile.store %sum, %out[%c0, %c0] in_bounds [true, true]
        : tensor<16x8xf32, #wgtile.mma<warps = 1>>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// The block's number gives the tile, the last index fastest.
// CHECK-LABEL: gpu.func @tiles
// CHECK-SAME:    (%[[OUT:.*]]: memref<?x?x?xf32>, %[[X:.*]]: f32, %[[M:.*]]: index, %[[N:.*]]: index) kernel
// CHECK:         %[[BLOCK:.*]] = gpu.block_id x
// CHECK:         %[[K:.*]] = arith.remui %[[BLOCK]], %[[N]] : index
// CHECK:         %[[REST:.*]] = arith.divui %[[BLOCK]], %[[N]] : index
// CHECK:         %[[J:.*]] = arith.remui %[[REST]], %[[M]] : index
// CHECK:         %[[I:.*]] = arith.divui %[[REST]], %[[M]] : index
// CHECK:         memref.store %[[X]], %[[OUT]][%[[I]], %[[J]], %[[K]]]
// CHECK-NOT:     wgtile.for_each_tile
gpu.module @kernels {
  gpu.func @tiles(%out: memref<?x?x?xf32>, %x: f32, %m: index, %n: index)
      kernel {
    wgtile.for_each_tile (%i, %j, %k) in (%n, %m, %n) {
      memref.store %x, %out[%i, %j, %k] : memref<?x?x?xf32>
    }
    gpu.return
  }
}

// -----

// Eight columns are four registers of a tile and two of a column vector, which a
// thread has already.
// CHECK-LABEL: gpu.func @extract_columns
// CHECK-COUNT-4: ld.global.b32
// CHECK:         %[[L4:.*]] = llvm.inline_asm {{.*}}ld.global.b32 $0, [$1+32];
// CHECK:         %[[T4:.*]] = arith.bitcast %[[L4]] : i32 to f32
// CHECK-COUNT-3: ld.global.b32
// CHECK:         %[[ROW:.*]] = llvm.inline_asm {{.*}}ld.global.v2.b32 {$2, $3}, [$4+32];
// CHECK:         %[[L10:.*]] = llvm.extractvalue %[[ROW]][2]
// CHECK:         %[[V2:.*]] = llvm.bitcast %[[L10]] : i32 to f32
// CHECK:         arith.mulf %[[T4]], %[[V2]] : f32
// CHECK-COUNT-3: arith.mulf
// CHECK-NOT:     arith.mulf
gpu.module @kernels {
  gpu.func @extract_columns(%out: memref<?x?xf32>, %right: memref<?xf32>,
                            %i: index) kernel {
    %tile = wgtile.read %out[%i, %i] in_bounds [true, true]
        : memref<?x?xf32> -> tensor<16x16xf32, #wgtile.mma<warps = 1>>
    %r = wgtile.read %right[%i] in_bounds [true]
        : memref<?xf32> -> tensor<16xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>
    %columns = wgtile.extract_columns %tile from 8
        : tensor<16x16xf32, #wgtile.mma<warps = 1>>
        -> tensor<16x8xf32, #wgtile.mma<warps = 1>>
    %elements = wgtile.extract_columns %r from 8
        : tensor<16xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>
        -> tensor<8xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>
    %r_tile = wgtile.broadcast %elements dimension 1
        : tensor<8xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 1>>>
        -> tensor<16x8xf32, #wgtile.mma<warps = 1>>
    %product = arith.mulf %columns, %r_tile
        : tensor<16x8xf32, #wgtile.mma<warps = 1>>
    wgtile.store %product, %out[%i, %i] in_bounds [true, true]
        : tensor<16x8xf32, #wgtile.mma<warps = 1>>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Rows without gaps at multiples of 16 bytes: two elements at once where all that
// a thread has is inside, here the columns 0, 1, 8 and 9 from its first on, and
// else the last column alone where their number is odd.
// CHECK-LABEL: gpu.module @store_aligned
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att
// CHECK-SAME:      setp.gt.s32 %p, $4, 9;\0A@%p bra WHOLE;
// CHECK-SAME:      setp.gt.s32 %q, $4, 1;\0A@%q st.global.b32 [$5+0], $0;\0Asetp.eq.s32 %q, $4, 1;\0Acvt.u16.u32 %h, $0;\0A@%q st.global.b16 [$5+0], %h;
// CHECK-SAME:      setp.gt.s32 %q, $4, 9;\0A@%q st.global.b32 [$6+16], $3;\0Asetp.eq.s32 %q, $4, 9;\0Acvt.u16.u32 %h, $3;\0A@%q st.global.b16 [$6+16], %h;
// CHECK-SAME:      bra DONE;\0AWHOLE:\0Ast.global.b32 [$5+0], $0;\0Ast.global.b32 [$6+0], $1;\0Ast.global.b32 [$5+16], $2;\0Ast.global.b32 [$6+16], $3;\0ADONE:
// CHECK-NOT:     llvm.inline_asm
gpu.module @store_aligned {
  gpu.func @kernel(%out: memref<?x?xbf16, strided<[?, 1]>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : tensor<16x16xbf16, #wgtile.mma<warps = 1>>
    wgtile.store %zeros, %out[%c0, %c0] in_bounds [true, false] aligned
        : tensor<16x16xbf16, #wgtile.mma<warps = 1>>, memref<?x?xbf16, strided<[?, 1]>>
    gpu.return
  }
}

// -----

// An asynchronous product of a left operand in registers has its accumulator's 32
// registers tied, then a descriptor, and those of the operand, four a step. The
// wait has both, tied: the operand's are no other value's until then.
// CHECK-LABEL: gpu.func @register_operand
// CHECK:         %[[T0:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// CHECK:         %[[SUM:.*]] = llvm.inline_asm has_side_effects asm_dialect = att
// CHECK-SAME:      wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, $1, {{.*}}, $31}, {$65, $66, $67, $68}, %b, 0, 1, 1, 1;
// CHECK-NOT:       wait_group
// CHECK-SAME:      "=f,{{.*}},0,1,{{.*}},31,r,r,r,r,r,~{memory}"
// CHECK-SAME:      %{{[^,]*}}, %[[T0]], %[[T1:.*]], %[[T2:.*]], %[[T3:[^,]*]] :
// CHECK:         %[[D0:.*]] = llvm.extractvalue %[[SUM]][0]
// CHECK:         %[[D31:.*]] = llvm.extractvalue %[[SUM]][31]
// CHECK:         %[[KEPT:.*]] = llvm.inline_asm has_side_effects asm_dialect = att
// CHECK-SAME:      "wgmma.wait_group.sync.aligned 0;",
// CHECK-SAME:      "=f,{{.*}},=f,=r,=r,=r,=r,0,1,{{.*}},35,~{memory}"
// CHECK-SAME:      %[[D0]], {{.*}}, %[[D31]], %[[T0]], %[[T1]], %[[T2]], %[[T3]] :
// CHECK:         %[[L0:.*]] = llvm.extractvalue %[[KEPT]][32]
// CHECK:         llvm.bitcast %[[L0]] : i32 to vector<2xbf16>
gpu.module @kernels {
  gpu.func @register_operand(%map: !wgtile.tensor_map<16x64xbf16, swizzle = 128>,
                             %out: memref<?x?xf32>, %left: memref<?x?xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0>
        : tensor<64x64xf32, #wgtile.mma<warps = 4>>
    %a = wgtile.read %left[%c0, %c0] in_bounds [true, true]
        : memref<?x?xbf16> -> tensor<64x16xbf16, #wgtile.mma<warps = 4>>
    %b = wgtile.load %map[%c0, %c0] {barrier = 16384 : i64, offset = 0 : i64}
        : !wgtile.tensor_map<16x64xbf16, swizzle = 128>
        -> !wgtile.shared<16x64xbf16, swizzle = 128>
    %d = wgtile.mma_async %a, %b, %zeros
        : tensor<64x16xbf16, #wgtile.mma<warps = 4>>,
          !wgtile.shared<16x64xbf16, swizzle = 128>
        -> tensor<64x64xf32, #wgtile.mma<warps = 4>>
    %w:2 = wgtile.warpgroup_mma_wait %d, %a pending 0
        : tensor<64x64xf32, #wgtile.mma<warps = 4>>, tensor<64x16xbf16, #wgtile.mma<warps = 4>>
    wgtile.store %w#0, %out[%c0, %c0] in_bounds [true, true]
        : tensor<64x64xf32, #wgtile.mma<warps = 4>>, memref<?x?xf32>
    wgtile.store %w#1, %left[%c0, %c0] in_bounds [true, true]
        : tensor<64x16xbf16, #wgtile.mma<warps = 4>>, memref<?x?xbf16>
    gpu.return
  }
}

// -----

// A depth of 24: a product of 16, then one of 8, whose right operand is one
// matrix for each eight columns, four an ldmatrix. Three warps have 48 rows, the
// left tile is stored as 32: the last of them is read in the place of the rest.
// CHECK-LABEL: gpu.func @odd_eights
// CHECK:         %[[LAST:.*]] = arith.constant 31 : i32
// CHECK:         arith.minui %{{.*}}, %[[LAST]] : i32
// CHECK:         nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK-COUNT-4: nvvm.mma.sync {{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK:         nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 2 : i32
// CHECK:         nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK:         nvvm.mma.sync {{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 8>
gpu.module @kernels {
  gpu.func @odd_eights(%x: memref<?x?xbf16>, %out: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0>
        : tensor<24x32xf32, #wgtile.mma<warps = 3>>
    %a = wgtile.load %x[%c0, %c0] {offset = 0 : i64}
        : memref<?x?xbf16> -> !wgtile.shared<24x24xbf16, swizzle = 64>
    %b = wgtile.load %x[%c0, %c0] {offset = 8192 : i64}
        : memref<?x?xbf16> -> !wgtile.shared<24x32xbf16, swizzle = 64>
    %product = wgtile.mma %a, %b, %zeros mma_sync
        : !wgtile.shared<24x24xbf16, swizzle = 64>,
          !wgtile.shared<24x32xbf16, swizzle = 64>
        -> tensor<24x32xf32, #wgtile.mma<warps = 3>>
    wgtile.store %product, %out[%c0, %c0] in_bounds [true, true]
        : tensor<24x32xf32, #wgtile.mma<warps = 3>>, memref<?x?xf32>
    gpu.return
  }
}
