// RUN: sparse-opt %s --wgtile-version-kernels | FileCheck %s
// RUN: sparse-opt %s --wgtile-version-kernels=max-padding=0 | FileCheck %s --check-prefix=NONE
// RUN: sparse-opt %s --wgtile-version-kernels=max-padding=4096 | FileCheck %s --check-prefix=SMALL
// RUN: sparse-opt %s --wgtile-version-kernels --sattn-select-versions=versions=generic --canonicalize | FileCheck %s --check-prefix=GENERIC

!matrix = memref<?x?xbf16, strided<[?, ?], offset: ?>>

// An argument that TMA does not take is copied to memory with rows of whole chunks,
// 8 elements, if the copy is not too large; what the kernel stores is copied back,
// and not read before if all of it is stored.
// CHECK-LABEL: func.func @host
// CHECK-SAME:    %[[B:[^:]*]]: {{[^%]*}}, %[[OUT:[^:]*]]: {{[^%]*}}, %[[N:[^:]*]]: index
// CHECK:         %[[B_TAKEN:.*]] = wgtile.tma_compatible %[[B]]
// CHECK:         %[[B_CHUNKS:.*]] = arith.ceildivsi
// CHECK:         %[[B_COLUMNS:.*]] = arith.muli %[[B_CHUNKS]], %{{.*}}
// CHECK:         %[[B_FITS:.*]] = arith.cmpi sle, %{{.*}}, %c536870912
// CHECK:         %[[B_OK:.*]] = arith.ori %[[B_TAKEN]], %[[B_FITS]]
// CHECK:         wgtile.tma_compatible %[[OUT]]
// CHECK:         %[[OUT_TAKEN:.*]] = arith.andi
// CHECK:         %[[OUT_OK:.*]] = arith.ori %[[OUT_TAKEN]], %{{.*}}
// CHECK:         %[[ALL:.*]] = arith.andi %[[B_OK]], %[[OUT_OK]]
// CHECK:         %[[B_IS_NOT:.*]] = arith.cmpi eq, %[[B_TAKEN]], %{{.*}}
// CHECK:         %[[COPY_B:.*]] = arith.andi %[[ALL]], %[[B_IS_NOT]]
// CHECK:         %[[B_USED:.*]] = scf.if %[[COPY_B]] -> (memref<?x?xbf16, strided<[?, ?], offset: ?>>) {
// CHECK:           %[[ROW:.*]] = arith.muli
// CHECK:           %[[SCRATCH:.*]] = memref.alloc(%{{.*}}, %{{.*}})[%[[ROW]]] : memref<?x?xbf16, strided<[?, 1]>>
// CHECK-NEXT:      memref.copy %[[B]], %[[SCRATCH]]
// CHECK-NEXT:      %[[CAST:.*]] = memref.cast %[[SCRATCH]]
// CHECK-NEXT:      scf.yield %[[CAST]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[B]]
// CHECK-NEXT:    }
// CHECK:         %[[COPY_OUT:.*]] = arith.andi %[[ALL]], %{{.*}}
// CHECK-NEXT:    %[[OUT_USED:.*]] = scf.if %[[COPY_OUT]]
// CHECK-NOT:       memref.copy
// CHECK:           scf.yield %[[OUT]]
// CHECK:         scf.if %[[ALL]] {
// CHECK-NEXT:      %[[UNIT:.*]] = memref.cast %[[OUT_USED]]
// CHECK-NEXT:      wgtile.launch @kernels::@kernel grid(%[[N]]) args(%[[B_USED]], %[[UNIT]])
// CHECK-NEXT:      scf.if %[[COPY_OUT]] {
// CHECK-NEXT:        memref.copy %[[OUT_USED]], %[[OUT]]
// CHECK-NEXT:      }
// CHECK-NEXT:    } else {
// CHECK-NEXT:      wgtile.launch @kernels::@kernel_generic grid(%[[N]]) args(%[[B]], %[[OUT]])

// NONE-NOT:      memref.copy
// SMALL:         arith.cmpi sle, %{{.*}}, %c2048
// GENERIC-LABEL: func.func @host
// GENERIC-NEXT:    wgtile.launch @kernels::@kernel_generic
// GENERIC-NEXT:    return
gpu.module @kernels {
  gpu.func @kernel(%b: !matrix, %out: !matrix) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %m = memref.dim %out, %c0 : !matrix
    %n = memref.dim %out, %c1 : !matrix
    %rows = arith.ceildivsi %m, %c64 : index
    %columns = arith.ceildivsi %n, %c64 : index
    wgtile.for_each_tile (%i, %j) in (%rows, %columns) attributes {sattn.covers_results} {
      %0 = wgtile.load %b[%i, %j] : !matrix -> !wgtile.shared<64x64xbf16>
      %t = arith.constant dense<0.0> : tensor<64x64xbf16>
      wgtile.store %t, %out[%i, %j] in_bounds [true, false] : tensor<64x64xbf16>, !matrix
    }
    gpu.return
  }
}
func.func @host(%b: !matrix, %out: !matrix, %n: index) {
  wgtile.launch @kernels::@kernel grid(%n) args(%b, %out) : !matrix, !matrix
  return
}

