//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUBFLOAT16BITS
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

static bool isBFloat16(Type type) {
  return getElementTypeOrSelf(type).isBF16();
}

/// Whether an op neither depends on the values of its elements nor is named
/// after their type.
static bool onlyMovesElements(Operation *op) {
  return isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::MaskedLoadOp,
             LLVM::MaskedStoreOp, LLVM::GEPOp, LLVM::AllocaOp, LLVM::BitcastOp,
             LLVM::ConstantOp, LLVM::PoisonOp, LLVM::UndefOp, LLVM::ZeroOp,
             LLVM::InsertElementOp, LLVM::ExtractElementOp, LLVM::InsertValueOp,
             LLVM::ExtractValueOp, LLVM::ShuffleVectorOp, LLVM::SelectOp,
             LLVM::BrOp, LLVM::CondBrOp>(op);
}

static bool canReplace(LLVM::LLVMFuncOp function) {
  LLVM::LLVMFunctionType type = function.getFunctionType();
  if (isBFloat16(type.getReturnType()) ||
      llvm::any_of(type.getParams(), isBFloat16))
    return false;
  auto result = function.walk([](Operation *op) {
    bool touches = llvm::any_of(op->getOperandTypes(), isBFloat16) ||
                   llvm::any_of(op->getResultTypes(), isBFloat16);
    return touches && !onlyMovesElements(op) ? WalkResult::interrupt()
                                             : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

namespace {
struct CPUBFloat16BitsPass
    : public sattn::impl::SAttnCPUBFloat16BitsBase<CPUBFloat16BitsPass> {
  void runOnOperation() override {
    LLVM::LLVMFuncOp function = getOperation();
    if (function.isExternal() || !canReplace(function))
      return;
    Type i16 = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](BFloat16Type) { return i16; });
    replacer.addReplacement([&](FloatAttr attr) -> std::optional<Attribute> {
      if (!attr.getType().isBF16())
        return std::nullopt;
      return IntegerAttr::get(i16, attr.getValue().bitcastToAPInt());
    });
    replacer.addReplacement(
        [&](DenseElementsAttr attr) -> std::optional<Attribute> {
          if (!attr.getElementType().isBF16())
            return std::nullopt;
          return attr.bitcast(i16);
        });
    replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    function.walk([](LLVM::BitcastOp op) {
      if (op.getArg().getType() != op.getType())
        return;
      op.replaceAllUsesWith(op.getArg());
      op.erase();
    });
  }
};
} // namespace
