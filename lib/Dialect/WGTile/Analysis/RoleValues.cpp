//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Analysis/RoleValues.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace wgtile;

RoleValues::RoleValues(Operation *kernel) {
  kernel->walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue())
        written.insert(effect.getValue());
  });
}

void RoleValues::reset() {
  matched.clear();
  known.clear();
  index.reset();
}

void RoleValues::match(Value producer, Value consumer) {
  matched.insert({producer, consumer});
}

void RoleValues::matchTile(Value producer, Value consumer, int64_t size,
                           int64_t tile) {
  index = TileIndex{producer, consumer, size, tile};
}

bool RoleValues::matchLoops(scf::ForOp producer, scf::ForOp consumer) {
  if (producer.getUnsignedCmp() != consumer.getUnsignedCmp() ||
      !areEqual(producer.getLowerBound(), consumer.getLowerBound()) ||
      !areEqual(producer.getUpperBound(), consumer.getUpperBound()) ||
      !areEqual(producer.getStep(), consumer.getStep()))
    return false;
  match(producer.getInductionVar(), consumer.getInductionVar());
  // Carried values that begin equal are equal if an iteration in which they are
  // gives equal ones. Pairs for which it does not are left out until none is.
  SmallVector<std::pair<unsigned, unsigned>> pairs;
  for (auto [i, mine] : llvm::enumerate(producer.getInitArgs()))
    for (auto [j, theirs] : llvm::enumerate(consumer.getInitArgs()))
      if (areEqual(mine, theirs))
        pairs.push_back({i, j});
  DenseSet<std::pair<Value, Value>> before = matched;
  size_t count;
  do {
    count = pairs.size();
    matched = before;
    known.clear();
    for (auto [i, j] : pairs)
      match(producer.getRegionIterArg(i), consumer.getRegionIterArg(j));
    llvm::erase_if(pairs, [&](std::pair<unsigned, unsigned> pair) {
      return !areEqual(producer.getYieldedValues()[pair.first],
                       consumer.getYieldedValues()[pair.second]);
    });
  } while (pairs.size() != count);
  for (auto [i, j] : pairs)
    match(producer.getResult(i), consumer.getResult(j));
  return true;
}

bool RoleValues::areEqual(Value producer, Value consumer) {
  if (producer == consumer || matched.contains({producer, consumer}))
    return true;
  auto it = known.find({producer, consumer});
  if (it != known.end())
    return it->second;
  bool equal = compute(producer, consumer);
  known[{producer, consumer}] = equal;
  return equal;
}

static bool isAffine(Value value) {
  return value.getDefiningOp<affine::AffineApplyOp>() != nullptr;
}

bool RoleValues::compute(Value producer, Value consumer) {
  if (producer.getType() != consumer.getType())
    return false;
  if (isAffine(producer) || isAffine(consumer) ||
      (index && consumer == index->consumer))
    return compareAffine(producer, consumer, /*divisor=*/1);
  auto left = dyn_cast<OpResult>(producer);
  auto right = dyn_cast<OpResult>(consumer);
  return left && right && left.getResultNumber() == right.getResultNumber() &&
         compareOps(left.getOwner(), right.getOwner(), left.getResultNumber());
}

bool RoleValues::compareOps(Operation *producer, Operation *consumer,
                            unsigned result) {
  if (auto loop = dyn_cast<scf::ForOp>(producer)) {
    auto other = dyn_cast<scf::ForOp>(consumer);
    DenseSet<std::pair<Value, Value>> before = matched;
    if (other && matchLoops(loop, other) &&
        matched.contains(
            {producer->getResult(result), consumer->getResult(result)}))
      return true;
    // Loops that do not run in step.
    matched = std::move(before);
    known.clear();
    return false;
  }
  if (producer->getName() != consumer->getName() ||
      producer->getAttrDictionary() != consumer->getAttrDictionary() ||
      producer->getNumOperands() != consumer->getNumOperands())
    return false;
  // The result of a branch is the value that the taken region yields.
  if (auto branch = dyn_cast<scf::IfOp>(producer)) {
    auto other = cast<scf::IfOp>(consumer);
    return areEqual(branch.getCondition(), other.getCondition()) &&
           areEqual(branch.thenYield().getOperand(result),
                    other.thenYield().getOperand(result)) &&
           areEqual(branch.elseYield().getOperand(result),
                    other.elseYield().getOperand(result));
  }
  auto load = dyn_cast<memref::LoadOp>(producer);
  if (producer->getNumRegions() != 0 ||
      (load ? written.contains(load.getMemRef())
            : !isMemoryEffectFree(producer)))
    return false;
  return llvm::all_of(
      llvm::zip_equal(producer->getOperands(), consumer->getOperands()),
      [&](auto operands) {
        return areEqual(std::get<0>(operands), std::get<1>(operands));
      });
}

