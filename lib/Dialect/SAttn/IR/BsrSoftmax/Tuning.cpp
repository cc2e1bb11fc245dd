//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Facts of sattn.bsr_softmax and sattn.bsr_softmax_backward for the choice of
// their parameters.

#include "../TuningFacts.h"
#include "StoredRows.h"

#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxBackwardOp.h"
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"
#include "sattn/Tuning/BsrSoftmax.h"

using namespace mlir;
using namespace sattn;

static tuning::bsr_softmax::Facts factsOf(const StoredRows &rows) {
  tuning::bsr_softmax::Facts facts;
  facts.blockRows = rows.getBlockRows();
  facts.blockColumns = rows.getBlockColumns();
  facts.elementBytes = rows.getElementType().getIntOrFloatBitWidth() / 8;
  facts.arrays = rows.inputs.size();
  return facts;
}

static SmallVector<tuning::NamedFact> listFacts(const StoredRows &rows) {
  TuningFacts facts;
  facts.add("block_rows", rows.getBlockRows());
  facts.add("block_columns", rows.getBlockColumns());
  facts.addType("dtype", rows.getElementType());
  return facts.take();
}

static std::optional<std::string> restrictRows(const StoredRows &rows,
                                               const tuning::Target &target) {
  MetaAttr meta = rows.meta;
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
  tuning::bsr_softmax::fitTo(factsOf(rows), target, fitted);
  TileSchedule schedule = meta.getSchedule();
  schedule.stages = fitted.stages;
  schedule.warps = fitted.warps;
  cast<TuningOpInterface>(rows.op).setTileParameters(
      MetaAttr::get(rows.op->getContext(),
                    {fitted.rows, fitted.columns, fitted.depth}, schedule));
  if (fitted.rows == given.rows && fitted.columns == given.columns &&
      fitted.depth == given.depth)
    return std::nullopt;
  return ("tile of " + Twine(fitted.rows) + " x " + Twine(fitted.columns) +
          " x " + Twine(fitted.depth) + ", as " + target.name + " takes")
      .str();
}

std::optional<std::string>
BsrSoftmaxOp::restrictTo(const tuning::Target &target) {
  return restrictRows(*this, target);
}

SmallVector<tuning::NamedFact>
BsrSoftmaxOp::getTuningFacts(const TuningHints &) {
  return listFacts(*this);
}

std::optional<std::string>
BsrSoftmaxBackwardOp::restrictTo(const tuning::Target &target) {
  return restrictRows(*this, target);
}

SmallVector<tuning::NamedFact>
BsrSoftmaxBackwardOp::getTuningFacts(const TuningHints &) {
  return listFacts(*this);
}
