//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/SplitReduction.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace wgtile;

/// Whether an iteration adds MMAs to the value that the loop carries, and does
/// nothing else with it.
static bool isSumOfMmas(scf::ForOp loop, unsigned i) {
  auto type = dyn_cast<RankedTensorType>(loop.getResult(i).getType());
  Value init = loop.getInitArgs()[i];
  if (!type || type.getRank() != 2 ||
      !(matchPattern(init, m_AnyZeroFloat()) || matchPattern(init, m_Zero())))
    return false;
  Value sum = loop.getYieldedValues()[i];
  while (auto mma = sum.getDefiningOp<MmaOpInterface>()) {
    if (!sum.hasOneUse() || mma->getBlock() != loop.getBody())
      return false;
    sum = mma.getAcc();
  }
  return sum == loop.getRegionIterArg(i) && sum.hasOneUse();
}

scf::ForOp wgtile::findSplitLoop(ForEachTileOp tiles, StringRef &reason) {
  scf::ForOp found;
  bool isAlone = true;
  tiles.walk([&](scf::ForOp loop) {
    if (!loop->hasAttr(kBlockLoopAttrName))
      return;
    isAlone &= !found && loop->getParentOp() == tiles;
    found = loop;
  });
  reason = "the tile's program has not one loop over blocks by itself";
  if (!found || !isAlone)
    return {};
  reason = "the loop over blocks has another step than 1";
  if (!isConstantIntValue(found.getStep(), 1) ||
      !found.getInductionVar().getType().isIndex())
    return {};
  reason = "the loop over blocks does more than add MMAs to zeros";
  for (unsigned i = 0; i < found.getNumResults(); ++i)
    if (!isSumOfMmas(found, i))
      return {};
  // Every CTA of the cluster executes the ops before the loop.
  for (Operation &op : tiles.getBody().front()) {
    if (&op == found)
      break;
    if (hasEffect<MemoryEffects::Write>(&op)) {
      reason = "memory is written before the loop over blocks";
      return {};
    }
  }
  reason = "";
  return found;
}
