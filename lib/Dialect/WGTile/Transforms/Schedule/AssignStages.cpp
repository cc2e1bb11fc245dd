//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEASSIGNSTAGES
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// A walk over the stages of a ring, by a producer or by a consumer. Where all
/// threads fill and read a ring, their program has both.
using Walk = std::pair<Value, unsigned>;
static constexpr unsigned kProducer = 0, kConsumer = 1;

/// The walk whose next stage an op waits for, and the operands that say which
/// stage that is; nothing for other ops.
static std::optional<std::pair<Walk, MutableOperandRange>>
getWait(Operation *op) {
  if (auto acquire = dyn_cast<ProducerAcquireOp>(op))
    return std::pair(Walk(acquire.getRing(), kProducer),
                     acquire.getPositionMutable());
  if (auto take = dyn_cast<ConsumerWaitOp>(op))
    return std::pair(Walk(take.getRing(), kConsumer),
                     take.getPositionMutable());
  return std::nullopt;
}

static int64_t getNumStages(Walk walk) {
  return cast<RingType>(walk.first.getType()).getStages();
}

/// Whether the walk's stages have phases: stages of warpgroups have no
/// barriers, and stay in the first phase.
static bool hasPhases(Walk walk) {
  return !cast<RingType>(walk.first.getType()).isStaging();
}

/// Waits after which a walk is at the same stage, in the same phase.
static int64_t getPeriod(Walk walk) {
  return getNumStages(walk) * (hasPhases(walk) ? 2 : 1);
}

static bool returns(Operation *op, Walk walk);

/// Number of waits in a run of a block, modulo the walk's period; nothing if it
/// depends on the path.
static std::optional<int64_t> countWaits(Region &region, Walk walk) {
  int64_t count = 0;
  for (Operation &op : region.getOps()) {
    auto wait = getWait(&op);
    if (wait && wait->first == walk)
      ++count;
    if (op.getNumRegions() == 0 || returns(&op, walk))
      continue;
    auto branch = dyn_cast<scf::IfOp>(op);
    std::optional<int64_t> first, second;
    if (branch) {
      first = countWaits(branch.getThenRegion(), walk);
      second = countWaits(branch.getElseRegion(), walk);
    }
    if (!first || first != second)
      return std::nullopt;
    count += *first;
  }
  return count;
}

/// Whether a walk is where it was after any run of an op's regions.
static bool returns(Operation *op, Walk walk) {
  return llvm::all_of(op->getRegions(), [&](Region &region) {
    std::optional<int64_t> count = countWaits(region, walk);
    return count && *count % getPeriod(walk) == 0;
  });
}

namespace {
/// The stage that a role waits for next, and the phase of its barriers, for
/// each walk.
class Positions {
public:
  Value stage(Walk walk) const { return all.lookup(walk).first; }
  Value phase(Walk walk) const { return all.lookup(walk).second; }
  void set(Walk walk, Value stage, Value phase) { all[walk] = {stage, phase}; }

  /// The positions of some walks as a list of values, and back.
  SmallVector<Value> get(ArrayRef<Walk> walks) const {
    SmallVector<Value> values;
    for (Walk walk : walks)
      values.append({stage(walk), phase(walk)});
    return values;
  }
  void set(ArrayRef<Walk> walks, ValueRange values) {
    for (auto [i, walk] : llvm::enumerate(walks))
      set(walk, values[2 * i], values[2 * i + 1]);
  }
  Positions with(ArrayRef<Walk> walks, ValueRange values) const {
    Positions copy = *this;
    copy.set(walks, values);
    return copy;
  }

private:
  llvm::MapVector<Walk, std::pair<Value, Value>> all;
};

/// Carries the positions of a role through its loops and branches.
class Assignment {
public:
  explicit Assignment(MLIRContext *context) : b(context) {}

