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

def WGTile_FenceProxyAsyncOp : WGTile_Op<"fence_proxy_async", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Order accesses of threads before asynchronous ones";
  let description = [{
    Once the threads have met at a barrier after the fence, TMA and wgmma see what
    this thread wrote to shared memory before it, and TMA writes only after this
    thread's earlier reads (`fence.proxy.async.shared::cta`). `wgtile-place-fences`
    places the op.

    ```mlir
    wgtile.fence_proxy_async
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
  let summary = "Initialize the warpgroup order";
  let description = [{
    The op stands at the start of the consumers' role. Each of their `warpgroups`
    then alternates between `wgtile.order_wait` and `wgtile.order_arrive`. Only one
    warpgroup at a time is between the two: it issues its MMAs there, while the
    others run the parts of their iterations that need no tensor cores. The model
    is CUTLASS's `OrderedSequenceBarrier`; each warpgroup has a named barrier.

    ```mlir
    wgtile.order_init warpgroups 2
    ```
  }];
}

def WGTile_OrderWaitOp : WGTile_OrderOp<"order_wait"> {
  let summary = "Wait for this warpgroup's turn in the order";
  let description = [{
    See `wgtile.order_init`.

    ```mlir
    wgtile.order_wait warpgroups 2
    ```
  }];
}

def WGTile_OrderArriveOp : WGTile_OrderOp<"order_arrive"> {
  let summary = "Pass the turn to the next warpgroup in the order";
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
    All earlier reads and writes of the warp's threads are complete
    (`bar.warp.sync`). One thread can then release a stage of a ring for the warp.
    `wgtile-place-fences` places the op.

    ```mlir
    wgtile.warp_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def WGTile_BlockBarrierOp : WGTile_Op<"block_barrier", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Wait for the threads of the CTA";
  let description = [{
    All threads then see what any of them wrote before. `wgtile-place-fences`
    places the op.

    - (C1) The op is in no role, since the other roles would not arrive.

    ```mlir
    wgtile.block_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def WGTile_ClusterReduceOp : WGTile_Op<"cluster_reduce", [
    SameOperandsAndResultType, MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Add the tiles of a cluster's CTAs";
  let description = [{
    In the first CTA of the cluster the result is the sum of the tiles that
    its CTAs hold, added in the order of their ranks; in the others it is
    their own tile. All threads that hold the tile, in all CTAs of the
    cluster, meet twice: when the tiles are in shared memory, and when the sum has
    been read. Other warps must have arrived or exited
    (PTX ISA, `barrier.cluster`). `offset` is the place of the tile in each
    kernel's shared memory, in bytes (`wgtile-allocate-shared`); no other op uses it.

    - (C1) The tile has two dimensions and elements of f32 or i32.
    - (C2) The kernel's `known_cluster_size` is known, along x alone.

    ```mlir
    %sum = wgtile.cluster_reduce %tile : tensor<128x16xf32, #wgtile.mma<warps = 8>>
    ```
  }];
  let arguments = (ins WGTile_RegisterTile:$tile, OptionalAttr<I64Attr>:$offset);
  let results = (outs WGTile_RegisterTile:$result);
  let assemblyFormat = "$tile attr-dict `:` type($result)";
  let extraClassDeclaration = [{
    /// Bytes of shared memory that a CTA needs for its tile, if `groups`
    /// groups of consumers hold one each. The tile must have a layout.
    static int64_t getBytes(::mlir::RankedTensorType tile, int64_t groups);
    int64_t getBytes();
    /// CTAs of the cluster.
    int64_t getClusterSize();
  }];
  let hasVerifier = 1;
}

def WGTile_DelayOp : WGTile_Op<"delay", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Sleep for a random time";
  let description = [{
    For tests (`wgtile-insert-delays`). Each warp sleeps for a pseudo-random time
    of at most about `nanoseconds`, which differs at each run: the seed is a mix of
    `site`, the warp, the SM and its clock.

    ```mlir
    wgtile.delay 2000 site 7
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$nanoseconds,
                       I64Attr:$site);
  let assemblyFormat = "$nanoseconds `site` $site attr-dict";
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILESYNCOPS_TD
