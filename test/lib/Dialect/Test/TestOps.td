//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An op that no pass has heard of. What it needs beside this and its tile
// program is what the compiler would have to learn for every new op.

#ifndef SATTN_TEST_LIB_DIALECT_TEST_TESTOPS_TD
#define SATTN_TEST_LIB_DIALECT_TEST_TESTOPS_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "sattn/Dialect/SAttn/IR/ExtentConstraintOpInterface.td"
include "sattn/Dialect/SAttn/IR/SAttnInterfaces.td"

def SAttnTest_Dialect : Dialect {
  let name = "sattn_test";
  let cppNamespace = "::sattn::test";
  let dependentDialects = ["::mlir::math::MathDialect", "::sattn::SAttnDialect"];
}

def SAttnTest_TwoProductsOp : Op<SAttnTest_Dialect, "two_products", [
    NoMemoryEffect,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getIterationDomain", "getLoopIteratorTypes", "getTiledImplementation",
       "getResultTilePosition"]>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>,
    DeclareOpInterfaceMethods<SAttn_TileProgramOpInterface>]> {
  let summary = "Two products in a chain, and the maximum between them";
  let description = [{
    For each block p of block row i of a BSR matrix (crow, col, values), with

    ```
    T_p = values[p] @ b[col[p] * BK : (col[p] + 1) * BK, :]
    ```

    rounded to the element type of `values`, rows i of the results are

    ```
    o + sum over p of T_p @ d,    max(m, maximum over p and the columns of T_p)
    ```

    A block row without blocks leaves `o` and `m` as they are.

    | operand  | shape            | element type     |
    |----------|------------------|------------------|
    | `crow`   | (M / BM + 1)     | i32, i64         |
    | `col`    | (nnz)            | that of `crow`   |
    | `values` | (nnz, BM, BK)    | f16, bf16        |
    | `b`      | (K, W), W static | that of `values` |
    | `d`      | (W, N), N static | that of `values` |
    | `o`      | (M, N)           | f16, bf16, f32   |
    | `m`      | (M)              | f32              |

    Constraints:
    - (C1) Each operand has its rank of the table.
    - (C2) Each operand has an element type of the table.
    - (C3) BM, BK, W and N are static, positive multiples of 8.
    - (C4) Extents of the same name are equal, M is BM * (size of crow - 1),
      and K is a multiple of BK.
    - (C5) The results have the types of `o` and `m`.

    ```mlir
    %0:2 = sattn_test.two_products
        ins(%crow, %col, %values, %b, %d : tensor<?xi32>, tensor<?xi32>,
            tensor<?x64x64xbf16>, tensor<?x128xbf16>, tensor<128x128xbf16>)
        outs(%o, %m : tensor<?x128xbf16>, tensor<?xf32>)
        -> tensor<?x128xbf16>, tensor<?xf32>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$crow, AnyRankedTensor:$col, AnyRankedTensor:$values,
    AnyRankedTensor:$b, AnyRankedTensor:$d, AnyRankedTensor:$o,
    AnyRankedTensor:$m);
  let results = (outs AnyRankedTensor:$product, AnyRankedTensor:$maximum);
  let assemblyFormat = [{
    `ins` `(` $crow `,` $col `,` $values `,` $b `,` $d `:` type($crow) `,`
    type($col) `,` type($values) `,` type($b) `,` type($d) `)`
    `outs` `(` $o `,` $m `:` type($o) `,` type($m) `)` attr-dict `->`
    type($product) `,` type($maximum)
  }];
  let hasVerifier = 1;
}

def SAttnTest_AttentionOp : Op<SAttnTest_Dialect, "attention", [
    NoMemoryEffect,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getIterationDomain", "getLoopIteratorTypes", "getTiledImplementation",
       "getResultTilePosition"]>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>,
    DeclareOpInterfaceMethods<SAttn_TileProgramOpInterface>]> {
  let summary = "Attention, dense or causal";
  let description = [{
    For each head h and query i,

    ```
    o[h, i] = sum over j of w_j * v[h, j] / sum over j of w_j,
    w_j = exp(scale * (q[h, i] . k[h, j]))
    ```

    over the keys j that the query sees: all of them, or if `causal` those up to
    j = first + i. Where a query sees none, its row is 0. Weights are rounded to
    the element type of `v`; sums are in f32.

    | operand | shape               | element type   |
    |---------|---------------------|----------------|
    | `scale` |                     | f32            |
    | `first` |                     | index          |
    | `q`     | (H, M, D), D static | f16, bf16, f32 |
    | `k`     | (H, N, D)           | that of `q`    |
    | `v`     | (H, N, E), E static | that of `q`    |
    | `o`     | (H, M, E)           | that of `q`    |

    Constraints:
    - (C1) Each operand has its rank of the table.
    - (C2) Each operand has an element type of the table.
    - (C3) D and E are static, positive multiples of 8; so are `block_q` and
      `block_kv`, the queries of a tile and the keys of an iteration.
    - (C4) Extents of the same name are equal.
    - (C5) The result has the type of `o`.

    ```mlir
    %0 = sattn_test.attention causal scale(%scale) first(%c0) tile(128, 128)
        ins(%q, %k, %v : tensor<?x?x128xbf16>, tensor<?x?x128xbf16>,
            tensor<?x?x128xbf16>)
        outs(%o : tensor<?x?x128xbf16>) -> tensor<?x?x128xbf16>
    ```
  }];
  let arguments = (ins
    F32:$scale, Index:$first, AnyRankedTensor:$q, AnyRankedTensor:$k,
    AnyRankedTensor:$v, AnyRankedTensor:$o, I64Attr:$block_q,
    I64Attr:$block_kv, UnitAttr:$causal);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    (`causal` $causal^)? `scale` `(` $scale `)` `first` `(` $first `)`
    `tile` `(` $block_q `,` $block_kv `)`
    `ins` `(` $q `,` $k `,` $v `:` type($q) `,` type($k) `,` type($v) `)`
    `outs` `(` $o `:` type($o) `)` attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // SATTN_TEST_LIB_DIALECT_TEST_TESTOPS_TD
