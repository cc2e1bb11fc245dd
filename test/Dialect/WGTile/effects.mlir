// RUN: sparse-opt %s --canonicalize --cse | FileCheck %s
// RUN: sparse-opt %s --loop-invariant-code-motion | FileCheck %s --check-prefix=HOIST

// Reads only read memory, an MMA that waits only its tiles: unused ones are
// removed.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT:    return
func.func @unused(%source: memref<?x?xbf16>, %i: index,
                  %a: !wgtile.shared<64x64xbf16>, %acc: tensor<64x64xf32>,
                  %v: tensor<64xf32>) {
  %1 = wgtile.read %source[%i, %i] in_bounds [true, true]
      : memref<?x?xbf16> -> tensor<64x128xbf16>
  %2 = wgtile.mma %a, %a, %acc
      : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x64xbf16>
      -> tensor<64x64xf32>
  %3 = wgtile.broadcast %v dimension 0 : tensor<64xf32> -> tensor<64x64xf32>
  %extracted = wgtile.extract_columns %acc from 0
      : tensor<64x64xf32> -> tensor<64x32xf32>
  %4 = wgtile.tensor_map %source
      : memref<?x?xbf16> -> !wgtile.tensor_map<64x64xbf16, swizzle = 128>
  return
}

// A load is a barrier of the block: an unused one stays, and a second one.
// CHECK-LABEL: func.func @loads
// CHECK-COUNT-2: wgtile.load
// CHECK:         return
func.func @loads(%source: memref<?x?xbf16>, %i: index) {
  %0 = wgtile.load %source[%i, %i]
      : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16>
  %1 = wgtile.load %source[%i, %i]
      : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16>
  return
}

// An asynchronous MMA belongs to a group that a wait counts: it is neither
// erased, merged with another, nor moved out of a loop.
// CHECK-LABEL: func.func @async_mma
// CHECK-COUNT-2: wgtile.mma_async {{.*}}
// CHECK:         scf.for
// CHECK-NEXT:      wgtile.mma_async {{.*}}
// CHECK:         return
// HOIST-LABEL: func.func @async_mma
// HOIST:         scf.for
// HOIST-NEXT:      wgtile.mma_async {{.*}}
func.func @async_mma(%a: !wgtile.shared<64x64xbf16>, %acc: tensor<64x64xf32>,
                     %n: index, %step: index) {
  %0 = wgtile.mma_async %a, %a, %acc
      : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x64xbf16>
      -> tensor<64x64xf32>
  %1 = wgtile.mma_async %a, %a, %acc
      : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x64xbf16>
      -> tensor<64x64xf32>
  scf.for %i = %step to %n step %step {
    %2 = wgtile.mma_async %a, %a, %acc
        : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x64xbf16>
        -> tensor<64x64xf32>
  }
  return
}

// Copies of threads into a stage write it.
// CHECK-LABEL: func.func @fill
// CHECK:         wgtile.async_copy
func.func @fill(%source: memref<?x?xbf16>, %i: index) {
  %ring = wgtile.ring
      : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
  %s = wgtile.producer_acquire %ring
      : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
  wgtile.async_copy %ring[%s] 0, %source[%i, %i]
      : !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>,
        memref<?x?xbf16>
  return
}

