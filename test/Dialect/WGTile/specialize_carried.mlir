// RUN: sparse-opt %s --split-input-file --pass-pipeline='builtin.module(wgtile-schedule,gpu.module(wgtile-overlap),canonicalize,cse,gpu.module(wgtile-split-range,wgtile-place-waits,wgtile-specialize,wgtile-allocate-shared,wgtile-place-fences,wgtile-verify-sync))' | FileCheck %s

!q = !wgtile.shared<64x64xbf16, swizzle = 128>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!left = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// Both MMAs of the chain read %b, so the rotated loop carries its stage's token:
// the stages before the loop and in it are those of one ring. Each is given back
// after the MMA that reads it last, an iteration after it was taken.
// CHECK-LABEL: gpu.func @carried
// CHECK:         %[[RING:.*]] = wgtile.ring warps 4 {{.*}} : !wgtile.ring<{{[0-9]+}}, [!wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK-NOT:     wgtile.ring warps
// CHECK:         wgtile.roles producer
// CHECK:           scf.for
// CHECK-NOT:         iter_args
// CHECK:             wgtile.tma_load %[[RING]]
// CHECK:         consumer
// CHECK:           %[[S0:.*]] = wgtile.consumer_wait %[[RING]]
// CHECK-NOT:       wgtile.consumer_release
// CHECK:           %[[R:.*]]:3 = scf.for {{.*}}, %[[T:[a-z0-9]+]] = %{{[a-z0-9]+}}, %[[S:[a-z0-9]+]] = %[[S0]]) -> ({{.*}}, !wgtile.token)
// CHECK:             %[[B:.*]] = wgtile.ring_tile %[[RING]][%[[S]]] 0
// CHECK:             %[[NEXT:.*]] = wgtile.consumer_wait %[[RING]]
// CHECK:             %[[C:.*]] = wgtile.ring_tile %[[RING]][%[[NEXT]]] 0
// CHECK:             wgtile.mma_async %{{.*}}, %[[C]]
// CHECK:             %[[D:.*]] = wgtile.mma_async %[[T]], %[[B]]
// CHECK:             wgtile.warpgroup_mma_wait %[[D]], %[[T]] pending 0
// CHECK-NEXT:        wgtile.consumer_release %[[RING]][%[[S]]]
// CHECK:             scf.yield %{{.*}}, %{{.*}}, %[[NEXT]]
// CHECK:           %[[LAST:.*]] = wgtile.ring_tile %[[RING]][%[[R]]#2] 0
// CHECK:           wgtile.mma_async %{{.*}}, %[[LAST]]
// CHECK:           wgtile.warpgroup_mma_wait
// CHECK-NEXT:      wgtile.consumer_release %[[RING]][%[[R]]#2]
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @carried(%map: !map, %q: !q, %out: memref<?x?xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
        %b = wgtile.load %map[%p, %j] : !map -> !q
        %s = wgtile.mma %q, %b, %zero : !q, !q -> !acc
        %t = arith.truncf %s : !acc to !left
        %d = wgtile.mma %t, %b, %acc : !left, !q -> !acc
        scf.yield %d : !acc
      } {wgtile.block_loop}
      wgtile.store %r, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

!q = !wgtile.shared<64x64xbf16, swizzle = 128>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!left = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

// Two tiles that are carried have one stage and one token. A loop that was cut
// in two passes the token on to its second part.
// CHECK-LABEL: gpu.func @two_tiles
// CHECK:         %[[RING:.*]] = wgtile.ring warps 4 {{.*}} : !wgtile.ring<{{[0-9]+}}, [!wgtile.shared<64x64xbf16, swizzle = 128>, !wgtile.shared<64x64xbf16, swizzle = 128>]>
// CHECK-NOT:     wgtile.ring warps
// CHECK:         consumer warps
// CHECK:           %[[S0:.*]] = wgtile.consumer_wait %[[RING]]
// CHECK:           %[[R:.*]]:5 = scf.for {{.*}}, %[[S:[a-z0-9]+]] = %[[S0]])
// CHECK-DAG:         wgtile.ring_tile %[[RING]][%[[S]]] 0
// CHECK-DAG:         wgtile.ring_tile %[[RING]][%[[S]]] 1
// CHECK:             wgtile.consumer_release %[[RING]][%[[S]]]
// CHECK-NOT:       wgtile.consumer_release
// CHECK:           %[[R2:.*]]:5 = scf.for {{.*}}, %[[S2:[a-z0-9]+]] = %[[R]]#4)
// CHECK:             wgtile.consumer_release %[[RING]][%[[S2]]]
// CHECK-DAG:       wgtile.ring_tile %[[RING]][%[[R2]]#4] 0
// CHECK-DAG:       wgtile.ring_tile %[[RING]][%[[R2]]#4] 1
// CHECK:           wgtile.consumer_release %[[RING]][%[[R2]]#4]
gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
  gpu.func @two_tiles(%map: !map, %q: !q, %out: memref<?x?xf32>, %n: index, %bound: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : !acc
    wgtile.for_each_tile (%i, %j) in (%n, %n) {
      %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%x = %zero, %y = %zero) -> (!acc, !acc) {
        %a = wgtile.load %map[%p, %j] : !map -> !q
        %b = wgtile.load %map[%p, %c64] : !map -> !q
        %s = wgtile.mma %q, %a, %zero : !q, !q -> !acc
        %t = wgtile.mma %q, %b, %zero : !q, !q -> !acc
        %first = arith.cmpi slt, %p, %bound : index
        %u = scf.if %first -> (!acc) {
          %negative = arith.negf %s : !acc
          scf.yield %negative : !acc
        } else {
          scf.yield %s : !acc
        }
        %v = arith.truncf %u : !acc to !left
        %d = wgtile.mma %v, %b, %x : !left, !q -> !acc
        %w = arith.mulf %u, %t : !acc
        %z = arith.truncf %w : !acc to !left
        %e = wgtile.mma %z, %a, %y : !left, !q -> !acc
        scf.yield %d, %e : !acc, !acc
      } {wgtile.block_loop}
      wgtile.store %r#0, %out[%i, %j] in_bounds [true, true] : !acc, memref<?x?xf32>
      wgtile.store %r#1, %out[%j, %i] in_bounds [true, true] : !acc, memref<?x?xf32>
    }
    gpu.return
  }
}
