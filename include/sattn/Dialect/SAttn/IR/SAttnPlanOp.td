//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SATTNPLANOP_TD
#define SATTN_DIALECT_SATTN_IR_SATTNPLANOP_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/SAttn/IR/ExtentConstraintOpInterface.td"
include "sattn/Dialect/SAttn/IR/SAttnBase.td"

def SAttn_PlanOp : SAttn_Op<"plan", [
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>]> {
  let summary = "Merge block rows into row-block groups that share block columns";
  let description = [{
    A row-block group is G = `groups` block rows of a BSR matrix; R block rows make
    ceil(R / G) row-block groups. The plan of a row-block group is the list of steps
    in which one walk over the columns serves all its rows. Rows with common columns
    share steps, so the op chooses the rows of each row-block group:

    | operand  | shape               | element type   |                        |
    |----------|---------------------|----------------|------------------------|
    | `crow`   | (*, R + 1)          | i32, i64       | of block rows         |
    | `col`    | (*, nnz)            | that of `crow` | of block rows         |
    | `row_block_groups` | (*, ceil(R / G), 2 + G) | i32        | first step of each row-block group, the step past its last, and its block rows |
    | `steps`  | (*, nnz, 1 + G)     | i32            | the steps              |

    `*` stands for leading batch dimensions. Semantics:

    1. A step is a block column k, then for each of the G block rows the stored
       block p that the step covers, col[p] = k, or -1.
    2. Each block row is in one row-block group, within a window of at most 64 rows
       that starts at a multiple of its size. If G does not divide R, the last
       entries of the last row-block group are R, which is no row. The same operands
       give the same row-block groups.
    3. The first step of a row-block group is at the row of `steps` whose number is
       the number of stored blocks of all row-block groups before it. Rows between
       the steps of row-block groups are unspecified.
    4. Each stored block is in one step. Steps of a row-block group are ordered by
       column. If a column repeats in a block row, its i-th block, in the order of
       p, is in the column's i-th step.
    5. Blocks whose column is outside [0, `columns`) are left out.
    6. If crow is not monotone or has an entry outside [0, nnz], the plan is
       unspecified; nothing is written or read out of bounds.

    The op is on tensors, like the other ops. Bufferization leaves it on memrefs,
    where it reads `crow` and `col`, writes `row_block_groups` and `steps` and has no results;
    `convert-sattn-plan-to-gpu` turns it into kernels.

    Constraints:

    - (C1) All operands have one batch rank, and equal batch dimensions.
    - (C2) The element types of `crow` and `col` are one of i32, i64, and equal;
      those of `row_block_groups` and `steps` are i32.
    - (C3) `groups` is in [1, 32].
    - (C4) `crow` has at least one entry, `row_block_groups` ceil(R / groups) rows of
      2 + groups, statically.
    - (C5) `steps` has the nnz of `col`, and rows of 1 + groups, statically.
    - (C6) All operands are tensors, or all are memrefs.

    ```mlir
    %row_block_groups, %steps = sattn.plan groups(2) columns(%n)
        ins(%crow, %col : tensor<?xi32>, tensor<?xi32>)
        outs(%p, %s : tensor<?x4xi32>, tensor<?x3xi32>)
        -> tensor<?x4xi32>, tensor<?x3xi32>
    ```
  }];
  let arguments = (ins
    I64Attr:$groups, Index:$columns,
    AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$crow,
    AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$col,
    AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$row_block_groups,
    AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$steps);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `groups` `(` $groups `)` `columns` `(` $columns `)`
    `ins` `(` $crow `,` $col `:` type($crow) `,` type($col) `)`
    `outs` `(` $row_block_groups `,` $steps `:` type($row_block_groups) `,` type($steps) `)`
    attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    /// Most block rows of a row-block group.
    static constexpr int64_t kMaxGroups = 32;
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_SATTNPLANOP_TD
