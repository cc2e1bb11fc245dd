//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// The stages of rings: who holds which.

#include "SyncStateDetail.h"

#include "llvm/ADT/SetOperations.h"

using namespace mlir;
using namespace wgtile;
using namespace wgtile::detail;
using Kind = SyncEffect::Kind;

bool SyncState::RingState::join(const RingState &other) {
  size_t before = copied.size();
  llvm::set_intersect(copied, other.copied);
  bool changed = copied.size() != before;
  changed |= insertAll(maybeCopied, other.maybeCopied);
  for (const auto &[age, takes] : other.held)
    changed |= insertAll(held[age], takes);
  if (committed.size() < other.committed.size())
    committed.resize(other.committed.size());
  for (auto [commits, more] : llvm::zip(committed, other.committed))
    changed |= insertAll(commits, more);
  released = other.released;
  return changed;
}

const SyncState::RingState &
SyncState::ringOf(Value ring, const ValueNumbers &numbers) const {
  static const RingState unused;
  auto it = rings.find(numbers.of(ring));
  return it == rings.end() ? unused : it->second;
}

std::set<Operation *> SyncState::takesOf(Value token,
                                         const ValueNumbers &numbers) const {
  auto it = tokens.find(numbers.of(token));
  if (it == tokens.end())
    return {};
  auto ring = rings.find(it->second.base);
  if (ring == rings.end())
    return {};
  auto held = ring->second.held.find(it->second.stage);
  return held == ring->second.held.end() ? std::set<Operation *>()
                                         : held->second;
}

bool SyncState::isNoStage(Value token, const ValueNumbers &numbers) const {
  auto it = tokens.find(numbers.of(token));
  return it != tokens.end() && it->second.stage == Place::kNoStage;
}

/// Checks that a token's stage is one of the effect's ring, and acquired or
/// held.
LogicalResult SyncState::checkToken(const SyncEffect &effect, Operation *op,
                                    bool isAcquired,
                                    const ValueNumbers &numbers,
                                    SyncListener listener) const {
  auto it = tokens.find(numbers.of(effect.token));
  auto refuse = [&](Kind missing, const Twine &message) {
    (void)listener(op, missing, message);
    return failure();
  };
  Kind begin = isAcquired ? Kind::Acquire : Kind::Take;
  if (it == tokens.end() || it->second.stage == Place::kNoStage)
    return refuse(begin, isAcquired
                             ? "expected the token of an acquired stage, "
                               "but got that of wgtile.no_stage"
                             : "expected the token of a held stage, but "
                               "got that of wgtile.no_stage");
  Place place = it->second;
  if (place.stage == Place::kReleased)
    return refuse(begin, isAcquired
                             ? "expected a stage to be acquired before this, "
                               "but it was committed before"
                             : "expected a stage that is held, but it was "
                               "given back before");
  if ((place.stage == Place::kAcquired) != isAcquired)
    return refuse(begin, isAcquired ? "expected the token of a stage that was "
                                      "acquired"
                                    : "expected the token of a stage that was "
                                      "taken");
  if (place.base != numbers.of(effect.value))
    return refuse(begin, "expected a token of a stage of this ring");
  return success();
}

/// Gives the places of stages other numbers; places that were released are
/// forgotten, except by tiles and tokens.
void SyncState::renumber(llvm::function_ref<Place(Place)> change) {
  auto renumberAll = [&](std::set<Place> &places) {
    std::set<Place> result;
    for (Place place : places)
      if (place = change(place); place.stage != Place::kReleased)
        result.insert(place);
    places = std::move(result);
  };
  for (Work &all : work) {
    for (Group &group : all.groups) {
      renumberAll(group.reads);
      renumberAll(group.writes);
    }
    renumberAll(all.open.reads);
    renumberAll(all.open.writes);
  }
  for (auto *bindings : {&names, &tokens})
    for (auto &[value, place] : *bindings)
      place = change(place);
  for (auto &[region, places] : unusedTokens)
    renumberAll(places);
  std::map<Place, TileState> renumbered;
  for (auto &[place, tile] : tiles)
    if (Place next = change(place); next.stage != Place::kReleased)
      renumbered.emplace(next, tile);
  tiles = std::move(renumbered);
}

