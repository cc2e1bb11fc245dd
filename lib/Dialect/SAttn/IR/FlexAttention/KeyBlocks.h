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

#include "TileBuilder.h"

namespace sattn::flex_attention {

class KeyBlocks {
public:
  explicit KeyBlocks(TileBuilder &b);

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

  /// The block of keys of an iteration.
  mlir::OpFoldResult getBlock(mlir::Value iteration);
  /// Whether `mask` and `mask_mod` are true for an iteration's block, where
  /// that may be and its scores are masked all the same; else null.
  mlir::Value isFull(mlir::Value iteration);
  /// Whether the last block may end beyond the keys.
  bool hasTail() const { return isRagged; }

private:
  void fromLists();
  void fromMask();
  /// Down from the end: blocks at the upper end of the band are masked.
  void walkDown(mlir::OpFoldResult stop, mlir::OpFoldResult full);
  /// Blocks at both ends of the band are masked.
  void walkBand(mlir::Value stop, mlir::OpFoldResult full);
  mlir::Value listCount(mlir::Value counts);
  mlir::Value listEntry(mlir::Value indices, mlir::Value entry);
  mlir::OpFoldResult compute(mlir::AffineExpr expr);
  mlir::OpFoldResult computeMin(llvm::ArrayRef<mlir::AffineExpr> exprs);
  mlir::OpFoldResult computeMax(llvm::ArrayRef<mlir::AffineExpr> exprs);

  TileBuilder &b;
  FlexAttentionOp op;
  MaskAttr mask;
  bool isRagged;
  /// The first query, of the mask; the number of keys.
  llvm::SmallVector<mlir::OpFoldResult> numbers;
  mlir::AffineExpr first, length;
  /// Of a band: the last block, how many masked blocks it has at its upper end,
  /// and what leads from the iteration to the other blocks.
  mlir::Value last, above, offset;
  /// Iterations over the first list, and over one of its blocks.
  mlir::Value partialEnd;
  int64_t blocksInEntry = 1;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_KEYBLOCKS_H
