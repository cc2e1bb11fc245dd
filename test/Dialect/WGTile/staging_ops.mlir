// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s

// CHECK-LABEL: func.func @staging
// CHECK:         %[[S:.*]] = wgtile.staging : !wgtile.shared<64x64xbf16, swizzle = 128>
// CHECK:         wgtile.tma_store_wait pending 1 read
// CHECK:         wgtile.named_barrier
// CHECK:         wgtile.warp_barrier
// CHECK:         wgtile.block_barrier
// CHECK:         wgtile.store_shared %{{.*}}, %[[S]] : tensor<128x64xbf16, #wgtile.mma<warps = 8>>, !wgtile.shared<64x64xbf16, swizzle = 128>
// CHECK:         wgtile.fence_proxy_async
// CHECK:         wgtile.tma_store %[[S]], %[[MAP:.*]][%{{.*}}, %{{.*}}] warpgroups 2
// CHECK:         wgtile.tma_store_wait pending 0{{$}}
// CHECK:         wgtile.read_shared %[[S]] : !wgtile.shared<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #wgtile.mma<warps = 4>>
// CHECK:         wgtile.prefetch %[[MAP]][%{{.*}}, %{{.*}}] warpgroups 2
// CHECK:         wgtile.prefetch %[[MAP]][%{{.*}}, %{{.*}}] : !wgtile.tensor_map
// CHECK:         wgtile.tma_compatible %{{.*}} : memref<?x?xbf16>
func.func @staging(%t: tensor<128x64xbf16, #wgtile.mma<warps = 8>>,
                   %map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>,
                   %i: index, %b: memref<?x?xbf16>) {
  %s = wgtile.staging : !wgtile.shared<64x64xbf16, swizzle = 128>
  wgtile.tma_store_wait pending 1 read
  wgtile.named_barrier
  wgtile.warp_barrier
  wgtile.block_barrier
  wgtile.store_shared %t, %s : tensor<128x64xbf16, #wgtile.mma<warps = 8>>,
      !wgtile.shared<64x64xbf16, swizzle = 128>
  wgtile.fence_proxy_async
  wgtile.tma_store %s, %map[%i, %i] warpgroups 2
      : !wgtile.shared<64x64xbf16, swizzle = 128>,
        !wgtile.tensor_map<64x64xbf16, swizzle = 128>
  wgtile.tma_store_wait pending 0
  %r = wgtile.read_shared %s : !wgtile.shared<64x64xbf16, swizzle = 128>
      -> tensor<64x64xbf16, #wgtile.mma<warps = 4>>
  wgtile.prefetch %map[%i, %i] warpgroups 2
      : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
  wgtile.prefetch %map[%i, %i]
      : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
  %0 = wgtile.tma_compatible %b : memref<?x?xbf16>
  return
}
