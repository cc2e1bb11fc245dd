// RUN: sparse-opt %s --convert-wgtile-to-nvvm --cse --canonicalize --split-input-file | FileCheck %s

!tile = tensor<16x8xf32, #wgtile.mma<warps = 1>>

// A thread has four elements. What they combine to is combined with all lanes.
// CHECK-LABEL: gpu.func @sum
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : i32
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : i32
// CHECK-DAG:     %[[ALL:.*]] = arith.constant -1 : i32
// CHECK:         %[[X:.*]] = arith.addf
// CHECK-NEXT:    %[[Y:.*]] = arith.addf
// CHECK-NEXT:    %[[OWN:.*]] = arith.addf %[[X]], %[[Y]]
// CHECK-NEXT:    %[[S1:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[OWN]], %[[C1]],
// CHECK-NEXT:    %[[N1:.*]] = arith.addf %[[OWN]], %[[S1]]
// CHECK-NEXT:    %[[S2:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[N1]], %[[C2]],
// CHECK-NEXT:    %[[N2:.*]] = arith.addf %[[N1]], %[[S2]]
// CHECK-NEXT:    %[[S4:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[N2]], %[[C4]],
// CHECK-NEXT:    %[[N4:.*]] = arith.addf %[[N2]], %[[S4]]
// CHECK-NEXT:    %[[S8:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[N4]], %[[C8]],
// CHECK-NEXT:    %[[N8:.*]] = arith.addf %[[N4]], %[[S8]]
// CHECK-NEXT:    %[[S16:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[N8]], %[[C16]],
// CHECK-NEXT:    %[[SUM:.*]] = arith.addf %[[N8]], %[[S16]]
// CHECK-NOT:     nvvm.shfl.sync
// CHECK:         memref.store %[[SUM]]
gpu.module @kernels {
  gpu.func @sum(%m: memref<?x?xf32>, %out: memref<f32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %m[%c0, %c0] in_bounds [true, true] : memref<?x?xf32> -> !tile
    %sum = wgtile.tile_reduce addf %t : !tile -> f32
    memref.store %sum, %out[] : memref<f32>
    gpu.return
  }
}

// -----

!tile = tensor<16x8xi64, #wgtile.mma<warps = 1>>

// Of 64 bits, both halves of a number.
// CHECK-LABEL: gpu.func @least
// CHECK:         %[[WORDS:.*]] = llvm.bitcast %{{.*}} : i64 to vector<2xi32>
// CHECK:         %[[LOW:.*]] = llvm.extractelement %[[WORDS]]
// CHECK:         %[[OTHER_LOW:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[LOW]],
// CHECK:         llvm.insertelement %[[OTHER_LOW]]
// CHECK:         %[[HIGH:.*]] = llvm.extractelement
// CHECK:         %[[OTHER_HIGH:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[HIGH]],
// CHECK:         %[[OTHERS:.*]] = llvm.insertelement %[[OTHER_HIGH]]
// CHECK:         %[[OTHER:.*]] = llvm.bitcast %[[OTHERS]] : vector<2xi32> to i64
// CHECK:         arith.minsi %{{.*}}, %[[OTHER]] : i64
// CHECK-COUNT-8: nvvm.shfl.sync
// CHECK-NOT:     nvvm.shfl.sync
gpu.module @kernels {
  gpu.func @least(%x: i64, %out: memref<i64>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = tensor.splat %x : !tile
    %least = wgtile.tile_reduce mins %t : !tile -> i64
    memref.store %least, %out[] : memref<i64>
    gpu.return
  }
}

// -----

!tile = tensor<16x32xf32, #wgtile.mma<warps = 2, column_warps = 2>>

// Two warps have a half each. What the lanes of one combine to they store at its
// place; after a barrier all threads load both.
// CHECK-LABEL: gpu.func @two_warps
// CHECK:         %[[SHARED:.*]] = llvm.mlir.addressof @wgtile_shared
// CHECK-DAG:     %[[C1024:.*]] = arith.constant 1024 : i32
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : i32
// CHECK-DAG:     %[[C5:.*]] = arith.constant 5 : i32
// CHECK-COUNT-5: nvvm.shfl.sync
// CHECK-NEXT:    %[[OWN:.*]] = arith.addf
// CHECK-NOT:     nvvm.shfl.sync
// CHECK:         %[[WARP:.*]] = arith.shrui %{{.*}}, %[[C5]]
// CHECK:         %[[BYTES:.*]] = arith.muli %[[WARP]], %[[C4]]
// CHECK:         %[[OFFSET:.*]] = arith.addi %[[BYTES]], %[[C1024]]
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr %[[SHARED]][%[[OFFSET]]]
// CHECK-NOT:     gpu.barrier
// CHECK:         llvm.store %[[OWN]], %[[PLACE]] : f32
// CHECK-NEXT:    gpu.barrier
// CHECK:         %[[P0:.*]] = llvm.getelementptr %[[SHARED]][1024]
// CHECK:         %[[N0:.*]] = llvm.load %[[P0]] : !llvm.ptr<3> -> f32
// CHECK:         %[[P1:.*]] = llvm.getelementptr %[[SHARED]][1028]
// CHECK:         %[[N1:.*]] = llvm.load %[[P1]] : !llvm.ptr<3> -> f32
// CHECK-NOT:     llvm.load
// CHECK:         %[[SUM:.*]] = arith.addf %[[N0]], %[[N1]]
// CHECK:         memref.store %[[SUM]]
gpu.module @kernels {
  gpu.func @two_warps(%x: f32, %out: memref<f32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = tensor.splat %x : !tile
    %sum = wgtile.tile_reduce addf %t {offset = 1024 : i64} : !tile -> f32
    memref.store %sum, %out[] : memref<f32>
    gpu.return
  }
}

