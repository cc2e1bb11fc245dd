//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_CODEGEN_COMMON_APPROXIMATEEXPF64_H
#define SATTN_CODEGEN_COMMON_APPROXIMATEEXPF64_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace sattn {

/// `math.exp` of f64 scalars and vectors as a polynomial, of which upstream has
/// none: its library's function takes one element at a time. The error is below
/// 1 unit in the last place, of powers that are subnormal too. Infinities and
/// NaN give what they should.
void populateApproximateExpF64Patterns(mlir::RewritePatternSet &patterns);

} // namespace sattn

#endif // SATTN_CODEGEN_COMMON_APPROXIMATEEXPF64_H
