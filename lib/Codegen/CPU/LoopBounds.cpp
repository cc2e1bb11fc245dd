//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopBounds.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

/// A variable for the size of a dimension: the size operand of an allocation,
/// since upstream's interface does not relate the two, or the tensor's
/// dimension itself.
static ValueBoundsConstraintSet::Variable getExtent(Value tensor,
                                                    unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto alloc = tensor.getDefiningOp<bufferization::AllocTensorOp>();
  if (alloc && !alloc.getCopy() && type.isDynamicDim(dim))
    return alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)];
  return {tensor, static_cast<int64_t>(dim)};
}

FailureOr<int64_t> sattn::getLargestSize(linalg::LinalgOp op, unsigned loop) {
  SmallVector<std::pair<Value, unsigned>> operandDims;
  op.mapIterationSpaceDimToAllOperandDims(loop, operandDims);
  for (auto [operand, dim] : operandDims) {
    FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
        presburger::BoundType::UB, getExtent(operand, dim),
        /*stopCondition=*/nullptr, /*closedUB=*/true);
    if (succeeded(bound))
      return bound;
  }
  return failure();
}

OpFoldResult sattn::atMost(OpBuilder &b, Location loc, int64_t most,
                           OpFoldResult from, OpFoldResult end) {
  std::optional<int64_t> known = getConstantIntValue(end);
  if (known && (*known % most == 0 || *known < most))
    return b.getIndexAttr(std::min(*known, most));
  AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
  auto map = AffineMap::get(1, 1, {s0 - d0, b.getAffineConstantExpr(most)},
                            b.getContext());
  return affine::makeComposedFoldedAffineMin(b, loc, map, {from, end});
}
