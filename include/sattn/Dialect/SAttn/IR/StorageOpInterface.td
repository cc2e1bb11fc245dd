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
    tensor with upstream's encoding. By this interface alone, `sattn-unpack-bsr`
    replaces the latter by the former, `sattn-plan-row-block-groups` plans the block rows that
    share a tile, and `sattn-record-contracts` adds checks of indices.
  }];
  let methods = [
    InterfaceMethod<
      /*desc=*/"The sparse matrices that the op reads.",
      /*retTy=*/"::llvm::SmallVector<::sattn::SparseOperand>",
      /*methodName=*/"getSparseOperands">,
    InterfaceMethod<
      /*desc=*/[{
        Replaces a matrix in an encoding by the tensors that store it. If the op
        writes the matrix, its result becomes the blocks of the result.
      }],
      /*retTy=*/"void", /*methodName=*/"setStorage",
      /*args=*/(ins "unsigned":$index, "::mlir::Value":$crow,
                    "::mlir::Value":$col, "::mlir::Value":$values)>,
    InterfaceMethod<
      /*desc=*/[{
        The number of block rows of a matrix in a tile of the op, which a plan
        brings together; 1 if no plan is needed.
      }],
      /*retTy=*/"int64_t", /*methodName=*/"getPlanGroups",
      /*args=*/(ins "unsigned":$index),
      /*methodBody=*/"", /*defaultImplementation=*/"return 1;">,
    InterfaceMethod<
      /*desc=*/"Gives the op its plan, the results of a `sattn.plan`.",
      /*retTy=*/"void", /*methodName=*/"setPlan",
      /*args=*/(ins "unsigned":$index, "::mlir::Value":$rowBlockGroups,
                    "::mlir::Value":$steps),
      /*methodBody=*/"",
      /*defaultImplementation=*/"llvm_unreachable(\"no plan was wanted\");">,
  ];
}

#endif // SATTN_DIALECT_SATTN_IR_STORAGEOPINTERFACE_TD
