//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_CONTRACTOPINTERFACE_TD
#define SATTN_DIALECT_SATTN_IR_CONTRACTOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def SAttn_ContractOpInterface : OpInterface<"ContractOpInterface"> {
  let cppNamespace = "::sattn";
  let description = [{
    An op that states the conditions on its operands, where these are arguments of
    the program, as generic checks. The manifest carries the checks, and the
    runtime, which knows no op, makes them before any launch.
    `sattn-record-contracts` calls this interface.
  }];
  let methods = [
    InterfaceMethod<
      /*desc=*/[{
        Adds the op's operands and checks. If elementwise ops follow,
        `destination` is the tensor that the last of them writes, in place of the
        op's own result; otherwise it is null. Fails if an operand is neither an
        argument of the function nor a constant factor; the contract is then not
        used.
      }],
      /*retTy=*/"::llvm::LogicalResult", /*methodName=*/"describeContract",
      /*args=*/(ins "::sattn::Contract &":$contract,
                    "::mlir::Value":$destination)>,
  ];
}

#endif // SATTN_DIALECT_SATTN_IR_CONTRACTOPINTERFACE_TD
