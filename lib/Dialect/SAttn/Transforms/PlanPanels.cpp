//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNPLANPANELS
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// Adds the plan of the op's panels, of `groups` block rows each.
static void addPlan(BsrAddmmOp op, int64_t groups) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type i32 = b.getI32Type();
  AffineExpr s0 = b.getAffineSymbolExpr(0);
  auto apply = [&](AffineExpr expr, OpFoldResult operand) {
    return affine::makeComposedFoldedAffineApply(b, loc, expr, {operand});
  };
  SmallVector<OpFoldResult> panelSizes =
      tensor::getMixedSizes(b, loc, op.getCrow());
  panelSizes.back() = apply((s0 - 1).ceilDiv(groups), panelSizes.back());
  panelSizes.push_back(b.getIndexAttr(2 + groups));
  SmallVector<OpFoldResult> stepSizes =
      tensor::getMixedSizes(b, loc, op.getCol());
  stepSizes.push_back(b.getIndexAttr(1 + groups));
  Value panels = tensor::EmptyOp::create(b, loc, panelSizes, i32);
  Value steps = tensor::EmptyOp::create(b, loc, stepSizes, i32);
  OpFoldResult depth = tensor::getMixedSize(b, loc, op.getB(),
                                            op.getB().getType().getRank() - 2);
  Value columns = getValueOrCreateConstantIndexOp(
      b, loc, apply(s0.floorDiv(op.getBlockColumns()), depth));
  auto plan = PlanOp::create(b, loc, {panels.getType(), steps.getType()},
                             b.getI64IntegerAttr(groups), columns, op.getCrow(),
                             op.getCol(), panels, steps);
  op.getPanelsMutable().assign(plan->getResult(0));
  op.getStepsMutable().assign(plan->getResult(1));
}

namespace {
struct PlanPanelsPass
    : public sattn::impl::SAttnPlanPanelsBase<PlanPanelsPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](BsrAddmmOp op) {
      MetaAttr meta = op.getMetaAttr();
      int64_t groups = meta ? meta.getTile()[0] / op.getBlockRows() : 1;
      if (groups <= 1 || op.isEncoded() || op.getSteps() ||
          op.getCol().getType().getRank() != op.getCrow().getType().getRank())
        return WalkResult::advance();
      if (groups > PlanOp::kMaxGroups) {
        op.emitOpError() << "expected at most " << PlanOp::kMaxGroups
                         << " block rows a tile, but got " << groups;
        return WalkResult::interrupt();
      }
      addPlan(op, groups);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
