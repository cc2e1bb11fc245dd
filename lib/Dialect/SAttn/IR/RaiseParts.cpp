//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseParts.h"

using namespace mlir;
using namespace sattn;

bool Indexed::broadcastsTo(const Indexed &other) const {
  return batch().size() <= other.batch().size() &&
         other.batch().take_back(batch().size()) == batch();
}

std::optional<LoopList> sattn::getLoops(AffineMap map) {
  LoopList loops;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return std::nullopt;
    loops.push_back(dim.getPosition());
  }
  return loops;
}

std::optional<SmallVector<unsigned>> sattn::getCopied(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics() || !llvm::hasSingleElement(*op.getBlock()) ||
      op.getBlock()->getTerminator()->getOperand(0) !=
          op.getBlock()->getArgument(0) ||
      op.getNumReductionLoops() != 0)
    return std::nullopt;
  AffineMap from = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!from.isProjectedPermutation() || !to.isPermutation())
    return std::nullopt;
  SmallVector<unsigned> dims;
  for (AffineExpr expr : from.getResults())
    dims.push_back(*to.getResultPosition(expr));
  return dims;
}
