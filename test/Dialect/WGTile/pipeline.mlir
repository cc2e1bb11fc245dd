// RUN: sparse-opt %s --wgtile-schedule --wgtile-pipeline | FileCheck %s
// RUN: sed 's/chip = "sm_90a"/&, shared_bytes = 30000/' %s | sparse-opt --wgtile-schedule --wgtile-pipeline \
// RUN:   | FileCheck %s --check-prefix=FEW

gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  // Three turns ahead before the loop, each under its condition.
  // CHECK-LABEL: gpu.func @columns
  // CHECK-SAME: nvvm.minctasm = 2
  // CHECK: %[[RING:.*]] = wgtile.ring : !wgtile.ring<4
  // CHECK-COUNT-3: wgtile.producer_commit %[[RING]]
  // CHECK: scf.for %[[P:.*]] = %{{.*}} iter_args(
  // CHECK-NEXT: %[[FULL:.*]] = wgtile.consumer_wait %[[RING]] pending 2 :
  // The later turn's column is loaded before the product, filled after it.
  // CHECK: %[[NEXT:.*]] = arith.addi %[[P]], %c3
  // CHECK: %[[LAST:.*]] = arith.minsi %[[NEXT]]
  // CHECK: %[[K:.*]] = memref.load %{{.*}}[%[[LAST]]]
  // CHECK: wgtile.ring_tile %[[RING]][%[[FULL]]] 0 :
  // CHECK: wgtile.ring_tile %[[RING]][%[[FULL]]] 1 :
  // CHECK: wgtile.mma
  // CHECK: wgtile.consumer_release %[[RING]][%[[FULL]]]
  // CHECK: %[[EMPTY:.*]] = wgtile.producer_acquire %[[RING]]
  // CHECK: scf.if
  // CHECK: wgtile.async_copy %[[RING]][%[[EMPTY]]] 0, %{{.*}}[%[[LAST]], %{{.*}}] aligned
  // CHECK: wgtile.async_copy %[[RING]][%[[EMPTY]]] 1, %{{.*}}[%[[K]], %{{.*}}] :
  // CHECK: wgtile.producer_commit %[[RING]][%[[EMPTY]]]
  // CHECK: wgtile.producer_tail %[[RING]]
  // FEW-LABEL: gpu.func @columns
  // FEW-SAME: nvvm.minctasm = 1
  // FEW: wgtile.ring : !wgtile.ring<2
  gpu.func @columns(%begin: index, %end: index, %a: memref<?x16x64xbf16>,
                    %b: memref<?x?xbf16>, %col: memref<?xindex>,
                    %out: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<16x64xf32, #wgtile.mma<warps = 1>>
    %sum = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero)
        -> (tensor<16x64xf32, #wgtile.mma<warps = 1>>) {
      %k = memref.load %col[%p] : memref<?xindex>
      %x = wgtile.load %a[%p, %c0, %c0] aligned
          : memref<?x16x64xbf16> -> !wgtile.shared<16x64xbf16, swizzle = 128>
      %y = wgtile.load %b[%k, %c0]
          : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16, swizzle = 128>
      %d = wgtile.mma %x, %y, %acc mma_sync
          : !wgtile.shared<16x64xbf16, swizzle = 128>,
            !wgtile.shared<64x64xbf16, swizzle = 128>
          -> tensor<16x64xf32, #wgtile.mma<warps = 1>>
      scf.yield %d : tensor<16x64xf32, #wgtile.mma<warps = 1>>
    }
    wgtile.store %sum, %out[%c0, %c0] in_bounds [true, true]
        : tensor<16x64xf32, #wgtile.mma<warps = 1>>, memref<?x?xf32>
    gpu.return
  }

  // Where a load's place depends on the loop's own result, it stays.
  // CHECK-LABEL: gpu.func @dependent
  // CHECK-NOT: wgtile.ring
  // CHECK: wgtile.load
  gpu.func @dependent(%begin: index, %end: index, %b: memref<?x?xbf16>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = scf.for %p = %begin to %end step %c1 iter_args(%k = %c0) -> (index) {
      %y = wgtile.load %b[%k, %c0]
          : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16, swizzle = 128>
      %next = arith.addi %k, %k : index
      scf.yield %next : index
    }
    gpu.return
  }

  // As many stages as the loop over tiles asks for, whatever the option says; at
  // least two, at most what fits. Two CTAs share an SM where
  // there is room for three stages in each, wanted or not.
  // CHECK-LABEL: gpu.func @six_stages
  // CHECK: wgtile.ring : !wgtile.ring<6
  // FEW-LABEL: gpu.func @six_stages
  // FEW: wgtile.ring : !wgtile.ring<2
  // CHECK-LABEL: gpu.func @one_stage
  // CHECK-SAME: nvvm.minctasm = 2
  // CHECK: wgtile.ring : !wgtile.ring<2
  gpu.func @six_stages(%n: index, %a: memref<?x16x64xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, wgtile.schedule = #wgtile.schedule<stages = 6>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<16x64xf32, #wgtile.mma<warps = 1>>
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %sum = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero)
          -> (tensor<16x64xf32, #wgtile.mma<warps = 1>>) {
        %x = wgtile.load %a[%p, %c0, %c0] aligned
            : memref<?x16x64xbf16> -> !wgtile.shared<16x64xbf16, swizzle = 128>
        %y = wgtile.load %b[%p, %c0]
            : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16, swizzle = 128>
        %d = wgtile.mma %x, %y, %acc mma_sync
            : !wgtile.shared<16x64xbf16, swizzle = 128>,
              !wgtile.shared<64x64xbf16, swizzle = 128>
            -> tensor<16x64xf32, #wgtile.mma<warps = 1>>
        scf.yield %d : tensor<16x64xf32, #wgtile.mma<warps = 1>>
      }
      wgtile.store %sum, %out[%i, %j] in_bounds [true, true]
          : tensor<16x64xf32, #wgtile.mma<warps = 1>>, memref<?x?xf32>
    }
    gpu.return
  }
  gpu.func @one_stage(%n: index, %a: memref<?x16x64xbf16>, %b: memref<?x?xbf16>,
                   %out: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, wgtile.schedule = #wgtile.schedule<stages = 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<16x64xf32, #wgtile.mma<warps = 1>>
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %sum = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero)
          -> (tensor<16x64xf32, #wgtile.mma<warps = 1>>) {
        %x = wgtile.load %a[%p, %c0, %c0] aligned
            : memref<?x16x64xbf16> -> !wgtile.shared<16x64xbf16, swizzle = 128>
        %y = wgtile.load %b[%p, %c0]
            : memref<?x?xbf16> -> !wgtile.shared<64x64xbf16, swizzle = 128>
        %d = wgtile.mma %x, %y, %acc mma_sync
            : !wgtile.shared<16x64xbf16, swizzle = 128>,
              !wgtile.shared<64x64xbf16, swizzle = 128>
            -> tensor<16x64xf32, #wgtile.mma<warps = 1>>
        scf.yield %d : tensor<16x64xf32, #wgtile.mma<warps = 1>>
      }
      wgtile.store %sum, %out[%i, %j] in_bounds [true, true]
          : tensor<16x64xf32, #wgtile.mma<warps = 1>>, memref<?x?xf32>
    }
    gpu.return
  }
}
