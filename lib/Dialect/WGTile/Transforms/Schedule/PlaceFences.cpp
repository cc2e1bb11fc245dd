//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Analysis/SyncAnalysis.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Dialect/WGTile/Utils/VerifyLayouts.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPLACEFENCES
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

static SmallVector<SyncEffect> getEffects(Operation *op) {
  SmallVector<SyncEffect> effects;
  if (auto sync = dyn_cast<SyncOpInterface>(op))
    sync.getSyncEffects(effects);
  return effects;
}

/// The ring whose stages an op releases, or null.
static Value getReleased(Operation *op) {
  for (const SyncEffect &effect : getEffects(op))
    if (effect.kind == SyncEffect::Kind::Release)
      return effect.value;
  return {};
}

namespace {
/// Places fences first, then the barriers that are still missing: a fence makes
/// what it orders known to other threads by a barrier. The kernel is analyzed
/// once for the fences of all asynchronous accesses, once for those of all
/// releases, and once for all barriers, and again after each that placed some.
class Placement {
public:
  explicit Placement(gpu::GPUFuncOp kernel) : kernel(kernel) {}

  LogicalResult run() {
    do {
      placed = false;
      if (failed(analyze()))
        return failure();
      placeFences();
      if (!placed)
        fenceReleases();
      if (!placed && failed(placeBarriers()))
        return failure();
    } while (placed);
    return success();
  }

private:
  gpu::GPUFuncOp kernel;
  /// Ops before which a fence is missing for an asynchronous access, and
  /// releases that lack one.
  llvm::SetVector<Operation *> fenceless, releases;
  /// Ops that already got a fence or a barrier: a second one would not help.
  DenseSet<Operation *> fenced;
  DenseMap<Operation *, Operation *> met;
  DenseSet<Value> fencedRings;
  bool placed = false;

  LogicalResult analyze() {
    fenceless.clear();
    releases.clear();
    SyncAnalysis analysis(kernel);
    auto listener = [&](Operation *op, SyncEffect::Kind missing,
                        const Twine &) {
      if (missing == SyncEffect::Kind::Fence && getReleased(op))
        releases.insert(op);
      return true;
    };
    auto visitor = [&](Operation *op, const SyncState &before) {
      for (const SyncEffect &effect : getEffects(op))
        if (effect.kind == SyncEffect::Kind::Access &&
            effect.proxy == Proxy::Async)
          for (Operation *meeting :
               before.fencesFor(effect, analysis.getNumbers()))
            fenceless.insert(meeting ? meeting : op);
    };
    return analysis.run(listener, visitor);
  }

  template <typename OpTy> Operation *placeBefore(Operation *op) {
    OpBuilder b(op);
    placed = true;
    return OpTy::create(b, op->getLoc());
  }

  /// Places fences before the barrier at which the accessing threads meet, so
  /// that each thread orders its own accesses. An access that no barrier
  /// follows is fenced right before the op that needs the fence.
  void placeFences() {
    for (Operation *op : fenceless)
      if (fenced.insert(op).second)
        placeBefore<FenceProxyAsyncOp>(op);
  }

  /// Fences reads of a stage right before its release if fences after the reads
  /// are not enough.
  void fenceReleases() {
    DenseSet<Value> rings;
    for (Operation *op : releases) {
      Value ring = getReleased(op);
      if (fencedRings.insert(ring).second) {
        fenceReads(ring);
        rings.insert(ring);
      } else if (!rings.contains(ring) && fenced.insert(op).second) {
        placeBefore<FenceProxyAsyncOp>(op);
      }
    }
  }

  /// Fences the last reads of a stage in each block; a branch without reads has
  /// no fence.
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
      FenceProxyAsyncOp::create(b, read->getLoc());
      WarpBarrierOp::create(b, read->getLoc());
    }
    placed = true;
  }

  /// The ring of the stage that a tile belongs to, or null.
  static Value getRing(Value tile) {
    Operation *op = tile.getDefiningOp();
    if (!op)
      return {};
    for (const SyncEffect &effect : getEffects(op))
      if (effect.kind == SyncEffect::Kind::StageTile)
        return effect.value;
    return {};
  }

  /// Whether an op would lack a barrier if it ran in a state.
  static bool lacksBarrier(Operation *op, SyncState state,
                           const ValueNumbers &numbers) {
    bool lacks = false;
    (void)state.apply(
        op, getEffects(op), numbers,
        [&](Operation *, SyncEffect::Kind missing, const Twine &) {
          lacks |= missing == SyncEffect::Kind::Barrier;
          return true;
        });
    return lacks;
  }

  /// Places barriers before the ops that lack one. A barrier may serve later
  /// ops too, so the analysis goes on as if it had stood there.
  LogicalResult placeBarriers() {
    auto adjust = [&](Operation *op, SmallVectorImpl<SyncEffect> &effects) {
      if (Operation *barrier = met.lookup(op)) {
        SmallVector<SyncEffect> first = getEffects(barrier);
        effects.insert(effects.begin(), first.begin(), first.end());
      }
    };
    SyncAnalysis analysis(kernel, adjust);
    auto listener = [](Operation *, SyncEffect::Kind, const Twine &) {
      return true;
    };
    auto visitor = [&](Operation *op, const SyncState &before) {
      if (!getEffects(op).empty() && !met.contains(op) &&
          lacksBarrier(op, before, analysis.getNumbers()))
        met[op] = placeBarrier(op);
    };
    return analysis.run(listener, visitor);
  }

  /// Places a barrier of all threads that share the memory that an op accesses.
  /// Null if no barrier would do.
  Operation *placeBarrier(Operation *op) {
    std::optional<SyncScope> scope;
    for (const SyncEffect &effect : getEffects(op))
      if (effect.kind == SyncEffect::Kind::Access)
        scope = std::max(scope.value_or(SyncScope::Warp), effect.scope);
    if (getReleased(op) || scope == SyncScope::Warp)
      return placeBefore<WarpBarrierOp>(op);
    if (scope == SyncScope::Group)
      return placeBefore<NamedBarrierOp>(op);
    if (!op->getParentOfType<RolesOp>())
      return placeBefore<BlockBarrierOp>(op);
    return nullptr;
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
