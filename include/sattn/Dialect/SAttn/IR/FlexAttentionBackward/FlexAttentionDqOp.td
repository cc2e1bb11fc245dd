//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_FLEXATTENTIONBACKWARD_FLEXATTENTIONDQOP_TD
#define SATTN_DIALECT_SATTN_IR_FLEXATTENTIONBACKWARD_FLEXATTENTIONDQOP_TD

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

def SAttn_FlexAttentionDqOp : SAttn_Op<"flex_attention_dq", [
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
  let summary = "The gradient of queries in flex attention";
  let description = [{
    With the operands of `sattn.flex_attention` and its results, and `grad_out`,
    the gradient of `out`:

    ```
    t_j    = scale * (q[b, h, i] . k[b, h / group, j])
    s_j    = score_mod(t_j, b, h, i, j)
    p_j    = exp2(log2(e) * s_j - lse2[b,h,i])
    ds_j   = p_j * (grad_out[b,h,i] . v[b, h / group, j] - delta[b,h,i])
    dt_j   = score_mod'(t_j, ds_j, b, h, i, j)
    dq[b,h,i] = scale * sum over j of dt_j * k[b, h / group, j]
    ```

    over the keys j that are visible to the query, where score_mod'(t, c, ...) is c times the
    derivative of score_mod at t.

    | operand                 | shape                     | element type   |
    |-------------------------|---------------------------|----------------|
    | `scale`                 |                           | f32, with `q` of f64 f64 |
    | `q`                     | (B, H, M, D)              | f16, bf16, f32, f64 |
    | `k`                     | (B or 1, H / group, N, D) | that of `q`    |
    | `v`                     | (B or 1, H / group, N, E) | that of `q`    |
    | `grad_out`              | (B, H, M, E)              | that of `q`    |
    | `lse2`, `delta`         | (B, H, M)                 | that of `scale` |
    | `max_scores`, optional  | (B, H, M)                 | that of `scale` |
    | `partial`, `full`       | as of `sattn.flex_attention` | i32         |
    | `stored`: `crow`, `col` | (B or 1, H or 1, M / BQ + 1) and (B or 1, H or 1, nnz), optional | i32, i64 |
    | `key_lengths`           | (B), optional             | i32            |
    | `probability`, `random`: of `dropout`, optional | none and (2) | that of `scale`, i64 |
    | `captures`              | any, any number           | integers, floats |
    | `outs`: `dq`            | (B, H, M, D)              | that of `q`    |

    B is missing where `q` has rank 3, as in `sattn.flex_attention`.

    Semantics:

    1. Visible keys, the lists, the functions and their captures are
       as of `sattn.flex_attention` (its semantics 1 to 3).
    2. `lse2` is the logarithm of a query's sum of exponentials of scores to the
       base 2, and +inf where no key is visible: that query contributes nothing.
       `delta` is grad_out . out, less the gradient of the natural logarithm of
       the sum, if there is one. With `max_scores`, a query's greatest scores
       (0 where no key is visible), `lse2` is less log2(e) * max_scores, and
       p_j = exp2(log2(e) * (s_j - max_scores) - lse2): right also where scores
       are so large that their sum hides the logarithm.
    3. The derivative of `score_mod` is that of `sattn-differentiate`. Where p_j
       is 0, dt_j is 0, whatever the derivative is.
    4. Products and sums are of the type of `scale`; dt_j is rounded to the element type of `q`
       before it is multiplied, and with `precision` "tf32" as the products'
       operands are.
    5. The order of sums is that of the blocks: two runs give the same bits.
    6. Rows of `k` and `v` from the end of the visible keys on, as in
       semantics 6 of `sattn.flex_attention`, are not multiplied. Elsewhere in
       blocks that are read both must be finite.
    7. With `stored` the keys visible to a query of block row r are those of the blocks of BQ
       queries and BK keys, `block_size`, at block columns col[p] for p in
       [crow[r], crow[r+1]): a block that a row has twice counts twice.
    8. With `dropout`, ds_j is p_j * (w_j * (grad_out . v) - delta), where w_j is 0 if

       ```
       floor(philox(j, i, b * H + h, random[1])[0] / 2^8) < probability * 2^24
       ```

       and else 1 / (1 - `probability`). `philox` is Philox4x32-10 of this counter,
       each number modulo 2^32, whose key is the lower and the upper half of
       random[0]. A probability outside of [0, 1] is the nearer of the two, a NaN 0.

    Constraints:

    - (C1) Each operand has its rank of the table: 3 or 4 for `q`.
    - (C2) Each operand has an element type of the table. That of `scale` is f64
      with `q` of f64, else f32.
    - (C3) D and E are static, from 1 to 512, and with elements of f64 multiples of
      8.
    - (C4) Extents of the same name are equal; batches of `k` and `v` are equal;
      `group` is positive and H a multiple of it.
    - (C5) Lists and key lengths are as (C5) of `sattn.flex_attention` says.
    - (C6) There is one of `outs`, and the result has its type.
    - (C7) `score_mod` and `mask_mod` are as (C7) of `sattn.flex_attention` says,
      and each op between the score and the value of `score_mod` has a derivative.
    - (C8) `meta` has tiles of M queries, N columns of `dq` and K keys. All are
      multiples of 8; N is at most D rounded up to a multiple of 64. Where N is a
      multiple of 64 and the narrower of both heads has from 33 to 63 columns of
      16 bits, operands are padded to multiples of 64. M and K are at most 1024
      and divide BQ and BK.
    - (C9) `origin` has as many entries as the op has loops: b, where there are
      batches, h, i, and the first column where N is less than D.
    - (C10) `precision` is "ieee" or, with f32, "tf32".
    - (C11) `crow` and `col` have one element type and come without another list,
      `key_lengths`, `mask`, `score_mod` and `mask_mod`. M is BQ * (size of crow -
      1), N a multiple of BK.
    - (C12) `random` is a tensor<2xi64>, and comes with `probability`, which has
      the type of `scale`.

    ```mlir
    %0 = sattn.flex_attention_dq scale(%scale)
        ins(%q, %k, %v, %grad_out, %lse2, %delta : tensor<?x?x?x64xbf16>,
            tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>,
            tensor<?x?x?xf32>, tensor<?x?x?xf32>)
        outs(%dq : tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16>
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
    bool isByKeys() { return false; }
    int64_t getTiledColumns() { return getHeadDim(); }
    /// Number of heads whose queries share rows: 1, since queries of different
    /// heads are in different rows.
    uint64_t getPackedHeads() { return 1; }
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_FLEXATTENTIONBACKWARD_FLEXATTENTIONDQOP_TD
