//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_CODEGEN_COMMON_EXPANDF32INF64_H
#define SATTN_CODEGEN_COMMON_EXPANDF32INF64_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace sattn {

/// `math.powf`, `math.sin`, `math.cos` and `arith.remf` of f32 scalars and
/// vectors by arithmetic in f64, with the special cases of C. A power has an
/// error below 0.51 units in the last place, so a power that f32 holds is
/// exact; a remainder is exact whatever the quotient; a sine has an error below
/// 0.6 units, and is NaN beyond 2^64. No target has a library for vectors of
/// them, NVIDIA's backend takes a remainder for x - trunc(x / y) * y, and
/// upstream's sines lose digits from 100 on.
void populateExpandF32InF64Patterns(mlir::RewritePatternSet &patterns);

} // namespace sattn

#endif // SATTN_CODEGEN_COMMON_EXPANDF32INF64_H