LogicalResult SyncState::release(Place stage, Operation *op,
                                 SyncListener listener) {
  if (isLent(stage) &&
      !listener(op, Kind::Return,
                "expected the memory of the stage, which another ring has "
                "borrowed, to be returned before it is given back"))
    return failure();
  for (size_t i = 0; i < work.size(); ++i)
    for (const Group &group : work[i].groups)
      if ((group.reads.count(stage) || group.writes.count(stage)) &&
          !listener(op, Kind::Wait,
                    "expected a wait for the " +
                        describe(static_cast<AsyncKind>(i)) +
                        " that reads the stage before it is given back"))
        return failure();
  // Without roles copies by threads fill the stage next, after a barrier. TMA
  // fills that of a role next. A fence must order a thread's reads before that:
  // an mbarrier orders accesses of the generic proxy alone, and TMA writes by
  // the async proxy (PTX ISA, Memory Consistency Model, "Proxies"; CUTLASS's
  // epilogue has a fence before it releases the stage that it read). Reads by
  // wgmma use the async proxy and need none.
  if (auto it = tiles.find(stage); it != tiles.end() && !isCooperative(op)) {
    if (it->second.isUnfenced() &&
        !listener(op, Kind::Fence,
                  "expected a fence between the threads' reads of the stage "
                  "and its release"))
      return failure();
    if ((it->second.read || it->second.written) &&
        !listener(op, Kind::Barrier,
                  "expected the warp's threads to meet between their reads of "
                  "the stage and its release"))
      return failure();
  }
  renumber([&](Place place) {
    return place == stage ? Place{place.base, Place::kReleased} : place;
  });
  RingState &ring = rings[stage.base];
  ring.held.erase(stage.stage);
  if (isCooperative(op))
    ring.released.insert(stage.stage);
  return success();
}

/// Commits a stage of warpgroups, which TMA may still read. Its place is known
/// by the number of commits since, up to the ring's number of stages; its token
/// is not used any more.
void SyncState::commitStaging(unsigned ring) {
  Place acquired{ring, Place::kAcquired};
  for (auto &[value, place] : tokens)
    if (place == acquired)
      place.stage = Place::kReleased;
  renumber([&](Place place) {
    if (place == acquired)
      return Place{ring, 0};
    if (place.base == ring && place.stage >= 0)
      ++place.stage;
    return place;
  });
}

/// The memory of the newest stage that was taken of a ring is lent as long as
/// no other one is taken.
bool SyncState::isLent(Place stage) const {
  return stage.stage == 0 && llvm::any_of(rings, [&](const auto &ring) {
           return ring.second.lender == stage.base;
         });
}

/// Checks that all roles' uses of the stage before are complete: its producer
/// waited for their releases.
LogicalResult SyncState::borrow(const SyncEffect &effect, Operation *op,
                                const ValueNumbers &numbers,
                                SyncListener listener) {
  auto refuse = [&](Kind missing, const Twine &message) {
    (void)listener(op, missing, message);
    return failure();
  };
  SyncEffect use = effect;
  auto made = effect.value.getDefiningOp<RingOp>();
  use.value = made ? made.getLender() : Value();
  if (!use.value)
    return refuse(Kind::Borrow, "expected a ring that lies in another ring");
  if (failed(checkToken(use, op, /*isAcquired=*/false, numbers, listener)))
    return failure();
  Place stage = tokens[numbers.of(effect.token)];
  if (stage.stage != 0)
    return refuse(Kind::Take, "expected the newest stage that was taken");
  if (isLent(stage))
    return refuse(Kind::Return,
                  "expected a stage whose memory no ring has borrowed");
  rings[numbers.of(effect.value)].lender = stage.base;
  return success();
}

