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
  let parameters = (ins "int64_t":$warps,
                        DefaultValuedParameter<"int64_t", "1">:$columns);
  let assemblyFormat = [{
    `<` `warps` `=` $warps (`,` `columns` `=` $columns^)? `>`
  }];
  let builders = [AttrBuilder<(ins "int64_t":$warps), [{
    return $_get($_ctxt, warps, /*columns=*/1);
  }]>];
  let genVerifyDecl = 1;
}

def WGTile_MmaAttr : WGTile_LayoutAttr<"Mma", "mma"> {
  let summary = "Layout of an accumulator tile in registers";
  let description = [{
    The fragments of `wgmma` and of `mma.sync`, spread over `warps` warps:
    `columns` neighboring warps divide the columns into n8 fragments, round-robin,
    and the others divide the rows, in runs of a multiple of 16
    (`sattn::layout::AccumulatorFragment`). With `columns` 1, the default, and 16
    rows a warp it is wgmma's layout: in warp w, lane l, register 4 j + 2 r + c is
    the element at row 16 w + l / 4 + 8 r and column 8 j + 2 (l % 4) + c (PTX ISA,
    "Register Fragments and Shared Memory Matrix Layouts" of wgmma). One layout
    serves every element type.

    A tile whose rows are not a multiple of 16 times the warps along them has
    surplus registers, which hold anything and are not stored.

    ```mlir
    tensor<64x128xf32, #wgtile.mma<warps = 4>>
    tensor<16x256xf32, #wgtile.mma<warps = 4, columns = 4>>
    ```
  }];
}

def WGTile_RowAttr : WGTile_LayoutAttr<"Row", "row"> {
  let summary = "Layout of a vector with one value for each row of a tile";
  let description = [{
    The slice of `#wgtile.mma` at one column: for each 16 rows of a warp a thread
    has two registers, for rows l / 4 and l / 4 + 8.
  }];
}

def WGTile_ColumnAttr : WGTile_LayoutAttr<"Column", "column"> {
  let summary = "Layout of a vector with one value for each column of a tile";
  let description = [{
    The slice of `#wgtile.mma` at one row: register 2 j + c holds column
    2 (l % 4) + c of the warp's j-th n8 fragment. All warps that hold the same
    columns hold the same values.
  }];
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILEATTRS_TD
