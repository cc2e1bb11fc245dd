//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIB_DIALECT_SATTN_IR_BLOCKCOUNTS_TILESIZES_H
#define LIB_DIALECT_SATTN_IR_BLOCKCOUNTS_TILESIZES_H

#include <cstdint>

namespace sattn::block_counts {

/// Blocks of keys of a tile, and how many queries of each are counted at a
/// time: an element of each is one fragment of a warp on a GPU, and a few
/// vectors on a CPU.
inline constexpr int64_t kTileBlocks = 16, kLanes = 8;

} // namespace sattn::block_counts

#endif // LIB_DIALECT_SATTN_IR_BLOCKCOUNTS_TILESIZES_H
