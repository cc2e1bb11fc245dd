//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a sattn.bsr_softmax tells the choice of its parameters.

#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"
#include "sattn/Tuning/BsrSoftmax.h"

using namespace mlir;
using namespace sattn;

static tuning::bsr_softmax::Facts factsOf(BsrSoftmaxOp op) {
  tuning::bsr_softmax::Facts facts;
  facts.blockRows = op.getBlockRows();
  facts.blockColumns = op.getBlockColumns();
  facts.elementBytes = op.getValues().getType().getElementTypeBitWidth() / 8;
  return facts;
}

std::optional<std::string>
BsrSoftmaxOp::restrictTo(const tuning::Target &target) {
  MetaAttr meta = getMetaAttr();
  if (!meta)
    return std::nullopt;
  ArrayRef<int64_t> tile = meta.getTile();
  tuning::Parameters given;
  given.rows = tile[0];
  given.columns = tile[1];
  given.depth = tile[2];
  given.stages = meta.getStages();
  given.warps = meta.getWarps();
  tuning::Parameters fitted = given;
  tuning::bsr_softmax::fitTo(factsOf(*this), target, fitted);
  setMetaAttr(MetaAttr::get(
      getContext(), {fitted.rows, fitted.columns, fitted.depth}, fitted.stages,
      fitted.warps, meta.getRasterGroup(), meta.getSplitK()));
  if (fitted.rows == given.rows && fitted.columns == given.columns &&
      fitted.depth == given.depth)
    return std::nullopt;
  return ("tile of " + Twine(fitted.rows) + " x " + Twine(fitted.columns) +
          " x " + Twine(fitted.depth) + ", as " + target.name + " takes")
      .str();
}

llvm::Expected<tuning::Choice> BsrSoftmaxOp::chooseParameters(
    ArrayRef<meta::Table>, const tuning::Search &search, const TuningHints &) {
  return tuning::bsr_softmax::choose(factsOf(*this), search);
}
