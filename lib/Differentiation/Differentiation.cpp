//===- Differentiation.cpp - Reverse mode over scalar ops -----------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Differentiation/Differentiation.h"

#include "Rules.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace sattn;

FloatType sattn::getCotangentType(FloatType type) {
  return type.getWidth() < 32 ? Float32Type::get(type.getContext()) : type;
}

template <typename Set> static bool hasAny(ValueRange values, const Set &set) {
  return llvm::any_of(values, [&](Value value) { return set.contains(value); });
}

/// The values that depend on the wanted ones, and these. Integers depend on
/// nothing: their derivatives are 0.
static DenseSet<Value> findActive(Block &block, ValueRange wanted) {
  DenseSet<Value> active(wanted.begin(), wanted.end());
  for (Operation &op : block.without_terminator())
    if (hasAny(op.getOperands(), active))
      for (Value result : op.getResults())
        if (!result.getType().isIntOrIndex())
          active.insert(result);
  return active;
}

/// Clones the ops whose results have no value yet.
static void cloneMissing(OpBuilder &b, Block &block, IRMapping &values) {
  for (Operation &op : block.without_terminator())
    if (llvm::any_of(op.getResults(),
                     [&](Value result) { return !values.contains(result); }))
      b.clone(op, values);
}

static LogicalResult applyRule(OpBuilder &b, Operation &op,
                               const IRMapping &values,
                               const DenseSet<Value> &active,
                               Cotangents &cotangents) {
  LogicalResult applied = failure();
  if (op.getNumResults() == 1 && isa<FloatType>(op.getResult(0).getType())) {
    RuleBuilder rule(b, op, values, active, cotangents);
    if (isa<arith::ArithDialect>(op.getDialect()))
      applied = applyArithRule(rule, op);
    else if (isa<math::MathDialect>(op.getDialect()))
      applied = applyMathRule(rule, op);
  }
  if (failed(applied))
    return op.emitError()
           << "expected an op whose derivative is known, but got '"
           << op.getName() << "'";
  return success();
}

/// Erases the ops between `before`, or the block's begin, and `end` that
/// nothing uses but `kept`.
static void eraseDead(Block *block, Operation *before, Block::iterator end,
                      const DenseSet<Value> &kept) {
  while (end != block->begin() && &*std::prev(end) != before) {
    Operation &op = *std::prev(end);
    if (!hasAny(op.getResults(), kept) && isOpTriviallyDead(&op))
      op.erase();
    else
      --end;
  }
}

FailureOr<SmallVector<Value>> sattn::buildCotangents(OpBuilder &b, Block &block,
                                                     ValueRange wanted,
                                                     Value cotangent,
                                                     IRMapping values) {
  Block *into = b.getInsertionBlock();
  Block::iterator end = b.getInsertionPoint();
  Operation *before = end == into->begin() ? nullptr : &*std::prev(end);
  cloneMissing(b, block, values);

  DenseSet<Value> active = findActive(block, wanted);
  Cotangents cotangents;
  cotangents[block.getTerminator()->getOperand(0)] = {cotangent};
  for (Operation &op : llvm::drop_begin(llvm::reverse(block)))
    if (hasAny(op.getResults(), cotangents) &&
        hasAny(op.getOperands(), active) &&
        failed(applyRule(b, op, values, active, cotangents)))
      return failure();

  SmallVector<Value> found;
  for (Value value : wanted) {
    auto type = getCotangentType(cast<FloatType>(value.getType()));
    Value own = cotangents.lookup(value).value;
    found.push_back(own ? own
                        : arith::ConstantOp::create(b, value.getLoc(),
                                                    b.getFloatAttr(type, 0.0)));
  }
  eraseDead(into, before, end, DenseSet<Value>(found.begin(), found.end()));
  return found;
}