/// Checks that TMA has read all stores and all writes are fenced: TMA fills the
/// memory next.
LogicalResult SyncState::giveBack(unsigned number, Operation *op,
                                  SyncListener listener) {
  RingState &ring = rings[number];
  auto refuse = [&](Kind missing, const Twine &message) {
    (void)listener(op, missing, message);
    return failure();
  };
  if (!ring.lender)
    return refuse(Kind::Borrow, "expected a ring that has borrowed memory");
  if (ring.acquired)
    return refuse(Kind::CommitStage,
                  "expected the stage that was acquired to be committed before "
                  "its memory is returned");
  for (const auto &[place, tile] : tiles) {
    if (place.base != number)
      continue;
    if (tile.isUnfenced() &&
        !listener(op, Kind::Fence,
                  "expected a fence between the threads' writes of the ring "
                  "and the return of its memory"))
      return failure();
    if ((tile.read || tile.written) &&
        !listener(op, Kind::Barrier,
                  "expected the warpgroup's threads to meet between their "
                  "writes of the ring and the return of its memory"))
      return failure();
  }
  ring.lender.reset();
  return success();
}

LogicalResult SyncState::applyToStage(const SyncEffect &effect, Operation *op,
                                      const ValueNumbers &numbers,
                                      SyncListener listener) {
  if (effect.kind == Kind::NoStage) {
    tokens[numbers.of(effect.result)] = {0, Place::kNoStage};
    return success();
  }
  unsigned number = numbers.of(effect.value);
  RingState &ring = rings[number];
  auto type = cast<RingType>(effect.value.getType());
  bool cooperates = isCooperative(op, type);
  ring.isCooperative |= cooperates;
  int64_t stages = type.getStages();
  switch (effect.kind) {
  case Kind::MakeRing:
    return makeRing(ring, op, listener);
  case Kind::Borrow:
    return borrow(effect, op, numbers, listener);
  case Kind::Return:
    return giveBack(number, op, listener);
  case Kind::Acquire:
    if (auto made = effect.value.getDefiningOp<RingOp>();
        made && made.getLender() && !ring.lender) {
      (void)listener(op, Kind::Borrow,
                     "expected the ring's memory to be borrowed before a stage "
                     "is acquired");
      return failure();
    }
    for (const auto &[other, state] : rings) {
      // Warpgroups do not wait for each other.
      if (!state.acquired || (other != number && type.isStaging()))
        continue;
      (void)listener(op, Kind::CommitStage,
                     other == number
                         ? "expected the stage that was acquired to be "
                           "committed before the next is acquired"
                         : "expected the stage of another ring that was "
                           "acquired to be committed before this one is "
                           "acquired");
      return failure();
    }
    if (cooperates && ring.countUsed() >= stages &&
        !listener(op, Kind::Barrier,
                  "expected a barrier between the last reads of the stage and "
                  "its next use"))
      return failure();
    // The memory of the stage before the others comes round.
    if (type.isStaging())
      renumber([&](Place place) {
        return place == Place{number, stages - 1}
                   ? Place{number, Place::kAcquired}
                   : place;
      });
    ring.acquired = true;
    ring.copied.clear();
    ring.maybeCopied.clear();
    tokens[numbers.of(effect.result)] = {number, Place::kAcquired};
    return success();
  case Kind::Fill:
    if (failed(checkToken(effect, op, /*isAcquired=*/true, numbers, listener)))
      return failure();
    ring.copied.insert({effect.tile, effect.instance});
    return success(
        ring.maybeCopied.insert({effect.tile, effect.instance}).second ||
        listener(op, Kind::Fill,
                 "expected at most one copy into each tile of a stage"));
  case Kind::CommitStage: {
    if (failed(checkToken(effect, op, /*isAcquired=*/true, numbers, listener)))
      return failure();
    if (type.isStaging())
      commitStaging(number);
    else
      renumber([&](Place place) {
        return place == Place{number, Place::kAcquired}
                   ? Place{number, Place::kReleased}
                   : place;
      });
    ring.acquired = false;
    return cooperates ? commitCooperative(ring, type, op, listener) : success();
  }
  case Kind::Take: {
    if (cooperates && failed(takeCooperative(ring, type, op, listener)))
      return failure();
    if (isLent({number, 0})) {
      (void)listener(op, Kind::Return,
                     "expected the memory of the stage that was taken before, "
                     "which another ring has borrowed, to be returned");
      return failure();
    }
    // The producer acquires stages in order: it fills no other before the one
    // that comes round again.
    if (ring.held.count(stages - 1) && !cooperates) {
      (void)listener(op, Kind::Release,
                     "expected a release before this wait: the stage that it "
                     "is for, of " +
                         Twine(stages) + " of the ring, may still be held");
      return failure();
    }
    renumber([&](Place place) {
      if (place.base == number && place.stage >= 0)
        ++place.stage;
      return place;
    });
    std::map<int64_t, std::set<Operation *>> held;
    for (auto &[age, takes] : ring.held)
      held[age + 1] = std::move(takes);
    held[0] = {op};
    ring.held = std::move(held);
    tokens[numbers.of(effect.result)] = {number, 0};
    return success();
  }
  case Kind::StageTile:
  case Kind::ReadHeld:
    if (failed(checkToken(effect, op, /*isAcquired=*/false, numbers, listener)))
      return failure();
    if (effect.kind == Kind::StageTile)
      names[numbers.of(effect.result)] = tokens[numbers.of(effect.token)];
    return success();
  case Kind::Release:
    if (isNoStage(effect.token, numbers))
      return success();
    if (failed(checkToken(effect, op, /*isAcquired=*/false, numbers, listener)))
      return failure();
    return release(tokens[numbers.of(effect.token)], op, listener);
  default:
    llvm_unreachable("no effect on a ring's stages");
  }
}

