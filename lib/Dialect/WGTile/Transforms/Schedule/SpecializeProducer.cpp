//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Specialize.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace wgtile;

/// The op of `block` that is or contains `op`.
static Operation *ancestorIn(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

/// A value, computed with another value in the place of a select.
static Value substitute(OpBuilder &b, Value value, arith::SelectOp choice,
                        Value chosen) {
  if (value == choice.getResult())
    return chosen;
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = options.inclusive = true;
  options.filter = [&](Operation *op) {
    return choice->getParentRegion()->isAncestor(op->getParentRegion()) &&
           op != choice;
  };
  (void)getBackwardSlice(value, &slice, options);
  IRMapping mapping;
  mapping.map(choice.getResult(), chosen);
  for (Operation *op : slice)
    if (llvm::any_of(op->getOperands(),
                     [&](Value operand) { return mapping.contains(operand); }))
      b.clone(*op, mapping);
  return mapping.lookupOrDefault(value);
}

/// Copies both of two tiles of which each consumer group reads one, the second
/// if it is another one. Returns the last op of both.
static Operation *copyBoth(TmaLoadOp copy, arith::SelectOp choice) {
  Location loc = copy.getLoc();
  OpBuilder b(copy);
  Value first = choice.getTrueValue(), second = choice.getFalseValue();
  auto indicesOf = [&](Value chosen) {
    return llvm::map_to_vector(copy.getIndices(), [&](Value index) {
      return substitute(b, index, choice, chosen);
    });
  };
  SmallVector<Value> indices = indicesOf(first);
  b.setInsertionPointAfter(copy);
  Value isOther =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, first, second);
  auto branch = scf::IfOp::create(b, loc, isOther);
  b.setInsertionPointToStart(branch.thenBlock());
  TmaLoadOp::create(b, loc, copy.getRing(), copy.getToken(), copy.getTile(),
                    /*instance=*/1, copy.getSource(), indicesOf(second));
  copy.getIndicesMutable().assign(indices);
  return branch;
}

static LogicalResult makeCopies(LoadGroup &group, const IRMapping &mapping) {
  Block *block = mapping.lookup(group.block);
  Operation *first =
      ancestorIn(block, mapping.lookup(group.loads.front().getOperation()));
  OpBuilder b(first);
  Value stage = ProducerAcquireOp::create(b, first->getLoc(), group.ring,
                                          /*position=*/ValueRange())
                    .getToken();
  Operation *last = nullptr;
  for (auto [position, original, choice] :
       llvm::zip_equal(group.positions, group.loads, group.choices)) {
    LoadOp consumed = original;
    auto load = cast<LoadOp>(mapping.lookup(consumed.getOperation()));
    auto source = dyn_cast<TypedValue<TensorMapType>>(load.getSource());
    if (!source)
      return load.emitOpError("expected a tensor map as the source "
                              "(wgtile-create-tensor-maps)");
    b.setInsertionPoint(load);
    auto copy = TmaLoadOp::create(b, load.getLoc(), group.ring, stage, position,
                                  /*instance=*/0, source, load.getIndices());
    Operation *both = copy;
    if (choice)
      both = copyBoth(
          copy, cast<arith::SelectOp>(mapping.lookup(choice.getOperation())));
    last = ancestorIn(block, both);
    load.replaceAllUsesWith(
        ub::PoisonOp::create(b, load.getLoc(), load.getTile().getType(),
                             ub::PoisonAttr::get(b.getContext()))
            .getResult());
    load.erase();
  }
  b.setInsertionPointAfter(last);
  ProducerCommitOp::create(b, last->getLoc(), group.ring, stage);
  return success();
}

/// Commits a stage without copies at the end of a tile's program, for the ring
/// that borrows it.
static void lendStage(ForEachTileOp loop, LoadGroup &group) {
  OpBuilder b(loop.getBody().front().getTerminator());
  Value stage = ProducerAcquireOp::create(b, loop.getLoc(), group.ring,
                                          /*position=*/ValueRange())
                    .getToken();
  ProducerCommitOp::create(b, loop.getLoc(), group.ring, stage);
}

/// Whether an op fills a ring between roles.
static bool isRoot(Operation *op) {
  return isa<ProducerAcquireOp, TmaLoadOp, ProducerCommitOp>(op) &&
         !cast<RingType>(op->getOperand(0).getType()).isStaging();
}

namespace {
/// The values and ops of a role that move data into a ring, or that such ops
/// need. Each value that a loop carries, and each result of a branch, is live
/// or dead on its own.
class ProducerLiveness {
public:
  explicit ProducerLiveness(Region &role) : role(role) {
    role.walk([&](Operation *op) {
      if (isRoot(op))
        markOp(op);
    });
    while (!worklist.empty())
      visit(worklist.pop_back_val());
  }

  bool isLive(Value value) const { return values.contains(value); }
  bool isLive(Operation *op) const { return ops.contains(op); }

private:
  Region &role;
  DenseSet<Value> values;
  DenseSet<Operation *> ops;
  SmallVector<Value> worklist;

