//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Tuning/NamedFacts.h"
#include "sattn/Tuning/BsrAttention.h"

using namespace sattn::tuning;

static bsr_attention::Facts read(NamedFacts &given) {
  bsr_attention::Facts facts;
  facts.rows = given.find("rows");
  facts.headDim = given.require("head_dim");
  facts.valueDim = given.require("value_dim");
  facts.elementBytes = given.require("element_bytes");
  facts.blockQueries = given.require("block_rows");
  facts.blockKeys = given.require("block_columns");
  facts.areListsShared = given.isSet("shares_mask");
  facts.hasDropout = given.isSet("has_dropout");
  facts.mayHaveParts = true;
  int64_t batches = given.find("batches").value_or(1);
  if (std::optional<int64_t> nnz = given.find("nnz"))
    facts.seenBlocks = *nnz * batches;
  facts.longestRow = given.find("longest_row");
  return facts;
}

namespace sattn::tuning {
NamedOp getBsrAttentionByName() {
  return makeNamedOp("bsr_attention", read, bsr_attention::choose);
}
} // namespace sattn::tuning
