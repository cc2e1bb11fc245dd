// RUN: sparse-opt %s --wgtile-require-unit-strides | FileCheck %s

// Arguments that are read or stored by registers; not those that are loaded, nor
// those whose stride is known already, nor those of another version.
// CHECK-LABEL: gpu.func @kernel
// CHECK-SAME:    %{{.*}}: memref<?x?xbf16, strided<[?, ?], offset: ?>>,
// CHECK-SAME:    %{{.*}}: memref<?xf32, strided<[1], offset: ?>>,
// CHECK-SAME:    %[[IN:.*]]: memref<?x?xf32, strided<[?, 1], offset: ?>>,
// CHECK-SAME:    %[[OUT:.*]]: memref<3x?x?xf32, strided<[?, ?, 1], offset: ?>>,
// CHECK-SAME:    %{{.*}}: memref<?x?xf32>
// CHECK:         wgtile.read %[[IN]]{{.*}} : memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK:         wgtile.store %{{.*}}, %[[OUT]]{{.*}}, memref<3x?x?xf32, strided<[?, ?, 1], offset: ?>>
// CHECK-LABEL: func.func @host
// CHECK-SAME:    %[[B:[a-z0-9]*]]: memref<?x?xbf16, strided<[?, ?], offset: ?>>, %[[V:[a-z0-9]*]]: memref<?xf32, strided<[?], offset: ?>>, %[[HIN:[a-z0-9]*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>, %[[HOUT:[a-z0-9]*]]: memref<3x?x?xf32, strided<[?, ?, ?], offset: ?>>, %[[U:[a-z0-9]*]]: memref<?x?xf32>
// CHECK-DAG:     %[[CAST_V:.*]] = memref.cast %[[V]] : {{.*}} to memref<?xf32, strided<[1], offset: ?>>
// CHECK-DAG:     %[[CAST_IN:.*]] = memref.cast %[[HIN]] : {{.*}} to memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK-DAG:     %[[CAST_OUT:.*]] = memref.cast %[[HOUT]] : {{.*}} to memref<3x?x?xf32, strided<[?, ?, 1], offset: ?>>
// CHECK:         wgtile.launch {{.*}} args(%[[B]], %[[CAST_V]], %[[CAST_IN]], %[[CAST_OUT]], %[[U]], %{{.*}})
gpu.module @kernels {
  gpu.func @kernel(%b: memref<?x?xbf16, strided<[?, ?], offset: ?>>,
                   %vector: memref<?xf32, strided<[?], offset: ?>>,
                   %in: memref<?x?xf32, strided<[?, ?], offset: ?>>,
                   %out: memref<3x?x?xf32, strided<[?, ?, ?], offset: ?>>,
                   %unit: memref<?x?xf32>, %i: index) kernel
      attributes {wgtile.tma} {
    %0 = wgtile.load %b[%i, %i]
        : memref<?x?xbf16, strided<[?, ?], offset: ?>>
        -> !wgtile.shared<64x64xbf16>
    %1 = wgtile.read %vector[%i] in_bounds [true]
        : memref<?xf32, strided<[?], offset: ?>> -> tensor<64xf32>
    %2 = wgtile.read %in[%i, %i] in_bounds [true, true]
        : memref<?x?xf32, strided<[?, ?], offset: ?>> -> tensor<64x64xf32>
    wgtile.store %2, %out[%i, %i, %i] in_bounds [true, true]
        : tensor<64x64xf32>, memref<3x?x?xf32, strided<[?, ?, ?], offset: ?>>
    wgtile.store %2, %unit[%i, %i] in_bounds [true, true]
        : tensor<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}
func.func @host(%b: memref<?x?xbf16, strided<[?, ?], offset: ?>>,
                %vector: memref<?xf32, strided<[?], offset: ?>>,
                %in: memref<?x?xf32, strided<[?, ?], offset: ?>>,
                %out: memref<3x?x?xf32, strided<[?, ?, ?], offset: ?>>,
                %unit: memref<?x?xf32>, %n: index) {
  wgtile.launch @kernels::@kernel grid(%n)
      args(%b, %vector, %in, %out, %unit, %n)
      : memref<?x?xbf16, strided<[?, ?], offset: ?>>,
        memref<?xf32, strided<[?], offset: ?>>,
        memref<?x?xf32, strided<[?, ?], offset: ?>>,
        memref<3x?x?xf32, strided<[?, ?, ?], offset: ?>>, memref<?x?xf32>,
        index
  return
}

// CHECK-LABEL: gpu.func @generic
// CHECK-SAME:    memref<?xf32, strided<[?], offset: ?>>
// CHECK-LABEL: func.func @generic_host
// CHECK-NOT:     memref.cast
gpu.module @generic_kernels {
  gpu.func @generic(%v: memref<?xf32, strided<[?], offset: ?>>,
                    %i: index) kernel {
    %0 = wgtile.read %v[%i] in_bounds [true]
        : memref<?xf32, strided<[?], offset: ?>> -> tensor<64xf32>
    gpu.return
  }
}
func.func @generic_host(%v: memref<?xf32, strided<[?], offset: ?>>,
                        %n: index) {
  wgtile.launch @generic_kernels::@generic grid(%n) args(%v, %n)
      : memref<?xf32, strided<[?], offset: ?>>, index
  return
}
