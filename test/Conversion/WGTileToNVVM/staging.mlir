// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-assign-stages,convert-wgtile-to-nvvm,canonicalize,cse))' | FileCheck %s

!staging = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
!words = !wgtile.ring<1, [!wgtile.shared<64x32xf32, swizzle = 128>], warpgroups = 2>

// A row of a staging tile is 128 bytes, a warpgroup's tile 8192; four matrices
// go at a time, 32 bytes of a row, which the swizzle moves by an exclusive or.
// One register names the thread's place in every tile. What is constant in the
// column is added beside the copy.
// CHECK-LABEL: gpu.func @kernel
// CHECK:         nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK:         nvvm.barrier id = %[[ID:.*]] number_of_threads = %{{.*}}
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $0, 0;{{.*}}stmatrix.sync.aligned.m8n8.x4.shared.b16 [%a+2048], {$1, $2, $3, $4}{{.*}} %[[PLACE:.*]], %[[T:.*]], %[[T]], %[[T]], %[[T]] :
// CHECK:         xor.b32 %a, $0, 32;
// CHECK:         xor.b32 %a, $0, 64;{{.*}}stmatrix
// CHECK:         xor.b32 %a, $0, 96;{{.*}}stmatrix
// CHECK-NOT:     stmatrix
// Two columns of a row, and of the row eight below.
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $0, 0;{{.*}}st.shared.v2.b32 [%a+34816]
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $0, 0;{{.*}}st.shared.v2.b32 [%a+35840]
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $0, 32;{{.*}}st.shared.v2.b32 [%a+34816]
// CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK:         nvvm.barrier id = %[[ID]]
// CHECK:         llvm.inline_asm {{.*}}and.b32 %t, %t, 127;{{.*}}add.s32 %c, $1, 64;{{.*}}@%p cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$0, {%c, $2}], [$3+2048];{{.*}}@%p cp.async.bulk.commit_group;{{.*}} %[[MAP:.*]], %[[COLUMN:.*]], %[[ROW:.*]], %[[PLACE]] :
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK:         llvm.inline_asm {{.*}}@%p cp.async.bulk.prefetch.tensor.2d.L2.global [$0, {%c, $2}];{{.*}} %[[MAP]], %[[COLUMN]], %[[ROW]] :
gpu.module @kernels {
  gpu.func @kernel(%map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>,
                   %i: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = arith.constant dense<1.0> : tensor<128x64xbf16, #wgtile.mma<warps = 8>>
    %f = arith.constant dense<1.0> : tensor<128x32xf32, #wgtile.mma<warps = 8>>
    %ring = wgtile.ring {offset = 2048 : i64} : !staging
    %other = wgtile.ring {offset = 34816 : i64} : !words
    %j = affine.apply affine_map<(d0) -> (d0 * 128 + 64)>(%i)
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.named_barrier
    wgtile.ring_store %t, %ring[%s] 0 : tensor<128x64xbf16, #wgtile.mma<warps = 8>>, !staging
    %w = wgtile.producer_acquire %other : !words
    wgtile.ring_store %f, %other[%w] 0 : tensor<128x32xf32, #wgtile.mma<warps = 8>>, !words
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %ring[%s] 0, %map[%i, %j] warpgroups 2
        : !staging, !wgtile.tensor_map<64x64xbf16, swizzle = 128>
    wgtile.producer_commit %ring[%s] : !staging
    wgtile.producer_commit %other[%w] : !words
    wgtile.producer_tail %ring : !staging
    wgtile.prefetch %map[%i, %j] warpgroups 2
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
    gpu.return
  }
}

