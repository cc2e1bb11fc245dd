//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SAMPLEDADDMM_SAMPLEDADDMMOP_TD
#define SATTN_DIALECT_SATTN_IR_SAMPLEDADDMM_SAMPLEDADDMMOP_TD

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

def SAttn_SampledAddmmOp : SAttn_Op<"sampled_addmm", [
    AttrSizedOperandSegments, NoMemoryEffect,
    SAttn_ScalarOf<"alpha", "mat1">, SAttn_ScalarOf<"beta", "mat1">,
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
    DeclareOpInterfaceMethods<SAttn_StorageOpInterface>,
    DeclareOpInterfaceMethods<SAttn_TuningOpInterface>]> {
  let summary = "Product of dense matrices at the stored blocks of a matrix";
  let description = [{
    Computes, for every batch and every stored block p, which is at block row i
    and block column j = col[p] of an M x N matrix of BM x BN blocks,

    ```
    out[p] = beta * input[p]
           + alpha * (mat1[i * BM : (i + 1) * BM, :] @ mat2[:, j * BN : (j + 1) * BN])
    ```

    | operand  | shape                         | element type     | or  | or             | or               |
    |----------|-------------------------------|------------------|-----|----------------|------------------|
    | `alpha`, `beta` |                        | f32              | f64 | f32            | f32              |
    | `crow`   | (*, M / BM + 1)               | i32, i64         |     |                |                  |
    | `col`    | (*, nnz)                      | that of `crow`   |     |                |                  |
    | `mat1`   | (*, M, K)                     | f16, bf16, f32   | f64 | i8             | f8E4M3FN, f8E5M2 |
    | `mat2`   | (*, K, N)                     | that of `mat1`   | f64 | i8             | f8E4M3FN, f8E5M2 |
    | `input`  | (*, nnz, BM, BN), optional    | that of `mat1`   | f64 | that of `out`  | that of `out`    |
    | `out`    | (*, nnz, BM, BN)              | f16, bf16, f32   | f64 | i32, bf16, f32 | bf16, f32        |

    Without `crow` and `col`, `out` is the whole matrix, (*, M, N), in upstream's
    encoding of block-sparse matrices, from which `sattn-unpack-bsr` makes the
    three operands; the result has the same stored blocks:

    ```
    #sparse_tensor.encoding<{map = (i, j) -> (i floordiv BM : dense,
        j floordiv BN : compressed, i mod BM : dense, j mod BN : dense)}>
    ```

    `*` stands for leading batch dimensions, which broadcast to those of `out`
    as NumPy's do. Factors may be transposed in memory: with `transpose_mat2`, `mat2`
    is (*, N, K), as keys are in attention, with `transpose_mat1`, `mat1` is (*, K, M),
    as both are where the gradient of a layer's weights is computed. Semantics:

    1. Block row i consists of the blocks p in [crow[i], crow[i+1]). crow's first
       entry need not be 0. Columns may come in any order, and repeat.
    2. The matrix product accumulates in f32, and so does the epilogue; the result
       is rounded once, to the element type of `out`. With `precision` "tf32" the
       elements of f32 `mat1` and `mat2` may be rounded or cut to tf32 (10
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
    4. If beta is 0, `input` (or `out`) is not read. If alpha is 0, `mat1` and
       `mat2` are not read. Both hold for run-time values too.
    5. A block that no block row has, before crow's first offset or from its last
       one on, is beta * `input`; its column is not read. So is every block if K is
       0, for any alpha.
    6. If crow is not monotone, an entry is outside [0, nnz], or a referenced column
       is outside [0, N / BN), the behavior is undefined; the runtime checks this
       (`sattn-record-contracts`).

    Constraints:

    - (C1) `out` has rank 3 or more, or 2 or more in the encoding; each operand has its rank of the table plus at
      most the batch rank of `out`.
    - (C2) The element type of `crow` and `col` is one of i32, i64, and equal.
    - (C3) The element types of `mat1` and `mat2` are equal, or 8-bit floats. That of
      `input` is theirs or, if they have 8 bits, that of `out`.
    - (C4) The element type of `mat1` is one of f16, bf16, f32, f64, i8, f8E4M3FN,
      f8E5M2. That of `out` is one of f16, bf16, f32; with `mat1` of f64 it is f64; of
      i8 one of i32, bf16, f32; of 8-bit floats one of bf16, f32.
    - (C5) BM and BN are static, positive multiples of 8.
    - (C6) M of `mat1` is BM * (size of crow - 1), or that of `out`.
    - (C7) N of `mat2` is a multiple of BN, and that of `out` if it has one.
    - (C8) K of `mat2` is that of `mat1`.
    - (C9) `col`, `input` and `out` have the same nnz, `input` and `out` the same
      blocks.
    - (C10) Each batch dimension is 1 or that of `out`.
    - (C11) The result has the type of `out`.
    - (C12) The tile of `meta` has sizes from 1 to 65536 that are multiples of 8, M a
      divisor of BM, N a divisor of BN or 2 to 32 times BN, for so many stored blocks
      that follow each other: on GPUs one CTA computes them, with one copy
      of rows of `mat1` for those of a block row. If K of `mat1` is static and at
      most that of the tile, and `beta` the constant 0, it computes them one after
      the other. M * N, M * K and K * N are at most 2^26.
    - (C13) `precision` is "ieee" or, with f32, "tf32".
    - (C14) `origin` has as many entries as the op has loops, the rank of `out`, and
      comes with `block_size`, BM and BN.
    - (C15) `crow` and `col` come together. Without them `out` is in the encoding
      above, perhaps with levels of batches in front, all of them `batch`; positions
      and coordinates have the same width, 32 or 64 (0 is 64), and M and N are
      multiples of BM and BN. No other operand is in an encoding, and there is no
      `input` and no `origin`.
    - (C16) No operand whose sizes are static has 2^63 bytes or more, except `out`
      in the encoding.
    - (C17) `alpha` and `beta` are f64 with `mat1` of f64, else f32.

    Dynamic sizes are constrained in the same way at run time. `origin` says which
    tile of the problem `out` is, by batch, block, and row and column in the block;
    then `out` is a part of a block of `block_size`, and all other operands stay
    whole.

    ```mlir
    %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
        ins(%crow, %col, %mat1, %mat2 : tensor<9xi32>, tensor<?xi32>,
            tensor<512x?xbf16>, tensor<?x1024xbf16>)
        outs(%out : tensor<?x64x64xbf16>)
        {meta = #sattn.meta<tile = [64, 64, 64]>} -> tensor<?x64x64xbf16>
    %1 = sattn.sampled_addmm alpha(%alpha) beta(%beta)
        ins(%mat1, %mat2 : tensor<512x?xbf16>, tensor<?x1024xbf16>)
        outs(%c : tensor<512x1024xbf16, #bsr>) -> tensor<512x1024xbf16, #bsr>
    ```
  }];
  let arguments = (ins
    SAttn_Scalar:$alpha, SAttn_Scalar:$beta,
    Optional<AnyRankedTensor>:$crow, Optional<AnyRankedTensor>:$col,
    AnyRankedTensor:$mat1, AnyRankedTensor:$mat2,
    Optional<AnyRankedTensor>:$input, Variadic<Index>:$origin,
    AnyRankedTensor:$out, OptionalAttr<SAttn_MetaAttr>:$meta,
    OptionalAttr<DenseI64ArrayAttr>:$block_size,
    DefaultValuedStrAttr<StrAttr, "ieee">:$precision,
    UnitAttr:$transpose_mat1, UnitAttr:$transpose_mat2);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `alpha` `(` $alpha `)` `beta` `(` $beta `)`
    `ins` `(` custom<BsrOperands>($crow, $col, $mat1, $mat2, type($crow),
                                  type($col), type($mat1), type($mat2)) `)`
    (`input` `(` $input^ `:` type($input) `)`)?
    (`origin` `(` $origin^ `)`)?
    `outs` `(` $out `:` type($out) `)` attr-dict `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Whether the matrix is one operand, `out`, in upstream's encoding.
    bool isEncoded() { return !getCrow(); }
    /// Sizes of a block, also where `out` is a part of one.
    int64_t getBlockRows();
    int64_t getBlockColumns();
    /// Stored blocks of the tile of `meta`, and its columns in each.
    int64_t getBlocksPerTile();
    int64_t getTileColumns();
    /// Dimensions M and K of `mat1`, and K and N of `mat2`, counted from the last,
    /// -1.
    int64_t getRowDim() { return getTransposeMat1() ? -1 : -2; }
    int64_t getDepthDim() { return getTransposeMat1() ? -2 : -1; }
    int64_t getReducedDim() { return getTransposeMat2() ? -1 : -2; }
    int64_t getColumnDim() { return getTransposeMat2() ? -2 : -1; }
    /// Number of leading batch dimensions of `out`.
    int64_t getBatchRank() {
      return getOut().getType().getRank() - (isEncoded() ? 2 : 3);
    }
    /// Whether `out` is one tile of the problem.
    bool isTile() { return !getOrigin().empty(); }
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_SAMPLEDADDMM_SAMPLEDADDMMOP_TD
