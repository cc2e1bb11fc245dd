//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionExtents.h"

#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNRESULTSTOARGUMENTS
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// The operand through which a tensor is computed in a tensor.empty, or null.
static OpOperand *findEmpty(Value tensor) {
  OpOperand *use = nullptr;
  while (auto op = tensor.getDefiningOp<DestinationStyleOpInterface>()) {
    use = op.getTiedOpOperand(cast<OpResult>(tensor));
    tensor = use->get();
  }
  return tensor.getDefiningOp<tensor::EmptyOp>() ? use : nullptr;
}

namespace {
struct ResultsToArgumentsPass
    : public sattn::impl::SAttnResultsToArgumentsBase<ResultsToArgumentsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal() ||
          !function.getBody().hasOneBlock() ||
          !SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        continue;
      bool isOurs = false;
      function.walk([&](TileProgramOpInterface) { isOurs = true; });
      if (isOurs && failed(convert(function)))
        return signalPassFailure();
    }
  }

private:
  static LogicalResult convert(func::FuncOp function) {
    Operation *terminator = function.getBody().front().getTerminator();
    for (Value result : terminator->getOperands()) {
      // Nothing is left to find for a value that is returned twice.
      OpOperand *use = findEmpty(result);
      if (!use)
        continue;
      auto empty = use->get().getDefiningOp<tensor::EmptyOp>();
      int64_t number = function.getNumArguments();
      // The caller's memory has the size that the program would have taken.
      FunctionExtents extents(function);
      for (auto [dimension, size] : llvm::enumerate(empty.getMixedSizes()))
        if (isa<Value>(size))
          extents.requireSame(extents.ofArgument(number, dimension),
                              extents.describe(size));
      if (failed(function.insertArgument(number, empty.getType(), {},
                                         empty.getLoc())))
        return failure();
      use->set(function.getArguments().back());
    }
    return success();
  }
};
} // namespace
