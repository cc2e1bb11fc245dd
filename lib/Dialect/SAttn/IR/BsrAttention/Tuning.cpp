//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a sattn.bsr_attention tells the choice of its parameters.

#include "sattn/Tuning/BsrAttention.h"

#include "sattn/Dialect/SAttn/IR/BsrAttention/BsrAttentionOp.h"

using namespace mlir;
using namespace sattn;

std::optional<std::string> BsrAttentionOp::restrictTo(const tuning::Target &) {
  return std::nullopt;
}

llvm::Expected<tuning::Choice> BsrAttentionOp::chooseParameters(
    ArrayRef<meta::Table>, const tuning::Search &search, const TuningHints &) {
  tuning::bsr_attention::Facts facts;
  facts.headDim = getHeadDim();
  facts.valueDim = getValueDim();
  facts.elementBytes = getQ().getType().getElementTypeBitWidth() / 8;
  facts.blockQueries = getBlockRows();
  facts.blockKeys = getBlockColumns();
  facts.hasDropout = bool(getRandom());
  facts.mayHaveParts = !hasLse();
  RankedTensorType crow = getCrow().getType();
  facts.areListsShared = crow.getRank() == 1 || crow.getShape().end()[-2] == 1;
  return tuning::bsr_attention::choose(facts, search);
}
