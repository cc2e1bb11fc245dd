//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a sattn.scatter_mm tells the choice of its parameters.

#include "sattn/Dialect/SAttn/IR/ScatterMm/ScatterMmOp.h"
#include "sattn/Tuning/ScatterMm.h"

using namespace mlir;
using namespace sattn;

static tuning::scatter_mm::Facts factsOf(ScatterMmOp op) {
  tuning::scatter_mm::Facts facts;
  facts.blockRows = op.getBlockRows();
  facts.blockColumns = op.getBlockColumns();
  facts.elementBytes = op.getBlocks().getType().getElementTypeBitWidth() / 8;
  // N of a hint is that of the whole problem.
  if (int64_t n = op.getOut().getType().getShape().back();
      !ShapedType::isDynamic(n))
    facts.n = n;
  return facts;
}

std::optional<std::string>
ScatterMmOp::restrictTo(const tuning::Target &target) {
  MetaAttr meta = getMetaAttr();
  if (!meta)
    return std::nullopt;
  ArrayRef<int64_t> tile = meta.getTile();
  tuning::Parameters given = {tile[0], tile[1], tile[2]}, fitted = given;
  tuning::scatter_mm::fitTo(factsOf(*this), target, fitted);
  if (fitted.rows == given.rows && fitted.depth == given.depth)
    return std::nullopt;
  setMetaAttr(MetaAttr::get(getContext(),
                            {fitted.rows, fitted.columns, fitted.depth},
                            meta.getStages(), meta.getWarps(),
                            meta.getRasterGroup(), meta.getSplitK()));
  return ("tile of " + Twine(fitted.rows) + " x " + Twine(fitted.columns) +
          " x " + Twine(fitted.depth) + ", as " + target.name + " takes")
      .str();
}

llvm::Expected<tuning::Choice>
ScatterMmOp::chooseParameters(ArrayRef<meta::Table>,
                              const tuning::Search &search,
                              const TuningHints &hints) {
  tuning::scatter_mm::Facts facts = factsOf(*this);
  facts.sparsity = hints.sparsity;
  return tuning::scatter_mm::choose(facts, search);
}
