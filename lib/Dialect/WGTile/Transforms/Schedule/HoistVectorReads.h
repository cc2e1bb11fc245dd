//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Vectors that a loop's iterations need by element, as for a mask, are read
// early: before the iteration waits for its stage.

#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_HOISTVECTORREADS_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_HOISTVECTORREADS_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace wgtile {

/// Hoists vector reads of a loop's body above the wait for a stage, so that
/// their latency overlaps the first MMAs.
void hoistVectorReads(mlir::scf::ForOp loop);

/// Hoists vector reads of a branch within a block that has an MMA, such as the
/// peeled first iteration of a loop.
void hoistVectorReads(mlir::scf::IfOp branch);

/// Whether a warp's lanes can read a vector together; createReadByLanes()
/// builds that read.
bool canReadByLanes(ReadOp read);
ReadLanesOp createReadByLanes(mlir::OpBuilder &b, ReadOp read);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_HOISTVECTORREADS_H
