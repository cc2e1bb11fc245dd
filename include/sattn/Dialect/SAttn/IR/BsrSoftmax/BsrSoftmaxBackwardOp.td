//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_BSRSOFTMAX_BSRSOFTMAXBACKWARDOP_TD
#define SATTN_DIALECT_SATTN_IR_BSRSOFTMAX_BSRSOFTMAXBACKWARDOP_TD

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

def SAttn_BsrSoftmaxBackwardOp : SAttn_Op<"bsr_softmax_backward", [
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
  let summary = "The gradient of a softmax of the rows of a block-sparse matrix";
  let description = [{
    Computes the gradient of the operand `values` of `sattn.bsr_softmax`, from its
    result `output` and `grad_out`, the gradient of that: for every batch and every
    row, over the elements that are stored in the row,

    ```
    grad_in_j = output_j * (grad_out_j - sum over k of output_k * grad_out_k)
    ```

    | operand    | shape            | element type   |
    |------------|------------------|----------------|
    | `crow`     | (*, M / BM + 1)  | i32, i64       |
    | `col`      | (*, nnz)         | that of `crow` |
    | `output`   | (*, nnz, BM, BN) | f16, bf16, f32, f64 |
    | `grad_out` | (*, nnz, BM, BN) | that of `output` |
    | `grad_in`  | (*, nnz, BM, BN) | that of `output` |

    `*` stands for the batch dimensions of `output`, to which those of `crow` and
    `col` broadcast as NumPy's do. Semantics:

    1. Block rows, rows, and what of them is checked or undefined, are as in
       `sattn.bsr_softmax` (1, 2, 4, 5). Blocks that no row has stay as they are.
    2. Products, sums and differences are f32 (of f64 elements f64, on the CPU
       alone), and the result is rounded once.
    3. The result is 0 where `output` is, as in a row whose `values` are all -inf,
       unless the row of `grad_out` has a NaN or an infinity.

    Constraints:

    - (C1) `output` has rank 3 or more, and `crow` and `col` have rank 1 plus at
      most its batch dimensions. None is in an encoding.
    - (C2) The element type of `crow` and `col` is one of i32, i64, and equal.
    - (C3) The element type of `output` is one of f16, bf16, f32, f64.
    - (C4) BM and BN are static and positive.
    - (C5) `grad_out` and `grad_in` have the rank, the extents and the element type
      of `output`.
    - (C6) `col` has as many entries as `output` has blocks.
    - (C7) Each batch dimension of `crow` and `col` is 1 or that of `output`.
    - (C8) The result has the type of `grad_in`.
    - (C9) `meta` is as in `sattn.bsr_softmax` (C9). The first `stages` steps of
      both arrays stay in registers.

    Dynamic sizes are constrained in the same way at run time.

    ```mlir
    %0 = sattn.bsr_softmax_backward
        ins(%crow, %col, %output, %grad_out : tensor<9xi32>, tensor<?xi32>,
            tensor<?x64x64xbf16>, tensor<?x64x64xbf16>)
        outs(%grad_in : tensor<?x64x64xbf16>)
        {meta = #sattn.meta<tile = [1, 64, 1024]>} -> tensor<?x64x64xbf16>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$crow, AnyRankedTensor:$col, AnyRankedTensor:$output,
    AnyRankedTensor:$grad_out, AnyRankedTensor:$grad_in,
    OptionalAttr<SAttn_MetaAttr>:$meta);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` $crow `,` $col `,` $output `,` $grad_out `:`
              type($crow) `,` type($col) `,` type($output) `,`
              type($grad_out) `)`
    `outs` `(` $grad_in `:` type($grad_in) `)` attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_BSRSOFTMAX_BSRSOFTMAXBACKWARDOP_TD
