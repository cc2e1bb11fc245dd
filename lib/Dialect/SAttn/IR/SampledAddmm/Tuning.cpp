//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The facts of a sattn.sampled_addmm that its parameters are chosen by.

#include "../ProductTypes.h"
#include "../TileParts.h"
#include "../TuningFacts.h"
#include "Runs.h"

#include "sattn/Dialect/SAttn/IR/SampledAddmm/SampledAddmmOp.h"

using namespace mlir;
using namespace sattn;

/// Where the GPU's MMAs take mat2 along K alone, it gets a copy that lies so.
std::optional<std::string>
SampledAddmmOp::restrictTo(const tuning::Target &target) {
  // The CPU has nothing to gain from a run.
  if (MetaAttr meta = getMetaAttr();
      target.kind == tuning::TargetKind::CPU && isRun(*this)) {
    ArrayRef<int64_t> tile = meta.getTile();
    setMetaAttr(meta.withTile({tile[0], getBlockColumns(), tile[2]}));
    return "a tile of one block, as " + target.name.str() + " takes";
  }
  if (target.kind == tuning::TargetKind::CPU || getTransposeMat2() ||
      Scale(getAlpha()).isZero ||
      !needsKMajor(getMat2().getType().getElementType()))
    return std::nullopt;
  OpBuilder b(*this);
  getMat2Mutable().assign(createTransposed(b, getLoc(), getMat2()));
  setTransposeMat2(true);
  return std::nullopt;
}

SmallVector<tuning::NamedFact>
SampledAddmmOp::getTuningFacts(const TuningHints &hints) {
  TuningFacts facts;
  facts.add("block_rows", getBlockRows());
  facts.add("block_columns", getBlockColumns());
  facts.addType("dtype", getMat1().getType().getElementType());
  facts.addSize("k", getMat1().getType().getShape().end()[getDepthDim()],
                hints.k);
  facts.addFlag("can_be_run", canBeRun(*this));
  return facts.take();
}
