//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_EXTENTCONSTRAINTOPINTERFACE_TD
#define SATTN_DIALECT_SATTN_IR_EXTENTCONSTRAINTOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def SAttn_ExtentConstraintOpInterface
    : OpInterface<"ExtentConstraintOpInterface"> {
  let cppNamespace = "::sattn";
  let description = [{
    An op that is defined only if extents fit together, or indices are in bounds.
    `sattn-record-contracts` records these requirements, which are checked before a
    program runs, and refuses ops on tensors whose requirements it does not know.
    `linalg` ops, slices, casts, loops and elementwise ops need no implementation:
    their requirements follow from their own interfaces.
  }];
  let methods = [
    InterfaceMethod<
      /*desc=*/"Adds what the op requires.",
      /*retTy=*/"void", /*methodName=*/"constrainExtents",
      /*args=*/(ins "::sattn::ExtentConstraints &":$constraints)>,
  ];
}

#endif // SATTN_DIALECT_SATTN_IR_EXTENTCONSTRAINTOPINTERFACE_TD
