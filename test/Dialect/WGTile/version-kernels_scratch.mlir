// RUN: sparse-opt %s --wgtile-version-kernels --canonicalize | FileCheck %s

// Memory that the program allocates begins where TMA can and has no gaps: its sizes
// decide, and it is never copied. The view that gave the kernel the sizes that were
// computed for it goes away where tiles of it are loaded.
// CHECK-LABEL: gpu.func @kernel(
// CHECK-SAME:    memref<?x?xi8> {wgtile.tma_compatible}, %{{[^:]*}}: memref<?x?xi8, strided<[?, ?], offset: ?>> {wgtile.tma_compatible}) kernel attributes {wgtile.tma}
// CHECK-NOT:     memref.reinterpret_cast
// CHECK:         gpu.func @kernel_generic(
// CHECK-LABEL: gpu.func @alone(
// CHECK-NOT:     gpu.func
// CHECK-LABEL: func.func @host(
// CHECK-SAME:    %[[A:[^:]*]]: memref{{[^%]*}}, %[[N:[^:]*]]: index, %[[K:[^:]*]]: index
// CHECK-DAG:     %[[SCRATCH:.*]] = memref.alloc(%[[N]], %[[K]]) : memref<?x?xi8>
// CHECK-DAG:     %[[MOST:.*]] = arith.constant 4294967295 : index
// CHECK-DAG:     %[[CHUNKS:.*]] = arith.floordivsi %[[K]], %c16
// CHECK-DAG:     %[[WHOLE:.*]] = arith.muli %[[CHUNKS]], %c16
// CHECK-DAG:     arith.cmpi eq, %[[WHOLE]], %[[K]]
// CHECK-DAG:     arith.cmpi sle, %[[N]], %[[MOST]]
// CHECK-DAG:     arith.cmpi sle, %[[K]], %[[MOST]]
// CHECK-DAG:     wgtile.tma_compatible %[[A]]
// CHECK-NOT:     wgtile.tma_compatible %[[SCRATCH]]
// CHECK:         wgtile.launch @kernels::@kernel grid(%[[N]]) args(%[[SCRATCH]], %{{.*}}) {{.*}}"aligned"
// CHECK:         wgtile.launch @kernels::@kernel_generic grid(%[[N]]) args(%[[SCRATCH]], %[[A]]) {{.*}}"generic"

// Of static sizes nothing is left to decide, if nothing else is loaded.
// CHECK:         wgtile.launch @kernels::@alone grid({{.*}}) {{.*}}"aligned"
!matrix = memref<?x?xi8, strided<[?, ?], offset: ?>>
gpu.module @kernels {
  gpu.func @kernel(%s: memref<?x?xi8>, %a: !matrix) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %a, %c1 : !matrix
    %k = memref.dim %a, %c0 : !matrix
    %view = memref.reinterpret_cast %s to offset: [0], sizes: [%n, %k], strides: [%k, 1] : memref<?x?xi8> to memref<?x?xi8>
    %0 = wgtile.load %view[%c0, %c0] : memref<?x?xi8> -> !wgtile.shared<64x128xi8>
    %1 = wgtile.load %a[%c0, %c0] : !matrix -> !wgtile.shared<64x128xi8>
    gpu.return
  }
  gpu.func @alone(%s: memref<64x128xi8>) kernel {
    %c0 = arith.constant 0 : index
    %0 = wgtile.load %s[%c0, %c0] : memref<64x128xi8> -> !wgtile.shared<64x128xi8>
    gpu.return
  }
}
func.func @host(%a: !matrix, %n: index, %k: index) {
  %s = memref.alloc(%n, %k) : memref<?x?xi8>
  wgtile.launch @kernels::@kernel grid(%n) args(%s, %a) : memref<?x?xi8>, !matrix
  %t = memref.alloc() : memref<64x128xi8>
  wgtile.launch @kernels::@alone grid(%n) args(%t) : memref<64x128xi8>
  return
}
