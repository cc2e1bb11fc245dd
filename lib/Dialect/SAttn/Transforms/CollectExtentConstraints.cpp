//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Walks a function in the order in which it runs. The requirements of an op
// come from its interfaces; an op without them is refused.

#include "CollectExtentConstraints.h"

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SubsetOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace sattn;

/// The type of a tensor or a memref of known rank, or null.
static ShapedType getShaped(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasRank() && !isa<VectorType>(type) ? type : ShapedType();
}

static bool isShaped(Type type) {
  return isa<TensorType, BaseMemRefType>(type);
}

namespace {
class Collector {
public:
  Collector(ExtentConstraints &constraints,
            function_ref<bool(Operation *)> isCovered)
      : constraints(constraints), isCovered(isCovered) {}

  LogicalResult collect(Region &region) {
    for (Block &block : region)
      for (Operation &op : block)
        if (failed(collect(&op)))
          return failure();
    return success();
  }

private:
  ExtentConstraints &constraints;
  function_ref<bool(Operation *)> isCovered;
  /// Functions that are being called, to find recursion.
  SmallVector<Operation *> callees;

  LogicalResult collect(Operation *op) {
    constraints.setOp(op);
    if (isCovered(op))
      return success();
    if (auto call = dyn_cast<CallOpInterface>(op))
      return collectCall(call);
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      enterLoop(loop);
    if (failed(constrain(op)))
      return failure();
    if (constraints.hasFailed())
      return failure();
    // The op's own requirements cover an isolated region.
    if (op->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return success();
    for (Region &region : op->getRegions())
      if (failed(collect(region)))
        return failure();
    constraints.setOp(op);
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      leaveLoop(loop);
    return failure(constraints.hasFailed());
  }

  LogicalResult constrain(Operation *op) {
    if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
        slice && isa<RankedTensorType>(op->getOperand(0).getType())) {
      constrainSlice(slice);
      return success();
    }
    if (auto own = dyn_cast<ExtentConstraintOpInterface>(op)) {
      own.constrainExtents(constraints);
      return success();
    }
    if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      constrainLinalg(structured);
      return success();
    }
    if (isa<CastOpInterface>(op) && op->getNumOperands() == 1 &&
        op->getNumResults() == 1) {
      if (constrainCast(op))
        return success();
    } else if (OpTrait::hasElementwiseMappableTraits(op)) {
      if (!isChoice(op))
        constrainElementwise(op);
      return success();
    }
    if (op->hasTrait<OpTrait::IsTerminator>() ||
        op->hasTrait<OpTrait::ConstantLike>() ||
        isa<RegionBranchOpInterface>(op))
      return success();
    if (llvm::none_of(op->getOperandTypes(), isShaped) &&
        llvm::none_of(op->getResultTypes(), isShaped))
      return success();
    return op->emitOpError(
        "expected an op whose requirements on extents and indices are known "
        "(ExtentConstraintOpInterface)");
  }

