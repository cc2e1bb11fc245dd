//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"

using namespace mlir;
using namespace wgtile;

static LogicalResult verifyLoop(Operation *op) {
  // (C1)
  auto loop = cast<ForEachTileOp>(op->getParentOp());
  if (loop.getCounter() && isa_and_nonnull<RolesOp>(loop->getParentOp()))
    return success();
  return op->emitOpError("expected a loop with a counter, in a role");
}

LogicalResult WorkTileAcquireOp::verify() { return verifyLoop(*this); }
LogicalResult WorkTileWriteOp::verify() { return verifyLoop(*this); }
LogicalResult WorkTileCommitOp::verify() { return verifyLoop(*this); }
LogicalResult WorkTileWaitOp::verify() { return verifyLoop(*this); }
LogicalResult WorkTileReadOp::verify() { return verifyLoop(*this); }
LogicalResult WorkTileReleaseOp::verify() { return verifyLoop(*this); }
