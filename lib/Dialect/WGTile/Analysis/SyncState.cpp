//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// The effects of an op, and of the control flow after it, on a state.

#include "SyncStateDetail.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace wgtile;
using namespace wgtile::detail;
using Kind = SyncEffect::Kind;

//===----------------------------------------------------------------------===//
// The order of warpgroups
//===----------------------------------------------------------------------===//

/// Applies an effect to the order. Every warpgroup runs the same program: if
/// waits and arrivals alternate, each wait is for the arrival of the previous
/// warpgroup.
LogicalResult SyncState::applyToOrder(const SyncEffect &effect, Operation *op,
                                      SyncListener listener) {
  bool isEntry = effect.kind == Kind::EnterOrder;
  Order expected = effect.kind == Kind::InitOrder ? Order::None
                   : isEntry                      ? Order::Outside
                                                  : Order::Inside;
  Kind missing = order == Order::None     ? Kind::InitOrder
                 : order == Order::Inside ? Kind::LeaveOrder
                                          : Kind::EnterOrder;
  if (order != expected &&
      !listener(op, missing,
                "expected an order of warpgroups that is initialized once, and "
                "then waited for and passed on in turn"))
    return failure();
  order = isEntry ? Order::Inside : Order::Outside;
  return success();
}

//===----------------------------------------------------------------------===//
// Ops and branches
//===----------------------------------------------------------------------===//

SyncState::Counters SyncState::getCounters() const {
  Counters counters;
  // Rings that were never used, or are as at the start, count nothing.
  for (const auto &[number, ring] : rings) {
    if (ring.held.empty() && !ring.acquired && !ring.lender &&
        ring.countUsed() == 0)
      continue;
    counters.insert(counters.end(), {number, ring.acquired});
    counters.push_back(ring.lender ? static_cast<int64_t>(*ring.lender) : -1);
    for (const auto &[age, takes] : ring.held)
      counters.push_back(age);
    counters.push_back(-1);
    if (!ring.isCooperative)
      continue;
    counters.push_back(ring.committed.size());
    llvm::append_range(counters, ring.released);
    counters.push_back(-1);
    // The end of a loop may leave a stage empty, but not a part of it.
    for (auto [tile, instance] : ring.copied)
      counters.push_back(tile);
    counters.push_back(-1);
  }
  counters.push_back(-1);
  for (const auto &[value, stage] : tokens)
    counters.insert(counters.end(), {value, stage.base, stage.stage});
  counters.push_back(-1);
  for (const auto &[region, stages] : unusedTokens)
    for (Place stage : stages)
      counters.insert(counters.end(), {region, stage.base, stage.stage});
  counters.push_back(-1);
  counters.push_back(work[static_cast<size_t>(AsyncKind::Copy)].groups.size());
  counters.push_back(static_cast<int64_t>(order));
  return counters;
}

bool SyncState::join(const SyncState &other) {
  bool changed = false;
  for (auto [mine, theirs] : llvm::zip_equal(work, other.work)) {
    if (mine.groups.size() < theirs.groups.size()) {
      mine.groups.insert(mine.groups.begin(),
                         theirs.groups.size() - mine.groups.size(), Group());
      changed = true;
    }
    for (auto [group, same] :
         llvm::zip(llvm::reverse(mine.groups), llvm::reverse(theirs.groups)))
      changed |= group.add(same);
    changed |= mine.open.add(theirs.open);
  }
  for (auto &[number, ring] : rings)
    if (!other.rings.count(number))
      changed |= ring.join(RingState());
  for (const auto &[number, theirs] : other.rings) {
    auto [it, isNew] = rings.try_emplace(number);
    RingState &mine = it->second;
    // The counters agree.
    mine.acquired = theirs.acquired;
    mine.lender = theirs.lender;
    mine.isCooperative |= theirs.isCooperative;
    changed |= mine.join(theirs) || isNew;
  }
  for (const auto &[name, place] : other.names) {
    auto [it, isNew] = names.try_emplace(name, place);
    if (!isNew && !(it->second == place) &&
        it->second.stage != Place::kUnknown) {
      it->second.stage = Place::kUnknown;
      changed = true;
    }
    changed |= isNew;
  }
  // The counters have the tokens.
  tokens = other.tokens;
  unusedTokens = other.unusedTokens;
  changed |= insertAll(pending, other.pending);
  changed |= insertAll(kept, other.kept);
  for (const auto &[place, theirs] : other.tiles) {
    TileState &tile = tiles[place];
    TileState before = tile;
    tile.unfencedWrite |= theirs.unfencedWrite;
    tile.unfencedRead |= theirs.unfencedRead;
    tile.written |= theirs.written;
    tile.read |= theirs.read;
    tile.updated |= theirs.updated;
    tile.stored |= theirs.stored;
    tile.scope = std::max(tile.scope, theirs.scope);
    insertAll(tile.meetings, theirs.meetings);
    insertAll(tile.cleared, theirs.cleared);
    changed |= before.key() != tile.key();
  }
  return changed;
}

