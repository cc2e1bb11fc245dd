//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a sattn.sampled_addmm tells the choice of its parameters.

#include "../ProductTypes.h"
#include "../TileParts.h"
#include "Runs.h"

#include "sattn/Dialect/SAttn/IR/SampledAddmm/SampledAddmmOp.h"
#include "sattn/Tuning/SampledAddmm.h"

using namespace mlir;
using namespace sattn;

/// Where the GPU's MMAs take mat2 along K alone, it gets a copy that lies so.
std::optional<std::string>
SampledAddmmOp::restrictTo(const tuning::Target &target) {
  // The CPU has nothing to gain from a run.
  if (MetaAttr meta = getMetaAttr();
      target.kind == tuning::TargetKind::CPU && isRun(*this)) {
    ArrayRef<int64_t> tile = meta.getTile();
    setMetaAttr(MetaAttr::get(
        getContext(), {tile[0], getBlockColumns(), tile[2]}, meta.getStages(),
        meta.getWarps(), meta.getRasterGroup(), meta.getSplitK()));
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

llvm::Expected<tuning::Choice>
SampledAddmmOp::chooseParameters(ArrayRef<meta::Table>,
                                 const tuning::Search &search,
                                 const TuningHints &hints) {
  tuning::sampled_addmm::Facts facts;
  facts.blockRows = getBlockRows();
  facts.blockColumns = getBlockColumns();
  facts.elementBytes = getMat1().getType().getElementTypeBitWidth() / 8;
  int64_t k = getMat1().getType().getShape().end()[getDepthDim()];
  facts.k = hints.k;
  facts.canBeRun = canBeRun(*this);
  if (!ShapedType::isDynamic(k))
    facts.k = k;
  return tuning::sampled_addmm::choose(facts, search);
}
