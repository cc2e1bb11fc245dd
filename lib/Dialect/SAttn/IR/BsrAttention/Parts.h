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

#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sattn {

/// Rows of the loop over tiles: those of the result, then BM for each cut, of
/// the part behind it.
mlir::OpFoldResult countTileRows(mlir::OpBuilder &b, BsrAttentionOp op);

/// Of a tile, which has no rows of a result where a row is past its end.
struct Part {
  /// Row of `q`; first block and number of blocks.
  mlir::Value query, begin, size;
  /// Rows of `out`, and of `partial` and `lse`.
  mlir::Value outRow, partialRow;
};

/// The part of the tile at `row` of the loop, in the batch at `batch`.
Part findPart(mlir::OpBuilder &b, BsrAttentionOp op, mlir::OpFoldResult row,
              llvm::ArrayRef<mlir::OpFoldResult> batch);

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_BSRATTENTION_PARTS_H
