// RUN: sparse-opt %s --split-input-file --wgtile-assign-stages --convert-wgtile-to-nvvm --canonicalize --cse | FileCheck %s

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
// CHECK:         %[[STAGE:.*]] = arith.muli %{{.*}}, %[[STAGE_BYTES]] : i32
// CHECK:         nvvm.cp.async.bulk.tensor
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
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    wgtile.roles producer warps 4 registers 0 {
      scf.for %i = %c0 to %n step %c1 {
        %filled = wgtile.producer_acquire %ring : !ring
        wgtile.tma_load %ring[%filled] 0, %ma[%n, %n] : !ring, !ma
        wgtile.tma_load %ring[%filled] 1, %mb[%n, %n] : !ring, !mb
        wgtile.producer_commit %ring[%filled] : !ring
      }
    }, consumer warps 1 registers 0 consumer_groups 1 {
      scf.for %i = %c0 to %n step %c1 {
        %full = wgtile.consumer_wait %ring : !ring
        %a = wgtile.ring_tile %ring[%full] 0 : !ring -> !a
        %b = wgtile.ring_tile %ring[%full] 1 : !ring -> !b
        %d = wgtile.mma %a, %b, %zero mma_sync : !a, !b
            -> tensor<16x64xf32, #wgtile.mma<warps = 1>>
        wgtile.fence_proxy_async
        wgtile.warp_barrier
        wgtile.consumer_release %ring[%full] : !ring
      }
    }
    gpu.return
  }
}

// -----

!s = !wgtile.shared<64x64xbf16, swizzle = 128>
!ring = !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>]>

// A token is the number of its stage. That of a loop may be of none, -1, which is
// not released; one that a wait gave is of a stage.
// CHECK-LABEL: gpu.func @carried
// CHECK-DAG:     %[[NONE:.*]] = arith.constant -1 : i32
// CHECK:         %[[R:.*]]:3 = scf.for {{.*}} iter_args(%[[LAST:.*]] = %[[NONE]], %{{.*}} = %c0_i32, %{{.*}} = %c0_i32) -> (i32, i32, i32)
// CHECK:           nvvm.mbarrier.try_wait.parity
// CHECK:           %[[IS:.*]] = arith.cmpi sgt, %[[LAST]], %[[NONE]] : i32
// CHECK:           %[[ARRIVES:.*]] = arith.andi %[[IS]], %[[LANE:.*]] : i1
// CHECK:           mbarrier.arrive{{.*}} %[[ARRIVES]]
// CHECK:         arith.cmpi sgt, %[[R]]#0, %[[NONE]] : i32
// CHECK:         nvvm.mbarrier.try_wait.parity
// CHECK-NOT:     arith.cmpi sgt
// CHECK-NOT:     arith.andi %{{.*}} : i1
// CHECK:         mbarrier.arrive
gpu.module @kernels {
  gpu.func @carried(%n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = wgtile.ring warps 4 {offset = 0 : i64, barriers = 16384 : i64} : !ring
    wgtile.roles producer warps 4 registers 0 {
    }, consumer warps 4 registers 0 consumer_groups 1 {
      %none = wgtile.no_stage
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%last = %none) -> (!wgtile.token) {
        %full = wgtile.consumer_wait %ring : !ring
        wgtile.consumer_release %ring[%last] : !ring
        scf.yield %full : !wgtile.token
      }
      wgtile.consumer_release %ring[%r] : !ring
      %full = wgtile.consumer_wait %ring : !ring
      wgtile.consumer_release %ring[%full] : !ring
    }
    gpu.return
  }
}

// -----

// Each role but the last has a branch; a role without register tiles runs in the
// first thread of its warps. Roles that get more registers than the kernel starts
// with increase theirs.
// CHECK-LABEL: gpu.func @three_roles
// CHECK:         %[[WARP:.*]] = nvvm.shfl.sync
// CHECK:         %[[FIRST:.*]] = arith.cmpi ult, %[[WARP]], %c4_i32
// CHECK:         scf.if %[[FIRST]] {
// CHECK:           nvvm.setmaxregister decrease 24
// CHECK:         } else {
// CHECK:           %[[SECOND:.*]] = arith.cmpi ult, %[[WARP]], %c8_i32
// CHECK:           scf.if %[[SECOND]] {
// CHECK:             %[[THREAD:.*]] = arith.cmpi eq, %{{.*}}, %c128_i32
// CHECK:             nvvm.setmaxregister decrease 104
// CHECK-NEXT:        scf.if %[[THREAD]]
// CHECK:           } else {
// CHECK:             nvvm.setmaxregister increase 240
gpu.module @kernels {
  gpu.func @three_roles(%out: memref<?xi32>, %i: index, %x: i32) kernel
      attributes {known_block_size = array<i32: 384, 1, 1>, nvvm.maxnreg = 168 : i32} {
    wgtile.roles producer warps 4 registers 24 {
    }, other warps 4 registers 104 {
      memref.store %x, %out[%i] : memref<?xi32>
    }, consumer warps 4 registers 240 consumer_groups 1 {
      memref.store %x, %out[%i] : memref<?xi32>
    }
    gpu.return
  }
}
