//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_FLEXATTENTIONBACKWARD_FLEXATTENTIONDKDVOP_TD
#define SATTN_DIALECT_SATTN_IR_FLEXATTENTIONBACKWARD_FLEXATTENTIONDKDVOP_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "sattn/Dialect/SAttn/IR/ContractOpInterface.td"
include "sattn/Dialect/SAttn/IR/ExtentConstraintOpInterface.td"
include "sattn/Dialect/SAttn/IR/FlexAttention/MaskAttr.td"
include "sattn/Dialect/SAttn/IR/SAttnAttrs.td"
include "sattn/Dialect/SAttn/IR/SAttnBase.td"
include "sattn/Dialect/SAttn/IR/SAttnInterfaces.td"
include "sattn/Dialect/SAttn/IR/ScoreOpInterface.td"
include "sattn/Dialect/SAttn/IR/TuningOpInterface.td"

def SAttn_FlexAttentionDkdvOp : SAttn_Op<"flex_attention_dkdv", [
    AttrSizedOperandSegments, IsolatedFromAbove, NoMemoryEffect,
    SAttn_ScalarOf<"scale", "q">, SAttn_ScalarOf<"probability", "q">,
    SAttn_ScoreOpInterface,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getIterationDomain", "getLoopIteratorTypes", "getTiledImplementation",
       "getResultTilePosition"]>,
    DeclareOpInterfaceMethods<SAttn_TileProgramOpInterface,
                              ["getTileSchedule"]>,
    DeclareOpInterfaceMethods<SAttn_ContractOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>,
    DeclareOpInterfaceMethods<SAttn_TuningOpInterface>]> {
  let summary = "The gradients of keys and values in flex attention";
  let description = [{
    With p_j, ds_j and dt_j of `sattn.flex_attention_dq`, for each head g of keys
    and each key j,

    ```
    dk[b,g,j] = scale * sum over h and i of dt_j[b,h,i] * q[b,h,i]
    dv[b,g,j] = sum over h and i of p_j[b,h,i] * grad_out[b,h,i]
    ```

    over the heads h of the group g, g * group to g * group + group - 1, and the
    queries i that see the key; where `k` and `v` have one batch for all, over the
    batches, too.

    | operand                 | shape                     | element type   |
    |-------------------------|---------------------------|----------------|
    | `scale`                 |                           | f32, with `q` of f64 f64 |
    | `q`                     | (B, H, M, D)              | f16, bf16, f32, f64 |
    | `k`                     | (B or 1, H / group, N, D) | that of `q`    |
    | `v`                     | (B or 1, H / group, N, E) | that of `q`    |
    | `grad_out`              | (B, H, M, E)              | that of `q`    |
    | `lse2`, `delta`         | (B, H, M)                 | that of `scale` |
    | `max_scores`, optional  | (B, H, M)                 | that of `scale` |
    | `partial`, `full`       | (B or 1, H or 1, ceil(N / BK)) and (B or 1, H or 1, ceil(N / BK), any), optional | i32 |
    | `stored`: `crow`, `col` | (B or 1, H or 1, N / BK + 1) and (B or 1, H or 1, nnz), optional | i32, i64 |
    | `key_lengths`           | (B), optional             | i32            |
    | `probability`, `random`: of `dropout`, optional | none and (2) | that of `scale`, i64 |
    | `captures`              | any, any number           | integers, floats |
    | `outs`: `dk`            | that of `k`               | that of `q`    |
    | `outs`: `dv`            | that of `v`               | that of `q`    |

    `only` = "dk" or "dv" leaves the other out. On a GPU both sums of a tile of keys
    with heads of more than 128 columns do not fit in registers; two ops, one for
    each, compute the scores twice and are faster than one.

    B is missing where `q` has rank 3, as in `sattn.flex_attention`.

    Semantics:

    1. Visible keys, the functions and their captures are as of
       `sattn.flex_attention` (its semantics 1 and 3).
    2. The lists are transposed: for each block of BK keys how many blocks of BQ
       queries read it, and which, `block_size` = [BQ, BK].
    3. `lse2`, `delta`, `max_scores`, the derivative, rounding and the order of
       sums are as semantics 2 to 5 of `sattn.flex_attention_dq` say; p_j, too, is
       rounded to the element type of `q` before it is multiplied.
    4. A key that is visible to no query has gradients of 0. Rows of `k` and `v` from
       key_lengths[b] on are not multiplied. Rows of `q` and `grad_out` must be
       finite in blocks that are read, also those of queries that see nothing.
    5. `stored` is the transpose of the pattern in semantics 7 of
       `sattn.flex_attention_dq`: for each block of BK keys which blocks of BQ
       queries see it.
    6. With `dropout` p_j in dv is w_j * p_j of semantics 8 there.

    Constraints:

    - (C1) Each operand has its rank of the table: 3 or 4 for `q`.
    - (C2) Each operand has an element type of the table. That of `scale` is f64
      with `q` of f64, else f32.
    - (C3) D and E are static, from 1 to 512, and with elements of f64 multiples of
      8.
    - (C4) Extents of the same name are equal; batches of `k` and `v` are equal;
      `group` is positive and H a multiple of it.
    - (C5) `block_size` is there if and only if a list is: two positive multiples
      of 16. Counts are at most the entries that there are. Entries are less than
      ceil(M / BQ). Lists of `full` have at least one place; an entry for a block that
      ends after M is the last of its list. Key lengths are in [0, N].
    - (C6) There are two of `outs`, or with `only` one, and the results have their
      types. `only` is "dk" or "dv".
    - (C7) `score_mod` and `mask_mod` are as (C7) of `sattn.flex_attention_dq`
      says.
    - (C8) `meta` is as (C8) of `sattn.flex_attention_dq` says, with a tile of K
      keys that walks blocks of M queries, and N columns of each of `outs`.
    - (C9) `origin` has as many entries as the op has loops: b, where there are
      batches, the head of the keys, j, and the first column where N is less than
      the columns of the widest of `outs`.
    - (C10) `precision` is "ieee" or, with f32, "tf32".
    - (C11) `crow` and `col` are as (C11) of `sattn.flex_attention_dq` says, but
      N is BK * (size of crow - 1) and M a multiple of BQ.
    - (C12) `dropout` is as (C12) of `sattn.flex_attention_dq` says.

    ```mlir
    %0:2 = sattn.flex_attention_dkdv scale(%scale)
        ins(%q, %k, %v, %grad_out, %lse2, %delta : tensor<?x?x?x64xbf16>,
            tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>,
            tensor<?x?x?xf32>, tensor<?x?x?xf32>)
        outs(%dk, %dv : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>)
        -> tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>
        {mask = #sattn.mask<right = 0>}
    ```
  }];
  let arguments = (ins
    SAttn_Scalar:$scale, AnyRankedTensor:$q, AnyRankedTensor:$k, AnyRankedTensor:$v,
    AnyRankedTensor:$grad_out, AnyRankedTensor:$lse2, AnyRankedTensor:$delta,
    Optional<AnyRankedTensor>:$max_scores,
    Optional<AnyRankedTensor>:$partial_counts,
    Optional<AnyRankedTensor>:$partial_indices,
    Optional<AnyRankedTensor>:$full_counts,
    Optional<AnyRankedTensor>:$full_indices,
    Optional<AnyRankedTensor>:$crow, Optional<AnyRankedTensor>:$col,
    Optional<AnyRankedTensor>:$key_lengths,
    Optional<SAttn_Scalar>:$probability, Optional<AnyRankedTensor>:$random,
    Variadic<AnyType>:$captures, Variadic<Index>:$origin,
    Variadic<AnyRankedTensor>:$outs,
    DefaultValuedAttr<I64Attr, "1">:$group,
    OptionalAttr<SAttn_MaskAttr>:$mask,
    OptionalAttr<DenseI64ArrayAttr>:$block_size,
    OptionalAttr<StrAttr>:$only,
    DefaultValuedStrAttr<StrAttr, "ieee">:$precision,
    OptionalAttr<SAttn_MetaAttr>:$meta);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$score_mod,
                        MaxSizedRegion<1>:$mask_mod);
  let assemblyFormat = [{
    `scale` `(` $scale `)`
    `ins` `(` $q `,` $k `,` $v `,` $grad_out `,` $lse2 `,` $delta `:`
              type($q) `,` type($k) `,` type($v) `,` type($grad_out) `,`
              type($lse2) `,` type($delta) `)`
    (`max_scores` `(` $max_scores^ `:` type($max_scores) `)`)?
    (`partial` `(` $partial_counts^ `,` $partial_indices `:`
                   type($partial_counts) `,` type($partial_indices) `)`)?
    (`full` `(` $full_counts^ `,` $full_indices `:`
                type($full_counts) `,` type($full_indices) `)`)?
    (`stored` `(` $crow^ `,` $col `:` type($crow) `,` type($col) `)`)?
    (`key_lengths` `(` $key_lengths^ `:` type($key_lengths) `)`)?
    (`dropout` `(` $probability^ `,` $random `:` type($random) `)`)?
    (`captures` `(` $captures^ `:` type($captures) `)`)?
    (`origin` `(` $origin^ `)`)?
    `outs` `(` $outs `:` type($outs) `)` `->` type($results)
    (`score_mod` $score_mod^)? (`mask_mod` $mask_mod^)? attr-dict
  }];
  let extraClassDeclaration = [{
    bool isByKeys() { return true; }
    /// Number of heads whose queries share rows: 1, since queries of different
    /// heads are in different rows.
    uint64_t getPackedHeads() { return 1; }
    /// The names of `outs`.
    ::llvm::ArrayRef<::llvm::StringRef> getGradients();
    /// The gradient of that name, null where `only` leaves it out.
    ::mlir::Value getGradient(::llvm::StringRef name);
    int64_t getTiledColumns();
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_FLEXATTENTIONBACKWARD_FLEXATTENTIONDKDVOP_TD
