//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_TRANSFORMS_CPUPACKOPERANDS_H
#define SATTN_DIALECT_SATTN_TRANSFORMS_CPUPACKOPERANDS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace sattn {

/// The element type to which the operands of a product are packed: that of its
/// sum. Null if they are of a type that does not widen to it.
mlir::Type getPackedType(mlir::linalg::MatmulOp op);

/// The op that swaps the dimensions of another matrix to make this one, or
/// null.
mlir::linalg::TransposeOp findTranspose(mlir::Value matrix);

/// A copy of `tile` in `target`, whose elements are as wide or wider; of the
/// transposed matrix, if so wanted.
mlir::Value copyWidened(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value tile, mlir::Value target,
                        bool isTransposed = false);

/// Makes `op` read its right operand of these sizes from panels of `columns`
/// columns.
void readPanels(mlir::RewriterBase &rewriter, mlir::linalg::MatmulOp op,
                mlir::Value panels, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                int64_t columns);

/// Applies to matrix products in loops over tiles whose indexing maps transpose
/// an operand: an op of its own transposes the operand, and the product gets
/// the default maps.
void orderTileProducts(mlir::RewriterBase &rewriter, mlir::Operation *root);

/// The matrix products on tensors in loops over tiles that have the default
/// indexing maps.
llvm::SmallVector<mlir::linalg::MatmulOp>
findTileProducts(mlir::Operation *root);

} // namespace sattn

#endif // SATTN_DIALECT_SATTN_TRANSFORMS_CPUPACKOPERANDS_H
