//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/TileTripCount.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace wgtile;

/// Collects loops of the tile's program, in branches too, but not those in
/// loops.
static void collectLoops(Block &block, SmallVectorImpl<scf::ForOp> &loops) {
  for (Operation &op : block) {
    if (auto forOp = dyn_cast<scf::ForOp>(op))
      loops.push_back(forOp);
    else if (isa<scf::IfOp>(op))
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          collectLoops(nested, loops);
  }
}

bool TileTripCount::find() {
  SmallVector<scf::ForOp> candidates;
  collectLoops(loop.getBody().front(), candidates);
  for (scf::ForOp candidate : candidates) {
    Kind begin = classify(candidate.getLowerBound());
    Kind end = classify(candidate.getUpperBound());
    Kind step = classify(candidate.getStep());
    if (llvm::is_contained({begin, end, step}, Kind::Other) ||
        (begin == Kind::Same && end == Kind::Same))
      continue;
    for (Value bound : {candidate.getLowerBound(), candidate.getUpperBound(),
                        candidate.getStep()})
      collect(bound);
    loops.push_back(candidate);
  }
  // One that computes a bound of another is no work of its own.
  llvm::erase_if(loops, [&](scf::ForOp forOp) { return ops.contains(forOp); });
  return !loops.empty();
}

Monotonicity TileTripCount::findRowMonotonicity() {
  SmallVector<Value> ends, begins;
  for (scf::ForOp forOp : loops) {
    if (!isConstantIntValue(forOp.getStep(), 1))
      return Monotonicity::Unknown;
    ends.push_back(forOp.getUpperBound());
    auto *end = llvm::find(ends, forOp.getLowerBound());
    if (end == ends.end())
      begins.push_back(forOp.getLowerBound());
    else
      ends.erase(end);
  }
  Value row = loop.getBody().getArgument(loop.getCounts().size() - 2);
  Monotonicity result = Monotonicity::Constant;
  for (Value begin : begins)
    result = addMonotonicity(result,
                             negateMonotonicity(findMonotonicity(begin, row)));
  for (Value end : ends)
    result = addMonotonicity(result, findMonotonicity(end, row));
  return result;
}

TileTripCount::Kind TileTripCount::classify(Value value) {
  if (auto it = kinds.find(value); it != kinds.end())
    return it->second;
  auto argument = dyn_cast<BlockArgument>(value);
  Kind kind =
      argument ? classifyArgument(argument) : classifyOp(value.getDefiningOp());
  kinds[value] = kind;
  return kind;
}

TileTripCount::Kind TileTripCount::classifyArgument(BlockArgument argument) {
  // A column's tiles are taken together.
  if (argument.getOwner() == &loop.getBody().front())
    return argument.getArgNumber() + 1 == loop.getCounts().size()
               ? Kind::Other
               : Kind::Differs;
  return isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()) &&
                 isa<MemRefType, IndexType>(argument.getType())
             ? Kind::Same
             : Kind::Other;
}

/// Whether an op, and what is in it, does nothing but compute and read memory.
static bool onlyReads(Operation *op) {
  return !op->walk([](Operation *nested) {
              bool isPure =
                  isa<memref::LoadOp>(nested) || isMemoryEffectFree(nested) ||
                  nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
              return isPure ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

TileTripCount::Kind TileTripCount::classifyOp(Operation *op) {
  if (op->getNumResults() != 1 || !onlyReads(op))
    return Kind::Other;
  Kind kind = Kind::Same;
  for (Value operand : getNeeded(op)) {
    Kind other = classify(operand);
    if (other == Kind::Other)
      return Kind::Other;
    if (other == Kind::Differs)
      kind = Kind::Differs;
  }
  return kind;
}

/// The operands of which the work is computed: of a condition that is the same
/// for all tiles the value is not needed. A slice by upstream's
/// `getBackwardSlice` would have the condition, and with it arguments of the
/// kernel that the host need not have.
SmallVector<Value> TileTripCount::getNeeded(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (select && classify(select.getCondition()) != Kind::Differs)
    return {select.getTrueValue(), select.getFalseValue()};
  SmallVector<Value> needed(op->getOperands());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  needed.append(captured.begin(), captured.end());
  return needed;
}

void TileTripCount::collect(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &loop.getBody().front())
      inputs.insert(argument);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (ops.contains(op))
    return;
  auto dim = dyn_cast<memref::DimOp>(op);
  if (dim && dim.getConstantIndex() && isa<BlockArgument>(dim.getSource())) {
    inputs.insert(value);
    return;
  }
  for (Value operand : getNeeded(op))
    collect(operand);
  ops.insert(op);
}

Value TileTripCount::build(OpBuilder &b, Location loc, IRMapping mapping) {
  for (Operation *op : ops) {
    auto select = dyn_cast<arith::SelectOp>(op);
    if (select && classify(select.getCondition()) != Kind::Differs)
      mapping.map(select.getResult(), mapping.lookup(select.getTrueValue()));
    else
      b.clone(*op, mapping);
  }
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value most = arith::ConstantIndexOp::create(b, loc, INT32_MAX);
  Value all;
  for (scf::ForOp forOp : loops) {
    Value span =
        arith::SubIOp::create(b, loc, mapping.lookup(forOp.getUpperBound()),
                              mapping.lookup(forOp.getLowerBound()));
    Value count = arith::CeilDivSIOp::create(b, loc, span,
                                             mapping.lookup(forOp.getStep()));
    count = arith::MaxSIOp::create(b, loc, count, zero);
    all = all ? arith::AddIOp::create(b, loc, all, count) : count;
  }
  all = arith::MinSIOp::create(b, loc, all, most);
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), all);
}
