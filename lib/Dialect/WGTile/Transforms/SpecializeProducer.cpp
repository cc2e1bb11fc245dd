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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace wgtile;

/// The op of `block` that is or contains `op`.
static Operation *ancestorIn(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

static LogicalResult makeCopies(LoadGroup &group, const IRMapping &mapping) {
  Operation *first = nullptr, *last = nullptr;
  for (auto [position, original] :
       llvm::zip_equal(group.positions, group.loads)) {
    LoadOp consumed = original;
    auto load = cast<LoadOp>(mapping.lookup(consumed.getOperation()));
    auto source = dyn_cast<TypedValue<TensorMapType>>(load.getSource());
    if (!source)
      return load.emitOpError("expected a tensor map as the source "
                              "(wgtile-create-tensor-maps)");
    OpBuilder b(load);
    Operation *copy =
        RingCopyOp::create(b, load.getLoc(), group.ring, position,
                           /*instance=*/0, source, load.getIndices());
    Block *block = mapping.lookup(group.block);
    Operation *ancestor = ancestorIn(block, copy);
    first = first ? first : ancestor;
    last = ancestor;
    load.replaceAllUsesWith(
        ub::PoisonOp::create(b, load.getLoc(), load.getTile().getType(),
                             ub::PoisonAttr::get(b.getContext()))
            .getResult());
    load.erase();
  }
  OpBuilder b(first);
  RingAcquireOp::create(b, first->getLoc(), group.ring);
  b.setInsertionPointAfter(last);
  RingCommitOp::create(b, last->getLoc(), group.ring);
  return success();
}

/// A loop none of whose results is used carries nothing.
static bool dropUnusedResults(scf::ForOp forOp) {
  if (forOp->getNumResults() == 0)
    return false;
  OpBuilder b(forOp);
  auto newLoop = scf::ForOp::create(b, forOp.getLoc(), forOp.getLowerBound(),
                                    forOp.getUpperBound(), forOp.getStep());
  newLoop->setDiscardableAttrs(llvm::to_vector(forOp->getDiscardableAttrs()));
  Block *body = newLoop.getBody();
  body->getTerminator()->erase();
  forOp.getInductionVar().replaceAllUsesWith(newLoop.getInductionVar());
  for (BlockArgument argument : forOp.getRegionIterArgs()) {
    b.setInsertionPoint(forOp);
    argument.replaceAllUsesWith(
        ub::PoisonOp::create(b, forOp.getLoc(), argument.getType(),
                             ub::PoisonAttr::get(b.getContext()))
            .getResult());
  }
  body->getOperations().splice(body->end(), forOp.getBody()->getOperations());
  body->getTerminator()->setOperands({});
  forOp.erase();
  return true;
}

/// A branch none of whose results is used has none.
static bool dropUnusedResults(scf::IfOp ifOp) {
  if (ifOp->getNumResults() == 0)
    return false;
  OpBuilder b(ifOp);
  auto newIf = scf::IfOp::create(b, ifOp.getLoc(), ifOp.getCondition(),
                                 /*withElseRegion=*/true);
  for (auto [from, to] : {std::pair(ifOp.thenBlock(), newIf.thenBlock()),
                          std::pair(ifOp.elseBlock(), newIf.elseBlock())}) {
    from->getTerminator()->setOperands({});
    to->getTerminator()->erase();
    to->getOperations().splice(to->end(), from->getOperations());
  }
  ifOp.erase();
  return true;
}

/// Erases what neither moves data into a ring nor computes for what does: all
/// that has no users, stores included, until nothing is left of that kind.
static void eraseUnneeded(Region &role) {
  auto isRoot = [](Operation *op) {
    return isa<RingAcquireOp, RingCopyOp, RingCommitOp>(op);
  };
  auto needed = [&](Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>() || isRoot(op))
      return true;
    bool containsRoot = false;
    op->walk([&](Operation *nested) { containsRoot |= isRoot(nested); });
    return containsRoot;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<Operation *> ops;
    role.walk([&](Operation *op) { ops.push_back(op); });
    // Last first, users before what they use.
    for (Operation *op : llvm::reverse(ops)) {
      if (!op->use_empty())
        continue;
      if (!needed(op)) {
        op->dropAllReferences();
        op->erase();
        changed = true;
        break;
      }
      auto forOp = dyn_cast<scf::ForOp>(op);
      auto ifOp = dyn_cast<scf::IfOp>(op);
      if ((forOp && dropUnusedResults(forOp)) ||
          (ifOp && dropUnusedResults(ifOp))) {
        changed = true;
        break;
      }
    }
  }
}

namespace {
/// Makes one program of those of a group's tiles. The programs are equal but
/// for what depends on the group, which is repeated for each of its tiles
/// beside the first one's.
class GroupFusion {
public:
  explicit GroupFusion(ForEachTileOp loop) : loop(loop), dependence(loop) {}

  LogicalResult run() {
    if (loop.getGroupSize() == 1)
      return success();
    WalkResult walk = loop.walk([&](scf::ForOp forOp) {
      if (!dependence.dependsOnGroup(forOp))
        return WalkResult::advance();
      forOp.emitOpError(
          "expected the same range for all tiles of a group, or loops in which "
          "nothing is loaded");
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
  /// For each tile of a group but the first: its values in the first's place.
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
        clone->walk([&](RingCopyOp copy) { copy.setInstance(position + 1); });
      }
    }
  }

  /// The loop goes over groups: its index becomes that of each group's first
  /// tile, and what is computed from it is simplified.
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
    loop.removeGroupsAttr();
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
  eraseUnneeded(*loop->getParentRegion());
  WalkResult walk = loop.walk([&](Operation *op) {
    if (!isa<MmaOp, WaitMmaOp>(op))
      return WalkResult::advance();
    op->emitOpError("expected loads that do not depend on a product");
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  return GroupFusion(loop).run();
}
