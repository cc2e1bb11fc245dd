//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Rings of shared memory, and the roles that meet in them.

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILERINGOPS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILERINGOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"
include "sattn/Dialect/WGTile/IR/WGTileInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileTypes.td"

def WGTile_RolesOp : WGTile_Op<"roles", [
    SingleBlockImplicitTerminator<"EndOp">, NoRegionArguments,
    RecursiveMemoryEffects]> {
  let summary = "Programs of warp-specialized roles, in parallel";
  let description = [{
    Each role is a program that runs in its own `warps` of the CTA, which
    follow each other in the order of the roles. The threads of a role get the stated
    number of registers; 0 leaves the number as it is.

    A role with `consumer_groups` runs in all its threads, which hold register tiles:
    so many groups of equal numbers of threads, each with tiles of its own. The
    program of a role without them runs in one thread: it has no register tiles, and
    produces what others consume.

    - (C1) Every role has a name of its own, a positive number of warps and a number
      of consumer groups that divides it.
    - (C2) Whole warpgroups precede a role that has consumer groups in whole
      warpgroups.

    ```mlir
    wgtile.roles producer warps 4 registers 40 {
      ...
    }, consumer warps 8 registers 232 consumer_groups 2 {
      ...
    }
    ```
  }];
  let arguments = (ins StrArrayAttr:$names, DenseI64ArrayAttr:$warps,
                       DenseI64ArrayAttr:$registers,
                       DenseI64ArrayAttr:$consumer_groups);
  let regions = (region VariadicRegion<SizedRegion<1>>:$programs);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Warps of the roles before one.
    int64_t getFirstWarp(unsigned role);
    int64_t getAllWarps() { return getFirstWarp(getPrograms().size()); }
    /// Warps that hold register tiles, of the roles before one.
    int64_t getTileWarpsBefore(unsigned role);
    int64_t getTileWarps() { return getTileWarpsBefore(getPrograms().size()); }
    /// Whether a role's program runs in all its threads.
    bool holdsTiles(unsigned role) { return getConsumerGroups()[role] != 0; }
    /// Groups of consumers, at least one.
    int64_t getNumGroups(unsigned role) {
      return std::max<int64_t>(getConsumerGroups()[role], 1);
    }
    /// The innermost roles around an op and the number of the one that it is in;
    /// null if it is in none.
    static std::pair<RolesOp, unsigned> getRoleOf(::mlir::Operation *op);
  }];
}

