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
    AttrSizedOperandSegments, NoMemoryEffect,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getIterationDomain", "getLoopIteratorTypes", "getTiledImplementation",
       "getResultTilePosition"]>,
    DeclareOpInterfaceMethods<SAttn_TileProgramOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ContractOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>]> {
  let summary = "Lists of the visible blocks of a mask";
  let description = [{
    The blocks that are visible in part, and those that are visible wholly, of each
    row of numbers of visible elements:

    ```
    isSeen(b, h, r, c) = counts[b, h, r, c] > 0
    isFull(b, h, r, c) = counts[b, h, r, c] >= heights[r] widths[c]
    partial(b, h, r) = the c in ascending order for which isSeen(b, h, r, c) and not
                       isFull(b, h, r, c)
    full(b, h, r) = the c in ascending order for which isSeen(b, h, r, c) and
                    isFull(b, h, r, c)
    numbers[b, h, r] = length of partial(b, h, r)
    columns[b, h, r] = partial(b, h, r), then 0
    ```

    and the same of full(b, h, r) in the third and the fourth result. With two
    results, their lists have all visible blocks. The transposed lists are
    those of the transposed counts, whose strides are free.

    | operand                                | shape        | element type |
    |----------------------------------------|--------------|--------------|
    | `ins`: `counts`                        | (B, H, R, C) | i32          |
    | `ins`: `heights`                       | (R)          | i32          |
    | `ins`: `widths`                        | (C)          | i32          |
    | `outs`: `numbers`, and of full blocks  | (B, H, R)    | i32          |
    | `outs`: `columns`, and of full blocks  | (B, H, R, C) | i32          |

    Constraints:

    - (C1) There are two or four `outs`, `numbers` and `columns` by turns. All
      operands have element type i32 and the ranks above, and the results have the
      types of `outs`.
    - (C2) B, H, R and C agree.
    - (C3) `origin` has three entries, or none.

    `origin` says which tile of the problem `outs` are: its first b, h and r.

    ```mlir
    %0:2 = sattn.block_lists
        ins(%counts, %heights, %widths
            : tensor<1x1x?x?xi32>, tensor<?xi32>, tensor<?xi32>)
        outs(%numbers, %columns : tensor<1x1x?xi32>, tensor<1x1x?x?xi32>)
        -> tensor<1x1x?xi32>, tensor<1x1x?x?xi32>
    ```
  }];
  let arguments = (ins
    Variadic<Index>:$origin, AnyRankedTensor:$counts, AnyRankedTensor:$heights,
    AnyRankedTensor:$widths, Variadic<AnyRankedTensor>:$outs);
  let results = (outs Variadic<AnyRankedTensor>:$lists);
  let assemblyFormat = [{
    (`origin` `(` $origin^ `)`)?
    `ins` `(` $counts `,` $heights `,` $widths `:` type($counts) `,`
    type($heights) `,` type($widths) `)`
    `outs` `(` $outs `:` type($outs) `)` `->` type($lists) attr-dict
  }];
  let extraClassDeclaration = [{
    /// The number of list kinds: two where full blocks have lists of their own,
    /// else one.
    unsigned getNumKinds() { return getOuts().size() / 2; }
    mlir::Value getNumbers(unsigned kind) { return getOuts()[2 * kind]; }
    mlir::Value getColumns(unsigned kind) { return getOuts()[2 * kind + 1]; }
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_BLOCKLISTS_BLOCKLISTSOP_TD
