// RUN: sparse-opt %s --wgtile-outline-copies=omit --canonicalize | FileCheck %s

!matrix = memref<?x?xbf16, strided<[?, ?], offset: ?>>

// A copy under a condition has no kernel; a call that needs it is refused, unless
// there is nothing to copy. Copies that every call makes have theirs.
// CHECK-LABEL: gpu.module @kernels
// CHECK-COUNT-1: gpu.func
// CHECK-NOT:     gpu.func
// CHECK-LABEL: func.func @host
// CHECK-SAME:    %[[NEEDED:[^:]*]]: i1
// CHECK:         scf.if %[[NEEDED]] {
// CHECK:           %[[ROWS:.*]] = arith.ceildivsi
// CHECK:           %[[TILES:.*]] = arith.ceildivsi
// CHECK-NEXT:      %[[GRID:.*]] = arith.muli %[[ROWS]], %[[TILES]]
// CHECK-NEXT:      %[[EMPTY:.*]] = arith.cmpi eq, %[[GRID]], %c0
// CHECK-NEXT:      cf.assert %[[EMPTY]], "host_copy_2d" {wgtile.version = "copy"}
// CHECK-NEXT:    }
// CHECK:         wgtile.launch @kernels::@host_copy_2d grid
func.func @host(%needed: i1, %a: !matrix, %b: !matrix, %c: !matrix) {
  scf.if %needed {
    memref.copy %a, %b : !matrix to !matrix
  }
  memref.copy %b, %c : !matrix to !matrix
  return
}

// CHECK-LABEL: func.func @three_dimensions
// CHECK:           cf.assert %{{.*}}, "three_dimensions_copy_3d"
// CHECK-NOT:     wgtile.launch
!cube = memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>
func.func @three_dimensions(%needed: i1, %a: !cube, %b: !cube) {
  scf.if %needed {
    memref.copy %a, %b : !cube to !cube
  }
  return
}
