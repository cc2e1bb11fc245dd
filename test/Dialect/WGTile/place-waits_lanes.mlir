// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-place-waits))' | FileCheck %s

// A vector that lanes have read, and bits that are computed of it, come behind
// the wait for the scores that they mask. What is needed before stays.

!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!bits = tensor<64x64xi1, #wgtile.mma<warps = 4>>
!numbers = tensor<64x64xi32, #wgtile.mma<warps = 4>>
!columns = tensor<64xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
!shared = !wgtile.shared<64x64xbf16, swizzle = 128>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @masked
  // CHECK:         %[[P:.*]]:2 = wgtile.read_lanes
  // CHECK:         wgtile.mma_async
  // CHECK-NEXT:    %[[PLACES:.*]] = arith.cmpi sge, %{{.*}}, %[[STEPS:.*]] :
  // CHECK-NEXT:    %[[S:.*]] = wgtile.warpgroup_mma_wait
  // CHECK-NEXT:    %[[V:.*]] = wgtile.spread_lanes %[[P]]#0, %[[P]]#1
  // CHECK-NEXT:    %[[W:.*]] = wgtile.broadcast %[[V]]
  // CHECK-NEXT:    %[[SAME:.*]] = arith.cmpi eq, %{{.*}}, %[[W]]
  // CHECK-NEXT:    %[[BOTH:.*]] = arith.andi %[[SAME]], %[[PLACES]]
  // CHECK-NEXT:    arith.select %[[BOTH]], %[[S]]
  gpu.func @masked(%q: !shared, %k: !shared, %x: memref<?xi32>, %i: index, %rows: !numbers, %steps: !numbers,
                   %low: !acc, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : !acc
    %p:2 = wgtile.read_lanes %x[%i] size 64 in_bounds true : memref<?xi32> -> i32, i32
    %s = wgtile.mma %q, %k, %zero : !shared, !shared -> !acc
    %v = wgtile.spread_lanes %p#0, %p#1 : i32, i32 -> !columns
    %w = wgtile.broadcast %v dimension 1 : !columns -> !numbers
    %same = arith.cmpi eq, %rows, %w : !numbers
    %places = arith.cmpi sge, %rows, %steps : !numbers
    %both = arith.andi %same, %places : !bits
    %m = arith.select %both, %s, %low : !bits, !acc
    wgtile.store %m, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @needed
  // CHECK:         wgtile.mma_async
  // CHECK-NEXT:    wgtile.spread_lanes
  // CHECK-NEXT:    wgtile.broadcast
  // CHECK-NEXT:    wgtile.store
  // CHECK-NEXT:    wgtile.warpgroup_mma_wait
  // CHECK-NEXT:    arith.cmpi
  gpu.func @needed(%q: !shared, %k: !shared, %x: memref<?xi32>, %i: index, %rows: !numbers, %low: !acc,
                   %out: memref<?x?xf32>, %numbers: memref<?x?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : !acc
    %p:2 = wgtile.read_lanes %x[%i] size 64 in_bounds true : memref<?xi32> -> i32, i32
    %s = wgtile.mma %q, %k, %zero : !shared, !shared -> !acc
    %v = wgtile.spread_lanes %p#0, %p#1 : i32, i32 -> !columns
    %w = wgtile.broadcast %v dimension 1 : !columns -> !numbers
    wgtile.store %w, %numbers[%c0, %c0] in_bounds [true, true] : !numbers, memref<?x?xi32>
    %same = arith.cmpi eq, %rows, %w : !numbers
    %m = arith.select %same, %s, %low : !bits, !acc
    wgtile.store %m, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}
