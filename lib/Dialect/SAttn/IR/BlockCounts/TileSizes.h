//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIB_DIALECT_SATTN_IR_BLOCKCOUNTS_TILESIZES_H
#define LIB_DIALECT_SATTN_IR_BLOCKCOUNTS_TILESIZES_H

#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include <cstdint>

namespace sattn::block_counts {

/// A register tile of one element for each block of keys of a tile, or of keys
/// and queries of a block that are evaluated at a time: two fragments of a warp
/// on a GPU, and a few vectors on a CPU. A row is a group of blocks of keys.
inline constexpr int64_t kRows = 16, kLanes = 16;
inline constexpr int64_t kShape[] = {kRows, kLanes};
inline constexpr int64_t kTileBlocks = kRows * kLanes, kGroupBlocks = kLanes;

/// Whether a tile is a square of kRows blocks of queries by kLanes of keys,
/// which a mask of positions decides as a whole nearly everywhere; else it is
/// kTileBlocks of keys. Bounds of captured tensors are found for each block of
/// a tile, one after another: those of a square would be found in few tiles.
inline bool hasSquareTiles(BlockCountsOp op) {
  return llvm::none_of(
      op.getMaskMod().getArguments(), [](mlir::BlockArgument argument) {
        return llvm::isa<mlir::RankedTensorType>(argument.getType()) &&
               !argument.use_empty();
      });
}

} // namespace sattn::block_counts

#endif // LIB_DIALECT_SATTN_IR_BLOCKCOUNTS_TILESIZES_H
