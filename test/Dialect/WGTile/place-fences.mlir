// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-place-fences,wgtile-verify-sync))' | FileCheck %s

!s = !wgtile.shared<64x64xbf16, swizzle = 128>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!staging = !wgtile.ring<1, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

gpu.module @kernels {
  // The writers fence before the barrier at which they meet.
  // CHECK-LABEL: gpu.func @staged
  // CHECK:         wgtile.ring_store
  // CHECK-NEXT:    wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.tma_store %
  // CHECK:         wgtile.producer_acquire
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.ring_store
  // CHECK-NEXT:    wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.named_barrier
  gpu.func @staged(%map: !map, %t: !t) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.named_barrier
    wgtile.tma_store %ring[%s] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.producer_commit %ring[%s] : !staging
    %s1 = wgtile.producer_acquire %ring : !staging
    wgtile.named_barrier
    wgtile.ring_store %t, %ring[%s1] 0 : !t, !staging
    wgtile.named_barrier
    wgtile.tma_store %ring[%s1] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.producer_commit %ring[%s1] : !staging
    wgtile.producer_tail %ring : !staging
    gpu.return
  }

  // A fence that is there is enough.
  // CHECK-LABEL: gpu.func @fenced
  // CHECK:         wgtile.ring_store
  // CHECK-NEXT:    wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.tma_store %
  gpu.func @fenced(%map: !map, %t: !t) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %ring[%s] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.producer_commit %ring[%s] : !staging
    wgtile.producer_tail %ring : !staging
    gpu.return
  }

  // What only threads use after the last store by TMA needs none.
  // CHECK-LABEL: gpu.func @threads_after
  // CHECK-COUNT-1: wgtile.fence_proxy_async
  // CHECK-NOT:     wgtile.fence_proxy_async
  // CHECK:         gpu.return
  gpu.func @threads_after(%map: !map, %t: !t) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.named_barrier
    wgtile.tma_store %ring[%s] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.producer_commit %ring[%s] : !staging
    %s1 = wgtile.producer_acquire %ring : !staging
    wgtile.named_barrier
    wgtile.ring_store %t, %ring[%s1] 0 : !t, !staging
    wgtile.named_barrier
    wgtile.producer_commit %ring[%s1] : !staging
    gpu.return
  }

  // What only threads use needs none.
  // CHECK-LABEL: gpu.func @threads_only
  // CHECK-NOT:     wgtile.fence_proxy_async
  // CHECK:         gpu.return
  gpu.func @threads_only(%t: !t) kernel {
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.named_barrier
    wgtile.producer_commit %ring[%s] : !staging
    gpu.return
  }

  // The write and the access are in different turns of a loop.
  // CHECK-LABEL: gpu.func @next_turn
  // CHECK:         scf.for
  // CHECK-NEXT:      wgtile.fence_proxy_async
  // CHECK-NEXT:      wgtile.named_barrier
  // CHECK-NEXT:      wgtile.tma_store %
  // CHECK:           wgtile.producer_acquire
  // CHECK-NEXT:      wgtile.named_barrier
  // CHECK-NEXT:      wgtile.ring_store
  // CHECK-NEXT:      scf.yield
  // CHECK:         }
  gpu.func @next_turn(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring : !staging
    %first = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%first] 0 : !t, !staging
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %first) -> (!wgtile.token) {
      wgtile.named_barrier
      wgtile.tma_store %ring[%s] 0, %map[%i, %c0] warpgroups 1 : !staging, !map
      wgtile.producer_commit %ring[%s] : !staging
      %next = wgtile.producer_acquire %ring : !staging
      wgtile.ring_store %t, %ring[%next] 0 : !t, !staging
      scf.yield %next : !wgtile.token
    }
    wgtile.producer_commit %ring[%last] : !staging
    wgtile.producer_tail %ring : !staging
    gpu.return
  }

  // Branches that are independent of each other join: what any of them wrote is
  // fenced.
  // CHECK-LABEL: gpu.func @branches
  // CHECK-COUNT-13: wgtile.ring_store
  // CHECK:         wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.tma_store %
  gpu.func @branches(%map: !map, %t: !t, %p0: i1, %p1: i1, %p2: i1, %p3: i1, %p4: i1, %p5: i1, %p6: i1, %p7: i1, %p8: i1, %p9: i1, %p10: i1, %p11: i1, %p12: i1) kernel {
    %c0 = arith.constant 0 : index
    %r0 = wgtile.ring : !staging
    %r1 = wgtile.ring : !staging
    %r2 = wgtile.ring : !staging
    %r3 = wgtile.ring : !staging
    %r4 = wgtile.ring : !staging
    %r5 = wgtile.ring : !staging
    %r6 = wgtile.ring : !staging
    %r7 = wgtile.ring : !staging
    %r8 = wgtile.ring : !staging
    %r9 = wgtile.ring : !staging
    %r10 = wgtile.ring : !staging
    %r11 = wgtile.ring : !staging
    %r12 = wgtile.ring : !staging
    %s0 = wgtile.producer_acquire %r0 : !staging
    %s1 = wgtile.producer_acquire %r1 : !staging
    %s2 = wgtile.producer_acquire %r2 : !staging
    %s3 = wgtile.producer_acquire %r3 : !staging
    %s4 = wgtile.producer_acquire %r4 : !staging
    %s5 = wgtile.producer_acquire %r5 : !staging
    %s6 = wgtile.producer_acquire %r6 : !staging
    %s7 = wgtile.producer_acquire %r7 : !staging
    %s8 = wgtile.producer_acquire %r8 : !staging
    %s9 = wgtile.producer_acquire %r9 : !staging
    %s10 = wgtile.producer_acquire %r10 : !staging
    %s11 = wgtile.producer_acquire %r11 : !staging
    %s12 = wgtile.producer_acquire %r12 : !staging
    scf.if %p0 { wgtile.ring_store %t, %r0[%s0] 0 : !t, !staging }
    scf.if %p1 { wgtile.ring_store %t, %r1[%s1] 0 : !t, !staging }
    scf.if %p2 { wgtile.ring_store %t, %r2[%s2] 0 : !t, !staging }
    scf.if %p3 { wgtile.ring_store %t, %r3[%s3] 0 : !t, !staging }
    scf.if %p4 { wgtile.ring_store %t, %r4[%s4] 0 : !t, !staging }
    scf.if %p5 { wgtile.ring_store %t, %r5[%s5] 0 : !t, !staging }
    scf.if %p6 { wgtile.ring_store %t, %r6[%s6] 0 : !t, !staging }
    scf.if %p7 { wgtile.ring_store %t, %r7[%s7] 0 : !t, !staging }
    scf.if %p8 { wgtile.ring_store %t, %r8[%s8] 0 : !t, !staging }
    scf.if %p9 { wgtile.ring_store %t, %r9[%s9] 0 : !t, !staging }
    scf.if %p10 { wgtile.ring_store %t, %r10[%s10] 0 : !t, !staging }
    scf.if %p11 { wgtile.ring_store %t, %r11[%s11] 0 : !t, !staging }
    scf.if %p12 { wgtile.ring_store %t, %r12[%s12] 0 : !t, !staging }
    wgtile.named_barrier
    wgtile.tma_store %r0[%s0] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.tma_store %r1[%s1] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.tma_store %r2[%s2] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.tma_store %r3[%s3] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.tma_store %r4[%s4] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.tma_store %r5[%s5] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.tma_store %r6[%s6] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.tma_store %r7[%s7] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.tma_store %r8[%s8] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.tma_store %r9[%s9] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.tma_store %r10[%s10] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.tma_store %r11[%s11] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.tma_store %r12[%s12] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.producer_commit %r0[%s0] : !staging
    wgtile.producer_commit %r1[%s1] : !staging
    wgtile.producer_commit %r2[%s2] : !staging
    wgtile.producer_commit %r3[%s3] : !staging
    wgtile.producer_commit %r4[%s4] : !staging
    wgtile.producer_commit %r5[%s5] : !staging
    wgtile.producer_commit %r6[%s6] : !staging
    wgtile.producer_commit %r7[%s7] : !staging
    wgtile.producer_commit %r8[%s8] : !staging
    wgtile.producer_commit %r9[%s9] : !staging
    wgtile.producer_commit %r10[%s10] : !staging
    wgtile.producer_commit %r11[%s11] : !staging
    wgtile.producer_commit %r12[%s12] : !staging
    wgtile.producer_tail %r0 : !staging
    gpu.return
  }

  // Barriers that are missing are placed with the fences.
  // CHECK-LABEL: gpu.func @no_barriers
  // CHECK:         wgtile.producer_acquire
  // CHECK-NEXT:    wgtile.ring_store
  // CHECK-NEXT:    wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.tma_store %
  // CHECK-NEXT:    wgtile.producer_commit
  // CHECK-NEXT:    wgtile.producer_acquire
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.ring_store
  // CHECK-NEXT:    wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.tma_store %
  gpu.func @no_barriers(%map: !map, %t: !t) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring : !staging
    %s = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
    wgtile.tma_store %ring[%s] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.producer_commit %ring[%s] : !staging
    %s1 = wgtile.producer_acquire %ring : !staging
    wgtile.ring_store %t, %ring[%s1] 0 : !t, !staging
    wgtile.tma_store %ring[%s1] 0, %map[%c0, %c0] warpgroups 1 : !staging, !map
    wgtile.producer_commit %ring[%s1] : !staging
    wgtile.producer_tail %ring : !staging
    gpu.return
  }

  // Threads read a tile that TMA then writes: one fence before the barrier of the
  // first load serves both.
  // CHECK-LABEL: gpu.func @loads
  // CHECK:         scf.for
  // CHECK:           wgtile.fence_proxy_async
  // CHECK-NEXT:      wgtile.load
  // CHECK-NEXT:      wgtile.load
  // CHECK-NEXT:      wgtile.mma
  // CHECK-NEXT:      scf.yield
  gpu.func @loads(%map: !map, %zero: !acc, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
      %a = wgtile.load %map[%c0, %p] : !map -> !s
      %b = wgtile.load %map[%p, %c0] : !map -> !s
      %d = wgtile.mma %a, %b, %acc mma_sync : !s, !s -> !acc
      scf.yield %d : !acc
    }
    gpu.return
  }

  // wgmma reads by the proxy that TMA writes by.
  // CHECK-LABEL: gpu.func @wgmma
  // CHECK-NOT:     wgtile.fence_proxy_async
  // CHECK:         gpu.return
  gpu.func @wgmma(%map: !map, %zero: !acc, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) {
      %a = wgtile.load %map[%c0, %p] : !map -> !s
      %b = wgtile.load %map[%p, %c0] : !map -> !s
      %d = wgtile.mma %a, %b, %acc : !s, !s -> !acc
      scf.yield %d : !acc
    }
    gpu.return
  }

  // Threads copied a tile that wgmma reads: they meet after the fence.
  // CHECK-LABEL: gpu.func @copied
  // CHECK:         wgtile.load
  // CHECK-NEXT:    wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.block_barrier
  // CHECK-NEXT:    wgtile.mma
  gpu.func @copied(%in: memref<?x?xbf16>, %zero: !acc, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %a = wgtile.load %in[%c0, %c0] : memref<?x?xbf16> -> !s
    %d = wgtile.mma %a, %a, %zero : !s, !s -> !acc
    gpu.return
  }

  // What threads read of a stage is fenced where they read it, once in each block,
  // and the warp meets before one of its threads gives the stage back.
  // CHECK-LABEL: gpu.func @ring
  // CHECK:         wgtile.consumer_wait
  // CHECK:         scf.if
  // CHECK:           wgtile.read_shared
  // CHECK-NEXT:      wgtile.read_shared
  // CHECK-NEXT:      wgtile.fence_proxy_async
  // CHECK-NEXT:      wgtile.warp_barrier
  // CHECK-NEXT:    }
  // CHECK-NEXT:    wgtile.consumer_release
  // CHECK-NEXT:    wgtile.consumer_wait
  // CHECK-NEXT:    wgtile.ring_tile
  // CHECK-NEXT:    wgtile.read_shared
  // CHECK-NEXT:    wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.warp_barrier
  // CHECK-NEXT:    wgtile.consumer_release
  gpu.func @ring(%map: !map, %yes: i1) kernel {
    %c0 = arith.constant 0 : index
    %ring = wgtile.ring warps 4 : !ring
    wgtile.roles producer warps 4 registers 56 {
      %filled = wgtile.producer_acquire %ring : !ring
      wgtile.tma_load %ring[%filled] 0, %map[%c0, %c0] : !ring, !map
      wgtile.producer_commit %ring[%filled] : !ring
      %filled1 = wgtile.producer_acquire %ring : !ring
      wgtile.tma_load %ring[%filled1] 0, %map[%c0, %c0] : !ring, !map
      wgtile.producer_commit %ring[%filled1] : !ring
    }, consumer warps 4 registers 232 consumer_groups 1 {
      %full = wgtile.consumer_wait %ring : !ring
      %s = wgtile.ring_tile %ring[%full] 0 : !ring -> !s
      scf.if %yes {
        %t0 = wgtile.read_shared %s : !s -> !t
        %t1 = wgtile.read_shared %s : !s -> !t
      }
      wgtile.consumer_release %ring[%full] : !ring
      %full1 = wgtile.consumer_wait %ring : !ring
      %u = wgtile.ring_tile %ring[%full1] 0 : !ring -> !s
      %t2 = wgtile.read_shared %u : !s -> !t
      wgtile.consumer_release %ring[%full1] : !ring
    }
    gpu.return
  }
}
