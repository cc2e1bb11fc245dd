//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../AttentionSpace.h"

#include "sattn/Tuning/AttentionGradients.h"
#include "sattn/Tuning/FlexAttentionDcapture.h"

using namespace sattn::tuning;
using attention::Facts;

static TableKey getKey(const Facts &facts) {
  return attention::makeKey(
      facts, {facts.isCausal, facts.areListsShared, facts.hasDropout});
}

static void addParameters(Space &space, const Facts &facts,
                          const Target &target) {
  // Each tile has all columns.
  attention::addParameters(space, /*columns=*/0, facts, target);
}

static attention::GradientTile getParts(const Parameters &tile) {
  return {tile.rows, tile.depth, /*gradients=*/0, tile.columns, tile.columns};
}

static std::string findTileProblem(const Facts &facts, const Parameters &tile,
                                   const Target &target) {
  if (std::string problem =
          attention::findSizesProblem(facts.valueDim, facts, tile, target);
      !problem.empty())
    return problem;
  if (tile.columns < facts.valueDim)
    return ("expected tile_n of at least " + llvm::Twine(facts.valueDim) +
            ", all columns, but got " + llvm::Twine(tile.columns))
        .str();
  if (target.kind == TargetKind::CPU)
    return {};
  attention::GradientTile parts = getParts(tile);
  return attention::findPartsProblem(
      {tile.rows, tile.depth, /*sumColumns=*/0, /*scores=*/2,
       /*narrowScores=*/0, attention::countBytes(parts, facts)},
      target);
}

static std::optional<double>
estimate(const Facts &facts, const Parameters &tile, const Target &target) {
  return attention::estimateCycles(getParts(tile), facts, target);
}

namespace sattn::tuning {
NamedOp getFlexAttentionDcaptureByName() {
  return makeNamedOp<Facts>(
      {"flex_attention_dcapture", &flex_attention_dcapture::kSchema,
       attention::readFacts, flex_attention_dcapture::defaultParameters,
       flex_attention_dcapture::choose, getKey, addParameters, findTileProblem,
       /*findHintsProblem=*/nullptr, /*choose=*/nullptr, estimate});
}
} // namespace sattn::tuning