// -----

!tile = tensor<32x8xi64, #wgtile.mma<warps = 2>>

// In a loop, of tiles too, warps may still read what the iteration before left.
// CHECK-LABEL: gpu.func @repeated
// CHECK:         scf.for
// CHECK:           gpu.barrier
// CHECK-NEXT:      llvm.store %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:      gpu.barrier
// CHECK:           llvm.getelementptr %{{.*}}[16]
// CHECK:           llvm.load
// CHECK:           llvm.getelementptr %{{.*}}[24]
// CHECK:           llvm.load
// CHECK:           arith.minsi
// CHECK:         scf.for
// CHECK:           gpu.barrier
// CHECK-NEXT:      llvm.store
// CHECK-NEXT:      gpu.barrier
gpu.module @kernels {
  gpu.func @repeated(%x: i64, %n: index, %out: memref<?x?xi64>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = tensor.splat %x : !tile
    scf.for %i = %c0 to %n step %c1 {
      %least = wgtile.tile_reduce mins %t {offset = 16 : i64} : !tile -> i64
      memref.store %least, %out[%i, %c0] : memref<?x?xi64>
    }
    wgtile.for_each_tile (%i, %j) in (%n, %n) attributes {persistent = 4 : i64} {
      %least = wgtile.tile_reduce mins %t {offset = 32 : i64} : !tile -> i64
      memref.store %least, %out[%i, %j] : memref<?x?xi64>
    }
    gpu.return
  }
}

// -----

!tile = tensor<16x16xf32, #wgtile.mma<warps = 2, column_warps = 2>>

// A thread's part is of what it holds, until all are combined.
// CHECK-LABEL: gpu.func @parts
// CHECK:         %[[X:.*]] = arith.addf
// CHECK-NEXT:    %[[OWN:.*]] = arith.addf %[[X]], %[[X]]
// CHECK-NEXT:    %[[SCALED:.*]] = arith.mulf %[[OWN]], %{{.*}}
// CHECK-NEXT:    nvvm.shfl.sync bfly %{{.*}}, %[[SCALED]],
// CHECK-COUNT-4: nvvm.shfl.sync
// CHECK-NOT:     nvvm.shfl.sync
// CHECK:         llvm.store
// CHECK-NEXT:    gpu.barrier
// CHECK-COUNT-2: llvm.load
// CHECK:         %[[SUM:.*]] = arith.addf
// CHECK:         memref.store %[[SUM]]
// CHECK-NOT:     gpu.barrier
gpu.module @kernels {
  gpu.func @parts(%x: f32, %y: f32, %out: memref<f32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = tensor.splat %x : !tile
    %own = wgtile.tile_reduce addf %t partial : !tile -> f32
    %scaled = arith.mulf %own, %y : f32
    %sum = wgtile.tile_combine addf %scaled {offset = 0 : i64} : f32
    memref.store %sum, %out[] : memref<f32>
    gpu.return
  }
}

// -----

// One warp has no need of shared memory.
// CHECK-LABEL: gpu.func @combine_lanes
// CHECK-COUNT-5: nvvm.shfl.sync
// CHECK-NOT:     llvm.store
// CHECK-NOT:     gpu.barrier
// CHECK:         memref.store
gpu.module @kernels {
  gpu.func @combine_lanes(%x: f32, %out: memref<f32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %sum = wgtile.tile_combine addf %x : f32
    memref.store %sum, %out[] : memref<f32>
    gpu.return
  }
}

// -----

!tile = tensor<16x16xbf16, #wgtile.mma<warps = 2, column_warps = 2>>

// Of 16 bits two are compared at a time; the pair, lanes and warps in f32.
// CHECK-LABEL: gpu.func @narrow
// CHECK:         %[[PAIR:.*]] = arith.maxnumf %{{.*}}, %{{.*}} : vector<2xbf16>
// CHECK-NOT:     arith.maxnumf {{.*}} : vector
// CHECK:         vector.extract %[[PAIR]][0]
// CHECK-NEXT:    %[[LOW:.*]] = arith.extf {{.*}} : bf16 to f32
// CHECK-NEXT:    vector.extract %[[PAIR]][1]
// CHECK-NEXT:    %[[HIGH:.*]] = arith.extf {{.*}} : bf16 to f32
// CHECK-NEXT:    %[[OWN:.*]] = arith.maxnumf %[[LOW]], %[[HIGH]] : f32
// CHECK-NEXT:    nvvm.shfl.sync bfly %{{.*}}, %[[OWN]],
// CHECK-COUNT-4: nvvm.shfl.sync
// CHECK:         llvm.store %{{.*}}, %{{.*}} : f32
// CHECK:         %[[MAXIMUM:.*]] = arith.maxnumf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:    %[[NARROW:.*]] = arith.truncf %[[MAXIMUM]] : f32 to bf16
// CHECK-NEXT:    memref.store %[[NARROW]]
gpu.module @kernels {
  gpu.func @narrow(%m: memref<?x?xbf16>, %out: memref<bf16>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = wgtile.read %m[%c0, %c0] in_bounds [true, true] : memref<?x?xbf16> -> !tile
    %max = wgtile.tile_reduce maxnumf %t {offset = 0 : i64} : !tile -> bf16
    memref.store %max, %out[] : memref<bf16>
    gpu.return
  }
}
