//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Specialize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace wgtile;

/// Stages that a consumer may pass over while its last MMA still runs. One
/// keeps the MMA in flight over most gaps; more would leave the producer fewer
/// stages to fill. A ring of two allows fewer, since the consumer has to take
/// one.
static constexpr int64_t kMaxHeld = 2;

/// Replaces the loads by tiles of the newest stage.
static LogicalResult makeTiles(ForEachTileOp loop, LoadGroup &group) {
  RingType type = group.ring.getRing().getType();
  for (auto [position, original] :
       llvm::zip_equal(group.positions, group.loads)) {
    LoadOp load = original;
    OpBuilder b(load);
    Value instance;
    if (type.getNumInstances(position) > 1)
      instance = affine::makeComposedAffineApply(
          b, load.getLoc(),
          AffineMap::get(1, 0, b.getAffineDimExpr(0) % loop.getGroupSize()),
          {OpFoldResult(loop.getBody().getArgument(*loop.getGroupedDim()))});
    Value tile = RingTileOp::create(b, load.getLoc(), load.getTile().getType(),
                                    group.ring, position, instance);
    load.replaceAllUsesWith(tile);
    load.erase();
  }
  return success();
}

/// The last wait in an op's block for its results or for the registers that it
/// reads; without one, the op itself.
static Operation *findWait(Operation *op) {
  SmallVector<Value> tiles(op->getResults());
  if (auto mma = dyn_cast<MmaOp>(op))
    tiles.push_back(mma.getA());
  Operation *last = op;
  for (Value tile : tiles)
    for (Operation *user : tile.getUsers())
      if (isa<WarpgroupMmaWaitOp>(user) && user->getBlock() == op->getBlock() &&
          last->isBeforeInBlock(user))
        last = user;
  return last;
}

/// Places the wait and the releases after the MMAs of a block that took a stage
/// at its start. Returns whether MMAs may still run when the block ends, so
/// that the loop around it must release their stage at its end.
static bool placeRelease(Block *block, Value ring, Operation *lastReader) {
  OpBuilder b(block->getParentOp());
  Location loc = lastReader->getLoc();
  auto mma = dyn_cast<MmaOp>(lastReader);
  if (!mma || !mma.getAsync()) {
    b.setInsertionPointAfter(findWait(lastReader));
    ConsumerReleaseOp::create(b, loc, ring, /*held=*/0);
    return false;
  }
  // Retired in the same iteration.
  if (Operation *wait = findWait(mma); wait != mma) {
    b.setInsertionPointAfter(wait);
    ConsumerReleaseOp::create(b, loc, ring, /*held=*/0);
    return false;
  }
  b.setInsertionPointAfter(lastReader);
  // The MMA still runs at the end of the iteration: the next iteration releases
  // the stage, once only its own MMAs run. With a ring of one stage this
  // iteration releases it, since the next could not take it.
  bool isLone = cast<RingType>(ring.getType()).getStages() == 1;
  int64_t products = isLone ? 0 : llvm::range_size(block->getOps<MmaOp>());
  auto wait = WarpgroupMmaWaitOp::create(b, loc, mma.getResult(), products);
  mma.getResult().replaceAllUsesExcept(wait.getResults().front(), wait);
  ConsumerReleaseOp::create(b, loc, ring, /*held=*/isLone ? 0 : 1);
  return !isLone;
}

/// The last op of `block` that reads one of the tiles taken in it: an MMA, a
/// read into registers, or a loop or branch with MMAs or tiles of its own.
static FailureOr<Operation *> findLastReader(Block *block, RingOp ring,
                                             Operation *take) {
  Operation *last = take;
  for (Operation *user : ring->getUsers()) {
    auto tile = dyn_cast<RingTileOp>(user);
    if (!tile || !block->findAncestorOpInBlock(*tile))
      continue;
    for (Operation *reader : tile->getUsers()) {
      Operation *ancestor = block->findAncestorOpInBlock(*reader);
      if (!isa<MmaOp, ReadSharedOp>(reader) || !ancestor)
        return reader->emitOpError(
            "expected a product or a read in the block of its loads, or in a "
            "loop or branch of it");
      if (last->isBeforeInBlock(ancestor))
        last = ancestor;
    }
  }
  return last;
}

