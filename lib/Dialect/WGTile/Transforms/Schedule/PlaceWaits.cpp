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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPLACEWAITS
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// The placeholder count of a wait whose count is not yet computed.
static constexpr int64_t kUncounted = 1 << 20;

/// The values that a use becomes where control goes.
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

/// Whether an op may take a tile of an MMA that still runs: as the accumulator
/// or the left operand of another MMA, or to wait for it.
static bool takesPending(OpOperand &use) {
  auto sync = dyn_cast<SyncOpInterface>(use.getOwner());
  if (!sync)
    return false;
  SmallVector<SyncEffect> effects;
  sync.getSyncEffects(effects);
  return llvm::any_of(effects, [&](const SyncEffect &effect) {
    return (effect.kind == SyncEffect::Kind::Forward ||
            effect.kind == SyncEffect::Kind::Keep) &&
           effect.value == use.get();
  });
}

/// Keeps only the effects that decide which MMAs are pending: kernels have many
/// states, which differ mostly in other work. A wait without a count waits for
/// the MMAs of its tiles.
static void followProducts(Operation *op,
                           SmallVectorImpl<SyncEffect> &effects) {
  llvm::erase_if(effects, [](const SyncEffect &effect) {
    return effect.kind == SyncEffect::Kind::Access ||
           effect.kind == SyncEffect::Kind::Fence ||
           effect.kind == SyncEffect::Kind::Barrier ||
           (effect.async && effect.async != AsyncKind::Product);
  });
  auto wait = dyn_cast<WarpgroupMmaWaitOp>(op);
  if (!wait || wait.getPending() != kUncounted)
    return;
  auto *all = llvm::find_if(effects, [](const SyncEffect &effect) {
    return effect.kind == SyncEffect::Kind::Wait;
  });
  SmallVector<SyncEffect> each(wait.getTiles().size(), *all);
  for (auto [effect, tile] : llvm::zip_equal(each, wait.getTiles()))
    effect.value = tile;
  all = effects.erase(all);
  effects.insert(all, each.begin(), each.end());
}

namespace {
class WaitPlacement {
public:
  explicit WaitPlacement(gpu::GPUFuncOp kernel) : kernel(kernel) {}

