//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The columns of a tile of scores that a band makes visible to its rows: for
// each query the first and the last key, or for each key those of the queries.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTION_BANDROWS_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTION_BANDROWS_H

#include "TileBuilder.h"

namespace sattn::flex_attention {

/// Everything that holds for a row of the tile is in the row's bounds, so that
/// an element costs one comparison with the number of its column.
class BandRows {
public:
  struct Place {
    /// A vector of i32, of the rows' queries; null: they follow each other.
    mlir::Value queries;
    /// Numbers of i32: the offset from `queries`, or from a row's number in the
    /// tile, to the position in the mask, or null; the column at which the
    /// block begins.
    mlir::Value row, column;
    /// Number of all columns, in i32; null: the block ends before the last.
    mlir::Value length;
    /// Whether all of the block that has columns is visible, in i1; null: no.
    mlir::Value isFull;
    /// First row of the tile without a visible column, in i32; null: none is.
    mlir::Value end;
  };

  /// Computes the bounds of the tile's rows. Without `mask`, `place` has a
  /// length or an end.
  BandRows(TileBuilder &b, MaskAttr mask, const Place &place);

  /// Vectors of i32 that `contains` takes the elements of, by rows.
  mlir::ValueRange getVectors() const { return vectors; }
  /// Whether a row sees the column of the block, in i32.
  mlir::Value contains(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange bounds,
                       mlir::Value column) const;

private:
  mlir::Value computeFirst(TileBuilder &b);
  mlir::Value computeLast(TileBuilder &b);
  /// A vector of what is made of how far a row is after the block's first
  /// column; of rows that see all, or nothing, what they have instead.
  mlir::Value compute(
      TileBuilder &b, mlir::Value ofAll, int64_t ofNone,
      llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::Value)>
          ofDistance);

  Place place;
  /// A row sees the columns from `left` before it to `right` after it, and
  /// those before `prefix`.
  std::optional<int64_t> left, right;
  int64_t prefix = 0;
  /// The first row of the tile that the prefix of keys does not have; null:
  /// rows are queries, or there is no prefix.
  mlir::Value prefixRows;
  llvm::SmallVector<mlir::Value> vectors;
  /// Columns before it are visible to all rows; null: none are.
  mlir::Value prefixEnd;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_BANDROWS_H
