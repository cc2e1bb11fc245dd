// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-pack-conditions))' | FileCheck %s

!rows = tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
!columns = tensor<64xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
!column_bits = tensor<64xi1, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
!ints = tensor<64x64xi32, #wgtile.mma<warps = 4>>
!bits = tensor<64x64xi1, #wgtile.mma<warps = 4>>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!shared = !wgtile.shared<64x64xbf16, swizzle = 128>

gpu.module @kernels {
  // A window beside a vector of columns: two bounds of each row, and one bit of each
  // lane, of what it alone reads.
  // CHECK-LABEL: gpu.func @window
  // CHECK-SAME:      %{{.*}}: index, %[[R:.*]]: tensor<64xi32, {{.*}}, %[[RADIUS:.*]]: i32, %[[X:.*]]: memref<?xi32>
  // CHECK:         scf.for
  // CHECK:           %[[P:.*]]:2 = wgtile.read_lanes %[[X]][%{{.*}}] size 64 in_bounds false : memref<?xi32> -> i32, i32
  // CHECK-NOT:       wgtile.read
  // CHECK:           %[[RADII:.*]] = tensor.splat %[[RADIUS]] : tensor<64xi32
  // CHECK:           %[[SOME:.*]] = arith.maxsi %[[R]], %{{.*}}
  // CHECK:           %[[NEAR:.*]] = arith.minsi %[[SOME]], %{{.*}}
  // CHECK:           %[[FIRST:.*]] = arith.subi %[[NEAR]], %[[RADII]]
  // CHECK:           %[[BEFORE:.*]] = wgtile.bits_below %[[FIRST]]
  // CHECK:           %[[FROM:.*]] = arith.xori %[[BEFORE]], %{{.*}}
  // CHECK:           %[[TO:.*]] = wgtile.bits_below %{{.*}}
  // CHECK:           %[[INSIDE:.*]] = arith.andi %[[FROM]], %[[TO]]
  // CHECK:           %[[BIT0:.*]] = arith.cmpi eq, %[[P]]#0, %{{.*}} : i32
  // CHECK:           %[[BIT1:.*]] = arith.cmpi eq, %[[P]]#1, %{{.*}} : i32
  // CHECK:           %[[VOTES:.*]] = wgtile.lane_bits %[[BIT0]], %[[BIT1]]
  // CHECK:           %[[SEEN:.*]] = tensor.splat %[[VOTES]] : tensor<64xi32
  // CHECK:           %[[ALL:.*]] = arith.ori %[[INSIDE]], %[[SEEN]]
  // CHECK:           %[[TESTS:.*]] = wgtile.test_bits %[[ALL]]
  // CHECK:           arith.select %[[TESTS]], %{{.*}}, %{{.*}} : tensor<64x64xi1, {{.*}}, tensor<64x64xf32
  // CHECK:         {wgtile.block_loop}
  gpu.func @window(%end: index, %r: !rows, %radius: i32, %x: memref<?xi32>, %s: !acc, %low: !acc, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %down = arith.constant -1 : i32
    %zeros = arith.constant dense<0> : !ints
    %ones = arith.constant dense<1> : !columns
    scf.for %p = %c0 to %end step %c1 {
      %v = wgtile.read %x[%p] in_bounds [false] : memref<?xi32> -> !columns
      %is = arith.cmpi eq, %v, %ones : !columns
      %a = wgtile.broadcast %is dimension 1 : !column_bits -> !bits
      %ramp = wgtile.ramp %r, %down nsw : !rows, i32 -> !ints
      %radii = tensor.splat %radius : !ints
      %b = arith.cmpi sle, %ramp, %radii : !ints
      %c = arith.cmpi sge, %ramp, %zeros : !ints
      %d = arith.andi %b, %c : !bits
      %e = arith.ori %d, %a : !bits
      %t = arith.select %e, %s, %low : !bits, !acc
      wgtile.store %t, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    } {wgtile.block_loop}
    gpu.return
  }

  // What differs by element stays, beside the test of a bit, and so does what may
  // become a constant for all.
  // CHECK-LABEL: gpu.func @beside
  // CHECK:         %[[EQUAL:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : tensor<64x64xi32
  // CHECK:         %[[FULL:.*]] = tensor.splat %{{.*}} : tensor<64x64xi1
  // CHECK:         %[[TESTS:.*]] = wgtile.test_bits
  // CHECK:         %[[BOTH:.*]] = arith.andi %[[TESTS]], %[[EQUAL]] : tensor<64x64xi1
  // CHECK:         %[[SEEN:.*]] = arith.ori %[[FULL]], %[[BOTH]]
  // CHECK:         arith.select %[[SEEN]]
  gpu.func @beside(%end: index, %whole: i1, %r: !rows, %x: memref<?xi32>, %y: memref<?xi32>, %s: !acc, %low: !acc, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %down = arith.constant -1 : i32
    %zeros = arith.constant dense<0> : !ints
    %ones = arith.constant dense<1> : !columns
    scf.for %p = %c0 to %end step %c1 {
      %v = wgtile.read %x[%p] in_bounds [false] : memref<?xi32> -> !columns
      %w = wgtile.read %y[%p] in_bounds [false] : memref<?xi32> -> !columns
      %vs = wgtile.broadcast %v dimension 1 : !columns -> !ints
      %rs = wgtile.broadcast %r dimension 0 : !rows -> !ints
      %equal = arith.cmpi eq, %rs, %vs : !ints
      %is = arith.cmpi eq, %w, %ones : !columns
      %a = wgtile.broadcast %is dimension 1 : !column_bits -> !bits
      %ramp = wgtile.ramp %r, %down nsw : !rows, i32 -> !ints
      %b = arith.cmpi eq, %ramp, %zeros : !ints
      %c = arith.ori %a, %b : !bits
      %d = arith.andi %c, %equal : !bits
      %full = tensor.splat %whole : !bits
      %seen = arith.ori %full, %d : !bits
      %t = arith.select %seen, %s, %low : !bits, !acc
      wgtile.store %t, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    } {wgtile.block_loop}
    gpu.return
  }

  // One comparison of each element is cheaper than its bits; so is a ramp that may
  // wrap, which has no bound.
  // CHECK-LABEL: gpu.func @one
  // CHECK-NOT:     wgtile.test_bits
  // CHECK:         gpu.return
  gpu.func @one(%end: index, %r: !rows, %s: !acc, %low: !acc, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %down = arith.constant -1 : i32
    %zeros = arith.constant dense<0> : !ints
    %nines = arith.constant dense<9> : !ints
    scf.for %p = %c0 to %end step %c1 {
      %ramp = wgtile.ramp %r, %down nsw : !rows, i32 -> !ints
      %wraps = wgtile.ramp %r, %down : !rows, i32 -> !ints
      %a = arith.cmpi sge, %ramp, %zeros : !ints
      %b = arith.cmpi sle, %wraps, %nines : !ints
      %c = arith.andi %a, %b : !bits
      %t = arith.select %a, %s, %low : !bits, !acc
      %u = arith.select %c, %t, %low : !bits, !acc
      wgtile.store %u, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    } {wgtile.block_loop}
    gpu.return
  }

  // Without a block loop, or with mma.sync, kernels stay as they are.
  // CHECK-LABEL: gpu.func @no_loop
  // CHECK-NOT:     wgtile.test_bits
  // CHECK:         gpu.return
  gpu.func @no_loop(%x: memref<?xi32>, %s: !acc, %low: !acc, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %ones = arith.constant dense<1> : !columns
    %v = wgtile.read %x[%c0] in_bounds [false] : memref<?xi32> -> !columns
    %is = arith.cmpi eq, %v, %ones : !columns
    %a = wgtile.broadcast %is dimension 1 : !column_bits -> !bits
    %t = arith.select %a, %s, %low : !bits, !acc
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}
