//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_LOADGROUPS_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_LOADGROUPS_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace wgtile {

/// Loads that share a stage, of one iteration of a loop or of a tile outside
/// loops, and the ring that replaces them.
struct LoadGroup {
  /// The loop's body or the tile's.
  mlir::Block *block;
  llvm::SmallVector<LoadOp> loads;
  /// Number of tiles of a stage for each load: one, one for each consumer
  /// group, or two from which each group chooses one.
  llvm::SmallVector<int64_t> instances;
  /// The select by which a group reads one of two tiles, for each load; the
  /// first tile where the values are equal; null for loads without one.
  llvm::SmallVector<mlir::arith::SelectOp, 1> choices;
  /// The group whose ring it uses.
  size_t owner = 0;
  RingOp ring;
  /// The tile of the ring's stages that each load becomes.
  llvm::SmallVector<int64_t> positions;
  /// A ring of warpgroups that could be in a stage of the group's ring, since
  /// the tile's program takes no stage of that when it has begun to fill it.
  RingOp borrower;

  /// Type of a ring of `stages` stages for these loads.
  RingType getRingType(int64_t stages);

  /// Whether loops carry the loads' tiles: their stage is held until the next
  /// one is taken, and given back after the tiles' last readers.
  bool carried = false;
  /// Whether a loop carries a load's tile.
  static bool isCarried(LoadOp load);

  /// Whether the loads' tiles are only read into registers.
  bool isRead();

  /// The borrower's type in a stage: with as many stages as fit.
  RingType getBorrowingType();
};

/// The load groups of a tile's program and the rings that they share. Emits an
/// error if a load is not in the program's loops and branches.
mlir::FailureOr<llvm::SmallVector<LoadGroup>>
collectLoadGroups(ForEachTileOp loop);

/// Predicts the groups before wgtile-overlap, which will rotate loops or not,
/// and wgtile-place-waits: the rings are those that collectLoadGroups will
/// find.
mlir::FailureOr<llvm::SmallVector<LoadGroup>>
predictLoadGroups(ForEachTileOp loop, bool isOverlapPending);

/// The group whose stage a ring of warpgroups could borrow, or null.
LoadGroup *findLender(llvm::MutableArrayRef<LoadGroup> groups);

/// Bytes of one stage, with its barriers, of the rings that loops fill, and of
/// the other rings.
struct RingBytes {
  /// The groups with a ring that a loop fills.
  llvm::DenseSet<size_t> inLoop;
  int64_t loop = 0, tile = 0;
};
RingBytes countRingBytes(llvm::MutableArrayRef<LoadGroup> groups);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_LOADGROUPS_H
