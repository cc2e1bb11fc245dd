//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_MONOTONICITY_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_MONOTONICITY_H

#include "mlir/IR/Value.h"

namespace wgtile {

/// How a value changes while an index grows. `Increasing` and `Decreasing`
/// include values that stay the same for a while.
enum class Monotonicity { Constant, Increasing, Decreasing, Unknown };

/// The monotonicity of an integer that is computed from `index` by affine ops
/// and arith; other values count as constant, elements of memory as unknown.
Monotonicity findMonotonicity(mlir::Value value, mlir::Value index);

/// The monotonicity of the sum of two integers, and that of a negated integer.
Monotonicity addMonotonicity(Monotonicity lhs, Monotonicity rhs);
Monotonicity negateMonotonicity(Monotonicity monotonicity);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_MONOTONICITY_H
