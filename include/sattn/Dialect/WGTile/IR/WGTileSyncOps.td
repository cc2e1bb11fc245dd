//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Synchronization on its own: fences, and delays for tests.

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
    What this thread wrote to shared memory before is seen by the copy engine and
    by wgmma after, once the threads have met at a barrier
    (`fence.proxy.async.shared::cta`). `wgtile-place-fences` places it.

    ```mlir
    wgtile.fence_async
    ```
  }];
  let assemblyFormat = "attr-dict";
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
