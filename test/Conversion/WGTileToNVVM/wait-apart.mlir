// RUN: sparse-opt %s --convert-wgtile-to-nvvm --split-input-file | FileCheck %s

// A wait at the end of an iteration is a block of its own, over which ptxas moves
// nothing that runs beside the MMA.
// CHECK-LABEL: gpu.func @apart
// CHECK:         wgmma.mma_async
// CHECK:         math.exp2
// CHECK:         llvm.inline_asm {{.*}}setp.eq.u32 %p, %n, 0;\0AWAIT:\0Awgmma.wait_group.sync.aligned 0;\0A@%p bra.uni WAIT;\0A}"
// CHECK:         scf.yield
#tile = #wgtile.mma<warps = 4>
!map = !wgtile.tensor_map<16x64xbf16, swizzle = 128>
!shared = !wgtile.shared<16x64xbf16, swizzle = 128>
gpu.module @kernels {
  gpu.func @apart(%map: !map, %left: memref<?x?xbf16>, %n: index,
                  %out: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32, #tile>
    %a = wgtile.read %left[%c0, %c0] in_bounds [true, true] : memref<?x?xbf16> -> tensor<64x16xbf16, #tile>
    %b = wgtile.load %map[%c0, %c0] {barrier = 16384 : i64, offset = 0 : i64} : !map -> !shared
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros, %e = %zeros)
        -> (tensor<64x64xf32, #tile>, tensor<64x64xf32, #tile>) {
      %d = wgtile.mma_async %a, %b, %acc : tensor<64x16xbf16, #tile>, !shared -> tensor<64x64xf32, #tile>
      %next = math.exp2 %e : tensor<64x64xf32, #tile>
      %w = wgtile.warpgroup_mma_wait %d pending 0 : tensor<64x64xf32, #tile>
      scf.yield %w, %next : tensor<64x64xf32, #tile>, tensor<64x64xf32, #tile>
    }
    wgtile.store %r#0, %out[%c0, %c0] in_bounds [true, true] : tensor<64x64xf32, #tile>, memref<?x?xf32>
    wgtile.store %r#1, %out[%c0, %c0] in_bounds [true, true] : tensor<64x64xf32, #tile>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Right behind the MMA there is nothing to move.
// CHECK-LABEL: gpu.func @at_once
// CHECK-NOT:     WAIT
// CHECK:         wgmma.wait_group.sync.aligned 0
// CHECK-NOT:     WAIT
#tile = #wgtile.mma<warps = 4>
!map = !wgtile.tensor_map<16x64xbf16, swizzle = 128>
!shared = !wgtile.shared<16x64xbf16, swizzle = 128>
gpu.module @kernels {
  gpu.func @at_once(%map: !map, %left: memref<?x?xbf16>, %n: index,
                    %out: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32, #tile>
    %a = wgtile.read %left[%c0, %c0] in_bounds [true, true] : memref<?x?xbf16> -> tensor<64x16xbf16, #tile>
    %b = wgtile.load %map[%c0, %c0] {barrier = 16384 : i64, offset = 0 : i64} : !map -> !shared
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<64x64xf32, #tile>) {
      %d = wgtile.mma_async %a, %b, %acc : tensor<64x16xbf16, #tile>, !shared -> tensor<64x64xf32, #tile>
      %w = wgtile.warpgroup_mma_wait %d pending 0 : tensor<64x64xf32, #tile>
      scf.yield %w : tensor<64x64xf32, #tile>
    }
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : tensor<64x64xf32, #tile>, memref<?x?xf32>
    gpu.return
  }
}
