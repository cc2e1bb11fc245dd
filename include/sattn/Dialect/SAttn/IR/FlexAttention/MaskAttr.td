//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_FLEXATTENTION_MASKATTR_TD
#define SATTN_DIALECT_SATTN_IR_FLEXATTENTION_MASKATTR_TD

include "sattn/Dialect/SAttn/IR/SAttnAttrs.td"

def SAttn_MaskAttr : SAttn_Attr<"Mask", "mask"> {
  let summary = "A band of keys that are visible to a query, by their distance";
  let description = [{
    Key j is visible to query i if

    ```
    j < prefix  or  -left <= j - (i + offset) <= right
    ```

    where offset is 0, or with `bottom_right` the number of keys minus that of
    queries. An absent `left` or `right` does not restrict; an absent `prefix` is 0.

    ```mlir
    #sattn.mask<right = 0>                        // causal
    #sattn.mask<left = 1023, right = 0>           // window of 1024 keys
    #sattn.mask<right = 0, prefix = 1024>         // prefix-LM
    #sattn.mask<right = 0, bottom_right = true>
    ```
  }];
  let parameters = (ins
    OptionalParameter<"::std::optional<int64_t>">:$left,
    OptionalParameter<"::std::optional<int64_t>">:$right,
    OptionalParameter<"::std::optional<int64_t>">:$prefix,
    DefaultValuedParameter<"bool", "false">:$bottom_right);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_FLEXATTENTION_MASKATTR_TD
