//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The blocks of keys that a tile of queries reads, those with a mask first.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTION_KEYBLOCKS_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTION_KEYBLOCKS_H

#include "DerivedBlocks.h"
#include "TileBuilder.h"

namespace sattn::flex_attention {

class KeyBlocks {
public:
  /// `unmasked`: whether the scores of iterations without a mask are as they
  /// should be, in i1; null: they are.
  KeyBlocks(TileBuilder &b, mlir::Value unmasked);

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

  /// Where the block of keys of an iteration begins; at the end of the keys if
  /// it has none.
  mlir::OpFoldResult getFirstKey(mlir::Value iteration);
  /// Whether `mask` and `mask_mod` are true for an iteration's block, where
  /// that may be and its scores are masked all the same; else null.
  mlir::Value isFull(mlir::Value iteration);
  /// Whether an iteration's block is one that `mask` and `mask_mod` apply to;
  /// null: each is.
  mlir::Value isPartial(mlir::Value iteration);
  /// Whether the last block may end beyond the keys.
  bool hasTail() const { return isRagged; }

private:
  mlir::OpFoldResult getBlock(mlir::Value iteration);
  void fromLists();
  void fromMask();
  /// By what is proved of `mask_mod`; false where that is nothing.
  bool fromRanges();
  /// Down from the end: blocks at the upper end of the band are masked.
  void walkDown(mlir::OpFoldResult stop, mlir::OpFoldResult full);
  /// Blocks at both ends of the band are masked.
  void walkBand(mlir::Value stop, mlir::OpFoldResult full);
  mlir::Value listCount(mlir::Value counts);
  mlir::Value listEntry(mlir::Value indices, mlir::Value entry);
  /// How many first iterations over the list of wholly visible blocks are over
  /// a block that ends beyond the keys: 0, or those of one block.
  mlir::Value countRaggedFull(mlir::Value count);
  mlir::OpFoldResult compute(mlir::AffineExpr expr);
  mlir::OpFoldResult computeMin(llvm::ArrayRef<mlir::AffineExpr> exprs);
  mlir::OpFoldResult computeMax(llvm::ArrayRef<mlir::AffineExpr> exprs);

  TileBuilder &b;
  FlexAttentionOp op;
  std::optional<DerivedBlocks> derived;
  MaskAttr mask;
  bool isRagged;
  /// Whether an iteration of `bound` and more may be masked at run time.
  bool mayMaskAll;
  /// The first query and the one after the last, of the mask; the number of
  /// keys.
  llvm::SmallVector<mlir::OpFoldResult> numbers;
  mlir::AffineExpr first, past, length;
  /// Of a band: the last block, how many masked blocks it has at its upper end,
  /// and what leads from the iteration to the other blocks.
  mlir::Value last, above, offset;
  /// Iterations over the first list, over the second, whose blocks come from
  /// the last to the first, and over one block.
  mlir::Value partialEnd, fullEnd;
  int64_t blocksInEntry = 1;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_KEYBLOCKS_H
