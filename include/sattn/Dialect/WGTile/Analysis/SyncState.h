//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_SYNCSTATE_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_SYNCSTATE_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include <array>
#include <map>
#include <set>

namespace wgtile {

/// Numbers of a program's values in the order of the text: results of an op
/// come before the values that its regions define.
class ValueNumbers {
public:
  explicit ValueNumbers(mlir::Operation *root);

  unsigned of(mlir::Value value) const { return numbers.lookup(value); }
  mlir::Value value(unsigned number) const { return values[number]; }
  unsigned size() const { return values.size(); }
  /// The numbers of the values that an op's regions define: [first, second).
  std::pair<unsigned, unsigned> inside(mlir::Operation *op) const {
    return ranges.lookup(op);
  }

private:
  void visit(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> ranges;
  llvm::SmallVector<mlir::Value> values;
};

/// The memory of a shared tile: that of the value numbered `base`, or the stage
/// of a ring that was taken `stage` takes before the newest; in a ring of
/// warpgroups, committed `stage` commits before the newest. A token's stage is
/// a place too.
struct Place {
  unsigned base;
  int64_t stage = kNoStage;

  /// `kUnknown`: a different stage on different paths. `kAcquired`: the
  /// producer's stage.
  static constexpr int64_t kNoStage = -1, kReleased = -2, kUnknown = -3,
                           kAcquired = -4;

  bool operator<(const Place &other) const {
    return std::tie(base, stage) < std::tie(other.base, other.stage);
  }
  bool operator==(const Place &other) const {
    return std::tie(base, stage) == std::tie(other.base, other.stage);
  }
};

/// Called with the fence, wait or barrier that an op lacks. Returns whether to
/// continue as if it were present.
using SyncListener = llvm::function_ref<bool(
    mlir::Operation *op, SyncEffect::Kind missing, const llvm::Twine &message)>;

/// The synchronization state of one thread at a point of the program: its
/// pending work, the stages it holds, and the tiles that wait for a fence or a
/// barrier.
///
/// States of several paths are joined to one that has every hazard of each:
/// groups of work are matched by the number of groups committed after them,
/// which waits count. Only states of the same counters join; otherwise it would
/// be unknown which stage a token is of, and how many copies a wait leaves.
class SyncState {
public:
  /// The held stages of each ring, the tokens, and the number of copies ahead
  /// or read, which have to agree where states join.
  using Counters = std::vector<int64_t>;
  Counters getCounters() const;

  /// Adds the state of another path, whose counters are the same. Returns
  /// whether that changed anything.
  bool join(const SyncState &other);

  /// Checks an op's operands, then applies its effects. Fails if this path must
  /// not be followed further.
  llvm::LogicalResult apply(mlir::Operation *op,
                            llvm::ArrayRef<SyncEffect> effects,
                            const ValueNumbers &numbers, SyncListener listener);

  /// Checks that an op uses no result that is pending and no tile whose
  /// registers are kept, unless it forwards or keeps it, and that no block ends
  /// with a tile of its own whose registers are kept.
  llvm::LogicalResult checkOperands(mlir::Operation *op,
                                    llvm::ArrayRef<SyncEffect> effects,
                                    const ValueNumbers &numbers,
                                    SyncListener listener) const;

  /// Enters, or returns from, a region of `op`: values that the regions define
  /// are dead, and `inputs` stand for `operands`.
  void branch(mlir::Operation *op, mlir::ValueRange operands,
              mlir::ValueRange inputs, const ValueNumbers &numbers);

  /// Forgets what is known of values of one region of `parent` that no op uses
  /// any more, so that states do not differ by it. A held stage is known to
  /// have a token up to the region's end, where the token is lost. Returns
  /// whether that changed the counters.
  bool forgetDead(llvm::ArrayRef<unsigned> dead, mlir::Operation *parent,
                  const ValueNumbers &numbers);

  /// Checks that every stage that is held or acquired has a token, at the end
  /// of a region or at an op with regions.
  llvm::LogicalResult checkTokens(mlir::Operation *op,
                                  SyncListener listener) const;

  /// Checks that nothing is left over at the end of the program.
  llvm::LogicalResult finish(mlir::Operation *end, const ValueNumbers &numbers,
                             SyncListener listener) const;

  /// Number of commit groups of a kind after the last one that a register tile
  /// is a result or an operand of; nothing if that one is complete.
  std::optional<int64_t> groupsAfter(unsigned tile, AsyncKind kind) const;

  struct RingState {
    /// The stages that are held, by the number of takes since, and the ops that
    /// may have taken each.
    std::map<int64_t, std::set<mlir::Operation *>> held;
    bool acquired = false;
    /// Tiles of the acquired stage, by number and instance, that a copy was
    /// started into on every path; on some.
    std::set<std::pair<int64_t, int64_t>> copied, maybeCopied;
    /// The ring whose stage's memory this ring has borrowed.
    std::optional<unsigned> lender;

    /// Whether one program fills and reads the ring. If so: the stages that are
    /// committed and not taken, oldest first, by the ops that may have
    /// committed each, and those that were released since the last barrier, by
    /// the number of takes since.
    bool isCooperative = false;
    std::vector<std::set<mlir::Operation *>> committed;
    std::set<int64_t> released;
    /// Stages from the oldest that is in use to the newest that is committed.
    int64_t countUsed() const;

