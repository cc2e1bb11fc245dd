// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-split-range))' | FileCheck %s

// A vector that a mask reads in the first iterations is read before their loads
// and MMAs, with what its place is computed from.

!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!shared = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!columns = tensor<64xf32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @masked
  // CHECK:       scf.for %[[P:.*]] = %{{.*}} to %[[MIDDLE:.*]] step
  // CHECK:         %[[FIRST:.*]] = arith.muli %[[P]], %{{.*}}
  // CHECK-NEXT:    %[[V:.*]] = wgtile.read %{{.*}}[%[[FIRST]]]
  // CHECK-NEXT:    wgtile.load
  // CHECK-NEXT:    wgtile.mma
  // CHECK:         wgtile.broadcast %[[V]]
  // CHECK:       scf.for %{{.*}} = %[[MIDDLE]]
  // CHECK-NOT:     wgtile.read
  // CHECK:         gpu.return
  gpu.func @masked(%end: index, %bound: index, %a: !map, %q: !shared, %mask: memref<?xf32>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %r = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %zero) -> (!acc) {
      %b = wgtile.load %a[%p, %c0] : !map -> !shared
      %s = wgtile.mma %q, %b, %acc : !shared, !shared -> !acc
      %isMasked = arith.cmpi slt, %p, %bound : index
      %d = scf.if %isMasked -> (!acc) {
        %first = arith.muli %p, %c64 : index
        %v = wgtile.read %mask[%first] in_bounds [true] : memref<?xf32> -> !columns
        %w = wgtile.broadcast %v dimension 1 : !columns -> !acc
        %m = arith.mulf %s, %w : !acc
        scf.yield %m : !acc
      } else {
        scf.yield %s : !acc
      }
      scf.yield %d : !acc
    } {wgtile.block_loop}
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}
