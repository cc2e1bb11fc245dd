//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Rings of shared memory and the roles that meet in them.

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILERINGOPS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILERINGOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"
include "sattn/Dialect/WGTile/IR/WGTileInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileTypes.td"

def WGTile_RolesOp : WGTile_Op<"roles", [
    SingleBlockImplicitTerminator<"EndOp">, NoRegionArguments,
    RecursiveMemoryEffects]> {
  let summary = "A producer and consumers, side by side";
  let description = [{
    Two programs that run at the same time in different warps of a thread block:
    `producer` in one thread of the first warpgroup, `consumer` in all threads of
    the others, which hold the register tiles. The threads of each role get the
    stated number of registers; 0 leaves the number as it is.

    There are `groups` consumer groups with equal numbers of threads, each with
    register tiles of its own.

    - (C1) `groups` is positive.

    ```mlir
    wgtile.roles producer 40 {
      ...
    } consumer 232 groups 2 {
      ...
    }
    ```
  }];
  let arguments = (ins I64Attr:$producer_registers, I64Attr:$consumer_registers,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$groups);
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumer);
  let assemblyFormat = [{
    `producer` $producer_registers $producer `consumer` $consumer_registers
    (`groups` $groups^)? $consumer attr-dict
  }];
}

def WGTile_RingOp : WGTile_Op<"ring", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Make a ring";
  let description = [{
    All stages of the ring are empty. A stage is empty again when each of
    `consumer_warps` warps has released it. `offset` and `barriers` are the offsets
    of its first tile and of its first barrier in the kernel's shared memory, in
    bytes (`wgtile-allocate-shared`): stages follow each other, then all full
    barriers, then all empty barriers.

    ```mlir
    %ring = wgtile.ring warps 8 : !wgtile.ring<4, [...]>
    ```
  }];
  let arguments = (ins I64Attr:$consumer_warps, OptionalAttr<I64Attr>:$offset,
                       OptionalAttr<I64Attr>:$barriers);
  let results = (outs WGTile_RingType:$ring);
  let assemblyFormat = [{
    `warps` $consumer_warps attr-dict `:` qualified(type($ring))
  }];
}

class WGTile_RingUse<string mnemonic, list<Trait> traits = []>
    : WGTile_Op<mnemonic, !listconcat(traits,
        [MemoryEffects<[MemRead, MemWrite]>,
         DeclareOpInterfaceMethods<WGTile_SyncOpInterface>])>;

def WGTile_ProducerAcquireOp : WGTile_RingUse<"producer_acquire"> {
  let summary = "Wait until the producer's stage is empty";
  let arguments = (ins WGTile_RingType:$ring);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def WGTile_TmaLoadOp : WGTile_RingUse<"tma_load"> {
  let summary = "Start a copy into the producer's stage";
  let description = [{
    Like `wgtile.load`, into tile `tile` of the acquired stage, or into instance
    `instance` of that tile.

    - (C1) One index for each dimension of the map's box; a tile of the ring, and
      one of its instances.

    ```mlir
    wgtile.tma_load %ring 1, %map[%k, %j] : !wgtile.ring<...>, !wgtile.tensor_map<...>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, I64Attr:$tile,
    DefaultValuedAttr<I64Attr, "0">:$instance, WGTile_TensorMapType:$source,
    Variadic<Index>:$indices);
  let assemblyFormat = [{
    $ring $tile (`instance` $instance^)? `,` $source `[` $indices `]` attr-dict
    `:` qualified(type($ring)) `,` qualified(type($source))
  }];
  let hasVerifier = 1;
}

def WGTile_ProducerCommitOp : WGTile_RingUse<"producer_commit"> {
  let summary = "Commit the producer's stage and continue with the next";
  let description = [{
    The stage is full when all copies into it have arrived.
  }];
  let arguments = (ins WGTile_RingType:$ring);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def WGTile_ConsumerWaitOp : WGTile_RingUse<"consumer_wait"> {
  let summary = "Wait until the consumer's stage is full and take it";
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
  let arguments = (ins WGTile_RingType:$ring);
}

def WGTile_RingTileOp : WGTile_Op<"ring_tile", [
    MemoryEffects<[MemRead]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "A tile of the stage that was taken last";
  let description = [{
    If the tile has several instances, the result is number `instance`.

    - (C1) A tile of the ring, and its type.
    - (C2) An instance if, and only if, the tile has more than one.

    ```mlir
    %a = wgtile.ring_tile %ring 0 instance %g : !wgtile.ring<...> -> !wgtile.shared<...>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, I64Attr:$tile,
                       Optional<Index>:$instance);
  let results = (outs WGTile_SharedType:$result);
  let assemblyFormat = [{
    $ring $tile (`instance` $instance^)? attr-dict `:` qualified(type($ring))
    `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def WGTile_ConsumerReleaseOp : WGTile_RingUse<"consumer_release"> {
  let summary = "Release the oldest stage";
  let description = [{
    Releases the oldest stage that was taken, unless at most `held` stages are
    held. All reads of the stage must be complete.

    ```mlir
    wgtile.consumer_release %ring held 1 : !wgtile.ring<...>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$held);
  let assemblyFormat = "$ring `held` $held attr-dict `:` qualified(type($ring))";
}

def WGTile_ConsumerDrainOp : WGTile_RingUse<"consumer_drain", [
    AllTypesMatch<["tile", "result"]>]> {
  let summary = "Wait for all MMAs and release all stages";
  let description = [{
    Does nothing if at most `held` stages are held. Otherwise waits for all
    asynchronous MMAs, of which `tile` is the newest result, and releases every
    held stage. Without this op, a consumer that passes over stages would hold the
    stage that its last MMA reads until the producer has no other stage to fill.

    ```mlir
    %t = wgtile.consumer_drain %ring, %d held 2 : !wgtile.ring<...>, tensor<64x128xf32>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, WGTile_RegisterTile:$tile,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$held);
  let results = (outs WGTile_RegisterTile:$result);
  let assemblyFormat = [{
    $ring `,` $tile `held` $held attr-dict `:` qualified(type($ring)) `,`
    type($tile)
  }];
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILERINGOPS_TD
