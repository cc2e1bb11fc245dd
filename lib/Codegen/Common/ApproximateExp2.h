//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_TRANSFORMS_APPROXIMATEEXP2_H
#define SATTN_DIALECT_SATTN_TRANSFORMS_APPROXIMATEEXP2_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace sattn {

/// Adds patterns that compute `math.exp2` of f32 scalars and vectors as a
/// polynomial, which upstream lacks. The error is below 2 units in the last
/// place; powers below 2^-125 may be 0. Infinities and NaN are handled.
void populateApproximateExp2Patterns(mlir::RewritePatternSet &patterns);

} // namespace sattn

#endif // SATTN_DIALECT_SATTN_TRANSFORMS_APPROXIMATEEXP2_H
