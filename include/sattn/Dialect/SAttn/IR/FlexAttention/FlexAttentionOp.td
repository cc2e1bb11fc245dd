//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_FLEXATTENTION_FLEXATTENTIONOP_TD
#define SATTN_DIALECT_SATTN_IR_FLEXATTENTION_FLEXATTENTIONOP_TD

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

def SAttn_FlexAttentionOp : SAttn_Op<"flex_attention", [
    AttrSizedOperandSegments, IsolatedFromAbove, NoMemoryEffect,
    SAttn_ScalarOf<"scale", "q">, SAttn_ScoreOpInterface,
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
  let summary = "Attention with masks and modified scores, forward";
  let description = [{
    For each batch b, head h and query i,

    ```
    s_j        = score_mod(scale * (q[b, h, i] . k[b, h / group, j]), b, h, i, j)
    out[b,h,i] = sum over j of exp(s_j) * v[b, h / group, j] / sum over j of exp(s_j)
    lse[b,h,i] = log(sum over j of exp(s_j))
    max_scores[b,h,i] = max over j of s_j
    ```

    over the keys j that are visible to the query. Where none is, its row of `out` is 0
    and its `lse` and `max_scores` are -inf.

    | operand                 | shape                     | element type   |
    |-------------------------|---------------------------|----------------|
    | `scale`                 |                           | f32, with `q` of f64 f64 |
    | `q`                     | (B, H, M, D)              | f16, bf16, f32, f64 |
    | `k`                     | (B or 1, H / group, N, D) | that of `q`    |
    | `v`                     | (B or 1, H / group, N, E) | that of `q`    |
    | `partial`, `full`       | (B or 1, H or 1, ceil(M / BQ)) and (B or 1, H or 1, ceil(M / BQ), any), optional | i32 |
    | `key_lengths`           | (B), optional             | i32            |
    | `captures`              | any, any number           | integers, floats |
    | `outs`: `out`           | (B, H, M, E)              | that of `q`    |
    | `outs`: `lse`, optional | (B, H, M)                 | that of `scale` |
    | `outs`: `max_scores`, after `lse`, optional | (B, H, M) | that of `scale` |

    B is missing where `q` has rank 3: H then stands for heads of all batches, b is
    0, and `key_lengths` is (H).

    Semantics:

    1. Key j is visible to query i if j < N, j < key_lengths[b], `mask` says so and
       `mask_mod` gives true; what is absent does not restrict. With `key_lengths`,
       `bottom_right` counts from key_lengths[b] in the place of N.
    2. `partial` and `full` are two block lists with blocks of BQ queries and BK keys,
       `block_size` = [BQ, BK]: how many blocks of keys each block of queries
       reads, and which. Key j is visible to query i only if a list has its block. Of blocks
       of `full`, `mask` and `mask_mod` are true and not evaluated. Entries after
       the number are not read. A block in the lists twice counts twice.
    3. `score_mod` gets the scaled score and b, h, i, j as i32 and gives a score;
       `mask_mod` gets b, h, i, j and gives i1. Both get the captures after them.
       Captured tensors are read by `tensor.extract`; an index outside the tensor
       reads an unspecified element of it.
    4. Scores and sums are f32, with `q` of f64, which the CPU alone takes, f64;
       weights are rounded to the element type of `v`.
       With `precision` "tf32" the elements of f32 `q`, `k` and `v` and the
       weights may be rounded to tf32 (10 bits of mantissa). A key whose score is
       -inf is not visible; one with a very low finite score is, also where it is the
       lowest number of f32, unless what `score_mod` multiplies by scores or
       positions, and reads at no query or key, makes it that.
    5. With 16-bit `q`, additions and multiplications of `score_mod` and those by
       the scale may be reassociated and contracted (`fastmath<reassoc, contract,
       arcp>`), and integers of more than 24 bits that they convert may be rounded
       twice; not so values that are compared, rounded to whole numbers or become
       integers. With f32 they are computed as written.
    6. A NaN in a row of `k` does not show where it is visible to no query. Rows of `v` are
       not read in blocks of keys (K of the tile) that are in no list, or without
       lists lie whole outside of the band of `mask` of all rows of the tile, and
       never multiplied from key_lengths[b] or from N on, or from the end of what
       `mask_mod` lets any row see, if that end is captured as in `j < length` or
       computed from captures: a NaN there does not show either.
       Elsewhere weights of keys that are not visible are 0 and multiplied: `v` must be
       finite there. A producer that cannot promise it clears those rows of `v`
       first, by a select of the same condition.
    7. With `packed_heads` = P the rows of `q` and of the results are those of P
       heads, one after the other, and M is the number of rows over P: row r of their head
       g is query r mod M of head h = P g + r / M, which is what the functions get.
       `k` and `v` have a head for `group` heads g, and lists have at most one
       block of queries, for all heads of g. Few queries of heads that share
       `k` and `v` thereby fill the rows of one tile.

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
      ceil(N / BK). Lists of `full` have at least one place; an entry for a block that
      ends after N is the last of its list. Key lengths are in [0, N]. With
      `packed_heads` M is at most BQ.
    - (C6) There are one to three `outs`, and the results have their types.
    - (C7) `score_mod` and `mask_mod` have the arguments above, one block, and
      nothing but constants, elementwise ops on scalars and `tensor.extract` of
      captured tensors.
    - (C8) `meta` has tiles of M queries, N columns of `v`, K keys. All are
      multiples of 8; N is at most E rounded up to a multiple of 64, and padding
      where it is more than E rounded up to one of 8: `q` and `k` are then padded
      to at least 64 columns, too. M and K are at most 1024; K divides BK, and M,
      without `packed_heads`, BQ.
    - (C9) `origin` has as many entries as the op has loops: b, where there are
      batches, h, i, and the first column where N is less than E.
    - (C10) `precision` is "ieee" or, with f32, "tf32".
    - (C11) `packed_heads` is from 1 to 1024, and divides the rows of `q`.

    `origin` says which tile of the problem `outs` is; then they are smaller, and
    all other operands stay whole.

    ```mlir
    %0 = sattn.flex_attention scale(%scale)
        ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>,
            tensor<?x?x?x128xbf16>)
        captures(%slopes : tensor<?xf32>)
        outs(%out : tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
        score_mod {
        ^bb0(%score: f32, %b: i32, %h: i32, %i: i32, %j: i32,
             %slopes_in: tensor<?xf32>):
          %head = arith.index_cast %h : i32 to index
          %slope = tensor.extract %slopes_in[%head] : tensor<?xf32>
          %distance = arith.subi %j, %i : i32
          %distance_f = arith.sitofp %distance : i32 to f32
          %bias = arith.mulf %slope, %distance_f : f32
          %result = arith.addf %score, %bias : f32
          sattn.yield %result : f32
        }
        {mask = #sattn.mask<right = 0>}
    ```
  }];
  let arguments = (ins
    SAttn_Scalar:$scale, AnyRankedTensor:$q, AnyRankedTensor:$k, AnyRankedTensor:$v,
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
    DefaultValuedAttr<I64Attr, "1">:$packed_heads,
    OptionalAttr<SAttn_MetaAttr>:$meta);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$score_mod,
                        MaxSizedRegion<1>:$mask_mod);
  let assemblyFormat = [{
    `scale` `(` $scale `)`
    `ins` `(` $q `,` $k `,` $v `:` type($q) `,` type($k) `,` type($v) `)`
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
    using Tensor = ::mlir::TypedValue<::mlir::RankedTensorType>;

    Tensor getOut() { return ::llvm::cast<Tensor>(getOuts()[0]); }
    /// The LSE; null if it is not wanted.
    Tensor getLse() {
      return getOuts().size() > 1 ? ::llvm::cast<Tensor>(getOuts()[1])
                                  : Tensor();
    }
    /// The greatest scores; null if they are not wanted.
    Tensor getMaxScores() {
      return getOuts().size() > 2 ? ::llvm::cast<Tensor>(getOuts()[2])
                                  : Tensor();
    }
    bool isByKeys() { return false; }
    int64_t getTiledColumns() { return getValueDim(); }
  }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_FLEXATTENTION_FLEXATTENTIONOP_TD