    /// Returns whether that changed anything.
    bool join(const RingState &other);
  };
  const RingState &ringOf(mlir::Value ring, const ValueNumbers &numbers) const;
  /// The ops that may have taken a token's stage; none if it is not held.
  std::set<mlir::Operation *> takesOf(mlir::Value token,
                                      const ValueNumbers &numbers) const;

  /// The ops before each of which a fence is missing for an asynchronous
  /// access: the first ones with a barrier, at which the threads meet, after
  /// their accesses of the tile; null where none has followed.
  std::set<mlir::Operation *> fencesFor(const SyncEffect &access,
                                        const ValueNumbers &numbers) const;
  /// The place of a shared tile.
  Place placeOf(mlir::Value tile, const ValueNumbers &numbers) const;
  /// The place that an effect accesses; nothing for a token that is not known.
  std::optional<Place> placeOf(const SyncEffect &access,
                               const ValueNumbers &numbers) const;

private:
  /// Work that is waited for together.
  struct Group {
    /// Register tiles: results, and operands whose registers are kept.
    std::set<unsigned> results;
    std::set<Place> reads, writes;
    /// Returns whether that changed anything.
    bool add(const Group &other);
  };
  /// The groups of one kind, oldest first, and the one that is open.
  struct Work {
    std::vector<Group> groups;
    Group open;
  };
  /// The synchronization that a tile still needs before other threads or TMA
  /// may use it. Tiles that need none have no entry.
  struct TileState {
    /// Accesses of threads that no fence has ordered before asynchronous ones.
    bool unfencedWrite = false, unfencedRead = false;
    bool written = false, read = false;
    /// Whether one of the writes was an atomic update, and whether one was not.
    bool updated = false, stored = false;
    SyncScope scope = SyncScope::Warp;
    /// The first ops with a barrier after the one with the last unfenced
    /// access, on each path; null where there was none.
    std::set<mlir::Operation *> meetings;
    /// The numbers of rows from which on warps may be clearing the tile.
    std::set<unsigned> cleared;
    auto key() const {
      return std::tie(unfencedWrite, unfencedRead, written, read, updated,
                      stored, scope, meetings, cleared);
    }
    bool isUnfenced() const { return unfencedWrite || unfencedRead; }
    bool isClean() const {
      return !isUnfenced() && !written && !read && cleared.empty();
    }
  };

  Work &workOf(AsyncKind kind) { return work[static_cast<size_t>(kind)]; }
  llvm::LogicalResult access(const SyncEffect &effect, mlir::Operation *op,
                             const ValueNumbers &numbers,
                             SyncListener listener);
  llvm::LogicalResult clear(const SyncEffect &effect, mlir::Operation *op,
                            const ValueNumbers &numbers, SyncListener listener);
  llvm::LogicalResult applyToStage(const SyncEffect &effect,
                                   mlir::Operation *op,
                                   const ValueNumbers &numbers,
                                   SyncListener listener);
  void commitStaging(unsigned ring);
  llvm::LogicalResult borrow(const SyncEffect &effect, mlir::Operation *op,
                             const ValueNumbers &numbers,
                             SyncListener listener);
  llvm::LogicalResult giveBack(unsigned ring, mlir::Operation *op,
                               SyncListener listener);
  bool isLent(Place stage) const;
  llvm::LogicalResult makeRing(RingState &ring, mlir::Operation *op,
                               SyncListener listener);
  llvm::LogicalResult commitCooperative(RingState &ring, RingType type,
                                        mlir::Operation *op,
                                        SyncListener listener);
  llvm::LogicalResult takeCooperative(RingState &ring, RingType type,
                                      mlir::Operation *op,
                                      SyncListener listener);
  llvm::LogicalResult checkToken(const SyncEffect &effect, mlir::Operation *op,
                                 bool isAcquired, const ValueNumbers &numbers,
                                 SyncListener listener) const;
  bool isNoStage(mlir::Value token, const ValueNumbers &numbers) const;
  void renumber(llvm::function_ref<Place(Place)> change);
  llvm::LogicalResult release(Place stage, mlir::Operation *op,
                              SyncListener listener);
  void commit(AsyncKind kind);
  void wait(AsyncKind kind, int64_t count);
  llvm::LogicalResult applyToOrder(const SyncEffect &effect,
                                   mlir::Operation *op, SyncListener listener);
  void meet(mlir::Operation *op);
  void barrier(SyncScope scope);
  void fence();
  void forget(unsigned first, unsigned last);

  std::array<Work, 3> work;
  /// Places of tiles that do not follow from the tile's own value.
  std::map<unsigned, Place> names;
  /// The stages of tokens.
  std::map<unsigned, Place> tokens;
  /// Stages, held or acquired, whose tokens no later op uses, by the first
  /// value number inside the op whose region defines the token.
  std::map<unsigned, std::set<Place>> unusedTokens;
  /// Results of asynchronous work that no wait has passed on yet.
  std::set<unsigned> pending;
  /// Register tiles that asynchronous work read and no wait has passed on yet.
  std::set<unsigned> kept;
  std::map<unsigned, RingState> rings;
  /// The warpgroup's position in the order of warpgroups.
  enum class Order { None, Outside, Inside };
  Order order = Order::None;
  std::map<Place, TileState> tiles;
};

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_SYNCSTATE_H
