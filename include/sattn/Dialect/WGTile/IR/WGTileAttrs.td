//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILEATTRS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILEATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"

class WGTile_LayoutAttr<string name, string attrMnemonic>
    : AttrDef<WGTile_Dialect, name,
              [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = attrMnemonic;
  let parameters = (ins "int64_t":$warps);
  let assemblyFormat = "`<` `warps` `=` $warps `>`";
  let genVerifyDecl = 1;
}

def WGTile_MmaAttr : WGTile_LayoutAttr<"Mma", "mma"> {
  let summary = "Layout of an accumulator tile in registers";
  let description = [{
    The fragment of `wgmma` and of `mma.sync`: each of `warps` warps holds 16
    consecutive rows. In warp w, lane l, register 4 j + 2 r + c is the element at
    row 16 w + l / 4 + 8 r and column 8 j + 2 (l % 4) + c (PTX ISA, "Register
    Fragments and Shared Memory Matrix Layouts" of wgmma;
    `sattn::layout::AccumulatorFragment`). One layout serves every element type.

    ```mlir
    tensor<64x128xf32, #wgtile.mma<warps = 4>>
    ```
  }];
}

def WGTile_RowAttr : WGTile_LayoutAttr<"Row", "row"> {
  let summary = "Layout of a vector with one value for each row of a tile";
  let description = [{
    The slice of `#wgtile.mma` at one column: two registers a thread, for rows
    16 w + l / 4 and 8 below it.
  }];
}

def WGTile_ColumnAttr : WGTile_LayoutAttr<"Column", "column"> {
  let summary = "Layout of a vector with one value for each column of a tile";
  let description = [{
    The slice of `#wgtile.mma` at one row: registers 2 j + c hold columns
    8 j + 2 (l % 4) + c; all warps hold the same values.
  }];
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILEATTRS_TD
