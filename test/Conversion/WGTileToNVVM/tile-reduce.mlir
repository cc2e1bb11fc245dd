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