  LogicalResult run() {
    // Beside the loops in which threads copy a tile themselves, ptxas
    // serializes MMAs that are still running (C7515).
    WalkResult walk = kernel.walk([](LoadOp load) {
      return isa<MemRefType>(load.getSource().getType())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return success();
    kernel.walk([&](MmaOp op) {
      if (op.getMmaSync() || !canKeepOperand(op))
        return;
      OpBuilder b(op);
      auto async = MmaAsyncOp::create(b, op.getLoc(), op.getType(), op.getA(),
                                      op.getB(), op.getAcc(), op.getRows(),
                                      op.getTransposeA(), op.getTransposeB());
      op.replaceAllUsesWith(async.getResult());
      op.erase();
    });
    while (placeNext()) {
    }
    while (placeNextForOperand()) {
    }
    kernel.walk(defineOperandsAfterWaits);
    return countPending();
  }

private:
  gpu::GPUFuncOp kernel;
  SmallVector<WarpgroupMmaWaitOp> waits;

  /// The op of a tile's block that is or contains `op`.
  static Operation *placeOf(Value tile, Operation *op) {
    return tile.getParentBlock()->findAncestorOpInBlock(*op);
  }

  /// Whether the registers of an MMA's left operand may be kept until a wait in
  /// the operand's block: in the loop or branch of that block that contains the
  /// MMA, nothing else uses them.
  static bool canKeepOperand(MmaOp op) {
    Value tile = op.getA();
    if (isa<SharedType>(tile.getType()))
      return true;
    Operation *place = placeOf(tile, op);
    return place == op || llvm::all_of(tile.getUsers(), [&](Operation *user) {
             return isa<MmaOpInterface>(user) || placeOf(tile, user) != place;
           });
  }

  /// Whether an MMA's block has to wait for it in any case: for the registers
  /// of its left operand.
  static bool endsWithBlock(Value result) {
    auto mma = result.getDefiningOp<MmaAsyncOp>();
    return mma && !isa<SharedType>(mma.getA().getType()) &&
           mma.getA().getParentBlock() == mma->getBlock();
  }

  /// The tiles that an MMA may still be computing: results of asynchronous
  /// MMAs, and the values that they are forwarded to. With each tile, the ops
  /// that need it to be complete.
  llvm::MapVector<Value, SmallVector<Operation *>> findPending() {
    llvm::MapVector<Value, SmallVector<Operation *>> pending;
    SmallVector<Value> worklist;
    auto add = [&](Value value) {
      if (pending.try_emplace(value).second)
        worklist.push_back(value);
    };
    kernel.walk([&](MmaAsyncOp op) { add(op.getResult()); });
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      for (OpOperand &use : value.getUses()) {
        SmallVector<Value> forwarded = getForwarded(use);
        if (endsWithBlock(value))
          forwarded.clear();
        llvm::for_each(forwarded, add);
        if (forwarded.empty() && !takesPending(use))
          pending[value].push_back(use.getOwner());
      }
    }
    return pending;
  }

  /// Places a wait before the first use of a pending tile, in the block where
  /// the tile is defined. Returns false if every use has one.
  bool placeNext() {
    for (auto &[tile, users] : findPending()) {
      if (users.empty())
        continue;
      Operation *first = placeOf(tile, users.front());
      for (Operation *user : users)
        if (Operation *place = placeOf(tile, user);
            place->isBeforeInBlock(first))
          first = place;
      place(first, tile);
      return true;
    }
    return false;
  }

  /// Places a wait for tiles of the block of `before`.
  WarpgroupMmaWaitOp place(Operation *before, ValueRange tiles) {
    OpBuilder b(before);
    auto wait = WarpgroupMmaWaitOp::create(b, tiles.front().getLoc(), tiles,
                                           kUncounted);
    for (auto [tile, result] : llvm::zip_equal(tiles, wait.getResults()))
      replaceBehind(wait, tile, result);
    waits.push_back(wait);
    sinkVectors(wait);
    return wait;
  }

  /// Moves vectors that lanes have read, and bits that are computed of them,
  /// behind a wait where nothing before it needs them: vectors would take
  /// registers while the MMAs run, and a thread has few predicates.
  static void sinkVectors(WarpgroupMmaWaitOp wait) {
    Block *block = wait->getBlock();
    llvm::SetVector<Operation *> sinking;
    for (Operation &op :
         llvm::make_range(block->begin(), Block::iterator(wait))) {
      auto type = op.getNumResults() == 1
                      ? dyn_cast<RankedTensorType>(op.getResult(0).getType())
                      : RankedTensorType();
      bool isBits = type && type.getElementType().isInteger(1) &&
                    op.getNumRegions() == 0 && isPure(&op);
      bool isOfVector = llvm::any_of(op.getOperands(), [&](Value operand) {
        return sinking.contains(operand.getDefiningOp());
      });
      if (isa<SpreadLanesOp, TestBitsOp>(op) ||
          (isOfVector && (isa<BroadcastOp>(op) || isBits)))
        sinking.insert(&op);
    }
    auto isNeeded = [&](Operation *op) {
      return llvm::any_of(op->getUsers(), [&](Operation *user) {
        return !sinking.contains(user) &&
               !wait->isBeforeInBlock(block->findAncestorOpInBlock(*user));
      });
    };
    while (sinking.remove_if(isNeeded)) {
    }
    Operation *last = wait;
    for (Operation *op : sinking) {
      op->moveAfter(last);
      last = op;
    }
  }

  static void replaceBehind(WarpgroupMmaWaitOp wait, Value tile, Value result) {
    tile.replaceUsesWithIf(result, [&](OpOperand &use) {
      return wait->isBeforeInBlock(placeOf(tile, use.getOwner()));
    });
  }

  /// Lets a wait keep the registers of an MMA's left operand, before the
  /// operand's first other use after the MMA and before its block ends: the
  /// wait for the MMA's result, if that is early enough, or one more. Returns
  /// false if every operand has one.
  bool placeNextForOperand() {
    llvm::MapVector<Value, SmallVector<MmaAsyncOp>> products;
    kernel.walk([&](MmaAsyncOp op) {
      if (!isa<SharedType>(op.getA().getType()))
        products[op.getA()].push_back(op);
    });
    for (auto &[tile, readers] : products) {
      auto isBehind = [tile = tile](Operation *op, MmaAsyncOp reader) {
        return placeOf(tile, reader)->isBeforeInBlock(placeOf(tile, op));
      };
      auto isBehindOne = [&](Operation *op) {
        return llvm::any_of(
            readers, [&](MmaAsyncOp reader) { return isBehind(op, reader); });
      };
      auto isBehindAll = [&](Operation *op) {
        return llvm::all_of(
            readers, [&](MmaAsyncOp reader) { return isBehind(op, reader); });
      };
      if (llvm::any_of(tile.getUsers(), [&](Operation *user) {
            return isa<WarpgroupMmaWaitOp>(user) && isBehindAll(user);
          }))
        continue;
      Operation *first = tile.getParentBlock()->getTerminator();
      for (OpOperand &use : tile.getUses())
        if (!takesPending(use) && isBehindOne(use.getOwner()))
          if (Operation *other = placeOf(tile, use.getOwner());
              other->isBeforeInBlock(first))
            first = other;
      // Readers after that use read the wait's result.
      llvm::erase_if(readers, [&](MmaAsyncOp reader) {
        return first->isBeforeInBlock(placeOf(tile, reader));
      });
      Operation *last = placeOf(tile, readers.back());
      auto earlier = llvm::find_if(waits, [&](WarpgroupMmaWaitOp wait) {
        return wait->getBlock() == first->getBlock() &&
               wait->isBeforeInBlock(first) && isBehindAll(wait) &&
               llvm::any_of(wait.getTiles(), [&](Value other) {
                 return other.getDefiningOp() == last;
               });
      });
      if (earlier == waits.end()) {
        place(first, tile);
        return true;
      }
      WarpgroupMmaWaitOp old = *earlier;
      waits.erase(earlier);
      SmallVector<Value> tiles(old.getTiles());
      tiles.push_back(tile);
      WarpgroupMmaWaitOp both = place(old, tiles);
      old.replaceAllUsesWith(both.getResults().drop_back());
      old.erase();
      return true;
    }
    return false;
  }

  /// Moves an op whose result is only the next iteration's left operand after
  /// the wait that keeps this iteration's: both have the same registers, and
  /// ptxas serializes MMAs whose operands change while they run (C7513).
  static void defineOperandsAfterWaits(scf::ForOp loop) {
    for (auto [carried, yielded] :
         llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
      Operation *op = yielded.getDefiningOp();
      if (!op || op->getBlock() != loop.getBody() || op->getNumRegions() != 0 ||
          !op->hasOneUse() || !isPure(op))
        continue;
      for (Operation *user : carried.getUsers())
        if (isa<WarpgroupMmaWaitOp>(user) &&
            user->getBlock() == op->getBlock() && op->isBeforeInBlock(user))
          op->moveAfter(user);
    }
  }

  /// Counts the MMAs that each wait leaves pending: those that were issued
  /// after its own on every path to it. Waits also retire all older commit
  /// groups, so that the counts of one run hold for the next.
  LogicalResult countPending() {
    bool changed = !waits.empty();
    while (changed) {
      DenseMap<Operation *, int64_t> pending;
      SyncAnalysis analysis(kernel, followProducts);
      auto visitor = [&](Operation *op, const SyncState &before) {
        auto wait = dyn_cast<WarpgroupMmaWaitOp>(op);
        if (!wait)
          return;
        for (Value value : wait.getTiles()) {
          unsigned tile = analysis.getNumbers().of(value);
          if (auto younger = before.groupsAfter(tile, AsyncKind::Product)) {
            auto [it, inserted] = pending.try_emplace(op, *younger);
            it->second = std::min(it->second, *younger);
          }
        }
      };
      auto goOn = [](Operation *, SyncEffect::Kind, const Twine &) {
        return true;
      };
      if (failed(analysis.run(goOn, visitor)))
        return failure();
      changed = false;
      for (WarpgroupMmaWaitOp wait : waits) {
        auto it = pending.find(wait);
        int64_t count = it == pending.end() ? 0 : it->second;
        changed |= count != static_cast<int64_t>(wait.getPending());
        wait.setPending(count);
      }
    }
    return success();
  }
};

struct PlaceWaitsPass
    : public wgtile::impl::WGTilePlaceWaitsBase<PlaceWaitsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(verifyStructured(kernel)) ||
          failed(WaitPlacement(kernel).run()))
        return signalPassFailure();
  }
};
} // namespace
