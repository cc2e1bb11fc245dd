// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(convert-wgtile-to-nvvm,canonicalize,cse))' | FileCheck %s

// A lane reads one element of each 32, those that are there, and has its columns from
// eight lanes that follow each other: elements 8 j and 8 j + 1 of a quad's first lane
// are in the parts of lanes 2 j and 2 j + 1.

!vector = tensor<80xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
!tile = tensor<64x80xi32, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @clipped
  // CHECK-SAME:      %[[X:.*]]: memref<?xi32>, %[[OUT:.*]]: memref<?x?xi32>, %[[I:.*]]: index
  // CHECK:         %[[QUAD:.*]] = arith.shrui %[[LANE:.*]], %c3_i32
  // CHECK:         %[[INQUAD:.*]] = arith.shli %[[QUAD]], %c1_i32
  // CHECK:         %[[PAIR:.*]] = arith.andi %[[LANE]], %c6_i32
  // CHECK:         %[[INPAIR:.*]] = arith.andi %[[LANE]], %c1_i32
  // CHECK:         %[[EIGHT:.*]] = arith.shli %[[PAIR]], %c2_i32
  // CHECK:         %[[SUM:.*]] = arith.ori %[[EIGHT]], %[[INQUAD]]
  // CHECK:         %[[FIRST32:.*]] = arith.ori %[[SUM]], %[[INPAIR]]
  // CHECK:         %[[FIRST:.*]] = arith.index_cast %[[FIRST32]] : i32 to index
  // CHECK:         %[[COLUMN:.*]] = arith.addi %[[I]], %[[FIRST]]
  // CHECK:         %[[BEFORE:.*]] = arith.cmpi slt, %[[COLUMN]], %[[FIRST]]
  // CHECK:         %[[LEFT:.*]] = arith.subi %{{.*}}, %[[COLUMN]]
  // CHECK:         %[[THERE:.*]] = arith.select %[[BEFORE]], %c0, %[[LEFT]]
  // CHECK:         %[[OWN:.*]] = arith.subi %c80, %[[FIRST]]
  // CHECK:         arith.minsi %[[THERE]], %[[OWN]]
  // CHECK:         %[[A:.*]] = llvm.inline_asm {{.*}}mov.b32 $0, 7;\0Asetp.gt.s32 %p, $2, 0;\0A@%p ld.global.b32 $0, [$1+0];
  // CHECK:         %[[B:.*]] = llvm.inline_asm {{.*}}setp.gt.s32 %p, $2, 32;\0A@%p ld.global.b32 $0, [$1+128];
  // CHECK:         %[[C:.*]] = llvm.inline_asm {{.*}}setp.gt.s32 %p, $2, 64;\0A@%p ld.global.b32 $0, [$1+256];
  // CHECK:         llvm.inline_asm {{.*}}setp.gt.s32 %p, $2, 96;\0A@%p ld.global.b32 $0, [$1+384];
  // CHECK:         %[[PLACE:.*]] = arith.andi %{{.*}}, %c3_i32
  // CHECK:         %[[OWNER:.*]] = arith.shli %[[PLACE]], %c3_i32
  // CHECK:         nvvm.shfl.sync idx %{{.*}}, %[[A]], %[[OWNER]]
  // CHECK-NEXT:    %[[SECOND:.*]] = arith.ori %[[OWNER]], %c1_i32
  // CHECK-NEXT:    nvvm.shfl.sync idx %{{.*}}, %[[A]], %[[SECOND]]
  // CHECK-NEXT:    %[[THIRD:.*]] = arith.ori %[[OWNER]], %c2_i32
  // CHECK-NEXT:    nvvm.shfl.sync idx %{{.*}}, %[[A]], %[[THIRD]]
  // CHECK:         nvvm.shfl.sync idx %{{.*}}, %[[B]], %[[OWNER]]
  // CHECK-NEXT:    nvvm.shfl.sync idx %{{.*}}, %[[B]], %[[SECOND]]
  // CHECK:         nvvm.shfl.sync idx %{{.*}}, %[[C]], %[[OWNER]]
  // CHECK-NEXT:    nvvm.shfl.sync idx %{{.*}}, %[[C]], %[[SECOND]]
  // CHECK-NEXT:    nvvm.shfl.sync idx %{{.*}}, %[[C]], %[[THIRD]]
  // CHECK-NEXT:    nvvm.shfl.sync
  // CHECK-NOT:     nvvm.shfl
  gpu.func @clipped(%x: memref<?xi32>, %out: memref<?x?xi32>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p:4 = wgtile.read_lanes %x[%i] size 80 in_bounds false padding 7 : i32 : memref<?xi32> -> i32, i32, i32, i32
    %v = wgtile.spread_lanes %p#0, %p#1, %p#2, %p#3 : i32, i32, i32, i32 -> !vector
    %t = wgtile.broadcast %v dimension 1 : !vector -> !tile
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, true] : !tile, memref<?x?xi32>
    gpu.return
  }

  // What is known to be there is read without a test.
  // CHECK-LABEL: gpu.func @whole
  // CHECK-NOT:     setp
  // CHECK:         llvm.inline_asm {{.*}}"ld.global.b32 $0, [$1+0];"
  // CHECK:         llvm.inline_asm {{.*}}"ld.global.b32 $0, [$1+128];"
  // CHECK-NOT:     ld.global
  gpu.func @whole(%x: memref<?xf32>, %out: memref<?x?xf32>, %i: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %p:2 = wgtile.read_lanes %x[%i] size 64 in_bounds true : memref<?xf32> -> i32, i32
    %v = wgtile.spread_lanes %p#0, %p#1 : i32, i32 -> tensor<64xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
    %t = wgtile.broadcast %v dimension 1 : tensor<64xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>> -> tensor<64x64xf32, #wgtile.mma<warps = 4>>
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, true] : tensor<64x64xf32, #wgtile.mma<warps = 4>>, memref<?x?xf32>
    gpu.return
  }
}
