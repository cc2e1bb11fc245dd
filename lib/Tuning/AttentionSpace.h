//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The space of attention by blocks, which its ops share, and how their rows of
// tables are found.

#ifndef SATTN_LIB_TUNING_ATTENTIONSPACE_H
#define SATTN_LIB_TUNING_ATTENTIONSPACE_H

#include "OpTuning.h"
#include "RowParameters.h"

#include "sattn/Tuning/Attention.h"

namespace sattn::tuning::attention {

/// Numbers of keys that are 0 where an op has no blocks.
inline constexpr llvm::StringLiteral kZeroNames[] = {
    "BQ",           "BK",      "stages",        "warps",
    "raster_group", "split_k", "register_rows", "register_vectors",
    "threads"};

/// A key: columns of both heads, rows and columns of a block, the op's own
/// numbers, the number of heads and, last, the length, rows of a head, of which
/// a smaller one's row does.
TableKey makeKey(const Facts &facts,
                 llvm::ArrayRef<std::optional<int64_t>> own);

/// Adds tile_m, tile_n, tile_k and hints. `columns`: those of V or of a
/// gradient, which tiles may have a part of; 0 where they may not.
void addParameters(Space &space, int64_t columns, const Facts &facts,
                   const Target &target);

/// Why a tile of the forward pass is impossible.
std::string findTileProblem(const Facts &facts, const Parameters &tile,
                            const Target &target);

/// The parts of an op's tile that one iteration keeps, to count registers and
/// shared memory.
struct TileParts {
  /// Rows that a CTA has, and those that it walks at one time.
  int64_t rows, walked;
  /// Accumulators of a tile: their columns, of all results together.
  int64_t sumColumns;
  /// Matrices of scores, rows x walked, in f32 and in the operands' type.
  int64_t scores, narrowScores;
  /// Bytes of shared memory that operands of a step and of a tile take.
  int64_t bytes;
};

/// Why sizes are impossible, whatever they hold.
std::string findSizesProblem(int64_t columns, const Facts &facts,
                             const Parameters &tile, const Target &target);
/// Why a CTA of a GPU cannot hold so much.
std::string findPartsProblem(const TileParts &parts, const Target &target);

} // namespace sattn::tuning::attention

#endif // SATTN_LIB_TUNING_ATTENTIONSPACE_H
