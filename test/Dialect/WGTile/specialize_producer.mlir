// RUN: sparse-opt %s --split-input-file --pass-pipeline='builtin.module(wgtile-schedule,gpu.module(wgtile-specialize))' | FileCheck %s

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// The producer carries what places of loads follow from, from loop to loop and out
// of branches, each value by itself: a block's number, but neither the accumulator
// nor a count that nobody reads. What is used inside a loop alone is computed
// there; what the epilogue stores is not computed at all.
// CHECK-LABEL: gpu.func @liveness
// CHECK:         wgtile.roles producer
// CHECK:           %[[FIRST:.*]] = scf.for %[[P:.*]] = %{{.*}} iter_args(%[[BLOCK:.*]] = %{{.*}}) -> (index) {
// CHECK-NEXT:        wgtile.producer_acquire
// CHECK-NEXT:        wgtile.tma_load %{{.*}}[%{{.*}}] 0, %{{.*}}[%[[BLOCK]],
// CHECK-NEXT:        wgtile.producer_commit
// CHECK-NEXT:        %[[NEXT:.*]] = arith.muli %[[BLOCK]], %[[P]]
// CHECK-NEXT:        scf.yield %[[NEXT]] : index
// CHECK-NEXT:      } {note = "kept"}
// CHECK-NEXT:      %[[CHOSEN:.*]] = scf.if %{{.*}} -> (index) {
// CHECK-NEXT:        scf.yield %[[FIRST]] : index
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %{{.*}} : index
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for {{.*}} {
// CHECK-NEXT:        wgtile.producer_acquire
// CHECK-NEXT:        wgtile.tma_load %{{.*}}[%{{.*}}] 0, %{{.*}}[%[[CHOSEN]],
// CHECK-NEXT:        wgtile.producer_commit
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }, consumer
// CHECK:           scf.for {{.*}} -> (tensor<64x64xf32, #wgtile.mma<warps = 4>>, index, index)
// CHECK:           math.exp2
// CHECK:           wgtile.store
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @liveness(%counts: memref<?xindex>, %ma: !ma, %mq: !ma, %out: memref<?x?xf32>,
                     %n: index, %c: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r:3 = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero, %block = %i, %count = %c0) -> (!acc, index, index) {
        %a = wgtile.load %ma[%block, %j] : !ma -> !a
        %d = wgtile.mma %a, %a, %acc : !a, !a -> !acc
        %next = arith.muli %block, %p : index
        %more = arith.addi %count, %c1 : index
        scf.yield %d, %next, %more : !acc, index, index
      } {note = "kept"}
      %chosen:2 = scf.if %c -> (!acc, index) {
        %e = math.exp2 %r#0 : !acc
        scf.yield %e, %r#1 : !acc, index
      } else {
        scf.yield %r#0, %j : !acc, index
      }
      %s = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %chosen#0) -> (!acc) {
        %a = wgtile.load %ma[%chosen#1, %p] : !ma -> !a
        %d = wgtile.mma %a, %a, %acc : !a, !a -> !acc
        scf.yield %d : !acc
      }
      memref.store %r#2, %counts[%i] : memref<?xindex>
      wgtile.store %s, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!a = !wgtile.shared<64x64xbf16, swizzle = 128>
!ma = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>

// A loop whose bounds the loads do not need is left out with all that it computes.
// CHECK-LABEL: gpu.func @other_loop
// CHECK:         wgtile.roles producer
// CHECK:           wgtile.producer_commit
// CHECK-NOT:       scf.for
// CHECK:         }, consumer
// CHECK:           scf.for
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @other_loop(%ma: !ma, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %a = wgtile.load %ma[%i, %j] : !ma -> !a
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %d = wgtile.mma %a, %a, %acc : !a, !a -> !acc
        scf.yield %d : !acc
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!q = !wgtile.shared<128x128xbf16, swizzle = 128>
!k = !wgtile.shared<128x128xbf16, swizzle = 128>
!mk = !wgtile.tensor_map<128x64xbf16, swizzle = 128>
!acc = tensor<128x128xf32, #wgtile.mma<warps = 8>>
!left = tensor<128x128xbf16, #wgtile.mma<warps = 8>>

// Two accumulators of 64 registers a thread and a left operand of 32 are within
// 224 registers: the producer keeps its 56.
// CHECK-LABEL: gpu.func @registers
// CHECK:         wgtile.roles producer warps 4 registers 56
// CHECK:         }, consumer warps {{[0-9]+}} registers 224
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @registers(%mk: !mk, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %a = wgtile.load %mk[%i, %p] : !mk -> !q
        %b = wgtile.load %mk[%p, %j] : !mk -> !k
        %s = wgtile.mma %a, %b, %zero : !q, !k -> !acc
        %t = arith.truncf %s : !acc to !left
        %d = wgtile.mma %t, %b, %acc : !left, !k -> !acc
        scf.yield %d : !acc
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!q = !wgtile.shared<192x64xbf16, swizzle = 128>
!k = !wgtile.shared<64x64xbf16, swizzle = 128>
!mq = !wgtile.tensor_map<192x64xbf16, swizzle = 128>
!mk = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<192x64xf32, #wgtile.mma<warps = 12>>
!left = tensor<192x64xbf16, #wgtile.mma<warps = 12>>

// Two accumulators and a left operand, 80 registers, and what is computed beside
// them fit into the 152 that three warpgroups have.
// CHECK-LABEL: gpu.func @some
// CHECK:         wgtile.roles producer warps 4 registers 56
// CHECK:         }, consumer warps {{[0-9]+}} registers 152
// With one accumulator more they need 164: the producer gives some of its own.
// CHECK-LABEL: gpu.func @scarce
// CHECK:         wgtile.roles producer warps 4 registers 32
// CHECK:         }, consumer warps {{[0-9]+}} registers 160
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @some(%mq: !mq, %mk: !mk, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%x = %zero) -> (!acc) {
        %a = wgtile.load %mq[%i, %p] : !mq -> !q
        %b = wgtile.load %mk[%p, %j] : !mk -> !k
        %s = wgtile.mma %a, %b, %zero : !q, !k -> !acc
        %t = arith.truncf %s : !acc to !left
        %d = wgtile.mma %t, %b, %x : !left, !k -> !acc
        scf.yield %d : !acc
      }
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }

  gpu.func @scarce(%mq: !mq, %mk: !mk, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 384, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%x = %zero, %y = %zero) -> (!acc, !acc) {
        %a = wgtile.load %mq[%i, %p] : !mq -> !q
        %b = wgtile.load %mk[%p, %j] : !mk -> !k
        %s = wgtile.mma %a, %b, %zero : !q, !k -> !acc
        %t = arith.truncf %s : !acc to !left
        %d = wgtile.mma %t, %b, %x : !left, !k -> !acc
        %e = wgtile.mma %a, %b, %y : !q, !k -> !acc
        scf.yield %d, %e : !acc, !acc
      }
      wgtile.store %r#0, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
      wgtile.store %r#1, %out[%j, %i] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}
