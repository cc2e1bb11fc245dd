//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILEINTERFACES_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILEINTERFACES_TD

include "mlir/IR/OpBase.td"

def WGTile_SyncOpInterface : OpInterface<"SyncOpInterface"> {
  let cppNamespace = "::wgtile";
  let description = [{
    The effects of an op that other threads, or TMA, could observe: accesses of
    shared tiles, asynchronous work, waits, fences, barriers, stages of rings. The
    passes that place and check synchronization know ops by these effects alone.

    An op without this interface accesses no shared memory, synchronizes nothing and
    needs complete operands; `wgtile-verify-sync` refuses others.
  }];
  let methods = [
    InterfaceMethod<
      "Appends the op's effects, in the order in which it has them.",
      "void", "getSyncEffects",
      (ins "::llvm::SmallVectorImpl<::wgtile::SyncEffect> &":$effects)>
  ];
}

def WGTile_MmaOpInterface : OpInterface<"MmaOpInterface"> {
  let cppNamespace = "::wgtile";
  let description = [{
    A product of two tiles that is added to a third: result = acc + a @ b. What the
    ops have in common is checked here; the constraint numbers are those of
    `wgtile.mma`.
  }];
  let methods = [
    InterfaceMethod<"The left operand, in shared memory or registers.",
                    "::mlir::Value", "getA">,
    InterfaceMethod<"The right operand, in shared memory.",
                    "::mlir::TypedValue<::wgtile::SharedType>", "getB">,
    InterfaceMethod<"The tile that the product is added to.",
                    "::mlir::TypedValue<::mlir::RankedTensorType>", "getAcc">,
    InterfaceMethod<"The sum.",
                    "::mlir::TypedValue<::mlir::RankedTensorType>", "getResult">,
    InterfaceMethod<"How many rows of the right operand count; null: all.",
                    "::mlir::TypedValue<::mlir::IndexType>", "getRows">,
    InterfaceMethod<"Whether the left tile in shared memory is a's transpose.",
                    "bool", "getTransposeA">,
    InterfaceMethod<"Whether the tile in shared memory is b's transpose.",
                    "bool", "getTransposeB">,
    InterfaceMethod<"Whether it is mma.sync, an instruction of a warp.",
                    "bool", "getMmaSync", (ins), "", "return false;">
  ];
  let extraSharedClassDeclaration = [{
    /// Columns of b, and its rows: K.
    int64_t getBColumns() {
      return $_op.getTransposeB() ? $_op.getB().getType().getRows()
                                  : $_op.getB().getType().getColumns();
    }
    int64_t getBRows() {
      return $_op.getTransposeB() ? $_op.getB().getType().getColumns()
                                  : $_op.getB().getType().getRows();
    }
  }];
  let verify = "return ::wgtile::detail::verifyMma($_op);";
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILEINTERFACES_TD
