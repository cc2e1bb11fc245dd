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

bool sattn::canBeRun(SampledAddmmOp op) {
  return !op.isEncoded() && Scale(op.getBeta()).isZero &&
         !ShapedType::isDynamic(op.getMat1().getType().getShape().back());
}

bool sattn::isRun(SampledAddmmOp op) {
  MetaAttr meta = op.getMetaAttr();
  return meta && op.getBlocksPerTile() > 1 && canBeRun(op) &&
         meta.getTile()[0] == op.getBlockRows() &&
         op.getMat1().getType().getShape().back() <= meta.getTile()[2];
}
