// RUN: sparse-opt %s --wgtile-allocate-shared | FileCheck %s
// RUN: sed 's/chip = "sm_90a"/&, shared_bytes = 16400/' %s | sparse-opt --wgtile-allocate-shared | FileCheck %s
// RUN: sed 's/chip = "sm_90a"/&, shared_bytes = 16399/' %s | not sparse-opt --wgtile-allocate-shared 2>&1 | FileCheck %s --check-prefix=LESS

// Tiles first, each at a multiple of 1024 bytes, then a barrier of 8 bytes each.
// CHECK-LABEL: gpu.func @two_tiles
// CHECK-SAME:    kernel attributes {wgtile.shared_bytes = 10256 : i64}
// CHECK:         wgtile.load %{{.*}} {barrier = 10240 : i64, offset = 0 : i64}
// CHECK:         wgtile.load %{{.*}} {barrier = 10248 : i64, offset = 2048 : i64}

// LESS: error: expected at most 16399 bytes of shared memory, but the tiles need 16400; choose smaller tiles
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @two_tiles(
      %a: !wgtile.tensor_map<16x64xbf16, swizzle = 128>,
      %b: !wgtile.tensor_map<64x64xbf16, swizzle = 128>) kernel {
    %c0 = arith.constant 0 : index
    %0 = wgtile.load %a[%c0, %c0]
        : !wgtile.tensor_map<16x64xbf16, swizzle = 128>
        -> !wgtile.shared<16x64xbf16, swizzle = 128>
    %1 = wgtile.load %b[%c0, %c0]
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
        -> !wgtile.shared<64x64xbf16, swizzle = 128>
    gpu.return
  }

  // The first tile ends between two multiples of 1024 bytes.
  // CHECK-LABEL: gpu.func @gap
  // CHECK:         wgtile.load %{{.*}} {barrier = 9216 : i64, offset = 0 : i64}
  // CHECK:         wgtile.load %{{.*}} {barrier = 9224 : i64, offset = 1024 : i64}
  gpu.func @gap(%a: !wgtile.tensor_map<16x16xbf16, swizzle = 32>,
                %b: !wgtile.tensor_map<64x64xbf16, swizzle = 128>) kernel {
    %c0 = arith.constant 0 : index
    %0 = wgtile.load %a[%c0, %c0]
        : !wgtile.tensor_map<16x16xbf16, swizzle = 32>
        -> !wgtile.shared<16x16xbf16, swizzle = 32>
    %1 = wgtile.load %b[%c0, %c0]
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
        -> !wgtile.shared<64x64xbf16, swizzle = 128>
    gpu.return
  }

  // A tile of two boxes, in a loop.
  // CHECK-LABEL: gpu.func @loop
  // CHECK-SAME:    wgtile.shared_bytes = 16400 : i64
  // CHECK:         scf.for
  // CHECK:           wgtile.load %{{.*}} {barrier = 16384 : i64, offset = 0 : i64}
  // CHECK:           wgtile.load %{{.*}} {barrier = 16392 : i64, offset = 8192 : i64}
  gpu.func @loop(%a: !wgtile.tensor_map<64x64xf16, swizzle = 128>,
                 %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %0 = wgtile.load %a[%c0, %i]
          : !wgtile.tensor_map<64x64xf16, swizzle = 128>
          -> !wgtile.shared<64x64xf16, swizzle = 128>
      %1 = wgtile.load %a[%c0, %i]
          : !wgtile.tensor_map<64x64xf16, swizzle = 128>
          -> !wgtile.shared<32x128xf16, swizzle = 128>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @no_tiles
  // CHECK-SAME:    kernel attributes {wgtile.shared_bytes = 0 : i64}
  gpu.func @no_tiles() kernel {
    gpu.return
  }
  // Numbers stand after tiles: two of 4 bytes. Without roles they have no barriers.
  // CHECK-LABEL: gpu.func @numbers
  // CHECK-SAME:    wgtile.shared_bytes = 8248 : i64
  // CHECK:         wgtile.ring {offset = 8192 : i64} : !wgtile.ring<2, [i32]>
  // CHECK:         wgtile.ring warps 4 {barriers = 8208 : i64, offset = 8200 : i64} : !wgtile.ring<2, [i32]>
  // CHECK:         wgtile.load %{{.*}} {barrier = 8240 : i64, offset = 0 : i64}
  gpu.func @numbers(%a: !wgtile.tensor_map<64x64xf16, swizzle = 128>) kernel {
    %c0 = arith.constant 0 : index
    %own = wgtile.ring : !wgtile.ring<2, [i32]>
    %ring = wgtile.ring warps 4 : !wgtile.ring<2, [i32]>
    %0 = wgtile.load %a[%c0, %c0]
        : !wgtile.tensor_map<64x64xf16, swizzle = 128>
        -> !wgtile.shared<64x64xf16, swizzle = 128>
    gpu.return
  }

  // What warps exchange stands after tiles, 8 bytes for each warp and number. One warp exchanges none, and neither do parts.
  // CHECK-LABEL: gpu.func @exchanged
  // CHECK-SAME:    wgtile.shared_bytes = 8248 : i64
  // CHECK:         wgtile.load %{{.*}} {barrier = 8240 : i64, offset = 0 : i64}
  // CHECK:         wgtile.tile_reduce maxnumf %{{.*}} {offset = 8192 : i64} : tensor<16x32xf32
  // CHECK:         wgtile.tile_reduce addf %{{.*}} partial : tensor
  // CHECK:         scf.for
  // CHECK:           wgtile.tile_combine addf %{{.*}} {offset = 8216 : i64} : f32
  gpu.func @exchanged(%a: !wgtile.tensor_map<64x64xf16, swizzle = 128>,
                      %t: tensor<16x32xf32, #wgtile.mma<warps = 3>>, %n: index) kernel
      attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = wgtile.load %a[%c0, %c0]
        : !wgtile.tensor_map<64x64xf16, swizzle = 128>
        -> !wgtile.shared<64x64xf16, swizzle = 128>
    %1 = wgtile.tile_reduce maxnumf %t : tensor<16x32xf32, #wgtile.mma<warps = 3>> -> f32
    %2 = wgtile.tile_reduce addf %t partial : tensor<16x32xf32, #wgtile.mma<warps = 3>> -> f32
    scf.for %i = %c0 to %n step %c1 {
      %3 = wgtile.tile_combine addf %2 : f32
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @one_warp
  // CHECK-SAME:    wgtile.shared_bytes = 0 : i64
  // CHECK:         wgtile.tile_combine addf %{{[a-z0-9]*}} : f32
  gpu.func @one_warp(%x: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %0 = wgtile.tile_combine addf %x : f32
    gpu.return
  }
}
