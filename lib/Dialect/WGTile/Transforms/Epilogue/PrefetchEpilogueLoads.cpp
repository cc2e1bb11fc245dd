//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueLoads.h"

#include "sattn/Layout/SharedTile.h"
#include "sattn/Layout/WgmmaDescriptor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace wgtile;

unsigned EpiloguePrefetching::EquivalentOps::getHashValue(const Operation *op) {
  return OperationEquivalence::computeHash(
      const_cast<Operation *>(op), OperationEquivalence::directHashValue,
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
}

bool EpiloguePrefetching::EquivalentOps::isEqual(const Operation *lhs,
                                                 const Operation *rhs) {
  auto isKey = [](const Operation *op) {
    return op != getEmptyKey() && op != getTombstoneKey();
  };
  return lhs == rhs ||
         (isKey(lhs) && isKey(rhs) &&
          OperationEquivalence::isEquivalentTo(
              const_cast<Operation *>(lhs), const_cast<Operation *>(rhs),
              OperationEquivalence::IgnoreLocations));
}

/// The value computed at the start of the tile's program, or null if it needs
/// more than arithmetic. A value that is computed in several places is computed
/// once there.
Value EpiloguePrefetching::computeEarly(Value value) {
  Operation *loop = program->getParentOp();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == program ||
                   !loop->isAncestor(argument.getOwner()->getParentOp())
               ? value
               : Value();
  Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op))
    return value;
  if (Value known = early.lookup(value))
    return known;
  if (!isPure(op) || op->getNumRegions() != 0 || op->getNumResults() != 1)
    return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(computeEarly(operand));
    if (!operands.back())
      return {};
  }
  Operation *clone = b.clone(*op);
  clone->setOperands(operands);
  auto [known, isNew] = clones.insert(clone);
  if (!isNew)
    clone->erase();
  return early[value] = (*known)->getResult(0);
}

/// The condition under which an op of the tile's program runs, as far as it is
/// known at the start; null: always. Nothing for an op in a loop.
std::optional<Value> EpiloguePrefetching::getCondition(Operation *op) {
  Value condition;
  for (; op->getBlock() != program; op = op->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
    if (!branch)
      return std::nullopt;
    Value term = computeEarly(branch.getCondition());
    if (!term)
      continue;
    Location loc = branch.getLoc();
    if (op->getBlock() != branch.thenBlock()) {
      Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
      term = arith::XOrIOp::create(b, loc, term, yes);
    }
    condition = condition
                    ? arith::AndIOp::create(b, loc, condition, term).getResult()
                    : term;
  }
  return condition;
}

StringRef EpiloguePrefetching::plan(ReadOp read) {
  BlockArgument source = maps.getArgument(read.getSource());
  if (!source ||
      !kernel.getArgAttr(source.getArgNumber(), kTMACompatibleAttrName) ||
      read.getIndices().size() > kMaxTensorMapRank)
    return "TMA cannot take its source";
  if (read.getTransposed() || !hasSwizzledRows(read.getTile().getType()))
    return "it is not of rows of the swizzle";
  Prefetch prefetch{read, {}, Value()};
  for (Value index : read.getIndices()) {
    prefetch.indices.push_back(computeEarly(index));
    if (!prefetch.indices.back())
      return "its place does not follow from arithmetic alone";
  }
  std::optional<Value> condition = getCondition(read);
  if (!condition)
    return "it is read in a loop";
  prefetch.condition = *condition;
  prefetches.push_back(prefetch);
  return "";
}

void EpiloguePrefetching::emit() {
  DenseMap<Value, OpSet> emitted;
  scf::IfOp branch;
  for (const Prefetch &prefetch : prefetches) {
    ReadOp read = prefetch.read;
    Location loc = read.getLoc();
    RankedTensorType tile = read.getTile().getType();
    SmallVector<int64_t> box(prefetch.indices.size() - 2, 1);
    box.push_back(sattn::layout::kWgmmaRows);
    box.push_back(tile.getDimSize(1));
    auto type = TensorMapType::get(read.getContext(), box,
                                   tile.getElementType(), kRowSwizzle);
    Value map = maps.getMap(maps.getArgument(read.getSource()), type, loc);
    auto op = PrefetchOp::create(b, loc, map, prefetch.indices,
                                 b.getI64IntegerAttr(getNumWarpgroups(tile)));
    // Both arms of a branch may read one tile.
    Value condition = prefetch.condition;
    if (emitted[Value()].contains(op) ||
        !emitted[condition].insert(op).second) {
      op.erase();
      continue;
    }
    if (!condition)
      continue;
    if (!branch || branch.getCondition() != condition)
      branch = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
    op->moveBefore(branch.thenBlock()->getTerminator());
  }
}
