//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_BSRATTENTION_COMBINEPARTSOP_TD
#define SATTN_DIALECT_SATTN_IR_BSRATTENTION_COMBINEPARTSOP_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "sattn/Dialect/SAttn/IR/ExtentConstraintOpInterface.td"
include "sattn/Dialect/SAttn/IR/SAttnBase.td"
include "sattn/Dialect/SAttn/IR/SAttnInterfaces.td"

def SAttn_CombinePartsOp : SAttn_Op<"combine_parts", [
    NoMemoryEffect,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getIterationDomain", "getLoopIteratorTypes", "getTiledImplementation",
       "getResultTilePosition"]>,
    DeclareOpInterfaceMethods<SAttn_TileProgramOpInterface,
                              ["coversResults"]>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>]> {
  let summary = "Combine the parts of attention's long block rows";
  let description = [{
    Writes the rows of attention's result that were computed in parts, of P parts
    each with its own result `o` and `lse` l, to the base 2:

    ```
    out[i] = sum over p of 2^l_p * o_p[i] / sum over p of 2^l_p
    ```

    | operand   | shape               | element type   |
    |-----------|---------------------|----------------|
    | `blocks`  |                     | index          |
    | `crow`    | (*, R + 1)          | i32, i64       |
    | `partial` | (*, 2 * X * BM, E)  | f32            |
    | `lse`     | (*, 2 * X * BM)     | f32            |
    | `out`     | (*, R * BM, E)      | f16, bf16, f32 |

    `*` stands for the batch dimensions of `out`; those of `crow` broadcast to them.
    `block_rows` is BM. Semantics:

    1. `blocks` is nnz of the mask whose block rows `crow` has, and X the most
       cuts. Which rows have parts, and where each part's rows are in `partial` and
       `lse`, is as in `sattn.bsr_attention` (6). All other rows of `out` keep their
       content.
    2. A part whose l is -inf has no share; a row of such parts alone is 0. Parts are
       added in their order, in f32, and the result is rounded once.
    3. If crow is not monotone or has an entry outside [0, nnz], the result is
       unspecified.

    Constraints:

    - (C1) `out` has rank 2 or more, `partial` its rank, `lse` one less; `crow` has
      rank 1 plus at most the batch rank of `out`.
    - (C2) The element type of `crow` is i32 or i64, that of `partial` and `lse` f32,
      that of `out` f16, bf16 or f32.
    - (C3) E is static and positive; `block_rows` is a positive multiple of 8.
    - (C4) `partial` and `lse` have the batch dimensions of `out` and the same rows, a
      multiple of 2 * BM; `partial` has E columns. Without `origin`, `out` has BM *
      (size of crow - 1) rows. Each batch dimension of `crow` is 1 or that of `out`.
    - (C5) The result has the type of `out`.
    - (C6) `origin` has the batch, the tile's first row, the two entries of `crow` of
      its block row, and the tile's first column.

    `origin` says which tile of the problem `out` is; then it is smaller, and all
    other operands stay whole.

    ```mlir
    %0 = sattn.combine_parts blocks(%nnz)
        ins(%crow, %partial, %lse : tensor<?xi32>, tensor<16x?x128xf32>,
            tensor<16x?xf32>)
        outs(%out : tensor<16x?x128xbf16>) {block_rows = 64}
        -> tensor<16x?x128xbf16>
    ```
  }];
  let arguments = (ins
    Index:$blocks, AnyRankedTensor:$crow, AnyRankedTensor:$partial,
    AnyRankedTensor:$lse, Variadic<Index>:$origin, AnyRankedTensor:$out,
    I64Attr:$block_rows);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `blocks` `(` $blocks `)`
    `ins` `(` $crow `,` $partial `,` $lse `:` type($crow) `,` type($partial) `,`
              type($lse) `)`
    (`origin` `(` $origin^ `)`)?
    `outs` `(` $out `:` type($out) `)` attr-dict `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Number of leading batch dimensions of `out`.
    int64_t getBatchRank() { return getOut().getType().getRank() - 2; }
    /// Columns of the result.
    int64_t getWidth() { return getPartial().getType().getShape().back(); }
    /// Whether `out` is one tile of the problem.
    bool isTile() { return !getOrigin().empty(); }
    /// Rows and columns of a tile: few of a block row's, since all that a tile
    /// has of several parts is in registers.
    int64_t getTileRows() { return ::std::gcd(getBlockRows(), int64_t(64)); }
    int64_t getTileColumns();
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_BSRATTENTION_COMBINEPARTSOP_TD
