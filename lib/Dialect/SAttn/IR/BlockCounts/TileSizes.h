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

/// Blocks of keys of a tile, and how many of them one vector of counts has: it
/// has the rows of a fragment of a warp on a GPU.
inline constexpr int64_t kTileBlocks = 256, kGroupBlocks = 16;

/// Keys and queries of a block whose elements are evaluated at a time: two
/// fragments of a warp on a GPU, and a few vectors on a CPU.
inline constexpr int64_t kRows = 16, kLanes = 16;

} // namespace sattn::block_counts

#endif // LIB_DIALECT_SATTN_IR_BLOCKCOUNTS_TILESIZES_H
