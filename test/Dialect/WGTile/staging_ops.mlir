// RUN: sparse-opt %s | sparse-opt | FileCheck %s
// RUN: sparse-opt %s --mlir-print-op-generic | sparse-opt | FileCheck %s

// CHECK-LABEL: func.func @warpgroups
// CHECK:         wgtile.named_barrier
// CHECK:         wgtile.warp_barrier
// CHECK:         wgtile.block_barrier
// CHECK:         wgtile.fence_proxy_async
// CHECK:         wgtile.read_shared %{{.*}} : !wgtile.shared<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #wgtile.mma<warps = 4>>
// CHECK:         wgtile.prefetch %{{.*}}[%{{.*}}, %{{.*}}] warpgroups 2
// CHECK:         wgtile.prefetch %{{.*}}[%{{.*}}, %{{.*}}] : !wgtile.tensor_map
// CHECK:         wgtile.tma_compatible %{{.*}} : memref<?x?xbf16>
func.func @warpgroups(%s: !wgtile.shared<64x64xbf16, swizzle = 128>,
                      %map: !wgtile.tensor_map<64x64xbf16, swizzle = 128>,
                      %i: index, %b: memref<?x?xbf16>) {
  wgtile.named_barrier
  wgtile.warp_barrier
  wgtile.block_barrier
  wgtile.fence_proxy_async
  %r = wgtile.read_shared %s : !wgtile.shared<64x64xbf16, swizzle = 128>
      -> tensor<64x64xbf16, #wgtile.mma<warps = 4>>
  wgtile.prefetch %map[%i, %i] warpgroups 2
      : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
  wgtile.prefetch %map[%i, %i]
      : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
  %0 = wgtile.tma_compatible %b : memref<?x?xbf16>
  return
}
