//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILETYPES_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILETYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"

class WGTile_Type<string name, string typeMnemonic>
    : TypeDef<WGTile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def WGTile_SharedType : WGTile_Type<"Shared", "shared"> {
  let summary = "A tile in shared memory";
  let description = [{
    A row-major tile of two static dimensions. `swizzle` is the width in bytes
    of its boxes and of the pattern that permutes their 16-byte chunks
    (`sattn::layout::SharedTile`). It is 0, the default, until
    `wgtile-assign-layouts` chooses it. Storage is padded to multiples of 16 rows
    and 32 bytes of columns, the unit of an MMA, and from two boxes on to whole boxes.
    The padding may hold anything: no MMA reads its columns, and its rows give rows of
    results that are not stored.

    The rows of a `packed` tile follow one another without a gap, as they do in
    memory: TMA copies them as fewer, longer rows. Nothing is padded.

    ```mlir
    !wgtile.shared<64x128xbf16, swizzle = 128>
    !wgtile.shared<16x16xbf16, swizzle = 128, packed>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        DefaultValuedParameter<"int64_t", "0">:$swizzle,
                        DefaultValuedParameter<"bool", "false">:$packed);
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape,
      "::mlir::Type":$elementType, "int64_t":$swizzle,
      CArg<"bool", "false">:$packed), [{
    return $_get($_ctxt, shape, elementType, swizzle, packed);
  }]>];
  let skipDefaultBuilders = 1;
  let assemblyFormat = [{
    `<` custom<TileShape>($shape, $elementType) (`,` `swizzle` `=` $swizzle^)?
        `` custom<Packed>($packed) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRows() const { return getShape()[0]; }
    int64_t getColumns() const { return getShape()[1]; }
    /// Bytes of one element.
    int64_t getElementBytes() const {
      return getElementType().getIntOrFloatBitWidth() / 8;
    }
    /// How the tile is stored, padding included. The swizzle must be chosen.
    ::sattn::layout::SharedTile getTile() const;
  }];
}

def WGTile_TensorMapType : WGTile_Type<"TensorMap", "tensor_map"> {
  let summary = "Descriptor by which TMA accesses a global tensor";
  let description = [{
    CUDA's tensor map: 128 bytes that the host encodes and a kernel takes by
    value. `box` is the shape that one copy moves, outermost dimension first, in
    elements. A `packed` map sees the rows of a matrix, the last two dimensions,
    which follow one another in memory, as rows of as many elements as the box has.

    ```mlir
    !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
    !wgtile.tensor_map<1x4x64xbf16, swizzle = 128, packed>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$box,
                        "::mlir::Type":$elementType,
                        "int64_t":$swizzle,
                        DefaultValuedParameter<"bool", "false">:$packed);
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$box,
      "::mlir::Type":$elementType, "int64_t":$swizzle,
      CArg<"bool", "false">:$packed), [{
    return $_get($_ctxt, box, elementType, swizzle, packed);
  }]>];
  let skipDefaultBuilders = 1;
  let assemblyFormat = [{
    `<` custom<TileShape>($box, $elementType) `,` `swizzle` `=` $swizzle
        `` custom<Packed>($packed) `>`
  }];
  let genVerifyDecl = 1;
}

def WGTile_RingType : WGTile_Type<"Ring", "ring"> {
  let summary = "A ring of stages in shared memory";
  let description = [{
    Buffers between those who fill them and those who read them. Each stage holds the
    tiles of `tiles`. It has `instances`[i] of tile i, or one if the list is empty:
    each of several consumer groups then has its own instance, or reads one of two.

    Between two roles (`wgtile.roles`) a stage has a full barrier and an empty
    barrier. Without roles all threads fill the stages and read them
    ("cooperative"): stages need no barriers of their own, since a wait for a stage is
    a barrier of the block.

    With `warpgroups` each of so many warpgroups that hold register tiles has an
    instance of each tile and goes its own way: its threads fill a stage, and TMA
    reads it ("staging"). Stages need no barriers here either, since one thread
    starts all of the warpgroup's stores and waits for them in their order. Each
    tile has 64 rows, each one row of its swizzle, or, for transposed tiles, 64
    columns and a multiple of 8 rows.

    A tile is a shared tile or a number, `i32`, which has one instance. It is filled
    by TMA in a role (`wgtile.tma_load`), by all threads without roles
    (`wgtile.async_copy`), a number by one thread and a tile of a warpgroup by its
    threads (`wgtile.ring_store`).

    ```mlir
    !wgtile.ring<4, [!wgtile.shared<64x64xbf16, swizzle = 128>,
                     !wgtile.shared<64x128xbf16, swizzle = 128>],
                 instances = [2, 1]>
    !wgtile.ring<2, [i32]>
    !wgtile.ring<2, [!wgtile.shared<64x64xbf16, swizzle = 128>], warpgroups = 2>
    ```
  }];
  let parameters = (ins "int64_t":$stages, ArrayRefParameter<"::mlir::Type">:$tiles,
                        OptionalArrayRefParameter<"int64_t">:$instances,
                        DefaultValuedParameter<"int64_t", "0">:$warpgroups);
  let builders = [TypeBuilder<(ins "int64_t":$stages,
      "::llvm::ArrayRef<::mlir::Type>":$tiles,
      CArg<"::llvm::ArrayRef<int64_t>", "{}">:$instances,
      CArg<"int64_t", "0">:$warpgroups), [{
    return $_get($_ctxt, stages, tiles, instances, warpgroups);
  }]>];
  let skipDefaultBuilders = 1;
  let assemblyFormat = [{
    `<` $stages `,` `[` $tiles `]` `` custom<RingCounts>($instances, $warpgroups) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether each warpgroup fills stages of its own, from which TMA stores.
    bool isStaging() const { return getWarpgroups() != 0; }
    /// Number of instances of a tile in a stage.
    int64_t getNumInstances(int64_t tile) const {
      if (isStaging())
        return getWarpgroups();
      return getInstances().empty() ? 1 : getInstances()[tile];
    }
    /// Whether a tile is a number.
    bool isNumber(int64_t tile) const { return getTiles()[tile].isInteger(); }
    /// Whether a stage has tiles other than numbers.
    bool hasSharedTiles() const;
    /// Bytes of the tiles of one stage, padded so that the next stage's tiles
    /// have the same alignment.
    int64_t getStageBytes() const;
    int64_t getSizeInBytes() const { return getStages() * getStageBytes(); }
    /// Alignment of the first stage in bytes.
    int64_t getAlignment() const;
    /// Offset of the first instance of a tile from the start of its stage, and
    /// bytes from one instance to the next.
    int64_t getTileOffset(int64_t tile) const;
    int64_t getInstanceBytes(int64_t tile) const;
  }];
}

def WGTile_TokenType : WGTile_Type<"Token", "token"> {
  let summary = "A role's hold of one stage of a ring, or of none";
  let description = [{
    `wgtile.producer_acquire` and `wgtile.consumer_wait` give a token, and whatever
    uses the stage takes it, until `wgtile.producer_commit` or
    `wgtile.consumer_release` gives the stage to the other side. Loops carry the
    tokens of stages that later iterations release; `wgtile.no_stage` is the token of
    none. `wgtile-verify-sync` refuses programs that use a token after its stage was
    given away, or drop one before. Tokens of one kind are `!nvws` arefs' and Tawa's
    (arXiv 2510.14719).

    ```mlir
    !wgtile.token
    ```
  }];
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILETYPES_TD
