//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/ExtentConstraints.h"
#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNRESULTSTOARGUMENTS
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// Whether an op only drops dimensions of size 1 of a tensor.
static bool isWholeSlice(Operation *op) {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  if (!slice || !slice.hasZeroOffset() || !slice.hasUnitStride())
    return false;
  for (auto [i, size] : llvm::enumerate(slice.getMixedSizes())) {
    int64_t whole = slice.getSourceType().getDimSize(i);
    if (!ShapedType::isDynamic(whole)) {
      if (!isConstantIntValue(size, whole))
        return false;
      continue;
    }
    auto value = dyn_cast<Value>(size);
    auto dim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
    if (!dim || dim.getSource() != slice.getSource() ||
        dim.getConstantIndex() != static_cast<int64_t>(i))
      return false;
  }
  return true;
}

/// The operand through which a tensor is computed in a tensor.empty, or null.
static OpOperand *findEmpty(Value tensor) {
  OpOperand *use = nullptr;
  while (Operation *op = tensor.getDefiningOp()) {
    if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
      use = destination.getTiedOpOperand(cast<OpResult>(tensor));
    else if (isa<tensor::ExpandShapeOp>(op) || isWholeSlice(op))
      use = &op->getOpOperand(0);
    else
      break;
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
      // A value that is returned twice is handled once.
      OpOperand *use = findEmpty(result);
      if (!use)
        continue;
      auto empty = use->get().getDefiningOp<tensor::EmptyOp>();
      int64_t number = function.getNumArguments();
      if (failed(function.insertArgument(number, empty.getType(), {},
                                         empty.getLoc())))
        return failure();
      // The caller's memory has the size that the program would have taken.
      ExtentConstraints constraints(function);
      constraints.setOp(empty);
      for (auto [dimension, size] : llvm::enumerate(empty.getMixedSizes()))
        if (isa<Value>(size))
          constraints.requireEqual(
              constraints.getExtent(function.getArgument(number), dimension),
              constraints.getValue(size));
      if (constraints.hasFailed())
        return failure();
      constraints.record();
      use->set(function.getArguments().back());
    }
    return success();
  }
};
} // namespace
