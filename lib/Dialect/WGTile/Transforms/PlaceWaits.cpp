//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SyncAnalysis.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPLACEWAITS
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// The count of a wait that is not counted yet.
static constexpr int64_t kUncounted = 1 << 20;

/// What a use hands on: the values that stand for it where control goes to.
static SmallVector<Value> getForwarded(OpOperand &use) {
  Operation *op = use.getOwner();
  auto branch = dyn_cast<RegionBranchOpInterface>(
      isa<RegionBranchTerminatorOpInterface>(op) ? op->getParentOp() : op);
  if (!branch)
    return {};
  RegionBranchSuccessorMapping mapping;
  branch.getSuccessorOperandInputMapping(mapping);
  return mapping.lookup(&use);
}

/// Whether an op takes the result of a product that still runs: as the
/// accumulator of another, or to wait for it.
static bool takesPending(OpOperand &use) {
  auto sync = dyn_cast<SyncOpInterface>(use.getOwner());
  if (!sync)
    return false;
  SmallVector<SyncEffect> effects;
  sync.getSyncEffects(effects);
  return llvm::any_of(effects, [&](const SyncEffect &effect) {
    return effect.kind == SyncEffect::Kind::Forward &&
           effect.value == use.get();
  });
}

/// Leaves the effects that tell which products are pending: states of kernels
/// differ mostly in other work, and there are many. A wait that is not counted
/// yet is for the product of its tile.
static void followProducts(Operation *op,
                           SmallVectorImpl<SyncEffect> &effects) {
  llvm::erase_if(effects, [](const SyncEffect &effect) {
    return effect.kind == SyncEffect::Kind::Access ||
           effect.kind == SyncEffect::Kind::Fence ||
           effect.kind == SyncEffect::Kind::Barrier ||
           (effect.async && effect.async != AsyncKind::Product);
  });
  auto wait = dyn_cast<WaitMmaOp>(op);
  if (!wait || wait.getPending() != kUncounted)
    return;
  for (SyncEffect &effect : effects)
    if (effect.kind == SyncEffect::Kind::Wait)
      effect.value = wait.getTile();
}

namespace {
class WaitPlacement {
public:
  explicit WaitPlacement(gpu::GPUFuncOp kernel) : kernel(kernel) {}

  void run() {
    // Beside the loops in which threads copy a tile themselves, ptxas
    // serializes products that are still running (C7515).
    WalkResult walk = kernel.walk([](LoadOp load) {
      return isa<MemRefType>(load.getSource().getType())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return;
    // Registers that a product reads would have to stay as they are until its
    // wait: such a product stays synchronous.
    kernel.walk([&](MmaOp op) {
      if (!op.getMmaSync() && isa<SharedType>(op.getA().getType()))
        op.setAsync(true);
    });
    while (placeNext()) {
    }
    countPending();
  }

private:
  gpu::GPUFuncOp kernel;
  SmallVector<WaitMmaOp> waits;

  /// The tiles that a product may still be computing: results of asynchronous
  /// ones, and what those are forwarded to. With each, the ops that need it to
  /// be complete.
  llvm::MapVector<Value, SmallVector<Operation *>> findPending() {
    llvm::MapVector<Value, SmallVector<Operation *>> pending;
    SmallVector<Value> worklist;
    auto add = [&](Value value) {
      if (pending.try_emplace(value).second)
        worklist.push_back(value);
    };
    kernel.walk([&](MmaOp op) {
      if (op.getAsync())
        add(op.getResult());
    });
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      for (OpOperand &use : value.getUses()) {
        SmallVector<Value> forwarded = getForwarded(use);
        llvm::for_each(forwarded, add);
        if (forwarded.empty() && !takesPending(use))
          pending[value].push_back(use.getOwner());
      }
    }
    return pending;
  }

  /// Places a wait before the first use of a pending tile, in the block where
  /// the tile is defined. Returns false where no use is left without one.
  bool placeNext() {
    for (auto &[tile, users] : findPending()) {
      if (users.empty())
        continue;
      Block *block = tile.getParentBlock();
      auto placeOf = [&](Operation *user) {
        return block->findAncestorOpInBlock(*user);
      };
      Operation *first = placeOf(users.front());
      for (Operation *user : users)
        if (placeOf(user)->isBeforeInBlock(first))
          first = placeOf(user);
      OpBuilder b(first);
      auto wait =
          WaitMmaOp::create(b, tile.getLoc(), tile.getType(), tile, kUncounted);
      tile.replaceUsesWithIf(wait.getResult(), [&](OpOperand &use) {
        return use.getOwner() != wait &&
               !placeOf(use.getOwner())->isBeforeInBlock(first);
      });
      waits.push_back(wait);
      return true;
    }
    return false;
  }

  /// A wait leaves pending what was issued after its product on every way to
  /// it. Waits retire older groups than they are asked about, so that the
  /// counts of one run hold for the next.
  void countPending() {
    bool changed = !waits.empty();
    while (changed) {
      DenseMap<Operation *, int64_t> pending;
      SyncAnalysis analysis(kernel, followProducts);
      auto visitor = [&](Operation *op, const SyncState &before) {
        auto wait = dyn_cast<WaitMmaOp>(op);
        if (!wait)
          return;
        unsigned tile = analysis.getNumbers().of(wait.getTile());
        if (auto younger = before.groupsAfter(tile, AsyncKind::Product)) {
          auto [it, inserted] = pending.try_emplace(op, *younger);
          it->second = std::min(it->second, *younger);
        }
      };
      bool followed = succeeded(analysis.run(
          [](Operation *, SyncEffect::Kind, const Twine &) { return true; },
          visitor));
      changed = false;
      for (WaitMmaOp wait : waits) {
        auto it = pending.find(wait);
        int64_t count = followed && it != pending.end() ? it->second : 0;
        changed |= followed && count != static_cast<int64_t>(wait.getPending());
        wait.setPending(count);
      }
    }
  }
};

struct PlaceWaitsPass
    : public wgtile::impl::WGTilePlaceWaitsBase<PlaceWaitsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      WaitPlacement(kernel).run();
  }
};
} // namespace
