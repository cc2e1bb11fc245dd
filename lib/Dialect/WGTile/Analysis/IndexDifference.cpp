//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/IndexDifference.h"

#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"

using namespace mlir;
using namespace wgtile;

std::optional<int64_t> wgtile::getConstantDifference(Value lhs, Value rhs) {
  FailureOr<int64_t> delta =
      affine::fullyComposeAndComputeConstantDelta(lhs, rhs);
  return succeeded(delta) ? std::optional(*delta) : std::nullopt;
}

bool wgtile::areSameIndices(ValueRange lhs, ValueRange rhs) {
  return llvm::equal(lhs, rhs, [](Value left, Value right) {
    return left == right || getConstantDifference(left, right) == 0;
  });
}
