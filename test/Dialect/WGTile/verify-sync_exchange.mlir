// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-verify-sync,cse,canonicalize,wgtile-verify-sync))' | FileCheck %s

// The exchange of a number by the block's warps is a barrier, which nothing removes
// because nobody reads the number: the fence before it orders the stores of the
// staging ring.

// CHECK-LABEL: gpu.func @k
// CHECK:         wgtile.fence_proxy_async
// CHECK-NEXT:    wgtile.tile_reduce addf {{.*}}offset = 0
// CHECK-NEXT:    wgtile.tma_store
!staging = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 1>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
gpu.module @kernels {
  gpu.func @k(%map: !map, %t: !t, %f: tensor<64x64xf32, #wgtile.mma<warps = 4>>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring {offset = 1024 : i64} : !staging
    scf.for %i = %c0 to %n step %c1 {
      %s = wgtile.producer_acquire %ring : !staging
      wgtile.named_barrier
      wgtile.ring_store %t, %ring[%s] 0 : !t, !staging
      wgtile.fence_proxy_async
      %x = wgtile.tile_reduce addf %f {offset = 0 : i64} : tensor<64x64xf32, #wgtile.mma<warps = 4>> -> f32
      wgtile.tma_store %ring[%s] 0, %map[%i, %c0] warpgroups 1 : !staging, !map
      wgtile.producer_commit %ring[%s] : !staging
    }
    wgtile.producer_tail %ring : !staging
    gpu.return
  }
}
