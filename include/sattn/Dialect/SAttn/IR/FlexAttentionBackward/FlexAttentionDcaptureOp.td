//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_FLEXATTENTIONBACKWARD_FLEXATTENTIONDCAPTUREOP_TD
#define SATTN_DIALECT_SATTN_IR_FLEXATTENTIONBACKWARD_FLEXATTENTIONDCAPTUREOP_TD

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

def SAttn_FlexAttentionDcaptureOp : SAttn_Op<"flex_attention_dcapture", [
    AttrSizedOperandSegments, IsolatedFromAbove, NoMemoryEffect,
    SAttn_ScalarOf<"scale", "q">, SAttn_ScoreOpInterface,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getIterationDomain", "getLoopIteratorTypes", "getTiledImplementation",
       "getResultTilePosition"]>,
    DeclareOpInterfaceMethods<SAttn_TileProgramOpInterface,
                              ["coversResults", "getTileSchedule"]>,
    DeclareOpInterfaceMethods<SAttn_ContractOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>,
    DeclareOpInterfaceMethods<SAttn_TuningOpInterface>]> {
  let summary = "The gradient of a captured number, at each query and key";
  let description = [{
    With p_j and ds_j of `sattn.flex_attention_dq`, for each batch b, head h, query
    i and key j that is visible to it,

    ```
    grad[b,h,i,j] = ds_j * d score_mod(t_j, b, h, i, j) / d x
    ```

    where x is the number that is captured as `number`. The gradient of x is the
    sum of all; that of an element of a captured tensor is the sum over the places
    that read it, for which `score_mod` adds x, which is 0, to what it reads.

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
    | `key_lengths`           | (B), optional             | i32            |
    | `captures`              | any, any number           | integers, floats |
    | `outs`: `grad`          | (B, H, M, N)              | that of `scale` |

    B is missing where `q` has rank 3, as in `sattn.flex_attention`.

    Semantics:

    1. Operands, lists, functions and the derivative are as semantics 1 to 3 and 6
       of `sattn.flex_attention_dq` say.
    2. `grad` has 0 where a query does not see a key of a block that it reads.
       Elements of blocks that are not read stay as they are.

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
    - (C7) `score_mod` is there; it and `mask_mod` are as (C7) of
      `sattn.flex_attention_dq` says.
    - (C8) `meta` has tiles of M queries and K keys, as of `sattn.flex_attention`;
      N is E rounded up to a multiple of 8 or, padded, to one of 64.
    - (C9) `origin` has as many entries as the op has loops: b, where there are
      batches, h, i.
    - (C10) `precision` is "ieee" or, with f32, "tf32".
    - (C11) `number` is the place of one of `captures`, of the type of `scale`.

    ```mlir
    %0 = sattn.flex_attention_dcapture scale(%scale)
        ins(%q, %k, %v, %grad_out, %lse2, %delta : tensor<?x?x?x64xbf16>,
            tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>,
            tensor<?x?x?xf32>, tensor<?x?x?xf32>)
        captures(%gain : f32)
        outs(%grad : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
        score_mod {
        ^bb0(%score: f32, %b: i32, %h: i32, %i: i32, %j: i32, %gain_in: f32):
          %r = arith.mulf %score, %gain_in : f32
          sattn.yield %r : f32
        }
        {number = 0 : i64}
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
    Optional<AnyRankedTensor>:$key_lengths,
    Variadic<AnyType>:$captures, Variadic<Index>:$origin,
    Variadic<AnyRankedTensor>:$outs,
    DefaultValuedAttr<I64Attr, "1">:$group,
    OptionalAttr<SAttn_MaskAttr>:$mask,
    OptionalAttr<DenseI64ArrayAttr>:$block_size,
    DefaultValuedStrAttr<StrAttr, "ieee">:$precision,
    I64Attr:$number,
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
    (`key_lengths` `(` $key_lengths^ `:` type($key_lengths) `)`)?
    (`captures` `(` $captures^ `:` type($captures) `)`)?
    (`origin` `(` $origin^ `)`)?
    `outs` `(` $outs `:` type($outs) `)` `->` type($results)
    (`score_mod` $score_mod^)? (`mask_mod` $mask_mod^)? attr-dict
  }];
  let extraClassDeclaration = [{
    bool isByKeys() { return false; }
    int64_t getTiledColumns() { return getValueDim(); }
    /// Number of heads whose queries share rows: 1, since queries of different
    /// heads are in different rows.
    uint64_t getPackedHeads() { return 1; }
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_FLEXATTENTIONBACKWARD_FLEXATTENTIONDCAPTUREOP_TD
