// RUN: sparse-opt %s --split-input-file --convert-wgtile-to-nvvm --canonicalize --cse | FileCheck %s

!a = !wgtile.shared<16x16xbf16, swizzle = 32>
!b = !wgtile.shared<16x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<16x16xbf16, swizzle = 32>,
                         !wgtile.shared<16x64xbf16, swizzle = 128>]>
!ma = !wgtile.tensor_map<16x16xbf16, swizzle = 32>
!mb = !wgtile.tensor_map<16x64xbf16, swizzle = 128>

// A tile starts at a multiple of what its swizzle needs: 512 bytes of a, then b
// at 1024, in stages of 3072 bytes.
// CHECK-LABEL: gpu.func @mma_sync
// CHECK-DAG:     %[[STAGE_BYTES:.*]] = arith.constant 3072 : i32
// CHECK-DAG:     %[[B_OFFSET:.*]] = arith.constant 1024 : i32
// CHECK:         nvvm.cp.async.bulk.tensor
// CHECK:         %[[STAGE:.*]] = arith.muli %{{.*}}, %[[STAGE_BYTES]] : i32
// CHECK:         arith.addi %[[STAGE]], %[[B_OFFSET]] : i32
// CHECK:         nvvm.cp.async.bulk.tensor
// CHECK:         nvvm.ldmatrix
// CHECK:         nvvm.mma.sync
// CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// CHECK:         nvvm.bar.warp.sync
// CHECK:         mbarrier.arrive
gpu.module @kernels {
  gpu.func @mma_sync(%ma: !ma, %mb: !mb, %n: index) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : tensor<16x64xf32, #wgtile.mma<warps = 1>>
    %ring = wgtile.ring warps 1 {offset = 0 : i64, barriers = 6144 : i64} : !ring
    wgtile.roles producer 0 {
      wgtile.producer_acquire %ring : !ring
      wgtile.tma_load %ring 0, %ma[%n, %n] : !ring, !ma
      wgtile.tma_load %ring 1, %mb[%n, %n] : !ring, !mb
      wgtile.producer_commit %ring : !ring
    } consumer 0 {
      wgtile.consumer_wait %ring : !ring
      %a = wgtile.ring_tile %ring 0 : !ring -> !a
      %b = wgtile.ring_tile %ring 1 : !ring -> !b
      %d = wgtile.mma %a, %b, %zero mma_sync : !a, !b
          -> tensor<16x64xf32, #wgtile.mma<warps = 1>>
      wgtile.fence_proxy_async
      wgtile.warp_barrier
      wgtile.consumer_release %ring held 0 : !ring
    }
    gpu.return
  }
}
