// RUN: sparse-opt %s --wgtile-create-tensor-maps --split-input-file \
// RUN:   --verify-diagnostics

gpu.module @kernels {
  gpu.func @rank(%a: memref<1x1x1x1x?x?xbf16>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a source of rank at most 5 (tensor maps), but got 'memref<1x1x1x1x?x?xbf16>'}}
    %0 = wgtile.load %a[%c0, %c0, %c0, %c0, %c0, %c0]
        : memref<1x1x1x1x?x?xbf16> -> !wgtile.shared<64x64xbf16, swizzle = 128>
    gpu.return
  }
}
func.func @host(%a: memref<1x1x1x1x?x?xbf16>, %n: index) {
  wgtile.launch @kernels::@rank grid(%n) args(%a) : memref<1x1x1x1x?x?xbf16>
  return
}

// -----

gpu.module @kernels {
  gpu.func @swizzle(%a: memref<?x?xbf16>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a tile with a swizzle (wgtile-assign-layouts), but got none}}
    %0 = wgtile.load %a[%c0, %c0]
        : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16>
    gpu.return
  }
}
func.func @host(%a: memref<?x?xbf16>, %n: index) {
  wgtile.launch @kernels::@swizzle grid(%n) args(%a) : memref<?x?xbf16>
  return
}

// -----

gpu.module @kernels {
  gpu.func @source(%a: memref<?x?xbf16>, %n: index) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %view = memref.subview %a[%n, 0] [64, 64] [1, 1]
        : memref<?x?xbf16> to memref<64x64xbf16, strided<[?, 1], offset: ?>>
    // expected-error @below {{expected a source that is an argument of the kernel}}
    %0 = wgtile.load %view[%c0, %c0]
        : memref<64x64xbf16, strided<[?, 1], offset: ?>>
        -> !wgtile.shared<64x64xbf16, swizzle = 128>
    gpu.return
  }
}
func.func @host(%a: memref<?x?xbf16>, %n: index) {
  wgtile.launch @kernels::@source grid(%n) args(%a, %n)
      : memref<?x?xbf16>, index
  return
}
