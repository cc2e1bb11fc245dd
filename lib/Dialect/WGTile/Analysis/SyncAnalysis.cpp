//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Analysis/SyncAnalysis.h"

#include "sattn/Dialect/WGTile/Analysis/SharedArrays.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace wgtile;

/// Combinations of held stages before one op above which a kernel is refused.
/// Kernels of these passes have a few dozen.
static constexpr size_t kMaxStates = 4096;

SyncAnalysis::SyncAnalysis(Operation *kernel, Adjust adjust)
    : kernel(kernel), adjust(std::move(adjust)), numbers(kernel) {
  Liveness liveness(kernel);
  for (unsigned number = 0; number < numbers.size(); ++number) {
    Value value = numbers.value(number);
    Block *block = value.getParentBlock();
    if (!isa<TokenType, SharedType, RankedTensorType>(value.getType()))
      continue;
    Operation *first = value.getDefiningOp();
    Operation *last = liveness.getLiveness(block)->getEndOperation(
        value, first ? first : &block->front());
    LastUses &uses = lastUses[last];
    uses.values.push_back(number);
    if (llvm::all_of(value.getUsers(), [&](Operation *user) {
          return user->getBlock() == block;
        }))
      uses.asOperands.push_back(number);
  }
}

LogicalResult SyncAnalysis::run(SyncListener listener, Visitor visitor) {
  this->listener = &listener;
  this->visitor = &visitor;
  for (Region &region : kernel->getRegions()) {
    if (region.empty())
      continue;
    States states;
    join(states, SyncState());
    if (failed(runBlock(region.front(), states)))
      return failure();
    for (const auto &[counters, state] : states)
      if (failed(
              state.finish(region.front().getTerminator(), numbers, listener)))
        break;
  }
  return success();
}

bool SyncAnalysis::join(States &states, SyncState state) {
  auto [it, isNew] = states.try_emplace(state.getCounters());
  if (!isNew)
    return it->second.join(state);
  it->second = std::move(state);
  return true;
}

void SyncAnalysis::forget(States &states, ArrayRef<unsigned> dead,
                          Operation *parent) const {
  bool changed = false;
  for (auto &[counters, state] : states)
    changed |= state.forgetDead(dead, parent, numbers);
  if (!changed)
    return;
  States after;
  for (auto &[counters, state] : states)
    join(after, std::move(state));
  states = std::move(after);
}

LogicalResult SyncAnalysis::runBlock(Block &block, States &states) {
  for (Operation &op : block) {
    if (states.size() > kMaxStates)
      return kernel->emitOpError()
             << "expected at most " << kMaxStates
             << " ring states to verify before an op, but got more";
    for (const auto &[counters, state] : states)
      (*visitor)(&op, state);
    SmallVector<SyncEffect> effects;
    getSyncEffectsOf(&op, effects);
    if (adjust && isa<SyncOpInterface>(op))
      adjust(&op, effects);
    // Most ops have none: the states stay where they are.
    if (effects.empty()) {
      for (auto it = states.begin(); it != states.end();)
        it = succeeded(
                 it->second.checkOperands(&op, effects, numbers, *listener))
                 ? std::next(it)
                 : states.erase(it);
    } else {
      States after;
      for (auto &[counters, state] : states)
        if (succeeded(state.apply(&op, effects, numbers, *listener)))
          join(after, std::move(state));
      states = std::move(after);
    }
    if (op.getNumRegions() != 0 && failed(runRegions(&op, states)))
      return failure();
    // Values that a terminator forwards are read when its block is left.
    auto uses = lastUses.find(&op);
    if (uses != lastUses.end() && !op.hasTrait<OpTrait::IsTerminator>())
      forget(states, uses->second.values, op.getParentOp());
  }
  return success();
}

/// The successors of an op, or of a terminator in it.
static SmallVector<RegionSuccessor> getSuccessors(Operation *op,
                                                  Operation *terminator) {
  SmallVector<RegionSuccessor> successors;
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (branch && !terminator) {
    branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  } else if (branch) {
    branch.getSuccessorRegions(
        cast<RegionBranchTerminatorOpInterface>(terminator), successors);
  } else {
    // Each thread runs one of the roles, once.
    for (Region &region : op->getRegions())
      if (!region.empty() &&
          (!terminator ||
           (!isa<RolesOp>(op) && terminator->getParentRegion() == &region)))
        successors.emplace_back(&region);
    successors.emplace_back(op, op->getResults().take_front(0));
  }
  return successors;
}

static OperandRange getForwarded(Operation *op, Operation *terminator,
                                 const RegionSuccessor &successor) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return op->getOperands().take_front(0);
  if (!terminator)
    return branch.getEntrySuccessorOperands(successor);
  return cast<RegionBranchTerminatorOpInterface>(terminator)
      .getSuccessorOperands(successor);
}

LogicalResult SyncAnalysis::runRegions(Operation *op, States &states) {
  // States at the start of each region; `fresh` are those from which the region
  // was not yet run.
  DenseMap<Region *, States> atStart;
  DenseMap<Region *, std::set<SyncState::Counters>> fresh;
  States done;
  auto uses = lastUses.find(op);
  auto leave = [&](Operation *terminator, const States &from) {
    for (const RegionSuccessor &successor : getSuccessors(op, terminator))
      for (const auto &[counters, state] : from) {
        SyncState next = state;
        next.branch(op, getForwarded(op, terminator, successor),
                    successor.getSuccessorInputs(), numbers);
        if (!terminator && uses != lastUses.end())
          (void)next.forgetDead(uses->second.asOperands, op->getParentOp(),
                                numbers);
        if (failed(next.checkTokens(terminator ? terminator : op, *listener)))
          continue;
        Region *region = successor.getSuccessor();
        if (!region)
          join(done, std::move(next));
        else if (SyncState::Counters key = next.getCounters();
                 join(atStart[region], std::move(next)))
          fresh[region].insert(key);
      }
  };
  leave(/*terminator=*/nullptr, states);
  auto next = [&]() -> Region * {
    for (Region &region : op->getRegions())
      if (!fresh[&region].empty())
        return &region;
    return nullptr;
  };
  while (Region *region = next()) {
    States inside;
    for (const SyncState::Counters &counters : fresh[region])
      inside.emplace(counters, atStart[region].at(counters));
    fresh[region].clear();
    if (failed(runBlock(region->front(), inside)))
      return failure();
    leave(region->front().getTerminator(), inside);
  }
  states = std::move(done);
  return success();
}
