// RUN: sparse-opt %s --wgtile-hoist-epilogue-loads | FileCheck %s

!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>
!s = !wgtile.shared<64x64xbf16, swizzle = 128>
!m = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
#next = affine_map<(d0) -> (d0 * 128 + 64)>
#same = affine_map<(d0) -> (d0 * 128 + 32)>
#first = affine_map<(d0) -> (d0 * 128)>

gpu.module @kernels {
  // The second slice is read before the first one is stored.
  // CHECK-LABEL: gpu.func @slices
  // CHECK:         wgtile.read
  // CHECK:         %[[J:.*]] = affine.apply #{{.*}}(%arg3)
  // CHECK-NEXT:    %[[NEXT:.*]] = wgtile.read %arg0[%arg2, %[[J]]]
  // CHECK-NEXT:    wgtile.tma_store_wait pending 1 read
  // CHECK:         wgtile.tma_store %
  // CHECK-NOT:     wgtile.read
  // CHECK:         wgtile.tma_store_wait pending 1 read
  // CHECK-NEXT:    wgtile.named_barrier
  // CHECK-NEXT:    wgtile.store_shared %[[NEXT]]
  gpu.func @slices(%c: memref<?x?xbf16>, %map: !m, %i: index, %j: index) {
    %s0 = wgtile.staging : !s
    %s1 = wgtile.staging : !s
    %j0 = affine.apply #first(%j)
    %t0 = wgtile.read %c[%i, %j0] in_bounds [true, false] : memref<?x?xbf16> -> !t
    wgtile.tma_store_wait pending 1 read
    wgtile.named_barrier
    wgtile.store_shared %t0, %s0 : !t, !s
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %s0, %map[%i, %j0] warpgroups 1 : !s, !m
    %j1 = affine.apply #next(%j)
    %t1 = wgtile.read %c[%i, %j1] in_bounds [true, false] : memref<?x?xbf16> -> !t
    wgtile.tma_store_wait pending 1 read
    wgtile.named_barrier
    wgtile.store_shared %t1, %s1 : !t, !s
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %s1, %map[%i, %j1] warpgroups 1 : !s, !m
    gpu.return
  }

  // A read in a branch takes a branch along.
  // CHECK-LABEL: gpu.func @branch
  // CHECK:         %[[READ:.*]] = scf.if %arg4
  // CHECK:           wgtile.read
  // CHECK:         } else {
  // CHECK:           arith.constant dense<0.000000e+00>
  // CHECK:         wgtile.tma_store_wait
  // CHECK:         wgtile.tma_store %
  // CHECK:         scf.if %arg4
  // CHECK:           arith.negf %[[READ]]
  gpu.func @branch(%c: memref<?x?xbf16>, %map: !m, %i: index, %j: index,
                   %has: i1, %zero: !t) {
    %s0 = wgtile.staging : !s
    %j0 = affine.apply #first(%j)
    wgtile.tma_store_wait pending 0 read
    wgtile.named_barrier
    wgtile.store_shared %zero, %s0 : !t, !s
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %s0, %map[%i, %j0] warpgroups 1 : !s, !m
    %t1 = scf.if %has -> (!t) {
      %j1 = affine.apply #next(%j)
      %t = wgtile.read %c[%i, %j1] in_bounds [true, false] : memref<?x?xbf16> -> !t
      %n = arith.negf %t : !t
      scf.yield %n : !t
    } else {
      scf.yield %zero : !t
    }
    %j1 = affine.apply #next(%j)
    wgtile.tma_store_wait pending 0 read
    wgtile.named_barrier
    wgtile.store_shared %t1, %s0 : !t, !s
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %s0, %map[%i, %j1] warpgroups 1 : !s, !m
    gpu.return
  }

  // A read moves once, in front of the last wait before it.
  // CHECK-LABEL: gpu.func @two_waits
  // CHECK:         wgtile.tma_store %
  // CHECK-NEXT:    affine.apply
  // CHECK-NEXT:    %[[READ:.*]] = wgtile.read
  // CHECK-NEXT:    wgtile.tma_store_wait pending 1 read
  // CHECK:         wgtile.tma_store %
  // CHECK-NOT:     wgtile.read
  // CHECK:         wgtile.store %[[READ]]
  gpu.func @two_waits(%c: memref<?x?xbf16>, %map: !m, %i: index, %j: index,
                      %zero: !t) {
    %s0 = wgtile.staging : !s
    %s1 = wgtile.staging : !s
    %j0 = affine.apply #first(%j)
    wgtile.tma_store_wait pending 1 read
    wgtile.named_barrier
    wgtile.store_shared %zero, %s0 : !t, !s
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %s0, %map[%i, %j0] warpgroups 1 : !s, !m
    wgtile.tma_store_wait pending 1 read
    wgtile.named_barrier
    wgtile.store_shared %zero, %s1 : !t, !s
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %s1, %map[%i, %j0] warpgroups 1 : !s, !m
    %j1 = affine.apply #next(%j)
    %t1 = wgtile.read %c[%i, %j1] in_bounds [true, false] : memref<?x?xbf16> -> !t
    wgtile.store %t1, %c[%i, %j1] in_bounds [true, false] : !t, memref<?x?xbf16>
    gpu.return
  }

  // Nor what a store by registers may write.
  // CHECK-LABEL: gpu.func @plain_store
  // CHECK-NOT:     wgtile.read
  // CHECK:         wgtile.store %
  // CHECK:         wgtile.read
  gpu.func @plain_store(%c: memref<?x?xbf16>, %map: !m, %i: index, %j: index,
                        %zero: !t) {
    %s0 = wgtile.staging : !s
    %j0 = affine.apply #first(%j)
    wgtile.tma_store_wait pending 0 read
    wgtile.named_barrier
    wgtile.store_shared %zero, %s0 : !t, !s
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %s0, %map[%i, %j0] warpgroups 1 : !s, !m
    %j1 = affine.apply #next(%j)
    wgtile.store %zero, %c[%i, %j1] in_bounds [true, false] : !t, memref<?x?xbf16>
    %t1 = wgtile.read %c[%i, %j1] in_bounds [true, false] : memref<?x?xbf16> -> !t
    wgtile.store %t1, %c[%i, %j1] in_bounds [true, false] : !t, memref<?x?xbf16>
    gpu.return
  }

  // What a store in between may write is not read before it.
  // CHECK-LABEL: gpu.func @overlap
  // CHECK-NOT:     wgtile.read
  // CHECK:         wgtile.tma_store %
  // CHECK:         wgtile.read
  gpu.func @overlap(%c: memref<?x?xbf16>, %map: !m, %i: index, %j: index,
                    %zero: !t) {
    %s0 = wgtile.staging : !s
    %j0 = affine.apply #first(%j)
    wgtile.tma_store_wait pending 0 read
    wgtile.named_barrier
    wgtile.store_shared %zero, %s0 : !t, !s
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %s0, %map[%i, %j0] warpgroups 1 : !s, !m
    %j1 = affine.apply #same(%j)
    %t1 = wgtile.read %c[%i, %j1] in_bounds [true, false] : memref<?x?xbf16> -> !t
    wgtile.tma_store_wait pending 0 read
    wgtile.named_barrier
    wgtile.store_shared %t1, %s0 : !t, !s
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %s0, %map[%i, %j1] warpgroups 1 : !s, !m
    gpu.return
  }
}
