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
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPLACEFENCES
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

static SmallVector<SyncEffect> getEffects(Operation *op) {
  SmallVector<SyncEffect> effects;
  if (auto sync = dyn_cast<SyncOpInterface>(op))
    sync.getSyncEffects(effects);
  return effects;
}

static bool hasBarrier(Operation *op) {
  return llvm::any_of(getEffects(op), [](const SyncEffect &effect) {
    return effect.kind == SyncEffect::Kind::Barrier;
  });
}

/// The ring whose stages an op gives back, or null.
static Value getReleased(Operation *op) {
  for (const SyncEffect &effect : getEffects(op))
    if (effect.kind == SyncEffect::Kind::Release ||
        effect.kind == SyncEffect::Kind::ReleaseAll)
      return effect.value;
  return {};
}

namespace {
/// Places fences first, then the barriers that are missing with them. A fence
/// goes before the barrier that the accessing threads meet at, so that each of
/// them orders its own accesses.
class Placement {
public:
  explicit Placement(gpu::GPUFuncOp kernel) : kernel(kernel) {}

  LogicalResult run() {
    do {
      placed = false;
      if (failed(analyze()))
        return failure();
      if (!fenceless.empty())
        placeFences();
      else
        placeBarriers();
    } while (placed);
    return success();
  }

private:
  gpu::GPUFuncOp kernel;
  /// Ops that lack a fence or a barrier before them.
  llvm::SetVector<Operation *> fenceless, barrierless;
  /// Ops with a barrier, and the memory that is not fenced before each op, by
  /// the value that it belongs to: a stage has other numbers at other times.
  SmallVector<Operation *> barriers;
  DenseMap<Operation *, DenseSet<Value>> unfencedAt;
  /// Where something was placed before: a second one would not help.
  DenseSet<Operation *> fenced, met;
  DenseSet<Value> fencedRings;
  bool placed = false;

  LogicalResult analyze() {
    fenceless.clear();
    barrierless.clear();
    barriers.clear();
    unfencedAt.clear();
    SyncAnalysis analysis(kernel);
    auto listener = [&](Operation *op, SyncEffect::Kind missing,
                        const Twine &) {
      if (missing == SyncEffect::Kind::Fence)
        fenceless.insert(op);
      if (missing == SyncEffect::Kind::Barrier)
        barrierless.insert(op);
      return true;
    };
    auto visitor = [&](Operation *op, const SyncState &before) {
      for (const Place &place : before.unfencedPlaces()) {
        auto [it, inserted] = unfencedAt.try_emplace(op);
        it->second.insert(analysis.getNumbers().value(place.base));
        if (inserted && hasBarrier(op))
          barriers.push_back(op);
      }
    };
    return analysis.run(listener, visitor);
  }

  template <typename OpTy> void placeBefore(Operation *op) {
    OpBuilder b(op);
    OpTy::create(b, op->getLoc());
    placed = true;
  }

  /// One fence before a barrier at a time: it may serve others. Of what is
  /// accessed before an op, all that no barrier follows has to be fenced right
  /// before it. So have reads of a stage before its release, where fences after
  /// the reads are not enough.
  void placeFences() {
    DenseSet<Value> needed, rings;
    for (Operation *op : fenceless)
      for (const SyncEffect &effect : getEffects(op))
        if (effect.kind == SyncEffect::Kind::Access &&
            effect.proxy == Proxy::Async)
          needed.insert(effect.value);
    for (Operation *op : barriers)
      if (llvm::any_of(unfencedAt[op],
                       [&](Value tile) { return needed.contains(tile); }) &&
          fenced.insert(op).second)
        return placeBefore<FenceAsyncOp>(op);
    for (Operation *op : fenceless) {
      Value ring = getReleased(op);
      if (ring && fencedRings.insert(ring).second) {
        fenceReads(ring);
        rings.insert(ring);
      } else if (!rings.contains(ring) && fenced.insert(op).second) {
        placeBefore<FenceAsyncOp>(op);
      }
    }
  }

  /// After the last reads of a stage in each block: a branch without any has no
  /// fence.
  void fenceReads(Value ring) {
    llvm::MapVector<Block *, Operation *> lastReads;
    kernel.walk([&](Operation *op) {
      if (llvm::any_of(getEffects(op), [&](const SyncEffect &effect) {
            return effect.kind == SyncEffect::Kind::Access &&
                   effect.proxy == Proxy::Generic &&
                   getRing(effect.value) == ring;
          }))
        lastReads[op->getBlock()] = op;
    });
    for (auto [block, read] : lastReads) {
      OpBuilder b(kernel.getContext());
      b.setInsertionPointAfter(read);
      FenceAsyncOp::create(b, read->getLoc());
      WarpBarrierOp::create(b, read->getLoc());
    }
    placed = true;
  }

  /// The ring that a tile is of a stage of, or null.
  static Value getRing(Value tile) {
    Operation *op = tile.getDefiningOp();
    if (!op)
      return {};
    for (const SyncEffect &effect : getEffects(op))
      if (effect.kind == SyncEffect::Kind::StageTile)
        return effect.value;
    return {};
  }

  /// Before an op that lacks one, of all threads that share what it accesses;
  /// one at a time, since it may serve others.
  void placeBarriers() {
    for (Operation *op : barrierless) {
      if (!met.insert(op).second)
        continue;
      std::optional<SyncScope> scope;
      for (const SyncEffect &effect : getEffects(op))
        if (effect.kind == SyncEffect::Kind::Access)
          scope = std::max(scope.value_or(SyncScope::Warp), effect.scope);
      if (getReleased(op) || scope == SyncScope::Warp)
        placeBefore<WarpBarrierOp>(op);
      else if (scope == SyncScope::Group)
        placeBefore<GroupBarrierOp>(op);
      else if (!op->getParentOfType<RolesOp>())
        placeBefore<BlockBarrierOp>(op);
      if (placed)
        return;
    }
  }
};

struct PlaceFencesPass
    : public wgtile::impl::WGTilePlaceFencesBase<PlaceFencesPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() &&
          (failed(verifyStructured(kernel)) || failed(Placement(kernel).run())))
        return signalPassFailure();
  }
};
} // namespace
