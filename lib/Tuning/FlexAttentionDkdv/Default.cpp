//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/FlexAttentionDkdv.h"

#include "sattn/Tuning/AttentionGradients.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn::tuning;
using namespace sattn::tuning::flex_attention_dkdv;

/// Numbers that sizes of tiles of CPUs are multiples of, and rows of wgmma's.
static constexpr int64_t kMultiple = 8, kWarpgroupRows = 64;

/// Columns of the widest gradient.
static int64_t getColumns(const Facts &facts) {
  return facts.gradientColumns.value_or(
      std::max(facts.headDim, facts.valueDim));
}

/// Keys of a tile and queries of an iteration, by the wider of both heads.
static void chooseSizes(Parameters &tile, int64_t widest, const Facts &facts,
                        const Target &target) {
  // The sums of both gradients have as many columns as one of a head of twice
  // the width.
  int64_t columns = facts.isOneGradient ? widest / 2 : widest;
  switch (target.kind) {
  case TargetKind::CPU:
    tile.rows = tile.depth = 64;
    return;
  case TargetKind::MmaSync:
    tile.depth = columns <= 64 || facts.isOneGradient ? 64
                 : columns <= 128                     ? 32
                                                      : 16;
    tile.rows = widest <= 64 ? 32 : 16;
    return;
  case TargetKind::Wgmma:
    tile.depth = columns <= 128 ? 128 : 64;
    if (facts.blockQueries && widest <= 64) {
      // Two CTAs share an SM; with more rows they spill, and so do the words of
      // dropout.
      tile.depth = facts.hasDropout ? 128 : 64;
      tile.rows = 32;
      return;
    }
    // Blocks of lists are multiples of 64, seldom of 48.
    tile.rows = widest <= 64    ? 96
                : widest <= 96  ? 64
                : widest <= 128 ? (facts.blockQueries ? 64 : 48)
                : widest <= 256 ? 32
                                : 16;
    // Both gradients of wide heads, whose columns are in parts: 0.78 to 0.87 of
    // the time of 32 queries (an H200).
    if (widest > 128 && widest <= 256 && facts.elementBytes == 2 &&
        !facts.isOneGradient && !facts.blockQueries)
      tile.rows = 96;
    // Positions take registers, too.
    if (facts.usesPositions && !facts.blockQueries && widest > 64 &&
        widest <= 96)
      tile.rows = std::min<int64_t>(tile.rows, 48);
    // Elements of a bias are in registers with the scores: more rows spill.
    if (facts.readsPairs && widest > 64)
      tile.rows = std::min<int64_t>(tile.rows, widest <= 128 ? 32 : 16);
    return;
  }
}

Parameters
sattn::tuning::flex_attention_dkdv::defaultParameters(const Facts &facts,
                                                      const Target &target) {
  Parameters tile;
  int64_t widest =
      std::max(facts.headDim, facts.valueDim) * facts.elementBytes / 2;
  chooseSizes(tile, widest, facts, target);
  int64_t unit = target.kind == TargetKind::Wgmma ? kWarpgroupRows : kMultiple;
  if (facts.rows && *facts.rows > 0)
    tile.depth =
        std::min<int64_t>(tile.depth, llvm::alignTo(*facts.rows, unit));
  attention::GradientTile fitted = {
      tile.depth, tile.rows, facts.isOneGradient ? 1 : 2, getColumns(facts)};
  attention::fitGradients(fitted, facts, target);
  tile.rows = attention::fitInto(facts.blockQueries, fitted.walked, kMultiple);
  tile.depth = attention::fitInto(facts.blockKeys, fitted.rows, kMultiple);
  tile.columns = fitted.columns;
  return tile;
}

llvm::Expected<Choice>
sattn::tuning::flex_attention_dkdv::choose(const Facts &facts,
                                           const Search &search) {
  return attention::chooseFrom(
      flex_attention_dkdv::defaultParameters(facts, search.target),
      getColumns(facts), facts, search);
}
