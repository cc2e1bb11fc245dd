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
    index is the fastest. Each point is one thread block's work; which block
    takes which point is decided below this level.

    - (C1) The body has one index argument for each count.

    ```mlir
    wgtile.for_each_tile (%i, %j) in (%rows, %columns) {
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$counts);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$counts)>];
}

def WGTile_EndOp : WGTile_Op<"end", [
    Pure, Terminator, HasParent<"ForEachTileOp">]> {
  let summary = "End of a tile's program";
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
    $source `[` $indices `]` attr-dict `:` type($source) `->` type($tile)
  }];
  let hasVerifier = 1;
}

def WGTile_MmaOp : WGTile_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Product of two tiles, added to a third";
  let description = [{
    result = acc + a @ b, with f32 accumulation. `a` and `b` are row-major
    tiles in shared memory.

    - (C1) a is MxK, b is KxN, acc is MxN.
    - (C2) a and b have one element type, f16 or bf16; acc is f32.

    ```mlir
    %d = wgtile.mma %a, %b, %acc
        : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16>
        -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins WGTile_SharedType:$a, WGTile_SharedType:$b,
                       WGTile_RegisterTile:$acc);
  let results = (outs WGTile_RegisterTile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `->` type($result)
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
    `->` type($tile)
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
    $source attr-dict `:` type($source) `->` type($map)
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

    - (C1) The kernel is a `gpu.func` of the named `gpu.module`, with the types
      of `args` as its arguments.

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
