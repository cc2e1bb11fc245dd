// RUN: sparse-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(gpu.module(wgtile-prefetch-early))' | FileCheck %s
// RUN: sparse-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(gpu.module(wgtile-prefetch-early{boxes=18}))' | FileCheck %s --check-prefix=BOXES

// BOXES: arith.constant 6 : index

!map = !wgtile.tensor_map<1x32x64xbf16, swizzle = 128>
!shared = !wgtile.shared<32x128xbf16, swizzle = 128>
!map_b = !wgtile.tensor_map<16x64xbf16, swizzle = 128>
!shared_b = !wgtile.shared<16x64xbf16, swizzle = 128>

gpu.module @kernels {
  // The second warp guesses where the tile's loads are, its lanes an iteration
  // each, of three boxes; one, since two have more than four.
  // CHECK-LABEL: gpu.func @early
  // CHECK:         %[[THREAD:.*]] = gpu.thread_id x
  // CHECK:         %[[WARP:.*]] = arith.divui %[[THREAD]]
  // CHECK:         %[[IS_SECOND:.*]] = arith.cmpi eq, %[[WARP]], %c1
  // CHECK:         %[[LANE:.*]] = arith.remui %[[THREAD]]
  // CHECK:         scf.if %[[IS_SECOND]] {
  // CHECK-NEXT:      wgtile.for_each_tile (%[[I:.*]]) in
  // CHECK:             %[[PEEKED:.*]] = wgtile.peek %[[OFFSETS:.*]][%[[I]]] : memref<?xi32>
  // CHECK:             %[[BEGIN:.*]] = arith.index_cast %[[PEEKED]]
  // CHECK:             %[[MOST:.*]] = arith.constant 1 : index
  // CHECK:             %[[LENGTH:.*]] = arith.muli %[[MOST]], %c1
  // CHECK:             %[[LIMIT:.*]] = arith.addi %[[BEGIN]], %[[LENGTH]]
  // CHECK:             %[[END:.*]] = arith.minsi %{{.*}}, %[[LIMIT]]
  // CHECK:             %[[SHIFT:.*]] = arith.muli %[[LANE]], %c1
  // CHECK:             %[[FIRST:.*]] = arith.addi %[[BEGIN]], %[[SHIFT]]
  // CHECK:             scf.for %[[J:.*]] = %[[FIRST]] to %[[END]] step
  // The left operand's boxes, which wait for nothing in the loop.
  // CHECK:               wgtile.prefetch %[[A:.*]][%[[J]], %c0, %c0] : !wgtile.tensor_map<1x32x64xbf16
  // CHECK:               wgtile.prefetch %[[A]][%[[J]], %c0, %{{.*}}] : !wgtile.tensor_map<1x32x64xbf16
  // CHECK:               %[[COLUMN:.*]] = wgtile.peek %{{.*}}[%[[J]]] : memref<?xi32>
  // CHECK-NOT:           wgtile.prefetch %[[A]]
  // CHECK:               %[[K:.*]] = arith.index_cast %[[COLUMN]]
  // CHECK:               wgtile.prefetch %{{.*}}[%c0, %[[K]]] : !wgtile.tensor_map<16x64xbf16
  // CHECK-NOT:       wgtile.load
  // CHECK-NOT:       wgtile.mma
  // CHECK:         wgtile.for_each_tile
  // CHECK:           memref.load
  gpu.func @early(%offsets: memref<?xi32>, %columns: memref<?xi32>, %a: !map, %b: !map_b) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>,
                  wgtile.schedule = #wgtile.schedule<programmatic_launch = true>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %offsets, %c0 : memref<?xi32>
    %zeros = arith.constant dense<0.0> : tensor<32x16xf32>
    wgtile.for_each_tile (%i) in (%n) {
      %0 = memref.load %offsets[%i] : memref<?xi32>
      %begin = arith.index_cast %0 : i32 to index
      %next = arith.addi %i, %c1 : index
      %1 = memref.load %offsets[%next] : memref<?xi32>
      %end = arith.index_cast %1 : i32 to index
      %sum = scf.for %j = %begin to %end step %c1 iter_args(%acc = %zeros) -> (tensor<32x16xf32>) {
        %2 = memref.load %columns[%j] : memref<?xi32>
        %k = arith.index_cast %2 : i32 to index
        %x = wgtile.load %a[%j, %c0, %c0] : !map -> !shared
        %y = wgtile.load %b[%c0, %k] : !map_b -> !shared_b
        %z = "test.use"(%x, %y, %acc) : (!shared, !shared_b, tensor<32x16xf32>) -> tensor<32x16xf32>
        scf.yield %z : tensor<32x16xf32>
      } {wgtile.block_loop}
    }
    gpu.return
  }

  // Where tiles are depends on what the loop computes, so there is no guess.
  // CHECK-LABEL: gpu.func @unknown
  // CHECK-NOT:     wgtile.prefetch
  gpu.func @unknown(%n: index, %a: !map) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>,
                  wgtile.schedule = #wgtile.schedule<programmatic_launch = true>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    wgtile.for_each_tile (%i) in (%n) {
      %last = scf.for %j = %c0 to %n step %c1 iter_args(%at = %c0) -> (index) {
        %x = wgtile.load %a[%at, %c0, %c0] : !map -> !shared
        %next = "test.use"(%x, %at) : (!shared, index) -> index
        scf.yield %next : index
      } {wgtile.block_loop}
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @persistent
  // CHECK-NOT:     wgtile.prefetch
  gpu.func @persistent(%n: index, %a: !map) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>,
                  wgtile.schedule = #wgtile.schedule<persistent = true, programmatic_launch = true>} {
    %c0 = arith.constant 0 : index
    wgtile.for_each_tile (%i) in (%n) {
      %x = wgtile.load %a[%i, %c0, %c0] : !map -> !shared
      "test.use"(%x) : (!shared) -> ()
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @in_order
  // CHECK-NOT:     wgtile.prefetch
  gpu.func @in_order(%n: index, %a: !map) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    wgtile.for_each_tile (%i) in (%n) {
      %x = wgtile.load %a[%i, %c0, %c0] : !map -> !shared
      "test.use"(%x) : (!shared) -> ()
    }
    gpu.return
  }
}