namespace {
/// A loop whose MMAs are under a condition,
///   scf.for %s iter_args(%acc) {
///     %p = scf.if %present(%s) { load, mma ; yield } else { yield %acc }
///   }
/// becomes a loop over the iterations in which the condition holds, and an
/// inner loop that passes over the others:
///   scf.while (%s) {
///     %t = scf.while (%u = %s) { %u < end and not %present(%u) }
///          do { consumer_wait, consumer_drain, %u + 1 }
///     %t < end
///   } do { consumer_wait, mma, wait, consumer_release, %t + 1 }
/// ptxas serializes wgmma in a branch, but not in a loop.
class SkippingLoop {
public:
  SkippingLoop(LoadGroup &group, scf::ForOp forOp, scf::IfOp branch)
      : ring(group.ring), forOp(forOp), branch(branch), loc(forOp.getLoc()) {}

  LogicalResult run() {
    if (failed(verify()))
      return failure();
    OpBuilder b(forOp);
    Value end = forOp.getUpperBound();
    SmallVector<Value> inits = {forOp.getLowerBound(),
                                present(b, forOp.getLowerBound())};
    llvm::append_range(inits, forOp.getInitArgs());
    SmallVector<Type> types = {b.getIndexType(), b.getI1Type()};
    llvm::append_range(types, forOp.getResultTypes());
    auto outer = scf::WhileOp::create(b, loc, types, inits);
    SmallVector<Location> locs(types.size(), loc);

    Block *before = b.createBlock(&outer.getBefore(), {}, types, locs);
    scf::WhileOp inner = passOver(b, before->getArguments(), types, end);
    Value inside = inRange(b, inner.getResult(0));
    scf::ConditionOp::create(b, loc, inside, inner.getResults());

    Block *body = b.createBlock(&outer.getAfter(), {}, types, locs);
    SmallVector<Value> yielded;
    yielded.push_back(next(b, body->getArgument(0)));
    yielded.push_back(present(b, yielded.front()));
    Operation *take = ConsumerWaitOp::create(b, loc, ring);
    IRMapping mapping;
    mapTurn(mapping, body->getArguments());
    // Values of the iteration that the MMAs need beside the loads.
    for (Operation &op : forOp.getBody()->without_terminator())
      if (&op != branch && !isa<ConsumerWaitOp>(op))
        b.clone(op, mapping);
    Block *program = branch.thenBlock();
    Operation *yield = program->getTerminator();
    for (Operation &op : program->without_terminator())
      b.clone(op, mapping);
    for (Value value : yield->getOperands())
      yielded.push_back(mapping.lookupOrDefault(value));
    scf::YieldOp::create(b, loc, yielded);

    forOp.replaceAllUsesWith(outer.getResults().drop_front(2));
    forOp.erase();
    FailureOr<Operation *> last = findLastReader(body, ring, take);
    if (failed(last))
      return failure();
    placeRelease(body, ring, *last);
    giveBackAll(outer);
    return success();
  }

private:
  RingOp ring;
  scf::ForOp forOp;
  scf::IfOp branch;
  Location loc;

  LogicalResult verify() {
    auto yield = cast<scf::YieldOp>(forOp.getBody()->getTerminator());
    bool passes = branch->getBlock() == forOp.getBody() &&
                  !branch.getElseRegion().empty() &&
                  yield.getOperands() == branch.getResults() &&
                  branch.elseYield().getOperands() ==
                      ValueRange(forOp.getRegionIterArgs());
    for (Operation &op : forOp.getBody()->without_terminator())
      passes &= &op == branch || isa<ConsumerWaitOp, RingTileOp>(op) ||
                (op.getNumRegions() == 0 && !isa<MmaOp>(op));
    if (!passes || forOp.getNumResults() == 0)
      return branch.emitOpError(
          "expected products under one condition of a loop that leaves the "
          "loop's tiles as they are where it does not hold");
    return success();
  }