// Where the kernel may leave elements as they are, or reads them, the copy begins
// as the argument: without the attribute, with other counts of tiles, with a read.
// CHECK-LABEL: func.func @parts
// CHECK-COUNT-4: memref.copy %{{.*}}, %{{.*}} : memref<?x?xbf16, strided<[?, ?], offset: ?>> to memref<?x?xbf16, strided<[?, 1]>>
// CHECK:         wgtile.launch @parts_kernels::@kernel grid
gpu.module @parts_kernels {
  gpu.func @kernel(%b: !matrix, %no: !matrix, %other: !matrix, %read: !matrix) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %m = memref.dim %no, %c0 : !matrix
    %n = memref.dim %no, %c1 : !matrix
    %rows = arith.ceildivsi %m, %c64 : index
    %columns = arith.ceildivsi %n, %c64 : index
    wgtile.for_each_tile (%i, %j) in (%rows, %columns) {
      %0 = wgtile.load %b[%i, %j] : !matrix -> !wgtile.shared<64x64xbf16>
      %t = arith.constant dense<0.0> : tensor<64x64xbf16>
      wgtile.store %t, %no[%i, %j] in_bounds [true, false] : tensor<64x64xbf16>, !matrix
    }
    %m1 = memref.dim %other, %c0 : !matrix
    %n1 = memref.dim %other, %c1 : !matrix
    %rows1 = arith.ceildivsi %m1, %c64 : index
    %columns1 = arith.ceildivsi %n1, %c32 : index
    wgtile.for_each_tile (%i, %j) in (%rows1, %columns1) attributes {sattn.covers_results} {
      %t = arith.constant dense<0.0> : tensor<64x64xbf16>
      wgtile.store %t, %other[%i, %j] in_bounds [true, false] : tensor<64x64xbf16>, !matrix
    }
    %m2 = memref.dim %read, %c0 : !matrix
    %n2 = memref.dim %read, %c1 : !matrix
    %rows2 = arith.ceildivsi %m2, %c64 : index
    %columns2 = arith.ceildivsi %n2, %c64 : index
    wgtile.for_each_tile (%i, %j) in (%rows2, %columns2) attributes {sattn.covers_results} {
      %t = wgtile.read %read[%i, %j] in_bounds [true, true] : !matrix -> tensor<64x64xbf16>
      wgtile.store %t, %read[%i, %j] in_bounds [true, false] : tensor<64x64xbf16>, !matrix
    }
    gpu.return
  }
}
func.func @parts(%b: !matrix, %no: !matrix, %other: !matrix, %read: !matrix, %n: index) {
  wgtile.launch @parts_kernels::@kernel grid(%n) args(%b, %no, %other, %read) : !matrix, !matrix, !matrix, !matrix
  return
}

// A transposed store, and batches of which each tile is of one; the copy's other
// strides follow from its rows.
// CHECK-LABEL: func.func @batches
// CHECK:         memref.alloc(%{{.*}}, %{{.*}}, %{{.*}})[%{{.*}}, %{{.*}}] : memref<?x?x?xf32, strided<[?, ?, 1]>>
// CHECK-NOT:     memref.copy
// CHECK:         wgtile.launch @batches_kernels::@kernel grid
!cube = memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>
gpu.module @batches_kernels {
  gpu.func @kernel(%b: memref<?x?xbf16>, %out: !cube) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %p = memref.dim %out, %c0 : !cube
    %n = memref.dim %out, %c1 : !cube
    %m = memref.dim %out, %c2 : !cube
    %rows = arith.ceildivsi %m, %c64 : index
    %columns = arith.ceildivsi %n, %c128 : index
    wgtile.for_each_tile (%q, %i, %j) in (%p, %rows, %columns) attributes {sattn.covers_results} {
      // Memory of this type has no room between its rows.
      %0 = wgtile.load %b[%i, %j] : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16>
      %t = arith.constant dense<0.0> : tensor<64x128xf32>
      wgtile.store %t, %out[%q, %j, %i] in_bounds [true, false] transposed : tensor<64x128xf32>, !cube
    }
    gpu.return
  }
}
func.func @batches(%b: memref<?x?xbf16>, %out: !cube, %n: index) {
  wgtile.launch @batches_kernels::@kernel grid(%n) args(%b, %out) : memref<?x?xbf16>, !cube
  return
}
