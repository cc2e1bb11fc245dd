// RUN: sparse-opt %s --wgtile-version-kernels=max-padding=0 | FileCheck %s

// What is loaded and stored by tiles must be TMA-compatible, rows of what is read by
// registers alone must have no gaps, and of what registers read or store the type
// says so; what the kernel only indexes may be anything.
// CHECK-LABEL: gpu.func @kernel(
// CHECK-SAME:    memref<?x?xbf16, strided<[?, ?], offset: ?>> {wgtile.tma_compatible}, %{{[^:]*}}: memref<?xf32, strided<[1], offset: ?>>, %{{[^:]*}}: memref<?xi32, strided<[?], offset: ?>>, %{{[^:]*}}: memref<?x?xbf16, strided<[?, 1], offset: ?>> {wgtile.tma_compatible}) kernel attributes {wgtile.tma}
// CHECK:         wgtile.read %{{.*}} in_bounds [true, true] aligned
// CHECK:         wgtile.read %{{.*}} in_bounds [true, true] :
// CHECK:         wgtile.read %{{.*}} in_bounds [true] :
// CHECK:         wgtile.store %{{.*}} in_bounds [true, true] aligned
// CHECK:         wgtile.store %{{.*}} in_bounds [true, true] :
// CHECK-LABEL: gpu.func @kernel_generic(
// CHECK-NOT:     wgtile.tma_compatible
// CHECK-NOT:     wgtile.tma
// CHECK-NOT:     aligned
// CHECK:         gpu.return
// CHECK-LABEL: func.func @host
// CHECK-SAME:    %[[B:[^:]*]]: {{[^%]*}}, %[[V:[^:]*]]: {{[^%]*}}, %[[CROW:[^:]*]]: {{[^%]*}}, %[[OUT:[^:]*]]: {{[^%]*}}, %[[N:[^:]*]]: index
// CHECK-DAG:     %[[BM:.*]] = wgtile.tma_compatible %[[B]]
// CHECK-DAG:     %[[OM:.*]] = wgtile.tma_compatible %[[OUT]]
// CHECK-DAG:     %{{.*}}, %{{.*}}, %[[SIZE:.*]], %[[STRIDE:.*]] = memref.extract_strided_metadata %[[V]]
// CHECK-DAG:     %[[UNIT:.*]] = arith.cmpi eq, %[[STRIDE]], %{{.*}}
// CHECK-DAG:     %[[SHORT:.*]] = arith.cmpi slt, %[[SIZE]], %{{.*}}
// CHECK-NOT:     metadata %[[CROW]]
// CHECK:         scf.if
// CHECK-DAG:       %[[UNIT_V:.*]] = memref.cast %[[V]]
// CHECK-DAG:       %[[UNIT_OUT:.*]] = memref.cast %[[OUT]]
// CHECK:           wgtile.launch @kernels::@kernel grid(%[[N]]) args(%[[B]], %[[UNIT_V]], %[[CROW]], %[[UNIT_OUT]])
// CHECK:         } else {
// CHECK-NEXT:      wgtile.launch @kernels::@kernel_generic grid(%[[N]]) args(%[[B]], %[[V]], %[[CROW]], %[[OUT]])
// CHECK:         }
!matrix = memref<?x?xbf16, strided<[?, ?], offset: ?>>
gpu.module @kernels {
  gpu.func @kernel(%b: !matrix, %v: memref<?xf32, strided<[?], offset: ?>>,
                   %crow: memref<?xi32, strided<[?], offset: ?>>,
                   %out: !matrix) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %0 = memref.load %crow[%c0] : memref<?xi32, strided<[?], offset: ?>>
    %1 = wgtile.load %b[%c0, %c0] : !matrix -> !wgtile.shared<64x64xbf16>
    %2 = wgtile.read %out[%c0, %c0] in_bounds [true, true]
        : !matrix -> tensor<64x64xbf16>
    // Eight bytes into a row.
    %3 = wgtile.read %out[%c0, %c4] in_bounds [true, true]
        : !matrix -> tensor<64x64xbf16>
    %4 = wgtile.read %v[%c0] in_bounds [true]
        : memref<?xf32, strided<[?], offset: ?>> -> tensor<64xf32>
    wgtile.store %2, %out[%c0, %c0] in_bounds [true, true]
        : tensor<64x64xbf16>, !matrix
    wgtile.store %2, %out[%c0, %c4] in_bounds [true, true]
        : tensor<64x64xbf16>, !matrix
    gpu.return
  }
}
func.func @host(%b: !matrix, %v: memref<?xf32, strided<[?], offset: ?>>,
                %crow: memref<?xi32, strided<[?], offset: ?>>, %out: !matrix,
                %n: index) {
  wgtile.launch @kernels::@kernel grid(%n) args(%b, %v, %crow, %out)
      : !matrix, memref<?xf32, strided<[?], offset: ?>>,
        memref<?xi32, strided<[?], offset: ?>>, !matrix
  return
}

