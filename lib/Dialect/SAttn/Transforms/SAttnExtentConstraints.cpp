//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the ops of sattn require of their operands' extents. The constraint
// numbers are those of the ops' descriptions.

#include "sattn/Dialect/SAttn/IR/ExtentConstraints.h"
#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Dialect/SAttn/Transforms/ExtentConstraintOpInterfaceImpl.h"

using namespace mlir;
using namespace sattn;

/// Panels of block rows, and the steps of the stored blocks.
static void constrainPlan(ExtentConstraints &constraints, Value crow, Value col,
                          Value panels, Value steps) {
  auto groups = cast<ShapedType>(panels.getType()).getShape().back() - 2;
  constraints.requireEqual(
      constraints.getExtent(panels, -2),
      (constraints.getExtent(crow, -1) - 1).ceilDiv(groups));
  constraints.requireEqual(constraints.getExtent(steps, -2),
                           constraints.getExtent(col, -1));
}

namespace {
struct BsrAddmmModel
    : ExtentConstraintOpInterface::ExternalModel<BsrAddmmModel, BsrAddmmOp> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    auto addmm = cast<BsrAddmmOp>(op);
    if (addmm.isEncoded())
      return;
    auto extent = [&](Value tensor, int64_t dimension) {
      return constraints.getExtent(tensor, dimension);
    };
    AffineExpr m = extent(addmm.getOut(), -2), n = extent(addmm.getOut(), -1);
    constraints.requireEqual(m, // (C7)
                             (extent(addmm.getCrow(), -1) - 1) *
                                 addmm.getBlockRows());
    constraints.requireEqual(extent(addmm.getB(), -1), n); // (C8)
    if (addmm.getInput()) {
      constraints.requireEqual(extent(addmm.getInput(), -2), m);
      constraints.requireEqual(extent(addmm.getInput(), -1), n);
    }
    if (addmm.getLeft())
      constraints.requireEqual(extent(addmm.getLeft(), -1), m);
    if (addmm.getRight())
      constraints.requireEqual(extent(addmm.getRight(), -1), n);
    constraints.requireEqual(extent(addmm.getB(), -2) %
                                 addmm.getBlockColumns(), // (C9)
                             constraints.getConstant(0));
    constraints.requireEqual(extent(addmm.getCol(), -1), // (C10)
                             extent(addmm.getValues(), -3));
    std::pair<Value, int64_t> operands[] = {
        {addmm.getCrow(), 1}, {addmm.getCol(), 1},   {addmm.getValues(), 3},
        {addmm.getB(), 2},    {addmm.getInput(), 2}, {addmm.getLeft(), 1},
        {addmm.getRight(), 1}};
    for (auto [operand, baseRank] : operands) { // (C11)
      if (!operand)
        continue;
      int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
      for (int64_t i = 1; i <= rank - baseRank; ++i)
        constraints.requireEqual(extent(operand, -baseRank - i),
                                 extent(addmm.getOut(), -2 - i),
                                 constraints.getConstant(1));
    }
    if (addmm.getPanels()) // (C14)
      constrainPlan(constraints, addmm.getCrow(), addmm.getCol(),
                    addmm.getPanels(), addmm.getSteps());
  }
};

struct PlanModel
    : ExtentConstraintOpInterface::ExternalModel<PlanModel, PlanOp> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    auto plan = cast<PlanOp>(op);
    constraints.requireAtLeast(
        constraints.getExtent(plan.getCrow(), -1), // (C4)
        constraints.getConstant(1));
    constrainPlan(constraints, plan.getCrow(), plan.getCol(), plan.getPanels(),
                  plan.getSteps());
    int64_t batchRank =
        cast<ShapedType>(plan.getCrow().getType()).getRank() - 1;
    for (Value operand : {plan.getCol(), plan.getPanels(), plan.getSteps()})
      for (int64_t i = 0; i < batchRank; ++i) // (C1)
        constraints.requireEqual(constraints.getExtent(operand, i),
                                 constraints.getExtent(plan.getCrow(), i));
  }
};
} // namespace

void sattn::registerSAttnExtentConstraints(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SAttnDialect *) {
    BsrAddmmOp::attachInterface<BsrAddmmModel>(*context);
    PlanOp::attachInterface<PlanModel>(*context);
  });
}
