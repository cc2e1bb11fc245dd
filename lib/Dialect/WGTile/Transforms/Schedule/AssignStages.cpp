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
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEASSIGNSTAGES
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// The ring whose next stage an op waits for, and the operands that say which
/// stage that is; nothing for other ops.
static std::optional<std::pair<TypedValue<RingType>, MutableOperandRange>>
getWait(Operation *op) {
  if (auto acquire = dyn_cast<ProducerAcquireOp>(op))
    return std::pair(acquire.getRing(), acquire.getPositionMutable());
  if (auto take = dyn_cast<ConsumerWaitOp>(op))
    return std::pair(take.getRing(), take.getPositionMutable());
  return std::nullopt;
}

namespace {
/// For each ring the stage that a role waits for next, and the phase of its
/// barriers.
class Positions {
public:
  Value stage(Value ring) const { return all.lookup(ring).first; }
  Value phase(Value ring) const { return all.lookup(ring).second; }
  void set(Value ring, Value stage, Value phase) { all[ring] = {stage, phase}; }

  /// Those of some rings as a list of values, and back.
  SmallVector<Value> get(ArrayRef<Value> rings) const {
    SmallVector<Value> values;
    for (Value ring : rings)
      values.append({stage(ring), phase(ring)});
    return values;
  }
  void set(ArrayRef<Value> rings, ValueRange values) {
    for (auto [i, ring] : llvm::enumerate(rings))
      set(ring, values[2 * i], values[2 * i + 1]);
  }
  Positions with(ArrayRef<Value> rings, ValueRange values) const {
    Positions copy = *this;
    copy.set(rings, values);
    return copy;
  }

private:
  llvm::MapVector<Value, std::pair<Value, Value>> all;
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
      SmallVector<Value> rings = collectRings(&op);
      if (!rings.empty() && failed(runRegions(&op, rings, positions)))
        return failure();
    }
    return success();
  }

  /// The rings that ops inside `op` wait for, in their order.
  static SmallVector<Value> collectRings(Operation *op) {
    llvm::SetVector<Value> rings;
    op->walk([&](Operation *nested) {
      if (auto wait = getWait(nested))
        rings.insert(wait->first);
    });
    return rings.takeVector();
  }

