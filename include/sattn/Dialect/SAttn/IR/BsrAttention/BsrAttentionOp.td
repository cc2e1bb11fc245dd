//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_BSRATTENTION_BSRATTENTIONOP_TD
#define SATTN_DIALECT_SATTN_IR_BSRATTENTION_BSRATTENTIONOP_TD

include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"
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

def SAttn_BsrAttentionOp : SAttn_Op<"bsr_attention", [
    AggregatedOpInterface, AttrSizedOperandSegments, NoMemoryEffect,
    SAttn_ScalarOf<"scale", "q">, SAttn_ScalarOf<"probability", "q">,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getIterationDomain", "getLoopIteratorTypes", "getTiledImplementation",
       "getResultTilePosition"]>,
    DeclareOpInterfaceMethods<SAttn_TileProgramOpInterface,
                              ["coversResults", "getTileSchedule", "planTiles"]>,
    DeclareOpInterfaceMethods<SAttn_ContractOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>,
    DeclareOpInterfaceMethods<SAttn_StorageOpInterface>,
    DeclareOpInterfaceMethods<SAttn_TuningOpInterface>]> {
  let summary = "Attention at the stored blocks of a block-sparse mask";
  let description = [{
    Computes, for every batch and every row i of `q`, over the keys j in the
    stored blocks of the row in an M x N matrix of BM x BN blocks,

    ```
    s_j    = scale * (q[i] . k[j])
    out[i] = sum over j of exp(s_j) * v[j] / sum over j of exp(s_j)
    ```

    | operand    | shape                  | element type   |
    |------------|------------------------|----------------|
    | `scale`    |                        | f32, with `q` of f64 f64 |
    | `crow`     | (*, M / BM + 1)        | i32, i64       |
    | `col`      | (*, nnz)               | that of `crow` |
    | `q`        | (*, M, D)              | f16, bf16, f32, f64 |
    | `k`        | (*, N, D)              | that of `q`    |
    | `v`        | (*, N, E)              | that of `q`    |
    | `probability`, `random`: of `dropout`, optional | none and (2) | that of `scale`, i64 |
    | `outs`: `out` | (*, M, E)           | that of `q`    |
    | `partial`, optional | (*, 2 * X * BM, E) | f32         |
    | `lse`, optional | (*, 2 * X * BM); without `partial` (*, M) | f32; without `partial` that of `scale` |

    `*` stands for the batch dimensions of `out`, to which those of the others
    broadcast as NumPy's do: heads may share a mask, keys and values, or have
    their own. `block_size` is [BM, BN]. Semantics:

    1. Block row i consists of the blocks p in [crow[i], crow[i+1]), block p at
       block column col[p]. crow's first entry need not be 0. Columns may come in
       any order. A block that a row has twice counts twice.
    2. A row without a block gives 0, and so does one whose scores are all -inf. A
       key whose score is -inf has no part in the sums, but for 3.
    3. Rows of `k` and `v` are read in the stored blocks of a block row alone: a NaN
       in others does not show. `v` must be finite in those that are read, where
       weights of 0 are multiplied.
    4. Scores and sums are f32; weights are rounded to the element type of `v`, and
       the result once, to that of `out`. With `precision` "tf32" the elements of
       f32 `q`, `k` and `v` and the weights may be rounded to tf32 (10 bits of
       mantissa). With "ieee", the default, threads of a GPU multiply, by FMA; the
       CPU computes in f32 either way. With f64 all of it is f64, on the CPU alone.
    5. With `dropout`, the weight of row i and key j in batch b is 0 if

       ```
       floor(philox(j, i, b, offset)[0] / 2^8) < probability * 2^24
       ```

       and else divided by 1 - `probability`; sums are of all weights, before that.
       `philox` is Philox4x32-10 of this counter, each number modulo 2^32; its key
       is the lower and the upper half of `random`[0], and offset is `random`[1]. b
       counts the batches of `out`, the last dimension fastest. So an element has
       the same weight whatever the tile, and both elements of a repeated column
       have. A probability outside of [0, 1] is the nearer of the two, a NaN is 0.
    6. With `partial` and `lse` the longest block rows are computed in parts, which
       `sattn.combine_parts` combines, so that no tile takes much longer than
       others. The nnz blocks are cut at each multiple of L = ceil(nnz / (X + 1)),
       of which X or fewer are below nnz: cut x, from 0 on, at (x + 1) * L. A block
       row of more than L + floor(L / 4) blocks consists of the parts between its
       cuts. Such a row's part up to the first of its cuts, x, has place x, and the
       part behind each of its cuts x place X + x, where BM rows of `partial` are the
       part's rows of the result in f32 and those of `lse` the logarithm to the base
       2 of the sums of exponentials. The row's rows of `out` and other places are
       unspecified.
    7. With `lse` and no `partial`, it is the natural logarithm of the sum over j of
       exp(s_j), -inf in a row without a block: what the gradients need. Long block
       rows are not computed in parts then.
    8. If crow is not monotone, an entry is outside [0, nnz], or a referenced column
       is outside [0, N / BN), the behavior is undefined; the runtime checks this
       (`sattn-record-contracts`).

    Constraints:

    - (C1) `out` has rank 2 or more; each operand has its rank of the table plus at
      most the batch rank of `out`.
    - (C2) The element type of `crow` and `col` is one of i32, i64, and equal.
    - (C3) The element type of `q` is one of f16, bf16, f32, f64, and those of `k`, `v`
      and `out` equal it. Those of `partial` and `lse` are f32.
    - (C4) D and E are static, from 1 to 512.
    - (C5) `block_size` is two positive numbers, BM a multiple of 8 and BN of 16, the
      depth of an MMA.
    - (C6) M of `q` is BM * (size of crow - 1), N of `k` a multiple of BN.
    - (C7) `k` has D columns, `v` N rows and `out` E columns; without `origin`, `out` has
      M rows.
    - (C8) Each batch dimension is 1 or that of `out`.
    - (C9) `random` is a tensor<2xi64>, and comes with `probability`.
    - (C10) The results have the types of `outs`.
    - (C11) `meta` has tiles of M queries, N columns of `v`, K keys: multiples of 8, K of
      16. M divides BM, K divides BN, and both are at most 1024; N is at most E
      rounded up to a multiple of 64, and padding where it is more than E rounded up
      to one of 8: `q` and `k` are then padded to at least 64 columns, too.
    - (C12) `origin` has as many entries as the op has loops: batches, rows, and the
      first column where N is less than E; with dropout then b. With `partial` it
      ends with the first block of the part and the number of the part's blocks, and
      the row is that of `q`.
    - (C13) `precision` is "ieee" or, with f32, "tf32".
    - (C14) No operand is in an encoding of `sparse_tensor`.
    - (C15) No operand whose sizes are static has 2^63 bytes or more.
    - (C16) `scale` and `probability` are f64 with `q` of f64, else f32.
    - (C17) `partial` comes with `lse`. They have the batch dimensions of `out` and
      the same rows, a multiple of 2 * BM; `partial` has E columns. `q` is not f64.
    - (C18) `lse` alone has the batch dimensions of `out`, M rows, and the type of
      `scale`.

    Dynamic sizes are constrained in the same way at run time. `origin` says which
    tile of the problem `out` is; then it is smaller, and all other operands stay
    whole.

    ```mlir
    %0 = sattn.bsr_attention scale(%scale)
        ins(%crow, %col, %q, %k, %v : tensor<?xi32>, tensor<?xi32>,
            tensor<16x?x128xbf16>, tensor<16x?x128xbf16>, tensor<16x?x128xbf16>)
        dropout(%probability, %random : tensor<2xi64>)
        outs(%out : tensor<16x?x128xbf16>) {block_size = array<i64: 64, 64>}
        -> tensor<16x?x128xbf16>
    ```
  }];
  let arguments = (ins
    SAttn_Scalar:$scale, AnyRankedTensor:$crow, AnyRankedTensor:$col,
    AnyRankedTensor:$q, AnyRankedTensor:$k, AnyRankedTensor:$v,
    Optional<SAttn_Scalar>:$probability, Optional<AnyRankedTensor>:$random,
    Variadic<Index>:$origin, Variadic<AnyRankedTensor>:$outs,
    DenseI64ArrayAttr:$block_size,
    DefaultValuedStrAttr<StrAttr, "ieee">:$precision,
    OptionalAttr<SAttn_MetaAttr>:$meta);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `scale` `(` $scale `)`
    `ins` `(` $crow `,` $col `,` $q `,` $k `,` $v `:` type($crow) `,` type($col)
              `,` type($q) `,` type($k) `,` type($v) `)`
    (`dropout` `(` $probability^ `,` $random `:` type($random) `)`)?
    (`origin` `(` $origin^ `)`)?
    `outs` `(` $outs `:` type($outs) `)` attr-dict `->` type($results)
  }];
  let extraClassDeclaration = [{
    /// The method of AggregatedOpInterface, whose declaration does not name its
    /// namespaces.
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    decomposeOperation(::mlir::OpBuilder &b);

    using Tensor = ::mlir::TypedValue<::mlir::RankedTensorType>;

    Tensor getOut() { return ::llvm::cast<Tensor>(getOuts()[0]); }
    /// Whether long block rows are computed in parts.
    bool hasParts() { return getOuts().size() == 3; }
    /// Whether the logarithm of each row's sum is computed.
    bool hasLse() { return getOuts().size() == 2; }
    /// The partial results; only with parts.
    Tensor getPartial() { return ::llvm::cast<Tensor>(getOuts()[1]); }
    /// The LSE; only with parts, or where hasLse().
    Tensor getLse() { return ::llvm::cast<Tensor>(getOuts().back()); }
    int64_t getBlockRows() { return getBlockSize()[0]; }
    int64_t getBlockColumns() { return getBlockSize()[1]; }
    int64_t getHeadDim() { return getQ().getType().getShape().back(); }
    int64_t getValueDim() { return getV().getType().getShape().back(); }
    /// Number of leading batch dimensions of `out`.
    int64_t getBatchRank() { return getOut().getType().getRank() - 2; }
    /// Whether `out` is one tile of the problem.
    bool isTile() { return !getOrigin().empty(); }
    /// Whether a tile has a part of the columns of `v`: the scores are then
    /// computed for each part.
    bool splitsColumns() {
      return getMeta() && getMeta()->getTile()[1] < getValueDim();
    }
    /// Number of loops over tiles: batches, rows, and parts of the columns.
    int64_t getNumLoops() { return getBatchRank() + 1 + splitsColumns(); }
    /// The number of a tile's origins: the loops' indices; with dropout, the
    /// number of the batch; with parts, the first block and the number of
    /// blocks.
    int64_t getNumOrigins() {
      return getNumLoops() + bool(getRandom()) + 2 * hasParts();
    }
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_BSRATTENTION_BSRATTENTIONOP_TD
