//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Utils/VerifyLayouts.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace wgtile;

static constexpr int32_t kWarpThreads = 32;
static constexpr int32_t kMaxThreads = kWarpThreads * sattn::kMaxWarpsPerCTA;

LogicalResult wgtile::verifyStructured(gpu::GPUFuncOp kernel) {
  WalkResult walk = kernel.walk([](Operation *op) {
    for (Region &region : op->getRegions())
      if (!region.empty() &&
          (!region.hasOneBlock() || !region.front().mightHaveTerminator())) {
        op->emitOpError("expected structured control flow");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult wgtile::verifySwizzles(gpu::GPUFuncOp kernel) {
  WalkResult walk = kernel.walk([](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<SharedType>(type);
          tile && tile.getSwizzle() == 0) {
        op->emitOpError("expected a tile with a swizzle "
                        "(wgtile-assign-layouts), but got none");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// The layout of a tile, or of the tile that a vector is a slice of; null
/// without one.
static MmaAttr getLayout(RankedTensorType tile) {
  if (auto slice = dyn_cast_or_null<SliceAttr>(tile.getEncoding()))
    return slice.getParent();
  return dyn_cast_or_null<MmaAttr>(tile.getEncoding());
}

LogicalResult wgtile::verifyRegisterTiles(gpu::GPUFuncOp kernel) {
  MmaAttr expected;
  auto verify = [&](Operation *op, Type type) -> LogicalResult {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile)
      return success();
    MmaAttr layout = getLayout(tile);
    if (!layout)
      return op->emitOpError() << "expected register tiles with a layout "
                                  "(wgtile-assign-layouts), but got "
                               << tile;
    if (!expected)
      expected = layout;
    if (layout == expected)
      return success();
    return op->emitOpError() << "expected register tiles of layout " << expected
                             << ", but got " << tile;
  };
  WalkResult walk = kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(verify(op, type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Type type : region.getArgumentTypes())
        if (failed(verify(op, type)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// The message on an op that misuses a ring of warpgroups; empty if it does
/// not.
static StringRef findStagingMisuse(Operation *op, RingOp ring) {
  if (!isa<ProducerAcquireOp, RingStoreOp, TmaStoreOp, ProducerCommitOp,
           ProducerTailOp, StageBorrowOp, StageReturnOp>(op))
    return "expected a ring that is not one of warpgroups";
  if (ring && ring.getConsumerWarps())
    return "expected a ring of warpgroups without warps";
  // Its first stage comes first once.
  if (ring && !isa<gpu::GPUFuncOp, RolesOp>(ring->getParentOp()))
    return "expected no loop or branch around a ring of warpgroups";
  auto [roles, role] = RolesOp::getRoleOf(op);
  if (roles && !roles.holdsTiles(role))
    return "expected a role that holds register tiles";
  return {};
}

/// Whether an op is used in roles alone, or outside alone; else what is
/// expected.
static StringRef findMisuse(Operation *op, RingType type, RingOp ring) {
  if (type.isStaging())
    return findStagingMisuse(op, ring);
  // A ring that borrows its memory.
  if (isa<RingOp>(op))
    return ring && !ring.getConsumerWarps() ? "expected a lender with warps"
                                            : "";
  bool alone = isCooperative(op);
  if (ring && alone == ring.getConsumerWarps().has_value())
    return alone ? "expected a ring without warps outside of roles"
                 : "expected a ring with warps in a role";
  if (isa<TmaLoadOp>(op) && alone)
    return "expected a role around a copy by TMA into a ring";
  if (isa<AsyncCopyOp, ProducerTailOp>(op) && !alone)
    return "expected no role around it";
  if (auto wait = dyn_cast<ConsumerWaitOp>(op))
    if ((alone && wait.getRing().getType().hasSharedTiles()) !=
        wait.getPending().has_value())
      return "expected 'pending' for a ring of shared tiles without roles, and "
             "for no other";
  return {};
}

LogicalResult wgtile::verifyRings(gpu::GPUFuncOp kernel) {
  WalkResult walk = kernel.walk([](Operation *op) {
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RingType>(operand.getType());
      if (!type)
        continue;
      StringRef misuse = findMisuse(op, type, operand.getDefiningOp<RingOp>());
      if (misuse.empty())
        continue;
      op->emitOpError(misuse);
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult wgtile::verifyThreads(gpu::GPUFuncOp kernel) {
  DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
  if (threads && threads[0] > 0 && threads[0] <= kMaxThreads &&
      threads[0] % kWarpThreads == 0)
    return success();
  InFlightDiagnostic diag =
      kernel.emitOpError()
      << "expected a number of threads of whole warps up to " << kMaxThreads
      << " (wgtile-assign-layouts), but got ";
  return threads ? diag << threads[0] : diag << "none";
}
