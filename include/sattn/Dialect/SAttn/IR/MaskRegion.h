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

#include "sattn/Dialect/SAttn/IR/Contract.h"
#include "sattn/Dialect/SAttn/IR/ExtentConstraints.h"

namespace sattn {

/// Verifies that captures are numbers or tensors of types that element
/// functions know.
llvm::LogicalResult verifyCaptures(mlir::Operation *op,
                                   mlir::OperandRange captures);

/// Verifies that a region is empty or has one block with the arguments (score,)
/// b, h, i, j and captures, and nothing but constants, elementwise ops on
/// scalars and reads of captured tensors. It ends with a yield of f32 or, not
/// `isScore`, of i1.
llvm::LogicalResult verifyElementFunction(mlir::Operation *op,
                                          llvm::StringRef name,
                                          mlir::Region &region,
                                          mlir::TypeRange captures,
                                          mlir::Type score);

/// Requires captured tensors to have an element: an index is clamped to one.
void constrainCaptures(ExtentConstraints &constraints,
                       mlir::ValueRange captures);

/// Adds captured tensors that are arguments as operands of the contract, each
/// with an element.
llvm::LogicalResult addCaptures(Contract &contract, mlir::ValueRange captures);
void requireElements(Contract &contract, mlir::ValueRange captures);

/// The captures that are tensors in memory the caller gives.
llvm::SmallVector<mlir::Value> findArguments(mlir::ValueRange captures);

/// The last index of each dimension.
llvm::SmallVector<mlir::Value>
findLastIndices(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor);

/// The element of a captured tensor nearest to the indices, of which `last` are
/// the last ones.
mlir::Value readCapture(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value tensor, mlir::ValueRange indices,
                        mlir::ValueRange last);

} // namespace sattn

#endif // SATTN_DIALECT_SATTN_IR_MASKREGION_H
