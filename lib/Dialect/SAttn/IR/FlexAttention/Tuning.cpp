//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The facts of a sattn.flex_attention that its parameters are chosen by.

#include "../TuningFacts.h"

#include "sattn/Dialect/SAttn/IR/FlexAttention/FlexAttentionOp.h"

using namespace mlir;
using namespace sattn;

std::optional<std::string> FlexAttentionOp::restrictTo(const tuning::Target &) {
  return std::nullopt;
}

SmallVector<tuning::NamedFact>
FlexAttentionOp::getTuningFacts(const TuningHints &hints) {
  TuningFacts facts;
  facts.addSize("rows", getQ().getType().getShape().end()[-2], hints.m);
  facts.addProduct("batches", getQ().getType().getShape().drop_back(2));
  facts.add("head_dim", getHeadDim());
  facts.add("value_dim", getValueDim());
  facts.addType("dtype", getQ().getType().getElementType());
  if (std::optional<ArrayRef<int64_t>> size = getBlockSize()) {
    facts.add("block_queries", (*size)[0]);
    facts.add("block_keys", (*size)[1]);
    Value counts = getFullCounts() ? getFullCounts() : getPartialCounts();
    auto type = cast<RankedTensorType>(counts.getType());
    facts.addFlag("shares_mask", type.getDimSize(getLeadRank() - 1) == 1);
  }
  std::optional<MaskAttr> mask = getMask();
  facts.addFlag("is_packed", isPacked());
  facts.addFlag("is_causal", mask && mask->getRight() && !mask->getLeft() &&
                                 !hasLists() && !isPacked());
  return facts.take();
}
