// RUN: sparse-opt %s --wgtile-outline-copies | FileCheck %s

// Bytes of an argument that are transposed into scratch memory: 16 at a time where
// TMA could take the argument and both sizes are multiples of 16, else one by one.
// CHECK-LABEL: gpu.module @kernels
// CHECK:         memref.global "private" @{{.*}}_square : memref<128x128xi8, 3> = uninitialized {alignment = 16 : i64}
// CHECK:         gpu.func @host_transpose_2d_by_16(%[[FROM:[^:]*]]: memref<?x?xi8, strided<[?, 1], offset: ?>>, %[[TO:[^:]*]]: memref<?x?xi8, strided<[?, 1], offset: ?>>, %{{.*}}: index, %{{.*}}: index) kernel
// CHECK-SAME:      known_block_size = array<i32: 256, 1, 1>
// CHECK-COUNT-4:   vector.load %[[FROM]]{{.*}} {alignment = 16 : i64} : {{.*}}, vector<16xi8>
// CHECK-COUNT-4:   vector.store {{.*}} {alignment = 16 : i64} : memref<128x128xi8, 3>, vector<16xi8>
// CHECK-NEXT:      gpu.barrier
// CHECK:           scf.if
// CHECK-COUNT-16:    memref.load {{.*}} : memref<128x128xi8, 3>
// CHECK-NOT:         memref.load
// CHECK:             vector.store {{.*}}, %[[TO]]{{.*}} {alignment = 16 : i64}
// CHECK:         gpu.func @host_transpose_2d(

// CHECK-LABEL: func.func @host
// CHECK-SAME:    %[[B:[^:]*]]: memref
// CHECK:         %[[COMPATIBLE:.*]] = wgtile.tma_compatible %[[B]]
// CHECK:         %[[FIRST:.*]] = arith.andi %[[COMPATIBLE]], %{{.*}}
// CHECK:         %[[BOTH:.*]] = arith.andi %[[FIRST]], %{{.*}}
// CHECK:         scf.if %[[BOTH]] {
// CHECK:           %[[COLUMN_TILES:.*]] = arith.ceildivsi
// CHECK:           %[[ROW_TILES:.*]] = arith.ceildivsi
// CHECK:           %[[GRID:.*]] = arith.muli %[[COLUMN_TILES]], %[[ROW_TILES]]
// CHECK:           wgtile.launch @kernels::@host_transpose_2d_by_16 grid(%[[GRID]]) args(%{{.*}}, %{{.*}}, %[[COLUMN_TILES]], %[[ROW_TILES]])
// CHECK:         } else {
// CHECK:           wgtile.launch @kernels::@host_transpose_2d grid
!matrix = memref<?x?xi8, strided<[?, ?], offset: ?>>
func.func @host(%b: !matrix, %n: index, %k: index) {
  %s = memref.alloc(%n, %k) : memref<?x?xi8>
  linalg.transpose ins(%b : !matrix) outs(%s : memref<?x?xi8>) permutation = [1, 0]
  return
}

// Elements of another width have one kernel, and so has what the host does not know.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     scf.if
// CHECK:         wgtile.launch @kernels::@others_transpose_2d
// CHECK:         wgtile.launch @kernels::@host_transpose_2d grid
// CHECK:         wgtile.launch @kernels::@host_transpose_2d grid
func.func @others(%b: memref<?x?xbf16>, %c: !matrix, %d: memref<?x?xi8>, %n: index) {
  %s = memref.alloc(%n, %n) : memref<?x?xbf16>
  linalg.transpose ins(%b : memref<?x?xbf16>) outs(%s : memref<?x?xbf16>) permutation = [1, 0]
  linalg.transpose ins(%c : !matrix) outs(%d : memref<?x?xi8>) permutation = [1, 0]
  %t = memref.alloc(%n, %n) : memref<?x?xi8>
  %u = memref.alloc(%n, %n) : memref<?x?xi8>
  linalg.transpose ins(%t : memref<?x?xi8>) outs(%u : memref<?x?xi8>) permutation = [1, 0]
  return
}