def WGTile_RingOp : WGTile_Op<"ring", [
    MemoryEffects<[MemAlloc]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Allocate a ring of stages";
  let description = [{
    All stages of the ring are empty. Between roles a stage is empty again when each
    of `consumer_warps` warps has released it. Without `consumer_warps` the ring is
    one of a program without roles, or one of warpgroups for TMA. `offset` and `barriers` are the offsets of its
    first tile and of its first barrier in the kernel's shared memory, in bytes
    (`wgtile-allocate-shared`): stages follow each other, then all full barriers,
    then all empty barriers.

    A ring of warpgroups may be `in` another ring: its memory is that of a stage of
    `lender`, which its warpgroups hold meanwhile (`wgtile.stage_borrow`).

    - (C1) `lender` is a ring of shared tiles, not of warpgroups; the ring is one of
      warpgroups.
    - (C2) The ring fits into a stage of the lender.

    ```mlir
    %ring = wgtile.ring warps 8 : !wgtile.ring<4, [...]>
    %own = wgtile.ring : !wgtile.ring<4, [...]>
    %staging = wgtile.ring : !wgtile.ring<2, [...], warpgroups = 2>
    %borrowing = wgtile.ring in %ring of !wgtile.ring<4, [...]>
        : !wgtile.ring<2, [...], warpgroups = 2>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$consumer_warps,
                       OptionalAttr<I64Attr>:$offset,
                       OptionalAttr<I64Attr>:$barriers,
                       Optional<WGTile_RingType>:$lender);
  let results = (outs WGTile_RingType:$ring);
  let assemblyFormat = [{
    (`warps` $consumer_warps^)? (`in` $lender^ `of` qualified(type($lender)))?
    attr-dict `:` qualified(type($ring))
  }];
  let builders = [OpBuilder<(ins "RingType":$ring,
      "::mlir::IntegerAttr":$consumer_warps, "::mlir::IntegerAttr":$offset,
      "::mlir::IntegerAttr":$barriers), [{
    build($_builder, $_state, ring, consumer_warps, offset, barriers,
          /*lender=*/::mlir::Value());
  }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Why a ring of warpgroups could not be in a ring of this type; nothing if
    /// it could.
    static ::llvm::StringRef findLendingFault(RingType lender, RingType ring);
  }];
}

class WGTile_RingUse<string mnemonic, list<Trait> traits = []>
    : WGTile_Op<mnemonic, !listconcat(traits,
        [MemoryEffects<[MemRead, MemWrite]>,
         DeclareOpInterfaceMethods<WGTile_SyncOpInterface>])>;

def WGTile_NoStageOp : WGTile_Op<"no_stage", [
    Pure, DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "The token of no stage";
  let description = [{
    The first value of a token that a loop carries.

    ```mlir
    %none = wgtile.no_stage
    ```
  }];
  let results = (outs WGTile_TokenType:$token);
  let assemblyFormat = "attr-dict";
}

def WGTile_ProducerAcquireOp : WGTile_RingUse<"producer_acquire"> {
  let summary = "Wait until the producer's next stage is empty";
  let description = [{
    The result is that stage's token. Stages are acquired round-robin.
    `at` gives the stage and the phase of its barriers, which is 0 in the first round
    (`wgtile-assign-stages`).

    Without roles the op waits for nothing: a barrier must follow the last release of
    the stage. In a ring of warpgroups the thread of each warpgroup that starts
    stores waits until at most the newest of them, one fewer than the ring has
    stages, still read shared memory; a `wgtile.named_barrier` orders the others
    after these reads.

    - (C1) A stage and a phase, or neither.

    ```mlir
    %s = wgtile.producer_acquire %ring : !wgtile.ring<...>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, Variadic<I32>:$position);
  let results = (outs WGTile_TokenType:$token);
  let assemblyFormat = [{
    $ring (`at` $position^)? attr-dict `:` qualified(type($ring))
  }];
  let hasVerifier = 1;
}

def WGTile_TmaLoadOp : WGTile_RingUse<"tma_load"> {
  let summary = "Start a copy by TMA into an acquired stage";
  let description = [{
    In a role. Like `wgtile.load`, into tile `tile` of the stage, or into instance
    `instance` of that tile.

    - (C1) One index for each dimension of the map's box; a tile of the ring, and
      one of its instances.
    - (C2) The tile is packed if, and only if, the map is.

    ```mlir
    wgtile.tma_load %ring[%s] 1, %map[%k, %j] : !wgtile.ring<...>, !wgtile.tensor_map<...>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, WGTile_TokenType:$token,
    I64Attr:$tile, DefaultValuedAttr<I64Attr, "0">:$instance,
    WGTile_TensorMapType:$source, Variadic<Index>:$indices);
  let assemblyFormat = [{
    $ring `[` $token `]` $tile (`instance` $instance^)? `,`
    $source `[` $indices `]` attr-dict `:` qualified(type($ring)) `,`
    qualified(type($source))
  }];
  let hasVerifier = 1;
}

def WGTile_AsyncCopyOp : WGTile_RingUse<"async_copy"> {
  let summary = "Start a copy by all threads into an acquired stage";
  let description = [{
    Without roles. Like `wgtile.load` of a memref, into tile `tile` of the stage, but
    without a wait.

    - (C1) A tile of the ring that is not packed, of the source's element type. The
      source is strided.
    - (C2) One index for each dimension of the source, which has at least two.

    ```mlir
    wgtile.async_copy %ring[%s] 1, %b[%k, %j] aligned : !wgtile.ring<4, [...]>, memref<?x?xbf16>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, WGTile_TokenType:$token,
                       I64Attr:$tile, AnyMemRef:$source,
                       Variadic<Index>:$indices, UnitAttr:$aligned);
  let assemblyFormat = [{
    $ring `[` $token `]` $tile `,` $source `[` $indices `]`
    (`aligned` $aligned^)? attr-dict `:` qualified(type($ring)) `,` type($source)
  }];
  let hasVerifier = 1;
}

def WGTile_RingStoreOp : WGTile_RingUse<"ring_store"> {
  let summary = "Write a number or a register tile into an acquired stage";
  let description = [{
    `value` becomes tile `tile` of the stage.

    The producer's thread, or the first of all threads, writes a number. The
    consumers see it when they have taken the stage.

    In a ring of warpgroups each warpgroup writes its 64 rows of a register tile,
    with `transposed` as columns, to its instance of the tile. TMA sees them after a
    `wgtile.fence_proxy_async` of the writers and a `wgtile.named_barrier`.

    - (C1) A tile of the ring: a number for a number, a tile of warpgroups for a
      register tile.
    - (C2) A register tile's columns are the columns of the ring's tile, with
      `transposed` its rows, the element types are equal, of 16 or 32 bits; each of
      the tile's warps holds 16 rows, and four warps make a warpgroup.

    ```mlir
    wgtile.ring_store %next, %ring[%s] 0 : i32, !wgtile.ring<2, [i32]>
    wgtile.ring_store %tile, %staging[%s] 0
        : tensor<128x64xbf16, #wgtile.mma<warps = 8>>, !wgtile.ring<2, [...], warpgroups = 2>
    ```
  }];
  let arguments = (ins AnyTypeOf<[I32, WGTile_RegisterTile]>:$value,
                       WGTile_RingType:$ring, WGTile_TokenType:$token,
                       I64Attr:$tile, UnitAttr:$transposed);
  let assemblyFormat = [{
    $value `,` $ring `[` $token `]` $tile (`transposed` $transposed^)? attr-dict
    `:` type($value) `,` qualified(type($ring))
  }];
  let hasVerifier = 1;
}

def WGTile_TmaStoreOp : WGTile_RingUse<"tma_store"> {
  let summary = "Start a copy by TMA from an acquired stage";
  let description = [{
    One thread of each warpgroup starts the copy of the warpgroup's instance of tile
    `tile` to `dest`, a commit group of its own. The tile of `warpgroups` warpgroups
    starts at `indices`; each stores the 64 rows that it holds, with `transposed` the
    64 columns. Nothing is written outside the destination.

    - (C1) A tile of a ring of warpgroups; one index for each dimension of the map's
      box.
    - (C2) The box has the rows of the ring's tile and the columns of one row of its
      swizzle, and is 1 along all other dimensions.
    - (C3) `warpgroups` is positive.

    ```mlir
    wgtile.tma_store %staging[%s] 0, %map[%i, %j] warpgroups 2
        : !wgtile.ring<2, [...], warpgroups = 2>, !wgtile.tensor_map<64x64xbf16, swizzle = 128>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, WGTile_TokenType:$token,
                       I64Attr:$tile, WGTile_TensorMapType:$dest,
                       Variadic<Index>:$indices,
                       ConfinedAttr<I64Attr, [IntPositive]>:$warpgroups,
                       UnitAttr:$transposed);
  let assemblyFormat = [{
    $ring `[` $token `]` $tile `,` $dest `[` $indices `]`
    `warpgroups` $warpgroups (`transposed` $transposed^)? attr-dict `:`
    qualified(type($ring)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
}

def WGTile_ProducerCommitOp : WGTile_RingUse<"producer_commit"> {
  let summary = "Commit an acquired stage to the consumers";
  let description = [{
    The stage is full when all copies into it have arrived. Without roles these are a
    commit group; it may be empty, if nothing reads the stage. A stage of warpgroups
    is left to the copies that were started from it.

    ```mlir
    wgtile.producer_commit %ring[%s] : !wgtile.ring<...>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, WGTile_TokenType:$token);
  let assemblyFormat = "$ring `[` $token `]` attr-dict `:` qualified(type($ring))";
}

def WGTile_ConsumerWaitOp : WGTile_RingUse<"consumer_wait"> {
  let summary = "Wait until the consumer's next stage is full";
  let description = [{
    The result is that stage's token. Stages are taken round-robin, and may be
    released in any order.
    `at` gives the stage and the phase of its barriers, which is 0 in the first round
    (`wgtile-assign-stages`).

    Without roles each thread waits until at most the newest `pending` stages that it
    committed are still in flight, and then for all other threads. A ring of
    numbers has no `pending`.

    - (C1) A stage and a phase, or neither.

    ```mlir
    %s = wgtile.consumer_wait %ring at %stage, %phase : !wgtile.ring<...>
    %s = wgtile.consumer_wait %own pending 2 : !wgtile.ring<...>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$pending,
                       Variadic<I32>:$position);
  let results = (outs WGTile_TokenType:$token);
  let assemblyFormat = [{
    $ring (`pending` $pending^)? (`at` $position^)? attr-dict `:`
    qualified(type($ring))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$ring), [{
    build($_builder, $_state, ring, /*pending=*/::mlir::IntegerAttr(),
          /*position=*/::mlir::ValueRange());
  }]>];
  let hasVerifier = 1;
}

def WGTile_RingTileOp : WGTile_Op<"ring_tile", [
    MemoryEffects<[MemRead]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "A tile of a full stage";
  let description = [{
    If the tile has several instances, the result is number `instance`.

    - (C1) A tile of the ring, and its type.
    - (C2) An instance if, and only if, the tile has more than one.

    ```mlir
    %a = wgtile.ring_tile %ring[%s] 0 instance %g : !wgtile.ring<...> -> !wgtile.shared<...>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, WGTile_TokenType:$token,
                       I64Attr:$tile, Optional<Index>:$instance);
  let results = (outs WGTile_SharedType:$result);
  let assemblyFormat = [{
    $ring `[` $token `]` $tile (`instance` $instance^)? attr-dict `:`
    qualified(type($ring)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def WGTile_RingLoadOp : WGTile_RingUse<"ring_load"> {
  let summary = "Read a number of a full stage";
  let description = [{
    All threads of each warp have read tile `tile` of the stage, a number, when the op
    is complete.

    - (C1) A tile of the ring, which is a number.

    ```mlir
    %next = wgtile.ring_load %ring[%s] 0 : !wgtile.ring<2, [i32]>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, WGTile_TokenType:$token,
                       I64Attr:$tile);
  let results = (outs I32:$value);
  let assemblyFormat = [{
    $ring `[` $token `]` $tile attr-dict `:` qualified(type($ring))
  }];
  let hasVerifier = 1;
}

def WGTile_ConsumerReleaseOp : WGTile_RingUse<"consumer_release"> {
  let summary = "Release a stage to the producer";
  let description = [{
    All reads of the stage must be complete. With the token of no stage the op does
    nothing.

    ```mlir
    wgtile.consumer_release %ring[%s] : !wgtile.ring<...>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, WGTile_TokenType:$token);
  let assemblyFormat = "$ring `[` $token `]` attr-dict `:` qualified(type($ring))";
}

def WGTile_ConsumerDrainOp : WGTile_RingUse<"consumer_drain", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Wait for all MMAs and release a stage";
  let description = [{
    With the token of no stage the op does nothing. Otherwise it waits for all
    asynchronous MMAs, of which `tiles` are the newest results, and gives the stage
    back. Without this op, a consumer that passes over stages would hold the stage
    that its last MMA reads until the producer has no other stage to fill.

    ```mlir
    %t = wgtile.consumer_drain %ring[%s], %d : !wgtile.ring<...>, tensor<64x128xf32>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, WGTile_TokenType:$token,
                       Variadic<WGTile_RegisterTile>:$tiles);
  let results = (outs Variadic<WGTile_RegisterTile>:$results);
  let assemblyFormat = [{
    $ring `[` $token `]` `,` $tiles attr-dict `:` qualified(type($ring)) `,`
    type($tiles)
  }];
}

def WGTile_ProducerTailOp : WGTile_RingUse<"producer_tail"> {
  let summary = "Wait for all copies to or from a ring";
  let description = [{
    Without roles: every thread waits for all its copies, and then for all other
    threads. The ring's memory may then be used anew.

    In a ring of warpgroups the thread that starts copies waits until they have read
    shared memory, which must outlive them. The kernel's end waits for their writes.

    ```mlir
    wgtile.producer_tail %ring : !wgtile.ring<...>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def WGTile_StageBorrowOp : WGTile_RingUse<"stage_borrow"> {
  let summary = "Alias a ring with a stage of another ring";
  let description = [{
    The memory of the stage of `token` is that of the ring's stages until
    `wgtile.stage_return`. No tile of the stage is used: its producer commits it
    without copies when all consumers have given it back, so that no warpgroup waits
    for another.

    - (C1) The ring lies in another ring, and nothing else borrows for it.
    - (C2) The token is that of a `wgtile.consumer_wait` for a stage of the ring that
      it lies in, and no tile of the stage is used.

    ```mlir
    %s = wgtile.consumer_wait %ring : !wgtile.ring<4, [...]>
    wgtile.stage_borrow %staging from %s : !wgtile.ring<2, [...], warpgroups = 2>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, WGTile_TokenType:$token);
  let assemblyFormat = [{
    $ring `from` $token attr-dict `:` qualified(type($ring))
  }];
  let hasVerifier = 1;
}

def WGTile_StageReturnOp : WGTile_RingUse<"stage_return"> {
  let summary = "End the aliasing of a ring with a stage";
  let description = [{
    The thread that starts stores waits until all of them have read shared memory,
    and the warpgroup's threads meet. The stage that the ring has borrowed may then be
    given back to its producer.

    ```mlir
    wgtile.stage_return %staging : !wgtile.ring<2, [...], warpgroups = 2>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILERINGOPS_TD
