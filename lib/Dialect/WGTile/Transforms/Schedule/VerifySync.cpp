//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Analysis/MatchStages.h"
#include "sattn/Dialect/WGTile/Analysis/SharedPlaces.h"
#include "sattn/Dialect/WGTile/Analysis/SyncAnalysis.h"
#include "sattn/Dialect/WGTile/Analysis/ThreadDependence.h"
#include "sattn/Dialect/WGTile/Analysis/VerifyCopies.h"
#include "sattn/Dialect/WGTile/Analysis/VerifyEffects.h"
#include "sattn/Dialect/WGTile/Analysis/VerifyOrder.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Dialect/WGTile/Utils/VerifyLayouts.h"
#include "sattn/Layout/Fragment.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEVERIFYSYNC
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;
using sattn::layout::kWarpThreads;

/// Verifies that each warpgroup that fills a ring of its own has an instance of
/// each tile.
static LogicalResult verifyWarpgroups(gpu::GPUFuncOp kernel, RingOp ring) {
  RingType type = ring.getRing().getType();
  int64_t warpgroups = countTileWarpgroups(kernel);
  bool isKnown = warpgroups != 0 || kernel.getKnownBlockSizeAttr();
  if (!type.isStaging() || !isKnown || type.getWarpgroups() == warpgroups)
    return success();
  return ring.emitOpError()
         << "expected as many warpgroups as hold register tiles, " << warpgroups
         << ", but got " << type.getWarpgroups();
}

/// Each warp of the role that reads a ring releases a stage: a ring that waits
/// for fewer warps is refilled while slower warps read, a ring that waits for
/// more is never refilled. The roles have all threads of the block.
static LogicalResult verifyArrivals(gpu::GPUFuncOp kernel) {
  WalkResult walk = kernel.walk([&](Operation *op) {
    if (auto roles = dyn_cast<RolesOp>(op)) {
      DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
      int64_t warps = roles.getAllWarps();
      if (!threads || threads[0] == warps * kWarpThreads)
        return WalkResult::advance();
      op->emitOpError() << "expected the warps of the CTA, "
                        << threads[0] / kWarpThreads << ", but got " << warps;
      return WalkResult::interrupt();
    }
    if (auto ring = dyn_cast<RingOp>(op))
      return failed(verifyWarpgroups(kernel, ring)) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
    auto take = dyn_cast<ConsumerWaitOp>(op);
    auto ring = take ? take.getRing().getDefiningOp<RingOp>() : RingOp();
    auto [roles, role] = RolesOp::getRoleOf(op);
    if (!ring || !roles ||
        static_cast<int64_t>(*ring.getConsumerWarps()) ==
            roles.getWarps()[role])
      return WalkResult::advance();
    ring.emitOpError() << "expected as many warps as consume, "
                       << roles.getWarps()[role] << ", but got "
                       << *ring.getConsumerWarps();
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// Records the stages in the state before an op.
static void collectStages(Operation *op, const SyncState &before,
                          const ValueNumbers &numbers,
                          StageContents &contents) {
  auto sync = dyn_cast<SyncOpInterface>(op);
  if (!sync)
    return;
  SmallVector<SyncEffect> effects;
  sync.getSyncEffects(effects);
  for (const SyncEffect &effect : effects) {
    if (effect.kind == SyncEffect::Kind::StageTile ||
        effect.kind == SyncEffect::Kind::ReadHeld) {
      std::set<Operation *> takes = before.takesOf(effect.token, numbers);
      contents.takesOfTile[op].insert(takes.begin(), takes.end());
    }
    if (effect.kind != SyncEffect::Kind::CommitStage)
      continue;
    const SyncState::RingState &ring = before.ringOf(effect.value, numbers);
    auto [it, isNew] = contents.ofCommit.try_emplace(op);
    if (isNew)
      it->second.always = ring.copied;
    else
      llvm::set_intersect(it->second.always, ring.copied);
    it->second.maybe.insert(ring.maybeCopied.begin(), ring.maybeCopied.end());
  }
}

static LogicalResult verify(gpu::GPUFuncOp kernel) {
  if (failed(verifyStructured(kernel)) || failed(verifySwizzles(kernel)) ||
      failed(verifyDeclaredEffects(kernel)) || failed(verifyRings(kernel)) ||
      failed(verifyArrivals(kernel)) || failed(verifyOrder(kernel)) ||
      failed(verifyPlaces(kernel)))
    return failure();
  DenseSet<Operation *> reported;
  auto listener = [&](Operation *op, SyncEffect::Kind, const Twine &message) {
    if (reported.insert(op).second)
      op->emitOpError() << message;
    return false;
  };
  SyncAnalysis analysis(kernel);
  StageContents contents;
  CooperativeStages cooperative;
  auto visitor = [&](Operation *op, const SyncState &before) {
    collectStages(op, before, analysis.getNumbers(), contents);
    cooperative.collect(op, before, analysis.getNumbers());
  };
  if (failed(analysis.run(listener, visitor)) || !reported.empty() ||
      failed(cooperative.verify()))
    return failure();
  if (failed(matchStages(kernel, contents)))
    return failure();
  return verifyMeetings(kernel);
}

namespace {
struct VerifySyncPass
    : public wgtile::impl::WGTileVerifySyncBase<VerifySyncPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() && failed(verify(kernel)))
        return signalPassFailure();
  }
};
} // namespace
