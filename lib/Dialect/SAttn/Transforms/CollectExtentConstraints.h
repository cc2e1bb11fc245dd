//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_DIALECT_SATTN_TRANSFORMS_COLLECTEXTENTCONSTRAINTS_H
#define SATTN_LIB_DIALECT_SATTN_TRANSFORMS_COLLECTEXTENTCONSTRAINTS_H

#include "sattn/Dialect/SAttn/IR/ExtentConstraints.h"

namespace sattn {

/// Adds what the function's ops require, and those of functions that it calls.
/// Fails, with an error at the op, where that is not known or does not follow
/// from extents. `isCovered`: ops that something else checks.
mlir::LogicalResult
collectExtentConstraints(mlir::func::FuncOp function,
                         ExtentConstraints &constraints,
                         llvm::function_ref<bool(mlir::Operation *)> isCovered);

} // namespace sattn

#endif // SATTN_LIB_DIALECT_SATTN_TRANSFORMS_COLLECTEXTENTCONSTRAINTS_H
