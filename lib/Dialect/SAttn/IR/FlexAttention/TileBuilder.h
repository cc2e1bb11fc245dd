//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The common base of the tile program's parts: ops on elements of tiles, and
// the position of the tile.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTION_TILEBUILDER_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTION_TILEBUILDER_H

#include "../AttentionTile.h"

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"

namespace sattn::flex_attention {

class TileBuilder : public AttentionBuilder {
public:
  TileBuilder(mlir::OpBuilder &b, ScoreOpInterface op);

  ScoreOpInterface op;

  /// The shape of a tile of scores, which has a row for each of the tile's
  /// queries, or, where the tile is of keys, for each of its keys.
  llvm::SmallVector<int64_t> scoreShape;
  /// Rows of a tile of scores, and its columns, which an iteration walks.
  int64_t rows, walked;
  /// The dimensions of queries and keys in a tile of scores, and the maps of
  /// vectors along them.
  unsigned queryDim, keyDim;
  mlir::AffineMap byQuery, byKey;

  /// Where the tile begins, among the rows of q or among keys.
  mlir::OpFoldResult getFirstRow() { return op.getOrigin()[op.getLeadRank()]; }
  /// The first of the queries that the tile may have: with packed heads the
  /// first of all.
  mlir::OpFoldResult getFirstQuery() {
    return op.isPacked() ? mlir::OpFoldResult(getIndexAttr(0)) : getFirstRow();
  }
  /// Sets where the block of the iteration begins.
  void setBlock(mlir::OpFoldResult first) { blockStart = first; }
  mlir::OpFoldResult getBlockStart() { return blockStart; }
  /// First row of q, and first key, of a tile of scores.
  mlir::OpFoldResult getQueryStart() {
    return op.isByKeys() ? blockStart : getFirstRow();
  }
  mlir::OpFoldResult getKeyStart() {
    return op.isByKeys() ? getFirstRow() : blockStart;
  }

  /// Sets the batch and the head of queries, where the tile's place does not
  /// say them.
  void setPlace(mlir::OpFoldResult batch, mlir::OpFoldResult head);
  /// The head of the queries; with packed heads that of the tensor, which has
  /// them one after the other.
  mlir::OpFoldResult getHead();
  /// The batch; 0 without a dimension of batches.
  mlir::OpFoldResult getBatch();
  /// The head of the keys.
  mlir::OpFoldResult getKeyHead();
  /// The place of a batch and a head in the leading dimensions of a tensor, in
  /// which an extent of 1 serves all.
  llvm::SmallVector<mlir::OpFoldResult> leadOf(mlir::Value tensor,
                                               mlir::OpFoldResult head);
  /// Numbers of queries, and of keys of the batch.
  mlir::OpFoldResult getQueryCount();
  mlir::OpFoldResult getLength();

private:
  mlir::OpFoldResult blockStart, batch, head, length;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_TILEBUILDER_H
