//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the queries of a tile see of a block of keys by a band: for each query
// the first key and the last one.

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
    /// In i32: what is to be added to `queries`, or to a row's number in the
    /// tile, for the position in the mask, or null; where the block begins.
    mlir::Value query, key;
    /// How many keys there are, in i32; null: the block ends before them.
    mlir::Value length;
    /// Whether all of the block that has keys is seen, in i1; null: no.
    mlir::Value isFull;
  };

  BandRows(TileBuilder &b, MaskAttr band, const Place &place);

  /// Vectors of i32 that `contains` takes the elements of, by rows.
  mlir::ValueRange getVectors() const { return vectors; }
  /// Whether the key at a column of the block, in i32, is seen.
  mlir::Value contains(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange bounds,
                       mlir::Value column) const;

private:
  mlir::Value computeFirst(TileBuilder &b);
  mlir::Value computeLast(TileBuilder &b);
  /// A vector of what is made of how far a row's query is after the block's
  /// first key.
  mlir::Value compute(
      TileBuilder &b,
      llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::Value)>
          ofDistance);

  MaskAttr band;
  Place place;
  llvm::SmallVector<mlir::Value> vectors;
  /// Columns before it are seen by all; null: none are.
  mlir::Value prefixEnd;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_BANDROWS_H