// An MMA that waits is a function of its operands.
// CHECK-LABEL: func.func @equal_products
// CHECK:         %[[D:.*]] = wgtile.mma
// CHECK-NOT:     wgtile.mma
// CHECK:         return %[[D]], %[[D]]
func.func @equal_products(%a: !wgtile.shared<64x64xbf16>,
                          %acc: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = wgtile.mma %a, %a, %acc
      : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x64xbf16>
      -> tensor<64x64xf32>
  %1 = wgtile.mma %a, %a, %acc
      : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x64xbf16>
      -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// CHECK-LABEL: func.func @equal_reads
// CHECK:         %[[T:.*]] = wgtile.read
// CHECK-NOT:     wgtile.read
// CHECK:         return %[[T]], %[[T]]
func.func @equal_reads(%source: memref<?x?xf32>, %i: index)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = wgtile.read %source[%i, %i] in_bounds [true, true]
      : memref<?x?xf32> -> tensor<64x64xf32>
  %1 = wgtile.read %source[%i, %i] in_bounds [true, true]
      : memref<?x?xf32> -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// A store stays, and a read after it is another than the one before.
// CHECK-LABEL: func.func @store_between_reads
// CHECK:         %[[T0:.*]] = wgtile.read
// CHECK:         wgtile.store
// CHECK:         %[[T1:.*]] = wgtile.read
// CHECK:         return %[[T0]], %[[T1]]
func.func @store_between_reads(%source: memref<?x?xf32>, %i: index,
                               %tile: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = wgtile.read %source[%i, %i] in_bounds [true, true]
      : memref<?x?xf32> -> tensor<64x64xf32>
  wgtile.store %tile, %source[%i, %i] in_bounds [true, true]
      : tensor<64x64xf32>, memref<?x?xf32>
  %1 = wgtile.read %source[%i, %i] in_bounds [true, true]
      : memref<?x?xf32> -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// CHECK-LABEL: func.func @store_between_loads
// CHECK:         %[[A:.*]] = wgtile.load
// CHECK:         wgtile.store
// CHECK:         %[[B:.*]] = wgtile.load
// CHECK:         wgtile.mma %[[A]], %[[B]]
func.func @store_between_loads(%source: memref<?x?xf16>, %i: index,
                               %tile: tensor<64x64xf16>,
                               %acc: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = wgtile.load %source[%i, %i]
      : memref<?x?xf16> -> !wgtile.shared<64x64xf16>
  wgtile.store %tile, %source[%i, %i] in_bounds [true, true]
      : tensor<64x64xf16>, memref<?x?xf16>
  %b = wgtile.load %source[%i, %i]
      : memref<?x?xf16> -> !wgtile.shared<64x64xf16>
  %0 = wgtile.mma %a, %b, %acc
      : !wgtile.shared<64x64xf16>, !wgtile.shared<64x64xf16>
      -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// A loop over tiles has the effects of its body.
// CHECK-LABEL: func.func @tiles
// CHECK-COUNT-1: wgtile.for_each_tile
// CHECK-NOT:     wgtile.for_each_tile
// CHECK:           wgtile.store
func.func @tiles(%dest: memref<?x?xf32>, %i: index, %tile: tensor<64x64xf32>) {
  wgtile.for_each_tile (%t) in (%i) {
    %0 = wgtile.read %dest[%t, %i] in_bounds [true, true]
        : memref<?x?xf32> -> tensor<64x64xf32>
  }
  wgtile.for_each_tile (%t) in (%i) {
    wgtile.store %tile, %dest[%t, %i] in_bounds [true, true]
        : tensor<64x64xf32>, memref<?x?xf32>
  }
  return
}

// A launch stays.
gpu.module @kernels {
  gpu.func @kernel() kernel {
    gpu.return
  }
}
// CHECK-LABEL: func.func @launch
// CHECK:         wgtile.launch
// CHECK:         wgtile.launch
func.func @launch(%n: index) {
  "wgtile.launch"(%n) <{kernel = @kernels::@kernel}> : (index) -> ()
  "wgtile.launch"(%n) <{kernel = @kernels::@kernel}> : (index) -> ()
  return
}

// With a place in shared memory a reduction of all the block's warps is a barrier.
// CHECK-LABEL: func.func @exchanges
// CHECK-COUNT-2: wgtile.tile_reduce addf {{.*}}offset = 0
// CHECK-NEXT:    wgtile.tile_combine addf {{.*}}offset = 0
// CHECK-NEXT:    return
func.func @exchanges(%tile: tensor<64x64xf32>, %number: f32) {
  %0 = wgtile.tile_reduce addf %tile {offset = 0 : i64} : tensor<64x64xf32> -> f32
  %1 = wgtile.tile_reduce addf %tile {offset = 0 : i64} : tensor<64x64xf32> -> f32
  %2 = wgtile.tile_combine addf %number {offset = 0 : i64} : f32
  return
}

// Rows that are cleared are written.
// CHECK-LABEL: func.func @cleared
// CHECK:         wgtile.mma {{.*}} rows
// CHECK-NEXT:    return
func.func @cleared(%a: !wgtile.shared<64x64xbf16>, %acc: tensor<64x64xf32>, %rows: index) {
  %0 = wgtile.mma %a, %a, %acc rows %rows
      : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x64xbf16> -> tensor<64x64xf32>
  return
}