// A tile of the narrower swizzle of 64 bytes: four chunks a row, in another order
// after two rows.
// CHECK-LABEL: gpu.func @narrow
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-DAG:     %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK-DAG:     %[[BYTES:.*]] = arith.constant 64 : i32
// CHECK:         %[[PAIR:.*]] = arith.divui %[[ROW:.*]], %[[TWO]] : i32
// CHECK:         %[[PATTERN:.*]] = arith.remui %[[PAIR]], %[[FOUR]] : i32
// CHECK:         arith.xori %{{.*}}, %[[PATTERN]] : i32
// CHECK:         arith.muli %[[ROW]], %[[BYTES]] : i32
// CHECK:         xor.b32 %a, $0, 0;{{.*}}stmatrix.sync.aligned.m8n8.x4.shared.b16 [%a+2048]
// CHECK:         xor.b32 %a, $0, 32;{{.*}}stmatrix
// CHECK-NOT:     stmatrix
// CHECK:         xor.b32 %a, $0, 0;{{.*}}st.shared.v2.b32 [%a+10240]
// CHECK:         xor.b32 %a, $0, 0;{{.*}}st.shared.v2.b32 [%a+10496]
gpu.module @narrow_rows {
  gpu.func @narrow() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = arith.constant dense<1.0> : tensor<128x32xbf16, #wgtile.mma<warps = 8>>
    %f = arith.constant dense<1.0> : tensor<128x8xf32, #wgtile.mma<warps = 8>>
    %ring = wgtile.ring {offset = 2048 : i64}
        : !wgtile.ring<1, [!wgtile.shared<64x32xbf16, swizzle = 64>], warpgroups = 2>
    %words = wgtile.ring {offset = 10240 : i64}
        : !wgtile.ring<1, [!wgtile.shared<64x8xf32, swizzle = 32>], warpgroups = 2>
    %s = wgtile.producer_acquire %ring
        : !wgtile.ring<1, [!wgtile.shared<64x32xbf16, swizzle = 64>], warpgroups = 2>
    wgtile.ring_store %t, %ring[%s] 0 : tensor<128x32xbf16, #wgtile.mma<warps = 8>>,
        !wgtile.ring<1, [!wgtile.shared<64x32xbf16, swizzle = 64>], warpgroups = 2>
    %w = wgtile.producer_acquire %words
        : !wgtile.ring<1, [!wgtile.shared<64x8xf32, swizzle = 32>], warpgroups = 2>
    wgtile.ring_store %f, %words[%w] 0 : tensor<128x8xf32, #wgtile.mma<warps = 8>>,
        !wgtile.ring<1, [!wgtile.shared<64x8xf32, swizzle = 32>], warpgroups = 2>
    gpu.return
  }
}

