//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_BSRADDMM_BSRADDMMOP_TD
#define SATTN_DIALECT_SATTN_IR_BSRADDMM_BSRADDMMOP_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "sattn/Dialect/SAttn/IR/ContractOpInterface.td"
include "sattn/Dialect/SAttn/IR/ExtentConstraintOpInterface.td"
include "sattn/Dialect/SAttn/IR/RaiseOpInterface.td"
include "sattn/Dialect/SAttn/IR/SAttnAttrs.td"
include "sattn/Dialect/SAttn/IR/SAttnBase.td"
include "sattn/Dialect/SAttn/IR/SAttnInterfaces.td"
include "sattn/Dialect/SAttn/IR/StorageOpInterface.td"
include "sattn/Dialect/SAttn/IR/TuningOpInterface.td"

def SAttn_BsrAddmmOp : SAttn_Op<"bsr_addmm", [
    AttrSizedOperandSegments, NoMemoryEffect,
    SAttn_ScalarOf<"alpha", "values">, SAttn_ScalarOf<"beta", "values">,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getIterationDomain", "getLoopIteratorTypes", "getTiledImplementation",
       "getResultTilePosition"]>,
    DeclareOpInterfaceMethods<SAttn_TileProgramOpInterface,
                              ["getTileGroups", "getTileSchedule",
                               "writeInto"]>,
    DeclareOpInterfaceMethods<SAttn_ContractOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>,
    DeclareOpInterfaceMethods<SAttn_RaiseOpInterface>,
    DeclareOpInterfaceMethods<SAttn_StorageOpInterface,
                              ["getPlanGroups", "setPlan"]>,
    DeclareOpInterfaceMethods<SAttn_TuningOpInterface>]> {
  let summary = "Block-sparse matrix times dense matrix, scaled and added";
  let description = [{
    Computes, for every batch,

    ```
    out = beta * input + left[:, None] * (alpha * (A @ b)) * right[None, :]
    ```

    where `A` is an M x K matrix of BM x BK blocks in BSR storage, K = BK times
    the number of block columns:

    | operand  | shape                | element type          | or       | or             | or                |
    |----------|----------------------|-----------------------|----------|----------------|-------------------|
    | `alpha`, `beta` |               | f32                   | f64      | f32            | f32               |
    | `crow`   | (*, M / BM + 1)      | i32, i64              |          |                |                   |
    | `col`    | (*, nnz)             | that of `crow`        |          |                |                   |
    | `values` | (*, nnz, BM, BK)     | f16, bf16, f32        | f64      | i8             | f8E4M3FN, f8E5M2  |
    | `b`      | (*, K, N)            | that of `values`      | f64      | i8             | f8E4M3FN, f8E5M2  |
    | `input`  | (*, M, N), optional  | that of `values`      | f64      | that of `out`  | that of `out`     |
    | `left`   | (*, M), optional     | that of `values`, f32 | f64, f32 | f32            | f32               |
    | `right`  | (*, N), optional     | that of `values`, f32 | f64, f32 | f32            | f32               |
    | `order`  | (*, nnz), optional   | that of `crow`        |          |                |                   |
    | `out`    | (*, M, N)            | f16, bf16, f32        | f64      | i32, bf16, f32 | bf16, f32         |

    Without `crow` and `col`, `values` is the whole matrix, (*, M, K), in
    upstream's encoding of block-sparse matrices, from which `sattn-unpack-bsr`
    makes the three operands:

    ```
    #sparse_tensor.encoding<{map = (i, j) -> (i floordiv BM : dense,
        j floordiv BK : compressed, i mod BM : dense, j mod BK : dense)}>
    ```

    `*` stands for leading batch dimensions, which broadcast to those of `out`
    as NumPy's do. Matrices may be transposed in memory: with `transpose_a`, each
    block of `values` is, which are (*, nnz, BK, BM); with `transpose_b`, `b`
    is (*, N, K), with `transpose_out`, `input` and `out` are (*, N, M). With the last
    two the op is a linear layer, out = x @ A^T + ..., of rows x. With the first and
    `order`, it is a product with the transpose of a matrix, whose blocks stay where
    they are: of `crow`, `col` and `order` of the transposed pattern. Semantics:

    1. Block row i consists of the blocks p in [crow[i], crow[i+1]), block p
       at block column col[p]. crow's first entry need not be 0. Blocks of one
       row may come in any order; blocks of a repeated column add up. With
       `order` the elements of block p are those at `values`[order[p]].
    2. The matrix product accumulates in f32, and so does the epilogue; the result
       is rounded once, to the element type of `out`. With `precision` "tf32" the
       elements of f32 `values` and `b` may be rounded or cut to tf32 (10
       bits of mantissa) before they are multiplied: GPUs have no other fast MMA of f32.
       With "ieee", the default, their threads multiply, by FMA. The CPU computes
       in f32 either way.
       A product of i8 is an exact sum of integers, modulo 2^32 (any with K below
       131,072). An `out` of floats has an epilogue in f32 all the same. One of i32
       has one in f64, rounded to nearest with ties to even and saturated to the
       range of i32 (a NaN becomes its least number): without scales other than 1
       it is exact. Hopper's MMAs of 8-bit floats add up with fewer bits than f32
       has, about 14; other targets in f32. GPUs take two of one kind.
       With f64 all of it is f64, on the CPU alone.
    3. Without `input`, the old content of `out` is read in its place.
    4. If beta is 0, `input` (or `out`) is not read. If alpha is 0, `values`, `b`,
       `left` and `right` are not read. Both hold for run-time values too.
    5. If crow is not monotone, an entry is outside [0, nnz], or a referenced column
       is outside [0, K / BK), or one of `order` outside [0, nnz), the behavior is
       undefined; the runtime checks this
       (`sattn-record-contracts`).

    Constraints:

    - (C1) Each operand has its rank of the table plus at most the batch rank
      of `out`; `col` and `values` have one batch rank, that of `crow` or 0.
    - (C2) The element type of `crow` and `col` is one of i32, i64, and equal.
    - (C3) The element types of `values` and `b` are equal, or 8-bit floats. That of
      `input` is theirs or, if they have 8 bits, that of `out`.
    - (C4) The element type of `values` is one of f16, bf16, f32, f64, i8, f8E4M3FN,
      f8E5M2. That of `out` is one of f16, bf16, f32; with `values` of f64 it is f64;
      of i8 one of i32, bf16, f32; of 8-bit floats one of bf16, f32.
    - (C5) The element types of `left` and `right` are that of `values` or f32; with
      `values` of 8 bits they are f32.
    - (C6) BM and BK are static, positive multiples of 8.
    - (C7) M of `out` is BM * (size of crow - 1), M of `input` and `left` is
      that of `out`.
    - (C8) N of `b`, `input` and `right` is that of `out`.
    - (C9) K of `b` is a multiple of BK.
    - (C10) `col` and `values` have the same nnz.
    - (C11) Each batch dimension is 1 or that of `out`.
    - (C12) The result has the type of `out`.
    - (C13) The sizes of `meta`'s tile are from 1 to 65536, M a multiple of BM or a
      divisor of BM that is a multiple of 8, N a multiple of 8, K a divisor of BK;
      M * N and K * N are at most 2^26.
    - (C14) `row_block_groups` and `steps` come together, with the batch rank of `crow`,
      as the `sattn.plan` of `crow` and `col` gives them: i32, (*, P, 2 + G) and
      (*, nnz, 1 + G) with static G, P = ceil((M / BM) / G).
    - (C15) `precision` is "ieee" or, with `values` of f32, "tf32".
    - (C16) `crow` and `col` come together. Without them `values` is in the
      encoding above, perhaps with levels of batches in front, all `batch` or
      all `dense`; positions and coordinates have the same width, 32 or 64 (0
      is 64), and M and K are multiples of BM and BK. No other operand is in an
      encoding, and there is no plan.
    - (C17) No operand whose sizes are static has 2^63 bytes or more, except
      `values` in the encoding.
    - (C18) `alpha` and `beta` are f64 with `values` of f64, else f32.
    - (C19) `order` has the type of `col`, and comes with `crow`, as `transpose_a`
      does.

    `row_block_groups` and `steps` give the order in which the stored blocks are taken, with
    the block rows of one row-block group side by side; the result is the same.

    Dynamic sizes are constrained in the same way at run time.

    ```mlir
    %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
        ins(%crow, %col, %values, %b : tensor<9xi32>, tensor<?xi32>,
            tensor<?x64x64xbf16>, tensor<1024x?xbf16>)
        right(%bias : tensor<?xf32>)
        outs(%out : tensor<512x?xbf16>)
        {meta = #sattn.meta<tile = [64, 128, 64]>} -> tensor<512x?xbf16>
    %1 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
        ins(%a, %b : tensor<512x1024xbf16, #bsr>, tensor<1024x?xbf16>)
        outs(%out : tensor<512x?xbf16>) -> tensor<512x?xbf16>
    %2 = sattn.bsr_addmm alpha(%alpha) beta(%beta)
        ins(%a, %x : tensor<512x1024xbf16, #bsr>, tensor<?x1024xbf16>)
        outs(%y : tensor<?x512xbf16>) {transpose_b, transpose_out}
        -> tensor<?x512xbf16>
    ```
  }];
  let arguments = (ins
    SAttn_Scalar:$alpha, SAttn_Scalar:$beta,
    Optional<AnyRankedTensor>:$crow, Optional<AnyRankedTensor>:$col,
    AnyRankedTensor:$values, AnyRankedTensor:$b, Optional<AnyRankedTensor>:$input,
    Optional<AnyRankedTensor>:$left, Optional<AnyRankedTensor>:$right,
    Optional<AnyRankedTensor>:$order,
    Optional<AnyRankedTensor>:$row_block_groups, Optional<AnyRankedTensor>:$steps,
    AnyRankedTensor:$out, OptionalAttr<SAttn_MetaAttr>:$meta,
    DefaultValuedStrAttr<StrAttr, "ieee">:$precision,
    UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$transpose_out);
  let results = (outs AnyRankedTensor:$result);
  let builders = [
    /// out = beta * out + alpha * (A @ b), in place. `crow` and `col` are null if
    /// `values` is a matrix in an encoding.
    OpBuilder<(ins "::mlir::Value":$alpha, "::mlir::Value":$beta,
      "::mlir::Value":$crow, "::mlir::Value":$col, "::mlir::Value":$values,
      "::mlir::Value":$b, "::mlir::Value":$out), [{
        build($_builder, $_state, out.getType(), alpha, beta, crow, col, values,
              b, /*input=*/nullptr, /*left=*/nullptr, /*right=*/nullptr,
              /*order=*/nullptr, /*rowBlockGroups=*/nullptr, /*steps=*/nullptr, out, /*meta=*/nullptr);
      }]>
  ];
  let assemblyFormat = [{
    `alpha` `(` $alpha `)` `beta` `(` $beta `)`
    `ins` `(` custom<BsrOperands>($crow, $col, $values, $b, type($crow),
                                  type($col), type($values), type($b)) `)`
    (`input` `(` $input^ `:` type($input) `)`)?
    (`left` `(` $left^ `:` type($left) `)`)?
    (`right` `(` $right^ `:` type($right) `)`)?
    (`order` `(` $order^ `:` type($order) `)`)?
    (`plan` `(` $row_block_groups^ `,` $steps `:` type($row_block_groups) `,` type($steps) `)`)?
    `outs` `(` $out `:` type($out) `)` attr-dict `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Whether A is one operand in upstream's encoding.
    bool isEncoded() { return !getCrow(); }
    /// Sizes of a block.
    int64_t getBlockRows();
    int64_t getBlockColumns();
    /// Block rows of a row-block group, 1 without a plan.
    /// Rows of a tile of one block row or, if `meta` asks for less, of its part.
    int64_t getTileRows();
    int64_t getBlockRowsPerTile() {
      return getSteps() ? getSteps().getType().getShape().back() - 1 : 1;
    }
    /// Dimensions K and N of `b`, and M and N of `input` and `out`, counted from
    /// the last, -1.
    int64_t getBRowDim() { return getTransposeB() ? -1 : -2; }
    int64_t getBColumnDim() { return getTransposeB() ? -2 : -1; }
    int64_t getRowDim() { return getTransposeOut() ? -1 : -2; }
    int64_t getColumnDim() { return getTransposeOut() ? -2 : -1; }
    /// Number of leading batch dimensions of `out`.
    int64_t getBatchRank() { return getOut().getType().getRank() - 2; }
    /// The tensor that is read as `input`: the operand, or `out` without one.
    ::mlir::TypedValue<::mlir::RankedTensorType> getInputOrOut() {
      return getInput() ? getInput() : getOut();
    }
  }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_BSRADDMM_BSRADDMMOP_TD
