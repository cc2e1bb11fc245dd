//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/IndexDifference.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace wgtile;

std::optional<int64_t> wgtile::getConstantDifference(Value lhs, Value rhs) {
  MLIRContext *context = lhs.getContext();
  AffineMap map = AffineMap::get(
      2, 0, getAffineDimExpr(0, context) - getAffineDimExpr(1, context));
  SmallVector<Value> operands = {lhs, rhs};
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  affine::canonicalizeMapAndOperands(&map, &operands);
  auto constant =
      dyn_cast<AffineConstantExpr>(simplifyAffineMap(map).getResult(0));
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

bool wgtile::areSameIndices(ValueRange lhs, ValueRange rhs) {
  return llvm::equal(lhs, rhs, [](Value left, Value right) {
    return left == right || getConstantDifference(left, right) == 0;
  });
}
