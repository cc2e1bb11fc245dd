// RUN: sparse-opt %s --wgtile-outline-copies | FileCheck %s
// RUN: sparse-opt %s --wgtile-outline-copies --canonicalize | FileCheck %s --check-prefix=HOST

!matrix = memref<?x?xbf16, strided<[?, ?], offset: ?>>
!padded = memref<?x?xbf16, strided<[?, 1]>>
!cube = memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>>

// Copies of one rank and element type share a kernel: one column of 16 rows for
// each thread, all loads before all stores. Rows past the end are the last one.
// CHECK-LABEL: gpu.module @kernels
// CHECK:         gpu.func @host_copy_2d(%[[FROM:[^:]*]]: memref<?x?xbf16, strided<[?, ?], offset: ?>>, %[[TO:[^:]*]]: memref<?x?xbf16, strided<[?, ?], offset: ?>>, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index) kernel
// CHECK-SAME:      known_block_size = array<i32: 256, 1, 1>
// CHECK:           scf.if
// CHECK-COUNT-16:    memref.load %[[FROM]]
// CHECK-NOT:         memref.load
// CHECK-COUNT-16:    memref.store {{.*}}, %[[TO]]
// CHECK-NOT:         memref.store
// CHECK:         gpu.func @host_copy_3d(%{{[^:]*}}: memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>

// A transposition is one, too.
// CHECK:         gpu.func @transpose_transpose_2d(%[[FROM:[^:]*]]: memref<?x?xi8, strided<[?, ?], offset: ?>>, %[[TO:[^:]*]]: memref<?x?xi8, strided<[?, ?], offset: ?>>,
// CHECK:           memref.dim %[[TO]], %c1
// CHECK:           scf.if
// CHECK:             memref.load %[[FROM]][%[[COLUMN:[0-9]+]], %[[ROW:[0-9]+]]]
// CHECK:             memref.store {{.*}}, %[[TO]][%[[ROW]], %[[COLUMN]]]
// CHECK-NOT:     gpu.func

// CHECK-LABEL: func.func @host
// CHECK-NOT:     memref.copy
// CHECK-DAG:     wgtile.launch @kernels::@host_copy_2d grid({{.*}}) {wgtile.version = "copy"}
// CHECK:         wgtile.launch @kernels::@host_copy_2d grid
// CHECK:         wgtile.launch @kernels::@host_copy_3d grid

// As many threads side by side as a row has columns, from 8 to 128; a CTA
// has 256, of which each takes 16 rows.
// HOST-LABEL: func.func @host
// HOST-SAME:    %[[A:[^:]*]]: {{[^%]*}}, %[[B:[^:]*]]:
// HOST:         %[[N:.*]] = memref.dim %[[A]], %c1
// HOST-NEXT:    arith.cmpi sle, %[[N]], %c64
// HOST-NEXT:    arith.select
// HOST-NEXT:    arith.cmpi sle, %[[N]], %c32
// HOST-NEXT:    arith.select
// HOST-NEXT:    arith.cmpi sle, %[[N]], %c16
// HOST-NEXT:    arith.select
// HOST-NEXT:    %[[FEW:.*]] = arith.cmpi sle, %[[N]], %c8
// HOST-NEXT:    %[[LANES:.*]] = arith.select %[[FEW]], %c8, %{{.*}}
// HOST-NEXT:    %[[AT_ONCE:.*]] = arith.floordivsi %c256, %[[LANES]]
// HOST-NEXT:    %[[ROWS:.*]] = arith.muli %[[AT_ONCE]], %c16
// HOST-NEXT:    %[[COLUMN_TILES:.*]] = arith.ceildivsi %[[N]], %[[LANES]]
// HOST-NEXT:    %[[M:.*]] = memref.dim %[[A]], %c0
// HOST-NEXT:    %[[ROW_TILES:.*]] = arith.ceildivsi %[[M]], %[[ROWS]]
// HOST-NEXT:    %[[GRID:.*]] = arith.muli %[[COLUMN_TILES]], %[[ROW_TILES]]
// HOST-NEXT:    %[[CAST:.*]] = memref.cast %[[B]]
// HOST-NEXT:    wgtile.launch @kernels::@host_copy_2d grid(%[[GRID]]) args(%[[A]], %[[CAST]], %[[LANES]], %[[COLUMN_TILES]], %[[ROW_TILES]])
func.func @host(%a: !matrix, %b: !padded, %c: !cube, %d: !cube) {
  memref.copy %a, %b : !matrix to !padded
  memref.copy %b, %a : !padded to !matrix
  memref.copy %c, %d : !cube to !cube
  return
}

// CHECK-LABEL: func.func @transpose
// CHECK-NOT:     linalg.transpose
// Its CTAs divide the target: a row of it is a column of the source.
// CHECK:         %[[COLUMNS:.*]] = memref.dim %arg0, %c0{{(_[0-9]+)?}}
// CHECK:         arith.cmpi sle, %[[COLUMNS]], %c64{{(_[0-9]+)?}}
// CHECK:         wgtile.launch @kernels::@transpose_transpose_2d grid({{.*}}) args(%arg0, %
func.func @transpose(%a: memref<?x?xi8, strided<[?, ?], offset: ?>>, %b: memref<?x?xi8>) {
  linalg.transpose ins(%a : memref<?x?xi8, strided<[?, ?], offset: ?>>) outs(%b : memref<?x?xi8>) permutation = [1, 0]
  return
}
