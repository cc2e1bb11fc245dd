//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Analysis/SyncState.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetOperations.h"

using namespace mlir;
using namespace wgtile;
using Kind = SyncEffect::Kind;

/// Groups of one kind that are told apart. Older ones count as one, which is
/// exact for waits that leave fewer pending.
static constexpr int64_t kMaxGroups = 16;

//===----------------------------------------------------------------------===//
// ValueNumbers
//===----------------------------------------------------------------------===//

ValueNumbers::ValueNumbers(Operation *root) { visit(root); }

void ValueNumbers::visit(Operation *op) {
  auto add = [&](Value value) {
    numbers.try_emplace(value, values.size());
    values.push_back(value);
  };
  for (Value result : op->getResults())
    add(result);
  unsigned first = values.size();
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (Value argument : block.getArguments())
        add(argument);
      for (Operation &nested : block)
        visit(&nested);
    }
  ranges.try_emplace(op, first, values.size());
}

//===----------------------------------------------------------------------===//
// Asynchronous work
//===----------------------------------------------------------------------===//

static StringRef describe(AsyncKind kind) {
  switch (kind) {
  case AsyncKind::Product:
    return "product";
  case AsyncKind::Copy:
    return "copy";
  case AsyncKind::Store:
    return "store";
  }
  llvm_unreachable("unknown kind of work");
}

template <typename T>
static bool insertAll(std::set<T> &set, const std::set<T> &other) {
  size_t before = set.size();
  set.insert(other.begin(), other.end());
  return set.size() != before;
}

bool SyncState::Group::add(const Group &other) {
  bool changed = insertAll(results, other.results);
  changed |= insertAll(reads, other.reads);
  changed |= insertAll(writes, other.writes);
  return changed;
}

LogicalResult SyncState::commit(AsyncKind kind, Operation *op,
                                const ValueNumbers &numbers,
                                SyncListener listener) {
  if (kind == AsyncKind::Copy)
    for (auto &[number, stages] : copies) {
      auto type = cast<StagesType>(numbers.value(number).getType());
      // A group past the end of a loop is empty.
      if (!stages.filled.empty() &&
          stages.filled.size() != type.getTiles().size() &&
          !listener(op, Kind::FillStage,
                    "expected copies into all tiles of a stage, or none, "
                    "before the group's end"))
        return failure();
      stages.commits.push_back({op});
      stages.filled.clear();
      if (stages.ahead == kMaxGroups)
        stages.commits.erase(stages.commits.begin());
      else
        ++stages.ahead;
    }
  Work &all = workOf(kind);
  all.groups.push_back(std::move(all.open));
  all.open = {};
  if (all.groups.size() > static_cast<size_t>(kMaxGroups)) {
    all.groups[1].add(all.groups[0]);
    all.groups.erase(all.groups.begin());
  }
  return success();
}

void SyncState::wait(AsyncKind kind, int64_t count) {
  std::vector<Group> &groups = workOf(kind).groups;
  while (static_cast<int64_t>(groups.size()) > count) {
    // This thread knows; others do after a barrier.
    for (const Place &place : groups.front().reads)
      if (place.stage == Place::kNoStage)
        tiles[place].read = true;
    for (const Place &place : groups.front().writes)
      tiles[place].written = true;
    groups.erase(groups.begin());
  }
}