LogicalResult SyncState::checkOperands(Operation *op,
                                       ArrayRef<SyncEffect> effects,
                                       const ValueNumbers &numbers,
                                       SyncListener listener) const {
  if (pending.empty() && kept.empty())
    return success();
  // A value that a branch forwards is used at its destination.
  bool isBranch =
      isa<RegionBranchOpInterface, RegionBranchTerminatorOpInterface>(op);
  for (Value operand : op->getOperands()) {
    bool isTaken = llvm::any_of(effects, [&](const SyncEffect &effect) {
      return (effect.kind == Kind::Forward || effect.kind == Kind::Keep) &&
             effect.value == operand;
    });
    if (isTaken)
      continue;
    unsigned number = numbers.of(operand);
    if (!isBranch && pending.count(number) &&
        !listener(op, Kind::Wait,
                  "expected a wait for the asynchronous product before this "
                  "use of its result"))
      return failure();
    if (kept.count(number) &&
        !listener(op, Kind::Wait,
                  "expected a wait for the asynchronous product that reads the "
                  "registers of this operand before this use"))
      return failure();
  }
  if (!op->hasTrait<OpTrait::IsTerminator>())
    return success();
  auto [first, last] = numbers.inside(op->getParentOp());
  auto it = kept.lower_bound(first);
  return success(it == kept.end() || *it >= last ||
                 listener(op, Kind::Wait,
                          "expected a wait for the asynchronous product that "
                          "reads the registers of a tile before the end of the "
                          "tile's block"));
}

LogicalResult SyncState::apply(Operation *op, ArrayRef<SyncEffect> effects,
                               const ValueNumbers &numbers,
                               SyncListener listener) {
  if (failed(checkOperands(op, effects, numbers, listener)))
    return failure();
  if (llvm::any_of(effects, [](const SyncEffect &effect) {
        return effect.kind == Kind::Barrier;
      }))
    meet(op);
  bool waited = false;
  for (const SyncEffect &effect : effects) {
    switch (effect.kind) {
    case Kind::Access:
      if (failed(access(effect, op, numbers, listener)))
        return failure();
      break;
    case Kind::Clear:
      if (failed(clear(effect, op, numbers, listener)))
        return failure();
      break;
    case Kind::Issue:
      workOf(*effect.async).open.results.insert(numbers.of(effect.result));
      pending.insert(numbers.of(effect.result));
      break;
    case Kind::Keep:
      workOf(*effect.async).open.results.insert(numbers.of(effect.value));
      kept.insert(numbers.of(effect.value));
      break;
    case Kind::Commit:
      commit(*effect.async);
      break;
    case Kind::Wait:
      if (effect.token && isNoStage(effect.token, numbers))
        break;
      wait(*effect.async,
           effect.value ? groupsAfter(numbers.of(effect.value), *effect.async)
                              .value_or(kMaxGroups)
                        : effect.count);
      waited = true;
      break;
    case Kind::Forward: {
      unsigned from = numbers.of(effect.value), to = numbers.of(effect.result);
      if (kept.erase(from)) {
        // From here on its registers may be those of another value.
        if (groupsAfter(from, AsyncKind::Product) &&
            !listener(op, Kind::Wait,
                      "expected a wait for the asynchronous product that reads "
                      "the registers of the tile that is passed on"))
          return failure();
        break;
      }
      bool isPending = false;
      for (Work &all : work)
        for (Group &group : all.groups)
          if (group.results.count(from)) {
            group.results.insert(to);
            isPending = true;
          }
      if (isPending || (!waited && pending.count(from)))
        pending.insert(to);
      break;
    }
    case Kind::Fence:
      fence();
      break;
    case Kind::Barrier:
      barrier(effect.scope);
      break;
    case Kind::InitOrder:
    case Kind::EnterOrder:
    case Kind::LeaveOrder:
      if (failed(applyToOrder(effect, op, listener)))
        return failure();
      break;
    default:
      if (failed(applyToStage(effect, op, numbers, listener)))
        return failure();
    }
  }
  return success();
}

