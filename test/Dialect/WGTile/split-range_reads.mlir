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

  // Vectors that would take more registers than there are beside the MMAs' tiles
  // are read by the lanes of a warp together, which have them from each other
  // where they are used.
  // CHECK-LABEL: gpu.func @several
  // CHECK:       scf.for
  // CHECK:         %[[P:.*]]:2 = wgtile.read_lanes %[[X:.*]][%[[FIRST:.*]]] size 64 in_bounds true
  // CHECK-NEXT:    %[[Q:.*]]:2 = wgtile.read_lanes %{{.*}}[%[[FIRST]]] size 64 in_bounds true
  // CHECK-NEXT:    %[[R:.*]]:2 = wgtile.read_lanes %{{.*}}[%[[FIRST]]] size 64 in_bounds true
  // CHECK-NEXT:    wgtile.load
  // CHECK-NEXT:    wgtile.mma
  // CHECK-NOT:     wgtile.read
  // CHECK:         %[[V:.*]] = wgtile.spread_lanes %[[P]]#0, %[[P]]#1
  // CHECK-NEXT:    wgtile.broadcast %[[V]]
  // CHECK:         %[[W:.*]] = wgtile.spread_lanes %[[Q]]#0, %[[Q]]#1
  // CHECK-NEXT:    wgtile.broadcast %[[W]]
  // CHECK:         wgtile.spread_lanes %[[R]]#0, %[[R]]#1
  // CHECK:       scf.for
  gpu.func @several(%end: index, %bound: index, %a: !map, %q: !shared, %x: memref<?xf32>, %y: memref<?xf32>,
                    %z: memref<?xf32>, %out: memref<?x?xf32>) kernel {
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
        %v = wgtile.read %x[%first] in_bounds [true] : memref<?xf32> -> !columns
        %w = wgtile.broadcast %v dimension 1 : !columns -> !acc
        %m = arith.mulf %s, %w : !acc
        %v2 = wgtile.read %y[%first] in_bounds [true] : memref<?xf32> -> !columns
        %w2 = wgtile.broadcast %v2 dimension 1 : !columns -> !acc
        %m2 = arith.mulf %m, %w2 : !acc
        %v3 = wgtile.read %z[%first] in_bounds [true] : memref<?xf32> -> !columns
        %w3 = wgtile.broadcast %v3 dimension 1 : !columns -> !acc
        %m3 = arith.mulf %m2, %w3 : !acc
        scf.yield %m3 : !acc
      } else {
        scf.yield %s : !acc
      }
      scf.yield %d : !acc
    } {wgtile.block_loop}
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }

  // In a peeled iteration, too, where what is not there is not read: the branch
  // may not be taken. The second vector has elements of 16 bits, and of the third
  // only the branch says that it is there.
  // CHECK-LABEL: gpu.func @peeled
  // CHECK:         %[[FIRST:.*]] = arith.muli
  // CHECK-NEXT:    %[[P:.*]]:2 = wgtile.read_lanes %{{.*}}[%[[FIRST]]] size 64 in_bounds false
  // CHECK-NEXT:    wgtile.load
  // CHECK-NEXT:    wgtile.mma
  // CHECK:         scf.if
  // CHECK-NEXT:      %[[V:.*]] = wgtile.spread_lanes %[[P]]#0, %[[P]]#1
  // CHECK-NEXT:      wgtile.broadcast %[[V]]
  // CHECK:           wgtile.read %{{.*}} in_bounds [false] : memref<?xbf16>
  // CHECK:           wgtile.read %{{.*}} in_bounds [true] : memref<?xf32>
  gpu.func @peeled(%end: index, %i: index, %isMasked: i1, %a: !map, %q: !shared, %mask: memref<?xf32>,
                   %narrow: memref<?xbf16>, %out: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    %b = wgtile.load %a[%i, %c0] : !map -> !shared
    %s = wgtile.mma %q, %b, %zero : !shared, !shared -> !acc
    %d = scf.if %isMasked -> (!acc) {
      %first = arith.muli %i, %c64 : index
      %v = wgtile.read %mask[%first] in_bounds [false] : memref<?xf32> -> !columns
      %w = wgtile.broadcast %v dimension 1 : !columns -> !acc
      %m = arith.mulf %s, %w : !acc
      %v2 = wgtile.read %narrow[%first] in_bounds [false] : memref<?xbf16> -> tensor<64xbf16, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
      %w2 = arith.extf %v2 : tensor<64xbf16, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>> to !columns
      %x2 = wgtile.broadcast %w2 dimension 1 : !columns -> !acc
      %m2 = arith.mulf %m, %x2 : !acc
      %v3 = wgtile.read %mask[%first] in_bounds [true] : memref<?xf32> -> !columns
      %x3 = wgtile.broadcast %v3 dimension 1 : !columns -> !acc
      %m3 = arith.mulf %m2, %x3 : !acc
      scf.yield %m3 : !acc
    } else {
      scf.yield %s : !acc
    }
    %r = scf.for %p = %c0 to %end step %c1 iter_args(%acc = %d) -> (!acc) {
      %e = wgtile.load %a[%p, %c0] : !map -> !shared
      %t = wgtile.mma %q, %e, %acc : !shared, !shared -> !acc
      scf.yield %t : !acc
    } {wgtile.block_loop}
    wgtile.store %r, %out[%c0, %c0] in_bounds [true, true] : !acc, memref<?x?xf32>
    gpu.return
  }
}
