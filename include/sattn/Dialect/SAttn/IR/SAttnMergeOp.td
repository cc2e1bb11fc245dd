//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SATTNMERGEOP_TD
#define SATTN_DIALECT_SATTN_IR_SATTNMERGEOP_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/SAttn/IR/ExtentConstraintOpInterface.td"
include "sattn/Dialect/SAttn/IR/SAttnBase.td"

def SAttn_MergeOp : SAttn_Op<"merge", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>]> {
  let summary = "Merge pair lists that share right operands";
  let description = [{
    Lists of pairs (p, q), one for each of E entries, are merged in groups of L =
    `lists` entries that follow each other, so that one walk serves a group: its
    steps are the q of all of its lists, each with the p that the lists have for
    it. The op does for lists in any order what `sattn.plan` does for block rows:

    | operand   | shape           | element type        |                         |
    |-----------|-----------------|---------------------|-------------------------|
    | `offsets` | (E + 1), or with `r` (R + 1) | i32, i64 | where lists begin in `q` |
    | `q`       | (T)             | i32, i64            | second members          |
    | `p`       | (T), optional   | i32, i64            | first members           |
    | `r`       | (E), optional   | i32, i64            | places of entries       |
    | `counts`  | (ceil(E / L))   | i32                 | steps of each group     |
    | `steps`   | (T, 1 + L)      | i32, i64            | the steps               |

    Semantics:

    1. With `p` the list of entry i is q[g] with p[g] for g in
       [offsets[i], offsets[i + 1]).
    2. With `r` entry i is at row m and column n of a grid of matrices of `rows` x
       `width` elements, `across` in a row: r[i] = (m * rows * across + n) * width.
       Its list has a p for each of begin = offsets[m] to end = offsets[m + 1], in
       order, and its q begin at across * begin + n * (end - begin). Without `r`
       the grid says nothing.
    3. Steps of a group are made one after the other: of the pairs that are next in
       each list, the step takes all with the least q. Its row of `steps` is that
       q, then for each list the p, or -1 where the list has no such pair.
    4. Step s of a group is at the place in `steps` of element s of the group's
       lists, one after the other: no group has more steps than its lists elements.
    5. Entries past the last have no list. If `offsets` decreases or passes the end
       of `q`, or `r` has no place of the grid, the result is unspecified.

    Like `sattn.plan`, the op is on tensors until bufferization leaves it on
    memrefs, without results; `convert-sattn-plan-to-gpu` turns it into a kernel.

    Constraints:

    - (C1) `offsets`, `q`, `p`, `r` and `counts` have rank 1, `steps` rank 2.
    - (C2) The element types of lists are i32 or i64, that of `counts` is i32. That
      of `steps` is i64 if `q` or `p` has it, else i32.
    - (C3) Either `p` or `r` is there.
    - (C4) `lists` is in [2, 8], `rows` positive; `steps` has rows of 1 + `lists`.
    - (C5) All operands but `width` and `across` are tensors, or all are memrefs.
    - (C6) Extents of the same name are equal.

    ```mlir
    %counts, %steps = sattn.merge lists(2) grid(64, %width, %across)
        ins(%offsets, %q : tensor<?xi32>, tensor<?xi32>) r(%r : tensor<?xi32>)
        outs(%c, %s : tensor<?xi32>, tensor<?x3xi32>)
        -> tensor<?xi32>, tensor<?x3xi32>
    ```
  }];
  let arguments = (ins
    I64Attr:$lists, I64Attr:$rows, Index:$width, Index:$across,
    AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$offsets,
    AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$q,
    Optional<AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>>:$p,
    Optional<AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>>:$r,
    AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$counts,
    AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$steps);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `lists` `(` $lists `)` `grid` `(` $rows `,` $width `,` $across `)`
    `ins` `(` $offsets `,` $q `:` type($offsets) `,` type($q) `)`
    (`p` `(` $p^ `:` type($p) `)`)?
    (`r` `(` $r^ `:` type($r) `)`)?
    `outs` `(` $counts `,` $steps `:` type($counts) `,` type($steps) `)`
    attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    /// Most lists of a group.
    static constexpr int64_t kMaxLists = 8;
    /// The operands that are read: `offsets`, `q`, and `p` or `r`.
    ::llvm::SmallVector<::mlir::Value> getRead();
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_SATTNMERGEOP_TD
