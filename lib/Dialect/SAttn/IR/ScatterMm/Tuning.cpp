//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a sattn.scatter_mm tells the choice of its parameters.

#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Tuning/ScatterMm.h"

using namespace mlir;
using namespace sattn;

std::optional<std::string> ScatterMmOp::restrictTo(const tuning::Target &) {
  return std::nullopt;
}

llvm::Expected<tuning::Choice> ScatterMmOp::chooseParameters(
    ArrayRef<meta::Table>, const tuning::Search &search, const TuningHints &) {
  tuning::scatter_mm::Facts facts;
  facts.blockRows = getBlockRows();
  facts.blockColumns = getBlockColumns();
  facts.elementBytes = getBlocks().getType().getElementTypeBitWidth() / 8;
  // N of a hint is that of the whole problem.
  if (int64_t n = getOut().getType().getShape().back();
      !ShapedType::isDynamic(n))
    facts.n = n;
  return tuning::scatter_mm::choose(facts, search);
}
