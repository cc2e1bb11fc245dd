//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../AttentionSpace.h"

#include "sattn/Tuning/AttentionGradients.h"
#include "sattn/Tuning/FlexAttentionDq.h"

#include <algorithm>

using namespace sattn::tuning;
using attention::Facts;

static TableKey getKey(const Facts &facts) {
  return attention::makeKey(
      facts, {facts.isCausal, facts.areListsShared, facts.hasDropout});
}

static void addParameters(Space &space, const Facts &facts,
                          const Target &target) {
  attention::addParameters(space, facts.headDim, facts, target);
}

static attention::GradientTile getParts(const Facts &facts,
                                        const Parameters &tile) {
  return {tile.rows, tile.depth, /*gradients=*/1, facts.headDim, tile.columns};
}

static std::string findTileProblem(const Facts &facts, const Parameters &tile,
                                   const Target &target) {
  if (std::string problem =
          attention::findSizesProblem(facts.headDim, facts, tile, target);
      !problem.empty() || target.kind == TargetKind::CPU)
    return problem;
  attention::GradientTile parts = getParts(facts, tile);
  return attention::findPartsProblem({tile.rows, tile.depth, tile.columns,
                                      /*scores=*/2, /*narrowScores=*/1,
                                      attention::countBytes(parts, facts)},
                                     target);
}

static std::optional<double>
estimate(const Facts &facts, const Parameters &tile, const Target &target) {
  return attention::estimateCycles(getParts(facts, tile), facts, target);
}

namespace sattn::tuning {
NamedOp getFlexAttentionDqByName() {
  return makeNamedOp<Facts>(
      {"flex_attention_dq", &flex_attention_dq::kSchema, attention::readFacts,
       flex_attention_dq::defaultParameters, flex_attention_dq::choose, getKey,
       addParameters, findTileProblem, /*findHintsProblem=*/nullptr,
       /*choose=*/nullptr, estimate});
}
} // namespace sattn::tuning
