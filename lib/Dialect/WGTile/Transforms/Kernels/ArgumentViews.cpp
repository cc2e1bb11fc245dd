//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentViews.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

/// The memory whose rows a view has in another order, or some of; null if its
/// rows are others, or `op` is no view.
static Value getMemoryOfRows(Operation *op) {
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    bool isAtOrigin = llvm::all_of(view.getMixedOffsets(), isZeroInteger) &&
                      llvm::all_of(view.getMixedStrides(), isOneInteger);
    return isAtOrigin && view.getDroppedDims().none() ? view.getSource()
                                                      : Value();
  }
  auto transpose = dyn_cast<memref::TransposeOp>(op);
  if (!transpose)
    return {};
  AffineMap order = transpose.getPermutation();
  unsigned last = order.getNumDims() - 1;
  return order.getDimPosition(last) == last ? transpose.getIn() : Value();
}

BlockArgument wgtile::getViewedArgument(Value memory) {
  while (memory) {
    if (auto argument = dyn_cast<BlockArgument>(memory))
      return argument;
    memory = getMemoryOfRows(memory.getDefiningOp());
  }
  return {};
}

SmallVector<Operation *> wgtile::getUsersThroughViews(BlockArgument argument) {
  SmallVector<Operation *> users;
  SmallVector<Value> pending = {argument};
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers())
      if (getMemoryOfRows(user))
        pending.push_back(user->getResult(0));
      else
        users.push_back(user);
  return users;
}

void wgtile::updateViews(Value memory) {
  for (Operation *user : llvm::make_early_inc_range(memory.getUsers())) {
    OpBuilder b(user);
    Value view;
    if (auto transpose = dyn_cast<memref::TransposeOp>(user))
      view = memref::TransposeOp::create(b, user->getLoc(), memory,
                                         transpose.getPermutationAttr());
    else if (auto part = dyn_cast<memref::SubViewOp>(user))
      view = memref::SubViewOp::create(
          b, user->getLoc(),
          memref::SubViewOp::inferRankReducedResultType(
              part.getType().getShape(), cast<MemRefType>(memory.getType()),
              part.getMixedOffsets(), part.getMixedSizes(),
              part.getMixedStrides()),
          memory, part.getMixedOffsets(), part.getMixedSizes(),
          part.getMixedStrides());
    else
      continue;
    user->getResult(0).replaceAllUsesWith(view);
    user->erase();
    updateViews(view);
  }
}
