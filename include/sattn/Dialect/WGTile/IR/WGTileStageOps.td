//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Stages of shared memory that all threads of a block fill and read together.

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILESTAGEOPS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILESTAGEOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"
include "sattn/Dialect/WGTile/IR/WGTileInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileTypes.td"

def WGTile_StagesOp : WGTile_Op<"stages", [
    MemoryEffects<[MemAlloc]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Make stages of shared memory";
  let description = [{
    `offset` is the offset of the first tile in the kernel's shared memory, in
    bytes (`wgtile-allocate-shared`).

    ```mlir
    %stages = wgtile.stages : !wgtile.stages<4, [...]>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs WGTile_StagesType:$stages);
  let assemblyFormat = "attr-dict `:` qualified(type($stages))";
}

def WGTile_AsyncCopyOp : WGTile_Op<"async_copy", [
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Start copying a tile from global memory into a stage";
  let description = [{
    Like `wgtile.load` of a memref, into tile `tile` of stage `stage`, but without
    a wait: the tile has arrived after the `wgtile.async_wait_group` that waits for the
    copy's commit group.

    - (C1) A tile of the stages, of the source's element type. The source is
      strided.
    - (C2) One index for each dimension of the source, which has at least two.

    ```mlir
    wgtile.async_copy %stages[%s] 1, %b[%k, %j] : !wgtile.stages<4, [...]>, memref<?x?xbf16>
    ```
  }];
  let arguments = (ins Arg<WGTile_StagesType, "", [MemWrite]>:$stages,
                       Index:$stage, I64Attr:$tile,
                       Arg<AnyMemRef, "", [MemRead]>:$source,
                       Variadic<Index>:$indices, UnitAttr:$aligned);
  let assemblyFormat = [{
    $stages `[` $stage `]` $tile `,` $source `[` $indices `]`
    (`aligned` $aligned^)? attr-dict `:` qualified(type($stages)) `,`
    type($source)
  }];
  let hasVerifier = 1;
}

def WGTile_AsyncCommitGroupOp : WGTile_Op<"async_commit_group", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "End a commit group of copies";
  let description = [{
    The copies that `wgtile.async_copy` started since the last `wgtile.async_commit_group` are
    a commit group, which may be empty.

    ```mlir
    wgtile.async_commit_group
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def WGTile_AsyncWaitGroupOp : WGTile_Op<"async_wait_group", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Wait for commit groups of copies, and for all threads";
  let description = [{
    Waits until at most the newest `pending` commit groups of copies are still
    running, in every thread of the block, and until every thread has arrived. The
    tiles of older commit groups can then be read, and tiles that were read before
    can be overwritten.

    ```mlir
    wgtile.async_wait_group pending 2
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
}

def WGTile_StageOp : WGTile_Op<"stage", [
    MemoryEffects<[MemRead]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "The tiles of a stage";
  let description = [{
    - (C1) The results have the types of the stages' tiles.

    ```mlir
    %a, %b = wgtile.stage %stages[%s] : !wgtile.stages<...> -> !wgtile.shared<...>,
        !wgtile.shared<...>
    ```
  }];
  let arguments = (ins WGTile_StagesType:$stages, Index:$stage);
  let results = (outs Variadic<WGTile_SharedType>:$tiles);
  let assemblyFormat = [{
    $stages `[` $stage `]` attr-dict `:` qualified(type($stages)) `->`
    qualified(type($tiles))
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILESTAGEOPS_TD