  /// Requires operands to have the extents of the loops that index them.
  void constrainLinalg(linalg::LinalgOp op) {
    SmallVector<AffineExpr> loops(op.getNumLoops());
    auto forEachResult = [&](auto visit) {
      for (OpOperand &operand : op->getOpOperands())
        if (getShaped(operand.get()))
          for (auto [dimension, expr] : llvm::enumerate(
                   op.getMatchingIndexingMap(&operand).getResults()))
            visit(expr, constraints.getExtent(operand.get(), dimension));
    };
    forEachResult([&](AffineExpr expr, AffineExpr extent) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        return;
      AffineExpr &first = loops[loop.getPosition()];
      if (first)
        constraints.requireEqual(extent, first);
      else
        first = extent;
    });
    SmallVector<AffineExpr> indices;
    auto indexOf = [&](AffineExpr expr) {
      if (indices.empty())
        for (AffineExpr extent : loops)
          indices.push_back(constraints.addIndex(extent));
      return expr.replaceDims(indices);
    };
    forEachResult([&](AffineExpr expr, AffineExpr extent) {
      if (isa<AffineDimExpr>(expr))
        return;
      AffineExpr index = indexOf(expr);
      constraints.requireAtLeast(index, constraints.getConstant(0), loops);
      constraints.requireAtLeast(extent, index + 1, loops);
    });
    for (auto index : op.getBlock()->getOps<linalg::IndexOp>())
      constraints.setValue(
          index, indexOf(getAffineDimExpr(index.getDim(), op.getContext())));
  }

  /// Requires a slice to be within its tensor; an inserted tensor has its
  /// extents.
  void constrainSlice(OffsetSizeAndStrideOpInterface op) {
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                              sizes = op.getMixedSizes(),
                              strides = op.getMixedStrides();
    // Either the first operand is cut, or it is put into another one.
    Value whole = op->getOperand(0), part;
    if (auto insertion =
            dyn_cast<SubsetInsertionOpInterface>(op.getOperation())) {
      part = insertion.getSourceOperand().get();
      whole = insertion.getDestinationOperand().get();
    }
    AffineExpr zero = constraints.getConstant(0);
    for (size_t i = 0; i < sizes.size(); ++i) {
      AffineExpr offset = constraints.getValue(offsets[i]),
                 size = constraints.getValue(sizes[i]),
                 stride = constraints.getValue(strides[i]);
      constraints.requireAtLeast(offset, zero);
      constraints.requireAtLeast(size, zero);
      constraints.requireAtLeast(stride, zero);
      constraints.requireAtLeast(constraints.getExtent(whole, i),
                                 offset + (size - 1) * stride + 1, size);
    }
    if (!part)
      return;
    auto partType = cast<ShapedType>(part.getType());
    auto [staticSizes, dynamicSizes] = decomposeMixedValues(sizes);
    auto dropped = computeRankReductionMask(staticSizes, partType.getShape());
    int64_t dimension = 0;
    for (size_t i = 0; dropped && i < sizes.size(); ++i)
      if (!dropped->contains(i))
        constraints.requireEqual(constraints.getExtent(part, dimension++),
                                 constraints.getValue(sizes[i]));
  }

  /// Constrains a cast; false if the op is not from tensor to tensor or memref
  /// to memref.
  bool constrainCast(Operation *op) {
    ShapedType from = getShaped(op->getOperand(0)),
               to = getShaped(op->getResult(0));
    if (!from || !to || from.getRank() != to.getRank() ||
        isa<BaseMemRefType>(from) != isa<BaseMemRefType>(to))
      return !isShaped(op->getOperand(0).getType()) &&
             !isShaped(op->getResult(0).getType());
    for (int64_t i = 0; i < to.getRank(); ++i)
      if (!to.isDynamicDim(i))
        constraints.requireEqual(constraints.getExtent(op->getOperand(0), i),
                                 constraints.getConstant(to.getDimSize(i)));
    return true;
  }

  /// Whether one of two tensors is taken whole.
  static bool isChoice(Operation *op) {
    auto select = dyn_cast<SelectLikeOpInterface>(op);
    return select && !getShaped(select.getCondition());
  }

  void constrainElementwise(Operation *op) {
    Value first;
    for (Value operand : op->getOperands()) {
      ShapedType type = getShaped(operand);
      if (!type)
        continue;
      for (int64_t i = 0; first && i < type.getRank(); ++i)
        constraints.requireEqual(constraints.getExtent(operand, i),
                                 constraints.getExtent(first, i));
      first = first ? first : operand;
    }
  }

  void enterLoop(LoopLikeOpInterface loop) {
    auto variables = loop.getLoopInductionVars();
    auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
         steps = loop.getLoopSteps();
    if (!variables || !lower || !upper || !steps)
      return;
    AffineExpr one = constraints.getConstant(1);
    for (auto [variable, from, to, by] :
         llvm::zip_equal(*variables, *lower, *upper, *steps)) {
      AffineExpr first = constraints.getValue(from),
                 last = constraints.getValue(to) - 1;
      constraints.requireAtLeast(constraints.getValue(by), one);
      std::optional<int64_t> step = getConstantIntValue(by);
      if (step && *step > 1)
        last = first + (last - first).floorDiv(*step) * *step;
      constraints.setValue(variable, constraints.addRange(first, last));
    }
    forEachCarried(loop, [&](Value init, Value argument, Value, int64_t i) {
      constraints.setExtent(argument, i, constraints.getExtent(init, i));
    });
  }

  /// Requires carried values to keep their extents.
  void leaveLoop(LoopLikeOpInterface loop) {
    forEachCarried(loop, [&](Value init, Value, Value yielded, int64_t i) {
      if (yielded)
        constraints.requireEqual(constraints.getExtent(yielded, i),
                                 constraints.getExtent(init, i));
    });
  }

  static void
  forEachCarried(LoopLikeOpInterface loop,
                 function_ref<void(Value, Value, Value, int64_t)> visit) {
    if (!loop.getLoopInductionVars())
      return;
    ValueRange yielded = loop.getYieldedValues();
    for (auto [number, carried] : llvm::enumerate(
             llvm::zip(loop.getInits(), loop.getRegionIterArgs()))) {
      auto [init, argument] = carried;
      if (ShapedType type = getShaped(init))
        for (int64_t i = 0; i < type.getRank(); ++i)
          visit(init, argument,
                number < yielded.size() ? yielded[number] : Value(), i);
    }
  }

  /// Collects the constraints of a call as if the function's body replaced it.
  LogicalResult collectCall(CallOpInterface call) {
    auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
    if (!callee || callee.isExternal() || callee->getNumRegions() != 1 ||
        !callee.getFunctionBody().hasOneBlock() ||
        llvm::is_contained(callees, callee))
      return call->emitOpError(
          "expected a call of a function of the module that has one block and "
          "does not call itself, since its extent requirements must be known");
    Block &body = callee.getFunctionBody().front();
    constraints.forget(callee);
    for (auto [argument, operand] :
         llvm::zip_equal(body.getArguments(), call.getArgOperands())) {
      if (ShapedType type = getShaped(operand)) {
        for (int64_t i = 0; i < type.getRank(); ++i)
          constraints.setExtent(argument, i, constraints.getExtent(operand, i));
      } else if (operand.getType().isIntOrIndex()) {
        constraints.setValue(argument, constraints.getValue(operand));
      }
    }
    callees.push_back(callee);
    if (failed(collect(callee.getFunctionBody())))
      return failure();
    callees.pop_back();
    for (auto [result, returned] : llvm::zip_equal(
             call->getResults(), body.getTerminator()->getOperands()))
      if (ShapedType type = getShaped(result))
        for (int64_t i = 0; i < type.getRank(); ++i)
          constraints.setExtent(result, i, constraints.getExtent(returned, i));
    return success();
  }
};
} // namespace

LogicalResult
sattn::collectExtentConstraints(func::FuncOp function,
                                ExtentConstraints &constraints,
                                function_ref<bool(Operation *)> isCovered) {
  return Collector(constraints, isCovered).collect(function.getBody());
}
