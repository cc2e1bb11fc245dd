//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/VerifyOrder.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Layout/Fragment.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace wgtile;
using sattn::layout::kWarpgroupThreads;

/// The warpgroups that an op of an order names; nothing of other ops.
static std::optional<int64_t> getWarpgroups(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<OrderInitOp, OrderWaitOp, OrderArriveOp>(
          [](auto order) { return order.getWarpgroups(); })
      .Default(std::nullopt);
}

static LogicalResult verifyOp(Operation *op, int64_t warpgroups,
                              gpu::GPUFuncOp kernel) {
  auto roles = op->getParentOfType<RolesOp>();
  if (!roles || !roles.getConsumer().isAncestor(op->getParentRegion()))
    return op->emitOpError("expected to stand in the consumers' role");
  // Consumer groups may pass over different iterations.
  if (roles.getGroups() != 1)
    return op->emitOpError()
           << "expected one group of consumers, but got " << roles.getGroups();
  DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
  if (!threads)
    return op->emitOpError(
        "expected a kernel whose number of threads is known");
  // One warpgroup produces.
  int64_t consumers = threads[0] / kWarpgroupThreads - 1;
  if (warpgroups != consumers)
    return op->emitOpError() << "expected as many warpgroups as consume, "
                             << consumers << ", but got " << warpgroups;
  // A loop would initialize again an order that has begun.
  if (isa<OrderInitOp>(op) && op->getParentRegion() != &roles.getConsumer())
    return op->emitOpError("expected no loop or branch of the role around it");
  return success();
}

LogicalResult wgtile::verifyOrder(gpu::GPUFuncOp kernel) {
  WalkResult walk = kernel.walk([&](Operation *op) {
    std::optional<int64_t> warpgroups = getWarpgroups(op);
    return WalkResult(warpgroups ? verifyOp(op, *warpgroups, kernel)
                                 : success());
  });
  return failure(walk.wasInterrupted());
}
