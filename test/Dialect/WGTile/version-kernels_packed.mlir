// RUN: sparse-opt %s --split-input-file --wgtile-version-kernels=max-padding=0 | FileCheck %s

// Blocks of 16 x 16 are read by longer rows if theirs have no gaps, which the host
// tests where the type does not prove it; blocks of 64 columns are whole rows of the
// swizzle as they are.
// CHECK-LABEL: gpu.func @kernel(
// CHECK-SAME:    %{{[^:]*}}: memref<?x16x16xbf16, strided<[?, ?, ?], offset: ?>> {wgtile.dense_rows, wgtile.tma_compatible}, %{{[^:]*}}: memref<?x16x16xbf16> {wgtile.dense_rows, wgtile.tma_compatible}, %{{[^:]*}}: memref<?x64x64xbf16> {wgtile.tma_compatible}, %{{[^:]*}}: memref<?x16xbf16> {wgtile.tma_compatible}) kernel attributes {wgtile.tma}
// CHECK-LABEL: gpu.func @kernel_generic(
// CHECK-NOT:     wgtile.dense_rows
// CHECK-LABEL: func.func @host
// CHECK-SAME:    %[[A:[^:]*]]: memref
// CHECK:         %{{.*}}, %{{.*}}, %{{.*}}:3, %[[STRIDES:.*]]:3 = memref.extract_strided_metadata %[[A]]
// CHECK:         %[[C16:.*]] = arith.constant 16 : index
// CHECK:         %[[DENSE:.*]] = arith.cmpi eq, %[[STRIDES]]#1, %[[C16]]
// CHECK:         arith.andi %[[DENSE]], %{{.*}}
// CHECK-NOT:     memref.extract_strided_metadata
// CHECK:         scf.if
#sm_90a = #wgtile.target<chip = "sm_90a">
!a = memref<?x16x16xbf16, strided<[?, ?, ?], offset: ?>>
gpu.module @kernels attributes {wgtile.target = #sm_90a} {
  gpu.func @kernel(%a: !a, %dense: memref<?x16x16xbf16>, %wide: memref<?x64x64xbf16>,
                   %b: memref<?x16xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %0 = wgtile.load %a[%c0, %c0, %c0] : !a -> !wgtile.shared<16x16xbf16>
    %1 = wgtile.load %dense[%c0, %c0, %c0]
        : memref<?x16x16xbf16> -> !wgtile.shared<16x16xbf16>
    %2 = wgtile.load %wide[%c0, %c0, %c0]
        : memref<?x64x64xbf16> -> !wgtile.shared<16x64xbf16>
    %3 = wgtile.load %b[%c0, %c0] : memref<?x16xbf16> -> !wgtile.shared<16x16xbf16>
    %4 = wgtile.mma %0, %3, %zero : !wgtile.shared<16x16xbf16>,
        !wgtile.shared<16x16xbf16> -> tensor<16x16xf32>
    %5 = wgtile.mma %1, %3, %4 : !wgtile.shared<16x16xbf16>,
        !wgtile.shared<16x16xbf16> -> tensor<16x16xf32>
    gpu.return
  }
}
func.func @host(%a: !a, %dense: memref<?x16x16xbf16>, %wide: memref<?x64x64xbf16>,
                %b: memref<?x16xbf16>, %n: index) {
  wgtile.launch @kernels::@kernel grid(%n) args(%a, %dense, %wide, %b)
      : !a, memref<?x16x16xbf16>, memref<?x64x64xbf16>, memref<?x16xbf16>
  return
}

// -----

// A right operand, a part of rows, rows that do not begin a row of the swizzle, and
// a chip without TMA.
// CHECK-NOT: wgtile.dense_rows
#sm_90a = #wgtile.target<chip = "sm_90a">
#sm_80 = #wgtile.target<chip = "sm_80">
gpu.module @kernels attributes {wgtile.target = #sm_90a} {
  gpu.func @kernel(%right: memref<?x16x16xbf16>, %part: memref<?x16x32xbf16>,
                   %row: memref<?x32x16xbf16>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %0 = wgtile.load %right[%c0, %c0, %c0]
        : memref<?x16x16xbf16> -> !wgtile.shared<16x16xbf16>
    %1 = wgtile.load %part[%c0, %c0, %c0]
        : memref<?x16x32xbf16> -> !wgtile.shared<16x16xbf16>
    %2 = wgtile.load %row[%c0, %i, %c0]
        : memref<?x32x16xbf16> -> !wgtile.shared<16x16xbf16>
    %3 = wgtile.mma %1, %0, %zero : !wgtile.shared<16x16xbf16>,
        !wgtile.shared<16x16xbf16> -> tensor<16x16xf32>
    %4 = wgtile.mma %2, %0, %3 : !wgtile.shared<16x16xbf16>,
        !wgtile.shared<16x16xbf16> -> tensor<16x16xf32>
    gpu.return
  }
}
gpu.module @older attributes {wgtile.target = #sm_80} {
  gpu.func @kernel(%a: memref<?x16x16xbf16>, %b: memref<?x16xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %0 = wgtile.load %a[%c0, %c0, %c0]
        : memref<?x16x16xbf16> -> !wgtile.shared<16x16xbf16>
    %1 = wgtile.load %b[%c0, %c0] : memref<?x16xbf16> -> !wgtile.shared<16x16xbf16>
    %2 = wgtile.mma %0, %1, %zero : !wgtile.shared<16x16xbf16>,
        !wgtile.shared<16x16xbf16> -> tensor<16x16xf32>
    gpu.return
  }
}
func.func @host(%right: memref<?x16x16xbf16>, %part: memref<?x16x32xbf16>,
                %row: memref<?x32x16xbf16>, %b: memref<?x16xbf16>, %n: index) {
  wgtile.launch @kernels::@kernel grid(%n) args(%right, %part, %row, %n)
      : memref<?x16x16xbf16>, memref<?x16x32xbf16>, memref<?x32x16xbf16>, index
  wgtile.launch @older::@kernel grid(%n) args(%right, %b)
      : memref<?x16x16xbf16>, memref<?x16xbf16>
  return
}
