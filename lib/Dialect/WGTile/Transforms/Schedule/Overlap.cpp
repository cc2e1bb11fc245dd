//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEOVERLAP
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

namespace {
/// The ops of a loop's body by their place in an iteration of the rotated loop:
/// `first` (the MMAs that need no other MMA, and their loads) and `between`
/// (all ops on their results) for the iteration's own block, `last` (the MMAs
/// on the results of `between`, and their loads) for the block before.
struct Rotation {
  SmallVector<Operation *> first, between, last;
};
} // namespace

/// Whether an op, or one nested in it, uses a result of one of `ops`.
static bool usesResultOf(Operation *op, const DenseSet<Operation *> &ops) {
  WalkResult walk = op->walk([&](Operation *nested) {
    return llvm::any_of(
               nested->getOperands(),
               [&](Value value) { return ops.contains(value.getDefiningOp()); })
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// Whether all users of an op are among `ops` of the same block.
static bool isUsedByOnly(Operation *op, const DenseSet<Operation *> &ops) {
  return !op->use_empty() && llvm::all_of(op->getUsers(), [&](Operation *user) {
    return ops.contains(op->getBlock()->findAncestorOpInBlock(*user));
  });
}

/// The rotation of a loop with two MMAs in a chain; nothing if there is no
/// chain or the loop cannot be rotated.
static std::optional<Rotation> findRotation(scf::ForOp loop) {
  Block *body = loop.getBody();
  DenseSet<Operation *> derived, last;
  for (Operation &op : body->without_terminator()) {
    if (usesResultOf(&op, last))
      return std::nullopt;
    auto mma = dyn_cast<MmaOp>(op);
    // An MMA by mma.sync has finished when the next op runs.
    if (mma && mma.getMmaSync())
      return std::nullopt;
    if (mma && derived.contains(mma.getA().getDefiningOp()))
      last.insert(&op);
    else if (mma || usesResultOf(&op, derived))
      derived.insert(&op);
    // The barrier of a load moves with it.
    if (!isa<MmaOp, LoadOp>(op) && hasEffect<MemoryEffects::Write>(&op))
      return std::nullopt;
  }
  if (last.empty())
    return std::nullopt;
  // Ops that only the last MMAs need run with them.
  for (Operation &op : llvm::reverse(body->without_terminator()))
    if (!last.contains(&op) && !derived.contains(&op) &&
        isUsedByOnly(&op, last))
      last.insert(&op);

  Rotation rotation;
  for (Operation &op : body->without_terminator()) {
    if (last.contains(&op)) {
      rotation.last.push_back(&op);
      continue;
    }
    bool isFirst = !derived.contains(&op) ||
                   (isa<MmaOp>(op) && !usesResultOf(&op, derived));
    (isFirst ? rotation.first : rotation.between).push_back(&op);
    // A stage of shared memory is not carried between iterations.
    if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<SharedType>) &&
        !llvm::none_of(op.getUsers(),
                       [&](Operation *user) { return last.contains(user); }))
      return std::nullopt;
  }
  // Upstream's pipeliner carries only values that the loop itself computes.
  if (!llvm::all_of(body->getTerminator()->getOperands(), [&](Value value) {
        return value.getDefiningOp() &&
               value.getDefiningOp()->getBlock() == body;
      }))
    return std::nullopt;
  return rotation;
}

/// Puts a loop under a branch that is taken if it has an iteration.
static void guard(RewriterBase &rewriter, scf::ForOp loop) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value hasTurn =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  auto branch = scf::IfOp::create(rewriter, loc, loop.getResultTypes(), hasTurn,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  rewriter.replaceAllUsesWith(loop.getResults(), branch.getResults());
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  auto yield = scf::YieldOp::create(rewriter, loc, loop.getResults());
  rewriter.moveOpBefore(loop, yield);
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(rewriter, loc, loop.getInitArgs());
}

static LogicalResult rotate(RewriterBase &rewriter, scf::ForOp loop,
                            const Rotation &rotation) {
  guard(rewriter, loop);
  scf::PipeliningOption options;
  options.getScheduleFn =
      [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &schedule) {
        for (Operation *op : rotation.first)
          schedule.emplace_back(op, 0);
        for (Operation *op : rotation.last)
          schedule.emplace_back(op, 1);
        for (Operation *op : rotation.between)
          schedule.emplace_back(op, 0);
      };
  // Under the guard, the peeled iterations always run.
  options.supportDynamicLoops = true;
  llvm::SetVector<Value> predicates;
  options.predicateFn = [&](RewriterBase &, Operation *op, Value predicate) {
    predicates.insert(predicate);
    return op;
  };
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  NamedAttrList attributes(loop->getDiscardableAttrDictionary());
  FailureOr<scf::ForOp> rotated = scf::pipelineForLoop(rewriter, loop, options);
  if (failed(rotated))
    return emitError(loc) << "expected a loop that upstream's pipeliner takes";
  rotated->getOperation()->setDiscardableAttrs(attributes);
  for (Value predicate : predicates) {
    // Not left to folding: a select between an MMA's result and its accumulator
    // would use the accumulator while the MMA runs.
    for (Operation *user : llvm::make_early_inc_range(predicate.getUsers()))
      if (auto select = dyn_cast<arith::SelectOp>(user))
        rewriter.replaceOp(select, select.getTrueValue());
    rewriter.setInsertionPointAfterValue(predicate);
    Value isTrue =
        arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
    rewriter.replaceAllUsesWith(predicate, isTrue);
  }
  return success();
}

namespace {
struct OverlapPass : public wgtile::impl::WGTileOverlapBase<OverlapPass> {
  using WGTileOverlapBase::WGTileOverlapBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(kBlockLoopAttrName))
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      std::optional<Rotation> rotation = findRotation(loop);
      if (!rotation)
        continue;
      if (failed(rotate(rewriter, loop, *rotation)))
        return signalPassFailure();
      ++numRotated;
    }
  }
};
} // namespace
