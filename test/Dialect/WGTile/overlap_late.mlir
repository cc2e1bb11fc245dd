// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-overlap),canonicalize,cse)' | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-overlap{late=false}),canonicalize,cse)' | FileCheck %s --check-prefixes=CHECK,NEVER

// What only the last MMA of a block needs, the factor of its accumulator and a
// narrow left operand, is computed beside the next block's first MMA, behind the
// load of the last one.

!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!shared = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!wide = tensor<64x128xf32, #wgtile.mma<warps = 4>>
!row = tensor<64xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
!packed = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @softmax
  // CHECK:       scf.for
  // CHECK:         wgtile.load
  // CHECK:         {{.*}} = wgtile.mma %
  // AUTO-NEXT:     wgtile.load
  // AUTO-NEXT:     wgtile.broadcast
  // AUTO-NEXT:     arith.mulf
  // AUTO-NEXT:     arith.truncf
  // AUTO-NEXT:     {{.*}} = wgtile.mma %
  // NEVER-NEXT:    wgtile.load
  // NEVER-NEXT:    {{.*}} = wgtile.mma %
  // CHECK-NEXT:    wgtile.row_reduce
  // CHECK:         math.exp2
  // AUTO-NOT:      arith.truncf
  // NEVER:         arith.truncf
  // CHECK:         scf.yield
  gpu.func @softmax(%begin: index, %end: index, %a: !map, %v: !map, %q: !shared, %out: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.schedule = #wgtile.schedule<overlap = true>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (!acc) {
      %b = wgtile.load %a[%p, %c0] : !map -> !shared
      %w = wgtile.load %v[%p, %c0] : !map -> !shared
      %s = wgtile.mma %q, %b, %zero : !shared, !shared -> !acc
      %m = wgtile.row_reduce maximumf %s : !acc -> !row
      %e = math.exp2 %s : !acc
      %f = wgtile.broadcast %m dimension 0 : !row -> !acc
      %scaled = arith.mulf %acc, %f : !acc
      %t = arith.truncf %e : !acc to !packed
      %d = wgtile.mma %t, %w, %scaled : !packed, !shared -> !acc
      scf.yield %d : !acc
    } {wgtile.block_loop}
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }

  // Warpgroups that take turns compute in the time of the others' MMAs.
  // CHECK-LABEL: gpu.func @turns
  // CHECK:       scf.for
  // CHECK:         {{.*}} = wgtile.mma %
  // CHECK-NEXT:    wgtile.load
  // CHECK-NEXT:    {{.*}} = wgtile.mma %
  // CHECK:         arith.mulf
  // CHECK:         scf.yield
  gpu.func @turns(%begin: index, %end: index, %a: !map, %v: !map, %q: !shared, %out: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, wgtile.schedule = #wgtile.schedule<overlap = true, order_warpgroups = true>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (!acc) {
      %b = wgtile.load %a[%p, %c0] : !map -> !shared
      %w = wgtile.load %v[%p, %c0] : !map -> !shared
      %s = wgtile.mma %q, %b, %zero : !shared, !shared -> !acc
      %e = math.exp2 %s : !acc
      %scaled = arith.mulf %acc, %e : !acc
      %t = arith.truncf %e : !acc to !packed
      %d = wgtile.mma %t, %w, %scaled : !packed, !shared -> !acc
      scf.yield %d : !acc
    } {wgtile.block_loop}
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}
