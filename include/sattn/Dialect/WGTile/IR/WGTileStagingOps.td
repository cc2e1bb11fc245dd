//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Staging ops of warpgroups that hold register tiles: each warpgroup has rows,
// barriers and prefetches of its own, besides those that fill a ring by TMA.

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILESTAGINGOPS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILESTAGINGOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"
include "sattn/Dialect/WGTile/IR/WGTileInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileTypes.td"

def WGTile_ReadSharedOp : WGTile_Op<"read_shared", [
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Read a tile of shared memory into registers";
  let description = [{
    Each warp reads its own rows of `source`.

    - (C1) The tile's shape and element type are the source's; its elements have
      16 or 32 bits.
    - (C2) If the tile has a layout, each of its warps holds 16 rows, four warps
      make a warpgroup, and a row of the source is whole rows of its swizzle.

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