private:
  IRRewriter b;

  Value i32(Location loc, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }

  /// Gives an op its position and advances to the next stage, and after the
  /// last to the next round.
  void assign(Operation *op, TypedValue<RingType> ring,
              MutableOperandRange position, Positions &positions) {
    Location loc = op->getLoc();
    Value stage = positions.stage(ring), phase = positions.phase(ring);
    position.assign(SmallVector<Value>{stage, phase});
    b.setInsertionPointAfter(op);
    Value next = arith::AddIOp::create(b, loc, stage, i32(loc, 1));
    Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                        i32(loc, ring.getType().getStages()));
    next = arith::SelectOp::create(b, loc, wraps, i32(loc, 0), next);
    Value flip = arith::ExtUIOp::create(b, loc, b.getI32Type(), wraps);
    positions.set(ring, next, arith::XOrIOp::create(b, loc, phase, flip));
  }

  LogicalResult runRegions(Operation *op, ArrayRef<Value> rings,
                           Positions &positions) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return runLoop(loop, rings, positions);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return runBranch(branch, rings, positions);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return runWhile(loop, rings, positions);
    if (auto loop = dyn_cast<ForEachTileOp>(op))
      return runTiles(loop, rings, positions);
    return op->emitOpError("expected waits for stages in loops over tiles and "
                           "in loops and branches of scf only");
  }

  /// Runs a block that takes positions, and adds the last ones to what it ends
  /// with.
  LogicalResult runBody(Block &block, ArrayRef<Value> rings, ValueRange taken,
                        const Positions &outside) {
    Positions inside = outside.with(rings, taken);
    if (failed(run(block, inside)))
      return failure();
    Operation *end = block.getTerminator();
    end->insertOperands(end->getNumOperands(), inside.get(rings));
    return success();
  }

  /// Adds an argument to a block for each position.
  ValueRange addArguments(Block &block, ArrayRef<Value> rings) {
    unsigned first = block.getNumArguments();
    for (size_t i = 0; i < 2 * rings.size(); ++i)
      block.addArgument(b.getI32Type(), block.getParentOp()->getLoc());
    return block.getArguments().drop_front(first);
  }

  /// Replaces an op by one with more results, the positions after it.
  void replace(Operation *op, Operation *carrying, ArrayRef<Value> rings,
               Positions &positions) {
    carrying->setDiscardableAttrs(llvm::to_vector(op->getDiscardableAttrs()));
    ResultRange results = carrying->getResults();
    unsigned count = op->getNumResults();
    op->replaceAllUsesWith(results.take_front(count));
    op->erase();
    positions.set(rings, results.drop_front(count));
  }

  SmallVector<Type> addTypes(TypeRange types, ArrayRef<Value> rings) {
    SmallVector<Type> all(types);
    all.append(2 * rings.size(), b.getI32Type());
    return all;
  }

  static SmallVector<Value> concat(ValueRange values, ArrayRef<Value> more) {
    SmallVector<Value> all(values);
    llvm::append_range(all, more);
    return all;
  }

  LogicalResult runLoop(scf::ForOp loop, ArrayRef<Value> rings,
                        Positions &positions) {
    b.setInsertionPoint(loop);
    auto carrying = scf::ForOp::create(
        b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
        loop.getStep(), concat(loop.getInitArgs(), positions.get(rings)),
        /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
    carrying.getRegion().takeBody(loop.getRegion());
    Block &body = *carrying.getBody();
    if (failed(runBody(body, rings, addArguments(body, rings), positions)))
      return failure();
    replace(loop, carrying, rings, positions);
    return success();
  }

  LogicalResult runBranch(scf::IfOp branch, ArrayRef<Value> rings,
                          Positions &positions) {
    b.setInsertionPoint(branch);
    auto carrying = scf::IfOp::create(
        b, branch.getLoc(), addTypes(branch.getResultTypes(), rings),
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
      if (failed(runBody(to->front(), rings, positions.get(rings), positions)))
        return failure();
    }
    replace(branch, carrying, rings, positions);
    return success();
  }

  LogicalResult runWhile(scf::WhileOp loop, ArrayRef<Value> rings,
                         Positions &positions) {
    b.setInsertionPoint(loop);
    auto carrying = scf::WhileOp::create(
        b, loop.getLoc(), addTypes(loop.getResultTypes(), rings),
        concat(loop.getInits(), positions.get(rings)));
    for (auto [from, to] :
         llvm::zip_equal(loop->getRegions(), carrying->getRegions())) {
      to.takeBody(from);
      Block &block = to.front();
      if (failed(runBody(block, rings, addArguments(block, rings), positions)))
        return failure();
    }
    replace(loop, carrying, rings, positions);
    return success();
  }

  LogicalResult runTiles(ForEachTileOp loop, ArrayRef<Value> rings,
                         Positions &positions) {
    b.setInsertionPoint(loop);
    OperationState state(loop.getLoc(), loop->getName());
    state.addOperands(concat(loop->getOperands(), positions.get(rings)));
    state.addTypes(addTypes(loop.getResultTypes(), rings));
    state.propertiesAttr = loop->getPropertiesAsAttribute();
    state.addRegion();
    auto carrying = cast<ForEachTileOp>(b.create(state));
    carrying.getProperties().operandSegmentSizes.back() += 2 * rings.size();
    carrying.getBody().takeBody(loop.getBody());
    Block &body = carrying.getBody().front();
    if (failed(runBody(body, rings, addArguments(body, rings), positions)))
      return failure();
    replace(loop, carrying, rings, positions);
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
  /// A role begins with the first stage of each ring, in the first round.
  static LogicalResult assign(Region &program) {
    Block &block = program.front();
    llvm::SetVector<Value> rings;
    for (Operation &op : block)
      rings.insert_range(Assignment::collectRings(&op));
    if (rings.empty())
      return success();
    OpBuilder b = OpBuilder::atBlockBegin(&block);
    Value zero =
        arith::ConstantOp::create(b, program.getLoc(), b.getI32IntegerAttr(0));
    Positions positions;
    for (Value ring : rings)
      positions.set(ring, zero, zero);
    return Assignment(program.getContext()).run(block, positions);
  }
};
} // namespace
