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

/// Takes of stages after which the stage of the last MMA is given back at the
/// latest: one stage may be passed over while the MMA still runs. One keeps the
/// MMA in flight over most gaps; more would leave the producer fewer stages to
/// fill. A ring of two allows fewer, since the consumer has to take one.
static constexpr int64_t kMaxHeld = 2;

/// Consumer groups up to which one keeps an MMA running while it waits for the
/// next stage. Those of more fill the gaps of each other, and give a stage back
/// as soon as they have read it: of four stages it is then in flight a quarter
/// of the time longer.
static constexpr int64_t kMostRunning = 2;

static bool keepsRunning(ForEachTileOp loop) {
  return loop.getGroupSize() <= kMostRunning;
}

/// Which of two tiles a consumer group reads: the second has been loaded if it
/// is another one.
static Value createChoice(arith::SelectOp choice) {
  Location loc = choice.getLoc();
  OpBuilder b(choice->getContext());
  b.setInsertionPointAfter(choice);
  Value isSame =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                            choice.getTrueValue(), choice.getFalseValue());
  Value isFirst = arith::OrIOp::create(b, loc, choice.getCondition(), isSame);
  return arith::SelectOp::create(b, loc, isFirst,
                                 arith::ConstantIndexOp::create(b, loc, 0),
                                 arith::ConstantIndexOp::create(b, loc, 1));
}

/// Replaces the loads by tiles of a stage.
static LogicalResult makeTiles(ForEachTileOp loop, LoadGroup &group,
                               Value stage) {
  RingType type = group.ring.getRing().getType();
  for (auto [position, original, choice] :
       llvm::zip_equal(group.positions, group.loads, group.choices)) {
    LoadOp load = original;
    OpBuilder b(load);
    Value instance;
    if (choice)
      instance = createChoice(choice);
    else if (type.getNumInstances(position) > 1)
      instance = affine::makeComposedAffineApply(
          b, load.getLoc(),
          AffineMap::get(1, 0, b.getAffineDimExpr(0) % loop.getGroupSize()),
          {OpFoldResult(loop.getBody().getArgument(*loop.getGroupedDim()))});
    Value tile = RingTileOp::create(b, load.getLoc(), load.getTile().getType(),
                                    group.ring, stage, position, instance);
    load.replaceAllUsesWith(tile);
    load.erase();
  }
  return success();
}

/// The last wait in an op's block for its results or for the registers that it
/// reads; without one, the op itself, as where the results are what was read.
static Operation *findWait(Operation *op) {
  if (isa<ReadSharedOp>(op))
    return op;
  SmallVector<Value> tiles(op->getResults());
  if (auto mma = dyn_cast<MmaOpInterface>(op))
    tiles.push_back(mma.getA());
  Operation *last = op;
  for (Value tile : tiles)
    for (Operation *user : tile.getUsers())
      if (isa<WarpgroupMmaWaitOp>(user) && user->getBlock() == op->getBlock() &&
          last->isBeforeInBlock(user))
        last = user;
  return last;
}

/// Waits for the reads of a stage in the block that took it, and gives it back.
/// With `carries`, an MMA that still runs at the block's end may go on: returns
/// the wait that leaves the block's own MMAs running, after which the stage of
/// the iteration before can be given back.
static WarpgroupMmaWaitOp placeRelease(Block *block, RingOp ring, Value stage,
                                       Operation *lastReader, bool carries) {
  OpBuilder b(block->getParentOp());
  Location loc = lastReader->getLoc();
  auto release = [&](Operation *after) {
    b.setInsertionPointAfter(after);
    ConsumerReleaseOp::create(b, loc, ring, stage);
    return WarpgroupMmaWaitOp();
  };
  auto mma = dyn_cast<MmaAsyncOp>(lastReader);
  Operation *wait = findWait(lastReader);
  if (!mma || wait != lastReader)
    return release(wait);
  b.setInsertionPointAfter(lastReader);
  int64_t running = carries ? llvm::range_size(block->getOps<MmaAsyncOp>()) : 0;
  auto placed = WarpgroupMmaWaitOp::create(b, loc, mma.getResult(), running);
  mma.getResult().replaceAllUsesExcept(placed.getResults().front(), placed);
  return carries ? placed : release(placed);
}

