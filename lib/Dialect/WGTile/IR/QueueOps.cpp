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

LogicalResult QueueAcquireOp::verify() { return verifyLoop(*this); }
LogicalResult QueueWriteOp::verify() { return verifyLoop(*this); }
LogicalResult QueueCommitOp::verify() { return verifyLoop(*this); }
LogicalResult QueueTakeOp::verify() { return verifyLoop(*this); }
LogicalResult QueueReadOp::verify() { return verifyLoop(*this); }
LogicalResult QueueReleaseOp::verify() { return verifyLoop(*this); }
