// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-place-fences,wgtile-verify-sync))' | FileCheck %s

!s = !wgtile.shared<64x64xbf16, swizzle = 128>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>
!acc = tensor<64x64xf32, #wgtile.mma<warps = 4>>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

gpu.module @kernels {
  // The writers fence before the barrier at which they meet.
  // CHECK-LABEL: gpu.func @staged
  // CHECK:         wgtile.store_shared
  // CHECK-NEXT:    wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.tma_store %
  // CHECK:         wgtile.tma_store_wait
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.store_shared
  // CHECK-NEXT:    wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.named_barrier
  gpu.func @staged(%map: !map, %t: !t) kernel {
    %c0 = arith.constant 0 : index
    %s = wgtile.staging : !s
    wgtile.store_shared %t, %s : !t, !s
    wgtile.named_barrier
    wgtile.tma_store %s, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store_wait pending 0 read
    wgtile.named_barrier
    wgtile.store_shared %t, %s : !t, !s
    wgtile.named_barrier
    wgtile.tma_store %s, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store_wait pending 0
    gpu.return
  }

  // A fence that is there is enough.
  // CHECK-LABEL: gpu.func @fenced
  // CHECK:         wgtile.store_shared
  // CHECK-NEXT:    wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.tma_store %
  gpu.func @fenced(%map: !map, %t: !t) kernel {
    %c0 = arith.constant 0 : index
    %s = wgtile.staging : !s
    wgtile.store_shared %t, %s : !t, !s
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %s, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store_wait pending 0
    gpu.return
  }

  // Threads write a tile in two parts: one fence after the last serves both.
  // CHECK-LABEL: gpu.func @parts
  // CHECK:         wgtile.store_shared
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.store_shared
  // CHECK-NEXT:    wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.tma_store %
  gpu.func @parts(%map: !map, %t: !t) kernel {
    %c0 = arith.constant 0 : index
    %s = wgtile.staging : !s
    wgtile.store_shared %t, %s : !t, !s
    wgtile.named_barrier
    wgtile.store_shared %t, %s : !t, !s
    wgtile.named_barrier
    wgtile.tma_store %s, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store_wait pending 0
    gpu.return
  }

  // What only threads use after the last store by TMA needs none.
  // CHECK-LABEL: gpu.func @threads_after
  // CHECK-COUNT-1: wgtile.fence_proxy_async
  // CHECK-NOT:     wgtile.fence_proxy_async
  // CHECK:         gpu.return
  gpu.func @threads_after(%map: !map, %t: !t) kernel {
    %c0 = arith.constant 0 : index
    %s = wgtile.staging : !s
    wgtile.store_shared %t, %s : !t, !s
    wgtile.named_barrier
    wgtile.tma_store %s, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store_wait pending 0 read
    wgtile.named_barrier
    wgtile.store_shared %t, %s : !t, !s
    wgtile.named_barrier
    gpu.return
  }

  // What only threads use needs none.
  // CHECK-LABEL: gpu.func @threads_only
  // CHECK-NOT:     wgtile.fence_proxy_async
  // CHECK:         gpu.return
  gpu.func @threads_only(%t: !t) kernel {
    %s = wgtile.staging : !s
    wgtile.store_shared %t, %s : !t, !s
    wgtile.named_barrier
    gpu.return
  }

  // The write and the access are in different turns of a loop.
  // CHECK-LABEL: gpu.func @next_turn
  // CHECK:         scf.for
  // CHECK:           wgtile.fence_proxy_async
  // CHECK-NEXT:      wgtile.named_barrier
  // CHECK-NEXT:      wgtile.tma_store %
  // CHECK:           wgtile.store_shared
  // CHECK:         }
  gpu.func @next_turn(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = wgtile.staging : !s
    wgtile.store_shared %t, %s : !t, !s
    scf.for %i = %c0 to %n step %c1 {
      wgtile.named_barrier
      wgtile.tma_store %s, %map[%i, %c0] warpgroups 1 : !s, !map
      wgtile.tma_store_wait pending 0 read
      wgtile.named_barrier
      wgtile.store_shared %t, %s : !t, !s
    }
    gpu.return
  }

  // Branches that are independent of each other join: what any of them wrote is
  // fenced.
  // CHECK-LABEL: gpu.func @branches
  // CHECK-COUNT-13: wgtile.store_shared
  // CHECK:         wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.tma_store %
  gpu.func @branches(%map: !map, %t: !t, %p0: i1, %p1: i1, %p2: i1, %p3: i1, %p4: i1, %p5: i1, %p6: i1, %p7: i1, %p8: i1, %p9: i1, %p10: i1, %p11: i1, %p12: i1) kernel {
    %c0 = arith.constant 0 : index
    %s0 = wgtile.staging : !s
    %s1 = wgtile.staging : !s
    %s2 = wgtile.staging : !s
    %s3 = wgtile.staging : !s
    %s4 = wgtile.staging : !s
    %s5 = wgtile.staging : !s
    %s6 = wgtile.staging : !s
    %s7 = wgtile.staging : !s
    %s8 = wgtile.staging : !s
    %s9 = wgtile.staging : !s
    %s10 = wgtile.staging : !s
    %s11 = wgtile.staging : !s
    %s12 = wgtile.staging : !s
    scf.if %p0 { wgtile.store_shared %t, %s0 : !t, !s }
    scf.if %p1 { wgtile.store_shared %t, %s1 : !t, !s }
    scf.if %p2 { wgtile.store_shared %t, %s2 : !t, !s }
    scf.if %p3 { wgtile.store_shared %t, %s3 : !t, !s }
    scf.if %p4 { wgtile.store_shared %t, %s4 : !t, !s }
    scf.if %p5 { wgtile.store_shared %t, %s5 : !t, !s }
    scf.if %p6 { wgtile.store_shared %t, %s6 : !t, !s }
    scf.if %p7 { wgtile.store_shared %t, %s7 : !t, !s }
    scf.if %p8 { wgtile.store_shared %t, %s8 : !t, !s }
    scf.if %p9 { wgtile.store_shared %t, %s9 : !t, !s }
    scf.if %p10 { wgtile.store_shared %t, %s10 : !t, !s }
    scf.if %p11 { wgtile.store_shared %t, %s11 : !t, !s }
    scf.if %p12 { wgtile.store_shared %t, %s12 : !t, !s }
    wgtile.named_barrier
    wgtile.tma_store %s0, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store %s1, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store %s2, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store %s3, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store %s4, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store %s5, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store %s6, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store %s7, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store %s8, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store %s9, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store %s10, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store %s11, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store %s12, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store_wait pending 0
    gpu.return
  }

  // Barriers that are missing are placed with the fences.
  // CHECK-LABEL: gpu.func @no_barriers
  // CHECK:         wgtile.store_shared
  // CHECK-NEXT:    wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.tma_store %
  // CHECK-NEXT:    wgtile.tma_store_wait
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.store_shared
  // CHECK-NEXT:    wgtile.fence_proxy_async
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.tma_store %
  gpu.func @no_barriers(%map: !map, %t: !t) kernel {
    %c0 = arith.constant 0 : index
    %s = wgtile.staging : !s
    wgtile.store_shared %t, %s : !t, !s
    wgtile.tma_store %s, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store_wait pending 0 read
    wgtile.store_shared %t, %s : !t, !s
    wgtile.tma_store %s, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.tma_store_wait pending 0
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
