//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../AttentionSpace.h"

#include "sattn/Tuning/AttentionGradients.h"
#include "sattn/Tuning/FlexAttentionDkdv.h"

#include <algorithm>

using namespace sattn::tuning;
using attention::Facts;

/// Columns of the widest gradient.
static int64_t countColumns(const Facts &facts) {
  return facts.gradientColumns.value_or(
      std::max(facts.headDim, facts.valueDim));
}

static TableKey getKey(const Facts &all) {
  Facts facts = all;
  // Rows are of problems without a bias, whose elements would take registers:
  // a problem without a length finds none.
  if (facts.readsPairs)
    facts.rows.reset();
  return attention::makeKey(facts, {facts.isCausal, facts.areListsShared,
                                    facts.hasDropout, facts.isOneGradient,
                                    countColumns(facts)});
}

static void addParameters(Space &space, const Facts &facts,
                          const Target &target) {
  attention::addParameters(space, countColumns(facts), facts, target);
}

/// A tile has keys, and walks queries.
static attention::GradientTile getParts(const Facts &facts,
                                        const Parameters &tile) {
  return {tile.depth, tile.rows, facts.isOneGradient ? 1 : 2,
          countColumns(facts), tile.columns};
}

static std::string findTileProblem(const Facts &facts, const Parameters &tile,
                                   const Target &target) {
  if (std::string problem =
          attention::findSizesProblem(countColumns(facts), facts, tile, target);
      !problem.empty() || target.kind == TargetKind::CPU)
    return problem;
  attention::GradientTile parts = getParts(facts, tile);
  return attention::findPartsProblem(
      {tile.depth, tile.rows, parts.gradients * tile.columns, /*scores=*/2,
       /*narrowScores=*/parts.gradients, attention::countBytes(parts, facts)},
      target);
}

static std::optional<double>
estimate(const Facts &facts, const Parameters &tile, const Target &target) {
  return attention::estimateCycles(getParts(facts, tile), facts, target);
}

namespace sattn::tuning {
NamedOp getFlexAttentionDkdvByName() {
  return makeNamedOp<Facts>(
      {"flex_attention_dkdv", &flex_attention_dkdv::kSchema,
       attention::readFacts, flex_attention_dkdv::defaultParameters,
       flex_attention_dkdv::choose, getKey, addParameters, findTileProblem,
       /*findHintsProblem=*/nullptr, /*choose=*/nullptr, estimate});
}
} // namespace sattn::tuning
