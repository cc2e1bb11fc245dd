//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/Rotation.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"

using namespace mlir;
using namespace wgtile;

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

std::optional<Rotation> wgtile::findRotation(scf::ForOp loop,
                                             StringRef *declined) {
  Block *body = loop.getBody();
  DenseSet<Operation *> derived, last;
  StringRef reason;
  for (Operation &op : body->without_terminator()) {
    if (usesResultOf(&op, last))
      reason = "the last MMA's result is used in its own iteration";
    auto mma = dyn_cast<MmaOpInterface>(op);
    // An MMA by mma.sync has finished when the next op runs.
    if (mma && mma.getMmaSync())
      return std::nullopt;
    if (mma && derived.contains(mma.getA().getDefiningOp()))
      last.insert(&op);
    else if (mma || usesResultOf(&op, derived))
      derived.insert(&op);
    // The barrier of a load moves with it.
    if (!isa<MmaOpInterface, LoadOp>(op) &&
        hasEffect<MemoryEffects::Write>(&op))
      reason = "it writes to memory";
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
                   (isa<MmaOpInterface>(op) && !usesResultOf(&op, derived));
    (isFirst ? rotation.first : rotation.between).push_back(&op);
    // A loaded tile's stage is carried to the next iteration; others are not.
    if (!isa<LoadOp>(op) &&
        llvm::any_of(op.getResultTypes(), llvm::IsaPred<SharedType>) &&
        !llvm::none_of(op.getUsers(),
                       [&](Operation *user) { return last.contains(user); }))
      reason = "the first and the last MMAs share a tile of shared memory";
  }
  // Upstream's pipeliner carries only values that the loop itself computes.
  if (!llvm::all_of(body->getTerminator()->getOperands(), [&](Value value) {
        return value.getDefiningOp() &&
               value.getDefiningOp()->getBlock() == body;
      }))
    reason = "it carries a value that it does not compute";
  if (reason.empty())
    return rotation;
  if (declined)
    *declined = reason;
  return std::nullopt;
}

/// Whether a loop that computes an op an iteration later carries an MMA's
/// result, which would be awaited there, or wider tiles than one that carries
/// the op's results. Values of another iteration, or from outside the loop, are
/// available anyway.
static bool carriesMore(Operation *op, int64_t elements) {
  auto bitsOf = [](Value value) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    return tile ? tile.getNumElements() * tile.getElementTypeBitWidth() : 0;
  };
  int64_t carried = 0, results = 0;
  for (Value operand : op->getOperands()) {
    if (operand.getDefiningOp<MmaOpInterface>())
      return true;
    auto tile = dyn_cast<RankedTensorType>(operand.getType());
    if (operand.getParentBlock() == op->getBlock() && operand.getDefiningOp() &&
        tile && tile.getNumElements() > elements)
      carried += bitsOf(operand);
  }
  for (Value result : op->getResults())
    results += bitsOf(result);
  return carried > results;
}

void wgtile::moveToLast(Rotation &rotation, int64_t elements) {
  DenseSet<Operation *> last(rotation.last.begin(), rotation.last.end());
  SmallVector<Operation *> moved;
  for (Operation *op : llvm::reverse(rotation.between))
    if (op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
        isUsedByOnly(op, last) && !carriesMore(op, elements)) {
      last.insert(op);
      moved.push_back(op);
    }
  llvm::erase_if(rotation.between,
                 [&](Operation *op) { return last.contains(op); });
  // The loads of the last MMAs, which were there already, wait first: after a
  // wait for a stage ptxas does not delay the MMAs that were issued before.
  auto *place = llvm::find_if(rotation.last, llvm::IsaPred<MmaOpInterface>);
  rotation.last.insert(place, moved.rbegin(), moved.rend());
}
