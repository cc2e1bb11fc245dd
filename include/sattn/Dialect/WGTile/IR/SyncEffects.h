//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_IR_SYNCEFFECTS_H
#define SATTN_DIALECT_WGTILE_IR_SYNCEFFECTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace wgtile {

/// The way by which an access reaches shared memory. Accesses by different
/// proxies need a fence between them (PTX ISA, "Proxies").
enum class Proxy {
  /// Loads and stores of threads.
  Generic,
  /// TMA, and wgmma's operands in shared memory.
  Async
};

/// Kinds of asynchronous work. Work of one kind is committed in commit groups,
/// which complete in order.
enum class AsyncKind {
  /// MMAs: wgmma.
  Product,
  /// Copies from global to shared memory: cp.async.
  Copy,
  /// Copies from shared to global memory by TMA.
  Store
};

/// Threads that share a tile or meet at a barrier.
enum class SyncScope {
  /// A warp, one thread of which releases stages of rings for all.
  Warp,
  /// A consumer group with register tiles of its own (a warpgroup).
  Group,
  /// All threads that run the program.
  Block
};

/// One thing that an op does to shared memory, to asynchronous work or to the
/// stages of a ring. An op lists its effects in the order in which it has them.
struct SyncEffect {
  enum class Kind {
    /// Reads or writes the shared tile `value`, or the stage of `token` that
    /// the producer acquired of the ring `value`.
    Access,
    /// Each warp clears the rows of the shared tile `value` from the one
    /// numbered `result` on, before its own asynchronous reads and its own
    /// release of the tile.
    Clear,
    /// Makes `result`, a register tile, part of the open commit group.
    Issue,
    /// Makes `value`, a register tile, an operand of the open commit group: its
    /// registers do not change until a wait passes it on.
    Keep,
    /// Ends the open commit group.
    Commit,
    /// Waits until at most `count` commit groups are pending or, with a
    /// `value`, until the commit group of this result is complete.
    Wait,
    /// Passes `value` on as `result`; it may be a result that is still pending,
    /// or a tile whose registers were kept.
    Forward,
    /// Orders this thread's generic accesses before asynchronous ones.
    Fence,
    /// Threads of `scope` meet.
    Barrier,
    /// Makes `result` the token of no stage.
    NoStage,
    /// Waits until the producer's stage of the ring `value` is empty; `result`
    /// is its token. Without roles it is empty after a barrier.
    Acquire,
    /// Starts a copy into the stage of `token`, or writes a number into it.
    Fill,
    /// Gives the stage of `token` to the consumers.
    CommitStage,
    /// Waits until the consumer's stage of the ring `value` is full; `result`
    /// is its token.
    Take,
    /// `result` is a tile of the stage of `token`.
    StageTile,
    /// Reads the stage of `token`; the read is complete when the op is.
    ReadHeld,
    /// Gives the stage of `token` back to the producer; nothing with the token
    /// of no stage.
    Release,
    /// Makes the ring `value`, all stages of which are empty.
    MakeRing,
    /// Gives the memory of the stage of `token`, which is no longer read, to
    /// the ring `value`, and ends the token.
    Borrow,
    Return,
    /// Initializes the order of the consumers' warpgroups: the first one is
    /// next.
    InitOrder,
    /// Waits until the order has reached this warpgroup.
    EnterOrder,
    /// Passes the order on to the next warpgroup.
    LeaveOrder
  };

  Kind kind;
  mlir::Value value = {}, result = {};
  Proxy proxy = Proxy::Generic;
  bool isWrite = false;
  /// Whether each warp reads rows that it cleared itself as it cleared them.
  bool isCleared = false;
  /// Whether a write is an atomic update, whose order among others is free.
  bool isAtomic = false;
  /// The kind of work that is issued, committed or waited for. An access
  /// without one is complete when the op is.
  std::optional<AsyncKind> async = {};
  SyncScope scope = SyncScope::Block;
  int64_t count = 0;
  /// The token of the stage that is used. A wait with a token happens only if
  /// that is not the token of no stage.
  mlir::Value token = {};
  /// The tile of the stage that is filled, and its instance.
  int64_t tile = 0, instance = 0;

