//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_BLOCKCOUNTS_BLOCKCOUNTSOP_TD
#define SATTN_DIALECT_SATTN_IR_BLOCKCOUNTS_BLOCKCOUNTSOP_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "sattn/Dialect/SAttn/IR/ContractOpInterface.td"
include "sattn/Dialect/SAttn/IR/ExtentConstraintOpInterface.td"
include "sattn/Dialect/SAttn/IR/SAttnBase.td"
include "sattn/Dialect/SAttn/IR/SAttnInterfaces.td"

def SAttn_BlockCountsOp : SAttn_Op<"block_counts", [
    AttrSizedOperandSegments, IsolatedFromAbove, NoMemoryEffect,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getIterationDomain", "getLoopIteratorTypes", "getTiledImplementation",
       "getResultTilePosition"]>,
    DeclareOpInterfaceMethods<SAttn_TileProgramOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ContractOpInterface>,
    DeclareOpInterfaceMethods<SAttn_ExtentConstraintOpInterface>]> {
  let summary = "Number of visible elements in each block of a mask";
  let description = [{
    For each batch b, head h, block r of BQ queries and block c of BK keys,
    `block_size` = [BQ, BK],

    ```
    out[b, h, r, c] = number of (i, j) for which mask_mod(b, h, i, j) is true,
                      r BQ <= i < (r + 1) BQ and c BK <= j < (c + 1) BK
    transposed[b, h, c, r] = out[b, h, r, c]
    ```

    0 is an empty block, BQ BK a full one; block lists follow from the counts.
    There is no array of all elements, and blocks that the mask's function is
    proved to leave empty or full are not evaluated.

    | operand              | shape           | element type     |
    |----------------------|-----------------|------------------|
    | `captures`           | any, any number | integers, floats |
    | `bounds`             | (R) or (C)      | i32, i64         |
    | `outs`: `out`        | (B, H, R, C)    | i32              |
    | `outs`: `transposed` | (B, H, C, R)    | i32              |

    Semantics:

    1. `mask_mod` gets b, h, i, j as i32 and the captures, and gives i1. An index of
       a captured tensor outside of it reads an unspecified element.
    2. All blocks have BQ x BK elements: a function whose positions end within the
       last blocks compares them with their ends.
    3. With `approximate` the number of a block that is neither empty nor full is
       unspecified, from 1 to BQ BK - 1: lists need no more, and elements of such
       a block are evaluated only until both values are found.
    4. `bounded` numbers captured vectors of integers of which `bounds` has the least
       and the greatest element in each block of queries, then the least and the
       greatest in each block of keys. Where they are not, counts are unspecified.

    Constraints:

    - (C1) There are one or two `outs`, `out` and `transposed`, of rank 4 and element
      type i32, and the results have their types. R and C agree.
    - (C2) `block_size` is two positive numbers with a product below 2^31.
    - (C3) `mask_mod` has the arguments above, one block, and nothing but
      constants, elementwise ops on scalars and `tensor.extract` of captured
      tensors.
    - (C4) Captures are numbers or tensors of f16, bf16, f32, f64, i8, i32 or i64.
    - (C5) `origin` has four entries, or none.
    - (C6) `bounds` are four vectors of i32 or i64 for each entry of `bounded`, of R, R,
      C and C elements; the entries are numbers of captured vectors of integers.

    `origin` says which tile of the problem `outs` are: its first b, h, r and c.

    ```mlir
    %0 = sattn.block_counts captures(%document : tensor<?xi32>)
        outs(%out : tensor<1x1x?x?xi32>) -> tensor<1x1x?x?xi32> mask_mod {
        ^bb0(%b: i32, %h: i32, %i: i32, %j: i32, %document_in: tensor<?xi32>):
          %query = arith.index_cast %i : i32 to index
          %key = arith.index_cast %j : i32 to index
          %x = tensor.extract %document_in[%query] : tensor<?xi32>
          %y = tensor.extract %document_in[%key] : tensor<?xi32>
          %isSame = arith.cmpi eq, %x, %y : i32
          sattn.yield %isSame : i1
        } {block_size = array<i64: 128, 128>}
    ```
  }];
  let arguments = (ins
    Variadic<AnyType>:$captures, Variadic<AnyRankedTensor>:$bounds,
    Variadic<Index>:$origin, Variadic<AnyRankedTensor>:$outs,
    DenseI64ArrayAttr:$block_size, OptionalAttr<DenseI64ArrayAttr>:$bounded,
    UnitAttr:$approximate);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$mask_mod);
  let assemblyFormat = [{
    (`captures` `(` $captures^ `:` type($captures) `)`)?
    (`bounds` `(` $bounds^ `:` type($bounds) `)`)?
    (`origin` `(` $origin^ `)`)?
    `outs` `(` $outs `:` type($outs) `)` `->` type($results)
    `mask_mod` $mask_mod attr-dict
  }];
  let extraClassDeclaration = [{
    mlir::TypedValue<mlir::RankedTensorType> getOut() {
      return mlir::cast<mlir::TypedValue<mlir::RankedTensorType>>(
          getOuts().front());
    }
    /// The transposed counts; null if they are not computed.
    mlir::Value getTransposed() {
      return getOuts().size() == 2 ? getOuts()[1] : mlir::Value();
    }
    int64_t getBlockQueries() { return getBlockSize()[0]; }
    int64_t getBlockKeys() { return getBlockSize()[1]; }
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_BLOCKCOUNTS_BLOCKCOUNTSOP_TD