  void markValue(Value value) {
    if (role.isAncestor(value.getParentRegion()) && values.insert(value).second)
      worklist.push_back(value);
  }

  /// Marks an op, and the ops around it, as live.
  void markOp(Operation *op) {
    if (!ops.insert(op).second)
      return;
    if (auto forOp = dyn_cast<scf::ForOp>(op)) {
      for (Value value :
           {forOp.getLowerBound(), forOp.getUpperBound(), forOp.getStep()})
        markValue(value);
    } else {
      for (Value operand : op->getOperands())
        markValue(operand);
      // Inside an op that is neither a loop nor a branch everything is live.
      if (!isa<scf::IfOp, ForEachTileOp>(op))
        for (Region &region : op->getRegions())
          region.walk([&](Operation *nested) { markOp(nested); });
    }
    if (op->getParentRegion() != &role)
      markOp(op->getParentOp());
  }

  void visit(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      auto forOp = dyn_cast<scf::ForOp>(parent);
      if (forOp && argument != forOp.getInductionVar())
        markCarried(forOp, argument.getArgNumber() - 1);
      return;
    }
    Operation *op = value.getDefiningOp();
    markOp(op);
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto forOp = dyn_cast<scf::ForOp>(op)) {
      markCarried(forOp, number);
    } else if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
      markValue(ifOp.thenYield().getOperand(number));
      markValue(ifOp.elseYield().getOperand(number));
    }
  }

  void markCarried(scf::ForOp forOp, unsigned i) {
    markOp(forOp);
    for (Value value :
         {forOp.getInitArgs()[i], forOp.getYieldedValues()[i],
          Value(forOp.getRegionIterArg(i)), Value(forOp.getResult(i))})
      markValue(value);
  }
};
} // namespace

/// Numbers of the live results.
static SmallVector<unsigned> findLive(Operation *op,
                                      const ProducerLiveness &liveness) {
  SmallVector<unsigned> live;
  for (OpResult result : op->getResults())
    if (liveness.isLive(result))
      live.push_back(result.getResultNumber());
  return live;
}

static SmallVector<Value> select(ValueRange values, ArrayRef<unsigned> live) {
  return llvm::map_to_vector(live, [&](unsigned i) { return values[i]; });
}

/// Makes a loop carry only its live values.
static void dropDeadResults(scf::ForOp forOp,
                            const ProducerLiveness &liveness) {
  SmallVector<unsigned> live = findLive(forOp, liveness);
  if (live.size() == forOp.getNumResults())
    return;
  OpBuilder b(forOp);
  auto newLoop = scf::ForOp::create(b, forOp.getLoc(), forOp.getLowerBound(),
                                    forOp.getUpperBound(), forOp.getStep(),
                                    select(forOp.getInitArgs(), live));
  newLoop->setDiscardableAttrs(llvm::to_vector(forOp->getDiscardableAttrs()));
  Operation *yield = forOp.getBody()->getTerminator();
  yield->setOperands(select(yield->getOperands(), live));
  forOp.getInductionVar().replaceAllUsesWith(newLoop.getInductionVar());
  for (auto [next, i] : llvm::enumerate(live)) {
    forOp.getRegionIterArg(i).replaceAllUsesWith(
        newLoop.getRegionIterArg(next));
    forOp.getResult(i).replaceAllUsesWith(newLoop.getResult(next));
  }
  Block *body = newLoop.getBody();
  body->clear();
  body->getOperations().splice(body->end(), forOp.getBody()->getOperations());
  // The op around it may yield dropped results, until it is rewritten itself.
  forOp->dropAllUses();
  forOp.erase();
}

/// Makes a branch yield only its live results.
static void dropDeadResults(scf::IfOp ifOp, const ProducerLiveness &liveness) {
  SmallVector<unsigned> live = findLive(ifOp, liveness);
  if (live.size() == ifOp.getNumResults())
    return;
  OpBuilder b(ifOp);
  SmallVector<Type> types =
      llvm::map_to_vector(live, [&](unsigned i) { return ifOp.getType(i); });
  auto newIf = scf::IfOp::create(b, ifOp.getLoc(), types, ifOp.getCondition(),
                                 /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (auto [from, to] : {std::pair(ifOp.thenBlock(), newIf.thenBlock()),
                          std::pair(ifOp.elseBlock(), newIf.elseBlock())}) {
    Operation *yield = from->getTerminator();
    yield->setOperands(select(yield->getOperands(), live));
    to->clear();
    to->getOperations().splice(to->end(), from->getOperations());
  }
  for (auto [i, result] : llvm::zip_equal(live, newIf.getResults()))
    ifOp.getResult(i).replaceAllUsesWith(result);
  ifOp->dropAllUses();
  ifOp.erase();
}

/// Erases dead ops, stores included.
static void eraseUnneeded(Region &role) {
  ProducerLiveness liveness(role);
  SmallVector<Operation *> dead, branches;
  role.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    if (!liveness.isLive(op)) {
      dead.push_back(op);
      return WalkResult::skip();
    }
    if (isa<scf::ForOp, scf::IfOp>(op))
      branches.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : dead)
    op->dropAllReferences();
  // Dead operands of yields are dropped with the results.
  for (Operation *op : dead) {
    op->dropAllUses();
    op->erase();
  }
  // Inner ones first.
  for (Operation *op : llvm::reverse(branches)) {
    if (auto forOp = dyn_cast<scf::ForOp>(op))
      dropDeadResults(forOp, liveness);
    else
      dropDeadResults(cast<scf::IfOp>(op), liveness);
  }
}

