//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SortTiles.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"
#include "sattn/Dialect/WGTile/Utils/Resources.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPERSIST
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// The loops over tiles of a kernel, one in each role; the first is the
/// producer's.
static SmallVector<ForEachTileOp> getTileLoops(gpu::GPUFuncOp kernel) {
  SmallVector<ForEachTileOp> loops;
  kernel.walk([&](ForEachTileOp loop) { loops.push_back(loop); });
  return loops;
}

namespace {
struct PersistPass : wgtile::impl::WGTilePersistBase<PersistPass> {
  void runOnOperation() override {
    SmallVector<std::pair<LaunchOp, gpu::GPUFuncOp>> launches;
    for (auto [launch, kernel] : getLaunches(getOperation()))
      if (getSchedule(kernel).persistent.value_or(false)) {
        if (failed(persist(launch, kernel)))
          return signalPassFailure();
        launches.push_back({launch, kernel});
      }
    DenseMap<StringAttr, Value> orders;
    for (auto [launch, kernel] : launches)
      if (failed(order(launch, kernel, orders)))
        return signalPassFailure();
  }

  static LogicalResult persist(LaunchOp launch, gpu::GPUFuncOp kernel) {
    Schedule schedule = getSchedule(kernel);
    SmallVector<ForEachTileOp> loops = getTileLoops(kernel);
    if (loops.empty())
      return kernel.emitOpError(
          "expected a loop over tiles in a persistent kernel, but got none");
    if (llvm::any_of(loops, [](ForEachTileOp loop) {
          return loop.getCounts().size() < 2 || loop.getPersistent();
        }))
      return kernel.emitOpError(
          "expected loops over tiles of two indices that are not persistent");
    if (!schedule.rasterGroup)
      return kernel.emitOpError("expected a persistent kernel with a raster "
                                "group (wgtile-schedule)");
    OpBuilder b(launch);
    Value count = SmCountOp::create(b, launch.getLoc(), b.getIndexType());
    if (schedule.ctasPerSM)
      count =
          arith::MulIOp::create(b, launch.getLoc(), count,
                                arith::ConstantIndexOp::create(
                                    b, launch.getLoc(), *schedule.ctasPerSM));
    Value tiles = launch.getGrid();
    launch.getGridMutable().assign(limitGrid(b, launch, count));
    for (ForEachTileOp loop : loops)
      loop.setPersistent(*schedule.rasterGroup);
    if (schedule.dynamic.value_or(false))
      addCounter(b, launch, kernel, tiles, loops);
    return success();
  }

  /// Decides the order of tiles; specializations of one kernel share it.
  static LogicalResult order(LaunchOp launch, gpu::GPUFuncOp kernel,
                             DenseMap<StringAttr, Value> &orders) {
    TileOrder order =
        getSchedule(kernel).tileOrder.value_or(TileOrder::Ascending);
    if (order == TileOrder::Ascending)
      return success();
    SmallVector<ForEachTileOp> loops = getTileLoops(kernel);
    if (order == TileOrder::Descending) {
      for (ForEachTileOp loop : loops)
        loop.setDescending(true);
      return success();
    }
    auto other = kernel->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttrName);
    Value memory = other ? orders.lookup(other.getAttr()) : Value();
    if (!memory && loops.front().getCounter())
      memory = sortTiles(launch, kernel, loops.front());
    if (!memory)
      return kernel.emitOpError(
          "expected sorted tiles to have a counter, and work that the host's "
          "arguments tell");
    launch.getArgsMutable().append(memory);
    unsigned argument = kernel.getNumArguments();
    (void)kernel.insertArgument(argument, memory.getType(), DictionaryAttr(),
                                launch.getLoc());
    for (ForEachTileOp loop : loops)
      loop.getOrderMutable().assign(kernel.getArgument(argument));
    orders[kernel.getNameAttr()] = memory;
    return success();
  }