// A kernel that reads and stores registers alone moves 16 bytes at a time where
// its arguments allow it; what has no rows needs contiguous elements. It is not
// marked for TMA.
// CHECK-LABEL: gpu.module @plain
// CHECK:         gpu.func @kernel(%{{[^:]*}}: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %{{[^:]*}}: memref<?xbf16, strided<[1], offset: ?>>, %{{[^:]*}}: memref<?x?xbf16, strided<[?, 1], offset: ?>>) kernel {
// CHECK:           wgtile.read {{.*}} in_bounds [true, true] aligned
// CHECK:           wgtile.read {{.*}} in_bounds [true] :
// CHECK:           wgtile.store {{.*}} in_bounds [true, true] aligned
// CHECK:         gpu.func @kernel_generic(
// CHECK-NOT:       aligned
// CHECK-LABEL: func.func @plain_host
// CHECK-SAME:    (%[[IN:[^:]*]]: {{.*}}, %{{[^:]*}}: memref<?xbf16, {{.*}}, %[[OUT:[^:]*]]: memref
// CHECK-DAG:     wgtile.tma_compatible %[[IN]]
// CHECK-DAG:     wgtile.tma_compatible %[[OUT]]
// CHECK-DAG:     memref.extract_strided_metadata
// CHECK:         scf.if
// CHECK:           wgtile.launch @plain::@kernel grid{{.*}} {wgtile.version = "aligned"}
// CHECK:         } else {
// CHECK:           wgtile.launch @plain::@kernel_generic grid{{.*}} {wgtile.version = "generic"}
gpu.module @plain {
  gpu.func @kernel(%in: !matrix, %scale: memref<?xbf16, strided<[?], offset: ?>>, %out: !matrix) kernel {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %in[%c0, %c0] in_bounds [true, true] : !matrix -> tensor<64x64xbf16>
    %s = wgtile.read %scale[%c0] in_bounds [true] : memref<?xbf16, strided<[?], offset: ?>> -> tensor<64xbf16>
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, true] : tensor<64x64xbf16>, !matrix
    gpu.return
  }
}
func.func @plain_host(%in: !matrix, %scale: memref<?xbf16, strided<[?], offset: ?>>, %out: !matrix, %n: index) {
  wgtile.launch @plain::@kernel grid(%n) args(%in, %scale, %out)
      : !matrix, memref<?xbf16, strided<[?], offset: ?>>, !matrix
  return
}

// Rows of an argument are aligned in a view that has them in another order, or fewer of them. The views' types follow the
// argument's.
// CHECK-LABEL: gpu.module @views
// CHECK:         gpu.func @kernel(%{{[^:]*}}: memref<?x4x64xbf16, strided<[?, ?, 1], offset: ?>>,
// CHECK:           memref.transpose {{.*}} : memref<?x4x64xbf16, strided<[?, ?, 1], offset: ?>> to memref<4x?x64xbf16, strided<[?, ?, 1], offset: ?>>
// CHECK:           wgtile.read {{.*}} in_bounds [true, true] aligned : memref<4x?x64xbf16, strided<[?, ?, 1], offset: ?>>
// CHECK:           memref.subview {{.*}} to memref<4x?x64xbf16, strided<[?, ?, 1], offset: ?>>
// CHECK:           wgtile.store {{.*}} in_bounds [false, true] aligned
// CHECK:         gpu.func @kernel_generic(
// CHECK-NOT:       aligned
// CHECK-LABEL: func.func @views_host
// CHECK:         wgtile.tma_compatible
// CHECK:         wgtile.launch @views::@kernel grid{{.*}} {wgtile.version = "aligned"}
!blocks = memref<?x4x64xbf16, strided<[?, ?, ?], offset: ?>>
!seen = memref<4x?x64xbf16, strided<[?, ?, ?], offset: ?>>
gpu.module @views {
  gpu.func @kernel(%out: !blocks, %end: index) kernel {
    %c0 = arith.constant 0 : index
    %seen = memref.transpose %out (d0, d1, d2) -> (d1, d0, d2) : !blocks to !seen
    %t = wgtile.read %seen[%c0, %c0, %c0] in_bounds [true, true] : !seen -> tensor<16x64xbf16>
    %part = memref.subview %seen[0, 0, 0] [4, %end, 64] [1, 1, 1] : !seen to !seen
    wgtile.store %t, %part[%c0, %c0, %c0] in_bounds [false, true] : tensor<16x64xbf16>, !seen
    gpu.return
  }
}
func.func @views_host(%out: !blocks, %n: index) {
  wgtile.launch @views::@kernel grid(%n) args(%out, %n) : !blocks, index
  return
}

