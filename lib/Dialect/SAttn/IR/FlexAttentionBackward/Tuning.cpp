//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the ops of the gradients of flex attention tell the choice of their
// parameters.

#include "sattn/Tuning/FlexAttentionDcapture.h"
#include "sattn/Tuning/FlexAttentionDkdv.h"
#include "sattn/Tuning/FlexAttentionDq.h"

#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDcaptureOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDkdvOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDqOp.h"

using namespace mlir;
using namespace sattn;

static tuning::attention::Facts findFacts(ScoreOpInterface op) {
  tuning::attention::Facts facts;
  auto tiled = op.isByKeys() ? op.getK() : op.getQ();
  int64_t rows = tiled.getType().getShape().end()[-2];
  if (!ShapedType::isDynamic(rows))
    facts.rows = rows;
  facts.headDim = op.getHeadDim();
  facts.valueDim = op.getValueDim();
  facts.elementBytes = op.getQ().getType().getElementTypeBitWidth() / 8;
  if (std::optional<ArrayRef<int64_t>> size = op.getBlockSize()) {
    facts.blockQueries = (*size)[0];
    facts.blockKeys = (*size)[1];
    Value counts = op.getFullCounts()      ? op.getFullCounts()
                   : op.getPartialCounts() ? op.getPartialCounts()
                                           : op.getCrow();
    auto type = cast<RankedTensorType>(counts.getType());
    facts.areListsShared = type.getDimSize(op.getLeadRank() - 1) == 1;
  }
  facts.hasDropout = bool(op.getRandom());
  std::optional<MaskAttr> mask = op.getMask();
  facts.isCausal =
      mask && mask->getRight() && !mask->getLeft() && !op.hasLists();
  return facts;
}

std::optional<std::string>
FlexAttentionDqOp::restrictTo(const tuning::Target &) {
  return std::nullopt;
}

std::optional<std::string>
FlexAttentionDkdvOp::restrictTo(const tuning::Target &) {
  return std::nullopt;
}

llvm::Expected<tuning::Choice> FlexAttentionDqOp::chooseParameters(
    ArrayRef<meta::Table>, const tuning::Search &search, const TuningHints &) {
  return tuning::flex_attention_dq::choose(findFacts(*this), search);
}

llvm::Expected<tuning::Choice> FlexAttentionDkdvOp::chooseParameters(
    ArrayRef<meta::Table>, const tuning::Search &search, const TuningHints &) {
  tuning::attention::Facts facts = findFacts(*this);
  facts.isOneGradient = getOnly().has_value();
  facts.gradientColumns = getTiledColumns();
  return tuning::flex_attention_dkdv::choose(facts, search);
}

std::optional<std::string>
FlexAttentionDcaptureOp::restrictTo(const tuning::Target &) {
  return std::nullopt;
}

llvm::Expected<tuning::Choice> FlexAttentionDcaptureOp::chooseParameters(
    ArrayRef<meta::Table>, const tuning::Search &search, const TuningHints &) {
  return tuning::flex_attention_dcapture::choose(findFacts(*this), search);
}
