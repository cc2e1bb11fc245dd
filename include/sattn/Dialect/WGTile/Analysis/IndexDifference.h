//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_INDEXDIFFERENCE_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_INDEXDIFFERENCE_H

#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"

namespace wgtile {

/// The difference of two indices, computed in one place or in two, if it is the
/// same in all tiles.
std::optional<int64_t> getConstantDifference(mlir::Value lhs, mlir::Value rhs);

/// Whether two lists of indices have the same length and are equal in all
/// tiles.
bool areSameIndices(mlir::ValueRange lhs, mlir::ValueRange rhs);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_INDEXDIFFERENCE_H
