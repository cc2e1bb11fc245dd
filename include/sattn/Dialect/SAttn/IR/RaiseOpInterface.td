//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_RAISEOPINTERFACE_TD
#define SATTN_DIALECT_SATTN_IR_RAISEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def SAttn_RaiseOpInterface : OpInterface<"RaiseOpInterface"> {
  let cppNamespace = "::sattn";
  let description = [{
    An op that `linalg` ops can become. `sattn-raise-linalg` calls each registered
    op with this interface.
  }];
  let methods = [
    StaticInterfaceMethod<
      /*desc=*/[{
        Replaces the `linalg` ops of a module that the op can compute. `precision`
        is that of matrix products of f32, "ieee" or "tf32".
      }],
      /*retTy=*/"::llvm::LogicalResult", /*methodName=*/"raiseLinalg",
      /*args=*/(ins "::mlir::ModuleOp":$module,
                    "::llvm::StringRef":$precision)>,
  ];
}

#endif // SATTN_DIALECT_SATTN_IR_RAISEOPINTERFACE_TD
