//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SCATTERMM_SCATTERMMOP_TD
#define SATTN_DIALECT_SATTN_IR_SCATTERMM_SCATTERMMOP_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "sattn/Dialect/SAttn/IR/ContractOpInterface.td"
include "sattn/Dialect/SAttn/IR/ExtentConstraintOpInterface.td"
include "sattn/Dialect/SAttn/IR/SAttnAttrs.td"
include "sattn/Dialect/SAttn/IR/SAttnBase.td"
include "sattn/Dialect/SAttn/IR/SAttnInterfaces.td"
include "sattn/Dialect/SAttn/IR/TuningOpInterface.td"

def SAttn_ScatterMmOp : SAttn_Op<"scatter_mm", [
    AttrSizedOperandSegments, NoMemoryEffect,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getIterationDomain", "getLoopIteratorTypes", "getTiledImplementation",
       "getResultTilePosition"]>,
    DeclareOpInterfaceMethods<SAttn_TileProgramOpInterface,
                              ["getTileGroups", "getTileSchedule",
                               "planTiles"]>,
    DeclareOpInterfaceMethods<SAttn_ContractOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>,
    DeclareOpInterfaceMethods<SAttn_TuningOpInterface>]> {
  let summary = "Sums of products of listed pairs of matrices, each added to one matrix";
  let description = [{
    Adds to some matrices of `out` a sum of products each, of a block and a matrix
    of `others`:

    ```
    for each entry i:
      out[place(i)] += sum(blocks[p] @ others[q] for (p, q) in list(i))
    ```

    `others` and `out` are grids of matrices. Offsets such as PyTorch's, of an
    element in a matrix, become places in a grid without a copy: a (K, N') matrix
    of parts of BK x N is the grid (K / BK, N' / N, BK, N).

    | operand   | shape                                             | element type      |
    |-----------|---------------------------------------------------|-------------------|
    | `offsets` | (entries + 1) or (M / BM + 1)                     | i32, i64          |
    | `p`       | (pairs), optional                                 | i32, i64          |
    | `q`       | (pairs)                                           | i32, i64          |
    | `r`       | (entries), optional                               | i32, i64          |
    | `blocks`  | (P, BM, BK)                                       | f16, bf16, f32 or f64 |
    | `others`  | (Q, BK, N), with `r` (\*, K / BK, H, BK, N)       | that of `blocks`  |
    | `out`     | (entries, BM, N), with `r` (\*, M / BM, H, BM, N) | f16, bf16, f32; f64 with `blocks` of f64 |

    Which of `p` and `r` are there makes three formats. `*` stands for batch
    dimensions; each batch has the same lists and blocks.

    | format                      | `p` | `r` | list of entry i                    | its places |
    |-----------------------------|-----|-----|------------------------------------|------------|
    | `scatter_mm`                | yes | no  | (p[g], q[g]) for g from offsets[i] to below offsets[i + 1] | q[g] in `others`, i in `out` |
    | `bsr_strided_mm`            | yes | yes | the same                           | offsets q[g] and r[i] |
    | `bsr_strided_mm_compressed` | no  | yes | (g, q[g + (H - 1) * begin + n * (end - begin)]) for g from begin = offsets[m] to below end = offsets[m + 1] | offsets of q and r[i], which is at (m, n) |

    Semantics:

    1. An offset is that of the matrix's first element, if the grid (G, H, R, N) is
       one row-major matrix of G * R rows and H * N columns: (m * R * H + n) * N
       for the matrix at (m, n).
    2. Entries come in any order. The first of `offsets` need not be 0.
    3. The sum is computed in f32, added to the old content of `out`, and rounded
       once, to the element type of `out`. With `precision` "tf32" the elements
       of f32 `blocks` and `others` may be rounded to tf32 (10 bits of mantissa)
       before they are multiplied: GPUs have no other fast MMA of f32. With "ieee",
       the default, their threads multiply, by FMA. The CPU computes in f32 either
       way. With f64 the sum is f64, on the CPU alone.
    4. Matrices of `out` that have no entry, or an entry without pairs, stay as they
       are. With `overwrite` every matrix has an entry (C18); sums replace the old
       content of `out`, which is not read, and are 0 without pairs.
    5. If `offsets` decreases or passes the end of its list (without `p`: of
       `blocks`), if an entry of `p`, or of `q` without `r`, that is referred to is no
       matrix's number, if one of `r`, or of `q` with `r`, is no matrix's offset, or
       if two of `r` are equal, the behavior is undefined; the runtime checks this
       (`sattn-record-contracts`).

    Constraints:

    - (C1) `offsets`, `p`, `q` and `r` have rank 1, `blocks` rank 3. `others` and
      `out` have rank 3, or with `r` an equal rank of 4 or more.
    - (C2) The element type of each of `offsets`, `p`, `q` and `r` is one of i32, i64.
    - (C3) The element types of `blocks` and `others` are equal.
    - (C4) The element type of `blocks` is one of f16, bf16, f32, f64. That of `out`
      is one of f16, bf16, f32; with `blocks` of f64 it is f64.
    - (C5) BM and BK are static and positive; `others` has BK rows, `out` BM.
    - (C6) N of `others` is that of `out`.
    - (C7) With `r`, batch dimensions and H of `others` are those of `out`.
    - (C8) `p` or `r` is there.
    - (C9) `p` has as many entries as `q`. The size of `offsets` is 1 + that of `r`,
      1 + the matrices of `out` without `r`, or 1 + M / BM without `p`.
    - (C10) Without `p`, `q` has at least H * P entries.
    - (C11) The result has the type of `out`.
    - (C12) Each size of `meta`'s tile is from 1 to 65536; N is a multiple of 8; M and
      K divide those of a block, or are multiples of 8 below them, or the next
      multiples of 8 or 16; M may be 2 to 8 times the BM of which 16 is a divisor:
      so many entries that follow each other share a tile; M * N, M * K and K * N are at most 2^26.
    - (C13) `precision` is "ieee" or, with f32, "tf32".
    - (C14) `origin` has as many entries as the op has loops: batches, entry, row
      and column.
    - (C15) No operand is in an encoding of `sparse_tensor`.
    - (C16) No operand whose sizes are static has 2^63 bytes or more.
    - (C17) `counts` and `steps` are both there or neither, as `sattn.merge` of the
      lists gives them: of rank 1 and 2, `steps` with a row for each of `q`, of
      1 + L; M of `meta` is L times BM then.
    - (C18) With `overwrite` and `r` there are as many entries as matrices of a batch
      of `out`.

    Dynamic sizes are constrained in the same way at run time. `origin` says which
    tile of the problem `out` is; then `out` is a part of one matrix, and all other
    operands stay whole.

    ```mlir
    %0 = sattn.scatter_mm
        ins(%offsets, %q, %blocks, %others : tensor<?xi32>, tensor<?xi32>,
            tensor<?x64x64xbf16>, tensor<?x64x256xbf16>) p(%p : tensor<?xi32>)
        outs(%out : tensor<?x64x256xbf16>)
        {meta = #sattn.meta<tile = [64, 256, 64]>} -> tensor<?x64x256xbf16>
    %1 = sattn.scatter_mm
        ins(%rows, %q, %blocks, %grid : tensor<?xi32>, tensor<?xi32>,
            tensor<?x64x64xbf16>, tensor<?x?x64x256xbf16>) r(%r : tensor<?xi32>)
        outs(%sums : tensor<?x?x64x256xbf16>) -> tensor<?x?x64x256xbf16>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$offsets, AnyRankedTensor:$q,
    AnyRankedTensor:$blocks, AnyRankedTensor:$others,
    Optional<AnyRankedTensor>:$p, Optional<AnyRankedTensor>:$r,
    Optional<AnyRankedTensor>:$counts, Optional<AnyRankedTensor>:$steps,
    Variadic<Index>:$origin, AnyRankedTensor:$out,
    OptionalAttr<SAttn_MetaAttr>:$meta,
    DefaultValuedStrAttr<StrAttr, "ieee">:$precision,
    UnitAttr:$overwrite);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` $offsets `,` $q `,` $blocks `,` $others `:` type($offsets) `,`
              type($q) `,` type($blocks) `,` type($others) `)`
    (`p` `(` $p^ `:` type($p) `)`)?
    (`r` `(` $r^ `:` type($r) `)`)?
    (`steps` `(` $counts^ `,` $steps `:` type($counts) `,` type($steps) `)`)?
    (`origin` `(` $origin^ `)`)?
    `outs` `(` $out `:` type($out) `)` attr-dict `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Sizes of a block.
    int64_t getBlockRows() { return getBlocks().getType().getDimSize(1); }
    int64_t getBlockColumns() { return getBlocks().getType().getDimSize(2); }
    /// Dimensions of the grids: the number of a matrix, or its row and column.
    int64_t getGridRank() { return getR() ? 2 : 1; }
    /// Number of leading batch dimensions of `out`.
    int64_t getBatchRank() {
      return getOut().getType().getRank() - 2 - getGridRank();
    }
    /// Entries that share a tile of `meta`, and the tile's rows in each.
    int64_t getListsPerTile();
    int64_t getTileRows();
    /// Whether `out` is one tile of the problem.
    bool isTile() { return !getOrigin().empty(); }
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_SCATTERMM_SCATTERMMOP_TD
