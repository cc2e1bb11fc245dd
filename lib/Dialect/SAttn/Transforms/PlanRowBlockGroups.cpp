//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/SAttnPlanOp.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNPLANROWBLOCKGROUPS
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// Adds the plan of a matrix's row-block groups, of `groups` block rows each.
static void addPlan(StorageOpInterface op, unsigned index,
                    const SparseOperand &operand, int64_t groups) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type i32 = b.getI32Type();
  AffineExpr s0 = b.getAffineSymbolExpr(0);
  auto apply = [&](AffineExpr expr, OpFoldResult operand) {
    return affine::makeComposedFoldedAffineApply(b, loc, expr, {operand});
  };
  SmallVector<OpFoldResult> groupSizes =
      tensor::getMixedSizes(b, loc, operand.crow);
  groupSizes.back() = apply((s0 - 1).ceilDiv(groups), groupSizes.back());
  groupSizes.push_back(b.getIndexAttr(2 + groups));
  SmallVector<OpFoldResult> stepSizes =
      tensor::getMixedSizes(b, loc, operand.col);
  stepSizes.push_back(b.getIndexAttr(1 + groups));
  Value rowBlockGroups = tensor::EmptyOp::create(b, loc, groupSizes, i32);
  Value steps = tensor::EmptyOp::create(b, loc, stepSizes, i32);
  auto [tensor, dimension] = operand.columns;
  if (dimension < 0)
    dimension += cast<RankedTensorType>(tensor.getType()).getRank();
  OpFoldResult depth = tensor::getMixedSize(b, loc, tensor, dimension);
  Value columns = getValueOrCreateConstantIndexOp(
      b, loc, apply(s0.floorDiv(operand.blockColumns), depth));
  auto plan =
      PlanOp::create(b, loc, {rowBlockGroups.getType(), steps.getType()},
                     b.getI64IntegerAttr(groups), columns, operand.crow,
                     operand.col, rowBlockGroups, steps);
  op.setPlan(index, plan->getResult(0), plan->getResult(1));
}

namespace {
struct PlanRowBlockGroupsPass
    : public sattn::impl::SAttnPlanRowBlockGroupsBase<PlanRowBlockGroupsPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](StorageOpInterface op) {
      for (auto [i, operand] : llvm::enumerate(op.getSparseOperands())) {
        int64_t groups = op.getPlanGroups(i);
        if (groups <= 1)
          continue;
        if (groups > PlanOp::kMaxGroups) {
          op->emitOpError() << "expected at most " << PlanOp::kMaxGroups
                            << " block rows a tile, but got " << groups;
          return WalkResult::interrupt();
        }
        addPlan(op, i, operand, groups);
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([](TileProgramOpInterface op) {
      OpBuilder b(op);
      op.planTiles(b);
    });
  }
};
} // namespace