void wgtile::releaseStage(Block *block, RingOp ring, Value stage,
                          Operation *lastReader) {
  placeRelease(block, ring, stage, lastReader, /*carries=*/false);
}

/// The last op of `block` that reads a tile of a stage taken in it: an MMA, a
/// read into registers, or a loop or branch with such a reader.
static FailureOr<Operation *> findLastReader(Block *block, Value stage) {
  Operation *last = stage.getDefiningOp();
  for (Operation *user : stage.getUsers()) {
    auto tile = dyn_cast<RingTileOp>(user);
    if (!tile)
      continue;
    for (Operation *reader : tile->getUsers()) {
      Operation *ancestor = block->findAncestorOpInBlock(*reader);
      if (!isa<MmaOpInterface, ReadSharedOp>(reader) || !ancestor)
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
///          do { consumer_wait, consumer_release, consumer_drain, %u + 1 }
///     %t < end
///   } do { consumer_wait, mma, wait, consumer_release, %t + 1 }
/// ptxas serializes wgmma in a branch, but not in a loop. Both loops carry the
/// token of the stage that the last MMA reads, in one of several places, by the
/// number of stages that were passed over since.
class SkippingLoop {
public:
  SkippingLoop(RingOp ring, Value stage, scf::ForOp forOp, scf::IfOp branch)
      : ring(ring), stage(stage), forOp(forOp), branch(branch),
        loc(forOp.getLoc()),
        places(
            keepsRunning(forOp->getParentOfType<ForEachTileOp>())
                ? std::min(kMaxHeld, ring.getRing().getType().getStages() - 1)
                : 0) {}

  LogicalResult run() {
    if (failed(verify()))
      return failure();
    OpBuilder b(forOp);
    SmallVector<Value> inits = {forOp.getLowerBound(),
                                present(b, forOp.getLowerBound())};
    if (places != 0)
      none = NoStageOp::create(b, loc);
    inits.append(places, none);
    llvm::append_range(inits, forOp.getInitArgs());
    SmallVector<Type> types(ValueRange(inits).getTypes());
    auto outer = scf::WhileOp::create(b, loc, types, inits);
    SmallVector<Location> locs(types.size(), loc);

    Block *before = b.createBlock(&outer.getBefore(), {}, types, locs);
    scf::WhileOp inner = passOver(b, before->getArguments(), types);
    Value inside = inRange(b, inner.getResult(0));
    scf::ConditionOp::create(b, loc, inside, inner.getResults());

    Block *body = b.createBlock(&outer.getAfter(), {}, types, locs);
    SmallVector<Value> yielded;
    yielded.push_back(next(b, body->getArgument(0)));
    yielded.push_back(present(b, yielded.front()));
    Value taken = ConsumerWaitOp::create(b, loc, ring).getToken();
    IRMapping mapping;
    mapIteration(mapping, body->getArguments());
    mapping.map(stage, taken);
    // Values of the iteration that the MMAs need beside the loads.
    for (Operation &op : forOp.getBody()->without_terminator())
      if (&op != branch && &op != stage.getDefiningOp())
        b.clone(op, mapping);
    Block *program = branch.thenBlock();
    Operation *yield = program->getTerminator();
    for (Operation &op : program->without_terminator())
      b.clone(op, mapping);
    SmallVector<Value> results;
    for (Value value : yield->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    forOp.replaceAllUsesWith(outer.getResults().drop_front(2 + places));
    forOp.erase();
    auto end = scf::YieldOp::create(b, loc, results);
    FailureOr<Operation *> last = findLastReader(body, taken);
    if (failed(last))
      return failure();
    WarpgroupMmaWaitOp wait =
        placeRelease(body, ring, taken, *last, /*carries=*/places != 0);
    if (wait) {
      b.setInsertionPointAfter(wait);
      releaseAll(b, tokens(body->getArguments()));
    }
    for (int64_t i = 0; i < places; ++i)
      yielded.push_back(wait && i == 0 ? taken : none);
    end->insertOperands(0, yielded);
    giveBackAll(outer);
    return success();
  }

private:
  RingOp ring;
  /// The token of the stage that an iteration of `forOp` takes.
  Value stage;
  scf::ForOp forOp;
  scf::IfOp branch;
  Location loc;
  /// Number of places for tokens, and the token of no stage.
  int64_t places;
  Value none;

  LogicalResult verify() {
    auto yield = cast<scf::YieldOp>(forOp.getBody()->getTerminator());
    bool passes = branch->getBlock() == forOp.getBody() &&
                  !branch.getElseRegion().empty() &&
                  yield.getOperands() == branch.getResults() &&
                  branch.elseYield().getOperands() ==
                      ValueRange(forOp.getRegionIterArgs());
    for (Operation &op : forOp.getBody()->without_terminator())
      passes &=
          &op == branch || &op == stage.getDefiningOp() ||
          (op.getNumRegions() == 0 && !isa<MmaOpInterface, ConsumerWaitOp>(op));
    if (!passes || forOp.getNumResults() == 0)
      return branch.emitOpError("expected MMAs under one condition in a loop, "
                                "and an else branch that "
                                "leaves the loop's tiles unchanged");
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

  void mapIteration(IRMapping &mapping, ValueRange arguments) {
    mapping.map(forOp.getInductionVar(), arguments.front());
    mapping.map(forOp.getRegionIterArgs(), arguments.drop_front(2 + places));
  }

  /// The tokens among the values that the loops carry.
  ValueRange tokens(ValueRange carried) const {
    return carried.drop_front(2).take_front(places);
  }

  void releaseAll(OpBuilder &b, ValueRange tokens) {
    for (Value token : tokens)
      ConsumerReleaseOp::create(b, loc, ring, token);
  }

  /// The loop over iterations without MMAs. Nothing reads the stages that it
  /// takes. A token that has been carried through all places is drained.
  scf::WhileOp passOver(OpBuilder &b, ValueRange arguments,
                        ArrayRef<Type> types) {
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
    ValueRange carried = body->getArguments();
    SmallVector<Value> yielded = {next(b, carried.front())};
    yielded.push_back(present(b, yielded.front()));
    Value taken = ConsumerWaitOp::create(b, loc, ring).getToken();
    ConsumerReleaseOp::create(b, loc, ring, taken);
    ValueRange tiles = carried.drop_front(2 + places);
    if (places != 0) {
      ValueRange waiting = tokens(carried);
      tiles = ConsumerDrainOp::create(b, loc, tiles.getTypes(), ring,
                                      waiting.back(), tiles)
                  .getResults();
      yielded.push_back(none);
      llvm::append_range(yielded, waiting.drop_back());
    }
    llvm::append_range(yielded, tiles);
    scf::YieldOp::create(b, loc, yielded);
    return loop;
  }

  /// Releases the stage that the last iteration holds, after the loop and the
  /// wait for its last MMAs.
  void giveBackAll(scf::WhileOp loop) {
    OpBuilder b(loop);
    Operation *wait = findWait(loop);
    b.setInsertionPointAfter(wait);
    if (wait == loop) {
      ValueRange tiles = loop.getResults().drop_front(2 + places);
      auto placed = WarpgroupMmaWaitOp::create(b, loc, tiles, /*pending=*/0);
      for (auto [tile, waited] : llvm::zip_equal(tiles, placed.getResults()))
        tile.replaceAllUsesExcept(waited, placed);
    }
    releaseAll(b, tokens(loop.getResults()));
  }
};
} // namespace

static bool isSynchronous(scf::IfOp branch) {
  WalkResult walk = branch.walk([](MmaOpInterface op) {
    auto mma = dyn_cast<MmaOp>(op.getOperation());
    return mma && mma.getMmaSync() ? WalkResult::advance()
                                   : WalkResult::interrupt();
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

/// Makes consumer groups past the end of the tiles in the last CTA skip the ops
/// after the last stage: they have no tile.
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

/// Takes a stage before the first use of the ring that borrows it in a tile's
/// program, and gives it back after the last.
static void borrowStage(ForEachTileOp loop, LoadGroup &group) {
  Operation *first = nullptr, *last = nullptr;
  for (Operation *user : group.borrower->getUsers()) {
    if (user->getBlock() != &loop.getBody().front())
      continue;
    if (!first || user->isBeforeInBlock(first))
      first = user;
    if (!last || last->isBeforeInBlock(user))
      last = user;
  }
  OpBuilder b(first);
  Value stage =
      ConsumerWaitOp::create(b, first->getLoc(), group.ring).getToken();
  StageBorrowOp::create(b, first->getLoc(), group.borrower, stage);
  b.setInsertionPointAfter(last);
  StageReturnOp::create(b, last->getLoc(), group.borrower);
  ConsumerReleaseOp::create(b, last->getLoc(), group.ring, stage);
}

/// Makes a loop carry the token of a stage that each iteration takes and the
/// next gives back, after `wait`. The token of the last iteration is the loop's
/// last result.
static scf::ForOp carryToken(scf::ForOp forOp, WarpgroupMmaWaitOp wait,
                             RingOp ring, Value stage) {
  IRRewriter b(forOp);
  Value none = NoStageOp::create(b, forOp.getLoc());
  auto carrying = cast<scf::ForOp>(*forOp.replaceWithAdditionalYields(
      b, none, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
        return SmallVector<Value>{stage};
      }));
  b.setInsertionPointAfter(wait);
  ConsumerReleaseOp::create(b, wait.getLoc(), ring,
                            carrying.getRegionIterArgs().back());
  return carrying;
}

LogicalResult wgtile::makeConsumer(ForEachTileOp loop,
                                   MutableArrayRef<LoadGroup> groups) {
  for (LoadGroup &group : groups) {
    scf::IfOp branch;
    for (LoadOp load : group.loads)
      if (load->getBlock() != group.block)
        branch = dyn_cast<scf::IfOp>(load->getParentOp());
    Location loc = group.ring.getLoc();
    auto forOp = dyn_cast<scf::ForOp>(group.block->getParentOp());
    OpBuilder b(group.block->findAncestorOpInBlock(*group.loads.front()));
    Value stage = ConsumerWaitOp::create(b, loc, group.ring).getToken();
    if (failed(makeTiles(loop, group, stage)))
      return failure();
    if (group.carried)
      continue;
    // MMAs that have finished when the next op runs may stay in a branch.
    if (branch && !isSynchronous(branch)) {
      if (!forOp)
        return branch.emitOpError("expected a branch in a loop");
      if (failed(SkippingLoop(group.ring, stage, forOp, branch).run()))
        return failure();
      continue;
    }
    FailureOr<Operation *> last = findLastReader(group.block, stage);
    if (failed(last))
      return failure();
    // With a ring of one stage the next iteration could not take it.
    bool carries = forOp && keepsRunning(loop) &&
                   group.ring.getRing().getType().getStages() > 1;
    WarpgroupMmaWaitOp running =
        placeRelease(group.block, group.ring, stage, *last, carries);
    if (!running)
      continue;
    Block *body = group.block;
    forOp = carryToken(forOp, running, group.ring, stage);
    for (LoadGroup &other : groups)
      if (other.block == body)
        other.block = forOp.getBody();
    // Before the ring's next stages are taken: a stage that is held until a
    // later loop ends would not be filled again for that loop.
    Operation *wait = findWait(forOp);
    bool isNext = llvm::any_of(
        groups.drop_front(&group - groups.begin() + 1), [&](LoadGroup &later) {
          return later.ring == group.ring &&
                 forOp->getBlock()->findAncestorOpInBlock(*later.loads.front());
        });
    if (isNext && wait != forOp)
      wait->moveAfter(forOp);
    b.setInsertionPointAfter(wait);
    ConsumerReleaseOp::create(b, loc, group.ring, forOp.getResults().back());
  }
  if (failed(carryStages(loop)))
    return failure();
  for (LoadGroup &group : groups)
    if (group.borrower)
      borrowStage(loop, group);
  guardTile(loop);
  return success();
}