// A stage that only a run of the kernel knows is added to the place of the thread.
// CHECK-LABEL: gpu.func @stage
// CHECK-DAG:     %[[BYTES:.*]] = arith.constant 16384 : i32
// CHECK:         scf.for {{.*}} iter_args(%[[STAGE:.*]] = %{{.*}})
// CHECK:           %[[OFFSET:.*]] = arith.muli %[[STAGE]], %[[BYTES]] : i32
// CHECK:           %[[PLACE:.*]] = arith.addi %{{.*}}, %[[OFFSET]] : i32
// CHECK:           stmatrix.sync.aligned.m8n8.x4.shared.b16 [%a+2048]{{.*}} %[[PLACE]],
// CHECK:           [$0, {%c, $2}], [$3+2048];{{.*}} %[[PLACE]] :
// One that comes round in each iteration is a constant in the addresses.
// CHECK-LABEL: gpu.func @constant_stages
// CHECK:         scf.for
// CHECK:           %[[PLACE:.*]] = llvm.ptrtoint
// CHECK:           stmatrix.sync.aligned.m8n8.x4.shared.b16 [%a+2048]{{.*}} %[[PLACE]],
// CHECK:           stmatrix.sync.aligned.m8n8.x4.shared.b16 [%a+18432]{{.*}} %[[PLACE]],
// CHECK:           [$0, {%c, $2}], [$3+18432];{{.*}} %[[PLACE]] :
gpu.module @stages {
  gpu.func @stage(%map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = arith.constant dense<1.0> : tensor<128x64xbf16, #wgtile.mma<warps = 8>>
    %ring = wgtile.ring {offset = 2048 : i64} : !staging
    scf.for %i = %c0 to %n step %c1 {
      %s = wgtile.producer_acquire %ring : !staging
      wgtile.ring_store %t, %ring[%s] 0 : tensor<128x64xbf16, #wgtile.mma<warps = 8>>, !staging
      wgtile.tma_store %ring[%s] 0, %map[%i, %i] warpgroups 2
          : !staging, !wgtile.tensor_map<64x64xbf16, swizzle = 128>
      wgtile.producer_commit %ring[%s] : !staging
    }
    gpu.return
  }
  gpu.func @constant_stages(%map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = arith.constant dense<1.0> : tensor<128x64xbf16, #wgtile.mma<warps = 8>>
    %ring = wgtile.ring {offset = 2048 : i64} : !staging
    scf.for %i = %c0 to %n step %c1 {
      %s = wgtile.producer_acquire %ring : !staging
      wgtile.ring_store %t, %ring[%s] 0 : tensor<128x64xbf16, #wgtile.mma<warps = 8>>, !staging
      wgtile.producer_commit %ring[%s] : !staging
      %s1 = wgtile.producer_acquire %ring : !staging
      wgtile.ring_store %t, %ring[%s1] 0 : tensor<128x64xbf16, #wgtile.mma<warps = 8>>, !staging
      wgtile.tma_store %ring[%s1] 0, %map[%i, %i] warpgroups 2
          : !staging, !wgtile.tensor_map<64x64xbf16, swizzle = 128>
      wgtile.producer_commit %ring[%s1] : !staging
    }
    gpu.return
  }
}

// Two neighbouring elements of an aligned row are one read. A thread with no
// element out of bounds branches around the tests of each; the last column of
// an odd number is read alone. No register is written under a predicate that
// was not written before: such a one would be live all around a loop over tiles.
// CHECK-LABEL: gpu.func @aligned
// CHECK:         llvm.inline_asm {{.*}} "{\0A.reg .pred %p, %q;\0A
// CHECK-SAME:      setp.gt.s32 %p, $8, 25;\0A@%p bra WHOLE;\0A
// CHECK-SAME:      mov.b32 $0, 0;\0Asetp.gt.s32 %q, $8, 1;\0A@%q ld.global.b32 $0, [$9+0];\0A
// CHECK-SAME:      setp.eq.s32 %q, $8, 1;\0A@%q ld.global.u16 $0, [$9+0];\0A
// CHECK-SAME:      mov.b32 $1, 0;\0Asetp.gt.s32 %q, $8, 1;\0A@%q ld.global.b32 $1, [$10+0];\0A
// CHECK-SAME:      mov.b32 $7, 0;\0Asetp.gt.s32 %q, $8, 25;\0A@%q ld.global.b32 $7, [$10+48];\0A
// CHECK-SAME:      bra DONE;\0AWHOLE:\0Ald.global.b32 $0, [$9+0];\0Ald.global.b32 $1, [$10+0];\0A
// CHECK-SAME:      ld.global.b32 $7, [$10+48];\0ADONE:\0A}\0A", "=&r,=&r,=&r,=&r,=&r,=&r,=&r,=&r,r,l,l"
// CHECK-NOT:     ld.global

// Padding, -inf of bf16, is in both halves of a word, also beside the last
// column of an odd number.
// CHECK-LABEL: gpu.func @aligned_padding
// CHECK:         llvm.inline_asm {{.*}} "{\0A.reg .pred %p, %q;\0A
// CHECK-SAME:      mov.b32 $0, 4286644096;\0Asetp.gt.s32 %q, $8, 1;\0A@%q ld.global.b32 $0, [$9+0];\0A
// CHECK-SAME:      setp.eq.s32 %q, $8, 1;\0A@%q ld.global.u16 $0, [$9+0];\0A@%q or.b32 $0, $0, 4286578688;\0A
// CHECK-SAME:      bra DONE;\0AWHOLE:\0Ald.global.b32 $0, [$9+0];\0A

