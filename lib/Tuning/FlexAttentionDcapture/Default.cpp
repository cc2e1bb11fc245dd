//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/FlexAttentionDcapture.h"

#include "sattn/Tuning/AttentionGradients.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn::tuning;
using namespace sattn::tuning::flex_attention_dcapture;

/// Numbers that sizes of tiles of CPUs are multiples of, and rows of wgmma's.
static constexpr int64_t kMultiple = 8, kWarpgroupRows = 64;

/// Rows of a tile and keys of an iteration, by the wider of both heads.
static void chooseSizes(Parameters &tile, int64_t widest, const Facts &facts,
                        const Target &target) {
  switch (target.kind) {
  case TargetKind::CPU:
    tile.rows = tile.depth = 64;
    return;
  case TargetKind::MmaSync:
    tile.rows = widest <= 128 ? 64 : widest <= 256 ? 32 : 16;
    tile.depth = widest <= 64 ? 64 : widest <= 128 ? 32 : 16;
    return;
  case TargetKind::Wgmma:
    tile.rows = widest <= 256 ? 128 : 64;
    tile.depth = widest <= 64 ? 128 : widest <= 256 ? 64 : 16;
    // Elements of a bias are in registers with the scores: more keys spill.
    if (facts.readsPairs && widest <= 96)
      tile.depth = widest <= 64 ? 64 : 32;
    return;
  }
}

Parameters sattn::tuning::flex_attention_dcapture::defaultParameters(
    const Facts &facts, const Target &target) {
  Parameters tile;
  int64_t widest =
      std::max(facts.headDim, facts.valueDim) * facts.elementBytes / 2;
  chooseSizes(tile, widest, facts, target);
  int64_t unit = target.kind == TargetKind::Wgmma ? kWarpgroupRows : kMultiple;
  if (facts.rows && *facts.rows > 0)
    tile.rows = std::min<int64_t>(tile.rows, llvm::alignTo(*facts.rows, unit));
  attention::GradientTile fitted = {tile.rows, tile.depth, /*gradients=*/0,
                                    facts.valueDim, facts.valueDim};
  attention::fitBytes(fitted, facts, target);
  tile.rows = attention::fitInto(facts.blockQueries, fitted.rows, kMultiple);
  tile.depth = attention::fitInto(facts.blockKeys, fitted.walked, kMultiple);
  tile.columns = std::max<int64_t>(attention::chooseColumns(facts, target),
                                   llvm::alignTo(facts.valueDim, kMultiple));
  return tile;
}

llvm::Expected<Choice>
sattn::tuning::flex_attention_dcapture::choose(const Facts &facts,
                                               const Search &search) {
  return attention::chooseFrom(
      flex_attention_dcapture::defaultParameters(facts, search.target),
      facts.valueDim, facts, search);
}
