//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SATTNYIELDOP_TD
#define SATTN_DIALECT_SATTN_IR_SATTNYIELDOP_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/SAttn/IR/SAttnBase.td"

def SAttn_YieldOp : SAttn_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "The value of a function of elements";
  let description = [{
    Ends a region of an op of this dialect that is a function of one element, such
    as a `mask_mod`.

    - (C1) The op around it is one of this dialect.
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_SATTNYIELDOP_TD
