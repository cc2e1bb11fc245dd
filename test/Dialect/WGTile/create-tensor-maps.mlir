// RUN: sparse-opt %s --split-input-file --wgtile-create-tensor-maps | FileCheck %s

// The same source and box give one map; arguments that nobody uses any more are
// dropped; the index of a dimension that is no tile's has a box of 1.
// CHECK-LABEL: gpu.func @kernel
// CHECK-SAME:    (%[[OUT:.*]]: memref<?x?xbf16>, %[[A_MAP:.*]]: !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>, %[[B_MAP:.*]]: !wgtile.tensor_map<64x64xbf16, swizzle = 128>, %[[OUT_MAP:.*]]: !wgtile.tensor_map<32x64xbf16, swizzle = 128>) kernel
// CHECK:         %[[C0:.*]] = arith.constant 0 : index
// CHECK:         wgtile.load %[[A_MAP]][%[[C0]], %[[C0]], %[[C0]]] : !wgtile.tensor_map<1x64x64xbf16, swizzle = 128> -> !wgtile.shared<64x64xbf16, swizzle = 128>
// CHECK:         wgtile.load %[[B_MAP]][%[[C0]], %[[C0]]] : !wgtile.tensor_map<64x64xbf16, swizzle = 128> -> !wgtile.shared<64x128xbf16, swizzle = 128>
// CHECK:         wgtile.load %[[B_MAP]][%[[C0]], %[[C0]]] : !wgtile.tensor_map<64x64xbf16, swizzle = 128> -> !wgtile.shared<64x64xbf16, swizzle = 128>
// CHECK:         wgtile.load %[[OUT_MAP]][%[[C0]], %[[C0]]] : !wgtile.tensor_map<32x64xbf16, swizzle = 128> -> !wgtile.shared<32x64xbf16, swizzle = 128>
// CHECK:         memref.dim %[[OUT]]
// CHECK-LABEL: func.func @host
// CHECK-SAME:    %[[A:.*]]: memref<?x64x64xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[OUT:.*]]: memref<?x?xbf16>, %[[N:.*]]: index
// CHECK-DAG:     %[[MAP0:.*]] = wgtile.tensor_map %[[A]] : memref<?x64x64xbf16> -> !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
// CHECK-DAG:     %[[MAP1:.*]] = wgtile.tensor_map %[[B]] : memref<?x?xbf16> -> !wgtile.tensor_map<64x64xbf16, swizzle = 128>
// CHECK-DAG:     %[[MAP2:.*]] = wgtile.tensor_map %[[OUT]] : memref<?x?xbf16> -> !wgtile.tensor_map<32x64xbf16, swizzle = 128>
// CHECK:         wgtile.launch @kernels::@kernel grid(%[[N]]) args(%[[OUT]], %[[MAP0]], %[[MAP1]], %[[MAP2]])
gpu.module @kernels {
  gpu.func @kernel(%a: memref<?x64x64xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xbf16>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %0 = wgtile.load %a[%c0, %c0, %c0]
        : memref<?x64x64xbf16> -> !wgtile.shared<64x64xbf16, swizzle = 128>
    %1 = wgtile.load %b[%c0, %c0]
        : memref<?x?xbf16> -> !wgtile.shared<64x128xbf16, swizzle = 128>
    %2 = wgtile.load %b[%c0, %c0]
        : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16, swizzle = 128>
    %3 = wgtile.load %out[%c0, %c0]
        : memref<?x?xbf16> -> !wgtile.shared<32x64xbf16, swizzle = 128>
    %4 = memref.dim %out, %c0 : memref<?x?xbf16>
    gpu.return
  }
}
func.func @host(%a: memref<?x64x64xbf16>, %b: memref<?x?xbf16>,
                %out: memref<?x?xbf16>, %n: index) {
  wgtile.launch @kernels::@kernel grid(%n) args(%a, %b, %out)
      : memref<?x64x64xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
  return
}

// -----

// Padding, here 8 rows below 24, is not copied.
// CHECK-LABEL: gpu.func @padded
// CHECK:         wgtile.load %{{.*}} : !wgtile.tensor_map<24x64xbf16, swizzle = 128> -> !wgtile.shared<24x64xbf16, swizzle = 128>
// CHECK:         wgtile.load %{{.*}} : !wgtile.tensor_map<64x64xbf16, swizzle = 128> -> !wgtile.shared<64x64xbf16, swizzle = 128>
gpu.module @kernels {
  gpu.func @padded(%a: memref<?x?xbf16>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %0 = wgtile.load %a[%c0, %c0]
        : memref<?x?xbf16> -> !wgtile.shared<24x64xbf16, swizzle = 128>
    %1 = wgtile.load %a[%c0, %c0]
        : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16, swizzle = 128>
    gpu.return
  }
}
func.func @host(%a: memref<?x?xbf16>, %n: index) {
  wgtile.launch @kernels::@padded grid(%n) args(%a) : memref<?x?xbf16>
  return
}

// -----

// Products by mma.sync read what TMA brings as others do.
// CHECK-LABEL: gpu.func @mma_sync
// CHECK-SAME:    (%{{[a-z0-9]*}}: !wgtile.tensor_map<16x16xbf16, swizzle = 32>) kernel
gpu.module @kernels {
  gpu.func @mma_sync(%a: memref<?x?xbf16>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : tensor<16x16xf32, #wgtile.mma<warps = 1>>
    %0 = wgtile.load %a[%c0, %c0]
        : memref<?x?xbf16> -> !wgtile.shared<16x16xbf16, swizzle = 32>
    %1 = wgtile.mma %0, %0, %zero mma_sync
        : !wgtile.shared<16x16xbf16, swizzle = 32>,
          !wgtile.shared<16x16xbf16, swizzle = 32>
          -> tensor<16x16xf32, #wgtile.mma<warps = 1>>
    gpu.return
  }
}
func.func @host(%a: memref<?x?xbf16>, %n: index) {
  wgtile.launch @kernels::@mma_sync grid(%n) args(%a) : memref<?x?xbf16>
  return
}

// -----

// The map of a packed tile sees longer rows, which the load counts: 16 rows of 32
// elements are 8 of 64.
// CHECK-LABEL: gpu.func @packed
// CHECK-SAME:    (%[[MAP:.*]]: !wgtile.tensor_map<1x8x64xbf16, swizzle = 128, packed>) kernel
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[P:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[ROW:.*]] = arith.constant 8 : index
// CHECK:         wgtile.load %[[MAP]][%[[P]], %[[ROW]], %[[C0]]] : !wgtile.tensor_map<1x8x64xbf16, swizzle = 128, packed> -> !wgtile.shared<16x32xbf16, swizzle = 128, packed>
// CHECK-LABEL: func.func @host
// CHECK:         wgtile.tensor_map %{{.*}} : memref<?x32x32xbf16> -> !wgtile.tensor_map<1x8x64xbf16, swizzle = 128, packed>
gpu.module @kernels {
  gpu.func @packed(%a: memref<?x32x32xbf16>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %0 = wgtile.load %a[%c3, %c16, %c0] : memref<?x32x32xbf16>
        -> !wgtile.shared<16x32xbf16, swizzle = 128, packed>
    gpu.return
  }
}
func.func @host(%a: memref<?x32x32xbf16>, %n: index) {
  wgtile.launch @kernels::@packed grid(%n) args(%a) : memref<?x32x32xbf16>
  return
}