  Value inRange(OpBuilder &b, Value index) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index,
                                 forOp.getUpperBound());
  }
  Value next(OpBuilder &b, Value index) {
    return arith::AddIOp::create(b, loc, index, forOp.getStep());
  }

  /// The condition of an iteration, false past the last one. It is computed one
  /// iteration earlier, so that its loads have time.
  Value present(OpBuilder &b, Value index) {
    llvm::SetVector<Operation *> slice;
    collect(branch.getCondition(), slice);
    auto guarded = scf::IfOp::create(
        b, loc, inRange(b, index),
        [&](OpBuilder &nested, Location) {
          IRMapping mapping;
          mapping.map(forOp.getInductionVar(), index);
          for (Operation &op : *forOp.getBody())
            if (slice.contains(&op))
              nested.clone(op, mapping);
          scf::YieldOp::create(nested, loc,
                               mapping.lookupOrDefault(branch.getCondition()));
        },
        [&](OpBuilder &nested, Location) {
          Value no =
              arith::ConstantOp::create(nested, loc, nested.getBoolAttr(false));
          scf::YieldOp::create(nested, loc, no);
        });
    return guarded.getResult(0);
  }

  void collect(Value value, llvm::SetVector<Operation *> &slice) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != forOp.getBody() || !slice.insert(op))
      return;
    for (Value operand : op->getOperands())
      collect(operand, slice);
  }

  void mapTurn(IRMapping &mapping, ValueRange arguments) {
    mapping.map(forOp.getInductionVar(), arguments.front());
    mapping.map(forOp.getRegionIterArgs(), arguments.drop_front(2));
  }

  /// The loop over iterations without MMAs.
  scf::WhileOp passOver(OpBuilder &b, ValueRange arguments,
                        ArrayRef<Type> types, Value end) {
    OpBuilder::InsertionGuard guard(b);
    auto loop = scf::WhileOp::create(b, loc, types, arguments);
    SmallVector<Location> locs(types.size(), loc);
    Block *before = b.createBlock(&loop.getBefore(), {}, types, locs);
    Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    Value absent = arith::XOrIOp::create(b, loc, before->getArgument(1), yes);
    Value skips = arith::AndIOp::create(
        b, loc, inRange(b, before->getArgument(0)), absent);
    scf::ConditionOp::create(b, loc, skips, before->getArguments());
    Block *body = b.createBlock(&loop.getAfter(), {}, types, locs);
    SmallVector<Value> yielded = {next(b, body->getArgument(0))};
    yielded.push_back(present(b, yielded.front()));
    ConsumerWaitOp::create(b, loc, ring);
    int64_t held = std::min(kMaxHeld, ring.getRing().getType().getStages() - 1);
    for (Value tile : body->getArguments().drop_front(2))
      yielded.push_back(
          ConsumerDrainOp::create(b, loc, tile.getType(), ring, tile, held));
    scf::YieldOp::create(b, loc, yielded);
    return loop;
  }

  /// Releases all stages that the iterations leave, after the loop and the wait
  /// for its last MMAs.
  void giveBackAll(scf::WhileOp loop) {
    OpBuilder b(loop);
    Operation *wait = findWait(loop);
    b.setInsertionPointAfter(wait);
    if (wait == loop)
      WarpgroupMmaWaitOp::create(b, loc, loop.getResults().back(),
                                 /*pending=*/0);
    int64_t stages = ring.getRing().getType().getStages();
    for (int64_t i = 0; i < std::min(kMaxHeld, stages - 1); ++i)
      ConsumerReleaseOp::create(b, loc, ring, /*held=*/0);
  }
};
} // namespace

