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
    in elements: rows (M), columns (N), reduction (K). The rest is optional, and
    where it is absent the passes choose:

    | parameter | meaning                                             |
    |-----------|-----------------------------------------------------|
    | `stages`  | steps of the reduction that are in flight together  |
    | `warps`   | warps that compute a tile                           |
    | `group`   | columns of tiles that are walked together           |

    They are wishes: a schedule that has no such parameter ignores it, and one
    that cannot hold so many stages or warps takes what it can hold.

    ```mlir
    #sattn.meta<tile = [64, 128, 64]>
    #sattn.meta<tile = [64, 128, 64], stages = 4, warps = 8, group = 2>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$tile,
    OptionalParameter<"::std::optional<int64_t>">:$stages,
    OptionalParameter<"::std::optional<int64_t>">:$warps,
    OptionalParameter<"::std::optional<int64_t>">:$group);
  let assemblyFormat = [{
    `<` `tile` `=` `[` $tile `]`
    (`,` struct($stages, $warps, $group)^)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_SATTNATTRS_TD
