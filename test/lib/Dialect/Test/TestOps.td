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
