//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the parts of attention's tile program share: ops on elements of tiles,
// reads of tiles, and where the tile is.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTION_TILEBUILDER_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTION_TILEBUILDER_H

#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sattn::flex_attention {

class TileBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Body = llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &,
                                              mlir::ValueRange)>;

  TileBuilder(mlir::OpBuilder &b, FlexAttentionOp op);

  FlexAttentionOp op;
  /// Rows of the tile, which are queries; keys of an iteration.
  int64_t queries, keys;
  /// Of two loops: all of a tile, its rows, its columns; of one: all of a
  /// vector.
  mlir::AffineMap tile, row, column, vector;
  mlir::Value zero, lowest;

  mlir::Value constant(float value);
  mlir::Value index(int64_t value);
  mlir::Value asValue(mlir::OpFoldResult number);
  mlir::Value asI32(mlir::OpFoldResult number);
  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type type);
  mlir::Value fill(mlir::Value value, mlir::Value target);
  /// An op on elements; `outMap` has fewer results than the loops where rows
  /// are reduced.
  mlir::Value generic(llvm::ArrayRef<mlir::Value> inputs,
                      llvm::ArrayRef<mlir::AffineMap> inputMaps,
                      mlir::Value target, mlir::AffineMap outMap, Body body);

  /// The tile of this shape from `first` on, in the source's last dimensions,
  /// at `lead` of the others; zeros beyond its end.
  mlir::Value readTile(mlir::Value source,
                       llvm::ArrayRef<mlir::OpFoldResult> lead,
                       llvm::ArrayRef<mlir::OpFoldResult> first,
                       llvm::ArrayRef<int64_t> shape);

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
