//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The loop over the tiles of a kernel.

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILELOOPOPS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILELOOPOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"
include "sattn/Dialect/WGTile/IR/WGTileInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileTypes.td"

def WGTile_ForEachTileOp : WGTile_Op<"for_each_tile", [
    AttrSizedOperandSegments, SingleBlockImplicitTerminator<"EndOp">,
    RecursiveMemoryEffects]> {
  let summary = "The tiles of a kernel, in any order";
  let description = [{
    Runs its body once for each point of the index space [0, counts); the last
    index is the fastest. Each point is one CTA's work: block b takes
    point b. In a kernel with a `known_cluster_size`, it is one cluster's. With `persistent`, which `wgtile-persist` sets, block b of g takes
    points b, b + g, b + 2 g, ... of an order that walks raster groups: `persistent`
    columns of the last index together, row after row, so that tiles in flight at
    one time share rows and columns.

    With a `counter` in global memory, whose first element is 0 when the kernel
    starts, tiles are scheduled dynamically: block b of g takes point b first and
    then, each time it has finished a tile, the first point that no block has
    taken. Long tiles then do not delay the others. If there are no more points
    than blocks, the counter is not accessed. Points have numbers, in row-major order,
    and each tile's program ends with the number of the point that comes next, before
    the values of `iter_args`. One thread takes it (`wgtile.next_tile`) and passes it
    on to the others through a ring. Each tile's program takes one number, so that the
    kernel knows the last one, with which the counter is 0 again.

    With `iter_args` each tile's program takes values, and ends with those that the
    block's next tile takes; the results are the last ones.

    With an `order` the last but one index is looked up: for each point of the
    indices before it, `order` holds all its values, in the order in which blocks
    take them. The first 32nd of each of these points comes before the rest of any: a
    long tile of the last one then does not begin when most is done. With
    `descending` the index goes from its last value to its first.

    `consumer_groups` has a factor for each count: tiles whose indices fall into the
    same multiple of the factor belong to the consumer groups of one CTA, since
    they load some of the same data. One dimension at most has a factor above 1.

    - (C1) The body has one index argument for each count, then the values that it
      takes; its end and the results have the types of the initial values, which are
      integers. With a counter the end has an `i32` before them.
    - (C2) `persistent` is positive, and there are at least two counts.
    - (C3) `consumer_groups` has one factor from 1 to 32 for each count, at most one of
      them above 1.
    - (C4) `counter` and `descending` come with `persistent`, `order` with
      `counter` and without `descending`.
    - (C5) Every path through the body has one `wgtile.next_tile`, or none has any.

    ```mlir
    wgtile.for_each_tile (%i, %j) in (%rows, %columns) {
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$counts,
                       OptionalAttr<I64Attr>:$persistent,
                       UnitAttr:$descending,
                       OptionalAttr<DenseI64ArrayAttr>:$consumer_groups,
                       Arg<Optional<MemRefRankOf<[I32], [1]>>, "",
                           [MemRead, MemWrite]>:$counter,
                       Arg<Optional<MemRefRankOf<[I32], [1]>>, "",
                           [MemRead]>:$order,
                       Variadic<AnySignlessIntegerOrIndex>:$inits);
  let results = (outs Variadic<AnySignlessIntegerOrIndex>:$results);
  let regions = (region SizedRegion<1>:$body);
  let extraClassDeclaration = [{
    /// The arguments of the body: indices of a tile, and values that it takes.
    ::mlir::ValueRange getIndices() {
      return getBody().getArguments().take_front(getCounts().size());
    }
    ::mlir::ValueRange getIterArgs() {
      return getBody().getArguments().drop_front(getCounts().size());
    }

    /// The next tile's number, with which each tile's program ends if there is
    /// a counter, and the values that it ends with beside it.
    ::mlir::Value getNextTile();
    ::mlir::ValueRange getEndValues();

    /// The dimension that consumer groups divide, if there is one, and the
    /// number of groups.
    std::optional<int64_t> getGroupedDim();
    int64_t getGroupSize();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$counts)>];
}

def WGTile_EndOp : WGTile_Op<"end", [
    Pure, Terminator, ParentOneOf<["ForEachTileOp", "RolesOp"]>]> {
  let summary = "End of a tile's or a role's program";
  let description = [{
    A tile's program may end with the next tile's number and values for it.

    - (C1) A role's program ends without values.

    ```mlir
    wgtile.end %stage, %phase : i32, i32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins)>];
  let hasVerifier = 1;
}

def WGTile_NextTileOp : WGTile_Op<"next_tile", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let summary = "Take the next tile from the scheduler's counter";
  let description = [{
    The number of the first point of the loop's index space that no block has taken;
    a number of no point if there is none left. Without roles the first thread takes
    it, and other threads get 0.

    - (C1) The op is in a loop over tiles, maybe in a branch, which has a counter and is
      not in a role with register tiles.

    ```mlir
    wgtile.roles producer warps 4 registers 56 {
      wgtile.for_each_tile (%i, %j) in (%m, %n) counter %c : memref<?xi32> ... {
        %next = wgtile.next_tile
        ...
        %s = wgtile.producer_acquire %tiles : !wgtile.ring<2, [i32]>
        wgtile.ring_store %next, %tiles[%s] 0 : i32, !wgtile.ring<2, [i32]>
        wgtile.producer_commit %tiles[%s] : !wgtile.ring<2, [i32]>
        wgtile.end %next : i32
      }
    }, consumer warps 4 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i, %j) in (%m, %n) counter %c : memref<?xi32> ... {
        ...
        %s = wgtile.consumer_wait %tiles : !wgtile.ring<2, [i32]>
        %next = wgtile.ring_load %tiles[%s] 0 : !wgtile.ring<2, [i32]>
        wgtile.consumer_release %tiles[%s] : !wgtile.ring<2, [i32]>
        wgtile.end %next : i32
      }
    }
    ```
  }];
  let results = (outs I32:$number);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILELOOPOPS_TD
