//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../AttentionSpace.h"

#include "sattn/Tuning/BsrAttention.h"

using namespace sattn::tuning;

static bsr_attention::Facts read(NamedFacts &given) {
  bsr_attention::Facts facts;
  facts.rows = given.find("rows");
  facts.headDim = given.require("head_dim");
  facts.valueDim = given.require("value_dim");
  facts.dtype = given.findElement(facts.elementBytes);
  facts.blockQueries = given.require("block_rows");
  facts.blockKeys = given.require("block_columns");
  facts.areListsShared = given.isSet("shares_mask");
  facts.hasDropout = given.isSet("has_dropout");
  facts.mayHaveParts = !given.isSet("has_lse");
  facts.batches = given.find("batches");
  if (std::optional<int64_t> nnz = given.find("nnz"))
    facts.seenBlocks = *nnz * facts.batches.value_or(1);
  facts.longestRow = given.find("longest_row");
  return facts;
}

static TableKey getKey(const bsr_attention::Facts &facts) {
  return attention::makeKey(facts, {facts.areListsShared, facts.hasDropout});
}

static void addParameters(Space &space, const bsr_attention::Facts &facts,
                          const Target &target) {
  attention::addParameters(space, facts.valueDim, facts, target);
}

namespace sattn::tuning {
NamedOp getBsrAttentionByName() {
  return makeNamedOp<bsr_attention::Facts>(
      {"bsr_attention", &bsr_attention::kSchema, read,
       bsr_attention::defaultParameters, bsr_attention::choose, getKey,
       addParameters, attention::findTileProblem, /*findHintsProblem=*/nullptr,
       /*choose=*/nullptr, attention::estimateCycles});
}
} // namespace sattn::tuning