// Rows and columns: both are tested, and a pair's row too.
// CHECK-LABEL: gpu.func @aligned_rows
// CHECK:         llvm.inline_asm {{.*}} "{\0A.reg .pred %p, %q;\0A
// CHECK-SAME:      setp.gt.s32 %p, $8, 8;\0Asetp.gt.s32 %q, $9, 25;\0Aand.pred %p, %p, %q;\0A@%p bra WHOLE;\0A
// CHECK-SAME:      mov.b32 $1, 0;\0Asetp.gt.s32 %p, $8, 8;\0A
// CHECK-SAME:      setp.gt.s32 %q, $9, 1;\0Aand.pred %q, %q, %p;\0A@%q ld.global.b32 $1, [$11+0];\0A
// CHECK-SAME:      setp.eq.s32 %q, $9, 1;\0Aand.pred %q, %q, %p;\0A@%q ld.global.u16 $1, [$11+0];\0A

// Rows alone.
// CHECK-LABEL: gpu.func @aligned_whole_columns
// CHECK:         llvm.inline_asm {{.*}} "{\0A.reg .pred %p, %q;\0A
// CHECK-SAME:      setp.gt.s32 %p, $8, 8;\0A@%p bra WHOLE;\0A
// CHECK-SAME:      mov.b32 $1, 0;\0Asetp.gt.s32 %p, $8, 8;\0A@%p ld.global.b32 $1, [$10+0];\0A
// CHECK-SAME:      WHOLE:\0Ald.global.b32 $0, [$9+0];\0A

// Nothing to test.
// CHECK-LABEL: gpu.func @aligned_inside
// CHECK:         llvm.inline_asm {{.*}} "{\0Ald.global.b32 $0, [$8+0];\0Ald.global.b32 $1, [$9+0];\0A
// CHECK-SAME:      ld.global.b32 $7, [$9+48];\0A}\0A"
gpu.module @reads {
  gpu.func @aligned(%in: memref<?x?xbf16>, %out: memref<?x?xbf16>,
                    %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %0 = wgtile.read %in[%i, %i] in_bounds [true, false] aligned
        : memref<?x?xbf16> -> tensor<64x32xbf16, #wgtile.mma<warps = 4>>
    wgtile.store %0, %out[%i, %i] in_bounds [true, true]
        : tensor<64x32xbf16, #wgtile.mma<warps = 4>>, memref<?x?xbf16>
    gpu.return
  }
  gpu.func @aligned_padding(%in: memref<?x?xbf16>, %out: memref<?x?xbf16>,
                            %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %0 = wgtile.read %in[%i, %i] in_bounds [true, false] aligned padding 0xFF80 : bf16
        : memref<?x?xbf16> -> tensor<64x32xbf16, #wgtile.mma<warps = 4>>
    wgtile.store %0, %out[%i, %i] in_bounds [true, true]
        : tensor<64x32xbf16, #wgtile.mma<warps = 4>>, memref<?x?xbf16>
    gpu.return
  }
  gpu.func @aligned_rows(%in: memref<?x?xbf16>, %out: memref<?x?xbf16>,
                         %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %0 = wgtile.read %in[%i, %i] in_bounds [false, false] aligned
        : memref<?x?xbf16> -> tensor<64x32xbf16, #wgtile.mma<warps = 4>>
    wgtile.store %0, %out[%i, %i] in_bounds [true, true]
        : tensor<64x32xbf16, #wgtile.mma<warps = 4>>, memref<?x?xbf16>
    gpu.return
  }
  gpu.func @aligned_whole_columns(%in: memref<?x?xbf16>, %out: memref<?x?xbf16>,
                                  %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %0 = wgtile.read %in[%i, %i] in_bounds [false, true] aligned
        : memref<?x?xbf16> -> tensor<64x32xbf16, #wgtile.mma<warps = 4>>
    wgtile.store %0, %out[%i, %i] in_bounds [true, true]
        : tensor<64x32xbf16, #wgtile.mma<warps = 4>>, memref<?x?xbf16>
    gpu.return
  }
  gpu.func @aligned_inside(%in: memref<?x?xbf16>, %out: memref<?x?xbf16>,
                           %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %0 = wgtile.read %in[%i, %i] in_bounds [true, true] aligned
        : memref<?x?xbf16> -> tensor<64x32xbf16, #wgtile.mma<warps = 4>>
    wgtile.store %0, %out[%i, %i] in_bounds [true, true]
        : tensor<64x32xbf16, #wgtile.mma<warps = 4>>, memref<?x?xbf16>
    gpu.return
  }
}