// Columns of an argument are not.
// CHECK-LABEL: gpu.module @view_of_columns
// CHECK-COUNT-1: gpu.func
// CHECK-NOT:     gpu.func
// CHECK-LABEL: func.func @view_of_columns_host
gpu.module @view_of_columns {
  gpu.func @kernel(%out: memref<?x64x4xbf16>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<0.0> : tensor<16x64xbf16>
    %seen = memref.transpose %out (d0, d1, d2) -> (d2, d0, d1) : memref<?x64x4xbf16> to memref<4x?x64xbf16, strided<[1, 256, 4]>>
    wgtile.store %t, %seen[%c0, %c0, %c0] in_bounds [true, true]
        : tensor<16x64xbf16>, memref<4x?x64xbf16, strided<[1, 256, 4]>>
    gpu.return
  }
}
func.func @view_of_columns_host(%out: memref<?x64x4xbf16>, %n: index) {
  wgtile.launch @view_of_columns::@kernel grid(%n) args(%out, %n) : memref<?x64x4xbf16>, index
  return
}

// A kernel whose tiles begin anywhere in their rows has one version.
// CHECK-LABEL: gpu.module @anywhere
// CHECK-COUNT-1: gpu.func
// CHECK-NOT:     gpu.func
// CHECK-LABEL: func.func @anywhere_host
// CHECK-NOT:     scf.if
gpu.module @anywhere {
  gpu.func @kernel(%out: memref<?x?xbf16>, %column: index) kernel {
    %c0 = arith.constant 0 : index
    %t = arith.constant dense<0.0> : tensor<64x64xbf16>
    wgtile.store %t, %out[%c0, %column] in_bounds [true, true]
        : tensor<64x64xbf16>, memref<?x?xbf16>
    gpu.return
  }
}
func.func @anywhere_host(%out: memref<?x?xbf16>, %n: index) {
  wgtile.launch @anywhere::@kernel grid(%n) args(%out, %n) : memref<?x?xbf16>, index
  return
}

// What is only read, and into registers, may be anything with rows without gaps:
// it has a version of its own.
// CHECK-LABEL: gpu.module @inputs
// CHECK:         gpu.func @kernel(%{{.*}} {wgtile.tma_compatible}, %{{.*}} {wgtile.tma_compatible}, %{{.*}} {wgtile.tma_compatible}) kernel attributes {wgtile.tma}
// CHECK:           wgtile.read %{{.*}} in_bounds [true, true] aligned
// CHECK:         gpu.func @kernel_register_loads(%{{[^:]*}}: memref<?x?xbf16, strided<[?, ?], offset: ?>> {wgtile.tma_compatible}, %{{[^:]*}}: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %{{[^:]*}}: memref<?x?xbf16, strided<[?, 1], offset: ?>> {wgtile.tma_compatible}) kernel attributes {wgtile.tma, wgtile.version_of = @kernel}
// CHECK:           wgtile.read %{{.*}} in_bounds [true, true] :
// CHECK:           wgtile.store %{{.*}} in_bounds [true, true] aligned
// CHECK:         gpu.func @kernel_generic(
// CHECK-NOT:       aligned
// CHECK-LABEL: func.func @inputs_host
// CHECK-SAME:    %[[B:[^:]*]]: {{[^%]*}}, %[[IN:[^:]*]]: {{[^%]*}}, %[[OUT:[^:]*]]: {{[^%]*}}, %[[N:[^:]*]]: index
// CHECK-DAG:     wgtile.tma_compatible %[[B]]
// CHECK-DAG:     wgtile.tma_compatible %[[OUT]]
// CHECK-DAG:     memref.extract_strided_metadata %[[IN]]
// CHECK-DAG:     %[[MAPPED:.*]] = wgtile.tma_compatible %[[IN]]
// CHECK:         scf.if
// CHECK-NEXT:      scf.if %[[MAPPED]]
// CHECK-COUNT-2:     memref.cast
// CHECK-NEXT:        wgtile.launch @inputs::@kernel grid
// CHECK-NEXT:      } else {
// CHECK-COUNT-2:     memref.cast
// CHECK-NEXT:        wgtile.launch @inputs::@kernel_register_loads grid{{.*}}
// CHECK-NEXT:      }
// CHECK-NEXT:    } else {
// CHECK-NEXT:      wgtile.launch @inputs::@kernel_generic grid
gpu.module @inputs {
  gpu.func @kernel(%b: !matrix, %in: !matrix, %out: !matrix) kernel {
    %c0 = arith.constant 0 : index
    %0 = wgtile.load %b[%c0, %c0] : !matrix -> !wgtile.shared<64x64xbf16>
    %1 = wgtile.read %in[%c0, %c0] in_bounds [true, true]
        : !matrix -> tensor<64x64xbf16>
    wgtile.store %1, %out[%c0, %c0] in_bounds [true, true]
        : tensor<64x64xbf16>, !matrix
    gpu.return
  }
}
func.func @inputs_host(%b: !matrix, %in: !matrix, %out: !matrix, %n: index) {
  wgtile.launch @inputs::@kernel grid(%n) args(%b, %in, %out) : !matrix, !matrix, !matrix
  return
}

