//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILEOPS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILEOPS_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileAttrs.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"
include "sattn/Dialect/WGTile/IR/WGTileTypes.td"

def WGTile_RegisterTile : RankedTensorOf<[AnyFloat, AnySignlessInteger]>;

def WGTile_ForEachTileOp : WGTile_Op<"for_each_tile", [
    SingleBlockImplicitTerminator<"EndOp">, RecursiveMemoryEffects]> {
  let summary = "The tiles of a kernel, in any order";
  let description = [{
    Runs its body once for each point of the index space [0, counts); the last
    index is the fastest. Each point is one thread block's work: block b takes
    point b. With `persistent`, which `wgtile-persist` sets, block b of g takes
    points b, b + g, b + 2 g, ... of an order in which `persistent` columns of
    the last index are walked together, row after row, so that what is in flight
    at one time shares rows and columns.

    - (C1) The body has one index argument for each count.
    - (C2) `persistent` is positive, and there are at least two counts.

    ```mlir
    wgtile.for_each_tile (%i, %j) in (%rows, %columns) {
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$counts,
                       OptionalAttr<I64Attr>:$persistent);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$counts)>];
}

def WGTile_EndOp : WGTile_Op<"end", [
    Pure, Terminator, ParentOneOf<["ForEachTileOp", "RolesOp"]>]> {
  let summary = "End of a tile's or a role's program";
  let assemblyFormat = "attr-dict";
}

def WGTile_LoadOp : WGTile_Op<"load"> {
  let summary = "Copy a tile from global to shared memory";
  let description = [{
    Copies the tile whose first element is at `indices` of `source`, a memref or
    a tensor map. The tile's two dimensions are the last two of the source; all
    others have one index. What lies outside the source is filled with zeros.

    `offset` and `barrier` are the tile's and its barrier's places in the
    kernel's shared memory, in bytes; `wgtile-allocate-shared` sets them.

    - (C1) One index for each dimension of the source, which has at least two.
    - (C2) The element types of source and tile are equal.
    - (C3) The source's innermost stride, where it is known, is 1.
    - (C4) `offset` and `barrier` come together.

    ```mlir
    %a = wgtile.load %values[%p, %c0, %c0]
        : memref<?x64x64xbf16, strided<[?, ?, ?], offset: ?>>
        -> !wgtile.shared<64x64xbf16>
    ```
  }];
  let arguments = (ins
    Arg<AnyTypeOf<[AnyMemRef, WGTile_TensorMapType]>, "", [MemRead]>:$source,
    Variadic<Index>:$indices, OptionalAttr<I64Attr>:$offset,
    OptionalAttr<I64Attr>:$barrier);
  let results = (outs WGTile_SharedType:$tile);
  let assemblyFormat = [{
    $source `[` $indices `]` attr-dict `:` type($source) `->` qualified(type($tile))
  }];
  let hasVerifier = 1;
}

def WGTile_MmaOp : WGTile_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Product of two tiles, added to a third";
  let description = [{
    result = acc + a @ b, with f32 accumulation. `a` and `b` are row-major
    tiles in shared memory. With `async`, which `wgtile-place-waits` sets, the
    product is only issued: its tiles must stay as they are, and its result may
    be used as the accumulator of another product alone, until a
    `wgtile.wait_mma`.

    - (C1) a is MxK, b is KxN, acc is MxN.
    - (C2) a and b have one element type, f16 or bf16; acc is f32.

    ```mlir
    %d = wgtile.mma %a, %b, %acc
        : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16>
        -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins WGTile_SharedType:$a, WGTile_SharedType:$b,
                       WGTile_RegisterTile:$acc, UnitAttr:$async);
  let results = (outs WGTile_RegisterTile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`async` $async^)? attr-dict `:` qualified(type($a)) `,`
    qualified(type($b)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def WGTile_ReadOp : WGTile_Op<"read"> {
  let summary = "Read a tile or a vector from global memory into registers";
  let description = [{
    Reads the elements from `indices` on, along the last dimensions of `source`
    (one or two, as many as the result has). Along a dimension whose `in_bounds`
    is false, elements past the end of the source are zero and are not accessed.

    - (C1) One index for each dimension of the source.
    - (C2) The element types of source and result are equal.
    - (C3) The result has rank 1 or 2 and at most the source's rank, and static
      sizes; one `in_bounds` for each of its dimensions.

    ```mlir
    %c = wgtile.read %out[%i, %j] in_bounds [true, false]
        : memref<?x?xbf16> -> tensor<64x128xbf16>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       Variadic<Index>:$indices,
                       DenseBoolArrayAttr:$in_bounds);
  let results = (outs WGTile_RegisterTile:$tile);
  let assemblyFormat = [{
    $source `[` $indices `]` `in_bounds` $in_bounds attr-dict `:` type($source)
    `->` qualified(type($tile))
  }];
  let hasVerifier = 1;
}

def WGTile_StoreOp : WGTile_Op<"store"> {
  let summary = "Write a tile from registers to global memory";
  let description = [{
    Writes the tile from `indices` on, along the last two dimensions of `dest`.
    Along a dimension whose `in_bounds` is false, elements past the end of the
    destination are not written.

    - (C1) One index for each dimension of the destination.
    - (C2) The element types of tile and destination are equal.
    - (C3) The tile has rank 2, at most the destination's, and static sizes; one
      `in_bounds` for each of its dimensions.

    ```mlir
    wgtile.store %tile, %out[%i, %j] in_bounds [true, false]
        : tensor<64x128xbf16>, memref<?x?xbf16>
    ```
  }];
  let arguments = (ins WGTile_RegisterTile:$tile,
                       Arg<AnyMemRef, "", [MemWrite]>:$dest,
                       Variadic<Index>:$indices,
                       DenseBoolArrayAttr:$in_bounds);
  let assemblyFormat = [{
    $tile `,` $dest `[` $indices `]` `in_bounds` $in_bounds attr-dict `:`
    type($tile) `,` type($dest)
  }];
  let hasVerifier = 1;
}

def WGTile_BroadcastOp : WGTile_Op<"broadcast", [Pure]> {
  let summary = "Repeat a vector along the other dimension of a tile";
  let description = [{
    result[i, j] = source[i] where `dimension` is 0, source[j] where it is 1.

    - (C1) The source has the size of the result's `dimension`, which is 0 or 1,
      and the result's element type.

    ```mlir
    %t = wgtile.broadcast %v dimension 1 : tensor<128xf32> -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins WGTile_RegisterTile:$source, I64Attr:$dimension);
  let results = (outs WGTile_RegisterTile:$result);
  let assemblyFormat = [{
    $source `dimension` $dimension attr-dict `:` type($source) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def WGTile_ExtractColumnsOp : WGTile_Op<"extract_columns", [Pure]> {
  let summary = "Some columns of a register tile";
  let description = [{
    The columns of a tile, or the elements of a column vector, from `offset` on.
    Both are multiples of 8 columns, so that every thread has its own already.

    - (C1) Source and result have the same rank, 1 or 2, rows and element type;
      the columns lie inside the source, and both ends are multiples of 8.

    ```mlir
    %c = wgtile.extract_columns %t from 32 : tensor<64x128xf32> -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins WGTile_RegisterTile:$source, I64Attr:$offset);
  let results = (outs WGTile_RegisterTile:$result);
  let assemblyFormat = [{
    $source `from` $offset attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def WGTile_WaitMmaOp : WGTile_Op<"wait_mma", [
    MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["tile", "result"]>]> {
  let summary = "Wait for asynchronous products";
  let description = [{
    Waits until at most `pending` of the asynchronous products issued before are
    still running. `tile` is the result of the newest one; the op's result is
    the same tile, complete where `pending` is 0.

    ```mlir
    %done = wgtile.wait_mma %d pending 0 : tensor<64x128xf32>
    ```
  }];
  let arguments = (ins WGTile_RegisterTile:$tile,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let results = (outs WGTile_RegisterTile:$result);
  let assemblyFormat = "$tile `pending` $pending attr-dict `:` type($tile)";
}

def WGTile_RolesOp : WGTile_Op<"roles", [
    SingleBlockImplicitTerminator<"EndOp">, NoRegionArguments,
    RecursiveMemoryEffects]> {
  let summary = "A producer and consumers, side by side";
  let description = [{
    Two programs that run at the same time in different warps of a thread block:
    `producer` in one thread of the first warpgroup, `consumer` in all threads of
    the others, which hold the register tiles. The warps of each role are given
    the stated number of registers a thread; 0 leaves them as they are.

    ```mlir
    wgtile.roles producer 40 {
      ...
    } consumer 232 {
      ...
    }
    ```
  }];
  let arguments = (ins I64Attr:$producer_registers, I64Attr:$consumer_registers);
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumer);
  let assemblyFormat = [{
    `producer` $producer_registers $producer `consumer` $consumer_registers
    $consumer attr-dict
  }];
}

def WGTile_RingOp : WGTile_Op<"ring", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Make a ring";
  let description = [{
    A ring, all stages empty. A stage is empty again when each of `consumer_warps`
    warps has released it. `offset` and `barriers` are the places of its first
    tile and of its first barrier in the kernel's shared memory, in bytes
    (`wgtile-allocate-shared`): stages follow each other, then all full barriers,
    then all empty ones.

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
        [MemoryEffects<[MemRead, MemWrite]>])>;

def WGTile_RingAcquireOp : WGTile_RingUse<"ring_acquire"> {
  let summary = "Wait until the producer's stage is empty";
  let arguments = (ins WGTile_RingType:$ring);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def WGTile_RingCopyOp : WGTile_RingUse<"ring_copy"> {
  let summary = "Start a copy into the producer's stage";
  let description = [{
    As `wgtile.load`, into tile `tile` of the stage that was acquired.

    - (C1) One index for each dimension of the map's box; a tile of the ring.

    ```mlir
    wgtile.ring_copy %ring 1, %map[%k, %j] : !wgtile.ring<...>, !wgtile.tensor_map<...>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring, I64Attr:$tile,
                       WGTile_TensorMapType:$source, Variadic<Index>:$indices);
  let assemblyFormat = [{
    $ring $tile `,` $source `[` $indices `]` attr-dict `:`
    qualified(type($ring)) `,` qualified(type($source))
  }];
  let hasVerifier = 1;
}

def WGTile_RingCommitOp : WGTile_RingUse<"ring_commit"> {
  let summary = "End the producer's stage and go on to the next";
  let description = [{
    The stage is full when all copies into it have arrived.
  }];
  let arguments = (ins WGTile_RingType:$ring);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def WGTile_RingTakeOp : WGTile_RingUse<"ring_take"> {
  let summary = "Wait until the consumer's stage is full and take its tiles";
  let description = [{
    - (C1) The results have the types of the ring's tiles.

    ```mlir
    %a, %b = wgtile.ring_take %ring : !wgtile.ring<...> -> !wgtile.shared<...>,
        !wgtile.shared<...>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring);
  let results = (outs Variadic<WGTile_SharedType>:$tiles);
  let assemblyFormat = [{
    $ring attr-dict `:` qualified(type($ring)) `->` qualified(type($tiles))
  }];
  let hasVerifier = 1;
}

def WGTile_RingReleaseOp : WGTile_RingUse<"ring_release"> {
  let summary = "Give back the oldest stage";
  let description = [{
    Gives back the oldest stage that was taken, unless at most `held` are. What
    was read of it must be complete.

    ```mlir
    wgtile.ring_release %ring held 1 : !wgtile.ring<...>
    ```
  }];
  let arguments = (ins WGTile_RingType:$ring,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$held);
  let assemblyFormat = "$ring `held` $held attr-dict `:` qualified(type($ring))";
}

def WGTile_MultiprocessorsOp : WGTile_Op<"multiprocessors", [Pure]> {
  let summary = "Number of multiprocessors of the device";
  let description = [{
    Host code.

    ```mlir
    %n = wgtile.multiprocessors
    ```
  }];
  let results = (outs Index:$count);
  let assemblyFormat = "attr-dict";
}

def WGTile_TensorMapOp : WGTile_Op<"tensor_map", [Pure]> {
  let summary = "Tensor map of a global tensor, encoded by the host";
  let description = [{
    Host code. The whole of `source` is described; copies by the map fill with
    zeros what lies outside. The runtime refuses bases and strides that the copy
    engine cannot take.

    - (C1) The box has the source's rank, at most 5, and its element type.

    ```mlir
    %map = wgtile.tensor_map %b : memref<?x?xbf16>
        -> !wgtile.tensor_map<64x64xbf16, swizzle = 128>
    ```
  }];
  let arguments = (ins AnyMemRef:$source);
  let results = (outs WGTile_TensorMapType:$map);
  let assemblyFormat = [{
    $source attr-dict `:` type($source) `->` qualified(type($map))
  }];
  let hasVerifier = 1;
}

def WGTile_LaunchOp : WGTile_Op<"launch", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Launch a kernel";
  let description = [{
    Host code. Launches `grid` thread blocks of `kernel`, none where it is 0.
    Threads and shared memory are attributes of the kernel.

    - (C1) The kernel is a kernel of the named `gpu.module` (or, once compiled,
      the module a `gpu.binary`), with the types of `args` as its arguments until
      its signature is lowered.

    ```mlir
    wgtile.launch @kernels::@bsr_addmm grid(%n) args(%map, %out)
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128>, memref<?x?xbf16>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Index:$grid,
                       Variadic<AnyType>:$args);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid `)` `args` `(` $args `)` attr-dict `:` type($args)
  }];
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILEOPS_TD
