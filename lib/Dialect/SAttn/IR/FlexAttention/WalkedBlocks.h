//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The blocks that a tile walks, those with a mask first: of keys, or, for a
// tile of keys, of queries.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTION_WALKEDBLOCKS_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTION_WALKEDBLOCKS_H

#include "DerivedBlocks.h"
#include "TileBuilder.h"

namespace sattn::flex_attention {

class WalkedBlocks {
public:
  /// Creates the walk. `unmasked`: whether the scores of iterations without a
  /// mask are as they should be, in i1; null: they are. `skips`: blocks without
  /// visible elements are left out; else all blocks are walked, each with a
  /// mask.
  explicit WalkedBlocks(TileBuilder &b, mlir::Value unmasked = {},
                        bool skips = true);

  /// Number of iterations.
  mlir::Value end;
  /// The first iterations, whose scores are masked, where only those are.
  mlir::Value bound;
  /// Whether the scores of any block, or of all, are masked.
  bool isMasked = false, isAllMasked = false;
  /// Whether `mask` and `mask_mod` apply to any block.
  bool appliesMask = true;
  /// Query positions in the mask: that in the tensor plus this, if not 0.
  mlir::OpFoldResult shift;

  /// Masks the scores of all blocks, since some may lie beyond the last query
  /// or key to walk.
  void maskAll() { isMasked = isAllMasked = isRagged = true; }

  /// First query or key of an iteration's block; the end of all if the
  /// iteration has no block.
  mlir::OpFoldResult getFirst(mlir::Value iteration);
  /// Whether `mask` and `mask_mod` are true for all of an iteration's block;
  /// null unless such a block may have its scores masked.
  mlir::Value isFull(mlir::Value iteration);
  /// Whether an iteration's block is one that `mask` and `mask_mod` apply to;
  /// null: each is.
  mlir::Value isPartial(mlir::Value iteration);
  /// Whether the last block may end beyond the last query or key, so that its
  /// scores are masked.
  bool hasTail() const { return isRagged; }
  /// Number of queries or keys to walk.
  mlir::OpFoldResult getLength() const { return numbers[1]; }

private:
  mlir::OpFoldResult getBlock(mlir::Value iteration);
  void fromLists();
  /// Walks the stored blocks of the tile's block row.
  void fromStored();
  void fromMask();
  /// Walks the ranges that are proved of `mask_mod`; false if nothing is
  /// proved.
  bool fromRanges();
  /// Walks blocks of queries, for a tile of keys.
  void fromTransposedMask();
  /// Walks down from the end: blocks at the upper end of the band are masked.
  void walkDown(mlir::OpFoldResult stop, mlir::OpFoldResult full);
  /// Walks a band, which begins `before` before the tile: blocks at both ends
  /// are masked.
  void walkBand(mlir::Value stop, mlir::OpFoldResult full, int64_t before);
  llvm::SmallVector<mlir::Value> placeInLists(mlir::Value list);
  mlir::Value listCount(mlir::Value counts);
  mlir::Value listEntry(mlir::Value indices, mlir::Value entry);
  /// The tile's number among blocks of lists, plus `more`.
  mlir::OpFoldResult blockOfTile(int64_t more = 0);
  /// An entry of `crow` or `col` for the tile's batch and head.
  mlir::Value storedEntry(mlir::Value list, mlir::OpFoldResult place);
  /// Number of iterations, the first ones over the list of full blocks, for the
  /// block that ends beyond the last query or key: 0, or those of one block.
  mlir::Value countRaggedFull(mlir::Value count);
  /// Number of queries or keys to walk, without regard to key lengths.
  mlir::OpFoldResult getExtent();
  mlir::OpFoldResult compute(mlir::AffineExpr expr);
  mlir::OpFoldResult computeMin(llvm::ArrayRef<mlir::AffineExpr> exprs);
  mlir::OpFoldResult computeMax(llvm::ArrayRef<mlir::AffineExpr> exprs);

  TileBuilder &b;
  ScoreOpInterface op;
  std::optional<DerivedBlocks> derived;
  MaskAttr mask;
  bool isRagged;
  /// Whether an iteration of `bound` and more may be masked at run time.
  bool mayMaskAll;
  /// First position of the tile among those walked, its end unless that is a
  /// constant further, and the number of positions.
  llvm::SmallVector<mlir::OpFoldResult> numbers;
  mlir::AffineExpr first, past, length;
  /// For a band: the last block, the number of masked blocks at its upper end,
  /// and the offset from an iteration to its block among the others.
  mlir::Value last, above, offset;
  /// Iterations over the first list, over the second, whose blocks come from
  /// the last to the first, and over one block.
  mlir::Value partialEnd, fullEnd;
  /// Where the stored blocks of the tile begin.
  mlir::Value storedBegin;
  int64_t blocksInEntry = 1;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_WALKEDBLOCKS_H
