//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Analysis/VerifyCopies.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace wgtile;
using Kind = SyncEffect::Kind;

void CooperativeStages::collect(Operation *op, const SyncState &before,
                                const ValueNumbers &numbers) {
  auto sync = dyn_cast<SyncOpInterface>(op);
  if (!sync || !isCooperative(op))
    return;
  SmallVector<SyncEffect> effects;
  sync.getSyncEffects(effects);
  for (const SyncEffect &effect : effects) {
    if (effect.kind != Kind::CommitStage && effect.kind != Kind::Take)
      continue;
    const SyncState::RingState &ring = before.ringOf(effect.value, numbers);
    if (effect.kind == Kind::Take) {
      if (!ring.committed.empty())
        takes[op].insert(ring.committed.front().begin(),
                         ring.committed.front().end());
      continue;
    }
    if (cast<RingType>(effect.value.getType()).isStaging())
      continue;
    Commit &commit = commits[op];
    commit.isFilled |= !ring.copied.empty();
    commit.isAlwaysFilled &= !ring.copied.empty();
    commit.ahead.insert(ring.committed.size());
  }
}

/// A number as a value, or none, and a constant that is added to it.
static std::pair<Value, int64_t> split(Value number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return {Value(), *constant};
  if (auto sum = number.getDefiningOp<arith::AddIOp>())
    for (auto [base, added] : {std::pair(sum.getLhs(), sum.getRhs()),
                               std::pair(sum.getRhs(), sum.getLhs())})
      if (std::optional<int64_t> constant = getConstantIntValue(added)) {
        auto [inner, more] = split(base);
        return {inner, more + *constant};
      }
  return {number, 0};
}

/// The condition under which alone the stage of a commit is filled; null if
/// there are several, or another kind of branch.
static Value findCondition(ProducerCommitOp commit) {
  Value condition;
  for (Operation *user : commit.getToken().getUsers()) {
    if (user == commit)
      continue;
    auto branch = dyn_cast<scf::IfOp>(user->getParentOp());
    if (!branch || branch->getBlock() != commit->getBlock() ||
        user->getBlock() != branch.thenBlock() ||
        (condition && condition != branch.getCondition()))
      return {};
    condition = branch.getCondition();
  }
  return condition;
}

/// Whether a stage that is taken is that of a commit. Stages are taken in the
/// order of their commits, one in each iteration of the loop: the iteration
/// that takes a stage is known by how many were committed before it and not yet
/// taken.
bool CooperativeStages::isMatched(Operation *take, Operation *commit,
                                  const Commit &stage) const {
  auto loop = dyn_cast<scf::ForOp>(take->getParentOp());
  auto end = dyn_cast<ProducerCommitOp>(commit);
  auto begin = dyn_cast<ConsumerWaitOp>(take);
  if (!loop || !end || !begin || loop.getUnsignedCmp())
    return false;
  Value condition = findCondition(end);
  auto compare =
      condition ? condition.getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt ||
      compare.getRhs() != loop.getUpperBound() || !step)
    return false;
  // No other take of the ring in the loop.
  for (Operation *user : begin.getRing().getUsers())
    if (user != take && isa<ConsumerWaitOp>(user) &&
        loop->isProperAncestor(user))
      return false;
  bool isInside = end->getBlock() == loop.getBody();
  if (!isInside &&
      (end->getBlock() != loop->getBlock() || !end->isBeforeInBlock(loop)))
    return false;
  auto [first, offset] =
      split(isInside ? loop.getInductionVar() : loop.getLowerBound());
  if (isInside && begin->isBeforeInBlock(end))
    offset += *step;
  auto [base, added] = split(compare.getLhs());
  return base == first && llvm::all_of(stage.ahead, [&](int64_t ahead) {
           return added == offset + ahead * *step;
         });
}

LogicalResult CooperativeStages::verify() const {
  for (const auto &[take, all] : takes)
    for (Operation *commit : all) {
      auto stage = commits.find(commit);
      bool isFilled = stage != commits.end() && stage->second.isFilled;
      if (isFilled && (stage->second.isAlwaysFilled ||
                       isMatched(take, commit, stage->second)))
        continue;
      InFlightDiagnostic error =
          isFilled ? take->emitOpError(
                         "expected copies into the stage that is taken, always "
                         "or if the loop has the iteration that takes it")
                   : take->emitOpError(
                         "expected copies into the stage that is taken");
      error.attachNote(commit->getLoc())
          << (isFilled ? "where it is committed after copies under another "
                         "condition"
                       : "where it is committed without any");
      return failure();
    }
  return success();
}
