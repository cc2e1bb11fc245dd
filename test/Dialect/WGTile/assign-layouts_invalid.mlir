// RUN: sparse-opt %s --wgtile-assign-layouts --split-input-file \
// RUN:   --verify-diagnostics

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @rows_of_a(%a: memref<?x?xf16>, %b: memref<?x?xf16>,
                      %out: memref<?x?xf32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{shared tile '!wgtile.shared<320x64xf16>': expected rows to be a positive multiple of 8 up to 256, but got 320}}
    %a_tile = wgtile.load %a[%c0, %c0]
        : memref<?x?xf16> -> !wgtile.shared<320x64xf16>
    %b_tile = wgtile.load %b[%c0, %c0]
        : memref<?x?xf16> -> !wgtile.shared<64x64xf16>
    %acc = arith.constant dense<0.0> : tensor<320x64xf32>
    %product = wgtile.mma %a_tile, %b_tile, %acc
        : !wgtile.shared<320x64xf16>, !wgtile.shared<64x64xf16>
        -> tensor<320x64xf32>
    wgtile.store %product, %out[%c0, %c0] in_bounds [true, true]
        : tensor<320x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @two_heights(%a: !wgtile.shared<64x64xf16>,
                        %b: !wgtile.shared<128x64xf16>,
                        %c: tensor<64x64xf32>, %d: tensor<128x64xf32>) kernel attributes {wgtile.tma} {
    %0 = wgtile.mma %a, %a, %c
        : !wgtile.shared<64x64xf16>, !wgtile.shared<64x64xf16>
        -> tensor<64x64xf32>
    // expected-error @below {{expected all products of a kernel to have 64 rows, but got 128}}
    %1 = wgtile.mma %b, %a, %d
        : !wgtile.shared<128x64xf16>, !wgtile.shared<64x64xf16>
        -> tensor<128x64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  // expected-error @below {{expected at most 512 tile rows, but got 1024}}
  gpu.func @too_many_threads(%out: memref<?x?xf32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : tensor<1024x64xf32>
    wgtile.store %zeros, %out[%c0, %c0] in_bounds [true, true]
        : tensor<1024x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @both_ways(%vector: memref<?xf32>, %out: memref<?x?xf32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %v = wgtile.read %vector[%c0] in_bounds [true]
        : memref<?xf32> -> tensor<64xf32>
    %r = wgtile.broadcast %v dimension 0 : tensor<64xf32> -> tensor<64x64xf32>
    // expected-error @below {{expected a vector of rows or of columns, but it is used as both}}
    %c = wgtile.broadcast %v dimension 1 : tensor<64xf32> -> tensor<64x64xf32>
    %t = arith.addf %r, %c : tensor<64x64xf32>
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, true]
        : tensor<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @both_ways_through_arithmetic(%vector: memref<?xf32>, %out: memref<?x?xf32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    %v = wgtile.read %vector[%c0] in_bounds [true]
        : memref<?xf32> -> tensor<64xf32>
    %r = wgtile.broadcast %v dimension 0 : tensor<64xf32> -> tensor<64x64xf32>
    %v2 = arith.mulf %v, %v : tensor<64xf32>
    // expected-error @below {{expected a vector of rows or of columns, but it is used as both}}
    %c = wgtile.broadcast %v2 dimension 1 : tensor<64xf32> -> tensor<64x64xf32>
    %t = arith.addf %r, %c : tensor<64x64xf32>
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, true]
        : tensor<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @no_broadcast(%vector: memref<?xf32>, %out: memref<?x?xf32>) kernel attributes {wgtile.tma} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected a vector that is broadcast to a tile or that reduces one}}
    %v = wgtile.read %vector[%c0] in_bounds [true]
        : memref<?xf32> -> tensor<64xf32>
    %t = arith.constant dense<0.0> : tensor<64x64xf32>
    wgtile.store %t, %out[%c0, %c0] in_bounds [true, true]
        : tensor<64x64xf32>, memref<?x?xf32>
    gpu.return
  }
}
