//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a sattn.flex_attention tells the choice of its parameters.

#include "sattn/Dialect/SAttn/IR/FlexAttention/FlexAttentionOp.h"
#include "sattn/Tuning/FlexAttention.h"

using namespace mlir;
using namespace sattn;

std::optional<std::string> FlexAttentionOp::restrictTo(const tuning::Target &) {
  return std::nullopt;
}

llvm::Expected<tuning::Choice>
FlexAttentionOp::chooseParameters(ArrayRef<meta::Table>,
                                  const tuning::Search &search,
                                  const TuningHints &hints) {
  tuning::flex_attention::Facts facts;
  int64_t rows = getQ().getType().getShape().end()[-2];
  facts.rows = hints.m;
  if (!ShapedType::isDynamic(rows))
    facts.rows = rows;
  facts.headDim = getHeadDim();
  facts.valueDim = getValueDim();
  facts.elementBytes = getQ().getType().getElementTypeBitWidth() / 8;
  if (std::optional<ArrayRef<int64_t>> size = getBlockSize()) {
    facts.blockQueries = (*size)[0];
    facts.blockKeys = (*size)[1];
    Value counts = getFullCounts() ? getFullCounts() : getPartialCounts();
    auto type = cast<RankedTensorType>(counts.getType());
    facts.areListsShared = type.getDimSize(getLeadRank() - 1) == 1;
  }
  std::optional<MaskAttr> mask = getMask();
  facts.isPacked = isPacked();
  facts.isCausal = mask && mask->getRight() && !mask->getLeft() &&
                   !hasLists() && !isPacked();
  return tuning::flex_attention::choose(facts, search);
}