std::optional<int64_t> SyncState::groupsAfter(unsigned tile,
                                              AsyncKind kind) const {
  const std::vector<Group> &groups = work[static_cast<size_t>(kind)].groups;
  for (size_t i = groups.size(); i > 0; --i)
    if (groups[i - 1].results.count(tile))
      return groups.size() - i;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Shared tiles
//===----------------------------------------------------------------------===//

Place SyncState::placeOf(Value tile, const ValueNumbers &numbers) const {
  unsigned number = numbers.of(tile);
  auto it = names.find(number);
  return it == names.end() ? Place{number} : it->second;
}

std::set<Place> SyncState::unfencedPlaces() const {
  std::set<Place> places;
  for (const auto &[place, tile] : tiles)
    if (tile.isUnfenced())
      places.insert(place);
  return places;
}

LogicalResult SyncState::access(const SyncEffect &effect, Operation *op,
                                const ValueNumbers &numbers,
                                SyncListener listener) {
  Place place = placeOf(effect.value, numbers);
  if (place.stage == Place::kReleased)
    return success(listener(op, Kind::Take,
                            "expected a tile of a stage that is held, but its "
                            "stage was given back before"));
  if (place.stage == Place::kUnknown)
    return success(listener(op, Kind::Take,
                            "expected a tile of one stage, but its stage is "
                            "another on another path"));
  auto require = [&](bool holds, Kind missing, const Twine &message) {
    return success(holds || listener(op, missing, message));
  };
  auto isIn = [&](const std::set<Place> &places) {
    return places.count(place) != 0;
  };
  for (size_t i = 0; i < work.size(); ++i) {
    auto kind = static_cast<AsyncKind>(i);
    SmallVector<const Group *> groups;
    for (const Group &group : work[i].groups)
      groups.push_back(&group);
    if (effect.async != kind)
      groups.push_back(&work[i].open);
    for (const Group *group : groups) {
      if (failed(require(!isIn(group->writes), Kind::Wait,
                         "expected a wait for the " + describe(kind) +
                             " that writes the tile before this access")))
        return failure();
      if (effect.isWrite &&
          failed(require(!isIn(group->reads), Kind::Wait,
                         "expected a wait for the " + describe(kind) +
                             " that reads the tile before this write")))
        return failure();
    }
  }
  TileState &tile = tiles[place];
  if (effect.proxy == Proxy::Async) {
    if (failed(require(!tile.unfencedWrite, Kind::Fence,
                       "expected a fence between the threads' writes of the "
                       "tile and this asynchronous access")))
      return failure();
    tile.unfencedWrite = false;
    if (effect.isWrite) {
      if (failed(require(!tile.unfencedRead, Kind::Fence,
                         "expected a fence between the threads' reads of the "
                         "tile and this asynchronous write")))
        return failure();
      tile.unfencedRead = false;
    }
  }
  // Threads write parts of a tile side by side.
  bool isNextPart =
      effect.isWrite && effect.proxy == Proxy::Generic && !tile.read;
  if (failed(require(!tile.written || isNextPart, Kind::Barrier,
                     "expected a barrier between the threads' writes of the "
                     "tile and this access")))
    return failure();
  if (effect.isWrite &&
      failed(require(!tile.read, Kind::Barrier,
                     "expected a barrier between the last reads of the tile "
                     "and this write")))
    return failure();

  // Each warp releases a stage of a ring by itself.
  bool isStage = place.stage != Place::kNoStage;
  tile.scope = std::max(tile.scope, isStage ? SyncScope::Warp : effect.scope);
  if (effect.async) {
    Group &open = workOf(*effect.async).open;
    (effect.isWrite ? open.writes : open.reads).insert(place);
  }
  if (effect.proxy == Proxy::Generic) {
    (effect.isWrite ? tile.unfencedWrite : tile.unfencedRead) = true;
    if (!effect.async)
      (effect.isWrite ? tile.written : tile.read) = true;
  } else if (!effect.isWrite && !effect.async && !isStage) {
    // All threads of the warp have waited for its reads of the stage.
    tile.read = true;
  }
  if (tile.isClean())
    tiles.erase(place);
  return success();
}

void SyncState::barrier(SyncScope scope) {
  if (scope == SyncScope::Block)
    for (auto &[number, stages] : copies)
      stages.read = 0;
  for (auto it = tiles.begin(); it != tiles.end();) {
    TileState &tile = it->second;
    if (tile.scope <= scope)
      tile.written = tile.read = false;
    it = tile.isClean() ? tiles.erase(it) : std::next(it);
  }
}

void SyncState::fence() {
  // The fence orders this thread's accesses; other threads see the order after
  // the next barrier.
  for (auto &[place, tile] : tiles) {
    tile.written |= tile.unfencedWrite;
    tile.read |= tile.unfencedRead;
    tile.unfencedWrite = tile.unfencedRead = false;
  }
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

bool SyncState::RingState::join(const RingState &other) {
  size_t before = copied.size();
  llvm::set_intersect(copied, other.copied);
  bool changed = copied.size() != before;
  changed |= insertAll(maybeCopied, other.maybeCopied);
  for (const auto &[age, takes] : other.held)
    changed |= insertAll(held[age], takes);
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
    return refuse(begin, isAcquired ? "expected a stage to be acquired before "
                                      "this, but its token is of none"
                                    : "expected a stage to be held, but its "
                                      "token is of none");
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
  std::map<Place, TileState> renumbered;
  for (auto &[place, tile] : tiles)
    if (Place next = change(place); next.stage != Place::kReleased)
      renumbered.emplace(next, tile);
  tiles = std::move(renumbered);
}

LogicalResult SyncState::release(Place stage, Operation *op,
                                 SyncListener listener) {
  for (size_t i = 0; i < work.size(); ++i)
    for (const Group &group : work[i].groups)
      if ((group.reads.count(stage) || group.writes.count(stage)) &&
          !listener(op, Kind::Wait,
                    "expected a wait for the " +
                        describe(static_cast<AsyncKind>(i)) +
                        " that reads the stage before it is given back"))
        return failure();
  // TMA fills the stage next. A fence must order a thread's reads before that:
  // an mbarrier orders accesses of the generic proxy alone, and TMA writes by
  // the async proxy (PTX ISA, Memory Consistency Model, "Proxies"; CUTLASS's
  // epilogue has a fence before it releases the stage that it read). Reads by
  // wgmma use the async proxy and need none.
  if (auto it = tiles.find(stage); it != tiles.end()) {
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
  rings[stage.base].held.erase(stage.stage);
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
  int64_t stages = cast<RingType>(effect.value.getType()).getStages();
  switch (effect.kind) {
  case Kind::Acquire:
    for (const auto &[other, state] : rings) {
      if (!state.acquired)
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
    Place stage{number, Place::kAcquired};
    renumber([&](Place place) {
      return place == stage ? Place{number, Place::kReleased} : place;
    });
    ring.acquired = false;
    return success();
  }
  case Kind::Take: {
    // The producer acquires stages in order: it fills no other before the one
    // that comes round again.
    if (ring.held.count(stages - 1)) {
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
        tokens, [&](const auto &token) { return token.second == stage; });
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
// Stages that all threads fill and read
//===----------------------------------------------------------------------===//

LogicalResult SyncState::applyToCopies(const SyncEffect &effect, Operation *op,
                                       const ValueNumbers &numbers,
                                       SyncListener listener) {
  CopyStages &stages = copies[numbers.of(effect.value)];
  int64_t pendingGroups = workOf(AsyncKind::Copy).groups.size();
  int64_t count = cast<StagesType>(effect.value.getType()).getStages();
  auto require = [&](bool holds, Kind missing, const Twine &message) {
    return success(holds || listener(op, missing, message));
  };
  switch (effect.kind) {
  case Kind::MakeStages:
    if (failed(require(pendingGroups == 0, Kind::Wait,
                       "expected a wait for all copies before the stages are "
                       "used anew")) ||
        failed(require(stages.read == 0, Kind::Barrier,
                       "expected a barrier between the last reads of the "
                       "stages and their new use")))
      return failure();
    stages = {};
    return success();
  case Kind::FillStage:
    if (failed(require(stages.ahead + stages.read < count, Kind::Barrier,
                       "expected a barrier between the last reads of the stage "
                       "and this copy into it")))
      return failure();
    return require(stages.filled.insert(effect.tile).second, Kind::Commit,
                   "expected at most one copy into each tile of a stage");
  case Kind::ReadStage:
    if (failed(require(pendingGroups < stages.ahead, Kind::Wait,
                       "expected a wait for the copies into the stage before "
                       "its tiles are used")))
      return failure();
    if (!stages.commits.empty()) {
      stages.commits.erase(stages.commits.begin());
      --stages.ahead;
    }
    stages.read = std::min(stages.read + 1, count);
    return success();
  default:
    llvm_unreachable("no effect on stages");
  }
}

//===----------------------------------------------------------------------===//
// The order of warpgroups
//===----------------------------------------------------------------------===//

/// Every warpgroup runs the same program: if waits and arrivals alternate, each
/// wait is for the arrival of the previous warpgroup.
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
    if (ring.held.empty() && !ring.acquired)
      continue;
    counters.insert(counters.end(), {number, ring.acquired});
    for (const auto &[age, takes] : ring.held)
      counters.push_back(age);
    counters.push_back(-1);
  }
  counters.push_back(-1);
  for (const auto &[value, stage] : tokens)
    counters.insert(counters.end(), {value, stage.base, stage.stage});
  counters.push_back(-1);
  for (const auto &[number, stages] : copies)
    if (stages.ahead != 0 || stages.read != 0 || !stages.filled.empty()) {
      counters.insert(counters.end(), {number, stages.ahead, stages.read});
      // The end of a loop may leave a group empty, but not a part of it.
      counters.push_back(stages.filled.size());
      llvm::append_range(counters, stages.filled);
    }
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
    changed |= mine.join(theirs) || isNew;
  }
  for (const auto &[number, theirs] : other.copies) {
    auto [it, isNew] = copies.try_emplace(number, theirs);
    for (size_t i = 0; !isNew && i < theirs.commits.size(); ++i)
      changed |= insertAll(it->second.commits[i], theirs.commits[i]);
    changed |= isNew;
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
  changed |= insertAll(pending, other.pending);
  changed |= insertAll(kept, other.kept);
  for (const auto &[place, theirs] : other.tiles) {
    TileState &tile = tiles[place];
    TileState before = tile;
    tile.unfencedWrite |= theirs.unfencedWrite;
    tile.unfencedRead |= theirs.unfencedRead;
    tile.written |= theirs.written;
    tile.read |= theirs.read;
    tile.scope = std::max(tile.scope, theirs.scope);
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
  bool waited = false;
  for (const SyncEffect &effect : effects) {
    switch (effect.kind) {
    case Kind::Access:
      if (failed(access(effect, op, numbers, listener)))
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
      if (failed(commit(*effect.async, op, numbers, listener)))
        return failure();
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
    case Kind::MakeStages:
    case Kind::FillStage:
    case Kind::ReadStage:
      if (failed(applyToCopies(effect, op, numbers, listener)))
        return failure();
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
  for (Work &all : work) {
    for (Group &group : all.groups)
      erase(group.results);
    erase(all.open.results);
  }
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
