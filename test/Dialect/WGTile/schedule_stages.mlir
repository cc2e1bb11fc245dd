// RUN: sparse-opt %s --wgtile-schedule | FileCheck %s

!tile = !wgtile.shared<128x256xbf16, swizzle = 128>
!small = !wgtile.shared<64x256xbf16, swizzle = 128>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<128x64xf32, #wgtile.mma<warps = 8>>

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  // 64 KB are loaded once a tile and 32 KB in each of many steps. A second stage
  // of the former would leave the loop three stages; it gets five.
  // CHECK-LABEL: gpu.func @long(
  // CHECK-SAME:    stages = 5, tile_stages = 1,
  gpu.func @long(%map: !map, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %a = wgtile.load %map[%i, %c0] : !map -> !tile
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %b = wgtile.load %map[%p, %j] : !map -> !small
        %d = wgtile.mma %a, %b, %acc transpose_b : !tile, !small -> !acc
        scf.yield %d : !acc
      } {wgtile.block_loop}
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }

  // Of few steps a second stage hides more, as it does where it was asked for.
  // CHECK-LABEL: gpu.func @short(
  // CHECK-SAME:    stages = 3, tile_stages = 2,
  gpu.func @short(%map: !map, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %a = wgtile.load %map[%i, %c0] : !map -> !tile
      %r = scf.for %p = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (!acc) {
        %b = wgtile.load %map[%p, %j] : !map -> !small
        %d = wgtile.mma %a, %b, %acc transpose_b : !tile, !small -> !acc
        scf.yield %d : !acc
      } {wgtile.block_loop}
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @hint(
  // CHECK-SAME:    stages = 3, tile_stages = 2,
  gpu.func @hint(%map: !map, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>,
                  wgtile.schedule = #wgtile.schedule<tile_stages = 2>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %a = wgtile.load %map[%i, %c0] : !map -> !tile
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %b = wgtile.load %map[%p, %j] : !map -> !small
        %d = wgtile.mma %a, %b, %acc transpose_b : !tile, !small -> !acc
        scf.yield %d : !acc
      } {wgtile.block_loop}
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}
