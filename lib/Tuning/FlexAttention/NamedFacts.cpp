//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Tuning/NamedFacts.h"
#include "sattn/Tuning/FlexAttention.h"

using namespace sattn::tuning;

static flex_attention::Facts read(NamedFacts &given) {
  flex_attention::Facts facts;
  facts.rows = given.find("rows");
  facts.headDim = given.require("head_dim");
  facts.valueDim = given.require("value_dim");
  facts.elementBytes = given.require("element_bytes");
  facts.blockQueries = given.find("block_queries", /*least=*/1);
  facts.blockKeys = given.find("block_keys", /*least=*/1);
  facts.isPacked = given.isSet("is_packed");
  facts.areListsShared = given.isSet("shares_mask");
  facts.seenBlocks = given.find("seen_blocks");
  facts.longestRow = given.find("longest_row");
  facts.isCausal = given.isSet("is_causal");
  return facts;
}

namespace sattn::tuning {
NamedOp getFlexAttentionByName() {
  return makeNamedOp("flex_attention", read, flex_attention::choose);
}
} // namespace sattn::tuning
