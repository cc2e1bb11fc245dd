//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILEOPS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILEOPS_TD

include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileAttrs.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"
include "sattn/Dialect/WGTile/IR/WGTileInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileTypes.td"

def WGTile_RegisterTile : RankedTensorOf<[AnyFloat, AnySignlessInteger]>;

def WGTile_LoadOp : WGTile_Op<"load", [
    MemoryEffects<[MemWrite<WGTile_BarrierResource>]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Copy a tile from global to shared memory";
  let description = [{
    Copies the tile whose first element is at `indices` of `source`, a memref or
    a tensor map. The tile's two dimensions are the last two of the source; all
    others have one index. Elements outside the source are zero.

    All threads of the block meet before the copy, and none continues before the
    tile has arrived.

    The threads of the block read a memref themselves: with `aligned`, which
    `wgtile-version-kernels` sets, 16 bytes at a time, at addresses that are
    multiples of 16; otherwise element by element, at any strides. TMA reads a
    tensor map.

    `offset` is the offset of the tile in the kernel's shared memory, in bytes, and
    `barrier`, for TMA, the offset of its barrier; `wgtile-allocate-shared` sets
    them.

    - (C1) One index for each dimension of the source, which has at least two.
    - (C2) The element types of source and tile are equal.
    - (C3) With `aligned` the source is a memref, and its innermost stride, if
      known, is 1.
    - (C4) `barrier` comes with `offset`.
    - (C5) The tile is packed if, and only if, the tensor map is.

    ```mlir
    %a = wgtile.load %values[%p, %c0, %c0]
        : memref<?x64x64xbf16, strided<[?, ?, ?], offset: ?>>
        -> !wgtile.shared<64x64xbf16>
    ```
  }];
  let arguments = (ins
    Arg<AnyTypeOf<[AnyMemRef, WGTile_TensorMapType]>, "", [MemRead]>:$source,
    Variadic<Index>:$indices, OptionalAttr<I64Attr>:$offset,
    OptionalAttr<I64Attr>:$barrier, UnitAttr:$aligned);
  let results = (outs WGTile_SharedType:$tile);
  let assemblyFormat = [{
    $source `[` $indices `]` (`aligned` $aligned^)? attr-dict `:` type($source) `->` qualified(type($tile))
  }];
  let hasVerifier = 1;
}

class WGTile_MmaBase<string mnemonic>
    : WGTile_Op<mnemonic, [
        AllTypesMatch<["acc", "result"]>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<WGTile_MmaOpInterface>,
        DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let results = (outs WGTile_RegisterTile:$result);
}