static bool isSynchronous(scf::IfOp branch) {
  WalkResult walk = branch.walk([](MmaOp op) {
    return op.getMmaSync() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

/// Moves ops that only the branch uses into it: memory of a missing tile must
/// not be read.
static void sinkInto(scf::IfOp branch) {
  Block *target = branch.thenBlock();
  for (Operation *op = branch->getPrevNode(), *next; op; op = next) {
    next = op->getPrevNode();
    bool isMovable = op->getNumRegions() == 0 && !op->use_empty() &&
                     (isMemoryEffectFree(op) || isa<memref::LoadOp>(op));
    if (isMovable && llvm::all_of(op->getUsers(), [&](Operation *user) {
          return branch->isProperAncestor(user);
        }))
      op->moveBefore(target, target->begin());
  }
}

/// Consumer groups past the end of the tiles in the last thread block have no
/// tile: they skip the ops after the last stage.
static void guardTile(ForEachTileOp loop) {
  std::optional<int64_t> dim = loop.getGroupedDim();
  if (!dim)
    return;
  Block &body = loop.getBody().front();
  Operation *last = nullptr;
  for (Operation &op : body)
    op.walk([&](Operation *nested) {
      if (isa<ConsumerWaitOp, ConsumerReleaseOp, ConsumerDrainOp>(nested))
        last = &op;
    });
  Operation *first = last ? last->getNextNode() : &body.front();
  if (first == body.getTerminator())
    return;
  OpBuilder b(first);
  Value exists =
      arith::CmpIOp::create(b, loop.getLoc(), arith::CmpIPredicate::ult,
                            body.getArgument(*dim), loop.getCounts()[*dim]);
  auto branch = scf::IfOp::create(b, loop.getLoc(), exists);
  Block *target = branch.thenBlock();
  target->getOperations().splice(target->begin(), body.getOperations(),
                                 first->getIterator(),
                                 body.getTerminator()->getIterator());
  sinkInto(branch);
}

LogicalResult wgtile::makeConsumer(ForEachTileOp loop,
                                   MutableArrayRef<LoadGroup> groups) {
  for (LoadGroup &group : groups) {
    scf::IfOp branch;
    for (LoadOp load : group.loads)
      if (load->getBlock() != group.block)
        branch = dyn_cast<scf::IfOp>(load->getParentOp());
    Location loc = group.ring.getLoc();
    // MMAs that have finished when the next op runs may stay in a branch.
    if (branch && !isSynchronous(branch)) {
      auto forOp = dyn_cast<scf::ForOp>(group.block->getParentOp());
      if (!forOp)
        return branch.emitOpError("expected a branch in a loop");
      if (failed(makeTiles(loop, group)) ||
          failed(SkippingLoop(group, forOp, branch).run()))
        return failure();
      continue;
    }
    OpBuilder b(group.block->findAncestorOpInBlock(*group.loads.front()));
    Operation *take = ConsumerWaitOp::create(b, loc, group.ring);
    if (failed(makeTiles(loop, group)))
      return failure();
    FailureOr<Operation *> last = findLastReader(group.block, group.ring, take);
    if (failed(last))
      return failure();
    if (!placeRelease(group.block, group.ring, *last))
      continue;
    // Before the ring's next stage is taken, since stages are released in
    // order.
    Operation *inner = group.block->getParentOp(), *wait = findWait(inner);
    bool isNext = llvm::any_of(
        groups.drop_front(&group - groups.begin() + 1), [&](LoadGroup &later) {
          return later.ring == group.ring &&
                 inner->getBlock()->findAncestorOpInBlock(*later.loads.front());
        });
    if (isNext && wait != inner)
      wait->moveAfter(inner);
    b.setInsertionPointAfter(wait);
    ConsumerReleaseOp::create(b, loc, group.ring, /*held=*/0);
  }
  guardTile(loop);
  return success();
}
