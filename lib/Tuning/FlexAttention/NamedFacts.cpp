//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../AttentionSpace.h"

#include "sattn/Tuning/FlexAttention.h"

using namespace sattn::tuning;

static TableKey getKey(const flex_attention::Facts &facts) {
  return attention::makeKey(
      facts, {facts.isPacked, facts.isCausal, facts.areListsShared});
}

static void addParameters(Space &space, const flex_attention::Facts &facts,
                          const Target &target) {
  attention::addParameters(space, facts.valueDim, facts, target);
}

namespace sattn::tuning {
NamedOp getFlexAttentionByName() {
  return makeNamedOp<flex_attention::Facts>(
      {"flex_attention", &flex_attention::kSchema, attention::readFacts,
       flex_attention::defaultParameters, flex_attention::choose, getKey,
       addParameters, attention::findTileProblem, /*findHintsProblem=*/nullptr,
       /*choose=*/nullptr, attention::estimateCycles});
}
} // namespace sattn::tuning
