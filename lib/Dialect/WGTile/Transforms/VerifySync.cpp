//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SyncAnalysis.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"
#include "sattn/Dialect/WGTile/Utils/VerifyLayouts.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEVERIFYSYNC
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Warps of the warpgroup that the producer has to itself, and threads of one.
static constexpr int64_t kProducerWarps = 4;
static constexpr int64_t kWarpThreads = 32;

/// Each warp that consumes gives a stage back: a ring that waits for fewer is
/// refilled under slower warps, one that waits for more is never refilled.
static LogicalResult verifyArrivals(gpu::GPUFuncOp kernel) {
  DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
  if (!threads)
    return success();
  int64_t consumers = threads[0] / kWarpThreads - kProducerWarps;
  WalkResult walk = kernel.walk([&](RingOp ring) {
    if (static_cast<int64_t>(ring.getConsumerWarps()) == consumers)
      return WalkResult::advance();
    ring.emitOpError() << "expected as many warps as consume, " << consumers
                       << ", but got " << ring.getConsumerWarps();
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// A turn passes one tile on: a second time, or in the wrong role, a slot would
/// be waited for that no turn of the other role fills or gives back.
static LogicalResult verifyQueue(gpu::GPUFuncOp kernel) {
  const SmallVector<StringRef> producing = {QueueAcquireOp::getOperationName(),
                                            QueueWriteOp::getOperationName(),
                                            QueueCommitOp::getOperationName()};
  const SmallVector<StringRef> consuming = {QueueTakeOp::getOperationName(),
                                            QueueReadOp::getOperationName(),
                                            QueueReleaseOp::getOperationName()};
  WalkResult walk = kernel.walk([&](ForEachTileOp loop) {
    auto roles = dyn_cast<RolesOp>(loop->getParentOp());
    if (!loop.getCounter() || !roles)
      return WalkResult::advance();
    bool isProducer = roles.getProducer().isAncestor(loop->getParentRegion());
    const SmallVector<StringRef> &expected = isProducer ? producing : consuming;
    SmallVector<StringRef> found;
    for (Operation &op : loop.getBody().front())
      if (isa<QueueAcquireOp, QueueWriteOp, QueueCommitOp, QueueTakeOp,
              QueueReadOp, QueueReleaseOp>(op))
        found.push_back(op.getName().getStringRef());
    if (found == expected)
      return WalkResult::advance();
    std::string wanted = llvm::join(expected, ", ");
    std::string present = found.empty() ? "none" : llvm::join(found, ", ");
    loop.emitOpError() << "expected a turn of a "
                       << (isProducer ? "producer" : "consumer")
                       << " with the ops " << wanted
                       << " of the queue, once and in this order, but got "
                       << present;
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

static LogicalResult verify(gpu::GPUFuncOp kernel) {
  if (failed(verifyStructured(kernel)) || failed(verifyArrivals(kernel)))
    return failure();
  DenseSet<Operation *> reported;
  auto listener = [&](Operation *op, SyncEffect::Kind, const Twine &message) {
    if (reported.insert(op).second)
      op->emitOpError() << message;
    return false;
  };
  SyncAnalysis analysis(kernel);
  if (failed(analysis.run(listener, [](Operation *, const SyncState &) {})) ||
      !reported.empty())
    return failure();
  return verifyQueue(kernel);
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
