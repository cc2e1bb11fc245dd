//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_SPECIALIZE_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_SPECIALIZE_H

#include "sattn/Dialect/WGTile/Analysis/GroupDependence.h"
#include "sattn/Dialect/WGTile/Analysis/LoadGroups.h"
#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/IR/IRMapping.h"

namespace wgtile {

/// Makes the producer's program of a copy of the tile loop: loads, which
/// `mapping` maps to those of the copy, become copies into the rings; ops that
/// no copy needs are erased. The loops of all consumer groups become one.
llvm::LogicalResult makeProducer(ForEachTileOp loop,
                                 llvm::MutableArrayRef<LoadGroup> groups,
                                 const mlir::IRMapping &mapping);

/// Makes the consumers' program of the tile loop: loads become tiles of the
/// rings' stages, with the waits and releases that they need.
llvm::LogicalResult makeConsumer(ForEachTileOp loop,
                                 llvm::MutableArrayRef<LoadGroup> groups);

/// Waits for the reads of a stage in a block, up to `lastReader`, and gives the
/// stage back.
void releaseStage(mlir::Block *block, RingOp ring, mlir::Value stage,
                  mlir::Operation *lastReader);

/// Makes loops that carry tiles of stages carry the stages' tokens, and gives
/// each of these stages back after the last reader of its tiles.
llvm::LogicalResult carryStages(ForEachTileOp loop);

/// Loads indices of tiles and similar values that a role's loops need from
/// memory one iteration ahead.
void loadIndicesAhead(mlir::Region &role);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_SPECIALIZE_H
