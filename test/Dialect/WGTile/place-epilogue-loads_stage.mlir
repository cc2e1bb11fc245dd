// RUN: sparse-opt %s --wgtile-place-epilogue-loads --split-input-file | FileCheck %s

!a = !wgtile.shared<128x64xbf16, swizzle = 128>
!b = !wgtile.shared<64x128xbf16, swizzle = 128>
!acc = tensor<128x128xf32, #wgtile.mma<warps = 8>>
!c = tensor<128x64xbf16, #wgtile.mma<warps = 8>>

// Reads that are as the left operand's tiles: of another tensor, of what the
// kernel stores in the same place, and in a branch, where a store's column is
// computed apart. The others stay: of a tensor that may not be mapped, of rows
// that are not aligned, of other sizes, of what another tile stores.
// CHECK-LABEL: gpu.func @kernel
// CHECK-SAME:    %[[A:.*]]: memref<?x?xbf16> {wgtile.tma_compatible}, %[[IN:.*]]: memref<?x?xbf16> {wgtile.tma_compatible}, %[[OUT:.*]]: memref<?x?xbf16> {wgtile.tma_compatible}, %[[PLAIN:.*]]: memref<?x?xbf16>, %[[N:.*]]: index
// CHECK:         wgtile.for_each_tile (%[[I:.*]], %[[J:.*]]) in
// CHECK:           %[[S0:.*]] = wgtile.load %[[IN]][%[[I]], %[[J]]] aligned : memref<?x?xbf16> -> !wgtile.shared<128x64xbf16, swizzle = 128>
// CHECK:           %[[T0:.*]] = wgtile.read_shared %[[S0]] : !wgtile.shared<128x64xbf16, swizzle = 128> -> tensor<128x64xbf16, #wgtile.mma<warps = 8>>
// CHECK:           %[[S1:.*]] = wgtile.load %[[OUT]][%[[I]], %[[J]]]
// CHECK:           %[[T1:.*]] = wgtile.read_shared %[[S1]]
// CHECK:           %[[SUM:.*]] = arith.addf %[[T0]], %[[T1]]
// CHECK:           wgtile.store %[[SUM]], %[[OUT]][%[[I]], %[[J]]]
// CHECK:           scf.if
// CHECK:             %[[S2:.*]] = wgtile.load %[[OUT]]
// CHECK:             wgtile.read_shared %[[S2]]
// CHECK:           wgtile.read %[[OUT]][%[[J]], %[[I]]]
// CHECK:           wgtile.read %[[PLAIN]][%[[I]], %[[J]]]
// CHECK:           wgtile.read %[[IN]][%[[I]], %[[J]]] in_bounds [true, false] :
// CHECK:           wgtile.read %[[IN]][%[[I]], %[[J]]] {{.*}} -> tensor<128x32xbf16
// CHECK:           scf.for
// CHECK-NEXT:        wgtile.read %[[IN]]
gpu.module @kernels {
  gpu.func @kernel(%a: memref<?x?xbf16> {wgtile.tma_compatible}, %in: memref<?x?xbf16> {wgtile.tma_compatible},
                   %out: memref<?x?xbf16> {wgtile.tma_compatible}, %plain: memref<?x?xbf16>, %n: index, %yes: i1)
      kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %none = arith.constant dense<0.0> : !c
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %x = wgtile.load %a[%i, %k] aligned : memref<?x?xbf16> -> !a
        %y = wgtile.load %a[%k, %j] aligned : memref<?x?xbf16> -> !b
        %d = wgtile.mma %x, %y, %acc : !a, !b -> !acc
        scf.yield %d : !acc
      }
      %0 = wgtile.read %in[%i, %j] in_bounds [true, false] aligned : memref<?x?xbf16> -> !c
      %1 = wgtile.read %out[%i, %j] in_bounds [true, false] aligned : memref<?x?xbf16> -> !c
      %2 = arith.addf %0, %1 : !c
      wgtile.store %2, %out[%i, %j] in_bounds [true, false] aligned : !c, memref<?x?xbf16>
      %3 = scf.if %yes -> (!c) {
        %j1 = affine.apply affine_map<(d0) -> (d0 + 64)>(%j)
        %4 = wgtile.read %out[%i, %j1] in_bounds [true, false] aligned : memref<?x?xbf16> -> !c
        scf.yield %4 : !c
      } else {
        scf.yield %none : !c
      }
      %j2 = affine.apply affine_map<(d0) -> (64 + d0)>(%j)
      wgtile.store %3, %out[%i, %j2] in_bounds [true, false] aligned : !c, memref<?x?xbf16>
      %5 = wgtile.read %out[%j, %i] in_bounds [true, false] aligned : memref<?x?xbf16> -> !c
      %6 = wgtile.read %plain[%i, %j] in_bounds [true, false] aligned : memref<?x?xbf16> -> !c
      %7 = wgtile.read %in[%i, %j] in_bounds [true, false] : memref<?x?xbf16> -> !c
      %8 = wgtile.read %in[%i, %j] in_bounds [true, false] aligned
          : memref<?x?xbf16> -> tensor<128x32xbf16, #wgtile.mma<warps = 8>>
      scf.for %k = %c0 to %n step %c1 {
        %9 = wgtile.read %in[%i, %k] in_bounds [true, false] aligned : memref<?x?xbf16> -> !c
        wgtile.store %9, %plain[%i, %k] in_bounds [true, false] : !c, memref<?x?xbf16>
      }
    }
    gpu.return
  }
}
func.func @host(%m: memref<?x?xbf16>, %yes: i1, %n: index) {
  wgtile.launch @kernels::@kernel grid(%n) args(%m, %m, %m, %m, %n, %yes)
      : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>, index, i1
  return
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!c = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// Where some turns of the loop load nothing, or several tiles share the loop, or
// TMA is not used, nothing changes.
// CHECK-LABEL: gpu.func @branch
// CHECK-NOT:     wgtile.read_shared
// CHECK-LABEL: gpu.func @groups
// CHECK-NOT:     wgtile.read_shared
// CHECK-LABEL: gpu.func @generic
// CHECK-NOT:     wgtile.read_shared
gpu.module @kernels {
  gpu.func @branch(%a: memref<?x?xbf16> {wgtile.tma_compatible}, %n: index, %yes: i1) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      scf.for %k = %c0 to %n step %c1 {
        scf.if %yes {
          %x = wgtile.load %a[%i, %k] aligned : memref<?x?xbf16> -> !a
        }
      }
      %0 = wgtile.read %a[%i, %j] in_bounds [true, false] aligned : memref<?x?xbf16> -> !c
    }
    gpu.return
  }
  gpu.func @groups(%a: memref<?x?xbf16> {wgtile.tma_compatible}, %n: index) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {consumer_groups = array<i64: 2, 1>} {
      scf.for %k = %c0 to %n step %c1 {
        %x = wgtile.load %a[%i, %k] aligned : memref<?x?xbf16> -> !a
      }
      %0 = wgtile.read %a[%i, %j] in_bounds [true, false] aligned : memref<?x?xbf16> -> !c
    }
    gpu.return
  }
  gpu.func @generic(%a: memref<?x?xbf16> {wgtile.tma_compatible}, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      scf.for %k = %c0 to %n step %c1 {
        %x = wgtile.load %a[%i, %k] aligned : memref<?x?xbf16> -> !a
      }
      %0 = wgtile.read %a[%i, %j] in_bounds [true, false] aligned : memref<?x?xbf16> -> !c
    }
    gpu.return
  }
}
func.func @host(%m: memref<?x?xbf16>, %yes: i1, %n: index) {
  wgtile.launch @kernels::@branch grid(%n) args(%m, %n, %yes) : memref<?x?xbf16>, index, i1
  wgtile.launch @kernels::@groups grid(%n) args(%m, %n) : memref<?x?xbf16>, index
  wgtile.launch @kernels::@generic grid(%n) args(%m, %n) : memref<?x?xbf16>, index
  return
}
