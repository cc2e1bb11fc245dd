//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Asynchronous work, and the shared tiles that it and threads access.

#include "SyncStateDetail.h"

using namespace mlir;
using namespace wgtile;
using namespace wgtile::detail;
using Kind = SyncEffect::Kind;

StringRef wgtile::detail::describe(AsyncKind kind) {
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

bool SyncState::Group::add(const Group &other) {
  bool changed = insertAll(results, other.results);
  changed |= insertAll(reads, other.reads);
  changed |= insertAll(writes, other.writes);
  return changed;
}

void SyncState::commit(AsyncKind kind) {
  Work &all = workOf(kind);
  all.groups.push_back(std::move(all.open));
  all.open = {};
  if (all.groups.size() > static_cast<size_t>(kMaxGroups)) {
    all.groups[1].add(all.groups[0]);
    all.groups.erase(all.groups.begin());
  }
}

void SyncState::wait(AsyncKind kind, int64_t count) {
  std::vector<Group> &groups = workOf(kind).groups;
  while (static_cast<int64_t>(groups.size()) > count) {
    // This thread knows; others do after a barrier.
    for (const Place &place : groups.front().reads)
      if (kind == AsyncKind::Store) {
        // A thread waits for its warpgroup.
        TileState &tile = tiles[place];
        tile.read = true;
        tile.scope = std::max(tile.scope, SyncScope::Group);
      } else if (place.stage == Place::kNoStage) {
        tiles[place].read = true;
      }
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

std::optional<Place> SyncState::placeOf(const SyncEffect &access,
                                        const ValueNumbers &numbers) const {
  if (!access.token)
    return placeOf(access.value, numbers);
  auto it = tokens.find(numbers.of(access.token));
  return it == tokens.end() ? std::nullopt : std::optional(it->second);
}

std::set<Operation *> SyncState::fencesFor(const SyncEffect &access,
                                           const ValueNumbers &numbers) const {
  std::optional<Place> place = placeOf(access, numbers);
  auto it = place ? tiles.find(*place) : tiles.end();
  if (it == tiles.end() || !(it->second.unfencedWrite ||
                             (access.isWrite && it->second.unfencedRead)))
    return {};
  return it->second.meetings;
}

LogicalResult SyncState::access(const SyncEffect &effect, Operation *op,
                                const ValueNumbers &numbers,
                                SyncListener listener) {
  if (effect.token &&
      failed(checkToken(effect, op, /*isAcquired=*/true, numbers, listener)))
    return failure();
  // A token that is checked is known.
  Place place = *placeOf(effect, numbers);
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
  if (failed(require(!isLent(place), Kind::Return,
                     "expected no access to a stage whose memory is lent to "
                     "another ring")))
    return failure();
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
  if (!tile.isUnfenced())
    tile.meetings.clear();
  if (failed(require(tile.cleared.empty() || effect.isCleared, Kind::Barrier,
                     "expected a barrier of the block between the clearing of "
                     "the tile's rows and this access")))
    return failure();
  // Threads write parts of a tile side by side, or update them.
  bool isOtherWrite = effect.isAtomic ? tile.stored : tile.updated;
  bool isNextPart = effect.isWrite && effect.proxy == Proxy::Generic &&
                    !tile.read && !isOtherWrite;
  if (failed(require(!tile.written || isNextPart, Kind::Barrier,
                     "expected a barrier between the threads' writes of the "
                     "tile and this access")))
    return failure();
  if (effect.isWrite &&
      failed(require(!tile.read, Kind::Barrier,
                     "expected a barrier between the last reads of the tile "
                     "and this write")))
    return failure();

  // Each warp releases a stage that it took by itself.
  bool isStage = place.stage >= 0;
  tile.scope = std::max(tile.scope, isStage ? SyncScope::Warp : effect.scope);
  if (effect.async) {
    Group &open = workOf(*effect.async).open;
    (effect.isWrite ? open.writes : open.reads).insert(place);
  }
  if (effect.proxy == Proxy::Generic) {
    (effect.isWrite ? tile.unfencedWrite : tile.unfencedRead) = true;
    tile.meetings = {nullptr};
    if (!effect.async)
      (effect.isWrite ? tile.written : tile.read) = true;
    if (effect.isWrite)
      (effect.isAtomic ? tile.updated : tile.stored) = true;
  } else if (!effect.isWrite && !effect.async && !isStage) {
    // All threads of the warp have waited for its reads of the stage.
    tile.read = true;
  }
  if (tile.isClean())
    tiles.erase(place);
  return success();
}

/// Applies a clear. Warps clear rows without waiting for each other: a late one
/// writes zeros over zeros, if all clear the same rows.
LogicalResult SyncState::clear(const SyncEffect &effect, Operation *op,
                               const ValueNumbers &numbers,
                               SyncListener listener) {
  Place place = placeOf(effect.value, numbers);
  unsigned rows = numbers.of(effect.result);
  for (size_t i = 0; i < work.size(); ++i) {
    auto uses = [&](const Group &group) {
      return group.reads.count(place) || group.writes.count(place);
    };
    if ((llvm::any_of(work[i].groups, uses) || uses(work[i].open)) &&
        !listener(op, Kind::Wait,
                  "expected a wait for the " +
                      describe(static_cast<AsyncKind>(i)) +
                      " that uses the tile before its rows are cleared"))
      return failure();
  }
  TileState &tile = tiles[place];
  bool isSame = tile.cleared == std::set<unsigned>{rows};
  // Tiles of one stage have one state: the reads may be of another one.
  auto ring = dyn_cast<RingType>(numbers.value(place.base).getType());
  bool isAlone = !ring || ring.getTiles().size() == 1;
  if (!isSame &&
      ((isAlone && (tile.written || tile.read)) || !tile.cleared.empty()) &&
      !listener(op, Kind::Barrier,
                "expected a barrier between the last uses of the tile and the "
                "clearing of its rows"))
    return failure();
  tile.cleared.insert(rows);
  return success();
}

void SyncState::meet(Operation *op) {
  for (auto &[place, tile] : tiles)
    if (tile.meetings.erase(nullptr))
      tile.meetings.insert(op);
}

void SyncState::barrier(SyncScope scope) {
  if (scope == SyncScope::Block)
    for (auto &[number, ring] : rings)
      ring.released.clear();
  for (auto it = tiles.begin(); it != tiles.end();) {
    TileState &tile = it->second;
    if (tile.scope <= scope)
      tile.written = tile.read = tile.updated = tile.stored = false;
    if (scope == SyncScope::Block)
      tile.cleared.clear();
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
    tile.meetings.clear();
  }
}
