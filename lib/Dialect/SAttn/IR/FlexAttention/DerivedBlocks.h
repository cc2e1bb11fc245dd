//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The blocks of keys that a mask_mod, or a band beside a prefix, leaves a tile
// of queries (or the blocks of queries that they leave a tile of keys), as
// ranges that are computed once a tile: no list is read, and no block is asked
// for.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTION_DERIVEDBLOCKS_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTION_DERIVEDBLOCKS_H

#include "TileBuilder.h"

#include "sattn/Dialect/SAttn/Analysis/MaskBlocks.h"

namespace sattn::flex_attention {

/// The tile's queries and all keys, or its keys and all queries, of i64, and
/// what the function captures.
mask::BlockOperands makeBlockOperands(TileBuilder &b);

/// Iterations over the blocks of up to kMostRanges ranges. One range within
/// them, the core, is of blocks of which each query sees each key; the others
/// come first. All numbers are indices.
class DerivedBlocks {
public:
  /// Interprets the op's mask_mod, if it has one, over all that may be walked,
  /// and intersects it with `mask`, whose query positions are those of the
  /// tensor plus `shift`. `hasTail`: a block that ends beyond what there is to
  /// be walked is not full.
  DerivedBlocks(TileBuilder &b, mlir::OpFoldResult shift, bool hasTail);

  /// Whether the function proves no block empty or full.
  bool isTrivial() const { return tellsNothing; }

  /// Number of iterations, and how many of them may be of a block that is not
  /// full; null where all may be.
  mlir::Value getEnd() const { return end; }
  mlir::Value getMixedEnd() const { return mixedEnd; }
  mlir::Value getBlock(mlir::Value iteration) const;

private:
  static constexpr unsigned kMostRanges = 2;
  /// The most parts of the excluded blocks; with more there is no core.
  static constexpr unsigned kMostExcluded = 6;

  /// Blocks from `begin` on, to `end` exclusive.
  struct Blocks {
    mlir::Value begin, end;
  };

  mlir::Value index(int64_t value) const { return b.index(value); }
  mlir::Value min(mlir::Value x, mlir::Value y) const;
  mlir::Value max(mlir::Value x, mlir::Value y) const;
  mlir::Value clamp(mlir::Value x, const Blocks &blocks) const;
  mlir::Value less(mlir::Value x, mlir::Value y) const;
  Blocks toBlocks(mlir::Value first, mlir::Value last) const;
  void interpret(const mask::BlockOperands &operands);
  void excludeBand(mlir::OpFoldResult shift);
  void excludeBandOfQueries(MaskAttr mask, mlir::OpFoldResult shift,
                            mlir::Value last);
  void makeDisjoint();
  Blocks findCore() const;
  void order(const Blocks &core);

  TileBuilder &b;
  bool hasTail;
  /// Number of queries or keys to walk, and of their blocks.
  mlir::OpFoldResult length;
  mlir::Value blocks;
  /// The first of the tile's queries or keys, and the one after the last; of an
  /// edge tile not clipped.
  mlir::Value first, past;
  /// The blocks that may be visible to a row, and those that may not be full.
  llvm::SmallVector<Blocks> visible, excluded;
  bool hasCore = true, tellsNothing = false;
  /// A part in the order of iterations: the iteration at which it begins, and
  /// the sum of an iteration and its block. Numbers are i32, since a loop keeps
  /// them in registers.
  struct Part {
    mlir::Value begin, sum;
  };
  llvm::SmallVector<Part> parts;
  mlir::Value end, mixedEnd;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_DERIVEDBLOCKS_H
