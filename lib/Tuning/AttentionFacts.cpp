//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Attention.h"
#include "sattn/Tuning/NamedFacts.h"

using namespace sattn::tuning;

attention::Facts attention::readFacts(NamedFacts &given) {
  Facts facts;
  facts.rows = given.find("rows");
  facts.batches = given.find("batches");
  facts.headDim = given.require("head_dim");
  facts.valueDim = given.require("value_dim");
  facts.dtype = given.findElement(facts.elementBytes);
  facts.blockQueries = given.find("block_queries", /*least=*/1);
  facts.blockKeys = given.find("block_keys", /*least=*/1);
  facts.isPacked = given.isSet("is_packed");
  facts.areListsShared = given.isSet("shares_mask");
  facts.hasDropout = given.isSet("has_dropout");
  facts.readsPairs = given.isSet("reads_pairs");
  facts.usesPositions = given.isSet("uses_positions");
  facts.seenBlocks = given.find("seen_blocks");
  facts.longestRow = given.find("longest_row");
  facts.isOneGradient = given.isSet("is_one_gradient");
  facts.gradientColumns = given.find("gradient_columns", /*least=*/1);
  facts.isCausal = given.isSet("is_causal");
  return facts;
}
