// RUN: sparse-opt %s --wgtile-schedule | FileCheck %s

!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!v = !wgtile.shared<128x128xbf16, swizzle = 128>
!v112 = !wgtile.shared<128x112xbf16, swizzle = 32>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!wide = tensor<128x128xf32, #wgtile.mma<warps = 8>>
!wide112 = tensor<128x112xf32, #wgtile.mma<warps = 8>>
!packed = tensor<128x128xbf16, #wgtile.mma<warps = 8>>

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  // Three tiles of 64 registers are live at one time; the fourth MMA's operand
  // takes the place of one of them.
  // CHECK-LABEL: gpu.func @fits(
  // CHECK-SAME:    producer_registers = 40, consumer_registers = 232
  gpu.func @fits(%map: !map, %a: !a, %v: !v, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !wide
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!wide) {
        %b = wgtile.load %map[%p, %j] : !map -> !b
        %s = wgtile.mma %a, %b, %zero : !a, !b -> !wide
        %t = wgtile.mma %a, %b, %zero : !a, !b -> !wide
        %u = arith.mulf %s, %t : !wide
        %w = arith.truncf %u : !wide to !packed
        %d = wgtile.mma %w, %v, %acc : !packed, !v -> !wide
        scf.yield %d : !wide
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !wide, memref<?x?xf32>
    }
    gpu.return
  }

  // An operand of 32 registers is held beside two of them and one of 56 until its
  // MMA is over: they fit beside a producer with the fewest registers.
  // CHECK-LABEL: gpu.func @held(
  // CHECK-SAME:    producer_registers = 24, consumer_registers = 240
  gpu.func @held(%map: !map, %a: !a, %v: !v112, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !wide
    %none = arith.constant dense<0.0> : !wide112
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %none) -> (!wide112) {
        %b = wgtile.load %map[%p, %j] : !map -> !b
        %s = wgtile.mma %a, %b, %zero : !a, !b -> !wide
        %t = wgtile.mma %a, %b, %zero : !a, !b -> !wide
        %w = arith.truncf %s : !wide to !packed
        %d = wgtile.mma %w, %v, %acc : !packed, !v112 -> !wide112
        %u = arith.mulf %s, %t : !wide
        wgtile.store %u, %out[%i, %p] in_bounds [true, true] : !wide, memref<?x?xf32>
        scf.yield %d : !wide112
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !wide112, memref<?x?xf32>
    }
    gpu.return
  }

  // Where they do not fit all the same, the producer keeps its own.
  // CHECK-LABEL: gpu.func @never(
  // CHECK-SAME:    producer_registers = 40, consumer_registers = 232
  gpu.func @never(%map: !map, %a: !a, %v: !v, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !wide
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!wide) {
        %b = wgtile.load %map[%p, %j] : !map -> !b
        %s = wgtile.mma %a, %b, %zero : !a, !b -> !wide
        %t = wgtile.mma %a, %b, %zero : !a, !b -> !wide
        %w = arith.truncf %s : !wide to !packed
        %d = wgtile.mma %w, %v, %acc : !packed, !v -> !wide
        %u = arith.mulf %s, %t : !wide
        wgtile.store %u, %out[%i, %p] in_bounds [true, true] : !wide, memref<?x?xf32>
        scf.yield %d : !wide
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !wide, memref<?x?xf32>
    }
    gpu.return
  }
}