def WGTile_MmaOp : WGTile_MmaBase<"mma"> {
  let summary = "Product of two tiles, added to a third";
  let description = [{
    result = acc + a @ b, accumulated in f32; of integers in i32, modulo 2^32. `b` is
    a row-major tile in shared memory; `a` is one too, or a register tile. With
    `transpose_a` the tile in shared memory is the transpose of a, with `transpose_b`
    that of b: its rows are the operand's
    columns. Elements of f32 are rounded to tf32 before they are multiplied: by
    `mma.sync` to nearest with ties away from zero, by `wgmma` toward zero. With
    `ieee` they are multiplied as they are, each product added by one fused
    multiply-add of the thread that holds the sum, in the layout of `mma.sync`.

    With `rows` = r, rows of b from r on are zero, whatever the tile holds: before
    the product each warp clears them in shared memory, if there are any. The tile
    may be read again, but then with the same number of rows.

    The MMA is `wgmma`, an instruction of a warpgroup, or, with `mma_sync`,
    `mma.sync`, an instruction of a warp; `wgtile-assign-layouts` chooses. The op
    ends when the product is complete.

    - (C1) a is MxK (KxM with `transpose_a`), b is KxN (NxK with `transpose_b`), acc is
      MxN.
    - (C2) a and b have one element type, f16, bf16, f32 or i8, or each one of
      f8E4M3FN and f8E5M2; acc is f32, or i32 of i8. A register tile a is f16 or bf16,
      or f32 beside a tile b that is not transposed.
    - (C3) A tile b of 8-bit elements is transposed: instructions take K-major ones.
    - (C4) `ieee` comes with elements of f32.
    - (C5) `rows` comes with a tile b that is neither transposed nor packed.
    - (C6) `transpose_a` comes with a tile a of f16 or bf16 in shared memory that is
      not packed.

    ```mlir
    %d = wgtile.mma %a, %b, %acc
        : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16>
        -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[WGTile_SharedType, WGTile_RegisterTile]>:$a,
                       WGTile_SharedType:$b, WGTile_RegisterTile:$acc,
                       Optional<Index>:$rows,
                       UnitAttr:$mma_sync, UnitAttr:$ieee,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`rows` $rows^)? (`mma_sync` $mma_sync^)? (`ieee` $ieee^)?
    (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)? attr-dict `:`
    qualified(type($a)) `,` qualified(type($b)) `->` type($result)
  }];
}

def WGTile_MmaAsyncOp : WGTile_MmaBase<"mma_async"> {
  let summary = "Issue a product of two tiles";
  let description = [{
    `wgtile.mma` by `wgmma` that is only issued; `wgtile-place-waits` makes it of one.
    Until a `wgtile.warpgroup_mma_wait` its tiles must not change, and its result may
    only be the accumulator of another MMA. A register tile a may only be the left
    operand of other MMAs until then, and must pass through the wait, which keeps its
    registers. The op has an effect on asynchronous work: no pass moves it over a
    wait, erases it or merges two.

    - (C1), (C2), (C3), (C5), (C6) as of `wgtile.mma`.

    ```mlir
    %d = wgtile.mma_async %a, %b, %acc
        : !wgtile.shared<64x64xbf16>, !wgtile.shared<64x128xbf16>
        -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[WGTile_SharedType, WGTile_RegisterTile]>:$a,
                       WGTile_SharedType:$b, WGTile_RegisterTile:$acc,
                       Optional<Index>:$rows, UnitAttr:$transpose_a,
                       UnitAttr:$transpose_b);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`rows` $rows^)? (`transpose_a` $transpose_a^)?
    (`transpose_b` $transpose_b^)? attr-dict `:`
    qualified(type($a)) `,` qualified(type($b)) `->` type($result)
  }];
}

