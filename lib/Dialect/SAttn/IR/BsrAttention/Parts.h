//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A tile's part of a block row, where long ones are computed in parts.

#ifndef LIB_DIALECT_SATTN_IR_BSRATTENTION_PARTS_H
#define LIB_DIALECT_SATTN_IR_BSRATTENTION_PARTS_H

#include "../OperandChecks.h"

#include "sattn/Dialect/SAttn/IR/BsrAttention/BsrAttentionOp.h"
#include "sattn/Dialect/SAttn/IR/ExtentConstraints.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sattn {

/// The entry of `crow` at a place of a batch, in its own type.
mlir::Value readOffset(mlir::OpBuilder &b, mlir::Location loc, mlir::Value crow,
                       llvm::ArrayRef<mlir::OpFoldResult> batch,
                       mlir::OpFoldResult place);

/// Rows of the loop over tiles: those of the result, then BM for each cut, of
/// the part behind it.
mlir::OpFoldResult countTileRows(mlir::OpBuilder &b, BsrAttentionOp op);

/// The part of a block row that a tile computes. An output row past its end
/// means that the tile has no rows of that result.
struct Part {
  /// Row of `q`; first block and number of blocks.
  mlir::Value query, begin, size;
  /// Rows of `out`, and of `partial` and `lse`.
  mlir::Value outRow, partialRow;
};

/// The part of the tile at `row` of the loop, in the batch at `batch`.
Part findPart(mlir::OpBuilder &b, BsrAttentionOp op, mlir::OpFoldResult row,
              llvm::ArrayRef<mlir::OpFoldResult> batch);

/// Rows of a tile of `height` rows from `row` on that `result` has, whose rows
/// are dimension `dim`.
mlir::OpFoldResult clipRows(mlir::OpBuilder &b, mlir::Value result, int64_t dim,
                            mlir::OpFoldResult row, int64_t height);

/// Verify the requirements of sattn.bsr_attention and sattn.combine_parts on
/// `partial` and `lse`: element types and ranks; rows and columns; batch
/// dimensions; and extents.
llvm::LogicalResult verifyPartTypes(mlir::Operation *op,
                                    const NamedOperand &partial,
                                    const NamedOperand &lse, int64_t batches);
llvm::LogicalResult verifyPartExtents(mlir::Operation *op,
                                      const NamedOperand &partial,
                                      const NamedOperand &lse,
                                      int64_t blockRows, int64_t columns);
llvm::LogicalResult verifyPartBatches(mlir::Operation *op,
                                      llvm::ArrayRef<NamedOperand> operands,
                                      llvm::ArrayRef<int64_t> batch);
void constrainParts(ExtentConstraints &constraints, mlir::Value partial,
                    mlir::Value lse, mlir::Value out, int64_t blockRows);

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_BSRATTENTION_PARTS_H
