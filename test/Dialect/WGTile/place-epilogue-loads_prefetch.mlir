// RUN: sparse-opt %s --split-input-file --wgtile-place-epilogue-loads | FileCheck %s

!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// Indices and the branch's condition are computed at the start of the tile's
// program, and one branch serves all reads under a condition.
// CHECK-LABEL: gpu.func @kernel
// CHECK-SAME:    %[[OUT:[^:]*]]: memref<?x?xbf16> {wgtile.tma_compatible}, %[[BETA:[^:]*]]: f32, %{{.*}}: memref<?xi32>, %{{.*}}: index, %[[MAP:.*]]: !wgtile.tensor_map<64x64xbf16, swizzle = 128>
// CHECK:         wgtile.for_each_tile (%[[I:.*]]) in
// CHECK-DAG:       %[[ROW:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK-DAG:       %[[USED:.*]] = arith.cmpf une, %[[BETA]]
// CHECK:           scf.if %[[USED]] {
// CHECK:             wgtile.prefetch %[[MAP]][%[[ROW]], %{{.*}}] warpgroups 2
// CHECK:             wgtile.prefetch %[[MAP]][%[[ROW]], %{{.*}}] warpgroups 2
// CHECK-NEXT:      }
// CHECK-NOT:       wgtile.prefetch
// CHECK:           memref.load
gpu.module @kernels {
  gpu.func @kernel(%out: memref<?x?xbf16> {wgtile.tma_compatible}, %beta: f32,
                   %crow: memref<?xi32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !tile
    wgtile.for_each_tile (%i) in (%n) {
      %begin = memref.load %crow[%i] : memref<?xi32>
      %row = affine.apply affine_map<(d0) -> (d0 * 128)>(%i)
      %used = arith.cmpf une, %beta, %zero : f32
      %0 = scf.if %used -> !tile {
        %r = wgtile.read %out[%row, %c0] in_bounds [true, true]
            : memref<?x?xbf16> -> !tile
        scf.yield %r : !tile
      } else {
        scf.yield %zeros : !tile
      }
      %column = affine.apply affine_map<(d0) -> (d0 + 64)>(%c0)
      %1 = scf.if %used -> !tile {
        %r = wgtile.read %out[%row, %column] in_bounds [true, true]
            : memref<?x?xbf16> -> !tile
        scf.yield %r : !tile
      } else {
        scf.yield %zeros : !tile
      }
      // The column comes from memory.
      %late = arith.index_cast %begin : i32 to index
      %2 = wgtile.read %out[%row, %late] in_bounds [true, true]
          : memref<?x?xbf16> -> !tile
      %3 = arith.addf %0, %1 : !tile
      %4 = arith.addf %2, %3 : !tile
      wgtile.store %4, %out[%row, %c0] in_bounds [true, true]
          : !tile, memref<?x?xbf16>
    }
    gpu.return
  }
}
func.func @host(%out: memref<?x?xbf16>, %beta: f32, %crow: memref<?xi32>,
                %n: index) {
  wgtile.launch @kernels::@kernel grid(%n) args(%out, %beta, %crow, %n)
      : memref<?x?xbf16>, f32, memref<?xi32>, index
  return
}

// -----

// What follows from memory is not known early, and both arms read the same: one
// prefetch, though each arm computes the column itself. A tile of another column
// has its own.
// CHECK-LABEL: gpu.func @arms
// CHECK:         wgtile.for_each_tile
// CHECK:           %[[SECOND:.*]] = affine.apply
// CHECK:           %[[THIRD:.*]] = affine.apply
// CHECK-NEXT:      wgtile.prefetch %{{.*}}[%{{.*}}, %[[SECOND]]] warpgroups 2
// CHECK-NEXT:      wgtile.prefetch %{{.*}}[%{{.*}}, %[[THIRD]]] warpgroups 2
// CHECK-NOT:       wgtile.prefetch
// CHECK:           memref.load
!tile = tensor<128x64xbf16, #wgtile.mma<warps = 8>>
gpu.module @kernels {
  gpu.func @arms(%out: memref<?x?xbf16> {wgtile.tma_compatible},
                 %crow: memref<?xi32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c0_i32 = arith.constant 0 : i32
    wgtile.for_each_tile (%i) in (%n) {
      %blocks = memref.load %crow[%i] : memref<?xi32>
      %any = arith.cmpi ne, %blocks, %c0_i32 : i32
      %0 = scf.if %any -> !tile {
        %column = affine.apply affine_map<(d0) -> (d0 + 64)>(%i)
        %r = wgtile.read %out[%c0, %column] in_bounds [true, true]
            : memref<?x?xbf16> -> !tile
        %other = affine.apply affine_map<(d0) -> (d0 + 128)>(%i)
        %s = wgtile.read %out[%c0, %other] in_bounds [true, true]
            : memref<?x?xbf16> -> !tile
        %sum = arith.addf %r, %s : !tile
        scf.yield %sum : !tile
      } else {
        %column = affine.apply affine_map<(d0) -> (d0 + 64)>(%i)
        %r = wgtile.read %out[%c0, %column] in_bounds [true, true]
            : memref<?x?xbf16> -> !tile
        scf.yield %r : !tile
      }
      wgtile.store %0, %out[%c0, %c0] in_bounds [true, true]
          : !tile, memref<?x?xbf16>
    }
    gpu.return
  }
}
func.func @host(%out: memref<?x?xbf16>, %crow: memref<?xi32>, %n: index) {
  wgtile.launch @kernels::@arms grid(%n) args(%out, %crow, %n)
      : memref<?x?xbf16>, memref<?xi32>, index
  return
}
