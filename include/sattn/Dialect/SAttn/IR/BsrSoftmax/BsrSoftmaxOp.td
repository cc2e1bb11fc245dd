//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_BSRSOFTMAX_BSRSOFTMAXOP_TD
#define SATTN_DIALECT_SATTN_IR_BSRSOFTMAX_BSRSOFTMAXOP_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "sattn/Dialect/SAttn/IR/ContractOpInterface.td"
include "sattn/Dialect/SAttn/IR/ExtentConstraintOpInterface.td"
include "sattn/Dialect/SAttn/IR/SAttnAttrs.td"
include "sattn/Dialect/SAttn/IR/SAttnBase.td"
include "sattn/Dialect/SAttn/IR/SAttnInterfaces.td"
include "sattn/Dialect/SAttn/IR/StorageOpInterface.td"
include "sattn/Dialect/SAttn/IR/TuningOpInterface.td"

def SAttn_BsrSoftmaxOp : SAttn_Op<"bsr_softmax", [
    NoMemoryEffect,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getIterationDomain", "getLoopIteratorTypes", "getTiledImplementation",
       "getResultTilePosition"]>,
    DeclareOpInterfaceMethods<SAttn_TileProgramOpInterface,
                              ["getTileSchedule"]>,
    DeclareOpInterfaceMethods<SAttn_ContractOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>,
    DeclareOpInterfaceMethods<SAttn_StorageOpInterface>,
    DeclareOpInterfaceMethods<SAttn_TuningOpInterface>]> {
  let summary = "Softmax of the rows of a block-sparse matrix";
  let description = [{
    Computes, for every batch and every row of a matrix of BM x BN blocks in BSR
    storage, over the elements x_j that are stored in the row,

    ```
    out_j = exp(x_j) / sum over j of exp(x_j)
    ```

    | operand  | shape            | element type   |
    |----------|------------------|----------------|
    | `crow`   | (*, M / BM + 1)  | i32, i64       |
    | `col`    | (*, nnz)         | that of `crow` |
    | `values` | (*, nnz, BM, BN) | f16, bf16, f32, f64 |
    | `out`    | (*, nnz, BM, BN) | that of `values` |

    `*` stands for the batch dimensions of `values`, to which those of `crow` and
    `col` broadcast as NumPy's do. Semantics:

    1. Block row i consists of the blocks p in [crow[i], crow[i+1]), in any order.
       crow's first entry need not be 0. `out` has the result of each element in
       its place; blocks that no row has stay as they are.
    2. A row is one of elements, r of block row i: `values`[p, r, :] of all its
       blocks. Without a block it has no element, and nothing is computed. What is
       not stored counts as absent, not as 0. Blocks of a repeated column are
       elements of their own.
    3. The maximum of a row is subtracted first; differences, powers and sums are
       f32 (of f64 elements f64, on the CPU alone), and the result is rounded once.
       The result is 0, and not NaN, in a row
       whose elements are all -inf, and NaN in a row with a NaN or +inf.
    4. `col` is checked, but the result does not depend on it.
    5. If crow is not monotone, or an entry is outside [0, nnz], the behavior is
       undefined; the runtime checks this (`sattn-record-contracts`).

    Constraints:

    - (C1) `values` has rank 3 or more, and `crow` and `col` have rank 1 plus at
      most its batch dimensions. None is in an encoding.
    - (C2) The element type of `crow` and `col` is one of i32, i64, and equal.
    - (C3) The element type of `values` is one of f16, bf16, f32, f64.
    - (C4) BM and BN are static and positive.
    - (C5) `out` has the rank, the extents and the element type of `values`.
    - (C6) `col` has as many entries as `values` has blocks.
    - (C7) Each batch dimension of `crow` and `col` is 1 or that of `values`.
    - (C8) The result has the type of `out`.
    - (C9) Of `meta`'s tile, M divides BM, N is BN or a multiple of 8 up to BN
      rounded up to one, and K is 1 to 256 times N. It is what a step reads at once:
      M rows of a block, by parts of N columns; or, with M = 1 and a K that is a
      multiple of 16 N, one row, by parts of N columns of 16 blocks each. `warps`,
      a power of two up to 4, by default one, share such a row: they divide the N
      columns as long as each has 64 bytes of them, and else the parts are of more
      blocks, 16 for each warp. Of one row the first `stages` steps, by default
      none, stay in registers; what follows is read twice. `sattn-inject-meta` sets
      both for a GPU where they are not set.

    Dynamic sizes are constrained in the same way at run time.

    ```mlir
    %0 = sattn.bsr_softmax
        ins(%crow, %col, %values : tensor<9xi32>, tensor<?xi32>,
            tensor<?x64x64xbf16>)
        outs(%out : tensor<?x64x64xbf16>)
        {meta = #sattn.meta<tile = [1, 64, 1024]>} -> tensor<?x64x64xbf16>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$crow, AnyRankedTensor:$col, AnyRankedTensor:$values,
    AnyRankedTensor:$out, OptionalAttr<SAttn_MetaAttr>:$meta);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` $crow `,` $col `,` $values `:`
              type($crow) `,` type($col) `,` type($values) `)`
    `outs` `(` $out `:` type($out) `)` attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_BSRSOFTMAX_BSRSOFTMAXOP_TD
