//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_BLOCKLISTS_BLOCKLISTSOP_TD
#define SATTN_DIALECT_SATTN_IR_BLOCKLISTS_BLOCKLISTSOP_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "sattn/Dialect/SAttn/IR/ContractOpInterface.td"
include "sattn/Dialect/SAttn/IR/ExtentConstraintOpInterface.td"
include "sattn/Dialect/SAttn/IR/SAttnBase.td"
include "sattn/Dialect/SAttn/IR/SAttnInterfaces.td"

def SAttn_BlockListsOp : SAttn_Op<"block_lists", [
    NoMemoryEffect,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getIterationDomain", "getLoopIteratorTypes", "getTiledImplementation",
       "getResultTilePosition"]>,
    DeclareOpInterfaceMethods<SAttn_TileProgramOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ContractOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>]> {
  let summary = "Lists of the blocks that a mask leaves visible";
  let description = [{
    The blocks of each row of counts, such as `sattn.block_counts` gives, that are
    visible in part, and those that are visible wholly:

    ```
    isSeen(b, h, r, c) = counts[b, h, r, c] > 0
    isFull(b, h, r, c) = counts[b, h, r, c] >= heights[r] widths[c]
    listed(k, b, h, r) = the c in ascending order for which
        isSeen(b, h, r, c) and not isFull(b, h, r, c)   if k = 0,
        isSeen(b, h, r, c) and isFull(b, h, r, c)       if k = 1
    numbers[k, b, h, r] = length of listed(k, b, h, r)
    columns[k, b, h, r] = listed(k, b, h, r), then all other c, in ascending order
    ```

    K = 2, or 1 without `separate`, where the only list has all blocks that are seen.
    The transposed lists are those of the transposed counts, whose strides are free.

    | operand           | shape           | element type |
    |-------------------|-----------------|--------------|
    | `ins`: `counts`   | (B, H, R, C)    | i32          |
    | `ins`: `heights`  | (R)             | i32          |
    | `ins`: `widths`   | (C)             | i32          |
    | `outs`: `numbers` | (K, B, H, R)    | i32          |
    | `outs`: `columns` | (K, B, H, R, C) | i32          |

    Constraints:

    - (C1) All have element type i32 and the ranks above, and the results have the
      types of `numbers` and `columns`.
    - (C2) K is 2 with `separate`, otherwise 1.
    - (C3) B, H, R and C agree.
    - (C4) `origin` has four entries, or none.

    `origin` says which tile of the problem `numbers` is: its first k, b, h and r;
    `counts` and `heights` stay whole.

    ```mlir
    %0:2 = sattn.block_lists
        ins(%counts, %heights, %widths
            : tensor<1x1x?x?xi32>, tensor<?xi32>, tensor<?xi32>)
        outs(%numbers, %columns : tensor<2x1x1x?xi32>, tensor<2x1x1x?x?xi32>)
        -> tensor<2x1x1x?xi32>, tensor<2x1x1x?x?xi32> {separate}
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$origin, AnyRankedTensor:$counts, AnyRankedTensor:$heights,
    AnyRankedTensor:$widths, AnyRankedTensor:$numbers,
    AnyRankedTensor:$columns, UnitAttr:$separate);
  let results = (outs AnyRankedTensor:$listed_numbers,
                      AnyRankedTensor:$listed_columns);
  let assemblyFormat = [{
    (`origin` `(` $origin^ `)`)?
    `ins` `(` $counts `,` $heights `,` $widths `:` type($counts) `,`
    type($heights) `,` type($widths) `)`
    `outs` `(` $numbers `,` $columns `:` type($numbers) `,` type($columns) `)`
    `->` type($listed_numbers) `,` type($listed_columns) attr-dict
  }];
  let extraClassDeclaration = [{
    /// Of lists: K.
    int64_t getNumKinds() { return getSeparate() ? 2 : 1; }
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_BLOCKLISTS_BLOCKLISTSOP_TD