def WGTile_ReadOp : WGTile_Op<"read"> {
  let summary = "Read a tile or a vector from global memory into registers";
  let description = [{
    Reads the elements from `indices` on, along the last dimensions of `source`
    (one or two, as many as the result has). Along a dimension whose `in_bounds`
    is false, elements past the end of the source are `padding`, by default zero,
    and are not accessed.

    With `transposed`, element (i, j) of the tile is at row j and column i of the
    source, from `indices` on.

    With `aligned`, rows of the source have no gaps and start at multiples of 16
    bytes, and so does the tile: the runs of columns that a thread has are read at
    once, up to 16 bytes.

    - (C1) One index for each dimension of the source.
    - (C2) The element types of source and result are equal, integers or floats
      of up to 64 bits. The source is strided.
    - (C3) The result has rank 1 or 2 and at most the source's rank, and static
      sizes from 1 to 65536; one `in_bounds` for each of its dimensions.
    - (C4) With `transposed` the result has rank 2.
    - (C5) `padding` has the type of an element.

    ```mlir
    %c = wgtile.read %out[%i, %j] in_bounds [true, false]
        : memref<?x?xbf16> -> tensor<64x128xbf16>
    %d = wgtile.read %out[%i, %j] in_bounds [true, false] padding 0xFF80 : bf16
        : memref<?x?xbf16> -> tensor<64x128xbf16>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       Variadic<Index>:$indices,
                       DenseBoolArrayAttr:$in_bounds, UnitAttr:$aligned,
                       UnitAttr:$transposed,
                       OptionalAttr<TypedAttrInterface>:$padding);
  let results = (outs WGTile_RegisterTile:$tile);
  let assemblyFormat = [{
    $source `[` $indices `]` `in_bounds` $in_bounds (`aligned` $aligned^)?
    (`transposed` $transposed^)? (`padding` $padding^)?
    attr-dict `:` type($source) `->` qualified(type($tile))
  }];
  let extraClassDeclaration = [{
    /// Number of the index that runs along the columns of a tile.
    unsigned getColumnIndex() {
      return getIndices().size() - (getTransposed() ? 2 : 1);
    }
    /// The value of elements past the end of the source.
    ::mlir::TypedAttr getPaddingOrZero();
  }];
  let hasVerifier = 1;
}

def WGTile_ReadLanesOp : WGTile_Op<"read_lanes"> {
  let summary = "Read a column vector, each element by one lane of a warp";
  let description = [{
    Reads the `size` elements from `indices` on, along the last dimension of
    `source`, once in each warp: lane l reads element
    8 (l % 8 / 2) + 2 (l / 8) + l % 2 of each 32, which are its parts of the vector
    (`wgtile.spread_lanes`). Until then the vector takes a register for 32 columns,
    not one for each column that the lane needs. Of a bit of each lane, which a warp
    has in one word, a lane's own columns are then one byte (`wgtile.lane_bits`).

    If `in_bounds` is false, elements before the beginning and past the end of the
    source are `padding`, by default zero, and are not accessed.

    - (C1) One index for each dimension of the source, whose elements have 32 bits and
      are next to each other.
    - (C2) `size` is from 1 to 65536, with two parts for each 64 elements.
    - (C3) `padding` has the type of an element.

    ```mlir
    %parts:4 = wgtile.read_lanes %x[%i] size 128 in_bounds false : memref<?xi32>
        -> i32, i32, i32, i32
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       Variadic<Index>:$indices, I64Attr:$size,
                       BoolAttr:$in_bounds,
                       OptionalAttr<TypedAttrInterface>:$padding);
  let results = (outs Variadic<I32>:$parts);
  let assemblyFormat = [{
    $source `[` $indices `]` `size` $size `in_bounds` $in_bounds
    (`padding` $padding^)? attr-dict `:` type($source) `->` type($parts)
  }];
  let extraClassDeclaration = [{
    /// Elements of which a lane has two.
    static constexpr int64_t kGroup = 64;
    /// Elements of which a lane has one.
    static constexpr int64_t kPart = 32;
    /// Parts of a lane.
    static int64_t countParts(int64_t size) {
      return 2 * ((size + kGroup - 1) / kGroup);
    }
  }];
  let hasVerifier = 1;
}

def WGTile_SpreadLanesOp : WGTile_Op<"spread_lanes", [Pure]> {
  let summary = "Gather a column vector from the lanes that hold it";
  let description = [{
    Makes the vector whose parts `wgtile.read_lanes` read: each lane gets the elements
    that it needs from the lanes that hold them, by shuffles.

    - (C1) The result has one element of 32 bits for each column of a tile that warps
      divide along its rows alone, in runs of 2.
    - (C2) Two parts for each 64 columns.

    ```mlir
    %v = wgtile.spread_lanes %parts#0, %parts#1 : i32, i32
        -> tensor<64xi32, #wgtile.slice<dim = 0, parent = #wgtile.mma<warps = 4>>>
    ```
  }];
  let arguments = (ins Variadic<I32>:$parts);
  let results = (outs WGTile_RegisterTile:$tile);
  let extraClassDeclaration = [{
    /// Whether a vector can be made of parts.
    static bool canMake(::mlir::RankedTensorType type);
  }];
  let hasVerifier = 1;
  let assemblyFormat = [{
    $parts attr-dict `:` type($parts) `->` qualified(type($tile))
  }];
}

def WGTile_LaneBitsOp : WGTile_Op<"lane_bits", [Pure]> {
  let summary = "Column mask bits computed from lane-distributed values";
  let description = [{
    Takes one bit for each part of `wgtile.read_lanes`, in each lane, and gives each
    lane a word with the bits of its own columns, in a tile that warps divide along its
    rows alone, in runs of 2: bit b of lane l is that of column
    8 (b / 2) + 2 (l % 4) + b % 2. It costs one vote for 32 columns, where shuffling and
    comparing the values would cost two instructions for each.

    - (C1) Two or four parts.

    ```mlir
    %bits = wgtile.lane_bits %p#0, %p#1, %p#2, %p#3
    ```
  }];
  let arguments = (ins Variadic<I1>:$parts);
  let results = (outs I32:$bits);
  let assemblyFormat = "$parts attr-dict";
  let hasVerifier = 1;
}

def WGTile_BitsBelowOp : WGTile_Op<"bits_below", [
    Pure, AllTypesMatch<["bounds", "words"]>]> {
  let summary = "Column mask bits below a bound for each row";
  let description = [{
    A word for each row, in each lane that has columns of it: bit b is whether the
    lane's b-th column, as in `wgtile.lane_bits`, is less than the row's bound. The
    words are a vector of rows of which each lane has a part of its own.

    - (C1) The bounds are i32, of the rows of a tile that warps divide along its
      rows alone, in runs of 2.

    ```mlir
    %w = wgtile.bits_below %bounds
        : tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
    ```
  }];
  let arguments = (ins WGTile_RegisterTile:$bounds);
  let results = (outs WGTile_RegisterTile:$words);
  let assemblyFormat = "$bounds attr-dict `:` qualified(type($bounds))";
  let hasVerifier = 1;
}

def WGTile_TestBitsOp : WGTile_Op<"test_bits", [Pure]> {
  let summary = "Expand the words of each row to a tile of i1";
  let description = [{
    result[i, j] is the bit of column j in the word that the lane of element (i, j)
    has for row i (`wgtile.bits_below`).

    - (C1) One word for each row of the result, whose layout divides among warps its
      rows alone, in runs of 2.
    - (C2) The result has at most 128 columns, 32 for each lane of a row.

    ```mlir
    %t = wgtile.test_bits %w
        : tensor<64xi32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
          -> tensor<64x128xi1, #wgtile.mma<warps = 4>>
    ```
  }];
  let arguments = (ins WGTile_RegisterTile:$words);
  let results = (outs WGTile_RegisterTile:$tile);
  let assemblyFormat = [{
    $words attr-dict `:` qualified(type($words)) `->` qualified(type($tile))
  }];
  let extraClassDeclaration = [{
    /// Whether the elements of a tile can be bits of words.
    static bool canMake(::mlir::RankedTensorType type);
  }];
  let hasVerifier = 1;
}

def WGTile_GatherOp : WGTile_Op<"gather"> {
  let summary = "Read elements of global memory at indices that are tiles";
  let description = [{
    result[i, j] = source[indices[0][i, j], ...], or of a vector result[i] =
    source[indices[0][i], ...]. Each element is a load of its own.

    - (C1) One tile of indices, of i64, for each dimension of the source, in bounds.
    - (C2) The tiles have one shape; the result has the source's element type, an
      integer or a float.

    ```mlir
    %t = wgtile.gather %table[%at : tensor<64x128xi64>]
        : memref<?xf32> -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       Variadic<WGTile_RegisterTile>:$indices);
  let results = (outs WGTile_RegisterTile:$result);
  let assemblyFormat = [{
    $source `[` $indices `:` type($indices) `]` attr-dict `:` type($source) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def WGTile_ScatterOp : WGTile_Op<"scatter"> {
  let summary = "Write elements of a tile to global memory at indices that are tiles";
  let description = [{
    dest[indices[0][i, j], ...] = tile[i, j] where mask[i, j] is true; of a vector
    dest[indices[0][i], ...] = tile[i] where mask[i] is. Each element is a store of its
    own; no two that are stored have the same place.

    - (C1) One tile of indices, of i64, for each dimension of the destination, in
      bounds where the mask is true.
    - (C2) The tiles have one shape; the tile has the destination's element type, and
      the mask elements of i1.

    ```mlir
    wgtile.scatter %t, %list[%at : tensor<16x16xi64>] mask %m
        : tensor<16x16xi32>, tensor<16x16xi1>, memref<?xi32>
    ```
  }];
  let arguments = (ins WGTile_RegisterTile:$tile,
                       Arg<AnyMemRef, "", [MemWrite]>:$dest,
                       Variadic<WGTile_RegisterTile>:$indices,
                       WGTile_RegisterTile:$mask);
  let assemblyFormat = [{
    $tile `,` $dest `[` $indices `:` type($indices) `]` `mask` $mask attr-dict `:`
    type($tile) `,` type($mask) `,` type($dest)
  }];
  let hasVerifier = 1;
}

def WGTile_StoreOp : WGTile_Op<"store"> {
  let summary = "Write a tile or a vector from registers to global memory";
  let description = [{
    Writes the elements from `indices` on, along the last dimensions of `dest`
    (one or two, as many as the tile has). Along a dimension whose `in_bounds` is
    false, elements past the end of the destination are not written.

    With `transposed`, element (i, j) of the tile goes to row j and column i of
    the destination, from `indices` on.

    With `aligned`, rows of the destination have no gaps and start at multiples of
    16 bytes, and so does the tile: the runs of columns that a thread has are written
    at once, up to 16 bytes.

    - (C1) One index for each dimension of the destination.
    - (C2) The element types of tile and destination are equal, integers or
      floats of up to 64 bits. The destination is strided.
    - (C3) The tile has rank 1 or 2 and at most the destination's rank, and static
      sizes from 1 to 65536; one `in_bounds` for each of its dimensions.
    - (C4) With `transposed` the tile has rank 2.

    ```mlir
    wgtile.store %tile, %out[%i, %j] in_bounds [true, false]
        : tensor<64x128xbf16>, memref<?x?xbf16>
    ```
  }];
  let arguments = (ins WGTile_RegisterTile:$tile,
                       Arg<AnyMemRef, "", [MemWrite]>:$dest,
                       Variadic<Index>:$indices,
                       DenseBoolArrayAttr:$in_bounds, UnitAttr:$aligned,
                       UnitAttr:$transposed);
  let assemblyFormat = [{
    $tile `,` $dest `[` $indices `]` `in_bounds` $in_bounds (`aligned` $aligned^)?
    (`transposed` $transposed^)?
    attr-dict `:` type($tile) `,` type($dest)
  }];
  let extraClassDeclaration = [{
    /// Number of the index that runs along the columns of a tile.
    unsigned getColumnIndex() {
      return getIndices().size() - (getTransposed() ? 2 : 1);
    }
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

def WGTile_StepOp : WGTile_Op<"step", [Pure]> {
  let summary = "The indices 0, 1, 2, ... along the rows or columns of a tile";
  let description = [{
    result[i] = i. The use decides whether the vector runs along rows or columns
    (`wgtile-assign-layouts`).

    - (C1) The result is a vector of i32 or f32.

    ```mlir
    %v = wgtile.step : tensor<128xi32>
    ```
  }];
  let results = (outs WGTile_RegisterTile:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def WGTile_RampOp : WGTile_Op<"ramp", [
    Pure, AttrSizedOperandSegments, OptionalTypesMatchWith<
      "the tile has the result's type", "result", "tile", "$_self">,
    OptionalTypesMatchWith<
      "the factor has the slope's type", "slope", "factor", "$_self">]> {
  let summary = "A row vector plus multiples of the column index";
  let description = [{
    result[i, j] = start[i] + slope * j, or, with a tile,
    factor * tile[i, j] + start[i] + slope * j. A thread adds `slope` times its
    first column to each row's start, once. An element is then one FMA of the tile,
    and one of a constant; they come in this order, so that they cannot be computed
    before the tile is there, and held in registers until then. In f32 the result is
    rounded as that order gives it. With `nsw`, of i32, no start and no element is
    beyond 32 bits at any of the tile's columns; otherwise i32 wraps.

    - (C1) `start` has one element for each row of the result, i32 or f32, which is
      the type of `slope`, of `factor` and of the result's elements; `tile` has the
      result's type.
    - (C2) `nsw` is of i32 without a tile.

    ```mlir
    %t = wgtile.ramp %start, %slope : tensor<64xf32>, f32 -> tensor<64x128xf32>
    %u = wgtile.ramp %start, %slope plus %tile times %factor
        : tensor<64xf32>, f32 -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins WGTile_RegisterTile:$start, AnyType:$slope,
                       Optional<WGTile_RegisterTile>:$tile,
                       Optional<AnyType>:$factor, UnitAttr:$nsw);
  let results = (outs WGTile_RegisterTile:$result);
  let assemblyFormat = [{
    $start `,` $slope (`plus` $tile^ `times` $factor)? (`nsw` $nsw^)? attr-dict `:`
    type($start) `,` type($slope) `->` type($result)
  }];
  let hasVerifier = 1;
}

def WGTile_RowReduceOp : WGTile_Op<"row_reduce", [Pure]> {
  let summary = "Reduce every row of a register tile to one value";
  let description = [{
    result[i] = tile[i, 0] `kind` tile[i, 1] `kind` ..., in an order that is not
    specified.

    With `partial`, which `wgtile-defer-reductions` sets, each thread reduces the
    elements that it holds itself: the threads that share a row hold different
    values of one element of the result, until a `wgtile.row_combine`.

    - (C1) The result has one element for each row of the tile, and its element
      type, which `kind` applies to.

    ```mlir
    %m = wgtile.row_reduce maximumf %t : tensor<64x128xf32> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, WGTile_RegisterTile:$tile,
                       UnitAttr:$partial);
  let results = (outs WGTile_RegisterTile:$result);
  let assemblyFormat = [{
    $kind $tile (`partial` $partial^)? attr-dict `:` type($tile) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def WGTile_RowCombineOp : WGTile_Op<"row_combine", [
    Pure, SameOperandsAndResultType]> {
  let summary = "Combine the threads' partial values of a row vector";
  let description = [{
    The threads that share a row of the tile hold each element of `vector` in parts
    (`wgtile.row_reduce` with `partial`, and elementwise ops on its result).
    result[i] is the combination of these parts by `kind`, the same in all threads.

    - (C1) The vector is one of f32, which `kind` applies to.

    ```mlir
    %l = wgtile.row_combine addf %parts : tensor<64xf32>
    ```
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, WGTile_RegisterTile:$vector);
  let results = (outs WGTile_RegisterTile:$result);
  let assemblyFormat = "$kind $vector attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def WGTile_TileReduceOp : WGTile_Op<"tile_reduce", [
    AlwaysSpeculatable, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Reduce a register tile or a row vector to a scalar";
  let description = [{
    The number is tile[0, 0] `kind` tile[0, 1] `kind` ... of all elements, in an order
    that is not specified; every thread gets it. Where several warps have the tile,
    they exchange their parts in shared memory, `offset` bytes from its start
    (`wgtile-allocate-shared`), and all threads of the block meet: with an offset the
    op is a barrier, which no pass may remove, merge or move.

    With `partial`, which `wgtile-defer-reductions` sets, each thread reduces the
    elements that it holds itself: threads hold different values of the number,
    until a `wgtile.tile_combine`.

    - (C1) The tile has two dimensions, or is a vector of rows, and the number has
      its element type, of 32 or 64 bits, or of 16 for a maximum or minimum of a
      tile, which `kind` applies to.
    - (C2) `partial` is of a tile of two dimensions.

    ```mlir
    %n = wgtile.tile_reduce addi %t : tensor<16x8xi32> -> i32
    %m = wgtile.tile_reduce maxnumf %v : tensor<16xf32> -> f32
    ```
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, WGTile_RegisterTile:$tile,
                       UnitAttr:$partial, OptionalAttr<I64Attr>:$offset);
  let results = (outs AnyTypeOf<[AnyFloat, AnySignlessInteger]>:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result,
                                 "::mlir::arith::AtomicRMWKind":$kind,
                                 "::mlir::Value":$tile), [{
    build($_builder, $_state, result, kind, tile, /*partial=*/false,
          /*offset=*/::mlir::IntegerAttr());
  }]>];
  let extraClassDeclaration = [{
    /// Bytes of shared memory in which the block's warps exchange their parts.
    int64_t getExchangeBytes();
  }];
  let assemblyFormat = [{
    $kind $tile (`partial` $partial^)? attr-dict `:` type($tile) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def WGTile_TileCombineOp : WGTile_Op<"tile_combine", [
    AlwaysSpeculatable, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Combine the threads' partial values of a scalar";
  let description = [{
    The threads of the block hold a number in parts (`wgtile.tile_reduce` with
    `partial`, and arithmetic on its result). The result is the combination of
    these parts by `kind`, the same in all threads. Warps exchange their parts as
    those of a `wgtile.tile_reduce` do.

    - (C1) The number is of 32 or 64 bits, and `kind` applies to it.

    ```mlir
    %n = wgtile.tile_combine addf %parts : f32
    ```
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind,
                       AnyTypeOf<[AnyFloat, AnySignlessInteger]>:$number,
                       OptionalAttr<I64Attr>:$offset);
  let results = (outs AnyTypeOf<[AnyFloat, AnySignlessInteger]>:$result);
  let assemblyFormat = "$kind $number attr-dict `:` type($result)";
  let extraClassDeclaration = [{
    /// Bytes of shared memory in which the block's warps exchange their parts.
    int64_t getExchangeBytes();
  }];
  let hasVerifier = 1;
}

def WGTile_TileScanOp : WGTile_Op<"tile_scan", [
    Pure, AllTypesMatch<["tile", "result"]>]> {
  let summary = "Exclusive scan of a register tile";
  let description = [{
    result[i, j] = initial `kind` tile[0, 0] `kind` ..., of all elements before (i, j)
    in row-major order, combined in an order that is not specified. One warp has the
    whole tile.

    - (C1) The tile has two dimensions, and the initial value its element type, of 32
      or 64 bits, which `kind` applies to.

    ```mlir
    %p = wgtile.tile_scan addi %t from %first : tensor<16x16xi32>, i32
    ```
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, WGTile_RegisterTile:$tile,
                       AnyTypeOf<[AnyFloat, AnySignlessInteger]>:$initial);
  let results = (outs WGTile_RegisterTile:$result);
  let assemblyFormat = [{
    $kind $tile `from` $initial attr-dict `:` type($tile) `,` type($initial)
  }];
  let hasVerifier = 1;
}

def WGTile_ExtractColumnsOp : WGTile_Op<"extract_columns", [Pure]> {
  let summary = "Extract columns of a register tile";
  let description = [{
    The columns of a tile, or the elements of a column vector, from `offset` on.
    Offset and size are multiples of 8 times the warps that divide the columns
    (`#wgtile.mma`), so that every thread already holds its part.

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

def WGTile_WarpgroupMmaWaitOp : WGTile_Op<"warpgroup_mma_wait", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Wait for asynchronous MMAs";
  let description = [{
    Waits until at most `pending` of the asynchronous MMAs issued before are
    still running. `tiles` are results of MMAs and left operands of MMAs in
    registers; the op's results are the same tiles. Tiles of MMAs that have
    finished may be used like any other tile. The tiles keep their registers until
    this op.

    - (C1) There is at least one tile. Its elements are f32, i32, f16 or bf16.

    ```mlir
    %done, %left = wgtile.warpgroup_mma_wait %d, %t pending 0
        : tensor<64x128xf32>, tensor<64x64xbf16>
    ```
  }];
  let arguments = (ins Variadic<WGTile_RegisterTile>:$tiles,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let results = (outs Variadic<WGTile_RegisterTile>:$results);
  let assemblyFormat = "$tiles `pending` $pending attr-dict `:` type($tiles)";
  let hasVerifier = 1;
}

def WGTile_PeekOp : WGTile_Op<"peek", [
    TypesMatchWith<"the element type", "source", "value",
                   "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "Read a scalar that may be out of date";
  let description = [{
    Reads from the L2 cache, also while another kernel writes: `value` may be from
    before or after that, and is good for a guess, such as what to prefetch. An
    index outside of `source` counts as the nearest one inside, and an empty
    `source` gives 0.

    - (C1) One index for each dimension of the memref, which is strided.

    ```mlir
    %begin = wgtile.peek %crow[%i] : memref<?xi32>
    ```
  }];
  let arguments = (ins Arg<MemRefOf<[I32, I64]>, "", [MemRead]>:$source,
                       Variadic<Index>:$indices);
  let results = (outs AnySignlessInteger:$value);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` type($source)";
  let hasVerifier = 1;
}

include "sattn/Dialect/WGTile/IR/WGTileHostOps.td"
include "sattn/Dialect/WGTile/IR/WGTileLoopOps.td"
include "sattn/Dialect/WGTile/IR/WGTileRingOps.td"
include "sattn/Dialect/WGTile/IR/WGTileStagingOps.td"
include "sattn/Dialect/WGTile/IR/WGTileSyncOps.td"

#endif // SATTN_DIALECT_WGTILE_IR_WGTILEOPS_TD
