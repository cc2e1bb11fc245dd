// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(convert-wgtile-to-nvvm,canonicalize,cse))' | FileCheck %s

!rows = tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
!bits = tensor<64x16xi1, #wgtile.mma<warps = 4>>
!tile = tensor<64x16xi32, #wgtile.mma<warps = 4>>

// Of each eight columns a lane has two; what a warp's lanes voted for has a lane's
// columns in the byte of its place among four.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @words
  // CHECK-SAME:      %[[P:.*]]: i1, %[[Q:.*]]: i1, %{{.*}}: i1, %{{.*}}: i1
  // CHECK:         %[[QUAD:.*]] = arith.andi %{{.*}}, %c3_i32
  // CHECK:         %[[TIMES:.*]] = arith.muli %[[QUAD]], %c17_i32
  // CHECK:         %[[OWN:.*]] = arith.addi %[[TIMES]], %c64_i32
  // CHECK:         %[[V:.*]] = nvvm.vote.sync ballot %c-1_i32, %[[P]] -> i32
  // CHECK:         %[[W:.*]] = nvvm.vote.sync ballot %c-1_i32, %[[Q]] -> i32
  // CHECK:         %[[LOW:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[V]], %[[W]], %[[OWN]])
  // CHECK:         %[[HIGH:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%{{.*}}, %{{.*}}, %[[OWN]])
  // CHECK:         %[[ALL:.*]] = llvm.call_intrinsic "llvm.nvvm.prmt"(%[[LOW]], %[[HIGH]], %c21520_i32)
  // CHECK:         memref.store %[[ALL]]
  gpu.func @words(%p: i1, %q: i1, %r: i1, %s: i1, %out: memref<?xi32>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %bits = wgtile.lane_bits %p, %q, %r, %s
    memref.store %bits, %out[%i] : memref<?xi32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @below
  // CHECK:         %[[FIRST:.*]] = arith.muli %{{.*}}, %c2_i32
  // CHECK:         %[[FROM:.*]] = arith.maxsi %[[BOUND:.*]], %[[FIRST]]
  // CHECK:         %[[BEFORE:.*]] = arith.subi %[[FROM]], %[[FIRST]]
  // CHECK:         %[[EIGHTS:.*]] = arith.shrui %[[BEFORE]], %c3_i32
  // CHECK:         %[[REST:.*]] = arith.andi %[[BEFORE]], %c7_i32
  // CHECK:         %[[TWICE:.*]] = arith.muli %[[EIGHTS]], %c2_i32
  // CHECK:         %[[PAIR:.*]] = arith.minui %[[REST]], %c2_i32
  // CHECK:         %[[COUNT:.*]] = arith.addi %[[TWICE]], %[[PAIR]]
  // CHECK:         %[[WORD:.*]] = llvm.inline_asm asm_dialect = att "bmsk.clamp.b32 $0, 0, $1;", "=r,r" %[[COUNT]]
  // CHECK:         %[[TEST:.*]] = llvm.inline_asm asm_dialect = att "{\0A.reg .b32 %t;\0Aand.b32 %t, $1, 1;\0Asetp.ne.s32 $0, %t, 0;\0A}", "=b,r" %[[WORD]] : (i32) -> i1
  // CHECK-NEXT:    llvm.inline_asm asm_dialect = att "selp.b32 $0, $1, $2, $3;", "=r,r,r,b" %c7_i32, %c9_i32, %[[TEST]]
  gpu.func @below(%x: memref<?xi32>, %out: memref<?x?xi32>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %r = wgtile.read %x[%i] in_bounds [true] : memref<?xi32> -> !rows
    %w = wgtile.bits_below %r : !rows
    %t = wgtile.test_bits %w : !rows -> !bits
    %sevens = arith.constant dense<7> : !tile
    %nines = arith.constant dense<9> : !tile
    %s = arith.select %t, %sevens, %nines : !bits, !tile
    wgtile.store %s, %out[%i, %i] in_bounds [true, true] : !tile, memref<?x?xi32>
    gpu.return
  }

  // Several conditions are combined before one selection, which LLVM would take
  // apart; one and two are LLVM's.
  // CHECK-LABEL: gpu.func @several
  // CHECK:         %[[A:.*]] = arith.cmpi slt
  // CHECK:         arith.andi
  // CHECK:         llvm.inline_asm asm_dialect = att "selp.b32 $0, $1, $2, $3;", "=r,r,r,b" %c7_i32, %c9_i32, %{{.*}} : (i32, i32, i1) -> i32
  // CHECK-NOT:     arith.select
  gpu.func @several(%x: memref<?xi32>, %out: memref<?x?xi32>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %r = wgtile.read %x[%i] in_bounds [true] : memref<?xi32> -> !rows
    %t = wgtile.broadcast %r dimension 0 : !rows -> !tile
    %sevens = arith.constant dense<7> : !tile
    %nines = arith.constant dense<9> : !tile
    %a = arith.cmpi slt, %t, %sevens : !tile
    %b = arith.cmpi ne, %t, %nines : !tile
    %d = arith.cmpi sgt, %t, %nines : !tile
    %e = arith.andi %a, %b : !bits
    %c = arith.ori %e, %d : !bits
    %s = arith.select %c, %sevens, %nines : !bits, !tile
    wgtile.store %s, %out[%i, %i] in_bounds [true, true] : !tile, memref<?x?xi32>
    gpu.return
  }
}
