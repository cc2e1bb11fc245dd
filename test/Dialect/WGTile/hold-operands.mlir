// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-hold-operands))' | FileCheck %s

!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!shared = !wgtile.shared<64x64xbf16, swizzle = 128>
!other = !wgtile.shared<128x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!wide = tensor<64x128xf32, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  // A left operand of the loop's MMAs whose tile has the type of those that the
  // loop loads.
  // CHECK-LABEL: gpu.func @held
  // CHECK:         %[[Q:.*]] = wgtile.load
  // CHECK-NEXT:    %[[R:.*]] = wgtile.read_shared %[[Q]]
  // CHECK:         scf.for
  // CHECK:           wgtile.mma %[[R]], %{{.*}}, %{{.*}} transpose_b
  gpu.func @held(%n: index, %a: !map, %b: !map) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.tma, wgtile.schedule = #wgtile.schedule<stages = 3>} {
    wgtile.for_each_tile (%i) in (%n) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : !acc
      %q = wgtile.load %a[%i, %c0] : !map -> !shared
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %k = wgtile.load %b[%p, %c0] : !map -> !shared
        %s = wgtile.mma %q, %k, %acc transpose_b : !shared, !shared -> !acc
        scf.yield %s : !acc
      } {wgtile.block_loop}
    }
    gpu.return
  }

  // Two stages have room beside it.
  // CHECK-LABEL: gpu.func @two_stages
  // CHECK-NOT:     read_shared
  gpu.func @two_stages(%n: index, %a: !map, %b: !map) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.tma, wgtile.schedule = #wgtile.schedule<stages = 2>} {
    wgtile.for_each_tile (%i) in (%n) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : !acc
      %q = wgtile.load %a[%i, %c0] : !map -> !shared
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %k = wgtile.load %b[%p, %c0] : !map -> !shared
        %s = wgtile.mma %q, %k, %acc transpose_b : !shared, !shared -> !acc
        scf.yield %s : !acc
      } {wgtile.block_loop}
    }
    gpu.return
  }

  // The loop's stages are of another type.
  // CHECK-LABEL: gpu.func @other_type
  // CHECK-NOT:     read_shared
  gpu.func @other_type(%n: index, %a: !map, %b: !wgtile.tensor_map<128x64xbf16, swizzle = 128>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.tma, wgtile.schedule = #wgtile.schedule<stages = 3>} {
    wgtile.for_each_tile (%i) in (%n) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : !wide
      %q = wgtile.load %a[%i, %c0] : !map -> !shared
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!wide) {
        %k = wgtile.load %b[%p, %c0] : !wgtile.tensor_map<128x64xbf16, swizzle = 128> -> !other
        %s = wgtile.mma %q, %k, %acc transpose_b : !shared, !other -> !wide
        scf.yield %s : !wide
      } {wgtile.block_loop}
    }
    gpu.return
  }

  // The operand is on the right.
  // CHECK-LABEL: gpu.func @right
  // CHECK-NOT:     read_shared
  gpu.func @right(%n: index, %a: !map, %b: !map) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.tma, wgtile.schedule = #wgtile.schedule<stages = 3>} {
    wgtile.for_each_tile (%i) in (%n) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : !acc
      %q = wgtile.load %a[%i, %c0] : !map -> !shared
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %k = wgtile.load %b[%p, %c0] : !map -> !shared
        %s = wgtile.mma %k, %q, %acc transpose_b : !shared, !shared -> !acc
        scf.yield %s : !acc
      } {wgtile.block_loop}
    }
    gpu.return
  }
}
