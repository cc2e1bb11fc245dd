//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runs.h"

#include "../TileParts.h"

using namespace mlir;
using namespace sattn;

/// K, if it is static.
static int64_t getDepth(SampledAddmmOp op) {
  return op.getMat1().getType().getShape().end()[op.getDepthDim()];
}

bool sattn::canBeRun(SampledAddmmOp op) {
  return !op.isEncoded() && Scale(op.getBeta()).isZero &&
         !ShapedType::isDynamic(getDepth(op));
}

bool sattn::isRun(SampledAddmmOp op) {
  MetaAttr meta = op.getMetaAttr();
  return meta && op.getBlocksPerTile() > 1 && canBeRun(op) &&
         meta.getTile()[0] == op.getBlockRows() &&
         getDepth(op) <= meta.getTile()[2];
}
