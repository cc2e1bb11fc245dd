//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIB_DIALECT_SATTN_IR_BLOCKCOUNTS_TILESIZES_H
#define LIB_DIALECT_SATTN_IR_BLOCKCOUNTS_TILESIZES_H

#include "sattn/Dialect/SAttn/IR/BlockCounts/BlockCountsOp.h"

#include <cstdint>

namespace sattn::block_counts {

/// A register tile of one element for each block of keys of a tile, or of keys
/// and queries of a block that are evaluated at a time: two fragments of a warp
/// on a GPU, and a few vectors on a CPU. A row is a group of blocks of keys.
inline constexpr int64_t kRows = 16, kLanes = 16;
inline constexpr int64_t kShape[] = {kRows, kLanes};
inline constexpr int64_t kTileBlocks = kRows * kLanes, kGroupBlocks = kLanes;

/// Whether a tile is a square of kRows blocks of queries by kLanes of keys,
/// of which most are decided as a whole; else it is kTileBlocks of keys. What a
/// tile finds the bounds of in captured tensors, one block after another, would
/// leave nearly all of the work to the few squares that are not.
bool hasSquareTiles(BlockCountsOp op);

} // namespace sattn::block_counts

#endif // LIB_DIALECT_SATTN_IR_BLOCKCOUNTS_TILESIZES_H