  /// Gives the kernel a counter, which is allocated if blocks get more than one
  /// tile.
  static void addCounter(OpBuilder &b, LaunchOp launch, gpu::GPUFuncOp kernel,
                         Value tiles, ArrayRef<ForEachTileOp> loops) {
    Location loc = launch.getLoc();
    auto type = MemRefType::get({ShapedType::kDynamic}, b.getI32Type());
    Value isShort = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                          tiles, launch.getGrid());
    Value size = arith::SelectOp::create(
        b, loc, isShort, arith::ConstantIndexOp::create(b, loc, 1),
        arith::ConstantIndexOp::create(b, loc, 0));
    Value counter = memref::AllocOp::create(b, loc, type, size);
    for (StringRef name : {kZeroedAttrName, kLeftZeroAttrName})
      counter.getDefiningOp()->setDiscardableAttr(name, b.getUnitAttr());
    launch.getArgsMutable().append(counter);
    unsigned position = kernel.getNumArguments();
    (void)kernel.insertArgument(position, type, DictionaryAttr(), loc);
    for (ForEachTileOp loop : loops)
      loop.getCounterMutable().assign(kernel.getArgument(position));
    if (RolesOp roles = RolesOp::getRoleOf(loops.front()).first)
      passTiles(roles, loops.front(), loops.drop_front());
    else
      passTiles(loops.front(), loops.front(), loops);
  }

  /// Passes tiles on: one role takes them and passes their numbers on to each
  /// other role; without roles the first thread passes them on to all threads.
  /// The rings are made before `place`.
  static void passTiles(Operation *place, ForEachTileOp producer,
                        ArrayRef<ForEachTileOp> consumers) {
    Location loc = producer.getLoc();
    OpBuilder b = OpBuilder::atBlockBegin(&producer.getBody().front());
    bool isAlone = llvm::is_contained(consumers, producer);
    // The counter's latency is that of a few stages: the number is requested a
    // tile ahead.
    Value number = isAlone || !waitsForNumbers(producer)
                       ? NextTileOp::create(b, loc).getResult()
                       : takeBehindCopies(b, producer.getBody().front());
    if (!isAlone)
      endWith(producer, number);
    for (ForEachTileOp consumer : consumers) {
      IntegerAttr warps;
      if (auto [roles, role] = RolesOp::getRoleOf(consumer); roles)
        warps = b.getI64IntegerAttr(roles.getWarps()[role]);
      b.setInsertionPoint(place);
      Value ring = RingOp::create(
          b, loc, ResourceModel::getTileRing(b.getContext()), warps,
          /*offset=*/IntegerAttr(), /*barriers=*/IntegerAttr());
      b.setInsertionPoint(producer.getBody().front().getTerminator());
      Value stage =
          ProducerAcquireOp::create(b, loc, ring, /*position=*/ValueRange());
      RingStoreOp::create(b, loc, number, ring, stage, /*tile=*/0);
      ProducerCommitOp::create(b, loc, ring, stage);
      b.setInsertionPoint(consumer.getBody().front().getTerminator());
      stage = ConsumerWaitOp::create(b, loc, ring);
      Value next = RingLoadOp::create(b, loc, ring, stage, /*tile=*/0);
      ConsumerReleaseOp::create(b, loc, ring, stage);
      endWith(consumer, next);
    }
  }

  /// The first op of a block that copies in a region of its own.
  static Operation *findCopies(Block &block) {
    auto copies = llvm::find_if(block, [](Operation &op) {
      return op.getNumRegions() != 0 && op.walk([](TmaLoadOp) {
                                            return WalkResult::interrupt();
                                          }).wasInterrupted();
    });
    return copies == block.end() ? nullptr : &*copies;
  }

  /// Whether the first copies of a tile's program may wait for numbers that it
  /// reads from memory, as of a list, and come before its loops, in a branch.
  static bool waitsForNumbers(ForEachTileOp loop) {
    return isa_and_present<scf::IfOp>(findCopies(loop.getBody().front())) &&
           loop->walk([](memref::LoadOp) { return WalkResult::interrupt(); })
               .wasInterrupted();
  }

  /// Takes the next tile's number behind the first copies of a block, which
  /// would else wait for the counter, too: before the first loop that copies,
  /// on both sides of a branch that does; else where the builder stands.
  static Value takeBehindCopies(OpBuilder &b, Block &block) {
    Location loc = block.getParentOp()->getLoc();
    Operation *copies = findCopies(block);
    if (copies)
      b.setInsertionPoint(copies);
    auto branch = dyn_cast_if_present<scf::IfOp>(copies);
    if (!branch || !branch.elseBlock())
      return NextTileOp::create(b, loc);
    SmallVector<Type> types(branch.getResultTypes());
    types.push_back(b.getI32Type());
    auto both = scf::IfOp::create(b, branch.getLoc(), types,
                                  branch.getCondition(), /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
    for (auto [from, to] : {std::pair(branch.thenBlock(), both.thenBlock()),
                            std::pair(branch.elseBlock(), both.elseBlock())}) {
      to->clear();
      to->getOperations().splice(to->end(), from->getOperations());
      Operation *yield = to->getTerminator();
      b.setInsertionPoint(yield);
      Value number = takeBehindCopies(b, *to);
      yield->insertOperands(yield->getNumOperands(), number);
    }
    branch.replaceAllUsesWith(both.getResults().drop_back());
    branch.erase();
    return both.getResults().back();
  }

  static void endWith(ForEachTileOp loop, Value number) {
    loop.getBody().front().getTerminator()->insertOperands(0, number);
  }

  /// Limits a grid to `count` CTAs. Tiles are counted in 32 bits: if there are
  /// more, the grid keeps its size, which no device takes.
  static Value limitGrid(OpBuilder &b, LaunchOp launch, Value count) {
    Location loc = launch.getLoc();
    Value tiles = launch.getGrid();
    Value most = arith::ConstantIndexOp::create(
        b, loc, std::numeric_limits<int32_t>::max());
    Value fits =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, tiles, most);
    return arith::SelectOp::create(
        b, loc, fits, arith::MinSIOp::create(b, loc, tiles, count), tiles);
  }
};
} // namespace
