//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/GroupDependence.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace wgtile;

GroupDependence::GroupDependence(ForEachTileOp loop) : loop(loop) {
  std::optional<int64_t> dim = loop.getGroupedDim();
  if (!dim)
    return;
  values.insert(loop.getBody().getArgument(*dim));
  visit(loop.getBody().front(), /*inDependentBranch=*/false);
}

/// Whether an affine.apply of the grouped index is the same for all tiles of a
/// group.
bool GroupDependence::isQuotient(Operation *op) {
  auto apply = dyn_cast<affine::AffineApplyOp>(op);
  if (!apply)
    return false;
  Value index = loop.getBody().getArgument(*loop.getGroupedDim());
  AffineMap map = apply.getAffineMap();
  MLIRContext *context = op->getContext();
  // The map with q * G + g in the index's place.
  auto substitute = [&](int64_t g) {
    SmallVector<AffineExpr> dims, symbols;
    for (auto [position, operand] : llvm::enumerate(apply.getOperands())) {
      bool isDim = position < map.getNumDims();
      AffineExpr expr =
          isDim ? getAffineDimExpr(position, context)
                : getAffineSymbolExpr(position - map.getNumDims(), context);
      if (operand == index)
        expr = expr * loop.getGroupSize() + g;
      (isDim ? dims : symbols).push_back(expr);
    }
    AffineExpr expr = map.getResult(0).replaceDimsAndSymbols(dims, symbols);
    return simplifyAffineExpr(expr, map.getNumDims(), map.getNumSymbols());
  };
  if (llvm::any_of(apply.getOperands(), [&](Value operand) {
        return operand != index && values.contains(operand);
      }))
    return false;
  AffineExpr first = substitute(0);
  for (int64_t g = 1; g < loop.getGroupSize(); ++g)
    if (substitute(g) != first)
      return false;
  return true;
}

void GroupDependence::visitLoop(scf::ForOp forOp, bool inDependentBranch) {
  bool depends = inDependentBranch || values.contains(forOp.getLowerBound()) ||
                 values.contains(forOp.getUpperBound()) ||
                 values.contains(forOp.getStep());
  if (depends) {
    operations.insert(forOp);
    values.insert(forOp.getInductionVar());
  }
  // A carried value depends on the tile if what it begins with does, or what
  // any iteration gives; that one does can make others depend, so that the body
  // is visited again.
  bool hasChanged;
  do {
    hasChanged = false;
    for (auto [init, argument, yielded, result] :
         llvm::zip_equal(forOp.getInitArgs(), forOp.getRegionIterArgs(),
                         forOp.getYieldedValues(), forOp.getResults()))
      if (depends || values.contains(init) || values.contains(yielded)) {
        hasChanged |= values.insert(argument).second;
        values.insert(result);
      }
    visit(*forOp.getBody(), depends);
    for (auto [argument, yielded] :
         llvm::zip_equal(forOp.getRegionIterArgs(), forOp.getYieldedValues()))
      hasChanged |= values.contains(yielded) && !values.contains(argument);
  } while (hasChanged);
}

void GroupDependence::visit(Block &block, bool inDependentBranch) {
  for (Operation &op : block) {
    if (auto forOp = dyn_cast<scf::ForOp>(op)) {
      visitLoop(forOp, inDependentBranch);
      continue;
    }
    bool depends =
        inDependentBranch || (llvm::any_of(op.getOperands(),
                                           [&](Value operand) {
                                             return values.contains(operand);
                                           }) &&
                              !isQuotient(&op));
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        visit(nested, depends);
    // The results of a branch depend on its regions.
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        if (nested.mightHaveTerminator())
          depends |= llvm::any_of(
              nested.getTerminator()->getOperands(),
              [&](Value operand) { return values.contains(operand); });
    if (!depends)
      continue;
    operations.insert(&op);
    values.insert_range(op.getResults());
  }
}

arith::SelectOp GroupDependence::findChoice(Operation *op) const {
  for (Operation *parent = op->getParentOp(); parent != loop;
       parent = parent->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (branch ? values.contains(branch.getCondition())
               : operations.contains(parent))
      return {};
  }
  arith::SelectOp choice;
  SmallVector<Value> worklist(op->getOperands());
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!values.contains(value))
      continue;
    Operation *producer = value.getDefiningOp();
    auto select = dyn_cast_or_null<arith::SelectOp>(producer);
    if (select && select.getType().isIntOrIndex() &&
        !values.contains(select.getTrueValue()) &&
        !values.contains(select.getFalseValue())) {
      if (choice && choice != select)
        return {};
      choice = select;
      continue;
    }
    if (!producer || producer->getNumRegions() != 0 ||
        !isMemoryEffectFree(producer))
      return {};
    llvm::append_range(worklist, producer->getOperands());
  }
  return choice;
}
