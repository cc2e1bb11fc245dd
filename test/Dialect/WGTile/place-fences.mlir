// RUN: sparse-opt %s --pass-pipeline='builtin.module(gpu.module(wgtile-place-fences,wgtile-verify-sync))' | FileCheck %s

!s = !wgtile.shared<64x64xbf16, swizzle = 128>
!map = !wgtile.tensor_map<64x64xbf16, swizzle = 128>
!t = tensor<64x64xbf16, #wgtile.mma<warps = 4>>

gpu.module @kernels {
  // The writers fence before the barrier at which they meet.
  // CHECK-LABEL: gpu.func @staged
  // CHECK:         wgtile.store_shared
  // CHECK-NEXT:    wgtile.fence_async
  // CHECK-NEXT:    wgtile.group_barrier
  // CHECK-NEXT:    wgtile.store_async
  // CHECK:         wgtile.wait_store
  // CHECK-NEXT:    wgtile.group_barrier
  // CHECK-NEXT:    wgtile.store_shared
  // CHECK-NEXT:    wgtile.fence_async
  // CHECK-NEXT:    wgtile.group_barrier
  gpu.func @staged(%map: !map, %t: !t) kernel {
    %c0 = arith.constant 0 : index
    %s = wgtile.staging : !s
    wgtile.store_shared %t, %s : !t, !s
    wgtile.group_barrier
    wgtile.store_async %s, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.wait_store pending 0 read
    wgtile.group_barrier
    wgtile.store_shared %t, %s : !t, !s
    wgtile.group_barrier
    wgtile.store_async %s, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.wait_store pending 0
    gpu.return
  }

  // A fence that is there is enough.
  // CHECK-LABEL: gpu.func @fenced
  // CHECK:         wgtile.store_shared
  // CHECK-NEXT:    wgtile.fence_async
  // CHECK-NEXT:    wgtile.group_barrier
  // CHECK-NEXT:    wgtile.store_async
  gpu.func @fenced(%map: !map, %t: !t) kernel {
    %c0 = arith.constant 0 : index
    %s = wgtile.staging : !s
    wgtile.store_shared %t, %s : !t, !s
    wgtile.fence_async
    wgtile.group_barrier
    wgtile.store_async %s, %map[%c0, %c0] warpgroups 1 : !s, !map
    wgtile.wait_store pending 0
    gpu.return
  }

  // What only threads use needs none.
  // CHECK-LABEL: gpu.func @threads_only
  // CHECK-NOT:     wgtile.fence_async
  // CHECK:         gpu.return
  gpu.func @threads_only(%t: !t) kernel {
    %s = wgtile.staging : !s
    wgtile.store_shared %t, %s : !t, !s
    wgtile.group_barrier
    gpu.return
  }

  // The write and the access are in different turns of a loop.
  // CHECK-LABEL: gpu.func @next_turn
  // CHECK:         scf.for
  // CHECK:           wgtile.fence_async
  // CHECK-NEXT:      wgtile.group_barrier
  // CHECK-NEXT:      wgtile.store_async
  // CHECK:           wgtile.store_shared
  // CHECK:         }
  gpu.func @next_turn(%map: !map, %t: !t, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = wgtile.staging : !s
    wgtile.store_shared %t, %s : !t, !s
    scf.for %i = %c0 to %n step %c1 {
      wgtile.group_barrier
      wgtile.store_async %s, %map[%i, %c0] warpgroups 1 : !s, !map
      wgtile.wait_store pending 0 read
      wgtile.group_barrier
      wgtile.store_shared %t, %s : !t, !s
    }
    gpu.return
  }
}
