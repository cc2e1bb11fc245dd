//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The facts of a sattn.scatter_mm that its parameters are chosen by.

#include "../TuningFacts.h"

#include "sattn/Dialect/SAttn/IR/ScatterMm/ScatterMmOp.h"
#include "sattn/Tuning/ScatterMm.h"

using namespace mlir;
using namespace sattn;

static tuning::scatter_mm::Facts factsOf(ScatterMmOp op) {
  tuning::scatter_mm::Facts facts;
  facts.blockRows = op.getBlockRows();
  facts.blockColumns = op.getBlockColumns();
  facts.elementBytes = op.getBlocks().getType().getElementTypeBitWidth() / 8;
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
  setMetaAttr(meta.withTile({fitted.rows, fitted.columns, fitted.depth}));
  return ("tile of " + Twine(fitted.rows) + " x " + Twine(fitted.columns) +
          " x " + Twine(fitted.depth) + ", as " + target.name + " takes")
      .str();
}

SmallVector<tuning::NamedFact>
ScatterMmOp::getTuningFacts(const TuningHints &hints) {
  TuningFacts facts;
  facts.add("block_rows", getBlockRows());
  facts.add("block_columns", getBlockColumns());
  facts.addType("dtype", getBlocks().getType().getElementType());
  facts.addSize("n", getOut().getType().getShape().back());
  // N of a hint is that of the whole problem.
  facts.add("m", hints.m);
  facts.add("k", hints.k);
  facts.add("whole_n", hints.n);
  facts.add("sparsity", hints.sparsity);
  return facts.take();
}