  LogicalResult run(Block &block, Positions &positions) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto wait = getWait(&op)) {
        assign(&op, wait->first, wait->second, positions);
        continue;
      }
      if (isa<RingOp>(op)) {
        b.setInsertionPointAfter(&op);
        Value zero = i32(op.getLoc(), 0);
        for (unsigned kind : {kProducer, kConsumer})
          positions.set({op.getResult(0), kind}, zero, zero);
        continue;
      }
      if (op.getNumRegions() == 0 || !hasWaits(&op))
        continue;
      SmallVector<Walk> walks = collectWalks(&op);
      llvm::erase_if(walks, [&](Walk walk) { return returns(&op, walk); });
      if (failed(runRegions(&op, walks, positions)))
        return failure();
    }
    return success();
  }

  static bool hasWaits(Operation *op) {
    return op
        ->walk([](Operation *nested) {
          return getWait(nested) ? WalkResult::interrupt()
                                 : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// The walks that ops inside `op` continue, in their order; a ring that is
  /// made inside begins anew.
  static SmallVector<Walk> collectWalks(Operation *op) {
    llvm::SetVector<Walk> walks;
    op->walk([&](Operation *nested) {
      if (auto wait = getWait(nested))
        if (Operation *ring = wait->first.first.getDefiningOp();
            !ring || !op->isAncestor(ring))
          walks.insert(wait->first);
    });
    return walks.takeVector();
  }

private:
  IRRewriter b;

  Value i32(Location loc, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }

  /// Gives an op its position and advances to the next stage, and after the
  /// last to the next round.
  void assign(Operation *op, Walk walk, MutableOperandRange position,
              Positions &positions) {
    Location loc = op->getLoc();
    int64_t stages = getNumStages(walk);
    Value stage = positions.stage(walk), phase = positions.phase(walk);
    position.assign(SmallVector<Value>{stage, phase});
    b.setInsertionPointAfter(op);
    std::optional<int64_t> at = getConstantIntValue(stage);
    std::optional<int64_t> round = getConstantIntValue(phase);
    if (at && round) {
      bool wraps = *at + 1 == stages;
      positions.set(walk, i32(loc, wraps ? 0 : *at + 1),
                    wraps && hasPhases(walk) ? i32(loc, *round ^ 1) : phase);
      return;
    }
    Value next = arith::AddIOp::create(b, loc, stage, i32(loc, 1));
    Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                        i32(loc, stages));
    next = arith::SelectOp::create(b, loc, wraps, i32(loc, 0), next);
    if (hasPhases(walk)) {
      Value flip = arith::ExtUIOp::create(b, loc, b.getI32Type(), wraps);
      phase = arith::XOrIOp::create(b, loc, phase, flip);
    }
    positions.set(walk, next, phase);
  }

  LogicalResult runRegions(Operation *op, ArrayRef<Walk> walks,
                           Positions &positions) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return runLoop(loop, walks, positions);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return runBranch(branch, walks, positions);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return runWhile(loop, walks, positions);
    if (auto loop = dyn_cast<ForEachTileOp>(op))
      return runTiles(loop, walks, positions);
    return op->emitOpError("expected waits for stages in loops over tiles and "
                           "in loops and branches of scf only");
  }

  /// Runs a block that takes positions, and adds the last ones to what it ends
  /// with.
  LogicalResult runBody(Block &block, ArrayRef<Walk> walks, ValueRange taken,
                        const Positions &outside) {
    Positions inside = outside.with(walks, taken);
    if (failed(run(block, inside)))
      return failure();
    Operation *end = block.getTerminator();
    end->insertOperands(end->getNumOperands(), inside.get(walks));
    return success();
  }

  /// Adds an argument to a block for each position.
  ValueRange addArguments(Block &block, ArrayRef<Walk> walks) {
    unsigned first = block.getNumArguments();
    for (size_t i = 0; i < 2 * walks.size(); ++i)
      block.addArgument(b.getI32Type(), block.getParentOp()->getLoc());
    return block.getArguments().drop_front(first);
  }

  /// Replaces an op by one with more results, the positions after it.
  void replace(Operation *op, Operation *carrying, ArrayRef<Walk> walks,
               Positions &positions) {
    carrying->setDiscardableAttrs(llvm::to_vector(op->getDiscardableAttrs()));
    ResultRange results = carrying->getResults();
    unsigned count = op->getNumResults();
    op->replaceAllUsesWith(results.take_front(count));
    op->erase();
    positions.set(walks, results.drop_front(count));
  }

  SmallVector<Type> addTypes(TypeRange types, ArrayRef<Walk> walks) {
    SmallVector<Type> all(types);
    all.append(2 * walks.size(), b.getI32Type());
    return all;
  }

  static SmallVector<Value> concat(ValueRange values, ArrayRef<Value> more) {
    SmallVector<Value> all(values);
    llvm::append_range(all, more);
    return all;
  }

  LogicalResult runLoop(scf::ForOp loop, ArrayRef<Walk> walks,
                        Positions &positions) {
    b.setInsertionPoint(loop);
    auto carrying = scf::ForOp::create(
        b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
        loop.getStep(), concat(loop.getInitArgs(), positions.get(walks)),
        /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
    carrying.getRegion().takeBody(loop.getRegion());
    Block &body = *carrying.getBody();
    if (failed(runBody(body, walks, addArguments(body, walks), positions)))
      return failure();
    replace(loop, carrying, walks, positions);
    return success();
  }

  LogicalResult runBranch(scf::IfOp branch, ArrayRef<Walk> walks,
                          Positions &positions) {
    b.setInsertionPoint(branch);
    auto carrying = scf::IfOp::create(
        b, branch.getLoc(), addTypes(branch.getResultTypes(), walks),
        branch.getCondition(), /*addThenBlock=*/true, /*addElseBlock=*/true);
    for (auto [from, to] :
         {std::pair(&branch.getThenRegion(), &carrying.getThenRegion()),
          std::pair(&branch.getElseRegion(), &carrying.getElseRegion())}) {
      if (!from->empty()) {
        to->takeBody(*from);
      } else {
        b.setInsertionPointToEnd(&to->front());
        scf::YieldOp::create(b, branch.getLoc());
      }
      if (failed(runBody(to->front(), walks, positions.get(walks), positions)))
        return failure();
    }
    replace(branch, carrying, walks, positions);
    return success();
  }

  LogicalResult runWhile(scf::WhileOp loop, ArrayRef<Walk> walks,
                         Positions &positions) {
    b.setInsertionPoint(loop);
    auto carrying = scf::WhileOp::create(
        b, loop.getLoc(), addTypes(loop.getResultTypes(), walks),
        concat(loop.getInits(), positions.get(walks)));
    for (auto [from, to] :
         llvm::zip_equal(loop->getRegions(), carrying->getRegions())) {
      to.takeBody(from);
      Block &block = to.front();
      if (failed(runBody(block, walks, addArguments(block, walks), positions)))
        return failure();
    }
    replace(loop, carrying, walks, positions);
    return success();
  }

  LogicalResult runTiles(ForEachTileOp loop, ArrayRef<Walk> walks,
                         Positions &positions) {
    b.setInsertionPoint(loop);
    OperationState state(loop.getLoc(), loop->getName());
    state.addOperands(concat(loop->getOperands(), positions.get(walks)));
    state.addTypes(addTypes(loop.getResultTypes(), walks));
    state.propertiesAttr = loop->getPropertiesAsAttribute();
    state.addRegion();
    auto carrying = cast<ForEachTileOp>(b.create(state));
    carrying.getProperties().operandSegmentSizes.back() += 2 * walks.size();
    carrying.getBody().takeBody(loop.getBody());
    Block &body = carrying.getBody().front();
    if (failed(runBody(body, walks, addArguments(body, walks), positions)))
      return failure();
    replace(loop, carrying, walks, positions);
    return success();
  }
};

struct AssignStagesPass
    : public wgtile::impl::WGTileAssignStagesBase<AssignStagesPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      SmallVector<Region *> programs;
      kernel.walk([&](RolesOp roles) {
        for (Region &program : roles.getPrograms())
          programs.push_back(&program);
      });
      if (programs.empty())
        programs.push_back(&kernel.getBody());
      for (Region *program : programs)
        if (failed(assign(*program)))
          return signalPassFailure();
    }
  }

private:
  /// Assigns positions in a role's program, which begins with the first stage
  /// of each ring, in the first round.
  static LogicalResult assign(Region &program) {
    Block &block = program.front();
    llvm::SetVector<Walk> walks;
    for (Operation &op : block)
      walks.insert_range(Assignment::collectWalks(&op));
    Positions positions;
    OpBuilder b = OpBuilder::atBlockBegin(&block);
    Value zero;
    for (Walk walk : walks) {
      if (walk.first.getParentRegion() == &program &&
          walk.first.getDefiningOp())
        continue;
      if (!zero)
        zero = arith::ConstantOp::create(b, program.getLoc(),
                                         b.getI32IntegerAttr(0));
      positions.set(walk, zero, zero);
    }
    return Assignment(program.getContext()).run(block, positions);
  }
};
} // namespace
