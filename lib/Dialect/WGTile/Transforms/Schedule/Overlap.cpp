//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/Rotation.h"
#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Dialect/WGTile/Utils/VerifyLayouts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEOVERLAP
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Puts a loop under a branch that is taken if it has an iteration.
static void guard(RewriterBase &rewriter, scf::ForOp loop) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value hasIteration =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  auto branch =
      scf::IfOp::create(rewriter, loc, loop.getResultTypes(), hasIteration,
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

/// Elements of a thread that a loop may carry in 32 bits in the place of 16: 16
/// registers more.
static constexpr int64_t kWidestCarried = 32;

namespace {
struct OverlapPass : public wgtile::impl::WGTileOverlapBase<OverlapPass> {
  using WGTileOverlapBase::WGTileOverlapBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    DenseMap<Operation *, int64_t> lateThreads;
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (Schedule schedule = getSchedule(kernel);
          schedule.overlap.value_or(false)) {
        if (!kernel.getBody().getOps<RolesOp>().empty()) {
          kernel.emitOpError("expected a kernel without roles: wgtile-overlap "
                             "runs before wgtile-specialize");
          return signalPassFailure();
        }
        if (kernel.getKnownBlockSizeAttr() && failed(verifyThreads(kernel)))
          return signalPassFailure();
        kernel.walk([&](scf::ForOp loop) {
          if (!loop->hasAttr(kBlockLoopAttrName))
            return;
          loops.push_back(loop);
          DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
          // With warpgroup ordering, the MMAs of other warpgroups leave time.
          if (late && threads && !schedule.orderWarpgroups.value_or(false))
            lateThreads[loop] = threads[0];
        });
      }
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      std::optional<Rotation> rotation = findRotation(loop);
      if (!rotation)
        continue;
      if (int64_t threads = lateThreads.lookup(loop))
        moveToLast(*rotation, kWidestCarried * threads);
      if (failed(rotate(rewriter, loop, *rotation)))
        return signalPassFailure();
      ++numRotated;
    }
  }
};
} // namespace
