//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SumTaker.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace sattn;

bool sattn::isTransposedMap(AffineMap map) {
  return map == AffineMap::getPermutationMap(ArrayRef<int64_t>{1, 0},
                                             map.getContext());
}

/// Whether `value` is the sum, or its first columns.
static bool isOfSum(Value value, scf::ForOp sum) {
  if (auto clip = value.getDefiningOp<tensor::ExtractSliceOp>();
      clip && clip.hasZeroOffset() && clip.hasUnitStride() &&
      clip.getDroppedDims().none())
    value = clip.getSource();
  return value == sum.getResult(0);
}

/// The destination of an elementwise op, or of a branch between elementwise
/// ops; null for any other op. Appends the elementwise ops to `leaves`.
static Value getDestination(Operation *op,
                            SmallVectorImpl<linalg::LinalgOp> &leaves) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (branch->getNumResults() != 1)
      return {};
    Value destination;
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
      Operation *producer = yield.getOperand(0).getDefiningOp();
      if (!producer || producer->getBlock() != yield->getBlock())
        return {};
      Value other = getDestination(producer, leaves);
      if (!other || (destination && other != destination))
        return {};
      destination = other;
    }
    return destination;
  }
  auto leaf = dyn_cast<linalg::LinalgOp>(op);
  if (!leaf || !linalg::isElementwise(leaf) || leaf.getNumLoops() != 2 ||
      leaf.getNumDpsInits() != 1)
    return {};
  leaves.push_back(leaf);
  OpOperand *init = leaf.getDpsInitOperand(0);
  bool readsElsewhere =
      llvm::any_of(leaf.getDpsInputOperands(), [&](OpOperand *input) {
        return input->get() == init->get();
      });
  return leaf.getMatchingIndexingMap(init).isIdentity() && !readsElsewhere
             ? init->get()
             : Value();
}

SumTaker sattn::findSumTaker(scf::ForOp sum) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : sum->getUses()) {
    Value clip;
    if (isa<tensor::ExtractSliceOp>(use.getOwner()))
      clip = use.getOwner()->getResult(0);
    if (!clip)
      uses.push_back(&use);
    else if (isOfSum(clip, sum))
      for (OpOperand &clipUse : clip.getUses())
        uses.push_back(&clipUse);
    else
      return {};
  }
  if (uses.empty())
    return {};
  SumTaker taker;
  taker.op = sum->getBlock()->findAncestorOpInBlock(*uses.front()->getOwner());
  SmallVector<linalg::LinalgOp> leaves;
  taker.destination = taker.op ? getDestination(taker.op, leaves) : Value();
  // Known where the loops will be.
  if (!taker.destination ||
      taker.op->isAncestor(taker.destination.getParentBlock()->getParentOp()))
    return {};
  for (OpOperand *use : uses) {
    auto user = dyn_cast<linalg::LinalgOp>(use->getOwner());
    if (!user || !llvm::is_contained(leaves, user) || !user.isDpsInput(use))
      return {};
    AffineMap map = user.getMatchingIndexingMap(use);
    bool isTransposed = isTransposedMap(map);
    if ((!isTransposed && !map.isIdentity()) ||
        (use != uses.front() && isTransposed != taker.isTransposed))
      return {};
    taker.isTransposed = isTransposed;
  }
  return taker;
}

FailureOr<Value> sattn::takeTile(RewriterBase &rewriter, Operation *op,
                                 const TakenTile &taken) {
  OpBuilder::InsertionGuard guard(rewriter);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
      FailureOr<Value> value =
          takeTile(rewriter, yield.getOperand(0).getDefiningOp(), taken);
      if (failed(value))
        return failure();
      rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(0, *value); });
    }
    rewriter.modifyOpInPlace(
        branch, [&] { branch->getResult(0).setType(taken.written.getType()); });
    return branch->getResult(0);
  }
  auto whole = cast<linalg::LinalgOp>(op);
  rewriter.setInsertionPoint(op);
  FailureOr<TilingResult> tiled =
      cast<TilingInterface>(op).getTiledImplementation(rewriter, taken.offsets,
                                                       taken.sizes);
  if (failed(tiled))
    return op->emitOpError("could not be tiled to registers");
  auto tile = cast<linalg::LinalgOp>(tiled->tiledOps.front());
  rewriter.modifyOpInPlace(tile, [&] {
    for (OpOperand *input : whole.getDpsInputOperands())
      if (isOfSum(input->get(), taken.sum))
        tile->setOperand(input->getOperandNumber(), taken.tile);
    tile.getDpsInitOperand(0)->set(taken.written);
  });
  if (op->use_empty())
    rewriter.eraseOp(op);
  return tile->getResult(0);
}
