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
using sattn::layout::kWarpThreads;

static constexpr int64_t kWarpgroupWarps = kWarpgroupThreads / kWarpThreads;

/// The warpgroups that an op of an order names; nothing of other ops.
static std::optional<int64_t> getWarpgroups(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<OrderInitOp, OrderWaitOp, OrderArriveOp>(
          [](auto order) { return order.getWarpgroups(); })
      .Default(std::nullopt);
}

static LogicalResult verifyOp(Operation *op, int64_t warpgroups) {
  auto [roles, role] = RolesOp::getRoleOf(op);
  if (!roles || !roles.holdsTiles(role))
    return op->emitOpError("expected to stand in the consumers' role");
  // Consumer groups may pass over different iterations.
  if (roles.getNumGroups(role) != 1)
    return op->emitOpError() << "expected one group of consumers, but got "
                             << roles.getNumGroups(role);
  int64_t consumers = roles.getWarps()[role] / kWarpgroupWarps;
  if (warpgroups != consumers)
    return op->emitOpError() << "expected as many warpgroups as consume, "
                             << consumers << ", but got " << warpgroups;
  // A loop would initialize again an order that has begun.
  if (isa<OrderInitOp>(op) && op->getParentOp() != roles)
    return op->emitOpError("expected no loop or branch of the role around it");
  return success();
}

LogicalResult wgtile::verifyOrder(gpu::GPUFuncOp kernel) {
  Region *role = nullptr;
  WalkResult walk = kernel.walk([&](Operation *op) {
    std::optional<int64_t> warpgroups = getWarpgroups(op);
    if (!warpgroups)
      return WalkResult::advance();
    if (failed(verifyOp(op, *warpgroups)))
      return WalkResult::interrupt();
    auto [roles, number] = RolesOp::getRoleOf(op);
    Region *program = &roles.getPrograms()[number];
    if (role && role != program) {
      op->emitOpError("expected one role with an order of warpgroups");
      return WalkResult::interrupt();
    }
    role = program;
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