//===----------------------------------------------------------------------===//
// Affine expressions
//===----------------------------------------------------------------------===//

/// The map and operands of an affine.apply, or of any other value by itself,
/// in dimensions alone.
static std::pair<AffineExpr, SmallVector<Value>> decompose(Value value) {
  AffineMap map = AffineMap::getMultiDimIdentityMap(1, value.getContext());
  SmallVector<Value> operands = {value};
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  SmallVector<AffineExpr> dims;
  for (size_t i = 0; i < operands.size(); ++i)
    dims.push_back(getAffineDimExpr(i, value.getContext()));
  ArrayRef<AffineExpr> all = dims;
  return {
      map.getResult(0).replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                             all.drop_front(map.getNumDims())),
      operands};
}

static AffineExpr
express(Value value,
        llvm::function_ref<AffineExpr(Value operand)> expressLeaf) {
  auto [expr, operands] = decompose(value);
  SmallVector<AffineExpr> leaves;
  for (Value operand : operands)
    if (std::optional<int64_t> constant = getConstantIntValue(operand))
      leaves.push_back(getAffineConstantExpr(*constant, value.getContext()));
    else
      leaves.push_back(expressLeaf(operand));
  return expr.replaceDims(leaves);
}

AffineExpr RoleValues::expressProducer(Value value,
                                       SmallVectorImpl<Value> &leaves) {
  return express(value, [&](Value operand) {
    auto *it = llvm::find(leaves, operand);
    AffineExpr dim = getAffineDimExpr(it - leaves.begin(), value.getContext());
    if (it == leaves.end())
      leaves.push_back(operand);
    return dim;
  });
}

AffineExpr RoleValues::expressConsumer(Value value,
                                       SmallVectorImpl<Value> &leaves) {
  return express(value, [&](Value operand) {
    if (index && operand == index->consumer)
      return expressProducer(index->producer, leaves) * index->size +
             index->tile;
    // The numbers of `leaves` are the producer's; a value that it does not
    // have is a number of its own.
    size_t i = 0;
    while (i < leaves.size() && !areEqual(leaves[i], operand))
      ++i;
    if (i == leaves.size())
      leaves.push_back(operand);
    return getAffineDimExpr(i, value.getContext());
  });
}

bool RoleValues::compareAffine(Value producer, Value consumer,
                               int64_t divisor) {
  SmallVector<Value> leaves;
  AffineExpr left = expressProducer(producer, leaves);
  AffineExpr right = expressConsumer(consumer, leaves);
  if (divisor > 1)
    right = right.ceilDiv(divisor);
  unsigned dims = leaves.size();
  return simplifyAffineExpr(left, dims, 0) ==
         simplifyAffineExpr(right, dims, 0);
}

bool RoleValues::isCeilDiv(Value producer, Value consumer, int64_t size) {
  return compareAffine(producer, consumer, size);
}

std::optional<int64_t> RoleValues::getConstant(Value consumer) {
  SmallVector<Value> leaves;
  AffineExpr expr = expressConsumer(consumer, leaves);
  auto constant = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(expr, leaves.size(), /*numSymbols=*/0));
  return constant ? std::optional<int64_t>(constant.getValue()) : std::nullopt;
}