!pairs = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
!singles = !wgtile.ring<1, [!wgtile.shared<64x32xf32, swizzle = 128>]>

// What TMA brought is read as staging is written, at a tile's own
// offset: four matrices at a time, and of 32 bits two columns of a row and of the
// row eight below. A warpgroup has 64 of the tile's rows.
// CHECK-LABEL: gpu.func @read
// CHECK-DAG:     %[[TILE:.*]] = arith.constant 4096 : i32
// CHECK:         %[[FIRST:.*]] = llvm.ptrtoint
// CHECK:         %[[PLACE:.*]] = arith.addi %[[FIRST]], %[[TILE]]
// CHECK:         %[[R:.*]] = llvm.inline_asm {{.*}}xor.b32 %a, $4, 0;{{.*}}ldmatrix.sync.aligned.m8n8.x4.shared.b16 {$0, $1, $2, $3}, [%a+0];{{.*}}"=r,=r,=r,=r,r,~{memory}" %[[PLACE]]
// CHECK:         llvm.extractvalue %[[R]][0]
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $4, 32;{{.*}}ldmatrix
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $4, 64;{{.*}}ldmatrix
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $4, 96;{{.*}}ldmatrix
// CHECK-NOT:     ldmatrix
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $2, 0;{{.*}}ld.shared.v2.b32 {$0, $1}, [%a+0];
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $2, 0;{{.*}}ld.shared.v2.b32 {$0, $1}, [%a+1024];
// CHECK:         llvm.inline_asm {{.*}}xor.b32 %a, $2, 32;{{.*}}ld.shared.v2.b32 {$0, $1}, [%a+0];
gpu.module @tiles {
  gpu.func @read(%out: memref<?x?xbf16>, %words: memref<?x?xf32>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %ring = wgtile.ring {offset = 4096 : i64} : !pairs
    %p = wgtile.consumer_wait %ring pending 0 : !pairs
    %s = wgtile.ring_tile %ring[%p] 0 : !pairs -> !wgtile.shared<64x64xbf16, swizzle = 128>
    %own = wgtile.ring {offset = 4096 : i64} : !singles
    %q = wgtile.consumer_wait %own pending 0 : !singles
    %w = wgtile.ring_tile %own[%q] 0 : !singles -> !wgtile.shared<64x32xf32, swizzle = 128>
    %t = wgtile.read_shared %s : !wgtile.shared<64x64xbf16, swizzle = 128>
        -> tensor<64x64xbf16, #wgtile.mma<warps = 4>>
    %f = wgtile.read_shared %w : !wgtile.shared<64x32xf32, swizzle = 128>
        -> tensor<64x32xf32, #wgtile.mma<warps = 4>>
    wgtile.store %t, %out[%i, %i] in_bounds [true, true]
        : tensor<64x64xbf16, #wgtile.mma<warps = 4>>, memref<?x?xbf16>
    wgtile.store %f, %words[%i, %i] in_bounds [true, true]
        : tensor<64x32xf32, #wgtile.mma<warps = 4>>, memref<?x?xf32>
    gpu.return
  }
}
