//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The facts of a sattn.bsr_attention that its parameters are chosen by.

#include "../TuningFacts.h"

#include "sattn/Dialect/SAttn/IR/BsrAttention/BsrAttentionOp.h"

using namespace mlir;
using namespace sattn;

std::optional<std::string> BsrAttentionOp::restrictTo(const tuning::Target &) {
  return std::nullopt;
}

SmallVector<tuning::NamedFact>
BsrAttentionOp::getTuningFacts(const TuningHints &hints) {
  TuningFacts facts;
  facts.addSize("rows", getQ().getType().getShape().end()[-2], hints.m);
  facts.addProduct("batches", getOut().getType().getShape().drop_back(2));
  facts.add("head_dim", getHeadDim());
  facts.add("value_dim", getValueDim());
  facts.addType("dtype", getQ().getType().getElementType());
  facts.add("block_rows", getBlockRows());
  facts.add("block_columns", getBlockColumns());
  facts.addFlag("has_dropout", bool(getRandom()));
  facts.addFlag("has_lse", hasLse());
  RankedTensorType crow = getCrow().getType();
  facts.addFlag("shares_mask",
                crow.getRank() == 1 || crow.getShape().end()[-2] == 1);
  return facts.take();
}
