//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the parts of the tile program share: ops on elements of tiles, and where
// the tile is.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTION_TILEBUILDER_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTION_TILEBUILDER_H

#include "../AttentionTile.h"

#include "sattn/Dialect/SAttn/IR/SAttn.h"

namespace sattn::flex_attention {

class TileBuilder : public AttentionBuilder {
public:
  TileBuilder(mlir::OpBuilder &b, FlexAttentionOp op);

  FlexAttentionOp op;

  /// Where the tile begins.
  mlir::OpFoldResult getFirstRow() { return op.getOrigin()[op.getLeadRank()]; }
  /// Of the queries that it may have: with packed heads the first of all.
  mlir::OpFoldResult getFirstQuery() {
    return op.isPacked() ? mlir::OpFoldResult(getIndexAttr(0)) : getFirstRow();
  }
  /// The head of its rows; with packed heads that of the tensor, which has them
  /// one after the other.
  mlir::OpFoldResult getHead() { return op.getOrigin()[op.getLeadRank() - 1]; }
  /// Among the columns of V.
  mlir::OpFoldResult getFirstColumn() {
    return op.splitsColumns() ? mlir::OpFoldResult(op.getOrigin().back())
                              : getIndexAttr(0);
  }
  /// 0 without a dimension of batches.
  mlir::OpFoldResult getBatch();
  /// The tile's place in the leading dimensions of a tensor, in which an extent
  /// of 1 serves all.
  llvm::SmallVector<mlir::OpFoldResult> leadOf(mlir::Value tensor,
                                               mlir::OpFoldResult head);
  /// How many queries and keys there are.
  mlir::OpFoldResult getQueryCount();
  mlir::OpFoldResult getLength();

private:
  mlir::OpFoldResult length;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_TILEBUILDER_H