void SyncState::forget(unsigned first, unsigned last) {
  auto erase = [&](std::set<unsigned> &numbers) {
    numbers.erase(numbers.lower_bound(first), numbers.lower_bound(last));
  };
  erase(pending);
  erase(kept);
  for (auto *bindings : {&names, &tokens})
    bindings->erase(bindings->lower_bound(first), bindings->lower_bound(last));
  unusedTokens.erase(unusedTokens.lower_bound(first),
                     unusedTokens.lower_bound(last));
  for (Work &all : work) {
    for (Group &group : all.groups)
      erase(group.results);
    erase(all.open.results);
  }
}

bool SyncState::forgetDead(ArrayRef<unsigned> dead, Operation *parent,
                           const ValueNumbers &numbers) {
  bool changed = false;
  for (unsigned number : dead) {
    names.erase(number);
    if (pending.erase(number))
      for (Work &all : work) {
        for (Group &group : all.groups)
          group.results.erase(number);
        all.open.results.erase(number);
      }
    auto it = tokens.find(number);
    if (it == tokens.end())
      continue;
    Place stage = it->second;
    if (stage.stage != Place::kNoStage && stage.stage != Place::kReleased)
      unusedTokens[numbers.inside(parent).first].insert(stage);
    tokens.erase(it);
    changed = true;
  }
  return changed;
}

void SyncState::branch(Operation *op, ValueRange operands, ValueRange inputs,
                       const ValueNumbers &numbers) {
  struct Binding {
    unsigned input;
    bool isPending;
    std::optional<Place> place, token;
    SmallVector<std::set<unsigned> *> results;
  };
  SmallVector<Binding> bindings;
  for (auto [operand, input] : llvm::zip(operands, inputs)) {
    unsigned from = numbers.of(operand);
    Binding binding{numbers.of(input), pending.count(from) != 0, {}, {}, {}};
    if (isa<SharedType>(operand.getType()))
      binding.place = placeOf(operand, numbers);
    if (auto it = tokens.find(from); it != tokens.end())
      binding.token = it->second;
    for (Work &all : work)
      for (Group &group : all.groups)
        if (group.results.count(from))
          binding.results.push_back(&group.results);
    bindings.push_back(std::move(binding));
  }
  auto [first, last] = numbers.inside(op);
  forget(first, last);
  for (const Binding &binding : bindings) {
    if (binding.isPending)
      pending.insert(binding.input);
    if (binding.place)
      names[binding.input] = *binding.place;
    if (binding.token)
      tokens[binding.input] = *binding.token;
    for (std::set<unsigned> *results : binding.results)
      results->insert(binding.input);
  }
}

LogicalResult SyncState::finish(Operation *end, const ValueNumbers &numbers,
                                SyncListener listener) const {
  for (const auto &[number, ring] : rings) {
    if (!ring.held.empty() &&
        !listener(end, Kind::Release,
                  "expected every stage that was taken to be given back, but "
                  "the program may end with " +
                      Twine(ring.held.size()) + " held"))
      return failure();
    if (ring.acquired &&
        !listener(end, Kind::CommitStage,
                  "expected every stage that was acquired to be committed, but "
                  "the program may end before"))
      return failure();
  }
  if (order == Order::Inside &&
      !listener(end, Kind::LeaveOrder,
                "expected every turn in the order of warpgroups to be passed "
                "on, but the program may end before"))
    return failure();
  for (size_t i = 0; i < work.size(); ++i)
    for (const Group &group : work[i].groups)
      if ((!group.reads.empty() || !group.writes.empty()) &&
          !listener(end, Kind::Wait,
                    "expected a wait for the " +
                        describe(static_cast<AsyncKind>(i)) +
                        " that uses shared memory before the program ends"))
        return failure();
  return success();
}
