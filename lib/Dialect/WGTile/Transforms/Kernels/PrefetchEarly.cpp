//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A tile's program without all but the addresses of its loads.

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"
#include "sattn/Layout/Fragment.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPREFETCHEARLY
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;
using sattn::layout::kWarpThreads;

/// The first warp starts the copies. The second one has nothing to do, or waits
/// for these.
static constexpr int64_t kPrefetchingWarp = 1;

/// Boxes that the loads of a loop's iteration bring; an inner loop counts once.
static int64_t countBoxes(Operation *root) {
  int64_t boxes = 0;
  root->walk([&](LoadOp load) {
    if (isa<TensorMapType>(load.getSource().getType()))
      boxes += load.getTile().getType().getTile().numBoxes();
  });
  return boxes;
}

namespace {
class EarlyProgram {
public:
  EarlyProgram(OpBuilder &b, ForEachTileOp tiles, int64_t boxes)
      : b(b), tiles(tiles), boxes(boxes) {}

  void create() {
    Location loc = tiles.getLoc();
    Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
    Value warp = arith::DivUIOp::create(b, loc, thread, constant(kWarpThreads));
    Value isMine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, warp,
                                         constant(kPrefetchingWarp));
    lane = arith::RemUIOp::create(b, loc, thread, constant(kWarpThreads));
    auto branch = scf::IfOp::create(b, loc, isMine, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    auto early =
        cast<ForEachTileOp>(b.cloneWithoutRegions(*tiles.getOperation()));
    Block *body = &tiles.getBody().front();
    Block *target =
        b.createBlock(&early.getBody(), {}, body->getArgumentTypes(),
                      SmallVector<Location>(body->getNumArguments(), loc));
    map.map(body->getArguments(), target->getArguments());
    b.setInsertionPointToStart(target);
    addOps(*body, /*isInLoop=*/false);
    EndOp::create(b, loc);
    if (prefetched.empty()) {
      branch.erase();
      return;
    }
    // Erases ops that only values in registers were computed from.
    IRRewriter rewriter(b.getContext());
    (void)runRegionDCE(rewriter, branch->getRegions());
  }

private:
  OpBuilder &b;
  ForEachTileOp tiles;
  int64_t boxes;
  IRMapping map;
  Value lane;
  /// Whether prefetches whose address is loaded from memory are added at the
  /// current place.
  bool waitsForMemory = true;
  llvm::SmallPtrSet<Operation *, 4> prefetched;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, tiles.getLoc(), value);
  }

  bool isKnown(Value value) {
    return map.contains(value) ||
           !tiles.getBody().isAncestor(value.getParentRegion());
  }
  bool areKnown(ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return isKnown(value); });
  }
  SmallVector<Value> lookUp(ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return map.lookupOrDefault(value); });
  }

  /// Adds what is known early of a block's ops.
  void addOps(Block &block, bool isInLoop) {
    for (Operation &op : block.without_terminator()) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        addLoop(loop, isInLoop);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        addBranch(branch, isInLoop);
      else if (areKnown(op.getOperands()))
        addOp(op);
    }
  }

  void addOp(Operation &op) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (isa<TensorMapType>(load.getSource().getType()) &&
          prefetched.insert(load).second)
        addPrefetches(load);
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (!waitsForMemory)
        return;
      if (load.getType().isSignlessInteger(32) ||
          load.getType().isSignlessInteger(64))
        map.map(load.getResult(),
                PeekOp::create(b, load.getLoc(), load.getType(),
                               lookUp(load.getMemRef()).front(),
                               lookUp(load.getIndices())));
    } else if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
               llvm::all_of(op.getResultTypes(),
                            [](Type type) { return type.isIntOrIndex(); })) {
      b.clone(op, map);
    }
  }

  void addPrefetches(LoadOp load) {
    Location loc = load.getLoc();
    sattn::layout::SharedTile tile = load.getTile().getType().getTile();
    SmallVector<Value> indices = lookUp(load.getIndices());
    Value column = indices.back();
    for (int64_t box = 0; box < tile.numBoxes(); ++box) {
      if (box > 0)
        indices.back() = arith::AddIOp::create(
            b, loc, column, constant(box * tile.boxColumns()));
      PrefetchOp::create(b, loc, load.getSource(), indices,
                         /*warpgroups=*/IntegerAttr());
    }
  }

  /// The lanes share the iterations of an outer loop.
  void addLoop(scf::ForOp loop, bool isInLoop) {
    int64_t iterationBoxes = countBoxes(loop);
    if (iterationBoxes == 0 || !loop.getInductionVar().getType().isIndex() ||
        !areKnown({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}))
      return;
    Location loc = loop.getLoc();
    Value lower = map.lookupOrDefault(loop.getLowerBound());
    Value upper = map.lookupOrDefault(loop.getUpperBound());
    Value step = map.lookupOrDefault(loop.getStep());
    if (!isInLoop) {
      auto scaled = [&](Value count) -> Value {
        return arith::AddIOp::create(
            b, loc, lower, arith::MulIOp::create(b, loc, count, step));
      };
      int64_t iterations = std::max<int64_t>(boxes / iterationBoxes, 1);
      upper =
          arith::MinSIOp::create(b, loc, upper, scaled(constant(iterations)));
      lower = scaled(lane);
      step = arith::MulIOp::create(b, loc, step, constant(kWarpThreads));
    }
    auto early = scf::ForOp::create(b, loc, lower, upper, step);
    map.map(loop.getInductionVar(), early.getInductionVar());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(early.getBody());
    if (!isInLoop) {
      // Prefetches that do not wait for a number of this iteration come first.
      waitsForMemory = false;
      addOps(*loop.getBody(), /*isInLoop=*/true);
      waitsForMemory = true;
    }
    addOps(*loop.getBody(), /*isInLoop=*/true);
  }

  void addBranch(scf::IfOp branch, bool isInLoop) {
    if (countBoxes(branch) == 0 || !isKnown(branch.getCondition()))
      return;
    auto early = scf::IfOp::create(
        b, branch.getLoc(), map.lookupOrDefault(branch.getCondition()),
        /*withElseRegion=*/!branch.getElseRegion().empty());
    for (auto [from, to] :
         llvm::zip(branch->getRegions(), early->getRegions())) {
      if (from.empty())
        continue;
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&to.front());
      addOps(from.front(), isInLoop);
    }
  }
};

struct PrefetchEarlyPass
    : public wgtile::impl::WGTilePrefetchEarlyBase<PrefetchEarlyPass> {
  using WGTilePrefetchEarlyBase::WGTilePrefetchEarlyBase;

  void runOnOperation() override {

    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      Schedule schedule = getSchedule(kernel);
      if (!schedule.programmaticLaunch.value_or(false) ||
          schedule.persistent.value_or(false))
        continue;
      if (ForEachTileOp tiles = findFirstTile(kernel)) {
        OpBuilder b(tiles);
        EarlyProgram(b, tiles, boxes).create();
      }
    }
  }

private:
  /// The loop over tiles, if nothing reads or writes memory before it, and a
  /// CTA takes one tile at a time.
  static ForEachTileOp findFirstTile(gpu::GPUFuncOp kernel) {
    for (Operation &op : kernel.getBody().front()) {
      if (auto tiles = dyn_cast<ForEachTileOp>(op))
        return tiles.getGroupSize() == 1 && tiles.getInits().empty()
                   ? tiles
                   : ForEachTileOp();
      if (mightHaveEffect<MemoryEffects::Read>(&op) ||
          mightHaveEffect<MemoryEffects::Write>(&op))
        break;
    }
    return {};
  }
};
} // namespace