namespace {
/// Merges the programs of all consumer groups into one. They are equal except
/// for ops that depend on the group, which are repeated for each group beside
/// the first.
class GroupFusion {
public:
  explicit GroupFusion(ForEachTileOp loop) : loop(loop), dependence(loop) {}

  LogicalResult run() {
    if (loop.getGroupSize() == 1)
      return success();
    WalkResult walk = loop.walk([&](scf::ForOp forOp) {
      if (!dependence.dependsOnGroup(forOp) &&
          llvm::none_of(forOp.getRegionIterArgs(), [&](Value carried) {
            return dependence.dependsOnGroup(carried);
          }))
        return WalkResult::advance();
      forOp.emitOpError("expected the same range and carried values for all "
                        "tiles of a group, or loops in which nothing is "
                        "loaded");
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return failure();
    for (int64_t g = 1; g < loop.getGroupSize(); ++g)
      mappings.emplace_back();
    repeat(loop.getBody().front());
    indexTiles();
    return success();
  }

private:
  ForEachTileOp loop;
  GroupDependence dependence;
  /// The values of each consumer group except the first, in place of the
  /// first's.
  SmallVector<IRMapping> mappings;
  SmallVector<Value> indices;

  void repeat(Block &block) {
    if (&block == &loop.getBody().front()) {
      // Placeholders until all uses of the index are known.
      OpBuilder b = OpBuilder::atBlockBegin(&block);
      Value index = block.getArgument(*loop.getGroupedDim());
      AffineExpr d0 = b.getAffineDimExpr(0);
      for (int64_t g = 0; g < loop.getGroupSize(); ++g)
        indices.push_back(affine::AffineApplyOp::create(
            b, loop.getLoc(),
            AffineMap::get(1, 0, d0 * loop.getGroupSize() + g), index));
      for (auto [mapping, tile] :
           llvm::zip(mappings, ArrayRef(indices).drop_front()))
        mapping.map(index, tile);
    }
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (llvm::is_contained(indices, op.getNumResults() == 1 ? op.getResult(0)
                                                              : Value()))
        continue;
      if (isa<scf::ForOp>(op)) {
        repeat(op.getRegion(0).front());
        continue;
      }
      if (!dependence.dependsOnGroup(&op))
        continue;
      OpBuilder b(op.getContext());
      b.setInsertionPointAfter(&op);
      for (auto [position, mapping] : llvm::enumerate(mappings)) {
        Operation *clone = b.clone(op, mapping);
        clone->walk([&](TmaLoadOp copy) { copy.setInstance(position + 1); });
      }
    }
  }

  /// Makes the loop step over all consumer groups at once: its index becomes
  /// that of the first group's tile, and ops on it are simplified.
  void indexTiles() {
    int64_t dim = *loop.getGroupedDim();
    BlockArgument group = loop.getBody().getArgument(dim);
    group.replaceUsesWithIf(indices.front(), [&](OpOperand &use) {
      return !llvm::any_of(indices, [&](Value index) {
        return index.getDefiningOp() == use.getOwner();
      });
    });
    OpBuilder b(loop);
    Value count = loop.getCounts()[dim];
    count = affine::makeComposedAffineApply(
        b, loop.getLoc(),
        AffineMap::get(1, 0,
                       b.getAffineDimExpr(0).ceilDiv(loop.getGroupSize())),
        {OpFoldResult(count)});
    loop.getCountsMutable().slice(dim, 1).assign(count);
    loop.removeConsumerGroupsAttr();
    loop.walk([&](affine::AffineApplyOp apply) {
      AffineMap map = apply.getAffineMap();
      SmallVector<Value> operands(apply.getMapOperands());
      affine::fullyComposeAffineMapAndOperands(&map, &operands);
      affine::canonicalizeMapAndOperands(&map, &operands);
      apply.setMap(simplifyAffineMap(map));
      apply->setOperands(operands);
    });
  }
};
} // namespace

LogicalResult wgtile::makeProducer(ForEachTileOp loop,
                                   MutableArrayRef<LoadGroup> groups,
                                   const IRMapping &mapping) {
  for (LoadGroup &group : groups)
    if (failed(makeCopies(group, mapping)))
      return failure();
  for (LoadGroup &group : groups)
    if (group.borrower)
      lendStage(loop, group);
  eraseUnneeded(*loop->getParentRegion());
  WalkResult walk = loop.walk([&](Operation *op) {
    if (!isa<MmaOpInterface, WarpgroupMmaWaitOp>(op))
      return WalkResult::advance();
    op->emitOpError("expected loads that do not depend on a product");
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  return GroupFusion(loop).run();
}
