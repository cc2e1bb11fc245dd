//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// How large the scores of a score_mod may be.

#include "ElementFunction.h"

#include <cmath>

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

static constexpr double kUnbounded = std::numeric_limits<double>::infinity();
/// The bound that scaled products of queries and keys are taken to stay below.
static constexpr double kScore = 0x1p40;
/// The bound that slopes and caps, values that are the same for all of a tile
/// and multiplied by distances or scores, are taken to stay below.
static constexpr double kFactor = 0x1p60;
/// Conditions and their differences as numbers are not larger.
static constexpr double kCondition = 16;
/// The largest score that is finite to the base 2.
static constexpr double kLargest = 0x1p126;

bool ElementFunction::isUniform(Value value) {
  unsigned onTile = OnScore | OnKey | (op.isPacked() ? 0 : OnQuery);
  return (dependence.lookup(value) & onTile) == 0;
}

/// The greatest size of a value that no op of floats defines.
static double boundLeaf(Value value) {
  Type type = value.getType();
  if (type.isF16())
    return 65504;
  if (type.isInteger(1))
    return 1;
  return isa<IntegerType>(type)
             ? std::ldexp(1, type.getIntOrFloatBitWidth() - 1)
             : kUnbounded;
}

double ElementFunction::boundSize(Operation &inner,
                                  const DenseMap<Value, double> &sizes) {
  auto sizeOf = [&](Value value) {
    auto found = sizes.find(value);
    return found == sizes.end() ? boundLeaf(value) : found->second;
  };
  auto get = [&](unsigned i) { return sizeOf(inner.getOperand(i)); };
  if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      return std::abs(integer.getValue().signedRoundToDouble());
    auto value = dyn_cast<FloatAttr>(constant.getValue());
    // An infinity is one to the base 2, too.
    return value && value.getValue().isFinite()
               ? std::abs(value.getValueAsDouble())
               : 0;
  }
  if (isa<arith::AddFOp, arith::SubFOp, arith::AddIOp, arith::SubIOp>(inner))
    return get(0) + get(1);
  if (isa<arith::MulIOp>(inner))
    return get(0) * get(1);
  if (isa<arith::MulFOp>(inner)) {
    for (unsigned i : {0, 1}) {
      Value other = inner.getOperand(1 - i);
      bool isScored = dependence.lookup(other) & OnScore;
      // A factor of conditions is a bias.
      if (get(i) == kUnbounded && isUniform(inner.getOperand(i)) &&
          (isScored || get(1 - i) > kCondition))
        return kFactor * get(1 - i);
    }
    double product = get(0) * get(1);
    return std::isnan(product) ? kUnbounded : product;
  }
  if (isa<arith::DivFOp>(inner)) {
    FloatAttr divisor;
    if (matchPattern(inner.getOperand(1), m_Constant(&divisor)) &&
        !divisor.getValue().isZero())
      return get(0) / std::abs(divisor.getValueAsDouble());
    return kUnbounded;
  }
  if (isa<arith::SelectOp>(inner))
    return std::max(get(1), get(2));
  if (isa<arith::MinimumFOp, arith::MaximumFOp, arith::MinNumFOp,
          arith::MaxNumFOp>(inner))
    return std::max(get(0), get(1));
  if (isa<math::TanhOp, math::SinOp, math::CosOp, math::ErfOp>(inner))
    return 1;
  if (isa<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp>(inner))
    return get(0) + 1;
  if (isa<arith::NegFOp, math::AbsFOp, arith::SIToFPOp, arith::UIToFPOp,
          arith::ExtFOp, arith::TruncFOp, arith::ExtUIOp, arith::ExtSIOp>(
          inner))
    return get(0);
  return boundLeaf(inner.getResult(0));
}

bool ElementFunction::mayBeHuge() {
  if (isEmpty())
    return false;
  DenseMap<Value, double> sizes = {{score, kScore}};
  for (Operation &inner : region.front().without_terminator())
    sizes[inner.getResult(0)] = boundSize(inner, sizes);
  Value result = region.front().getTerminator()->getOperand(0);
  auto found = sizes.find(result);
  return (found == sizes.end() ? boundLeaf(result) : found->second) > kLargest;
}
