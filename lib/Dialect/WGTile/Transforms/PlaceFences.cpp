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

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPLACEFENCES
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

static bool hasBarrier(Operation *op) {
  auto sync = dyn_cast<SyncOpInterface>(op);
  if (!sync)
    return false;
  SmallVector<SyncEffect> effects;
  sync.getSyncEffects(effects);
  return llvm::any_of(effects, [](const SyncEffect &effect) {
    return effect.kind == SyncEffect::Kind::Barrier;
  });
}

/// A fence goes before the barrier that the writing threads meet at, so that it
/// is the writers that order their writes; where there is none, before the
/// access.
static LogicalResult placeFences(gpu::GPUFuncOp kernel) {
  SyncAnalysis analysis(kernel);
  const ValueNumbers &numbers = analysis.getNumbers();
  // Memory by the value that it belongs to: a stage of a ring has other numbers
  // at other times.
  DenseMap<Operation *, DenseSet<unsigned>> unfencedAt;
  DenseSet<unsigned> needed;
  SmallVector<Operation *> accesses, barriers;
  auto listener = [&](Operation *op, SyncEffect::Kind missing, const Twine &) {
    if (missing == SyncEffect::Kind::Fence)
      accesses.push_back(op);
    return true;
  };
  auto visitor = [&](Operation *op, const SyncState &before) {
    for (const Place &place : before.unfencedPlaces()) {
      auto [it, inserted] = unfencedAt.try_emplace(op);
      it->second.insert(place.base);
      if (inserted && hasBarrier(op))
        barriers.push_back(op);
    }
  };
  if (failed(analysis.run(listener, visitor)))
    return failure();

  auto placeBefore = [](Operation *op) {
    OpBuilder b(op);
    FenceAsyncOp::create(b, op->getLoc());
  };
  // Of what is written before an access, all that no barrier follows has to be
  // fenced there.
  for (Operation *op : accesses) {
    SmallVector<SyncEffect> effects;
    cast<SyncOpInterface>(op).getSyncEffects(effects);
    for (const SyncEffect &effect : effects)
      if (effect.kind == SyncEffect::Kind::Access &&
          effect.proxy == Proxy::Async)
        needed.insert(numbers.of(effect.value));
  }
  DenseSet<unsigned> fenced;
  for (Operation *op : barriers) {
    bool needs = llvm::any_of(
        unfencedAt[op], [&](unsigned place) { return needed.contains(place); });
    if (!needs)
      continue;
    placeBefore(op);
    fenced.insert(unfencedAt[op].begin(), unfencedAt[op].end());
  }
  DenseSet<Operation *> seen;
  for (Operation *op : accesses) {
    bool isFenced = llvm::any_of(
        unfencedAt[op], [&](unsigned place) { return fenced.contains(place); });
    if (!isFenced && seen.insert(op).second)
      placeBefore(op);
  }
  return success();
}

namespace {
struct PlaceFencesPass
    : public wgtile::impl::WGTilePlaceFencesBase<PlaceFencesPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() &&
          (failed(verifyStructured(kernel)) || failed(placeFences(kernel))))
        return signalPassFailure();
  }
};
} // namespace
