//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SATTNATTRS_TD
#define SATTN_DIALECT_SATTN_IR_SATTNATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "sattn/Dialect/SAttn/IR/SAttnBase.td"

class SAttn_Attr<string name, string attrMnemonic>
    : AttrDef<SAttn_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def SAttn_MetaAttr : SAttn_Attr<"Meta", "meta"> {
  let summary = "Tuned parameters of one op";
  let description = [{
    `tile` holds the sizes of an output tile and of one step of its reduction,
    in elements: rows (M), columns (N), reduction (K).

    ```mlir
    #sattn.meta<tile = [64, 128, 64]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$tile);
  let assemblyFormat = "`<` `tile` `=` `[` $tile `]` `>`";
  let genVerifyDecl = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_SATTNATTRS_TD
