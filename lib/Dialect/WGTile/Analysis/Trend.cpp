//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/Trend.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace wgtile;

Trend wgtile::addTrends(Trend lhs, Trend rhs) {
  if (lhs == Trend::Constant || lhs == rhs)
    return rhs;
  return rhs == Trend::Constant ? lhs : Trend::Unknown;
}

Trend wgtile::negateTrend(Trend trend) {
  switch (trend) {
  case Trend::Rising:
    return Trend::Falling;
  case Trend::Falling:
    return Trend::Rising;
  default:
    return trend;
  }
}

/// The trend of a multiple.
static Trend scaleTrend(Trend trend, int64_t factor) {
  if (factor == 0)
    return Trend::Constant;
  return factor > 0 ? trend : negateTrend(trend);
}

/// The trend of an affine expression, given those of its dimensions and
/// symbols.
static Trend findTrend(AffineExpr expr, ArrayRef<Trend> dims,
                       ArrayRef<Trend> symbols) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return Trend::Constant;
  Trend lhs = findTrend(binary.getLHS(), dims, symbols),
        rhs = findTrend(binary.getRHS(), dims, symbols);
  if (lhs == Trend::Constant && rhs == Trend::Constant)
    return Trend::Constant;
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return addTrends(lhs, rhs);
  case AffineExprKind::Mul:
    return constant ? scaleTrend(lhs, constant.getValue()) : Trend::Unknown;
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    return constant && constant.getValue() != 0
               ? scaleTrend(lhs, constant.getValue())
               : Trend::Unknown;
  default:
    return Trend::Unknown;
  }
}

/// The trend of the minimum or the maximum of several values.
static Trend selectTrends(ArrayRef<Trend> trends) {
  Trend result = Trend::Constant;
  for (Trend trend : trends)
    result = addTrends(result, trend);
  return result;
}

static Trend findAffineTrend(AffineMap map, ArrayRef<Trend> operands) {
  SmallVector<Trend> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(findTrend(expr, operands.take_front(map.getNumDims()),
                                operands.drop_front(map.getNumDims())));
  return selectTrends(results);
}

/// The constant that a value is.
static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

/// The trend of an op's result, given those of its operands.
static Trend findTrend(Operation *op, ArrayRef<Trend> operands) {
  if (llvm::all_of(operands,
                   [](Trend trend) { return trend == Trend::Constant; }))
    return Trend::Constant;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return findAffineTrend(apply.getAffineMap(), operands);
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return findAffineTrend(min.getAffineMap(), operands);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return findAffineTrend(max.getAffineMap(), operands);
  if (isa<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return addTrends(operands[0], operands[1]);
  if (isa<arith::SubIOp>(op))
    return addTrends(operands[0], negateTrend(operands[1]));
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return operands[0];
  if (isa<arith::MulIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::DivSIOp>(op))
    if (std::optional<int64_t> constant = getConstant(op->getOperand(1)))
      return scaleTrend(operands[0], *constant);
  return Trend::Unknown;
}

/// Trends of values that are known; a value may be needed by several others.
using KnownTrends = DenseMap<Value, Trend>;

static Trend findTrend(Value value, KnownTrends &known) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  if (!op)
    return Trend::Constant;
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return Trend::Unknown;
  SmallVector<Trend> operands;
  for (Value operand : op->getOperands())
    operands.push_back(findTrend(operand, known));
  Trend trend = findTrend(op, operands);
  known[value] = trend;
  return trend;
}

Trend wgtile::findTrend(Value value, Value index) {
  KnownTrends known = {{index, Trend::Rising}};
  return ::findTrend(value, known);
}
