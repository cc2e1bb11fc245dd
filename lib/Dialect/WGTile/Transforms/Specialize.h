//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SPECIALIZE_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SPECIALIZE_H

#include "GroupDependence.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/IR/IRMapping.h"

namespace wgtile {

/// The loads of one turn of a loop, or of a tile outside loops, and the ring
/// that takes their place.
struct LoadGroup {
  /// The loop's body or the tile's.
  mlir::Block *block;
  llvm::SmallVector<LoadOp> loads;
  /// How many tiles a stage holds for each load: one, or one for each group of
  /// consumers.
  llvm::SmallVector<int64_t> instances;
  RingOp ring;
  /// For each load, which tile of the ring's stages it becomes.
  llvm::SmallVector<int64_t> positions;

  /// Type of a ring of so many stages for these loads.
  RingType getRingType(int64_t stages);

  /// Whether all that becomes of the loads' tiles is registers.
  bool isRead();
};

/// Makes the producer's program of a copy of the tile loop: loads, which
/// `mapping` maps to those of the copy, become copies into the rings; what no
/// copy needs goes. The loops of a group's tiles become one.
llvm::LogicalResult makeProducer(ForEachTileOp loop,
                                 llvm::MutableArrayRef<LoadGroup> groups,
                                 const mlir::IRMapping &mapping);

/// Makes the consumers' program of the tile loop: loads become tiles of the
/// rings' stages, with the waits and releases that they need.
llvm::LogicalResult makeConsumer(ForEachTileOp loop,
                                 llvm::MutableArrayRef<LoadGroup> groups);

/// Loads what turns of a role's loops need to know from memory, as indices of
/// tiles, one turn ahead.
void loadIndicesAhead(mlir::Region &role);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SPECIALIZE_H
