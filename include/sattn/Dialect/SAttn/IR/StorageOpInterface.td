//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_STORAGEOPINTERFACE_TD
#define SATTN_DIALECT_SATTN_IR_STORAGEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def SAttn_StorageOpInterface : OpInterface<"StorageOpInterface"> {
  let cppNamespace = "::sattn";
  let description = [{
    An op with operands that are sparse matrices, each in BSR storage or in one
    tensor with upstream's encoding. `sattn-unpack-bsr` replaces the one by the
    other, `sattn-plan-panels` plans which block rows share a tile, and
    `sattn-record-contracts` has indices checked, by this interface alone.
  }];
  let methods = [
    InterfaceMethod<
      /*desc=*/"The sparse matrices that the op reads.",
      /*retTy=*/"::llvm::SmallVector<::sattn::SparseOperand>",
      /*methodName=*/"getSparseOperands">,
    InterfaceMethod<
      /*desc=*/"Replaces a matrix in an encoding by the tensors that store it.",
      /*retTy=*/"void", /*methodName=*/"setStorage",
      /*args=*/(ins "unsigned":$index, "::mlir::Value":$crow,
                    "::mlir::Value":$col, "::mlir::Value":$values)>,
    InterfaceMethod<
      /*desc=*/[{
        How many block rows of a matrix a tile of the op has, which a plan has
        to bring together; 1 where no plan is wanted.
      }],
      /*retTy=*/"int64_t", /*methodName=*/"getPlanGroups",
      /*args=*/(ins "unsigned":$index),
      /*methodBody=*/"", /*defaultImplementation=*/"return 1;">,
    InterfaceMethod<
      /*desc=*/"Gives the op the plan that it wanted, as `sattn.plan` makes it.",
      /*retTy=*/"void", /*methodName=*/"setPlan",
      /*args=*/(ins "unsigned":$index, "::mlir::Value":$panels,
                    "::mlir::Value":$steps),
      /*methodBody=*/"",
      /*defaultImplementation=*/"llvm_unreachable(\"no plan was wanted\");">,
  ];
}

#endif // SATTN_DIALECT_SATTN_IR_STORAGEOPINTERFACE_TD
