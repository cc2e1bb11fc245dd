//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Synchronization on its own: fences, barriers, and delays for tests.

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILESYNCOPS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILESYNCOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"
include "sattn/Dialect/WGTile/IR/WGTileInterfaces.td"

def WGTile_FenceAsyncOp : WGTile_Op<"fence_async", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Order accesses of threads before asynchronous ones";
  let description = [{
    What this thread wrote to shared memory before is seen by TMA and by wgmma
    after, and what it read before is read before TMA writes there, once the
    threads have met at a barrier (`fence.proxy.async.shared::cta`).
    `wgtile-place-fences` places it.

    ```mlir
    wgtile.fence_async
    ```
  }];
  let assemblyFormat = "attr-dict";
}

class WGTile_OrderOp<string mnemonic>
    : WGTile_Op<mnemonic, [
        MemoryEffects<[MemRead, MemWrite]>,
        DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<2>]>:$warpgroups);
  let assemblyFormat = "`warpgroups` $warpgroups attr-dict";
}

def WGTile_OrderInitOp : WGTile_OrderOp<"order_init"> {
  let summary = "Let the first warpgroup of an order go first";
  let description = [{
    At the start of the consumers' role. Afterwards each of their `warpgroups`
    passes `wgtile.order_wait` and `wgtile.order_arrive` by turns: between the two,
    which no two warpgroups are at one time, a warpgroup issues its MMAs, and the
    others compute what these do not need the tensor cores for. CUTLASS's
    `OrderedSequenceBarrier` is the model; each warpgroup has a named barrier.

    ```mlir
    wgtile.order_init warpgroups 2
    ```
  }];
}

def WGTile_OrderWaitOp : WGTile_OrderOp<"order_wait"> {
  let summary = "Wait until this warpgroup's turn in the order has come";
  let description = [{
    See `wgtile.order_init`.

    ```mlir
    wgtile.order_wait warpgroups 2
    ```
  }];
}

def WGTile_OrderArriveOp : WGTile_OrderOp<"order_arrive"> {
  let summary = "Let the next warpgroup of the order go";
  let description = [{
    See `wgtile.order_init`.

    ```mlir
    wgtile.order_arrive warpgroups 2
    ```
  }];
}

def WGTile_WarpBarrierOp : WGTile_Op<"warp_barrier", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Wait for the threads of the warp";
  let description = [{
    What any of them read or wrote before is over for all (`bar.warp.sync`). One
    thread of the warp then gives a stage of a ring back for all.
    `wgtile-place-fences` places it.

    ```mlir
    wgtile.warp_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def WGTile_BlockBarrierOp : WGTile_Op<"block_barrier", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Wait for the threads of the thread block";
  let description = [{
    What any of them wrote before is then seen by all. `wgtile-place-fences`
    places it.

    - (C1) The op is in no role, since the other roles would not come.

    ```mlir
    wgtile.block_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def WGTile_DelayOp : WGTile_Op<"delay", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Sleep for a random time";
  let description = [{
    For tests (`wgtile-insert-delays`). Each warp sleeps for a pseudo-random time
    of at most about `nanoseconds`, another at each run: the seed is mixed of
    `site`, the warp, the multiprocessor and its clock.

    ```mlir
    wgtile.delay 2000 site 7
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$nanoseconds,
                       I64Attr:$site);
  let assemblyFormat = "$nanoseconds `site` $site attr-dict";
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILESYNCOPS_TD