  static SyncEffect access(mlir::Value tile, bool isWrite, Proxy proxy,
                           std::optional<AsyncKind> async = {},
                           SyncScope scope = SyncScope::Block) {
    SyncEffect effect{Kind::Access, tile};
    effect.isWrite = isWrite;
    effect.proxy = proxy;
    effect.async = async;
    effect.scope = scope;
    return effect;
  }
  static SyncEffect read(mlir::Value tile, Proxy proxy,
                         std::optional<AsyncKind> async = {},
                         SyncScope scope = SyncScope::Block) {
    return access(tile, /*isWrite=*/false, proxy, async, scope);
  }
  static SyncEffect write(mlir::Value tile, Proxy proxy,
                          std::optional<AsyncKind> async = {},
                          SyncScope scope = SyncScope::Block) {
    return access(tile, /*isWrite=*/true, proxy, async, scope);
  }
  /// An atomic update of elements by threads.
  static SyncEffect update(mlir::Value tile) {
    SyncEffect effect = write(tile, Proxy::Generic);
    effect.isAtomic = true;
    return effect;
  }
  /// The effect on memory that was cleared before, if `rows` is not null.
  SyncEffect afterClear(mlir::Value rows) const {
    SyncEffect effect = *this;
    effect.isCleared = rows != nullptr;
    return effect;
  }
  static SyncEffect clear(mlir::Value tile, mlir::Value rows) {
    return SyncEffect{Kind::Clear, tile, rows};
  }
  static SyncEffect issue(AsyncKind async, mlir::Value result) {
    SyncEffect effect{Kind::Issue};
    effect.async = async;
    effect.result = result;
    return effect;
  }
  static SyncEffect keep(AsyncKind async, mlir::Value tile) {
    SyncEffect effect{Kind::Keep, tile};
    effect.async = async;
    return effect;
  }
  static SyncEffect commit(AsyncKind async) {
    SyncEffect effect{Kind::Commit};
    effect.async = async;
    return effect;
  }
  static SyncEffect wait(AsyncKind async, int64_t pending) {
    SyncEffect effect{Kind::Wait};
    effect.async = async;
    effect.count = pending;
    return effect;
  }
  static SyncEffect forward(mlir::Value value, mlir::Value result) {
    return {Kind::Forward, value, result};
  }
  static SyncEffect fence() { return {Kind::Fence}; }
  static SyncEffect barrier(SyncScope scope) {
    SyncEffect effect{Kind::Barrier};
    effect.scope = scope;
    return effect;
  }
  /// An effect on the stages of a ring, with the result that it has.
  static SyncEffect stage(Kind kind, mlir::Value ring,
                          mlir::Value result = {}) {
    return {kind, ring, result};
  }
  /// This effect, on the stage of a token.
  SyncEffect with(mlir::Value token) const {
    SyncEffect effect = *this;
    effect.token = token;
    return effect;
  }
  static SyncEffect fill(mlir::Value ring, int64_t tile, int64_t instance) {
    SyncEffect effect{Kind::Fill, ring};
    effect.tile = tile;
    effect.instance = instance;
    return effect;
  }

  /// Whether one thread, or TMA, could run ahead of another without the effect.
  bool isSynchronization() const {
    return kind == Kind::Wait || kind == Kind::Fence || kind == Kind::Barrier ||
           kind == Kind::Acquire || kind == Kind::CommitStage ||
           kind == Kind::Take || kind == Kind::Release ||
           kind == Kind::Borrow || kind == Kind::Return ||
           kind == Kind::InitOrder || kind == Kind::EnterOrder ||
           kind == Kind::LeaveOrder;
  }
};

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_IR_SYNCEFFECTS_H