// Types say of all dimensions but the last what they said before, and nothing new
// of what is only loaded or has stride 1 already.
// CHECK-LABEL: gpu.module @strides
// CHECK:         gpu.func @kernel(
// CHECK-SAME:      %{{.*}}: memref<?x?xbf16, strided<[?, ?], offset: ?>> {wgtile.tma_compatible},
// CHECK-SAME:      %[[IN:.*]]: memref<?x?xf32, strided<[?, 1], offset: ?>> {wgtile.tma_compatible},
// CHECK-SAME:      %[[OUT:.*]]: memref<3x?x?xf32, strided<[?, ?, 1], offset: ?>> {wgtile.tma_compatible},
// CHECK-SAME:      %{{.*}}: memref<?x?xf32> {
// CHECK:           wgtile.read %[[IN]]{{.*}} : memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK:           wgtile.store %{{.*}}, %[[OUT]]{{.*}}, memref<3x?x?xf32, strided<[?, ?, 1], offset: ?>>
// CHECK:         gpu.func @kernel_generic(
// CHECK-NOT:       strided<[?, 1]
// CHECK-LABEL: func.func @strides_host
// CHECK-SAME:    %[[B:[a-z0-9]*]]: {{.*}}, %[[HIN:[a-z0-9]*]]: {{.*}}, %[[HOUT:[a-z0-9]*]]: {{.*}}, %[[U:[a-z0-9]*]]: memref<?x?xf32>
// CHECK-DAG:     %[[CAST_IN:.*]] = memref.cast %[[HIN]] : {{.*}} to memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK-DAG:     %[[CAST_OUT:.*]] = memref.cast %[[HOUT]] : {{.*}} to memref<3x?x?xf32, strided<[?, ?, 1], offset: ?>>
// CHECK:         wgtile.launch @strides::@kernel grid{{.*}} args(%[[B]], %[[CAST_IN]], %[[CAST_OUT]], %[[U]], %{{.*}})
// CHECK:         wgtile.launch @strides::@kernel_generic grid{{.*}} args(%[[B]], %[[HIN]], %[[HOUT]], %[[U]], %{{.*}})
!wide = memref<?x?xf32, strided<[?, ?], offset: ?>>
!cube = memref<3x?x?xf32, strided<[?, ?, ?], offset: ?>>
gpu.module @strides {
  gpu.func @kernel(%b: !matrix, %in: !wide, %out: !cube, %unit: memref<?x?xf32>, %i: index) kernel {
    %0 = wgtile.load %b[%i, %i] : !matrix -> !wgtile.shared<64x64xbf16>
    %1 = wgtile.read %in[%i, %i] in_bounds [true, true] : !wide -> tensor<64x64xf32>
    wgtile.store %1, %out[%i, %i, %i] in_bounds [true, true] : tensor<64x64xf32>, !cube
    wgtile.store %1, %unit[%i, %i] in_bounds [true, true] : tensor<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}
func.func @strides_host(%b: !matrix, %in: !wide, %out: !cube, %unit: memref<?x?xf32>, %n: index) {
  wgtile.launch @strides::@kernel grid(%n) args(%b, %in, %out, %unit, %n)
      : !matrix, !wide, !cube, memref<?x?xf32>, index
  return
}
