//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CODEGEN_CPU_LOOPBOUNDS_H
#define SATTN_LIB_CODEGEN_CPU_LOOPBOUNDS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace sattn {

/// A constant upper bound of the size of a loop of `op`, from the operands that
/// the loop indexes.
llvm::FailureOr<int64_t> getLargestSize(mlir::linalg::LinalgOp op,
                                        unsigned loop);

/// min(most, end - from), where steps of `most` lead to `from`; a constant
/// where it is known.
mlir::OpFoldResult atMost(mlir::OpBuilder &b, mlir::Location loc, int64_t most,
                          mlir::OpFoldResult from, mlir::OpFoldResult end);

} // namespace sattn

#endif // SATTN_LIB_CODEGEN_CPU_LOOPBOUNDS_H
