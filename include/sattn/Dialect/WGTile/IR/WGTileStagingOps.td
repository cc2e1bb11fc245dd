//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Results that leave through shared memory and TMA. Every warpgroup that holds
// register tiles works for itself: it has tiles, barriers and copies of its own.

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILESTAGINGOPS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILESTAGINGOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"
include "sattn/Dialect/WGTile/IR/WGTileInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileTypes.td"

def WGTile_StagingOp : WGTile_Op<"staging", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Make a shared tile for each warpgroup's results";
  let description = [{
    A tile for the 64 rows of each warpgroup that holds register tiles. `offset` is
    the offset of the first tile in the kernel's shared memory, in bytes
    (`wgtile-allocate-shared`); the others follow.

    - (C1) The tile has a swizzle and 64 rows, each one row of the swizzle, or,
      for transposed tiles, 64 columns and a multiple of 8 rows.

    ```mlir
    %s = wgtile.staging : !wgtile.shared<64x64xbf16, swizzle = 128>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs WGTile_SharedType:$tile);
  let assemblyFormat = "attr-dict `:` qualified(type($tile))";
  let extraClassDeclaration = [{
    /// Bytes of one warpgroup's tile.
    int64_t getTileBytes();
  }];
  let hasVerifier = 1;
}

def WGTile_StoreSharedOp : WGTile_Op<"store_shared", [
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Write a register tile to staging";
  let description = [{
    Each warpgroup writes its 64 rows of `tile` to its tile of `dest`, with
    `transposed` as columns. The other
    threads of the warpgroup see them after a `wgtile.named_barrier`, TMA after a
    `wgtile.fence_proxy_async` of the writers and that barrier.

    - (C1) The tile's columns are the staging's columns, with `transposed` its
      rows, the element types are equal, of 16 or 32 bits; each of the tile's
      warps holds 16 rows, and four warps make a warpgroup.

    ```mlir
    wgtile.store_shared %tile, %s : tensor<128x64xbf16, #wgtile.mma<warps = 8>>,
        !wgtile.shared<64x64xbf16, swizzle = 128>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tile,
                       Arg<WGTile_SharedType, "", [MemWrite]>:$dest,
                       UnitAttr:$transposed);
  let assemblyFormat = [{
    $tile `,` $dest (`transposed` $transposed^)? attr-dict `:` type($tile) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
}

def WGTile_ReadSharedOp : WGTile_Op<"read_shared", [
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Read a tile of shared memory into registers";
  let description = [{
    Each warp reads its own rows of `source`.

    - (C1) The tile's shape and element type are the source's; its elements have
      16 or 32 bits.
    - (C2) If the tile has a layout, each of its warps holds 16 rows, four warps
      make a warpgroup, and a row of the source is one row of its swizzle.

    ```mlir
    %c = wgtile.read_shared %s : !wgtile.shared<128x64xbf16, swizzle = 128>
        -> tensor<128x64xbf16, #wgtile.mma<warps = 8>>
    ```
  }];
  let arguments = (ins Arg<WGTile_SharedType, "", [MemRead]>:$source);
  let results = (outs WGTile_RegisterTile:$tile);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` type($tile)
  }];
  let hasVerifier = 1;
}

def WGTile_TmaStoreOp : WGTile_Op<"tma_store", [
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Start a copy from staging to global memory";
  let description = [{
    One thread of each warpgroup starts the copy of the warpgroup's tile to
    `dest`, a commit group of its own for `wgtile.tma_store_wait`. The tile of
    `warpgroups` warpgroups starts at `indices`; each stores the 64 rows that it
    holds, with `transposed` the 64 columns. Nothing is written outside the
    destination.

    - (C1) One index for each dimension of the map's box.
    - (C2) The box has the rows of the staging's tile and the columns of one row
      of its swizzle, and is 1 along all other dimensions.
    - (C3) `warpgroups` is positive.

    ```mlir
    wgtile.tma_store %s, %map[%i, %j] warpgroups 2
        : !wgtile.shared<64x64xbf16, swizzle = 128>,
          !wgtile.tensor_map<64x64xbf16, swizzle = 128>
    ```
  }];
  let arguments = (ins Arg<WGTile_SharedType, "", [MemRead]>:$source,
                       Arg<WGTile_TensorMapType, "", [MemWrite]>:$dest,
                       Variadic<Index>:$indices,
                       ConfinedAttr<I64Attr, [IntPositive]>:$warpgroups,
                       UnitAttr:$transposed);
  let assemblyFormat = [{
    $source `,` $dest `[` $indices `]` `warpgroups` $warpgroups
    (`transposed` $transposed^)? attr-dict `:`
    qualified(type($source)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
}

def WGTile_TmaStoreWaitOp : WGTile_Op<"tma_store_wait", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Wait for copies from staging";
  let description = [{
    The thread of each warpgroup that starts copies waits until at most the newest
    `pending` copies are still running. With `read` it waits until all older copies
    have read their tiles, which may then be written again. The warpgroup's other
    threads are ordered after the copies by a `wgtile.named_barrier`.

    ```mlir
    wgtile.tma_store_wait pending 1 read
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending,
                       UnitAttr:$read);
  let assemblyFormat = "`pending` $pending (`read` $read^)? attr-dict";
}

def WGTile_NamedBarrierOp : WGTile_Op<"named_barrier", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Wait for the threads of the warpgroup";
  let description = [{
    All threads then see what any of them wrote before.

    ```mlir
    wgtile.named_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def WGTile_PrefetchOp : WGTile_Op<"prefetch"> {
  let summary = "Prefetch a tile into the L2 cache";
  let description = [{
    One thread of each warpgroup prefetches its 64 rows of the tile of `warpgroups`
    warpgroups at `indices`, one box of the map. Without `warpgroups` each thread
    prefetches the box at its own indices. Nothing waits for the prefetch.

    - (C1) One index for each dimension of the map's box.

    ```mlir
    wgtile.prefetch %map[%i, %j] warpgroups 2
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128>
    ```
  }];
  let arguments = (ins Arg<WGTile_TensorMapType, "", [MemRead, MemWrite]>:$source,
                       Variadic<Index>:$indices,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$warpgroups);
  let assemblyFormat = [{
    $source `[` $indices `]` (`warpgroups` $warpgroups^)? attr-dict `:`
    qualified(type($source))
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILESTAGINGOPS_TD
