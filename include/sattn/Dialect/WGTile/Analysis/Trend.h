//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_TREND_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_TREND_H

#include "mlir/IR/Value.h"

namespace wgtile {

/// How a value changes while an index grows: `Rising` includes values that stay
/// for a while, `Falling` too.
enum class Trend { Constant, Rising, Falling, Unknown };

/// The trend of an integer that is computed from `index` by affine ops and
/// arith; other values count as constant, elements of memory as unknown.
Trend findTrend(mlir::Value value, mlir::Value index);

/// The trend of the sum of two integers, and of the negative of one.
Trend addTrends(Trend lhs, Trend rhs);
Trend negateTrend(Trend trend);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_TREND_H
