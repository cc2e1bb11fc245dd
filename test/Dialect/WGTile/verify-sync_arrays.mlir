// RUN: sparse-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync))' | FileCheck %s

// Arrays of the module in shared memory, as kernels that sort and plan have: a
// barrier stands between stores and updates, updates and loads, loads and stores.
// All threads load the same number, so that it may bound a loop with a barrier.
// CHECK-LABEL: gpu.func @histogram
gpu.module @kernels {
  memref.global "private" @counts : memref<128xi32, 3> = uninitialized
  memref.global "private" @most : memref<1xi32, 3> = uninitialized
  gpu.func @histogram(%in: memref<?xi32>, %out: memref<?xi32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %counts = memref.get_global @counts : memref<128xi32, 3>
    %most = memref.get_global @most : memref<1xi32, 3>
    %is_first = arith.cmpi eq, %t, %c0 : index
    memref.store %zero, %counts[%t] : memref<128xi32, 3>
    scf.if %is_first {
      memref.store %zero, %most[%c0] : memref<1xi32, 3>
    }
    gpu.barrier
    %value = memref.load %in[%t] : memref<?xi32>
    %place = arith.index_cast %value : i32 to index
    %0 = memref.atomic_rmw addi %one, %counts[%place] : (i32, memref<128xi32, 3>) -> i32
    %1 = memref.atomic_rmw maxs %value, %most[%c0] : (i32, memref<1xi32, 3>) -> i32
    gpu.barrier
    %bound = memref.load %most[%c0] : memref<1xi32, 3>
    %end = arith.index_cast %bound : i32 to index
    scf.for %i = %c0 to %end step %c1 {
      %other = memref.load %counts[%i] : memref<128xi32, 3>
      gpu.barrier
      memref.store %other, %counts[%t] : memref<128xi32, 3>
      gpu.barrier
    }
    %count = memref.load %counts[%t] : memref<128xi32, 3>
    memref.store %count, %out[%t] : memref<?xi32>
    gpu.return
  }
}