LogicalResult SyncState::checkTokens(Operation *op,
                                     SyncListener listener) const {
  auto hasToken = [&](Place stage) {
    return llvm::any_of(
               tokens,
               [&](const auto &token) { return token.second == stage; }) ||
           llvm::any_of(unusedTokens, [&](const auto &unused) {
             return unused.second.count(stage) != 0;
           });
  };
  for (const auto &[number, ring] : rings) {
    for (const auto &[age, takes] : ring.held)
      if (!hasToken({number, age}) &&
          !listener(op, Kind::Release,
                    "expected the stage of a token to be given back, or the "
                    "token to be passed on, before the token is lost"))
        return failure();
    if (ring.acquired && !hasToken({number, Place::kAcquired}) &&
        !listener(op, Kind::CommitStage,
                  "expected the stage of a token to be committed before the "
                  "token is lost"))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Rings of programs without roles
//===----------------------------------------------------------------------===//

int64_t SyncState::RingState::countUsed() const {
  int64_t oldest = -1;
  if (!held.empty())
    oldest = held.rbegin()->first;
  if (!released.empty())
    oldest = std::max(oldest, *released.rbegin());
  return committed.size() + oldest + 1;
}

LogicalResult SyncState::makeRing(RingState &ring, Operation *op,
                                  SyncListener listener) {
  if (!workOf(AsyncKind::Copy).groups.empty() &&
      !listener(op, Kind::Wait,
                "expected a wait for all copies before the stages are used "
                "anew"))
    return failure();
  if (!ring.released.empty() &&
      !listener(op, Kind::Barrier,
                "expected a barrier between the last reads of the stages and "
                "their new use"))
    return failure();
  ring = {};
  ring.isCooperative = true;
  return success();
}

LogicalResult SyncState::commitCooperative(RingState &ring, RingType type,
                                           Operation *op,
                                           SyncListener listener) {
  // A stage past the end of a loop is empty.
  if (!ring.copied.empty() && ring.copied.size() != type.getTiles().size() &&
      !listener(op, Kind::Fill,
                "expected copies into all tiles of a stage, or none, before "
                "its commit"))
    return failure();
  ring.committed.push_back({op});
  if (ring.committed.size() > static_cast<size_t>(kMaxStages))
    ring.committed.erase(ring.committed.begin());
  ring.copied.clear();
  ring.maybeCopied.clear();
  return success();
}

LogicalResult SyncState::takeCooperative(RingState &ring, RingType type,
                                         Operation *op, SyncListener listener) {
  if (ring.committed.empty()) {
    (void)listener(op, Kind::CommitStage,
                   "expected a stage to be committed before this wait");
    return failure();
  }
  if (type.hasSharedTiles() &&
      workOf(AsyncKind::Copy).groups.size() >=
          std::min<size_t>(ring.committed.size(), kMaxGroups) &&
      !listener(op, Kind::Wait,
                "expected a wait for the copies into the stage before its "
                "tiles are used"))
    return failure();
  ring.committed.erase(ring.committed.begin());
  std::set<int64_t> older;
  for (int64_t age : ring.released)
    older.insert(std::min(age + 1, type.getStages()));
  ring.released = std::move(older);
  return success();
}
