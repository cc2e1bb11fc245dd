//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Regions that are functions of one element: score_mod and mask_mod.

#ifndef SATTN_DIALECT_SATTN_IR_MASKREGION_H
#define SATTN_DIALECT_SATTN_IR_MASKREGION_H

#include "sattn/Dialect/SAttn/IR/ExtentConstraints.h"

namespace sattn {

/// Captures are numbers or tensors of types that element functions know.
llvm::LogicalResult verifyCaptures(mlir::Operation *op,
                                   mlir::OperandRange captures);

/// The region is empty or has one block with the arguments (score,) b, h, i, j
/// and captures, and nothing but constants, elementwise ops on scalars and
/// reads of captured tensors. It ends with a yield of f32 or, not `isScore`, of
/// i1.
llvm::LogicalResult verifyElementFunction(mlir::Operation *op,
                                          llvm::StringRef name,
                                          mlir::Region &region,
                                          mlir::TypeRange captures,
                                          bool isScore);

/// Captured tensors have an element: an index is clamped to one.
void constrainCaptures(ExtentConstraints &constraints,
                       mlir::ValueRange captures);

/// The element of a captured tensor nearest to the indices.
mlir::Value readCapture(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value tensor, mlir::ValueRange indices);

} // namespace sattn

#endif // SATTN_DIALECT_SATTN_IR_MASKREGION_H
