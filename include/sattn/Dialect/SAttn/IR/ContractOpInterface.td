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
    An op that says what must hold of a program's arguments where they are its
    operands, as generic checks: the manifest carries them, and the runtime,
    which knows no op, makes them before anything is launched.
    `sattn-record-contracts` asks for them.
  }];
  let methods = [
    InterfaceMethod<
      /*desc=*/[{
        Adds the op's operands and checks. Where elementwise ops follow,
        `destination` is what the last of them writes, in place of the op's own
        result; else it is null. Fails where an operand is no argument of the
        function, nor a constant factor; the contract is then not used.
      }],
      /*retTy=*/"::llvm::LogicalResult", /*methodName=*/"describeContract",
      /*args=*/(ins "::sattn::Contract &":$contract,
                    "::mlir::Value":$destination)>,
  ];
}

#endif // SATTN_DIALECT_SATTN_IR_CONTRACTOPINTERFACE_TD
