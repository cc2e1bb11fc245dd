//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/Monotonicity.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace wgtile;

Monotonicity wgtile::addMonotonicity(Monotonicity lhs, Monotonicity rhs) {
  if (lhs == Monotonicity::Constant || lhs == rhs)
    return rhs;
  return rhs == Monotonicity::Constant ? lhs : Monotonicity::Unknown;
}

Monotonicity wgtile::negateMonotonicity(Monotonicity monotonicity) {
  switch (monotonicity) {
  case Monotonicity::Increasing:
    return Monotonicity::Decreasing;
  case Monotonicity::Decreasing:
    return Monotonicity::Increasing;
  default:
    return monotonicity;
  }
}

/// The monotonicity of a multiple.
static Monotonicity scaleMonotonicity(Monotonicity monotonicity,
                                      int64_t factor) {
  if (factor == 0)
    return Monotonicity::Constant;
  return factor > 0 ? monotonicity : negateMonotonicity(monotonicity);
}

/// The monotonicity of an affine expression, given those of its dimensions and
/// symbols.
static Monotonicity findMonotonicity(AffineExpr expr,
                                     ArrayRef<Monotonicity> dims,
                                     ArrayRef<Monotonicity> symbols) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return Monotonicity::Constant;
  Monotonicity lhs = findMonotonicity(binary.getLHS(), dims, symbols),
               rhs = findMonotonicity(binary.getRHS(), dims, symbols);
  if (lhs == Monotonicity::Constant && rhs == Monotonicity::Constant)
    return Monotonicity::Constant;
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return addMonotonicity(lhs, rhs);
  case AffineExprKind::Mul:
    return constant ? scaleMonotonicity(lhs, constant.getValue())
                    : Monotonicity::Unknown;
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    return constant && constant.getValue() != 0
               ? scaleMonotonicity(lhs, constant.getValue())
               : Monotonicity::Unknown;
  default:
    return Monotonicity::Unknown;
  }
}

/// The monotonicity of the minimum or the maximum of several values.
static Monotonicity selectMonotonicities(ArrayRef<Monotonicity> parts) {
  Monotonicity result = Monotonicity::Constant;
  for (Monotonicity monotonicity : parts)
    result = addMonotonicity(result, monotonicity);
  return result;
}

static Monotonicity findAffineMonotonicity(AffineMap map,
                                           ArrayRef<Monotonicity> operands) {
  SmallVector<Monotonicity> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(findMonotonicity(expr,
                                       operands.take_front(map.getNumDims()),
                                       operands.drop_front(map.getNumDims())));
  return selectMonotonicities(results);
}

/// The constant that a value is.
static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

/// The monotonicity of an op's result, given those of its operands.
static Monotonicity findMonotonicity(Operation *op,
                                     ArrayRef<Monotonicity> operands) {
  if (llvm::all_of(operands, [](Monotonicity monotonicity) {
        return monotonicity == Monotonicity::Constant;
      }))
    return Monotonicity::Constant;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return findAffineMonotonicity(apply.getAffineMap(), operands);
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return findAffineMonotonicity(min.getAffineMap(), operands);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return findAffineMonotonicity(max.getAffineMap(), operands);
  if (isa<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return addMonotonicity(operands[0], operands[1]);
  if (isa<arith::SubIOp>(op))
    return addMonotonicity(operands[0], negateMonotonicity(operands[1]));
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return operands[0];
  if (isa<arith::MulIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::DivSIOp>(op))
    if (std::optional<int64_t> constant = getConstant(op->getOperand(1)))
      return scaleMonotonicity(operands[0], *constant);
  return Monotonicity::Unknown;
}

/// Monotonicities of values that are known; a value may be needed by several
/// others.
using KnownMonotonicities = DenseMap<Value, Monotonicity>;

static Monotonicity findMonotonicity(Value value, KnownMonotonicities &known) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  if (!op)
    return Monotonicity::Constant;
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return Monotonicity::Unknown;
  SmallVector<Monotonicity> operands;
  for (Value operand : op->getOperands())
    operands.push_back(findMonotonicity(operand, known));
  Monotonicity monotonicity = findMonotonicity(op, operands);
  known[value] = monotonicity;
  return monotonicity;
}

Monotonicity wgtile::findMonotonicity(Value value, Value index) {
  KnownMonotonicities known = {{index, Monotonicity::Increasing}};
  return ::findMonotonicity(value, known);
}
